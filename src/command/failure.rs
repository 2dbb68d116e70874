//! Errors of the library as failures of a command.

use crate::{mlir::diagnostic::Failure, native::Error};
use mapwright_normalize::rewrite;

/// Turns an error into one of the program. Errors that have been reported as diagnostics stay
/// silent from here on.
pub(crate) fn reported(error: Error) -> anyhow::Error {
    match error {
        Error::Diagnosed(failure) => failure.into(),
        Error::Refused(diagnostics) => {
            eprint!("{diagnostics}");
            Failure::reported().into()
        }
        other => other.into(),
    }
}

/// The failure that a rewriting's error is, after its diagnostic.
pub(crate) fn rewritten(error: rewrite::Error<'_>) -> anyhow::Error {
    error.op.emit_error(&error.message);
    Failure::reported().into()
}
