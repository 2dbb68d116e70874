//! What the plan notes beside operations for whoever reads them.

use mapwright_mlir::Op;

/// Beside a `dynamic_reduce_window` that is a prefix reduction: the dimension, and 1 if it goes from the end.
pub(crate) const PREFIX: &str = "indexing.prefix";

/// The dimension of the prefix reduction that `op` is noted to be, and whether it goes from the end.
pub(crate) fn prefix(op: Op<'_>) -> Option<(usize, bool)> {
    match op.ints(PREFIX)?.as_slice() {
        [axis, reverse] => Some((usize::try_from(*axis).ok()?, *reverse == 1)),
        _ => None,
    }
}

/// Beside padding that is an operand: how many elements are in front along each dimension, where none are between the others.
pub(crate) const PADDING: &str = "indexing.padding";

/// How many elements `op` is noted to put in front along each dimension.
pub(crate) fn padding(op: Op<'_>) -> Option<Vec<i64>> {
    op.ints(PADDING)
}
