//! For pipelines that are built with MLIR's own C or C++ API.

use crate::{mlir::context::insert_dialects_raw, passes};
use mapwright_mlir::{
    mlir_sys::{MlirDialectRegistry, MlirPass, MlirStringRef},
    pass::{create_raw, guard},
};
use std::ffi::c_char;

/// Puts our passes and pipelines into the process's registry.
#[unsafe(no_mangle)]
pub extern "C" fn mapwrightRegisterPasses() {
    if let Err(message) = guard(crate::register) {
        eprintln!("mapwright: internal error while registering passes: {message}");
    }
}

/// Adds our dialects to a registry, but none whose name it knows.
///
/// # Safety
///
/// The registry is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightInsertDialects(registry: MlirDialectRegistry) {
    if let Err(message) = guard(|| {
        crate::ops::hooks::install();
        mapwright_codegen::linalg::tiling::install_hooks();
        // SAFETY: promised by the caller.
        unsafe { insert_dialects_raw(registry) }
    }) {
        eprintln!("mapwright: internal error while registering dialects: {message}");
    }
}

/// A new pass, owned by the caller; null if there is none of that name or its options are wrong.
///
/// # Safety
///
/// Both strings refer to readable bytes; `error` is null or a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightCreatePass(
    name: MlirStringRef,
    options: MlirStringRef,
    error: *mut *mut c_char,
) -> MlirPass {
    let none = MlirPass {
        ptr: std::ptr::null_mut(),
    };
    // SAFETY: promised by the caller.
    unsafe {
        super::attempt(error, || {
            let name = bytes(name, "name")?;
            let pass =
                passes::find(name).ok_or_else(|| format!("mapwright has no pass named {name}"))?;
            Ok(create_raw(pass, bytes(options, "options")?)?)
        })
    }
    .unwrap_or(none)
}

/// # Safety
///
/// `text` refers to readable bytes that outlive `'a`.
unsafe fn bytes<'a>(text: MlirStringRef, what: &str) -> Result<&'a str, String> {
    if text.length == 0 {
        return Ok("");
    }
    // SAFETY: promised by the caller.
    std::str::from_utf8(unsafe { std::slice::from_raw_parts(text.data.cast::<u8>(), text.length) })
        .map_err(|_| format!("{what} is not UTF-8"))
}
