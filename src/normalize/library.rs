//! Functions that are called by name are checked before anything else reads their calls.

use crate::rewrite::{Error, Result};
use mapwright_mlir::Op;

/// Checks every call inside `root` of a function that is known ([`mapwright_ops::library`]).
///
/// # Errors
/// The first call with operands, results or options that its function does not have.
pub fn verify<'c>(root: Op<'c>) -> Result<'c> {
    mapwright_ops::library::verify_all(root).map_err(|(op, violation)| Error {
        op,
        message: violation.message,
    })
}
