//! The shape function of a dimension that is given a size.

use crate::shape_function::{Found, Pairs, ShapeQuery, Size, axis};

/// `set_dimension_size`: the scalar operand says the size of one dimension.
pub(crate) fn set_dimension_size(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let mut sizes = query.operand(0)?;
    let d = axis(query.op, "dimension", &sizes)?;
    let size = query.element_of(1, &[])?;
    sizes[d] = query.resized(sizes[d], size);
    Ok(sizes)
}

/// The size is one, and not beyond the one before.
pub(crate) fn resized_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let own = query.operand(0)?;
    let d = axis(query.op, "dimension", &own)?;
    let size = query.element_of(1, &[])?;
    query.require_at_most(Size::Known(0), size)?;
    query.require_at_most(size, own[d])?;
    Ok(Vec::new())
}
