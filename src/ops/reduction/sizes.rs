//! The shape function of reductions.

use crate::attrs;
use crate::shape_function::{Found, Shapes, Size, same_sizes};
use mapwright_mlir::Op;

/// The inputs of a variadic reduction, that of the result first.
pub(crate) fn inputs(count: usize, result: usize) -> Vec<usize> {
    let others = (0..count).filter(|i| *i != result);
    std::iter::once(result).chain(others).collect()
}

/// `reduce`: the dimensions that are not reduced.
pub(crate) fn reduce<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
    result: usize,
) -> Found<Vec<Size>> {
    let own = shapes.common(op, &inputs(op.num_operands() / 2, result))?;
    let reduced = attrs::dimensions(op, own.len())?;
    let kept = own.into_iter().enumerate();
    Ok(kept
        .filter(|(d, _)| !reduced.contains(d))
        .map(|(_, size)| size)
        .collect())
}

/// Inputs have the same sizes; as many initial values follow them.
pub(crate) fn inputs_fit<'c>(shapes: &mut dyn Shapes<'c>, op: Op<'c>) -> Found<Vec<(Size, Size)>> {
    same_sizes(shapes, op, op.num_operands() / 2)
}
