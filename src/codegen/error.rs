//! Why something could not be compiled.

use mapwright_ops::attrs::AttrError;

/// An operation, type or form that code generation does not handle, in words. Becomes a diagnostic
/// at the operation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unsupported(pub String);

/// Error of an operation that cannot be compiled.
pub use mapwright_normalize::rewrite::Error as Located;

impl From<Located<'_>> for Unsupported {
    fn from(located: Located<'_>) -> Self {
        Self(located.message)
    }
}

impl From<AttrError> for Unsupported {
    fn from(error: AttrError) -> Self {
        Self(error.to_string())
    }
}

/// Shorthand for results of code generation.
pub type Result<T> = std::result::Result<T, Unsupported>;

/// An error with a formatted reason.
pub fn unsupported<T>(reason: impl Into<String>) -> Result<T> {
    Err(Unsupported(reason.into()))
}
