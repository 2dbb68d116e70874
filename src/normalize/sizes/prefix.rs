//! Windows over all elements up to one, along a dimension of run-time size: what JAX makes of
//! cumulative sums.

use super::{Sizes, tensor};
use crate::make::HloBuilder;
use crate::size_annotations::PREFIX;
use mapwright_indexing::Extent;
use mapwright_mlir::{Builder, Op, Val, edit, op};
use mapwright_ops::attrs;
use mapwright_ops::registry::combines;
use std::collections::HashMap;

/// Among the operands of a window over one tensor.
const PADDING: usize = 6;

impl Sizes {
    /// Notes that `op` is a prefix reduction, if it is one: then its result has the sizes of its
    /// operand. One that goes from the end becomes one from the beginning, of the reversed operand,
    /// for which there is fast code; nothing uses `op` then, which is returned.
    pub(super) fn note_prefix<'c>(&mut self, b: &Builder<'c>, op: Op<'c>) -> Option<Op<'c>> {
        let (axis, reverse) = self.visit_prefix(op)?;
        let sizes = self.of_value(op.operand(0));
        let note = |op: Op<'c>, reverse: bool| {
            op.set_attribute(PREFIX, b.i64_array(&[axis as i64, i64::from(reverse)]));
        };
        // Elements come in the other order, which does not matter to these.
        if !reverse || !attrs::computation(op, 0).is_some_and(combines) {
            note(op, reverse);
            return None;
        }
        let b = HloBuilder::before(op)?;
        let turned = |value: Val<'c>, dim: usize| b.reverse(value, &[dim as i64]);
        let operand = turned(op.operand(0), axis);
        let padding = turned(op.operand(PADDING), 1);
        let map = HashMap::from([
            (op::key(op.operand(0)), operand),
            (op::key(op.operand(PADDING)), padding),
        ]);
        let forward = edit::clone(op, &map);
        edit::insert_before(op, forward);
        note(forward, false);
        let result = turned(forward.result(0), axis);
        for value in [operand, forward.result(0), result] {
            self.of.insert(op::key(value), sizes.clone());
        }
        op::replace_all_uses(op.result(0), result);
        Some(op)
    }

    /// The result of a prefix reduction has the sizes of its operand.
    pub(super) fn visit_prefix(&mut self, op: Op<'_>) -> Option<(usize, bool)> {
        if attrs::name(op) != "dynamic_reduce_window" {
            return None;
        }
        let found = self.prefix(op)?;
        let sizes = self.of_value(op.operand(0));
        self.of.insert(op::key(op.result(0)), sizes);
        Some(found)
    }

    fn prefix(&mut self, op: Op<'_>) -> Option<(usize, bool)> {
        if attrs::window_inputs(op).ok()? != 1 || op.num_results() != 1 {
            return None;
        }
        let own = self.of_value(op.operand(0));
        let own: Vec<Extent> = own.into_iter().map(|size| self.resolve(size)).collect();
        let rank = own.len();
        for operand in 3..6 {
            if self.list(op, operand, rank).iter().any(|size| *size != 1) {
                return None;
            }
        }
        let window = self.list(op, 2, rank);
        let padding = self.list(op, PADDING, 2 * rank);
        // Windows of one element along all other dimensions. A dimension of one element could be
        // any of them.
        let mut along = (0..rank).filter(|d| window[*d] != 1);
        let axis = along.next()?;
        let rest = own[axis] - 1;
        let reverse = match (&padding[2 * axis], &padding[2 * axis + 1]) {
            (low, high) if *low == rest && *high == 0 => false,
            (low, high) if *low == 0 && *high == rest => true,
            _ => return None,
        };
        let mut others = (0..rank).filter(|d| *d != axis);
        let still = others.all(|d| padding[2 * d] == 0 && padding[2 * d + 1] == 0);
        (along.next().is_none() && window[axis] == own[axis] && still).then_some((axis, reverse))
    }

    /// The first `count` elements of an operand.
    pub(super) fn list(&mut self, op: Op<'_>, operand: usize, count: usize) -> Vec<Extent> {
        let mut found = Vec::with_capacity(count);
        for at in 0..count as i64 {
            let element = self.position(op.operand(operand), at);
            found.push(self.resolve(element));
        }
        found
    }

    /// The element number `at`, in row-major order, of an integer tensor.
    fn position(&mut self, value: Val<'_>, at: i64) -> Extent {
        let shape = tensor(value).and_then(|ty| ty.static_shape());
        let shape = shape.unwrap_or_default();
        let mut index = vec![0; shape.len()];
        let mut rest = at;
        for (i, n) in index.iter_mut().zip(&shape).rev() {
            let n = (*n).max(1);
            (*i, rest) = (rest % n, rest / n);
        }
        self.number(value, &index)
    }
}
