//! Shape functions of operations that rearrange or repeat elements.

use crate::attrs;
use crate::shape_function::{Found, Pairs, ShapeQuery, Size, SizeError, elements_of, tensor};
use mapwright_mlir::Dim;

/// `transpose`: dimension `i` of the result is dimension `permutation[i]` of the operand.
pub(crate) fn transpose(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let own = query.operand(0)?;
    let permutation = attrs::permutation(query.op, own.len())?;
    Ok(permutation.into_iter().map(|d| own[d]).collect())
}

/// `broadcast_in_dim`: the type says every size but a bounded one, which the operand has.
pub(crate) fn broadcast_in_dim(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let own = query.operand(0)?;
    let rank = query.rank()?;
    let dims = attrs::broadcast_dimensions(query.op, own.len(), rank)?;
    let mut sizes = vec![Size::Known(1); rank];
    for (d, size) in dims.into_iter().zip(own) {
        sizes[d] = size;
    }
    Ok(sizes)
}

/// `broadcast`: new dimensions go in front.
pub(crate) fn broadcast(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let own = query.operand(0)?;
    let front = attrs::ints(query.op, "broadcast_sizes")?;
    Ok(front.into_iter().map(Size::Known).chain(own).collect())
}

/// A dimension that is carried over is 1, or has the size of the result.
pub(crate) fn dynamic_broadcast_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let own = query.operand(0)?;
    let target = elements_of::<1>(query)?;
    let dims = attrs::broadcast_dimensions(query.op, own.len(), target.len())?;
    let pairs = own.into_iter().zip(dims);
    pairs
        .map(|(size, d)| one_or(query, size, target[d]))
        .collect()
}

/// `size` is 1 or `target`, as a pair.
fn one_or(query: &mut ShapeQuery<'_, '_>, size: Size, target: Size) -> Found<(Size, Size)> {
    let one = query.sub(size, Size::Known(1))?;
    let gap = query.sub(size, target)?;
    Ok((query.mul(one, gap)?, Size::Known(0)))
}

/// A dimension that is carried over is 1, or has the size that the type of the result says.
pub(crate) fn broadcast_in_dim_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let own = query.operand(0)?;
    let target = declared(query)?;
    let dims = attrs::broadcast_dimensions(query.op, own.len(), target.len())?;
    let pairs = own.into_iter().zip(dims);
    let pairs = pairs.filter_map(|(size, d)| Some((size, Size::Known(target[d].fixed()?))));
    pairs
        .map(|(size, target)| one_or(query, size, target))
        .collect()
}

/// Returns the sizes that the type of the result states.
fn declared(query: &ShapeQuery<'_, '_>) -> Found<Vec<Dim>> {
    let ty = tensor(query.op.result(query.result));
    let missing = || SizeError::Unknown("the result is no tensor".into());
    Ok(ty.ok_or_else(missing)?.dims)
}

/// `reshape` has at most one run-time size, which follows from the number of elements.
pub(crate) fn reshape(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let own = query.operand(0)?;
    let total = query.product(&own)?;
    let dims = declared(query)?;
    let known = dims.iter().filter_map(|dim| dim.fixed());
    let known = known.fold(1i64, i64::saturating_mul);
    if dims.iter().filter(|dim| dim.fixed().is_none()).count() > 1 {
        let reason = "a reshape to several run-time sizes";
        return Err(SizeError::Unknown(reason.into()));
    }
    let mut sizes = Vec::new();
    for dim in &dims {
        sizes.push(match dim.fixed() {
            Some(n) => Size::Known(n),
            None => query.div(total, Size::Known(known.max(1)))?,
        });
    }
    Ok(sizes)
}

/// The result has an element for each of the operand. A size that follows from their number is
/// rounded down, and none may be left over.
pub(crate) fn reshape_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let open = declared(query)?
        .iter()
        .filter(|dim| dim.fixed().is_none())
        .count();
    if open > 1 {
        return Ok(Vec::new());
    }
    let own = query.operand(0)?;
    let sizes = reshape(query)?;
    let (from, to) = (query.product(&own)?, query.product(&sizes)?);
    if open == 1 {
        query.require_at_most(from, to)?;
        return Ok(Vec::new());
    }
    Ok(vec![(from, to)])
}

/// `dynamic_reshape`: the elements of the second operand, whose product is the number of elements.
pub(crate) fn dynamic_reshape(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let sizes = elements_of::<1>(query)?;
    let own = query.operand(0)?;
    let (from, to) = (query.product(&own)?, query.product(&sizes)?);
    query.require_equal(&[from], &[to])?;
    Ok(sizes)
}

/// The widths of elements of the operand and of the result.
fn widths(query: &ShapeQuery<'_, '_>) -> Option<(u32, u32)> {
    let width = |value| tensor(value).and_then(|ty| ty.element.bit_width());
    width(query.op.operand(0)).zip(width(query.op.result(query.result)))
}

/// The dimension that wider elements take up has as many as one of them is made of.
pub(crate) fn bitcast_convert_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let last = query.operand(0)?.pop();
    Ok(match (widths(query), last) {
        (Some((from, to)), Some(last)) if to > from => {
            vec![(last, Size::Known(i64::from(to / from.max(1))))]
        }
        _ => Vec::new(),
    })
}

/// `bitcast_convert`: narrower elements have a dimension of their own, wider ones take the last one
/// up.
pub(crate) fn bitcast_convert(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let mut sizes = query.operand(0)?;
    match widths(query) {
        Some((from, to)) if to < from => sizes.push(Size::Known(i64::from(from / to.max(1)))),
        Some((from, to)) if to > from => {
            sizes.pop();
        }
        _ => {}
    }
    Ok(sizes)
}
