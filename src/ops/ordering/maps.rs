//! Maps of `sort` and `top_k`: every element of a result is decided by the whole line along the
//! sorted dimension.
//!
//! Result `r` of a sort is a permutation of operand `r`, decided by the operands that the
//! comparator looks at: an operand that it does not look at goes into its own result only.

use crate::attrs;
use crate::query::{Pieces, Query, UNBOUNDED, nothing, over, variable};
use mapwright_indexing::{IndexingMap, d, s};
use mapwright_mlir::op;

/// The dimension that is read whole.
fn sorted_axis(q: &Query<'_>, rank: usize) -> Result<Option<usize>, String> {
    if rank == 0 {
        return Ok(None);
    }
    let last = rank as i64 - 1;
    let axis = match q.op.short_name() {
        "sort" => attrs::int_or(q.op, "dimension", last)?,
        _ => last,
    };
    // The specification lets a sort count from the back.
    let axis = if axis < 0 { axis + rank as i64 } else { axis };
    Ok(Some(attrs::axis("dimension", axis, rank)?))
}

/// Tells whether the comparator looks at operand `i`. Where no comparator can be read, it does.
fn compared(q: &Query<'_>, i: usize) -> bool {
    if q.op.short_name() != "sort" {
        return true;
    }
    let Some(body) = q.op.body(0) else {
        return true;
    };
    let arguments = op::arguments(body);
    [2 * i, 2 * i + 1].iter().any(|k| {
        arguments
            .get(*k)
            .is_none_or(|argument| !op::uses(*argument).is_empty())
    })
}

/// A line along `axis`, over the index space `from`; the line has the size that `to` has there.
fn line(from: &[i64], to: &[i64], axis: Option<usize>) -> IndexingMap {
    let mut map = over(from, vec![]);
    for k in 0..from.len() {
        if Some(k) == axis {
            map.push_result(s(0));
            map.push_range(variable(to[k]));
        } else {
            if map.dims()[k].interval.upper > to[k] - 1 && to[k] != UNBOUNDED {
                map.dims_mut()[k] = variable(to[k]);
            }
            map.push_result(d(k));
        }
    }
    map
}

fn between(q: &Query<'_>, from: &[i64], to: &[i64], operand: usize, result: usize) -> Pieces {
    if from.len() != to.len() {
        return Err("operand and result have different ranks".into());
    }
    if q.op.short_name() == "sort" && operand != result && !compared(q, operand) {
        return Ok(nothing(from, to));
    }
    let axis = sorted_axis(q, from.len())?;
    Ok(vec![line(from, to, axis)])
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    between(
        q,
        &q.result_sizes(result)?,
        &q.operand_sizes(operand)?,
        operand,
        result,
    )
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    between(
        q,
        &q.operand_sizes(operand)?,
        &q.result_sizes(result)?,
        operand,
        result,
    )
}
