//! A region of several operations as one `linalg.generic`, from composed and simplified maps.

use super::{
    element::{check, tensor},
    generic::{empty_of, indices, pointwise},
    reads::Reads,
    reduction::{Reduction, replace},
};
use crate::{
    error::{Result, unsupported},
    in_place::sizes::of_results,
};
use mapwright_indexing::{Expr, d};
use mapwright_mlir::{Builder, Op, op};

/// The reduction whose results are those of the region.
fn reduction<'c>(yielded: Op<'c>) -> Option<Op<'c>> {
    let (op, _) = op::defining_op(yielded.operands().first().copied()?)?;
    let own = op.results();
    let same = yielded.operands().into_iter().map(op::key);
    let is_all = same.eq(own.into_iter().map(op::key));
    (op.is_hlo("reduce") && op.block() == yielded.block() && is_all).then_some(op)
}

/// Replaces `fusion`, whose results have one shape and are made of single elements, or are those of
/// a reduction of such.
///
/// # Errors
/// Why it is not one `linalg.generic`; then it is as it was.
pub(super) fn rewrite(fusion: Op<'_>) -> Result<()> {
    let Some(b) = Builder::before(fusion.context(), fusion) else {
        return unsupported("is in no block");
    };
    let yielded = fusion
        .body(0)
        .and_then(|body| op::ops(body).last().copied());
    let Some(yielded) = yielded else {
        return unsupported("a region without results");
    };
    for value in fusion.operands().into_iter().chain(fusion.results()) {
        check(value)?;
    }
    let types = fusion.results().into_iter().map(tensor);
    let types = types.collect::<Result<Vec<_>>>()?;
    let first = &types[0];
    if types.iter().any(|ty| ty.dims != first.dims) || first.num_elements() == Some(0) {
        return unsupported("a region of several shapes");
    }
    if let Some(reduce) = reduction(yielded) {
        let sizes = of_results(&b, fusion)?;
        let reduction = Reduction::new(reduce, &sizes[0])?.at_the_end_of(fusion)?;
        let values = reduction.windows(&b)?;
        replace(fusion, &values);
        return Ok(());
    }
    let mut reads = Reads::new(indices(first), Some(fusion));
    let at: Vec<Expr> = (0..first.rank()).map(d).collect();
    let results = yielded.operands().into_iter();
    let results = results.map(|value| reads.element(value, &at, false));
    let results = results.collect::<Result<Vec<_>>>()?;
    let sizes = of_results(&b, fusion)?;
    let inits = types.iter().zip(&sizes);
    let inits: Vec<_> = inits
        .map(|(ty, sizes)| empty_of(&b, &ty.element, ty, sizes))
        .collect();
    let values = pointwise(&b, &reads, &results, &inits)?;
    replace(fusion, &values);
    Ok(())
}
