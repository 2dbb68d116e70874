//! What a stock `mlir-opt` looks for in a library given as `--load-pass-plugin` or
//! `--load-dialect-plugin`.
//!
//! The layout of the two structs and the names of the two functions are upstream's
//! (`mlir/Tools/Plugins/PassPlugin.h`, `DialectPlugin.h`). A host with another LLVM/MLIR is told so
//! on standard error and gets an API version that it rejects: upstream then ignores the plugin and
//! says that it did.

use crate::mlir;
use mapwright_mlir::mlir_sys::MlirDialectRegistry;
use std::ffi::{c_char, c_void};

/// `MLIR_PLUGIN_API_VERSION`.
const API_VERSION: u32 = 1;
/// A version that no host has.
const REFUSED: u32 = 0;

/// `mlir::PassPluginLibraryInfo`.
#[repr(C)]
pub struct PassPluginLibraryInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: extern "C" fn(),
}

/// `mlir::DialectPluginLibraryInfo`.
#[repr(C)]
pub struct DialectPluginLibraryInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: extern "C" fn(*mut c_void),
}

/// The passes of this library, for a host that loads pass plugins.
#[unsafe(no_mangle)]
pub extern "C" fn mlirGetPassPluginInfo() -> PassPluginLibraryInfo {
    PassPluginLibraryInfo {
        api_version: api_version(),
        name: c"mapwright".as_ptr(),
        version: version(),
        register: register_passes,
    }
}

/// The dialects of this library, for a host that loads dialect plugins.
#[unsafe(no_mangle)]
pub extern "C" fn mlirGetDialectPluginInfo() -> DialectPluginLibraryInfo {
    DialectPluginLibraryInfo {
        api_version: api_version(),
        name: c"mapwright".as_ptr(),
        version: version(),
        register: register_dialects,
    }
}

fn api_version() -> u32 {
    match mlir::host::check() {
        Ok(()) => API_VERSION,
        Err(message) => {
            eprintln!("{message}");
            REFUSED
        }
    }
}

fn version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

extern "C" fn register_passes() {
    // A panic here would unwind into the host; what cannot be registered is reported when a
    // pipeline names it.
    if let Err(message) = mlir::pass::guard(crate::register) {
        eprintln!("mapwright: internal error while registering passes: {message}");
    }
}

extern "C" fn register_dialects(registry: *mut c_void) {
    let registry = MlirDialectRegistry { ptr: registry };
    if let Err(message) = mlir::pass::guard(|| {
        // SAFETY: the host passes its registry (upstream's contract), and its MLIR is the one we
        // are linked with.
        unsafe { mlir::context::insert_dialects_raw(registry) }
        crate::register();
    }) {
        eprintln!("mapwright: internal error while registering dialects: {message}");
    }
}
