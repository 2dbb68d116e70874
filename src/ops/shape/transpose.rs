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
        r => Err(format!(
            "an operand of rank {rank} and a result of rank {r}"
        )),
    }
}

/// Both directions of `reverse` are the same map: it is its own inverse.
fn reversed(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let inp = q.operand(operand)?;
    let axes = attrs::dimensions(q.op, inp.rank())?;
    same_rank(q, result, inp.rank())?;
    let mut map = over(&q.operand_sizes(operand)?, vec![]);
    for (k, dim) in inp.dims.iter().enumerate() {
        let index = if axes.contains(&k) {
            // The last element is where the run-time size says.
            let size = q.size_of_operand(&mut map, operand, k, *dim);
            -d(k) + (size - 1)
        } else {
            d(k)
        };
        map.results.push(index);
    }
    Ok(vec![map])
}

pub(crate) fn reverse_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    reversed(q, operand, result)
}

pub(crate) fn reverse_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    reversed(q, operand, result)
}
