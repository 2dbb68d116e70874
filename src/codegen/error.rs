//! Why something could not be compiled.

/// An operation, type or form that code generation does not handle, in words. Becomes a diagnostic at the operation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unsupported(pub String);

/// Shorthand for results of code generation.
pub type Result<T> = std::result::Result<T, Unsupported>;

/// An error with a formatted reason.
pub fn unsupported<T>(reason: impl Into<String>) -> Result<T> {
    Err(Unsupported(reason.into()))
}
