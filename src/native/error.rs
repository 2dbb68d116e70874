//! What can go wrong.

use mapwright_mlir::diagnostic::Failure;

/// Why compiling or running failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The program cannot be compiled; diagnostics at the operations say why.
    #[error(transparent)]
    Diagnosed(#[from] Failure),
    /// The program, in a context of its own ([`crate::Model`]), cannot be compiled; the text has
    /// the diagnostics.
    #[error("{}", .0.trim_end())]
    Refused(String),
    /// LLVM or the system refused something.
    #[error("{0}")]
    Native(String),
    /// An input does not fit the program.
    #[error("{0}")]
    Input(String),
    /// The program ran and failed: a check, a size beyond its bound, memory.
    #[error("{}", .0.message)]
    Run(mapwright_runtime::Error),
}

/// Shorthand.
pub type Result<T> = std::result::Result<T, Error>;
