//! Replacing operations in place.

use mapwright_mlir::{Op, Val, edit, op};

/// What could not be rewritten, at which operation.
#[derive(Clone, Debug)]
pub struct Error<'c> {
    /// The operation.
    pub op: Op<'c>,
    /// What is wrong or missing.
    pub message: String,
}

/// Result of a rewrite.
pub type Result<'c, T = ()> = std::result::Result<T, Error<'c>>;

/// An error at `op`.
pub fn fail<'c, T>(op: Op<'c>, message: impl Into<String>) -> Result<'c, T> {
    Err(Error {
        op,
        message: message.into(),
    })
}

/// Replaces the results of `old` by `values` and erases it.
///
/// `old` and everything inside must not be looked at afterwards.
pub fn replace<'c>(old: Op<'c>, values: &[Val<'c>]) {
    debug_assert_eq!(old.num_results(), values.len());
    for (i, value) in values.iter().enumerate() {
        op::replace_all_uses(old.result(i), *value);
    }
    edit::erase_unused(old);
}
