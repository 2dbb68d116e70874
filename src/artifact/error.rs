//! What is wrong with an artifact, and where.

use std::fmt;

/// A sentence about an artifact that cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The byte at which reading stopped; `None` where a tree is written.
    pub offset: Option<usize>,
    /// The sentence, without its place.
    pub message: String,
}

/// Result of reading and writing.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error at a byte of the artifact.
    pub fn at(offset: usize, message: impl Into<String>) -> Self {
        Self {
            offset: Some(offset),
            message: message.into(),
        }
    }

    /// An error about a tree.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            offset: None,
            message: message.into(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            Some(offset) => write!(formatter, "at byte {offset}: {}", self.message),
            None => formatter.write_str(&self.message),
        }
    }
}

impl std::error::Error for Error {}
