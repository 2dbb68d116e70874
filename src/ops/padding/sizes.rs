//! Shape functions of tensors that are put together.

use crate::attrs::Pad;
use crate::shape_function::{Found, Pairs, ShapeQuery, Size, axis, each};

/// `low + size + (size - 1) interior + high`.
fn padded(
    query: &mut ShapeQuery<'_, '_>,
    size: Size,
    [low, high, interior]: [Size; 3],
) -> Found<Size> {
    let gaps = query.sub(size, Size::Known(1))?;
    let gaps = query.max(gaps, Size::Known(0))?;
    let gaps = query.mul(gaps, interior)?;
    let total = query.add(low, size)?;
    let total = query.add(total, gaps)?;
    let total = query.add(total, high)?;
    match [low, high] {
        // Nothing is taken away.
        [Size::Known(0..), Size::Known(0..)] => Ok(total),
        _ => query.not_negative(total),
    }
}

/// `pad`.
pub(crate) fn pad(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let own = query.operand(0)?;
    let pad = Pad::decode(query.op, own.len())?;
    each(own.len(), |d| {
        let amounts = [pad.low[d], pad.high[d], pad.interior[d]].map(Size::Known);
        padded(query, own[d], amounts)
    })
}

/// `dynamic_pad`: amounts are operands.
pub(crate) fn dynamic_pad(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let own = query.operand(0)?;
    each(own.len(), |d| {
        let mut part = |i: usize| query.element_of(i, &[d as i64]);
        let amounts = [part(2)?, part(3)?, part(4)?];
        padded(query, own[d], amounts)
    })
}

/// Interior padding is not negative.
pub(crate) fn dynamic_pad_grows(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    for d in 0..query.operand(0)?.len() as i64 {
        let interior = query.element_of(4, &[d])?;
        query.require_at_most(Size::Known(0), interior)?;
    }
    Ok(Vec::new())
}

/// `concatenate`: sizes along the dimension add up.
pub(crate) fn concatenate(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let mut sizes = query.operand(0)?;
    let along = axis(query.op, "dimension", &sizes)?;
    for i in 1..query.op.num_operands() {
        let other = query.operand(i)?;
        sizes = each(sizes.len().min(other.len()), |d| {
            if d == along {
                query.add(sizes[d], other[d])
            } else {
                Ok(query.merge(sizes[d], other[d]))
            }
        })?;
    }
    Ok(sizes)
}

/// All others are the same.
pub(crate) fn concatenate_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let first = query.operand(0)?;
    let along = axis(query.op, "dimension", &first)?;
    let mut pairs = Vec::new();
    for i in 1..query.op.num_operands() {
        let other = query.operand(i)?;
        let beside = first.iter().copied().zip(other).enumerate();
        pairs.extend(beside.filter(|(d, _)| *d != along).map(|(_, pair)| pair));
    }
    Ok(pairs)
}
