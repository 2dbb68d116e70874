//! Maps of `concatenate`: every operand is a box of the result, behind the operands before it.

use crate::attrs;
use crate::index_rule::{self, Found, Index, IndexQuery, Read, Reads, Tensor};
use crate::query::{Pieces, Query, over};
use mapwright_indexing::{Expr, IndexingMap, c, d};
use mapwright_mlir::Op;

/// The dimension along which tensors of this rank are put together.
fn dimension(op: Op<'_>, rank: usize) -> Result<usize, String> {
    let name = match op.name() {
        "tensor.concat" => "dim",
        _ => "dimension",
    };
    Ok(attrs::axis(name, attrs::int(op, name)?, rank)?)
}

/// The dimension, and where the operand begins in it: behind the operands before, whose sizes may be known at run time only.
fn offset(q: &Query<'_>, operand: usize, map: &mut IndexingMap) -> Result<(usize, Expr), String> {
    let axis = dimension(q.op, q.operand(operand)?.rank())?;
    let mut offset = c(0);
    for i in 0..operand {
        let dim = q
            .operand(i)?
            .dims
            .get(axis)
            .copied()
            .ok_or("the operands have different ranks")?;
        offset = offset + q.size_of_operand(map, i, axis, dim);
    }
    Ok((axis, offset))
}

fn same_rank(q: &Query<'_>, result: usize, operand: usize) -> Result<(), String> {
    if q.result(result)?.rank() == q.operand(operand)?.rank() {
        return Ok(());
    }
    Err("operand and result have different ranks".into())
}

/// `concatenate`.
pub(crate) fn concatenated(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
    let axis = dimension(query.op, index.len())?;
    let mut at = index.to_vec();
    let mut pieces = Vec::new();
    for operand in 0..query.op.num_operands() {
        if operand > 0 {
            let before = query.size(Tensor::Operand(operand - 1), axis)?;
            at[axis] = query.sub(at[axis], before)?;
        }
        pieces.push(Read::new(operand, at.clone()));
    }
    Ok(Reads {
        pieces,
        elsewhere: None,
    })
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    index_rule::maps(q, result, operand, concatenated)
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    same_rank(q, result, operand)?;
    let inp = q.operand_sizes(operand)?;
    let mut map = over(&inp, vec![]);
    let (axis, offset) = offset(q, operand, &mut map)?;
    map.results = (0..inp.len())
        .map(|k| {
            if k == axis {
                d(k) + offset.clone()
            } else {
                d(k)
            }
        })
        .collect();
    Ok(vec![map])
}
