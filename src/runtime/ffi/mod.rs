//! The C border: functions `mw_*` that generated code and C programs call.
//!
//! Every function catches panics. One that can fail returns a [`Status`] code and leaves a message
//! in the context; what kernels call for single numbers has none, and leaves it to the context that
//! its thread works for. Pointers follow C's rules: what a function is given must be valid for the
//! sizes it is given with; that is the caller's promise and the safety condition of each function
//! here. Sizes and shapes are checked.

// The safety condition is the same everywhere and stated above.
#![allow(clippy::missing_safety_doc)]

mod bounds;
mod check;
mod collective;
mod complex;
mod context;
mod fft;
mod linalg;
mod memory;
mod messages;
mod once;
mod random;
mod run_world;
mod sizes;
mod sort;
mod symbols;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use bounds::*;
pub use check::*;
pub use collective::*;
pub use complex::*;
pub use context::*;
pub use fft::*;
pub use linalg::*;
pub use memory::*;
pub use messages::*;
pub use once::*;
pub use random::*;
pub use run_world::*;
pub use sizes::*;
pub use sort::*;
pub use symbols::symbols;

use crate::{Context, Error, Result, Status};

/// Runs `body` on behalf of C: failures and panics are recorded in the context and become a status
/// code.
///
/// # Safety
/// `context` is null or points to a live context.
unsafe fn guard(context: *const Context, body: impl FnOnce(&Context) -> Result<()>) -> i32 {
    // SAFETY: the caller's promise.
    let Some(context) = (unsafe { context.as_ref() }) else {
        return Status::InvalidArgument as i32;
    };
    match catch_unwind(AssertUnwindSafe(|| body(context))) {
        Ok(Ok(())) => Status::Ok as i32,
        Ok(Err(error)) => {
            context.set_error(&error);
            error.status as i32
        }
        Err(panic) => {
            context.set_error(&Error::from_panic(panic.as_ref()));
            Status::Internal as i32
        }
    }
}

/// A size from C.
fn size(value: i64, what: &str) -> Result<usize> {
    usize::try_from(value)
        .map_err(|_| Error::invalid(format!("{what} is {value}; it must not be negative")))
}

/// A text from C, made valid UTF-8; null is the empty text.
///
/// # Safety
/// `text` is null or a string that ends with a zero byte.
unsafe fn text(text: *const std::ffi::c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { std::ffi::CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

/// `count` values that C gives for reading.
///
/// # Safety
/// `pointer` is valid for `count` values that nobody writes meanwhile, or `count` is 0.
unsafe fn input<'a, T>(pointer: *const T, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(pointer, count) }
}

/// `count` values that C gives for writing.
///
/// # Safety
/// `pointer` is valid for `count` values that nobody else accesses meanwhile, or `count` is 0.
unsafe fn output<'a, T>(pointer: *mut T, count: usize) -> &'a mut [T] {
    if count == 0 {
        return &mut [];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(pointer, count) }
}
