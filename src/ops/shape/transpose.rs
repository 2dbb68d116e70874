//! Maps of `transpose` (result dimension `i` is operand dimension `permutation[i]`) and `reverse`.

use crate::attrs;
use crate::index_rule::{self, Found, Index, IndexQuery, Reads, Tensor};
use crate::query::{Pieces, Query, over, variables};
use mapwright_indexing::{Expr, c, d};

/// `index[permutation[i]] = d(i)`: the operand index of a result index.
pub fn inverse(permutation: &[usize]) -> Vec<Expr> {
    let mut index = vec![c(0); permutation.len()];
    for (i, k) in permutation.iter().enumerate() {
        index[*k] = d(i);
    }
    index
}

/// `transpose`.
pub(crate) fn transposed(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
    let permutation = attrs::permutation(query.op, index.len())?;
    let mut at = vec![Index::Known(0); index.len()];
    for (i, k) in permutation.into_iter().enumerate() {
        at[k] = index[i];
    }
    Ok(Reads::one(0, at))
}

/// `reverse`: the last element is where the size says.
pub(crate) fn reversed(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
    let mut at = index.to_vec();
    for k in attrs::dimensions(query.op, index.len())? {
        let size = query.size(Tensor::Operand(0), k)?;
        let last = query.sub(size, Index::Known(1))?;
        at[k] = query.sub(last, index[k])?;
    }
    Ok(Reads::one(0, at))
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    index_rule::maps(q, result, operand, transposed)
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

pub(crate) fn reverse_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    index_rule::maps(q, result, operand, reversed)
}

/// Both directions of `reverse` are the same map, of operand and result of one shape: it is its own inverse.
pub(crate) fn reverse_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    same_rank(q, result, q.operand(operand)?.rank())?;
    let mut pieces = index_rule::maps(q, result, operand, reversed)?;
    for map in &mut pieces {
        map.dims = variables(&q.operand_sizes(operand)?);
    }
    Ok(pieces)
}
