//! Maps of element-wise operations.
//!
//! Result and operands have the same shape: the identity, both ways. A scalar operand of `select`
//! and `clamp` stands for a tensor of equal elements: the result reads its one element everywhere.
//! `constant_like` reads nothing but the shape.

use crate::query::{Pieces, Query, everything, identity, nothing, over};
use crate::shape::broadcast;

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    let inp = q.operand_sizes(operand)?;
    match q.op.short_name() {
        "constant_like" => Ok(nothing(&out, &inp)),
        // The operand of `add_dependency` that is a token has no elements; it is refused by
        // `operand_sizes`.
        _ if inp.len() == out.len() => Ok(vec![identity(&meet(&out, &inp))]),
        "select" | "clamp" if inp.is_empty() => Ok(vec![over(&out, vec![])]),
        _ => Err(mismatch(inp.len(), out.len())),
    }
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    let inp = q.operand_sizes(operand)?;
    match q.op.short_name() {
        "constant_like" => Ok(nothing(&inp, &out)),
        _ if inp.len() == out.len() => Ok(vec![identity(&meet(&inp, &out))]),
        "select" | "clamp" if inp.is_empty() => Ok(vec![everything(&inp, &out)]),
        _ => Err(mismatch(inp.len(), out.len())),
    }
}

/// Both types speak about the same sizes; one of them may know more.
fn meet(a: &[i64], b: &[i64]) -> Vec<i64> {
    a.iter().zip(b).map(|(a, b)| *a.min(b)).collect()
}

fn mismatch(operand: usize, result: usize) -> String {
    format!("an operand of rank {operand} in an element-wise operation of rank {result}")
}

pub(crate) fn broadcasting_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let dims = broadcast::numpy_dimensions(q, operand, result)?;
    broadcast::output_to_input_along(q, result, operand, &dims)
}

pub(crate) fn broadcasting_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let dims = broadcast::numpy_dimensions(q, operand, result)?;
    broadcast::input_to_output_along(q, operand, result, &dims)
}
