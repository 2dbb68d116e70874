//! Shape functions of slices.

use crate::attrs::{self, Slice};
use crate::shape_function::{Found, Pairs, ShapeQuery, Size, each};

/// `slice`: a bounded dimension is taken whole or cut at its limit.
pub(crate) fn slice(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let own = query.operand(0)?;
    let slice = Slice::decode(query.op, own.len())?;
    each(own.len(), |d| {
        let limit = query.below(own[d], slice.limit[d]);
        let span = query.sub(limit, Size::Known(slice.start[d]))?;
        let span = query.add(span, Size::Known(slice.stride[d] - 1))?;
        let span = query.max(span, Size::Known(0))?;
        query.div(span, Size::Known(slice.stride[d]))
    })
}

/// `dynamic_slice`: an attribute says it.
pub(crate) fn dynamic_slice(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let sizes = attrs::ints(query.op, "slice_sizes")?;
    Ok(sizes.into_iter().map(Size::Known).collect())
}

/// A slice is not larger than what it is of.
pub(crate) fn dynamic_slice_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let own = query.operand(0)?;
    let window = attrs::dynamic_slice_sizes(query.op, own.len())?;
    for (size, window) in own.into_iter().zip(window) {
        query.require_at_most(Size::Known(window), size)?;
    }
    Ok(Vec::new())
}

/// An update is not larger than what it changes.
pub(crate) fn update_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let (own, update) = (query.operand(0)?, query.operand(1)?);
    for (size, update) in own.into_iter().zip(update) {
        query.require_at_most(update, size)?;
    }
    Ok(Vec::new())
}

/// `real_dynamic_slice`: starts, limits and strides are operands.
pub(crate) fn real_dynamic_slice(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let own = query.operand(0)?;
    each(query.rank()?.min(own.len()), |d| {
        let mut part = |i: usize| query.element_of(i, &[d as i64]);
        let (start, limit, stride) = (part(1)?, part(2)?, part(3)?);
        query.require_at_most(Size::Known(0), start)?;
        query.require_at_most(limit, own[d])?;
        query.require_at_most(Size::Known(1), stride)?;
        let span = query.sub(limit, start)?;
        let span = query.add(span, stride)?;
        let span = query.sub(span, Size::Known(1))?;
        let span = query.max(span, Size::Known(0))?;
        query.div(span, stride)
    })
}
