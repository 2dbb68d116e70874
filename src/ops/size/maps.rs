//! Maps of `get_dimension_size` and `minimum_broadcast_shapes`.
//!
//! A size is no element: `get_dimension_size` reads none. `minimum_broadcast_shapes` takes
//! neighbouring dimensions together where all shapes allow it: every size of a result follows from
//! all shapes as a whole.

use crate::query::{Pieces, Query, everything, nothing};

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
