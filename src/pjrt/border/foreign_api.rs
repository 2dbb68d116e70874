//! The functions that XLA's typed foreign functions call while they run.

use super::frame::Execution;
use crate::status::Code;
use mapwright_runtime::{Context, Error, Status};
use std::{
    ffi::{CStr, CString, c_char, c_void},
    ptr,
    sync::{Arc, Condvar, Mutex, PoisonError},
};

/// An error of a foreign function's.
pub(crate) struct ForeignError {
    text: CString,
    /// With the numbers of [`Code`].
    code: i32,
}

impl ForeignError {
    fn give(text: &CStr, code: i32) -> *mut Self {
        let text = text.to_owned();
        Box::into_raw(Box::new(Self { text, code }))
    }

    /// The error, which is gone; nothing where there is none.
    pub(super) fn take(error: *mut Self) -> Option<Error> {
        if error.is_null() {
            return None;
        }
        // SAFETY: a function returns null or an error that `Error_Create` made.
        let error = unsafe { Box::from_raw(error) };
        let kinds = [
            (Code::InvalidArgument, Status::InvalidArgument),
            (Code::NotFound, Status::NotFound),
            (Code::ResourceExhausted, Status::OutOfMemory),
            (Code::Unimplemented, Status::Unsupported),
        ];
        let kind = kinds.iter().find(|(code, _)| *code as i32 == error.code);
        let kind = kind.map_or(Status::CallbackFailed, |(_, kind)| *kind);
        Some(Error::new(kind, error.text.to_string_lossy()))
    }
}

/// Work that goes on after its function has returned. Two have it: who waits for it, and who says
/// that it is done.
#[derive(Default)]
pub(super) struct Future {
    outcome: Mutex<Option<Result<(), Error>>>,
    changed: Condvar,
}

impl Future {
    /// Waits for the end of what a function left behind; nothing where it left nothing.
    pub(super) fn wait(future: *const Self) -> Result<(), Error> {
        if future.is_null() {
            return Ok(());
        }
        // SAFETY: a function leaves what `Future_Create` made, once: this is the part of who waits.
        let future = unsafe { Arc::from_raw(future) };
        let mut outcome = future
            .outcome
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        loop {
            match outcome.take() {
                Some(outcome) => return outcome,
                None => {
                    let waiting = future.changed.wait(outcome);
                    outcome = waiting.unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    fn end(future: *const Self, outcome: Result<(), Error>) {
        // SAFETY: the caller gives what `Future_Create` made, and does so once: this is the part of
        // who says that it is done.
        let future = unsafe { Arc::from_raw(future) };
        let mut place = future
            .outcome
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *place = Some(outcome);
        future.changed.notify_all();
    }
}

/// Arguments of a function of the table: a size, extensions, and what follows.
#[repr(C)]
struct Args<T> {
    struct_size: usize,
    extension: *const c_void,
    rest: T,
}

type Failed = *mut ForeignError;

/// The table of functions, in the order of XLA's header.
#[repr(C)]
pub(super) struct ForeignApi {
    struct_size: usize,
    extension: *const c_void,
    version_size: usize,
    version_extension: *const c_void,
    major: i32,
    minor: i32,
    internal: *const c_void,
    error_create: unsafe extern "C" fn(*mut Args<(*const c_char, i32)>) -> Failed,
    error_message: unsafe extern "C" fn(*mut Args<Message>),
    error_destroy: unsafe extern "C" fn(*mut Args<Failed>),
    handler_register: extern "C" fn(*mut c_void) -> Failed,
    stream_get: extern "C" fn(*mut c_void) -> Failed,
    type_register: extern "C" fn(*mut c_void) -> Failed,
    execution_get: unsafe extern "C" fn(*mut Args<Found>) -> Failed,
    state_set: extern "C" fn(*mut c_void) -> Failed,
    state_get: extern "C" fn(*mut c_void) -> Failed,
    allocate: extern "C" fn(*mut c_void) -> Failed,
    free: extern "C" fn(*mut c_void) -> Failed,
    schedule: unsafe extern "C" fn(*mut Args<Task>) -> Failed,
    threads: unsafe extern "C" fn(*mut Args<Threads>) -> Failed,
    future_create: unsafe extern "C" fn(*mut Args<*const Future>) -> Failed,
    future_available: unsafe extern "C" fn(*mut Args<*const Future>) -> Failed,
    future_error: unsafe extern "C" fn(*mut Args<(*const Future, Failed)>) -> Failed,
    run_id: extern "C" fn(*mut c_void) -> Failed,
    device: unsafe extern "C" fn(*mut Args<Device>) -> Failed,
}

/// A function that is not there: it says so with its name.
macro_rules! missing {
    ($text:literal) => {{
        extern "C" fn missing(_: *mut c_void) -> Failed {
            ForeignError::give($text, Code::Unimplemented as i32)
        }
        missing
    }};
}

// SAFETY: the table is never written.
unsafe impl Sync for ForeignApi {}

pub(super) static API: ForeignApi = ForeignApi {
    struct_size: size_of::<ForeignApi>(),
    extension: ptr::null(),
    version_size: 24,
    version_extension: ptr::null(),
    major: 0,
    minor: 3,
    internal: ptr::null(),
    error_create,
    error_message,
    error_destroy,
    handler_register: missing!(c"XLA_FFI_Handler_Register is not implemented"),
    stream_get: missing!(c"XLA_FFI_Stream_Get is not implemented"),
    type_register: missing!(c"XLA_FFI_Type_Register is not implemented"),
    execution_get,
    state_set: missing!(c"XLA_FFI_State_Set is not implemented"),
    state_get: missing!(c"XLA_FFI_State_Get is not implemented"),
    allocate: missing!(c"XLA_FFI_DeviceMemory_Allocate is not implemented"),
    free: missing!(c"XLA_FFI_DeviceMemory_Free is not implemented"),
    schedule,
    threads,
    future_create,
    future_available,
    future_error,
    run_id: missing!(c"XLA_FFI_RunId_Get is not implemented"),
    device,
};

const _: () = assert!(size_of::<ForeignApi>() == 48 + 18 * 8);

#[repr(C)]
struct Message {
    error: Failed,
    text: *const c_char,
}

#[repr(C)]
struct Found {
    execution: *const Execution,
    type_id: *const i64,
    data: *const c_void,
}

#[repr(C)]
struct Task {
    execution: *const Execution,
    task: unsafe extern "C" fn(*mut c_void),
    data: *mut c_void,
}

#[repr(C)]
struct Threads {
    execution: *const Execution,
    threads: *mut i64,
}

#[repr(C)]
struct Device {
    execution: *const Execution,
    device: i32,
}

unsafe extern "C" fn error_create(args: *mut Args<(*const c_char, i32)>) -> Failed {
    // SAFETY: the caller gives a record of this type with a text in it.
    unsafe {
        let (text, code) = (*args).rest;
        let text = if text.is_null() {
            c""
        } else {
            CStr::from_ptr(text)
        };
        ForeignError::give(text, code)
    }
}

unsafe extern "C" fn error_message(args: *mut Args<Message>) {
    // SAFETY: the caller gives a record of this type with an error in it.
    unsafe { (*args).rest.text = (*(*args).rest.error).text.as_ptr() }
}

unsafe extern "C" fn error_destroy(args: *mut Args<Failed>) {
    // SAFETY: the caller gives a record of this type with an error in it, which is not used any
    // more.
    ForeignError::take(unsafe { (*args).rest });
}

unsafe extern "C" fn execution_get(args: *mut Args<Found>) -> Failed {
    // SAFETY: the caller gives a record of this type with the execution of its frame.
    unsafe {
        let found = &mut (*args).rest;
        match (*found.execution).find(*found.type_id) {
            Some(data) => found.data = data,
            None => {
                let text = c"the execution has no data of this type";
                return ForeignError::give(text, Code::NotFound as i32);
            }
        }
    }
    ptr::null_mut()
}

unsafe extern "C" fn schedule(args: *mut Args<Task>) -> Failed {
    // SAFETY: the caller gives a record of this type; a task may run at once.
    unsafe { ((*args).rest.task)((*args).rest.data) };
    ptr::null_mut()
}

unsafe extern "C" fn threads(args: *mut Args<Threads>) -> Failed {
    // SAFETY: the caller gives a record of this type, with the execution of its frame and a place
    // for the number.
    unsafe {
        let context: *const Context = (*(*args).rest.execution).context;
        *(*args).rest.threads = (*context).threads() as i64;
    }
    ptr::null_mut()
}

unsafe extern "C" fn device(args: *mut Args<Device>) -> Failed {
    // SAFETY: the caller gives a record of this type.
    unsafe { (*args).rest.device = 0 };
    ptr::null_mut()
}

unsafe extern "C" fn future_create(args: *mut Args<*const Future>) -> Failed {
    let future = Arc::new(Future::default());
    let of_who_ends_it = Arc::clone(&future);
    let _ = Arc::into_raw(of_who_ends_it);
    // SAFETY: the caller gives a record of this type.
    unsafe { (*args).rest = Arc::into_raw(future) };
    ptr::null_mut()
}

unsafe extern "C" fn future_available(args: *mut Args<*const Future>) -> Failed {
    // SAFETY: the caller gives a record of this type with a future in it.
    Future::end(unsafe { (*args).rest }, Ok(()));
    ptr::null_mut()
}

unsafe extern "C" fn future_error(args: *mut Args<(*const Future, Failed)>) -> Failed {
    // SAFETY: the caller gives a record of this type with a future and an error in it.
    let (future, error) = unsafe { (*args).rest };
    Future::end(future, ForeignError::take(error).map_or(Ok(()), Err));
    ptr::null_mut()
}
