//! The shape function of reductions.

use crate::attrs;
use crate::shape_function::{Found, Pairs, ShapeQuery, Size, same_sizes};

/// The inputs of a variadic reduction, that of the result first.
pub(crate) fn inputs(count: usize, result: usize) -> Vec<usize> {
    let others = (0..count).filter(|i| *i != result);
    std::iter::once(result).chain(others).collect()
}

/// `reduce`: the dimensions that are not reduced.
pub(crate) fn reduce(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let own = query.common(&inputs(query.op.num_operands() / 2, query.result))?;
    let reduced = attrs::dimensions(query.op, own.len())?;
    let kept = own.into_iter().enumerate();
    Ok(kept
        .filter(|(d, _)| !reduced.contains(d))
        .map(|(_, size)| size)
        .collect())
}

/// Inputs have the same sizes; as many initial values follow them.
pub(crate) fn inputs_fit(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    same_sizes(query, query.op.num_operands() / 2)
}
