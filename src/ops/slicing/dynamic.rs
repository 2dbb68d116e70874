//! Maps of slices whose start is read at run time.
//!
//! Start indices are clamped so that the slice lies within the operand: `clamp(0, start[k], dim(operand, k) - size[k])`. A start
//! whose interval is one point needs no runtime variable; a constant one is folded.

use crate::attrs::dynamic_slice_sizes;
use crate::query::{Pieces, Query, everything, identity, nothing, over};
use mapwright_indexing::{Expr, IndexingMap, Interval, c, d, rt};

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
    let (inp, sizes) = slice_sizes(q)?;
    let mut map = over(&sizes, vec![]);
    let starts = starts(q, 1, &inp, &sizes, &mut map)?;
    map.results = starts
        .into_iter()
        .enumerate()
        .map(|(k, start)| d(k) + start)
        .collect();
    Ok(vec![map])
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

/// Sizes of operand and update, a map over the dimensions asked for, the start of the window in it.
type UpdateWindow = (Vec<i64>, Vec<i64>, IndexingMap, Vec<Expr>);

/// The window of an update: sizes of operand and update, and a map over `dims` with the window's start.
fn window(q: &Query<'_>, dims: &[i64]) -> Result<UpdateWindow, String> {
    let (inp, update) = (q.static_operand(0)?, q.static_operand(1)?);
    if inp.len() != update.len() {
        return Err("operand and update have different ranks".into());
    }
    let mut map = over(dims, vec![]);
    let starts = starts(q, 2, &inp, &update, &mut map)?;
    Ok((inp, update, map, starts))
}

/// The operand without the updated window, as disjoint boxes: inside the window in the first `k` dimensions, before or after
/// it in dimension `k`.
fn outside(inp: &[i64], update: &[i64], map: &IndexingMap, starts: &[Expr]) -> Vec<IndexingMap> {
    let mut pieces = Vec::new();
    for k in 0..inp.len() {
        if update[k] == inp[k] {
            continue;
        }
        let mut inside = identity(inp);
        inside.runtime.clone_from(&map.runtime);
        for j in (0..k).filter(|j| update[*j] != inp[*j]) {
            inside = inside.with_constraint(d(j) - starts[j].clone(), Interval::of_size(update[j]));
        }
        let offset = d(k) - starts[k].clone();
        pieces.push(
            inside
                .clone()
                .with_constraint(offset.clone(), Interval::new(update[k] - inp[k], -1)),
        );
        pieces.push(inside.with_constraint(offset, Interval::new(update[k], inp[k] - 1)));
    }
    if pieces.is_empty() {
        return nothing(inp, inp);
    }
    pieces
}

pub(crate) fn update_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    if operand > 1 {
        return Ok(vec![everything(&out, &q.operand_sizes(operand)?)]);
    }
    let (inp, update, mut map, starts) = window(q, &q.static_operand(0)?)?;
    if operand == 0 {
        return Ok(outside(&inp, &update, &map, &starts));
    }
    for (k, start) in starts.into_iter().enumerate() {
        let index = d(k) - start;
        map = map.with_constraint(index.clone(), Interval::of_size(update[k]));
        map.results.push(index);
    }
    Ok(vec![map])
}

pub(crate) fn update_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    match operand {
        0 => update_output_to_input(q, result, 0),
        1 => {
            let (_, _, mut map, starts) = window(q, &q.static_operand(1)?)?;
            map.results = starts
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
            map.runtime.push(q.element(
                1,
                crate::query::indices(n.saturating_add(1)),
                vec![c(k as i64)],
                map,
            ));
            Ok((rt(map.runtime.len() - 1), stride))
        }
    }
}

pub(crate) fn real_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    let inp = q.operand_sizes(operand)?;
    if operand > 0 {
        return Ok(vec![everything(&out, &inp)]);
    }
    let mut map = over(&out, vec![]);
    for k in 0..inp.len() {
        let (start, stride) = real_start(q, k, inp[k], &mut map)?;
        let index = d(k) * stride + start;
        map = map.with_constraint(index.clone(), crate::query::indices(inp[k]));
        map.results.push(index);
    }
    Ok(vec![map])
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
        map = map.with_constraint(index.clone(), crate::query::indices(out[k]));
        map.results.push(index);
    }
    Ok(vec![map])
}
