//! Verification between stages: what a rewriting makes must be valid.

use mapwright_mlir::{
    Op,
    diagnostic::{Failure, Message},
};

/// The error that the stage `stage` made `op`, which is not valid; why it is not was said before.
pub fn internal_error(op: Op<'_>, stage: &str) -> Failure {
    let what = format!(
        "internal error: the stage '{stage}' made an operation '{}' that is not valid",
        op.name()
    );
    Message::error(op.location(), what)
        .note(None, "this is a defect of mapwright; the input may be fine")
        .emit()
}

/// Verifies all of `root`, which the stage `stage` leaves.
///
/// # Errors
/// Something in it is not valid.
pub fn all(root: Op<'_>, stage: &str) -> Result<(), Failure> {
    if root.verify() {
        Ok(())
    } else {
        Err(internal_error(root, stage))
    }
}
