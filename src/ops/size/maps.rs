//! Maps of `get_dimension_size` and `set_dimension_size`.
//!
//! A size is no element: `get_dimension_size` reads none. `set_dimension_size` hands on the elements within the new size (the
//! constraint of the result's run-time size, which is added for every operation); whether an element is there depends on the size
//! operand, so every element reads it. `minimum_broadcast_shapes` takes neighbouring dimensions together where all shapes allow it:
//! every size of a result follows from all shapes as a whole.

use crate::query::{Pieces, Query, everything, identity, nothing, over};

pub(crate) fn get_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    Ok(nothing(
        &q.result_sizes(result)?,
        &q.operand_sizes(operand)?,
    ))
}

pub(crate) fn get_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    Ok(nothing(
        &q.operand_sizes(operand)?,
        &q.result_sizes(result)?,
    ))
}

/// The operand has the same rank; its sizes are bounds of the result's.
fn identity_within(q: &Query<'_>, a: &[i64], b: &[i64]) -> Pieces {
    if a.len() != b.len() {
        return Err(format!("`{}` changes the rank", q.op.name()));
    }
    let sizes: Vec<i64> = a.iter().zip(b).map(|(a, b)| *a.min(b)).collect();
    Ok(vec![identity(&sizes)])
}

pub(crate) fn set_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let (out, inp) = (q.result_sizes(result)?, q.operand_sizes(operand)?);
    if operand > 0 {
        return Ok(vec![over(&out, vec![])]);
    }
    identity_within(q, &out, &inp)
}

pub(crate) fn set_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let (out, inp) = (q.result_sizes(result)?, q.operand_sizes(operand)?);
    if operand > 0 {
        return Ok(vec![everything(&inp, &out)]);
    }
    identity_within(q, &inp, &out)
}

pub(crate) fn shapes_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    Ok(vec![everything(
        &q.result_sizes(result)?,
        &q.operand_sizes(operand)?,
    )])
}

pub(crate) fn shapes_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    Ok(vec![everything(
        &q.operand_sizes(operand)?,
        &q.result_sizes(result)?,
    )])
}
