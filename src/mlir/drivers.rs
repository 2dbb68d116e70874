//! The drivers: upstream's `mlir-opt` and `mlir-lsp-server` with our dialects. Passes are
//! registered before they are called.

use crate::{
    Op, artifact,
    context::context,
    diagnostic::{Diagnostics, Message},
    pass::guard,
    raw, shim,
};
use melior::ir::{Location, Module, operation::OperationLike};
use mlir_sys::{self as sys, MlirStringRef};
use std::{
    ffi::{CString, OsString, c_char, c_int, c_void},
    io::{self, Write},
    os::unix::ffi::OsStringExt,
};

/// `mlir-opt`'s main function; returns the exit code. The first argument is the name of the
/// program.
pub fn opt_main(arguments: impl IntoIterator<Item = OsString>) -> i32 {
    let artifacts = shim::Artifacts {
        is_artifact,
        read,
        write,
    };
    call(arguments, |count, arguments| {
        // SAFETY: the arguments are those of `call`, the functions live through the call.
        unsafe { shim::mapwrightOptMain(count, arguments, &raw const artifacts) }
    })
}

/// `mlir-lsp-server`'s main function; returns the exit code. The first argument is the name of the
/// program.
pub fn lsp_server_main(arguments: impl IntoIterator<Item = OsString>) -> i32 {
    call(arguments, |count, arguments| {
        // SAFETY: the arguments are those of `call`.
        unsafe { shim::mapwrightLspServerMain(count, arguments) }
    })
}

fn call(
    arguments: impl IntoIterator<Item = OsString>,
    main: impl FnOnce(c_int, *mut *mut c_char) -> c_int,
) -> i32 {
    // Arguments of a process cannot contain a null byte.
    let arguments: Vec<CString> = arguments
        .into_iter()
        .filter_map(|argument| CString::new(argument.into_vec()).ok())
        .collect();
    let mut pointers: Vec<*mut c_char> = arguments
        .iter()
        .map(|argument| argument.as_ptr().cast_mut())
        .chain([std::ptr::null_mut()])
        .collect();
    // A null-terminated array of `arguments.len()` strings that outlive the call, which does not
    // write to them.
    main(arguments.len() as c_int, pointers.as_mut_ptr())
}

unsafe extern "C" fn is_artifact(bytes: MlirStringRef) -> bool {
    // SAFETY: the bytes are readable during the call.
    artifact::is_artifact(unsafe { raw::bytes(&bytes) })
}

/// Runs `work`, in whose place a panic is an error, and hands its bytes on.
///
/// # Safety
///
/// `callback` must take what is given to it with `data`.
unsafe fn hand_on(
    callback: shim::StringCallback,
    data: *mut c_void,
    work: impl FnOnce() -> Option<Vec<u8>>,
) -> bool {
    match guard(work) {
        Ok(Some(bytes)) => {
            // SAFETY: promised by the caller; the bytes live through the call.
            unsafe { callback(raw::string_ref(&bytes), data) };
            true
        }
        Ok(None) => false,
        Err(panic) => {
            // Who reads it is not the driver's business.
            let _ = writeln!(io::stderr(), "error: internal error: {panic}");
            false
        }
    }
}

unsafe extern "C" fn read(
    name: MlirStringRef,
    bytes: MlirStringRef,
    callback: shim::StringCallback,
    data: *mut c_void,
) -> bool {
    // SAFETY: both are readable during the call; the callback takes what it is given.
    unsafe {
        let (name, bytes) = (raw::string(name), raw::bytes(&bytes));
        hand_on(callback, data, || {
            let context = context();
            let diagnostics = Diagnostics::to_stderr(&context);
            let module = diagnostics.parse(&name, bytes).ok()?;
            Some(module.as_operation().write_bytecode())
        })
    }
}

unsafe extern "C" fn write(
    version: MlirStringRef,
    bytecode: MlirStringRef,
    callback: shim::StringCallback,
    data: *mut c_void,
) -> bool {
    // SAFETY: both are readable during the call; the callback takes what it is given. The bytecode
    // was written by this process.
    unsafe {
        let version = raw::string(version);
        hand_on(callback, data, || {
            let context = context();
            let _diagnostics = Diagnostics::to_stderr(&context);
            let version = match version.as_str() {
                "" => artifact::Version::NEWEST,
                text => match text.parse() {
                    Ok(version) => version,
                    Err(why) => {
                        let _ = Message::error(Location::unknown(&context), why).emit();
                        return None;
                    }
                },
            };
            let module = sys::mlirModuleCreateParse(context.to_raw(), bytecode);
            let module = Module::from_option_raw(module)?;
            artifact::write(Op::new(module.as_operation()), version).ok()
        })
    }
}
