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
