//! The shape function of functions that are called by name.

use crate::library;
use crate::shape_function::{Found, Shapes, Size, SizeError, result_rank};
use mapwright_mlir::Op;

/// `custom_call`: its attribute names operands that are the shapes of its results.
pub(crate) fn called<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
    result: usize,
) -> Found<Vec<Size>> {
    let operands = library::shape_operands(op);
    let operands = operands.map_err(|violation| SizeError::Unknown(violation.message))?;
    match operands.get(result) {
        Some(operand) => shapes.elements(op, *operand, result_rank(op, result)?),
        None => Err(SizeError::Unknown(format!(
            "the run-time shape of '{}'",
            op.name()
        ))),
    }
}
