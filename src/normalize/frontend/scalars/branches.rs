//! Branches of upstream's: `scf.if` that gives tensors, tensor arrays, or scalars, which are
//! tensors of rank 0.

use super::{target, tensor_of};
use mapwright_mlir::{Builder, Op, Val, ValueType, edit, melior::ir::ValueLike, op};

/// The operation.
pub(super) const IF: &str = "scf.if";

/// Tells whether `op` is an `scf.if` all of whose results are such values, or the end of one.
pub(super) fn is_known(op: Op<'_>) -> bool {
    let fits = |value: &Val<'_>| match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(_) | ValueType::Array { .. } | ValueType::Shape(_) => true,
        _ => tensor_of(value.r#type()).is_some(),
    };
    match op.name() {
        IF => op.num_results() > 0 && op.results().iter().all(fits),
        "scf.yield" => op.parent().is_some_and(is_known),
        _ => false,
    }
}

/// Makes it StableHLO's. Its operand and what its branches give are tensors by now.
pub(super) fn rewrite(op: Op<'_>) {
    let Some(b) = Builder::before(op.context(), op) else {
        return;
    };
    b.set_location(op.location());
    for block in (0..op.num_regions()).filter_map(|i| op.body(i)) {
        if let Some(end) = op::ops(block).pop()
            && let Some(b) = Builder::before(end.context(), end)
        {
            b.set_location(end.location());
            b.op("stablehlo.return", &end.operands(), &[], &[]);
            edit::erase_unused(end);
        }
    }
    let types: Vec<_> = (op.results().into_iter())
        .map(|value| target(value.r#type()))
        .collect();
    let regions = edit::take_regions(op);
    let new = b.op_with_regions("stablehlo.if", &op.operands(), &types, &[], regions);
    for (old, new) in op.results().into_iter().zip(new.results()) {
        op::replace_all_uses(old, new);
    }
    edit::erase_unused(op);
}
