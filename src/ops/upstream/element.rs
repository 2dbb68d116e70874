//! Maps of operations that read their operands at the index of the result, and of those that put a
//! tensor together from scalars.

use crate::query::{Pieces, Query, everything, identity, nothing, over};
use mapwright_indexing::{Expr, Interval, c};

/// The identity; an operand that is a scalar beside tensors is read everywhere.
pub(super) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let (out, inp) = (q.result_sizes(result)?, q.operand_sizes(operand)?);
    match inp.len() {
        rank if rank == out.len() => Ok(vec![identity(&meet(&out, &inp))]),
        0 => Ok(vec![over(&out, vec![])]),
        rank => Err(mismatch(rank, out.len())),
    }
}

pub(super) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let (inp, out) = (q.operand_sizes(operand)?, q.result_sizes(result)?);
    match inp.len() {
        rank if rank == out.len() => Ok(vec![identity(&meet(&out, &inp))]),
        0 => Ok(vec![everything(&inp, &out)]),
        rank => Err(mismatch(rank, out.len())),
    }
}

/// One of the two types may know more of the sizes.
fn meet(a: &[i64], b: &[i64]) -> Vec<i64> {
    a.iter().zip(b).map(|(a, b)| *a.min(b)).collect()
}

fn mismatch(operand: usize, result: usize) -> String {
    format!("an operand of rank {operand} in an element-wise operation of rank {result}")
}

/// The index in a tensor of the element that is its `position`-th, row-major.
fn place(sizes: &[i64], position: usize) -> Vec<i64> {
    let mut left = position as i64;
    let strides = crate::shape::reshape::strides(sizes);
    let index = strides.iter().map(|stride| {
        let at = left / stride.max(&1);
        left -= at * stride;
        at
    });
    index.collect()
}

/// `tensor.from_elements`: operand `i` is the `i`-th element.
pub(super) fn list_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let out = q.static_result(result)?;
    let mut map = over(&out, vec![]);
    for (variable, at) in map.dims_mut().iter_mut().zip(place(&out, operand)) {
        variable.interval = Interval::point(at);
    }
    Ok(vec![map])
}

pub(super) fn list_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let index: Vec<Expr> = place(&q.static_result(result)?, operand)
        .into_iter()
        .map(c)
        .collect();
    Ok(vec![over(&[], index)])
}

/// `tensor.dim`: a size is made of no element, and of the number of the dimension.
pub(super) fn size_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    match operand {
        0 => Ok(nothing(&q.result_sizes(result)?, &q.operand_sizes(0)?)),
        _ => Ok(vec![over(&[], vec![])]),
    }
}

pub(super) fn size_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    match operand {
        0 => Ok(nothing(&q.operand_sizes(0)?, &q.result_sizes(result)?)),
        _ => Ok(vec![over(&[], vec![])]),
    }
}
