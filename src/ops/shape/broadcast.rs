//! Maps of broadcasts.
//!
//! Operand dimension `k` becomes result dimension `broadcast_dimensions[k]`; a size of 1 is stretched. All other result
//! dimensions repeat the operand. (`broadcast` puts new dimensions in front; chlo's `broadcast_*` align shapes at the right.)

use crate::attrs::{self, axes};
use crate::index_rule::{Found, Index, IndexQuery, Reads};
use crate::query::{Pieces, Query, UNBOUNDED, everything, over, variable};
use mapwright_indexing::{c, d, s};
use mapwright_mlir::{Dim, Op};

/// The result dimension of every dimension of an operand, by their ranks.
fn dimensions(op: Op<'_>, inp: usize, out: usize) -> Result<Vec<usize>, String> {
    if op.short_name() == "broadcast" {
        let first = out
            .checked_sub(inp)
            .ok_or("the result has fewer dimensions than the operand")?;
        return Ok((first..out).collect());
    }
    Ok(attrs::broadcast_dimensions(op, inp, out)?)
}

/// The rule of broadcasts.
pub(crate) fn repeated(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
    let dims = dimensions(query.op, query.rank(0)?, index.len())?;
    // Behind new dimensions nothing is stretched.
    let stretches = query.op.short_name() != "broadcast";
    let at = dims.into_iter().enumerate().map(|(k, d)| match stretches {
        true => query.stretched(0, k, index[d]),
        false => Ok(index[d]),
    });
    Ok(Reads::one(0, at.collect::<Found<_>>()?))
}

/// The result dimension of every operand dimension of a chlo operation that broadcasts: `broadcast_dimensions` for the operand
/// of lower rank, otherwise aligned at the right.
pub(crate) fn numpy_dimensions(
    q: &Query<'_>,
    operand: usize,
    result: usize,
) -> Result<Vec<usize>, String> {
    let (inp, out) = (q.operand(operand)?.rank(), q.result(result)?.rank());
    if inp < out
        && let Some(values) = attrs::ints_or_none(q.op, "broadcast_dimensions")?
        && values.len() == inp
    {
        return Ok(axes("broadcast_dimensions", &values, out)?);
    }
    let first = out
        .checked_sub(inp)
        .ok_or("the result has fewer dimensions than the operand")?;
    Ok((first..out).collect())
}

/// What is known about stretching operand dimension `k` of size `size` to result dimension of size `to`.
fn stretched(q: &Query<'_>, k: usize, size: Dim, to: Dim) -> Option<bool> {
    let listed = |name| {
        attrs::ints_or_none(q.op, name)
            .ok()
            .flatten()
            .is_some_and(|list| list.contains(&(k as i64)))
    };
    match (size, to) {
        (Dim::Static(1), _) => Some(to != Dim::Static(1)),
        (Dim::Static(_), _) | (_, Dim::Static(1)) => Some(false),
        _ if listed("known_nonexpanding_dimensions") => Some(false),
        _ if listed("known_expanding_dimensions") => Some(true),
        // Only the dynamic forms stretch a dimension whose size is known at run time.
        _ if q.op.short_name() == "broadcast_in_dim" || q.op.short_name() == "broadcast" => {
            Some(false)
        }
        (Dim::Bounded(n), Dim::Bounded(m))
            if n == m && n > 1 && !q.op.short_name().starts_with("dynamic") =>
        {
            Some(false)
        }
        _ => None,
    }
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    if operand > 0 {
        // The shape operand of the dynamic form: it decides which elements there are.
        return Ok(vec![everything(
            &q.result_sizes(result)?,
            &q.operand_sizes(operand)?,
        )]);
    }
    let (inp, out) = (q.operand(operand)?.rank(), q.result(result)?.rank());
    output_to_input_along(q, result, operand, &dimensions(q.op, inp, out)?)
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    if operand > 0 {
        return Ok(vec![everything(
            &q.operand_sizes(operand)?,
            &q.result_sizes(result)?,
        )]);
    }
    let (inp, out) = (q.operand(operand)?.rank(), q.result(result)?.rank());
    input_to_output_along(q, operand, result, &dimensions(q.op, inp, out)?)
}

/// Every way to settle the dimensions of which nothing is known: each is stretched or not.
fn cases(
    q: &Query<'_>,
    operand: usize,
    result: usize,
    dims: &[usize],
) -> Result<Vec<Vec<bool>>, String> {
    let (inp, out) = (q.operand(operand)?, q.result(result)?);
    let mut cases = vec![Vec::new()];
    for (k, dim) in inp.dims.iter().enumerate() {
        match stretched(q, k, *dim, out.dims[dims[k]]) {
            Some(known) => cases.iter_mut().for_each(|case| case.push(known)),
            None => {
                cases = cases
                    .into_iter()
                    .flat_map(|case| [false, true].map(|flag| [case.clone(), vec![flag]].concat()))
                    .collect();
                if cases.len() > 16 {
                    return Err(
                        "too many dimensions may or may not be stretched at run time".into(),
                    );
                }
            }
        }
    }
    Ok(cases)
}

/// Result to operand, with the operand's dimensions at `dims` of the result.
pub(crate) fn output_to_input_along(
    q: &Query<'_>,
    result: usize,
    operand: usize,
    dims: &[usize],
) -> Pieces {
    let out = q.result_sizes(result)?;
    let inp = q.operand_sizes(operand)?;
    let cases = cases(q, operand, result, dims)?;
    let exact = cases.len() == 1;
    Ok(cases
        .into_iter()
        .map(|case| {
            let mut sizes = out.clone();
            let index = dims
                .iter()
                .zip(&case)
                .enumerate()
                .map(|(k, (at, stretched))| {
                    if *stretched {
                        return c(0);
                    }
                    sizes[*at] = sizes[*at].min(inp[k]);
                    d(*at)
                })
                .collect();
            over(&sizes, index).with_exact(exact)
        })
        .collect())
}

/// Operand to result, with the operand's dimensions at `dims` of the result.
pub(crate) fn input_to_output_along(
    q: &Query<'_>,
    operand: usize,
    result: usize,
    dims: &[usize],
) -> Pieces {
    let out = q.result_sizes(result)?;
    let inp = q.operand_sizes(operand)?;
    let cases = cases(q, operand, result, dims)?;
    let exact = cases.len() == 1;
    Ok(cases
        .into_iter()
        .map(|case| {
            let mut map = over(&inp, vec![]);
            for (j, size) in out.iter().enumerate() {
                match dims.iter().position(|at| *at == j) {
                    Some(k) if !case[k] => {
                        if *size != UNBOUNDED {
                            map.dims[k] = variable(inp[k].min(*size));
                        }
                        map.results.push(d(k));
                    }
                    _ => {
                        map.results.push(s(map.ranges.len()));
                        map.ranges.push(variable(*size));
                    }
                }
            }
            map.with_exact(exact)
        })
        .collect())
}
