//! Reductions of windows: the adjoint is a reduction of the windows that the relation of an element
//! to the results makes ([`window`](super::window)).

use super::{
    reduction::Combination,
    reverse::Reverse,
    window::{Along, known, solved},
    window_of_sizes::of_reduction,
};
use crate::rewrite::{Result, fail};
use mapwright_indexing::Extent;
use mapwright_mlir::{Op, Val};

impl<'c> Reverse<'c> {
    /// Adds to the cotangents of what is reduced window by window.
    pub(super) fn reduced_windows(&self, op: Op<'c>, given: &[Option<Val<'c>>]) -> Result<'c> {
        let m = &self.m;
        let n = op.num_results();
        let combination = Combination::from_op(op);
        for (k, given) in given.iter().enumerate().take(n) {
            let (x, init) = (op.operand(k), op.operand(n + k));
            let Some(given) = *given else { continue };
            self.initial_value(op, combination, init, given)?;
            if !self.is_active(x) {
                continue;
            }
            let (own, out) = (m.type_of(x).1, m.type_of(given).1);
            let windows = of_reduction(m, op, own.len())?;
            let mut sizes = windows.iter().map(|along| along.size).chain(own.clone());
            let part = match combination {
                _ if sizes.any(|size| size == 0) || out.contains(&Extent::ZERO) => {
                    self.zeros_like(x)
                }
                Combination::Sum => {
                    let over = solved(&windows, (&own, &out), Along::over_elements);
                    self.sums_of(given, &over, &own)
                }
                Combination::Extreme(extreme) => match known(&windows) {
                    Some(window) => self.of_extremes(x, &window, extreme, given),
                    None => {
                        let places = self.places_of_sizes(x, &windows, extreme, &out);
                        m.added_at(places, given, &own)
                    }
                },
                _ => {
                    return fail(
                        op,
                        "has no rule of differentiation: its body is no sum, maximum or minimum",
                    );
                }
            };
            self.give(x, part);
        }
        Ok(())
    }
}
