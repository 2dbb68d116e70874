//! Shape functions of operations that rearrange or repeat elements.

use crate::attrs;
use crate::shape_function::{Found, Pairs, ShapeQuery, Size, SizeError, elements_of, tensor};

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
    let mut pairs = Vec::new();
    for (size, d) in own.into_iter().zip(dims) {
        let one = query.sub(size, Size::Known(1))?;
        let gap = query.sub(size, target[d])?;
        pairs.push((query.mul(one, gap)?, Size::Known(0)));
    }
    Ok(pairs)
}

/// `reshape` has at most one run-time size, which follows from the number of elements.
pub(crate) fn reshape(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let own = query.operand(0)?;
    let total = query.product(&own)?;
    let Some(ty) = tensor(query.op.result(query.result)) else {
        let reason = "reshape of something that is no tensor";
        return Err(SizeError::Unknown(reason.into()));
    };
    let known = ty.dims.iter().filter_map(|dim| dim.fixed());
    let known = known.fold(1i64, i64::saturating_mul);
    if ty.dims.iter().filter(|dim| dim.fixed().is_none()).count() > 1 {
        let reason = "a reshape to several run-time sizes";
        return Err(SizeError::Unknown(reason.into()));
    }
    let mut sizes = Vec::new();
    for dim in &ty.dims {
        sizes.push(match dim.fixed() {
            Some(n) => Size::Known(n),
            None => query.div(total, Size::Known(known.max(1)))?,
        });
    }
    Ok(sizes)
}

/// `dynamic_reshape`: the elements of the second operand, whose product is the number of elements.
pub(crate) fn dynamic_reshape(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let sizes = elements_of::<1>(query)?;
    let own = query.operand(0)?;
    let (from, to) = (query.product(&own)?, query.product(&sizes)?);
    query.require_equal(&[from], &[to])?;
    Ok(sizes)
}

/// `bitcast_convert`: narrower elements have a dimension of their own, wider ones take the last one up.
pub(crate) fn bitcast_convert(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let mut sizes = query.operand(0)?;
    let width = |value| tensor(value).and_then(|ty| ty.element.bit_width());
    let widths = width(query.op.operand(0)).zip(width(query.op.result(query.result)));
    match widths {
        Some((from, to)) if to < from => sizes.push(Size::Known(i64::from(from / to.max(1)))),
        Some((from, to)) if to > from => {
            sizes.pop();
        }
        _ => {}
    }
    Ok(sizes)
}
