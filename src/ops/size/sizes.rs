//! The shape function of a dimension that is given a size.

use crate::shape_function::{Found, Shapes, Size, axis};
use mapwright_mlir::Op;

/// `set_dimension_size`: the scalar operand says the size of one dimension.
pub(crate) fn set_dimension_size<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
    _: usize,
) -> Found<Vec<Size>> {
    let mut sizes = shapes.operand(op, 0)?;
    let d = axis(op, "dimension", &sizes)?;
    let size = shapes.element_of(op, 1, &[])?;
    sizes[d] = shapes.resized(sizes[d], size);
    Ok(sizes)
}

/// The size is one, and not beyond the one before.
pub(crate) fn resized_fits<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
) -> Found<Vec<(Size, Size)>> {
    let own = shapes.operand(op, 0)?;
    let d = axis(op, "dimension", &own)?;
    let size = shapes.element_of(op, 1, &[])?;
    shapes.require_at_most(Size::Known(0), size)?;
    shapes.require_at_most(size, own[d])?;
    Ok(Vec::new())
}
