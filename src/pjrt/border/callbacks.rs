//! Functions of the caller's that are called back.

use super::{Handle, error::Error};
use crate::status::{Result, Status};
use std::ffi::c_void;

/// A pointer of the caller's that goes back to a function of the caller's.
#[derive(Clone, Copy)]
pub(crate) struct Token(pub(crate) *const c_void);

// SAFETY: the header of the C API says that callbacks may come from any thread.
unsafe impl Send for Token {}
// SAFETY: as above.
unsafe impl Sync for Token {}

impl Token {
    fn whole(self) -> *const c_void {
        self.0
    }
}

/// Returns the function that calls back when an event is there: the callback owns the error that it
/// is given.
pub(crate) fn when_ready(
    callback: *const c_void,
    argument: *const c_void,
) -> Result<impl FnOnce(&Result<()>) + Send + 'static> {
    type Callback = unsafe extern "C" fn(Handle<Error>, *const c_void);
    let (callback, argument) = (present(callback)?, Token(argument));
    Ok(move |outcome: &Result<()>| {
        let error = match outcome {
            Ok(()) => Handle::NULL,
            Err(status) => Error::give(status.clone()),
        };
        // SAFETY: the field of the record is a function of this type, which takes the error over.
        unsafe {
            let callback: Callback = std::mem::transmute(callback.whole());
            callback(error, argument.whole());
        }
    })
}

/// Returns the function that calls back when the memory behind a view is not used any more.
pub(crate) fn when_deleted(
    callback: *const c_void,
    memory: *const c_void,
    argument: *const c_void,
) -> impl FnOnce() + Send + Sync + 'static {
    type Callback = unsafe extern "C" fn(*const c_void, *const c_void);
    let (callback, memory, argument) = (Token(callback), Token(memory), Token(argument));
    move || {
        if !callback.whole().is_null() {
            // SAFETY: the field of the record is null or a function of this type.
            unsafe {
                let callback: Callback = std::mem::transmute(callback.whole());
                callback(memory.whole(), argument.whole());
            }
        }
    }
}

/// Calls `visitor` for nothing: our errors carry no payload.
pub(crate) fn visit_payloads(_visitor: *const c_void, _argument: *const c_void) {}

fn present(callback: *const c_void) -> Result<Token> {
    if callback.is_null() {
        Err(Status::invalid("the callback is null".to_owned()))
    } else {
        Ok(Token(callback))
    }
}
