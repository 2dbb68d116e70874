//! Shape functions of tensors that are put together.

use crate::attrs::Pad;
use crate::shape_function::{Found, Shapes, Size, axis, each};
use mapwright_mlir::Op;

/// `low + size + (size - 1) interior + high`.
fn padded(
    shapes: &mut dyn Shapes<'_>,
    size: Size,
    [low, high, interior]: [Size; 3],
) -> Found<Size> {
    let gaps = shapes.sub(size, Size::Known(1))?;
    let gaps = shapes.max(gaps, Size::Known(0))?;
    let gaps = shapes.mul(gaps, interior)?;
    let total = shapes.add(low, size)?;
    let total = shapes.add(total, gaps)?;
    let total = shapes.add(total, high)?;
    shapes.not_negative(total)
}

/// `pad`.
pub(crate) fn pad<'c>(shapes: &mut dyn Shapes<'c>, op: Op<'c>, _: usize) -> Found<Vec<Size>> {
    let own = shapes.operand(op, 0)?;
    let pad = Pad::decode(op, own.len())?;
    each(own.len(), |d| {
        let amounts = [pad.low[d], pad.high[d], pad.interior[d]].map(Size::Known);
        padded(shapes, own[d], amounts)
    })
}

/// `dynamic_pad`: amounts are operands.
pub(crate) fn dynamic_pad<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
    _: usize,
) -> Found<Vec<Size>> {
    let own = shapes.operand(op, 0)?;
    each(own.len(), |d| {
        let mut part = |i: usize| shapes.element_of(op, i, &[d as i64]);
        let amounts = [part(2)?, part(3)?, part(4)?];
        padded(shapes, own[d], amounts)
    })
}

/// Interior padding is not negative.
pub(crate) fn dynamic_pad_grows<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
) -> Found<Vec<(Size, Size)>> {
    for d in 0..shapes.operand(op, 0)?.len() as i64 {
        let interior = shapes.element_of(op, 4, &[d])?;
        shapes.require_at_most(Size::Known(0), interior)?;
    }
    Ok(Vec::new())
}

/// `concatenate`: sizes along the dimension add up.
pub(crate) fn concatenate<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
    _: usize,
) -> Found<Vec<Size>> {
    let mut sizes = shapes.operand(op, 0)?;
    let along = axis(op, "dimension", &sizes)?;
    for i in 1..op.num_operands() {
        let other = shapes.operand(op, i)?;
        sizes = each(sizes.len().min(other.len()), |d| match d == along {
            true => shapes.add(sizes[d], other[d]),
            false => Ok(shapes.merge(sizes[d], other[d])),
        })?;
    }
    Ok(sizes)
}

/// All others are the same.
pub(crate) fn concatenate_fits<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
) -> Found<Vec<(Size, Size)>> {
    let first = shapes.operand(op, 0)?;
    let along = axis(op, "dimension", &first)?;
    let mut pairs = Vec::new();
    for i in 1..op.num_operands() {
        let other = shapes.operand(op, i)?;
        let beside = first.iter().copied().zip(other).enumerate();
        pairs.extend(beside.filter(|(d, _)| *d != along).map(|(_, pair)| pair));
    }
    Ok(pairs)
}
