//! Elements read at computed places: `gather`, `dynamic_slice`, `dynamic_update_slice`.

use super::body::{Body, tensor, tensor_element};
use super::shape::{bad, conditional, index_element};
use crate::{
    error::Result,
    index::{Ix, Truth},
    storage::Elem,
};
use mapwright_mlir::{Builder, CmpI, Op};
use mapwright_ops::attrs::{self, GatherDimensions};

/// The element of `op` at `index`, if `op` is of this family.
pub(crate) fn element<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    index: &[Ix<'c>],
) -> Result<Option<Elem<'c>>> {
    Ok(Some(match op.short_name() {
        "gather" | "dynamic_gather" => {
            let dims = GatherDimensions::decode(op).map_err(bad)?;
            gather(b, body, op, index, &dims)?
        }
        "torch_index_select" => {
            let operand = tensor(op.operand(0))?;
            let rank = tensor(op.operand(1))?.rank();
            // The sizes of the slices matter along the selected dimension alone, where they are 1.
            let shape: Vec<i64> = operand
                .dims
                .iter()
                .map(|d| d.fixed().or(d.bound()).unwrap_or(0))
                .collect();
            let dims = GatherDimensions::torch_index_select(op, &shape, rank).map_err(bad)?;
            gather(b, body, op, index, &dims)?
        }
        "dynamic_slice" => {
            let sizes = body.sizes(b, op.operand(0))?;
            let mut at = Vec::new();
            for (d, size) in sizes.iter().enumerate() {
                let window = attrs::dynamic_slice_sizes(op, sizes.len()).map_err(bad)?[d];
                let start = start(b, body, op, 1 + d, *size, Ix::Known(window))?;
                at.push(start.add(b, index[d]));
            }
            body.element(b, op.operand(0), &at)?
        }
        "dynamic_update_slice" => {
            let sizes = body.sizes(b, op.operand(0))?;
            let update = body.sizes(b, op.operand(1))?;
            let mut inside = Truth::Known(true);
            let mut at = Vec::new();
            for d in 0..sizes.len() {
                let start = start(b, body, op, 2 + d, sizes[d], update[d])?;
                let offset = index[d].sub(b, start);
                let whole = sizes[d].known().is_some() && sizes[d].known() == update[d].known();
                if !whole {
                    inside = inside.and(b, offset.compare(b, CmpI::Sge, Ix::Known(0)));
                    inside = inside.and(b, offset.compare(b, CmpI::Slt, update[d]));
                }
                at.push(offset);
            }
            let element = tensor_element(op.result(0))?;
            conditional(
                b,
                body,
                inside,
                &element,
                |body| body.element(b, op.operand(1), &at),
                |body| body.element(b, op.operand(0), index),
            )?
        }
        _ => return Ok(None),
    }))
}

/// The start in operand `operand`, clamped so that a window of `window` elements fits in `size`.
fn start<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    operand: usize,
    size: Ix<'c>,
    window: Ix<'c>,
) -> Result<Ix<'c>> {
    let room = size.sub(b, window);
    if room.known() == Some(0) {
        return Ok(Ix::Known(0));
    }
    let start = index_element(b, body, op.operand(operand), &[])?;
    Ok(start.min(b, room).max(b, Ix::Known(0)))
}

fn gather<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    index: &[Ix<'c>],
    dims: &GatherDimensions,
) -> Result<Elem<'c>> {
    let (operand, indices) = (op.operand(0), op.operand(1));
    let sizes = body.sizes(b, operand)?;
    let index_rank = tensor(indices)?.rank() as i64;
    let batch: Vec<Ix<'c>> = (0..index.len() as i64)
        .filter(|d| !dims.offset_dims.contains(d))
        .map(|d| index[d as usize])
        .collect();
    let mut offsets = dims.offset_dims.iter().map(|d| index[*d as usize]);
    let in_slice = |d: i64| {
        !dims.collapsed_slice_dims.contains(&d) && !dims.operand_batching_dims.contains(&d)
    };
    let mut at = Vec::new();
    for d in 0..sizes.len() as i64 {
        let size = sizes[d as usize];
        let mut place = Ix::Known(0);
        if let Some(k) = dims.start_index_map.iter().position(|x| *x == d) {
            let mut position = batch.clone();
            if dims.index_vector_dim < index_rank {
                position.insert(dims.index_vector_dim as usize, Ix::Known(k as i64));
            }
            let window = match &dims.slice_sizes {
                Some(sizes) => Ix::Known(sizes[d as usize]),
                None => index_element(b, body, op.operand(2), &[Ix::Known(d)])?,
            };
            let room = size.sub(b, window);
            if room.known() != Some(0) {
                let start = index_element(b, body, indices, &position)?;
                place = start.min(b, room).max(b, Ix::Known(0));
            }
        }
        if let Some(k) = dims.operand_batching_dims.iter().position(|x| *x == d) {
            // The batch index of the matching dimension of the indices, whose vector dimension does not count.
            let own = dims.start_indices_batching_dims[k];
            let skip = i64::from(own > dims.index_vector_dim);
            place = place.add(b, batch[(own - skip) as usize]);
        }
        if in_slice(d) {
            let offset = offsets.next().unwrap_or(Ix::Known(0));
            place = place.add(b, offset);
        }
        at.push(place);
    }
    body.element(b, operand, &at)
}
