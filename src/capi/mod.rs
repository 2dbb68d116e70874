//! The C API of `libmapwright.so`; `include/mapwright-c/*.h` says what each function does.
//!
//! The only `unsafe` of the crate besides the plugin's entry points. Every function catches panics:
//! unwinding must not reach the caller. A null pointer to what an entry works on is an error; any
//! other pointer is trusted, as C does.

mod artifact;
mod execute;
mod map;
mod map_attribute;
mod model;
mod module;
mod passes;
mod ragged;

use mapwright_native::Error;
use mapwright_runtime::Status;
use std::{
    cell::Cell,
    ffi::{CStr, CString, c_char},
};

thread_local! {
    /// [`Status`] of this thread's latest call that could fail.
    static STATUS: Cell<Status> = const { Cell::new(Status::Ok) };
}

/// Why a call failed: its code and its text.
#[derive(Debug)]
struct Failed {
    status: Status,
    message: String,
}

/// Blames what the caller gave, unless something else is said.
impl<T: Into<String>> From<T> for Failed {
    fn from(message: T) -> Self {
        Self {
            status: Status::InvalidArgument,
            message: message.into(),
        }
    }
}

impl Failed {
    /// Of compiling or running; `message` is what `error` says, with its diagnostics.
    fn from_error(error: &Error, message: String) -> Self {
        let status = match error {
            Error::Diagnosed(_) | Error::Refused(_) | Error::Input(_) => Status::InvalidArgument,
            Error::Native(_) => Status::Internal,
            Error::Run(error) => error.status,
        };
        Self { status, message }
    }

    /// Of an error whose text has everything.
    fn plain(error: Error) -> Self {
        let message = error.to_string();
        Self::from_error(&error, message)
    }
}

/// A text for the caller, who frees it with `mapwrightStringDestroy`. Null bytes, which no text of
/// ours has, are replaced.
fn give(text: &str) -> *mut c_char {
    CString::new(text.replace('\0', "\u{fffd}")).map_or(std::ptr::null_mut(), CString::into_raw)
}

/// Runs `work`; an error or a panic goes to `*error` unless that is null.
///
/// # Safety
///
/// `error` is null or points to a place for a pointer.
unsafe fn attempt<T>(
    error: *mut *mut c_char,
    work: impl FnOnce() -> Result<T, Failed>,
) -> Option<T> {
    STATUS.set(Status::Ok);
    let failed = match mapwright_mlir::pass::guard(work) {
        Ok(Ok(value)) => return Some(value),
        Ok(Err(failed)) => failed,
        Err(message) => Failed {
            status: Status::Internal,
            message: format!("internal error: {message}"),
        },
    };
    STATUS.set(failed.status);
    if !error.is_null() {
        // SAFETY: promised by the caller.
        unsafe { *error = give(&failed.message) };
    }
    None
}

/// As [`attempt`], for functions that return a text or null.
///
/// # Safety
///
/// As for [`attempt`].
unsafe fn attempt_text(
    error: *mut *mut c_char,
    work: impl FnOnce() -> Result<String, Failed>,
) -> *mut c_char {
    // SAFETY: promised by the caller.
    unsafe { attempt(error, work) }.map_or(std::ptr::null_mut(), |text| give(&text))
}

/// The text of a null-terminated argument.
///
/// # Safety
///
/// `text` is null or a null-terminated string that outlives `'a`.
unsafe fn take<'a>(text: *const c_char, what: &str) -> Result<&'a str, String> {
    if text.is_null() {
        return Err(format!("{what} is null"));
    }
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(text) }
        .to_str()
        .map_err(|_| format!("{what} is not UTF-8"))
}

/// Returns what a pointer points to that an entry cannot do without.
///
/// # Safety
///
/// `pointer` is null or valid for `'a`.
unsafe fn there<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, String> {
    // SAFETY: promised by the caller.
    unsafe { pointer.as_ref() }.ok_or_else(|| format!("{what} is null"))
}

/// Version of the library and of the LLVM it was built for; static.
#[unsafe(no_mangle)]
pub extern "C" fn mapwrightVersion() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// An `enum mw_status`: that of the latest call on this thread of a function that can fail.
#[unsafe(no_mangle)]
pub extern "C" fn mapwrightStatus() -> i32 {
    STATUS.get() as i32
}

/// Frees a text that a function of this library returned.
///
/// # Safety
///
/// `text` is null or came from this library, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightStringDestroy(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: promised by the caller.
        drop(unsafe { CString::from_raw(text) });
    }
}
