//! Reductions of arrays and tensors.

use super::{emit::Emitter, form::Form};
use crate::{hlo::neutral_literal, rewrite::Result};
use mapwright_mlir::{Op, ValueType, computation::single_op};
use mapwright_ops::registry::lookup;

impl<'c> Emitter<'c> {
    /// A body that is one element-wise operation of both elements is a reduction; any other one is
    /// applied in order.
    pub(super) fn reduce(
        &self,
        op: Op<'c>,
        xs: &[Form<'c>],
        inits: &[Form<'c>],
    ) -> Result<'c, Vec<Form<'c>>> {
        let m = &self.m;
        let is_tensor = matches!(inits[0].ty, ValueType::Tensor(_));
        let Some((name, neutral)) = self.combined(op).filter(|_| is_tensor) else {
            return self.in_order(op, xs, inits, false);
        };
        let rounds = self.rounds(xs);
        let values = rounds.elements[0].parts[0];
        let init = inits[0].parts[0];
        let (element, shape) = self.m.type_of(values);
        let whole = self.m.type_of(init).1;
        // The initial value may be another one for each scalar: it takes part once.
        let neutral = m.splat(&neutral, &element, &[]);
        let values = if rounds.are_all {
            values
        } else {
            let others = m.spread(neutral, &shape);
            m.select(self.is_there(rounds.count, &shape), values, others)
        };
        let all = m.reduce(name, values, neutral, &[0]);
        debug_assert_eq!(self.m.type_of(all).1, whole);
        Ok(vec![Form {
            ty: inits[0].ty.clone(),
            parts: vec![m.same(name, &[init, all])],
        }])
    }

    /// The one operation that a body applies to its two arguments, if they come in any order, and
    /// the element that changes nothing.
    fn combined(&self, op: Op<'c>) -> Option<(&'static str, String)> {
        let only = single_op(op.body(0)?)?;
        let def = lookup(only)?;
        let element = only.result_type(0).tensor()?.element.clone();
        Some((def.name, neutral_literal(def.combines?, &element)?))
    }
}
