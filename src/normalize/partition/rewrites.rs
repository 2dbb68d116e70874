//! Operations that are written otherwise before they are divided, as those of every part of a
//! dimension: what they are then, indexing maps say.

use super::{halos, parts, program::Body};
use crate::make::tensor;
use mapwright_mlir::{Op, Val, op};
use mapwright_sharding::propagate::{Plans, Propagation};

/// Tells whether there are rewritings for an operation.
pub(super) fn is_rewritten(op: Op<'_>) -> bool {
    ["gather", "scatter", "convolution", "reduce_window"].contains(&op.short_name())
}

/// Tells whether there are quantized elements: their zero is not the number zero, and their scales
/// may belong to a dimension.
fn has_scales(op: Op<'_>) -> bool {
    let mut values = op.operands().into_iter().chain(op.results());
    values.any(|value| tensor(value).is_some_and(|ty| ty.element.is_quantized()))
}

/// Rewrites the operations of a program for which less is sent so. The values that stand for those
/// that are gone, which have only their keys.
pub(super) fn rewrite<'c>(
    body: &Body<'c>,
    found: &Propagation,
    plans: &mut Plans,
) -> Vec<(usize, Val<'c>)> {
    let mut made = Vec::new();
    for (number, op) in body.operations.iter().enumerate() {
        if !is_rewritten(*op) || op.num_results() != 1 || has_scales(*op) {
            continue;
        }
        let mut all = found.communications.iter();
        let moved = all.find(|moved| {
            let is_here = moved.operation == number && !moved.after;
            is_here && body.values[moved.value] == op.operand(0)
        });
        let gone = op::key(op.result(0));
        let new = match (op.short_name(), moved) {
            ("gather", Some(moved)) => parts::read(body, found, moved, *op, plans),
            ("scatter", _) => parts::update(body, found, *op),
            (_, Some(moved)) => halos::rewrite(body, moved, *op),
            _ => None,
        };
        made.extend(new.map(|new| (gone, new)));
    }
    made
}
