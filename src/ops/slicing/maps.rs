//! Maps of `slice`: `operand = start + result * stride`.

use crate::attrs::Slice;
use crate::index_rule::{Found, Index, IndexQuery, Reads};

/// `slice`.
pub(crate) fn sliced(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
    let slice = Slice::decode(query.op, index.len())?;
    let mut at = Vec::with_capacity(index.len());
    for (k, i) in index.iter().enumerate() {
        let step = query.mul(*i, Index::Known(slice.stride[k]))?;
        at.push(query.add(step, Index::Known(slice.start[k]))?);
    }
    Ok(Reads::one(0, at))
}
