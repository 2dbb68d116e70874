//! What a call of the C API failed of.

use std::sync::Arc;

pub(crate) type Result<T> = std::result::Result<T, Status>;

/// Kinds of failures, with the numbers of the C API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    InvalidArgument = 3,
    NotFound = 5,
    ResourceExhausted = 8,
    FailedPrecondition = 9,
    Unimplemented = 12,
    Internal = 13,
}

/// A failure: its kind and its reason. Cheap to copy, since everything that depends on a failed
/// value fails with it.
#[derive(Clone, Debug)]
pub(crate) struct Status {
    code: i32,
    message: Arc<str>,
}

impl Status {
    pub(crate) fn new(code: Code, message: impl Into<Arc<str>>) -> Self {
        Self::foreign(code as i32, message)
    }

    /// A failure with a number that somebody else gave it.
    pub(crate) fn foreign(code: i32, message: impl Into<Arc<str>>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    pub(crate) fn invalid(message: impl Into<Arc<str>>) -> Self {
        Self::new(Code::InvalidArgument, message)
    }

    pub(crate) fn internal(message: impl Into<Arc<str>>) -> Self {
        Self::new(Code::Internal, message)
    }

    pub(crate) fn unimplemented(message: impl Into<Arc<str>>) -> Self {
        Self::new(Code::Unimplemented, message)
    }

    pub(crate) fn code(&self) -> i32 {
        self.code
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }
}

impl From<mapwright_runtime::Error> for Status {
    fn from(error: mapwright_runtime::Error) -> Self {
        use mapwright_runtime::Status as Kind;
        let code = match error.status {
            Kind::InvalidArgument => Code::InvalidArgument,
            Kind::OutOfMemory => Code::ResourceExhausted,
            Kind::NotFound => Code::NotFound,
            Kind::Unsupported => Code::Unimplemented,
            _ => Code::Internal,
        };
        Self::new(code, error.message)
    }
}

impl From<mapwright_native::Error> for Status {
    fn from(error: mapwright_native::Error) -> Self {
        match error {
            mapwright_native::Error::Run(error) => error.into(),
            mapwright_native::Error::Input(message) => Self::invalid(message),
            other => Self::internal(other.to_string()),
        }
    }
}
