//! Maps of slices whose start is read at run time.
//!
//! Start indices are clamped so that the slice lies within the operand: `clamp(0, start[k], dim(operand, k) - size[k])`. A start
//! whose interval is one point needs no runtime variable; a constant one is folded.

use crate::attrs::dynamic_slice_sizes;
use crate::index_rule::{self, Found, Index, IndexQuery, Read, Reads, Tensor};
use crate::query::{Pieces, Query, everything, indices, over};
use mapwright_indexing::{Constraint, Expr, IndexingMap, Interval, c, d, rt};

/// The start of a window of these sizes in every dimension of the first operand. Operand `first + k` is the start in dimension `k` (or, in the
/// oldest form, operand `first` holds all of them).
fn clamped_starts(
    query: &mut IndexQuery<'_, '_>,
    first: usize,
    window: &[Index],
) -> Found<Vec<Index>> {
    let vector = query.op.num_operands() == first + 1 && query.rank(first)? == 1;
    if !vector && query.op.num_operands() != first + window.len() {
        return Err(format!(
            "{} start indices for {} dimensions",
            query.op.num_operands().saturating_sub(first),
            window.len()
        ));
    }
    let mut starts = Vec::with_capacity(window.len());
    for (k, window) in window.iter().enumerate() {
        let size = query.size(Tensor::Operand(0), k)?;
        let last = query.sub(size, *window)?;
        starts.push(match vector {
            true => query.clamped(first, &[Index::Known(k as i64)], last)?,
            false => query.clamped(first + k, &[], last)?,
        });
    }
    Ok(starts)
}

/// `dynamic_slice`.
pub(crate) fn sliced(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
    let window = dynamic_slice_sizes(query.op, index.len())?;
    let window: Vec<Index> = window.into_iter().map(Index::Known).collect();
    let mut at = clamped_starts(query, 1, &window)?;
    for (start, i) in at.iter_mut().zip(index) {
        *start = query.add(*start, *i)?;
    }
    Ok(Reads::one(0, at))
}

/// `dynamic_update_slice`: the update where it is, the operand elsewhere.
pub(crate) fn updated(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
    let window = query.sizes(Tensor::Operand(1), index.len())?;
    let mut at = clamped_starts(query, 2, &window)?;
    for (start, i) in at.iter_mut().zip(index) {
        *start = query.sub(*i, *start)?;
    }
    Ok(Reads {
        pieces: vec![Read::new(1, at)],
        elsewhere: Some(Read::new(0, index.to_vec())),
    })
}

/// `real_dynamic_slice`: starts are not clamped, the specification demands that they fit.
pub(crate) fn really_sliced(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
    let sizes = query.bounds(Tensor::Operand(0))?;
    let mut at = Vec::with_capacity(index.len());
    for (k, (i, size)) in index.iter().zip(sizes).enumerate() {
        let place = [Index::Known(k as i64)];
        let any = indices(size.saturating_add(1));
        let start = query.element(1, &place, any)?;
        let stride = query.element(3, &place, Interval::new(1, i64::MAX))?;
        let step = query.mul(*i, stride)?;
        at.push(query.add(step, start)?);
    }
    Ok(Reads::one(0, at))
}

/// The start of the window in every dimension, with the runtime variables in the map. Operand `first + k` is the start
/// in dimension `k` (or, in the oldest form, operand `first` holds all of them).
fn starts(
    q: &Query<'_>,
    first: usize,
    operand: &[i64],
    sizes: &[i64],
    map: &mut IndexingMap,
) -> Result<Vec<Expr>, String> {
    let vector = q.num_operands() == first + 1 && q.operand(first)?.rank() == 1;
    if !vector && q.num_operands() != first + operand.len() {
        return Err(format!(
            "{} start indices for {} dimensions",
            q.num_operands() - first,
            operand.len()
        ));
    }
    let mut found = Vec::with_capacity(operand.len());
    for (k, (n, size)) in operand.iter().zip(sizes).enumerate() {
        if *n == crate::query::UNBOUNDED && n != size {
            return Err(format!(
                "dimension {k} of the operand is known at run time only, and so is the clamp of the start"
            ));
        }
        if size > n {
            return Err(format!("a slice of {size} elements of a dimension of {n}"));
        }
        let clamp = Interval::new(0, n - size);
        let (at, index) = if vector {
            (first, vec![c(k as i64)])
        } else {
            (first + k, vec![])
        };
        let start = match clamp.as_point() {
            Some(only) => c(only),
            None => match q
                .known(at, &index, map)
                .and_then(|value| value.as_constant())
            {
                Some(value) => c(value.clamp(clamp.lower, clamp.upper)),
                None => {
                    map.runtime.push(q.element(at, clamp, index, map));
                    rt(map.runtime.len() - 1)
                }
            },
        };
        found.push(start);
    }
    Ok(found)
}

fn slice_sizes(q: &Query<'_>) -> Result<(Vec<i64>, Vec<i64>), String> {
    let operand = q.operand(0)?;
    let sizes = dynamic_slice_sizes(q.op, operand.rank())?;
    // A bounded dimension would clamp by its run-time size.
    for (k, dim) in operand.dims.iter().enumerate() {
        if dim.fixed().is_none() && dim.bound() != Some(sizes[k]) {
            return Err(format!(
                "the start in dimension {k} is clamped by a size that is known at run time only"
            ));
        }
    }
    Ok((crate::query::sizes(operand), sizes))
}

pub(crate) fn slice_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    if operand > 0 {
        return Ok(vec![everything(&out, &q.operand_sizes(operand)?)]);
    }
    slice_sizes(q)?;
    index_rule::maps(q, result, operand, sliced)
}

pub(crate) fn slice_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    if operand > 0 {
        return Ok(vec![everything(&q.operand_sizes(operand)?, &out)]);
    }
    let (inp, sizes) = slice_sizes(q)?;
    let mut map = over(&inp, vec![]);
    let starts = starts(q, 1, &inp, &sizes, &mut map)?;
    for (k, start) in starts.into_iter().enumerate() {
        let index = d(k) - start;
        map = map.with_constraint(index.clone(), Interval::of_size(sizes[k]));
        map.results.push(index);
    }
    Ok(vec![map])
}

pub(crate) fn update_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    if operand > 1 {
        return Ok(vec![everything(
            &q.result_sizes(result)?,
            &q.operand_sizes(operand)?,
        )]);
    }
    q.static_operand(0)?;
    q.static_operand(1)?;
    index_rule::maps(q, result, operand, updated)
}

pub(crate) fn update_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    match operand {
        0 => update_output_to_input(q, result, 0),
        1 => {
            let (inp, update) = (q.static_operand(0)?, q.static_operand(1)?);
            let mut map = over(&update, vec![]);
            map.results = starts(q, 2, &inp, &update, &mut map)?
                .into_iter()
                .enumerate()
                .map(|(k, start)| d(k) + start)
                .collect();
            Ok(vec![map])
        }
        _ => Ok(vec![everything(&q.operand_sizes(operand)?, &out)]),
    }
}

/// Start (where it is a constant) and stride of a `real_dynamic_slice` in dimension `k`.
fn real(q: &Query<'_>, k: usize) -> Result<(Option<i64>, i64), String> {
    let constant = |operand: usize| {
        let map = over(&[], vec![]);
        q.known(operand, &[c(k as i64)], &map)
            .and_then(|value| value.as_constant())
    };
    if q.num_operands() != 4 {
        return Err("real_dynamic_slice has four operands".into());
    }
    let stride = constant(3)
        .filter(|stride| *stride > 0)
        .ok_or_else(|| format!("the stride in dimension {k} is known at run time only"))?;
    Ok((constant(1), stride))
}

/// Starts of a `real_dynamic_slice` are not clamped, the specification demands that they fit: they may be any index.
fn real_start(
    q: &Query<'_>,
    k: usize,
    n: i64,
    map: &mut IndexingMap,
) -> Result<(Expr, i64), String> {
    let (start, stride) = real(q, k)?;
    match start {
        Some(start) => Ok((c(start), stride)),
        None => {
            map.runtime
                .push(q.element(1, indices(n.saturating_add(1)), vec![c(k as i64)], map));
            Ok((rt(map.runtime.len() - 1), stride))
        }
    }
}

pub(crate) fn real_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let inp = q.operand_sizes(operand)?;
    if operand > 0 {
        return Ok(vec![everything(&q.result_sizes(result)?, &inp)]);
    }
    let mut pieces = index_rule::maps(q, result, operand, really_sliced)?;
    for map in &mut pieces {
        for (index, size) in map.results.clone().into_iter().zip(&inp) {
            let interval = indices(*size);
            map.constraints.push(Constraint {
                expr: index,
                interval,
            });
        }
    }
    Ok(pieces)
}

pub(crate) fn real_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    let inp = q.operand_sizes(operand)?;
    if operand > 0 {
        return Ok(vec![everything(&inp, &out)]);
    }
    let mut map = over(&inp, vec![]);
    for k in 0..inp.len() {
        let (start, stride) = real_start(q, k, inp[k], &mut map)?;
        let offset = d(k) - start;
        map = map.with_constraint(offset.clone(), Interval::new(0, i64::MAX));
        if stride != 1 {
            map = map.with_constraint(offset.clone().modulo(stride), Interval::point(0));
        }
        let index = offset.floor_div(stride);
        map = map.with_constraint(index.clone(), indices(out[k]));
        map.results.push(index);
    }
    Ok(vec![map])
}
