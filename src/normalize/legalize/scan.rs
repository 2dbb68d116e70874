//! Prefix reductions from the end of a dimension (`reduce_window` over everything behind an
//! element) as those from its beginning, of the reversed operand: there is fast code for these.

use crate::make::HloBuilder;
use mapwright_mlir::{Op, Val, edit, op};
use mapwright_ops::window::prefix;
use std::collections::HashMap;

/// The results, if it is such a reduction.
pub(super) fn rewrite<'c>(m: &HloBuilder<'c>, window: Op<'c>) -> Option<Vec<Val<'c>>> {
    if window.num_operands() != 2 {
        return None;
    }
    let (axis, true) = prefix::of_op(window)? else {
        return None;
    };
    let shape = mapwright_mlir::op::static_shape(window.result(0))?;
    let size = shape.get(axis).copied().flatten()?;
    let reversed = m.reverse(window.operand(0), &[axis as i64]);
    let map = HashMap::from([(op::key(window.operand(0)), reversed)]);
    let forward = edit::clone(window, &map);
    let padding = (0..shape.len()).map(|i| if i == axis { (size - 1, 0) } else { (0, 0) });
    forward.set_attribute("padding", m.pairs(padding));
    edit::insert_before(window, forward);
    swap_arguments(forward);
    Some(vec![m.reverse(forward.result(0), &[axis as i64])])
}

/// Elements come in the other order: what was on the left is on the right.
fn swap_arguments(window: Op<'_>) {
    let arguments = window.body(0).map(op::arguments).unwrap_or_default();
    let [left, right] = arguments.as_slice() else {
        return;
    };
    let (of_left, of_right) = (op::uses(*left), op::uses(*right));
    for (uses, with) in [(of_left, *right), (of_right, *left)] {
        for (user, i) in uses {
            edit::set_operand(user, i, with);
        }
    }
}
