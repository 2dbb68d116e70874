//! Shape functions of gathers and scatters.

use crate::attrs::{self, GatherDimensions, ScatterDimensions};
use crate::shape_function::{Found, Pairs, ShapeQuery, Size, SizeError, axis, tensor};

/// The size of a slice in dimension `d` of the operand.
fn slice(query: &mut ShapeQuery<'_, '_>, dims: &GatherDimensions, d: usize) -> Found<Size> {
    match &dims.slice_sizes {
        Some(sizes) => {
            let missing = || SizeError::Unknown(format!("the slice size {d} is missing"));
            sizes.get(d).copied().map(Size::Known).ok_or_else(missing)
        }
        None => query.element_of(2, &[d as i64]),
    }
}

/// `gather`, and `dynamic_gather`, whose slice sizes are an operand: places in the indices, and in
/// each a slice.
pub(crate) fn gather(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let dims = GatherDimensions::decode(query.op)?;
    let indices = query.operand(1)?;
    let own = query.op.operands().first().and_then(|value| tensor(*value));
    let own = own.map_or(0, |ty| ty.rank());
    let batch: Vec<Size> = indices
        .into_iter()
        .enumerate()
        .filter(|(d, _)| *d as i64 != dims.index_vector_dim)
        .map(|(_, size)| size)
        .collect();
    let rank = batch.len() + dims.offset_dims.len();
    let mut slices = Vec::new();
    for d in 0..own {
        let at = d as i64;
        if !dims.collapsed_slice_dims.contains(&at) && !dims.operand_batching_dims.contains(&at) {
            slices.push(slice(query, &dims, d)?);
        }
    }
    let (mut batch, mut slices) = (batch.into_iter(), slices.into_iter());
    Ok((0..rank as i64)
        .map(|d| {
            if dims.offset_dims.contains(&d) {
                slices.next()
            } else {
                batch.next()
            }
        })
        .map(|size| size.unwrap_or(Size::Known(1)))
        .collect())
}

/// An index vector of `indices` has an element for each dimension of the operand that it says the
/// place in; what is gone through beside the operand, in the dimensions of `batching` (of the
/// operand, of the indices), is as long there.
fn places_fit(
    own: &[Size],
    indices: &[Size],
    vector: (i64, usize),
    batching: [&[i64]; 2],
) -> Pairs {
    let at = |sizes: &[Size], d: i64| usize::try_from(d).ok().and_then(|d| sizes.get(d).copied());
    let (dimension, elements) = vector;
    let length = at(indices, dimension).map(|size| (size, Size::Known(elements as i64)));
    let [ours, theirs] = batching;
    let beside = ours.iter().zip(theirs);
    let beside = beside.filter_map(|(a, b)| Some((at(own, *a)?, at(indices, *b)?)));
    length.into_iter().chain(beside).collect()
}

/// A slice is not larger than the operand, and there is one of what has no dimension of the result;
/// places fit ([`places_fit`]).
pub(crate) fn gather_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let (own, indices) = (query.operand(0)?, query.operand(1)?);
    let dims = GatherDimensions::decode(query.op)?;
    for (d, size) in own.iter().enumerate() {
        let window = slice(query, &dims, d)?;
        query.require_at_most(Size::Known(0), window)?;
        query.require_at_most(window, *size)?;
        let at = d as i64;
        if dims.collapsed_slice_dims.contains(&at) || dims.operand_batching_dims.contains(&at) {
            query.require_at_most(window, Size::Known(1))?;
        }
    }
    Ok(places_fit(
        &own,
        &indices,
        (dims.index_vector_dim, dims.start_index_map.len()),
        [
            &dims.operand_batching_dims,
            &dims.start_indices_batching_dims,
        ],
    ))
}

/// There is an update for each place in the indices, whose windows are not larger than the inputs;
/// all inputs have one shape, and all updates; places fit ([`places_fit`]).
pub(crate) fn scatter_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let count = query.op.num_operands() / 2;
    let dims = ScatterDimensions::decode(query.op)?;
    let (own, indices) = (query.operand(0)?, query.operand(count)?);
    let mut pairs = places_fit(
        &own,
        &indices,
        (
            dims.index_vector_dim,
            dims.scatter_dims_to_operand_dims.len(),
        ),
        [
            &dims.input_batching_dims,
            &dims.scatter_indices_batching_dims,
        ],
    );
    let kept =
        |d: i64| !dims.inserted_window_dims.contains(&d) && !dims.input_batching_dims.contains(&d);
    let mut windows = (0..).zip(&own).filter(|(d, _)| kept(*d));
    let mut places = (0..)
        .zip(indices)
        .filter(|(d, _)| *d != dims.index_vector_dim);
    let update = query.operand(count + 1)?;
    for (d, size) in (0..).zip(&update) {
        if !dims.update_window_dims.contains(&d) {
            pairs.extend(places.next().map(|(_, place)| (*size, place)));
        } else if let Some((_, window)) = windows.next() {
            query.require_at_most(*size, *window)?;
        }
    }
    for i in 1..count {
        pairs.extend(own.iter().copied().zip(query.operand(i)?));
        pairs.extend(update.iter().copied().zip(query.operand(count + 1 + i)?));
    }
    Ok(pairs)
}

/// `torch_index_select`: the places in the indices stand where the dimension was.
pub(crate) fn torch_index_select(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let (mut own, indices) = (query.operand(0)?, query.operand(1)?);
    let at = axis(query.op, "dim", &own)?;
    let batch = usize::try_from(attrs::int_or(query.op, "batch_dims", 0)?).unwrap_or(0);
    own.splice(at..=at, indices.into_iter().skip(batch));
    Ok(own)
}

/// The dimensions in which places are chosen for each index have its size.
pub(crate) fn torch_index_select_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let (own, indices) = (query.operand(0)?, query.operand(1)?);
    let batch = usize::try_from(attrs::int_or(query.op, "batch_dims", 0)?).unwrap_or(0);
    Ok(own.into_iter().zip(indices).take(batch).collect())
}
