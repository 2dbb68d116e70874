//! Maps of `gather`.
//!
//! Result dimensions are offsets into a slice (`offset_dims`) or positions in `start_indices` (the others). The start in operand
//! dimension `start_index_map[k]` is element `k` of an index vector, clamped to `[0, dim - slice size]`: a runtime variable, or an
//! expression where the indices are known (constants, iotas and what is computed from them); a clamp that can then take
//! effect splits the map into pieces.

use crate::attrs::{GatherDimensions, axes};
use crate::fold;
use crate::index_rule::{Found, Index, IndexQuery, Reads, Tensor};
use crate::query::{Pieces, Query, UNBOUNDED, everything, over, variable};
use mapwright_indexing::{Expr, IndexingMap, Interval, c, d, rt, s};

const AT_LEAST_0: Interval = Interval::new(0, i64::MAX);

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
                None => query.element(2, &[Index::Known(d)], AT_LEAST_0)?,
            };
            let size = query.size(Tensor::Operand(0), k)?;
            let last = query.sub(size, window)?;
            place = query.clamped(1, &position, last)?;
        }
        let batched = dims.operand_batching_dims.iter().position(|x| *x == d);
        if let Some(at) = batched {
            // The batch index of the matching dimension of the indices, whose vector dimension does not count.
            let own = dims.start_indices_batching_dims[at];
            let own = own - i64::from(own > dims.index_vector_dim);
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

/// Dimension numbers as indices.
struct Gather {
    operand: Vec<i64>,
    slice: Vec<i64>,
    /// Result dimensions that are offsets, and the operand dimensions they belong to.
    offsets: Vec<(usize, usize)>,
    /// Result dimensions that are positions in `start_indices`, in order, and the dimensions of `start_indices` there.
    batch: Vec<(usize, usize)>,
    /// Operand dimensions that are batched, with the dimension of `start_indices`.
    batching: Vec<(usize, usize)>,
    /// Operand dimension of every element of an index vector.
    start: Vec<usize>,
    index_vector_dim: usize,
    indices: Vec<i64>,
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
    let slice = match &dims.slice_sizes {
        Some(sizes) => sizes.clone(),
        None => (0..operand.len())
            .map(|k| dynamic_slice_size(q, result, &dims, k))
            .collect::<Result<_, _>>()?,
    };
    if slice.len() != operand.len() {
        return Err("`slice_sizes` and the operand have different ranks".into());
    }
    let offset_dims = axes(name, &dims.offset_dims, rank)?;
    let collapsed = axes(name, &dims.collapsed_slice_dims, operand.len())?;
    let batching = axes(name, &dims.operand_batching_dims, operand.len())?;
    let indices_batching = axes(name, &dims.start_indices_batching_dims, indices.len())?;
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
        offsets: offset_dims.into_iter().zip(kept).collect(),
        batch: batch_dims.into_iter().zip(positions).collect(),
        batching: batching.into_iter().zip(indices_batching).collect(),
        start,
        index_vector_dim,
        operand,
        slice,
        indices,
    })
}

/// The size of a slice of a `dynamic_gather` in operand dimension `k`: from a constant, or that of the result's dimension.
fn dynamic_slice_size(
    q: &Query<'_>,
    result: usize,
    dims: &GatherDimensions,
    k: usize,
) -> Result<i64, String> {
    let constant = q.known(2, &[c(k as i64)], &over(&[], vec![]));
    if let Some(size) = constant.and_then(|value| value.as_constant()) {
        return Ok(size);
    }
    let dropped = |k: usize| {
        let k = k as i64;
        dims.collapsed_slice_dims.contains(&k) || dims.operand_batching_dims.contains(&k)
    };
    if dropped(k) {
        return Ok(1);
    }
    let place = (0..k).filter(|k| !dropped(*k)).count();
    let dim = dims.offset_dims.get(place).copied();
    dim.and_then(|dim| usize::try_from(dim).ok())
        .and_then(|dim| q.result(result).ok()?.dims.get(dim)?.fixed())
        .ok_or_else(|| format!("the slice size in dimension {k} is known at run time only"))
}

/// The index in `start_indices` of element `component` of the index vector at `position` (one expression for every dimension of
/// `start_indices` but the index vector's).
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

/// Where the slice at `position` begins in every operand dimension, with what has to be added to `map` for it. Several
/// alternatives where a clamp splits.
fn starts(
    q: &Query<'_>,
    gather: &Gather,
    position: &[Expr],
    map: IndexingMap,
) -> Result<Vec<(Vec<Expr>, IndexingMap)>, String> {
    let mut origin = vec![c(0); gather.operand.len()];
    for (k, at) in &gather.batching {
        // The position among `start_indices` without the index vector's dimension.
        let at = at - usize::from(*at > gather.index_vector_dim);
        origin[*k] = position
            .get(at)
            .cloned()
            .ok_or("a batching dimension is the index vector's")?;
    }
    let mut pieces = vec![(origin, map)];
    for (component, k) in gather.start.iter().enumerate() {
        let (n, size) = (gather.operand[*k], gather.slice[*k]);
        if size > n || size == UNBOUNDED {
            return Err(format!("a slice of {size} elements of a dimension of {n}"));
        }
        let dim = q.operand(0)?.dims[*k];
        if dim.fixed().is_none() {
            // The last start follows from the run-time size: the index where it is not beyond, otherwise that start.
            let index = vector_index(
                gather.indices.len(),
                gather.index_vector_dim,
                position,
                c(component as i64),
            );
            let mut next = Vec::new();
            for (origin, mut map) in pieces {
                let value = match q.known(1, &index, &map) {
                    Some(value) => vec![(
                        value.clone(),
                        map.clone().with_constraint(value, AT_LEAST_0),
                    )],
                    None => {
                        map.runtime
                            .push(q.element(1, AT_LEAST_0, index.clone(), &map));
                        vec![(rt(map.runtime.len() - 1), map)]
                    }
                };
                for (value, mut map) in value {
                    let last = q.size_of_operand(&mut map, 0, *k, dim) - size;
                    let over = value.clone() - last.clone();
                    let mut within = (
                        origin.clone(),
                        map.clone()
                            .with_constraint(over.clone(), Interval::new(i64::MIN, 0)),
                    );
                    within.0[*k] = value;
                    let mut beyond = (
                        origin.clone(),
                        map.with_constraint(over, Interval::new(1, i64::MAX)),
                    );
                    beyond.0[*k] = last;
                    next.extend([within, beyond]);
                }
            }
            pieces = next;
            continue;
        }
        let clamp = Interval::new(0, n - size);
        if clamp.as_point().is_some() {
            continue;
        }
        let index = vector_index(
            gather.indices.len(),
            gather.index_vector_dim,
            position,
            c(component as i64),
        );
        let mut next = Vec::new();
        for (origin, mut map) in pieces {
            let folded = q.known(1, &index, &map);
            let values = match folded {
                Some(value) => fold::clamped(&value, clamp, &map),
                None => {
                    map.runtime.push(q.element(1, clamp, index.clone(), &map));
                    vec![(rt(map.runtime.len() - 1), map)]
                }
            };
            for (value, map) in values {
                let mut origin = origin.clone();
                origin[*k] = value;
                next.push((origin, map));
            }
        }
        if next.len() > 81 {
            return Err("the clamps of known indices make too many pieces".into());
        }
        pieces = next;
    }
    Ok(pieces)
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    if operand > 1 {
        return Ok(vec![everything(&out, &q.operand_sizes(operand)?)]);
    }
    let gather = decode(q, result)?;
    let position: Vec<Expr> = gather.batch.iter().map(|(at, _)| d(*at)).collect();
    let map = over(&out, vec![]);
    if operand == 1 {
        let mut map = map;
        map.results = vector_index(
            gather.indices.len(),
            gather.index_vector_dim,
            &position,
            s(0),
        );
        if gather.index_vector_dim < gather.indices.len() {
            map.ranges.push(variable(gather.start.len() as i64));
        }
        return Ok(vec![map]);
    }
    let pieces = starts(q, &gather, &position, map)?;
    Ok(pieces
        .into_iter()
        .map(|(mut index, mut map)| {
            for (at, k) in &gather.offsets {
                index[*k] = index[*k].clone() + d(*at);
            }
            map.results = index;
            map
        })
        .collect())
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    let inp = q.operand_sizes(operand)?;
    if operand > 1 {
        return Ok(vec![everything(&inp, &out)]);
    }
    let gather = decode(q, result)?;
    let mut map = over(&inp, vec![]);
    if operand == 1 {
        // An index vector goes into its whole slice.
        map.results = vec![c(0); out.len()];
        for (at, k) in &gather.batch {
            map.results[*at] = d(*k);
        }
        for (at, k) in &gather.offsets {
            map.results[*at] = s(map.ranges.len());
            map.ranges.push(variable(gather.slice[*k]));
        }
        return Ok(vec![map]);
    }
    // Any position may have read the element; the offset is what is left after the start.
    let position: Vec<Expr> = gather
        .batch
        .iter()
        .map(|(at, k)| {
            if let Some((batched, _)) = gather.batching.iter().find(|(_, i)| i == k) {
                return d(*batched);
            }
            map.ranges.push(variable(out[*at]));
            s(map.ranges.len() - 1)
        })
        .collect();
    let pieces = starts(q, &gather, &position, map)?;
    Ok(pieces
        .into_iter()
        .map(|(index, mut map)| {
            map.results = vec![c(0); out.len()];
            for ((at, _), expr) in gather.batch.iter().zip(&position) {
                map.results[*at] = expr.clone();
            }
            for (k, start) in index.into_iter().enumerate() {
                if gather.batching.iter().any(|(b, _)| *b == k) {
                    continue;
                }
                let offset = d(k) - start;
                map = map.with_constraint(offset.clone(), Interval::of_size(gather.slice[k]));
                if let Some((at, _)) = gather.offsets.iter().find(|(_, o)| *o == k) {
                    map.results[*at] = offset;
                }
            }
            map
        })
        .collect())
}
