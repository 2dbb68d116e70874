//! Maps of `concatenate`: every operand is a box of the result, behind the operands before it.

use crate::attrs;
use crate::index_rule::{Found, Index, IndexQuery, Read, Reads, Tensor};
use mapwright_mlir::Op;

/// The dimension along which tensors of this rank are put together.
fn dimension(op: Op<'_>, rank: usize) -> Result<usize, String> {
    let name = match op.name() {
        "tensor.concat" => "dim",
        _ => "dimension",
    };
    Ok(attrs::axis(name, attrs::int(op, name)?, rank)?)
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
