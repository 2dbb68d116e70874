//! The drivers: upstream's `mlir-opt` and `mlir-lsp-server` with our dialects. Passes are registered before they are called.

use crate::shim;
use std::{
    ffi::{CString, OsString, c_char, c_int},
    os::unix::ffi::OsStringExt,
};

/// `mlir-opt`'s main function; returns the exit code. The first argument is the name of the program.
pub fn opt_main(arguments: impl IntoIterator<Item = OsString>) -> i32 {
    call(arguments, shim::mapwrightOptMain)
}

/// `mlir-lsp-server`'s main function; returns the exit code. The first argument is the name of the program.
pub fn lsp_server_main(arguments: impl IntoIterator<Item = OsString>) -> i32 {
    call(arguments, shim::mapwrightLspServerMain)
}

fn call(
    arguments: impl IntoIterator<Item = OsString>,
    main: unsafe extern "C" fn(c_int, *mut *mut c_char) -> c_int,
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
    // SAFETY: a null-terminated array of `arguments.len()` strings that outlive the call, which does not write to them.
    unsafe { main(arguments.len() as c_int, pointers.as_mut_ptr()) }
}
