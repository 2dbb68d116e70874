//! Maps of `transpose` (result dimension `i` is operand dimension `permutation[i]`) and `reverse`.

use crate::attrs;
use crate::query::{Pieces, Query, over};
use mapwright_indexing::{Expr, c, d};

/// `index[permutation[i]] = d(i)`: the operand index of a result index.
pub fn inverse(permutation: &[usize]) -> Vec<Expr> {
    let mut index = vec![c(0); permutation.len()];
    for (i, k) in permutation.iter().enumerate() {
        index[*k] = d(i);
    }
    index
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let permutation = attrs::permutation(q.op, q.operand(operand)?.rank())?;
    let inp = q.operand_sizes(operand)?;
    let sizes: Vec<i64> = permutation.iter().map(|k| inp[*k]).collect();
    same_rank(q, result, sizes.len())?;
    Ok(vec![over(&sizes, inverse(&permutation))])
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let permutation = attrs::permutation(q.op, q.operand(operand)?.rank())?;
    same_rank(q, result, permutation.len())?;
    Ok(vec![over(
        &q.operand_sizes(operand)?,
        permutation.iter().map(|k| d(*k)).collect(),
    )])
}

fn same_rank(q: &Query<'_>, result: usize, rank: usize) -> Result<(), String> {
    match q.result(result)?.rank() {
        r if r == rank => Ok(()),
        r => Err(format!("an operand of rank {rank} and a result of rank {r}")),
    }
}

/// Both directions of `reverse` are the same map: it is its own inverse.
fn reversed(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let inp = q.operand(operand)?;
    let axes = attrs::dimensions(q.op, inp.rank())?;
    same_rank(q, result, inp.rank())?;
    let index = inp
        .dims
        .iter()
        .enumerate()
        .map(|(k, size)| {
            if !axes.contains(&k) {
                return Ok(d(k));
            }
            let size = size
                .fixed()
                .ok_or_else(|| format!("dimension {k} is reversed and its size is known at run time only"))?;
            Ok(-d(k) + (size - 1))
        })
        .collect::<Result<Vec<Expr>, String>>()?;
    Ok(vec![over(&q.operand_sizes(operand)?, index)])
}

pub(crate) fn reverse_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    reversed(q, operand, result)
}

pub(crate) fn reverse_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    reversed(q, operand, result)
}
