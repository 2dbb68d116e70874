//! Shape functions of slices.

use crate::attrs::{self, Slice};
use crate::shape_function::{Found, Shapes, Size, each, result_rank};
use mapwright_mlir::Op;

/// `slice`: a bounded dimension is taken whole or cut at its limit.
pub(crate) fn slice<'c>(shapes: &mut dyn Shapes<'c>, op: Op<'c>, _: usize) -> Found<Vec<Size>> {
    let own = shapes.operand(op, 0)?;
    let slice = Slice::decode(op, own.len())?;
    each(own.len(), |d| {
        let limit = shapes.below(own[d], slice.limit[d]);
        let span = shapes.sub(limit, Size::Known(slice.start[d]))?;
        let span = shapes.add(span, Size::Known(slice.stride[d] - 1))?;
        let span = shapes.max(span, Size::Known(0))?;
        shapes.div(span, Size::Known(slice.stride[d]))
    })
}

/// `dynamic_slice`: an attribute says it.
pub(crate) fn dynamic_slice<'c>(_: &mut dyn Shapes<'c>, op: Op<'c>, _: usize) -> Found<Vec<Size>> {
    let sizes = attrs::ints(op, "slice_sizes")?;
    Ok(sizes.into_iter().map(Size::Known).collect())
}

/// A slice is not larger than what it is of.
pub(crate) fn dynamic_slice_fits<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
) -> Found<Vec<(Size, Size)>> {
    let own = shapes.operand(op, 0)?;
    let window = attrs::dynamic_slice_sizes(op, own.len())?;
    for (size, window) in own.into_iter().zip(window) {
        shapes.require_at_most(Size::Known(window), size)?;
    }
    Ok(Vec::new())
}

/// An update is not larger than what it changes.
pub(crate) fn update_fits<'c>(shapes: &mut dyn Shapes<'c>, op: Op<'c>) -> Found<Vec<(Size, Size)>> {
    let (own, update) = (shapes.operand(op, 0)?, shapes.operand(op, 1)?);
    for (size, update) in own.into_iter().zip(update) {
        shapes.require_at_most(update, size)?;
    }
    Ok(Vec::new())
}

/// `real_dynamic_slice`: starts, limits and strides are operands.
pub(crate) fn real_dynamic_slice<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
    result: usize,
) -> Found<Vec<Size>> {
    let own = shapes.operand(op, 0)?;
    each(result_rank(op, result)?.min(own.len()), |d| {
        let mut part = |i: usize| shapes.element_of(op, i, &[d as i64]);
        let (start, limit, stride) = (part(1)?, part(2)?, part(3)?);
        shapes.require_at_most(Size::Known(0), start)?;
        shapes.require_at_most(limit, own[d])?;
        shapes.require_at_most(Size::Known(1), stride)?;
        let span = shapes.sub(limit, start)?;
        let span = shapes.add(span, stride)?;
        let span = shapes.sub(span, Size::Known(1))?;
        let span = shapes.max(span, Size::Known(0))?;
        shapes.div(span, stride)
    })
}
