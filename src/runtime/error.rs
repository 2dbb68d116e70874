//! Errors and the status codes they become at the C border.

use std::cell::Cell;
use std::fmt;

/// Status codes of the C border; `0` is success. Mirrored by `enum mw_status` in the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Status {
    Ok = 0,
    /// An argument is outside of what the function accepts.
    InvalidArgument = 1,
    /// The system, or the limit set by the user, refused memory.
    OutOfMemory = 2,
    /// A bug: a panic was caught at the border.
    Internal = 3,
    /// A `check.*` found a difference.
    CheckFailed = 4,
    /// A callback given by the user returned a failure.
    CallbackFailed = 5,
    /// A collective operation waited longer than its time limit.
    Timeout = 6,
    /// An access outside of a buffer, found by the bounds-checking mode.
    OutOfBounds = 7,
    /// A run-time size does not match, or exceeds its bound.
    ShapeMismatch = 8,
    /// Another participant of a collective failed.
    Aborted = 9,
    /// A name (custom call, channel) is not known.
    NotFound = 10,
    /// The combination of types is not supported.
    Unsupported = 11,
}

impl Status {
    /// The status with this code; unknown codes are read as [`Status::Internal`].
    pub fn from_code(code: i32) -> Status {
        use Status::*;
        const ALL: [Status; 12] = [
            Ok,
            InvalidArgument,
            OutOfMemory,
            Internal,
            CheckFailed,
            CallbackFailed,
            Timeout,
            OutOfBounds,
            ShapeMismatch,
            Aborted,
            NotFound,
            Unsupported,
        ];
        usize::try_from(code)
            .ok()
            .and_then(|i| ALL.get(i).copied())
            .unwrap_or(Internal)
    }
}

/// A failure with its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub status: Status,
    pub message: String,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub fn new(status: Status, message: impl Into<String>) -> Error {
        Error {
            status,
            message: message.into(),
        }
    }

    pub fn invalid(message: impl Into<String>) -> Error {
        Error::new(Status::InvalidArgument, message)
    }

    pub fn unsupported(message: impl Into<String>) -> Error {
        Error::new(Status::Unsupported, message)
    }

    pub fn out_of_memory(bytes: usize) -> Error {
        Error::new(
            Status::OutOfMemory,
            format!("out of memory: {bytes} bytes were refused"),
        )
    }

    /// The message of a panic, as far as it has one, as a failure.
    pub(crate) fn from_panic(panic: &(dyn std::any::Any + Send)) -> Error {
        let said = panic
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("a panic");
        Error::new(Status::Internal, format!("internal error: {said}"))
    }
}

thread_local! {
    /// Failure on this thread where no context was at hand.
    static LEFT: Cell<Option<Error>> = const { Cell::new(None) };
}

/// Leaves a failure to the context that this thread works for, which takes it
/// ([`crate::Context::take_left`]) before the call ends. The first one is kept.
pub(crate) fn leave(error: Error) {
    LEFT.set(Some(LEFT.take().unwrap_or(error)));
}

/// Takes the failure that this thread left.
pub(crate) fn left() -> Option<Error> {
    LEFT.take()
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_round_trip() {
        for code in 0..12 {
            assert_eq!(Status::from_code(code) as i32, code);
        }
        assert_eq!(Status::from_code(-1), Status::Internal);
        assert_eq!(Status::from_code(99), Status::Internal);
    }
}
