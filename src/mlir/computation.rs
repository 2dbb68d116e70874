//! Computations: regions of scalar code that say what an operation does with elements, such as the
//! sum of a `reduce`.

use crate::{Blk, Op, Val, op};
use std::collections::HashSet;

/// Values that the regions of `op` use from outside, each as often as they do.
pub fn captured<'c>(op: Op<'c>) -> Vec<Val<'c>> {
    let mut values = Vec::new();
    if op.num_regions() == 0 {
        return values;
    }
    let inside = op.descendants();
    let mut own: HashSet<usize> = HashSet::new();
    for inner in std::iter::once(op).chain(inside.iter().copied()) {
        if inner != op {
            own.extend(inner.results().into_iter().map(op::key));
        }
        for r in 0..inner.num_regions() {
            for block in op::blocks(inner.region(r)) {
                own.extend(op::arguments(block).into_iter().map(op::key));
            }
        }
    }
    for inner in inside {
        let operands = inner.operands().into_iter();
        values.extend(operands.filter(|v| !own.contains(&op::key(*v))));
    }
    values
}

/// Values that `op` and everything inside it use from outside.
pub fn used<'c>(op: Op<'c>) -> Vec<Val<'c>> {
    let mut values = op.operands();
    values.extend(captured(op));
    values
}

/// Values that operations of one block read and do not define, each once, in the order of their
/// first use.
pub fn used_from_outside<'c>(ops: impl Iterator<Item = Op<'c>> + Clone) -> Vec<Val<'c>> {
    let defined: HashSet<usize> = ops.clone().flat_map(Op::results).map(op::key).collect();
    let mut seen = HashSet::new();
    let mut values: Vec<Val<'c>> = ops.flat_map(used).collect();
    values.retain(|value| !defined.contains(&op::key(*value)) && seen.insert(op::key(*value)));
    values
}

/// The one operation that a computation of two arguments applies to them, in either order, and
/// whose result it returns: `add` for the usual sum.
pub fn single_op<'c>(block: Blk<'c>) -> Option<Op<'c>> {
    let ops = op::ops(block);
    let [only, last] = ops.as_slice() else {
        return None;
    };
    let arguments: Vec<usize> = op::arguments(block).into_iter().map(op::key).collect();
    let [a, b] = arguments[..] else {
        return None;
    };
    let operands: Vec<usize> = only.operands().into_iter().map(op::key).collect();
    let both = operands == [a, b] || operands == [b, a];
    let returns = only.num_results() == 1
        && last.num_operands() == 1
        && op::key(last.operand(0)) == op::key(only.result(0));
    (both && returns).then_some(*only)
}
