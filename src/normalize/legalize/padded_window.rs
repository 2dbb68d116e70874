//! Windows over padded dimensions of run-time size: over what is padded, so that every window is
//! within its operand.
//!
//! The padding of a window holds its initial value. Which windows reach into it depends on the
//! size, so that loops cannot be cut there.

use crate::make::{HloBuilder, tensor};
use mapwright_mlir::{Dim, Op, TensorType, Val, edit, op};
use mapwright_ops::{attrs::Window, window::WRITTEN_OUT};
use std::collections::HashMap;

/// A last dimension of fewer elements is not walked by vectors alone.
const VECTOR: i64 = 16;

/// The results, if windows reach over the ends of a dimension of run-time size.
pub(super) fn rewrite<'c>(m: &HloBuilder<'c>, window: Op<'c>) -> Option<Vec<Val<'c>>> {
    let count = window.num_results();
    if window.num_operands() != 2 * count || count == 0 {
        return None;
    }
    let first = tensor(window.operand(0))?;
    let of = Window::reduce_window(window, first.rank()).ok()?;
    let elements = of
        .size
        .iter()
        .try_fold(1i64, |n, size| n.checked_mul(*size));
    if elements.is_none_or(|n| n > WRITTEN_OUT) {
        return None;
    }
    let reaches = |k: usize| {
        let (low, high) = of.padding[k];
        first.dims[k] == Dim::Dynamic && of.base_dilation[k] == 1 && (low > 0 || high > 0)
    };
    if !(0..first.rank()).any(reaches) || is_looked_at(&first, &reaches) {
        return None;
    }
    let take = |of: &dyn Fn(usize) -> i64| -> Vec<i64> {
        let each = (0..first.rank()).map(|k| if reaches(k) { of(k) } else { 0 });
        each.collect()
    };
    let (low, high) = (take(&|k| of.padding[k].0), take(&|k| of.padding[k].1));
    let none = vec![0; first.rank()];
    let mut map = HashMap::new();
    for i in 0..count {
        let (operand, start) = (window.operand(i), window.operand(count + i));
        let own = tensor(operand)?;
        if tensor(start)?.element != own.element {
            return None;
        }
        // Equal operands are padded by what may be different values.
        let padded = m.pad_with(operand, start, [&low, &high, &none])?;
        if map.insert(op::key(operand), padded).is_some() {
            return None;
        }
    }
    let within = edit::clone(window, &map);
    let rest = (0..first.rank()).map(|k| if reaches(k) { (0, 0) } else { of.padding[k] });
    within.set_attribute("padding", m.pairs(rest));
    edit::insert_before(window, within);
    Some(within.results())
}

/// Tells whether loops outside of the vectors check that the elements of a window are there. That
/// is needed near the ends of a loop only.
fn is_looked_at(first: &TensorType, reaches: &dyn Fn(usize) -> bool) -> bool {
    let last = first.dims.last().and_then(|dim| dim.fixed());
    last.is_some_and(|n| n >= VECTOR) && !reaches(first.rank() - 1)
}
