//! What is noted beside operations of run-time sizes for whoever reads them: the plan and the emitters.

use mapwright_indexing::Extent;
use mapwright_mlir::{Op, sizes::extent};

/// Beside a `dynamic_reduce_window` that is a prefix reduction: the dimension, and 1 if it goes from the end.
pub(crate) const PREFIX: &str = "indexing.prefix";

/// The dimension of the prefix reduction that `op` is noted to be, and whether it goes from the end.
pub fn prefix(op: Op<'_>) -> Option<(usize, bool)> {
    match op.ints(PREFIX)?.as_slice() {
        [axis, reverse] => Some((usize::try_from(*axis).ok()?, *reverse == 1)),
        _ => None,
    }
}

/// Beside padding that is an operand: how many elements are in front along each dimension, where none are between the others.
pub(crate) const PADDING: &str = "indexing.padding";

/// Padding in front of each dimension, as annotated on `op`.
pub fn padding(op: Op<'_>) -> Option<Vec<i64>> {
    op.ints(PADDING)
}

/// Beside padding that is an operand, where how many elements are in front is known at run time only: for each dimension the least number and the
/// greatest one, as far as the sizes tell. None are between the others.
pub(crate) const PADDING_RANGE: &str = "indexing.padding_range";

/// The least and the greatest number of elements that `op` is noted to put in front along each dimension.
pub fn padding_range(op: Op<'_>) -> Option<Vec<(i64, i64)>> {
    let ends = op.ints(PADDING_RANGE)?;
    Some(ends.chunks_exact(2).map(|end| (end[0], end[1])).collect())
}

/// Beside a slice whose place is an operand: for each dimension of the operand where it begins, and how far its elements are from each other, which is
/// zero where the result has no such dimension.
pub(crate) const SLICE: &str = "indexing.slice";
/// For each dimension the name of a size, which is to be added to where the slice begins; zero: none.
pub(crate) const SLICE_FROM: &str = "indexing.slice_from";

/// The slice of its first operand that `op` is noted to be: where it begins, and the distances of its elements.
pub fn slice(op: Op<'_>) -> Option<Vec<(Extent, i64)>> {
    let places = op.ints(SLICE)?;
    let mut from = slice_from(op);
    from.resize(places.len() / 2, Extent::ZERO);
    let places = places.chunks_exact(2).zip(from);
    Some(
        places
            .map(|(place, size)| (size + place[0], place[1]))
            .collect(),
    )
}

/// For each dimension of the operand the size that is added to where the slice begins. Empty where no sizes are added.
pub fn slice_from(op: Op<'_>) -> Vec<Extent> {
    let names = op.ints(SLICE_FROM).unwrap_or_default();
    names.into_iter().map(extent).collect()
}

/// Annotation of the start of a slice along dimension `dim`: the size that is added to it, and the number of further elements.
pub fn slice_start(op: Op<'_>, dim: usize) -> Option<(i64, i64)> {
    let (names, places) = (op.ints(SLICE_FROM)?, op.ints(SLICE)?);
    Some((*names.get(dim)?, *places.get(2 * dim)?))
}
