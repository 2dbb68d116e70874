//! Shape functions of operations whose elements come from nowhere.

use crate::shape_function::{Found, Shapes, Size, result_rank};
use mapwright_mlir::Op;

/// `dynamic_iota`: the elements of its operand.
pub(crate) fn dynamic_iota<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
    result: usize,
) -> Found<Vec<Size>> {
    shapes.elements(op, 0, result_rank(op, result)?)
}

/// `dynamic_rng_bit_generator`: the state keeps its sizes, those of the bits are the elements of the second operand.
pub(crate) fn dynamic_bits<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
    result: usize,
) -> Found<Vec<Size>> {
    match result {
        1 => shapes.elements(op, 1, result_rank(op, result)?),
        _ => shapes.operand(op, 0),
    }
}
