//! Maps of `transpose` (result dimension `i` is operand dimension `permutation[i]`) and `reverse`.

use crate::attrs;
use crate::index_rule::{Found, Index, IndexQuery, Reads, Tensor};
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
