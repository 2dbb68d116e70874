//! Maps of `gather`.
//!
//! Result dimensions are offsets into a slice (`offset_dims`) or positions in `start_indices` (the
//! others). The start in operand dimension `start_index_map[k]` is element `k` of an index vector,
//! clamped to `[0, dim - slice size]`: a runtime variable, or an expression where the indices are
//! known (constants, iotas and what is computed from them); a clamp that can then take effect
//! splits the map into pieces.

use crate::attrs::{GatherDimensions, axes};
use crate::fold;
use crate::index_rule::{self, Found, Index, IndexQuery, Reads, Tensor};
use crate::query::{Pieces, Query, UNBOUNDED, everything, indices, over, variable};
use mapwright_indexing::{Expr, c, d, s};

/// The rule of gathers.
pub(crate) fn gathered(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
    let (own, vectors) = (query.bounds(Tensor::Operand(0))?, query.rank(1)?);
    let dims = match query.op.short_name() {
        "torch_index_select" => {
            // The sizes of the slices matter along the selected dimension alone, where they are 1.
            GatherDimensions::torch_index_select(query.op, &own, vectors)?
        }
        _ => GatherDimensions::decode(query.op)?,
    };
    let batch: Vec<Index> = (0..index.len())
        .filter(|k| !dims.offset_dims.contains(&(*k as i64)))
        .map(|k| index[k])
        .collect();
    let offsets = axes("offset_dims", &dims.offset_dims, index.len())?;
    let mut offsets = offsets.into_iter().map(|k| index[k]);
    let mut at = Vec::with_capacity(own.len());
    for k in 0..own.len() {
        let d = k as i64;
        let mut place = Index::Known(0);
        if let Some(component) = dims.start_index_map.iter().position(|x| *x == d) {
            let mut position = batch.clone();
            let vector = usize::try_from(dims.index_vector_dim).unwrap_or(vectors);
            if vector < vectors && vector <= position.len() {
                position.insert(vector, Index::Known(component as i64));
            }
            let window = match &dims.slice_sizes {
                Some(sizes) => Index::Known(*sizes.get(k).ok_or("a slice size is missing")?),
                None => dynamic_slice_size(query, &dims, k)?,
            };
            let size = query.size(Tensor::Operand(0), k)?;
            let last = query.sub(size, window)?;
            place = query.clamped(1, &position, last)?;
        }
        let batched = dims.operand_batching_dims.iter().position(|x| *x == d);
        if let Some(at) = batched {
            // The batch index of the matching dimension of the indices, whose vector dimension does
            // not count.
            let own = dims.start_indices_batching_dims.get(at);
            let own = own.ok_or("a batching dimension has no partner")?;
            let own = own - i64::from(*own > dims.index_vector_dim);
            let position = usize::try_from(own).ok().and_then(|own| batch.get(own));
            let position = position.ok_or("a batching dimension is the index vector's")?;
            place = query.add(place, *position)?;
        }
        if batched.is_none() && !dims.collapsed_slice_dims.contains(&d) {
            let offset = offsets.next().unwrap_or(Index::Known(0));
            place = query.add(place, offset)?;
        }
        at.push(place);
    }
    Ok(Reads::one(0, at))
}

/// The size of a slice of a `dynamic_gather` in operand dimension `k`: from a constant, that of the
/// result's dimension, or what the operand says.
fn dynamic_slice_size(
    query: &mut IndexQuery<'_, '_>,
    dims: &GatherDimensions,
    k: usize,
) -> Found<Index> {
    let sizes = query.op.operands().get(2).copied();
    let sizes = sizes.ok_or("dynamic_gather has three operands")?;
    let constant = fold::value(sizes, &[c(k as i64)], &over(&[], vec![]));
    if let Some(size) = constant.and_then(|value| value.as_constant()) {
        return Ok(Index::Known(size));
    }
    let is_dropped = |k: usize| {
        let k = k as i64;
        dims.collapsed_slice_dims.contains(&k) || dims.operand_batching_dims.contains(&k)
    };
    if is_dropped(k) {
        return Ok(Index::Known(1));
    }
    let place = (0..k).filter(|k| !is_dropped(*k)).count();
    let dim = dims.offset_dims.get(place).copied();
    let dim = dim.and_then(|dim| usize::try_from(dim).ok());
    let dim = dim.ok_or("an offset dimension is missing")?;
    // Where the result is not there yet, its size is what is asked for.
    let asked = indices(query.bounds(Tensor::Operand(0))?[k].saturating_add(1));
    (query.size(Tensor::Result, dim))
        .or_else(|_| query.element(2, &[Index::Known(k as i64)], asked))
}

/// Dimension numbers as indices, of the positions in `start_indices` and of the offsets.
struct Gather {
    /// Result dimensions that are offsets.
    offsets: Vec<usize>,
    /// Result dimensions that are positions in `start_indices`, in order, and the dimensions of
    /// `start_indices` there.
    batch: Vec<(usize, usize)>,
    /// Elements of an index vector.
    components: i64,
    index_vector_dim: usize,
    /// The rank of `start_indices`.
    rank: usize,
}

fn decode(q: &Query<'_>, result: usize) -> Result<Gather, String> {
    let name = "dimension_numbers";
    let (operand, indices) = (q.operand_sizes(0)?, q.operand_sizes(1)?);
    let rank = q.result(result)?.rank();
    let dims = match q.op.short_name() {
        "torch_index_select" => {
            GatherDimensions::torch_index_select(q.op, &operand, indices.len())?
        }
        _ => GatherDimensions::decode(q.op)?,
    };
    let offset_dims = axes(name, &dims.offset_dims, rank)?;
    let collapsed = axes(name, &dims.collapsed_slice_dims, operand.len())?;
    let batching = axes(name, &dims.operand_batching_dims, operand.len())?;
    axes(name, &dims.start_indices_batching_dims, indices.len())?;
    let start = axes(name, &dims.start_index_map, operand.len())?;
    let index_vector_dim = axes(name, &[dims.index_vector_dim], indices.len() + 1)?[0];
    let kept: Vec<usize> = (0..operand.len())
        .filter(|k| !collapsed.contains(k) && !batching.contains(k))
        .collect();
    if kept.len() != offset_dims.len() {
        return Err(format!(
            "{} offset dimensions for {} dimensions of a slice",
            offset_dims.len(),
            kept.len()
        ));
    }
    let positions: Vec<usize> = (0..indices.len())
        .filter(|k| *k != index_vector_dim)
        .collect();
    let batch_dims: Vec<usize> = (0..rank).filter(|k| !offset_dims.contains(k)).collect();
    if positions.len() != batch_dims.len() {
        return Err(format!(
            "{} batch dimensions for {} dimensions of `start_indices`",
            batch_dims.len(),
            positions.len()
        ));
    }
    let vector = indices.get(index_vector_dim).copied().unwrap_or(1);
    if vector != start.len() as i64 && vector != UNBOUNDED {
        return Err(format!(
            "index vectors of {vector} elements for {} operand dimensions",
            start.len()
        ));
    }
    Ok(Gather {
        offsets: offset_dims,
        batch: batch_dims.into_iter().zip(positions).collect(),
        components: start.len() as i64,
        index_vector_dim,
        rank: indices.len(),
    })
}

/// The index in `start_indices` of element `component` of the index vector at `position` (one
/// expression for every dimension of `start_indices` but the index vector's).
pub(super) fn vector_index(
    rank: usize,
    index_vector_dim: usize,
    position: &[Expr],
    component: Expr,
) -> Vec<Expr> {
    let mut index = position.to_vec();
    if index_vector_dim < rank {
        index.insert(index_vector_dim, component);
    }
    index
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    if operand > 1 {
        return Ok(vec![everything(&out, &q.operand_sizes(operand)?)]);
    }
    let gather = decode(q, result)?;
    if operand == 0 {
        return index_rule::maps(q, result, operand, &gathered);
    }
    let position: Vec<Expr> = gather.batch.iter().map(|(at, _)| d(*at)).collect();
    let index = vector_index(gather.rank, gather.index_vector_dim, &position, s(0));
    let mut map = over(&out, index);
    if gather.index_vector_dim < gather.rank {
        map.push_range(variable(gather.components));
    }
    Ok(vec![map])
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    let inp = q.operand_sizes(operand)?;
    if operand > 1 {
        return Ok(vec![everything(&inp, &out)]);
    }
    let gather = decode(q, result)?;
    if operand == 0 {
        return index_rule::inverses(q, operand, result, &gathered);
    }
    // An index vector goes into its whole slice.
    let mut map = over(&inp, vec![c(0); out.len()]);
    for (at, k) in &gather.batch {
        map.edit(|m| m.results[*at] = d(*k));
    }
    for at in &gather.offsets {
        let place = map.push_range(variable(out[*at]));
        map.edit(|m| m.results[*at] = place);
    }
    Ok(vec![map])
}
