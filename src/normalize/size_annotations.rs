//! What is noted beside operations of run-time sizes for whoever reads them: the plan and the
//! emitters.

use mapwright_indexing::Extent;
use mapwright_mlir::{Op, sizes::list};

/// Beside a `dynamic_reduce_window` that is a prefix reduction: the dimension, and 1 if it goes
/// from the end.
pub(crate) const PREFIX: &str = "indexing.prefix";

/// The dimension of the prefix reduction that `op` is noted to be, and whether it goes from the
/// end.
pub fn prefix(op: Op<'_>) -> Option<(usize, bool)> {
    match op.ints(PREFIX)?.as_slice() {
        [axis, reverse] => Some((usize::try_from(*axis).ok()?, *reverse == 1)),
        _ => None,
    }
}

/// Beside padding that is an operand: how many elements are in front along each dimension, where
/// none are between the others.
pub(crate) const PADDING: &str = "indexing.padding";

/// Elements that `op` is noted to put in front along each dimension.
pub fn padding(op: Op<'_>) -> Option<Vec<i64>> {
    op.ints(PADDING)
}

/// Beside padding that is an operand, where how many elements are in front is known at run time
/// only: for each dimension the least number and the greatest one, as far as the sizes tell. None
/// are between the others.
pub(crate) const PADDING_RANGE: &str = "indexing.padding_range";

/// The least and the greatest number of elements that `op` is noted to put in front along each
/// dimension.
pub fn padding_range(op: Op<'_>) -> Option<Vec<(i64, i64)>> {
    let ends = op.ints(PADDING_RANGE)?;
    Some(ends.chunks_exact(2).map(|end| (end[0], end[1])).collect())
}

/// Beside a slice whose place is an operand: for each dimension of the operand where it begins,
/// which is a number or a size that something is added to.
pub(crate) const SLICE: &str = "indexing.slice";
/// For each dimension of the operand how far the elements of the slice are from each other, which
/// is zero where the result has no such dimension.
pub(crate) const SLICE_STEPS: &str = "indexing.slice_steps";

/// The slice of its first operand that `op` is noted to be: where it begins, and the distances of
/// its elements.
pub fn slice(op: Op<'_>) -> Option<Vec<(Extent, i64)>> {
    let (starts, steps) = (list(op, SLICE)?, op.ints(SLICE_STEPS)?);
    Some(starts.into_iter().zip(steps).collect())
}

/// For each dimension of the operand the size that the slice begins at, and how many elements
/// behind it that is. Empty where `op` is noted to be none.
pub fn slice_starts(op: Op<'_>) -> Vec<(Extent, i64)> {
    let starts = list(op, SLICE).unwrap_or_default().into_iter();
    let split = starts.map(|start| {
        let (_, more) = start.parts();
        (start - more, more)
    });
    split.collect()
}
