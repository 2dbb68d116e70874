//! The shape function of functions that are called by name.

use crate::library;
use crate::shape_function::{Found, ShapeQuery, Size, SizeError};

/// `custom_call`: its attribute names operands that are the shapes of its results.
pub(crate) fn called(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let operands = library::shape_operands(query.op);
    let operands = operands.map_err(|violation| SizeError::Unknown(violation.message))?;
    match operands.get(query.result) {
        Some(operand) => query.elements(*operand, query.rank()?),
        None => Err(query.unknown()),
    }
}
