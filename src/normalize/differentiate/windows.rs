//! Reductions of windows: the adjoint is a reduction of the windows that the relation of an element
//! to the results makes ([`window`](super::window)).

use super::{
    extremes::Extreme,
    reduction::Combination,
    reverse::Reverse,
    window::{numbers, over_elements},
    window_of_sizes::Sliding,
};
use crate::rewrite::{Result, fail};
use mapwright_indexing::Extent;
use mapwright_mlir::{Op, Val};
use mapwright_ops::attrs::Window;

/// The windows of a reduction, and those over its results that its adjoint reduces.
enum Windows<'c> {
    /// Numbers.
    Known { window: Window, over: Window },
    /// Vectors that the program computes, and the window as far as attributes say it.
    OfSizes {
        window: Sliding<'c>,
        over: Sliding<'c>,
        attributes: Option<Window>,
    },
}

impl<'c> Windows<'c> {
    /// Returns the windows of `op`, from a tensor of shape `own` to one of shape `out`.
    fn from_op(
        reverse: &Reverse<'c>,
        op: Op<'c>,
        own: &[Extent],
        out: &[Extent],
    ) -> Result<'c, Self> {
        let m = &reverse.m;
        if reverse.varies_along(op) {
            let window = Sliding::of_reduction(m, op, own.len())?;
            return Ok(Self::OfSizes {
                over: window.over_elements(m, m.vector(own), m.vector(out)),
                window,
                attributes: Window::reduce_window(op, own.len()).ok(),
            });
        }
        match Window::reduce_window(op, own.len()) {
            Ok(window) => Ok(Self::Known {
                over: over_elements(&window, &numbers(own), &numbers(out)),
                window,
            }),
            Err(error) => fail(op, error.to_string()),
        }
    }

    /// Tells whether nothing is reduced, as far as sizes are known: some size is 0.
    fn is_empty(&self, own: &[Extent], out: &[Extent]) -> bool {
        match self {
            Self::Known { window, .. } => {
                let none = |shape: &[Extent]| shape.contains(&Extent::ZERO);
                none(own) || none(out) || window.size.contains(&0)
            }
            Self::OfSizes { .. } => false,
        }
    }

    /// The sums over the results that an element is a part of: those have shape `own`.
    fn sums_over_elements(&self, reverse: &Reverse<'c>, value: Val<'c>, own: &[Extent]) -> Val<'c> {
        match self {
            Self::Known { over, .. } => reverse.m.sums_of_windows(value, over, own),
            Self::OfSizes { over, .. } => reverse.windows_of_sizes("add", 0.0, value, over, own),
        }
    }

    /// The cotangents of the elements of `x` that are chosen.
    fn of_extremes(
        &self,
        reverse: &Reverse<'c>,
        x: Val<'c>,
        extreme: Extreme,
        given: Val<'c>,
    ) -> Val<'c> {
        let m = &reverse.m;
        match self {
            Self::Known { window, .. }
            | Self::OfSizes {
                attributes: Some(window),
                ..
            } => reverse.of_extremes(x, window, extreme, given),
            Self::OfSizes { window, .. } => {
                let (own, out) = (m.type_of(x).1, m.type_of(given).1);
                let places = reverse.places_of_sizes(x, window, extreme, &out);
                m.added_at(places, given, &own)
            }
        }
    }
}

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
            let windows = Windows::from_op(self, op, &own, &out)?;
            let along = |value: Val<'c>| Ok(windows.sums_over_elements(self, value, &own));
            let part = match combination {
                _ if windows.is_empty(&own, &out) => self.zeros_like(x),
                Combination::Sum => along(given)?,
                Combination::Extreme(extreme) => windows.of_extremes(self, x, extreme, given),
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
