//! Maps of control flow and of opaque operations.
//!
//! Calls, composites and regions are answered by composing what is inside (see [`super::regions`]).
//! `optimization_barrier` hands on its operands. What a `custom_call` reads is unknown, except for
//! targets that only annotate, and for those that go through a batch: the same place of it, and
//! there at most everything.

use super::regions;
use crate::compose::Composer;
use crate::layout::Side;
use crate::library::{self, Meaning};
use crate::query::{Pieces, Query, identity, nothing, whole_tail};
use mapwright_indexing::IndexingMap;

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let all = regions::output_to_input(&Composer::knowing(q.related()), q, result);
    Ok(all.operands.into_iter().nth(operand).unwrap_or_default())
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let all = regions::input_to_output(&Composer::knowing(q.related()), q, operand);
    Ok(all.into_iter().nth(result).unwrap_or_default())
}

fn hand_on(from: &[i64], to: &[i64], operand: usize, result: usize) -> Vec<IndexingMap> {
    if operand == result {
        vec![identity(from)]
    } else {
        nothing(from, to)
    }
}

pub(crate) fn barrier_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    Ok(hand_on(
        &q.result_sizes(result)?,
        &q.operand_sizes(operand)?,
        operand,
        result,
    ))
}

pub(crate) fn barrier_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    Ok(hand_on(
        &q.operand_sizes(operand)?,
        &q.result_sizes(result)?,
        operand,
        result,
    ))
}

/// Tells whether the call hands on its operand.
///
/// # Errors
/// A call that is not as its function wants it.
fn hands_on(q: &Query<'_>) -> Result<bool, String> {
    let meaning = library::verify(q.op).map_err(|violation| violation.message)?;
    let annotates = matches!(meaning, Some(Meaning::Annotation | Meaning::PartitionCast));
    Ok(annotates && q.num_operands() == 1)
}

/// From a place of a batch in one tensor, of the sizes `from`, to the same place in another one.
fn along_batch(
    q: &Query<'_>,
    (from, side, i): (&[i64], Side, usize),
    (to, other, k): (&[i64], Side, usize),
) -> Pieces {
    let target =
        q.op.string("call_target_name")
            .ok_or("attribute `call_target_name` is missing")?;
    let batch = library::batch(q.op, side, i, from.len());
    match batch.zip(library::batch(q.op, other, k, to.len())) {
        Some((a, b)) if a == b => Ok(vec![whole_tail(from, to, to.len() - b)?.with_exact(false)]),
        _ => Err(format!("what custom_call @{target} reads is not known")),
    }
}

pub(crate) fn custom_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    if hands_on(q)? {
        return barrier_output_to_input(q, result, operand);
    }
    along_batch(
        q,
        (&q.result_sizes(result)?, Side::Results, result),
        (&q.operand_sizes(operand)?, Side::Operands, operand),
    )
}

pub(crate) fn custom_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    if hands_on(q)? {
        return barrier_input_to_output(q, operand, result);
    }
    along_batch(
        q,
        (&q.operand_sizes(operand)?, Side::Operands, operand),
        (&q.result_sizes(result)?, Side::Results, result),
    )
}

fn opaque(q: &Query<'_>) -> String {
    match q.op.short_name() {
        "tuple" | "get_tuple_element" => {
            "a tuple has no index space; compositions look through it".into()
        }
        name => format!(
            "`{name}` gets its elements from outside of the program or hands them on as a whole"
        ),
    }
}

pub(crate) fn opaque_output_to_input(q: &Query<'_>, _result: usize, _operand: usize) -> Pieces {
    Err(opaque(q))
}

pub(crate) fn opaque_input_to_output(q: &Query<'_>, _operand: usize, _result: usize) -> Pieces {
    Err(opaque(q))
}

/// Of operations that are called by name because sizes are known at run time only.
pub(crate) fn sized_at_run_time(q: &Query<'_>, _: usize, _: usize) -> Pieces {
    Err(format!(
        "what `{}` reads depends on numbers that are known at run time only",
        crate::attrs::name(q.op)
    ))
}
