//! Maps of broadcasts.
//!
//! Operand dimension `k` becomes result dimension `broadcast_dimensions[k]`; a size of 1 is
//! stretched. All other result dimensions repeat the operand. (`broadcast` puts new dimensions in
//! front; chlo's `broadcast_*` align shapes at the right.)

use crate::attrs::{self, axes};
use crate::index_rule::{self, Found, Index, IndexQuery, Reads};
use crate::query::{Pieces, Query};
use crate::shape_function::tensor;
use mapwright_mlir::{Dim, Op, Val};

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
    Ok(Reads::one(0, repeated_along(query, 0, &dims, index)?))
}

/// The index in an operand whose dimensions are at `dims` of the result.
fn repeated_along(
    query: &mut IndexQuery<'_, '_>,
    operand: usize,
    dims: &[usize],
    index: &[Index],
) -> Found<Vec<Index>> {
    let at = dims.iter().enumerate().map(|(k, j)| {
        // Behind new dimensions nothing is stretched.
        if query.op.short_name() == "broadcast" {
            return query.within(operand, k, index[*j]);
        }
        let stated = stated_expansion(query.op, operand, (k, *j));
        query.stretched(operand, (k, *j), index[*j], stated)
    });
    at.collect()
}

/// Returns whether dimension `k` of an operand, which is `j` of the result, is stretched, if the
/// operation says it.
fn stated_expansion(op: Op<'_>, operand: usize, (k, j): (usize, usize)) -> Option<bool> {
    let listed = |name| {
        let list = attrs::ints_or_none(op, name).ok().flatten();
        list.is_some_and(|list| list.contains(&(k as i64)))
    };
    if listed("known_nonexpanding_dimensions") {
        return Some(false);
    }
    if listed("known_expanding_dimensions") {
        return Some(true);
    }
    // Only the dynamic form stretches a dimension whose size is known at run time, and what aligns
    // shapes one whose bound is another one.
    match op.short_name() {
        "broadcast_in_dim" => Some(false),
        name if name.starts_with("dynamic") => None,
        _ => {
            let dim = |value: Val<'_>, k: usize| tensor(value)?.dims.get(k).copied();
            let own = op.operands().get(operand).and_then(|own| dim(*own, k));
            let to = op.results().first().and_then(|to| dim(*to, j));
            match (own, to) {
                (Some(Dim::Bounded(n)), Some(Dim::Bounded(m))) if n == m && n > 1 => Some(false),
                _ => None,
            }
        }
    }
}

/// The result dimension of every operand dimension of a chlo operation that broadcasts:
/// `broadcast_dimensions` for the operand of lower rank, otherwise aligned at the right.
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

/// Result to operand, with the operand's dimensions at `dims` of the result.
pub(crate) fn output_to_input_along(
    q: &Query<'_>,
    result: usize,
    operand: usize,
    dims: &[usize],
) -> Pieces {
    index_rule::maps(q, result, operand, &|query, index| {
        let at = repeated_along(query, operand, dims, index)?;
        Ok(Reads::one(operand, at))
    })
}

/// Operand to result, with the operand's dimensions at `dims` of the result.
pub(crate) fn input_to_output_along(
    q: &Query<'_>,
    operand: usize,
    result: usize,
    dims: &[usize],
) -> Pieces {
    index_rule::inverses(q, operand, result, &|query, index| {
        let at = repeated_along(query, operand, dims, index)?;
        Ok(Reads::one(operand, at))
    })
}
