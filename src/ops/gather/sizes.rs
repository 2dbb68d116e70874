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

/// `gather`, and `dynamic_gather`, whose slice sizes are an operand: places in the indices, and in each a slice.
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
        .map(|d| match dims.offset_dims.contains(&d) {
            true => slices.next(),
            false => batch.next(),
        })
        .map(|size| size.unwrap_or(Size::Known(1)))
        .collect())
}

/// A slice is not larger than the operand.
pub(crate) fn gather_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let own = query.operand(0)?;
    let dims = GatherDimensions::decode(query.op)?;
    for (d, size) in own.into_iter().enumerate() {
        let window = slice(query, &dims, d)?;
        query.require_at_most(Size::Known(0), window)?;
        query.require_at_most(window, size)?;
    }
    Ok(Vec::new())
}

/// There is an update for each place in the indices.
pub(crate) fn scatter_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let count = query.op.num_operands() / 2;
    let dims = ScatterDimensions::decode(query.op)?;
    let indices = query.operand(count)?.into_iter().enumerate();
    let places: Vec<Size> = indices
        .filter(|(d, _)| *d as i64 != dims.index_vector_dim)
        .map(|(_, size)| size)
        .collect();
    let mut pairs = Vec::new();
    for i in 0..count {
        let update = query.operand(count + 1 + i)?;
        let outer = update.into_iter().enumerate();
        let outer = outer
            .filter(|(d, _)| !dims.update_window_dims.contains(&(*d as i64)))
            .map(|(_, size)| size);
        pairs.extend(outer.zip(places.iter().copied()));
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
