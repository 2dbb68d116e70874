//! A failure as C keeps it.

use super::{Handle, callbacks, parts};
use crate::status::Status;
use std::ffi::{c_char, c_void};

/// A failure as C keeps it; the table of functions comes first.
#[repr(C)]
pub(crate) struct Error {
    table: &'static ErrorTable,
    status: Status,
}

impl Error {
    pub(crate) fn give(status: Status) -> Handle<Self> {
        Handle::give(Self {
            table: &ERROR_TABLE,
            status,
        })
    }

    pub(crate) fn status(&self) -> &Status {
        &self.status
    }
}

/// The table of functions that a `PJRT_Error` begins with.
#[repr(C)]
struct ErrorTable {
    struct_size: usize,
    instance_size: usize,
    extension: *const c_void,
    destroy: extern "C" fn(Handle<Error>),
    message: extern "C" fn(Handle<Error>, *mut *const c_char, *mut usize),
    code: extern "C" fn(Handle<Error>) -> i32,
    for_each_payload: extern "C" fn(Handle<Error>, *const c_void, *const c_void),
}

// SAFETY: the table is never written.
unsafe impl Sync for ErrorTable {}

static ERROR_TABLE: ErrorTable = ErrorTable {
    struct_size: size_of::<ErrorTable>(),
    instance_size: size_of::<Error>(),
    extension: std::ptr::null(),
    destroy,
    message,
    code,
    for_each_payload,
};

const _: () = assert!(size_of::<ErrorTable>() == 56);

extern "C" fn destroy(error: Handle<Error>) {
    drop(error.take());
}

extern "C" fn message(error: Handle<Error>, text: *mut *const c_char, size: *mut usize) {
    let said = error.get().map_or("", |error| error.status().message());
    let (start, length) = parts(said);
    // SAFETY: the caller gives two places to write to.
    unsafe {
        text.write(start);
        size.write(length);
    }
}

extern "C" fn code(error: Handle<Error>) -> i32 {
    error.get().map_or(0, |error| error.status().code())
}

extern "C" fn for_each_payload(_: Handle<Error>, visitor: *const c_void, argument: *const c_void) {
    callbacks::visit_payloads(visitor, argument);
}
