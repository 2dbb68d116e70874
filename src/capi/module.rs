//! Modules: parsing, printing, passes, maps.

use super::{attempt, attempt_text, take};
use mapwright_mlir::{
    context,
    diagnostic::Diagnostics,
    melior::{Context, ir::Module},
    pass::run_pipeline,
};
use std::ffi::c_char;

/// A module in a context of its own. The fields are dropped in this order: the context goes last.
pub struct MapwrightModule {
    module: Module<'static>,
    diagnostics: Diagnostics<'static>,
    _context: Box<Context>,
}

impl MapwrightModule {
    fn parse(name: &str, text: &[u8]) -> Result<Self, String> {
        crate::register();
        let context = Box::new(context());
        // SAFETY: the context is in a box, so it stays where it is, and this struct drops it after everything that refers to it.
        let forever: &'static Context = unsafe { &*std::ptr::from_ref(&*context) };
        let diagnostics = Diagnostics::to_text(forever);
        let module = diagnostics
            .parse(name, text)
            .map_err(|_| diagnostics.take())?;
        Ok(Self {
            module,
            diagnostics,
            _context: context,
        })
    }
}

/// Parses and verifies a module.
///
/// # Safety
///
/// `name` is null-terminated, `text` has `length` bytes, `error` is null or a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightModuleParse(
    name: *const c_char,
    text: *const c_char,
    length: usize,
    error: *mut *mut c_char,
) -> *mut MapwrightModule {
    // SAFETY: promised by the caller.
    unsafe {
        attempt(error, || {
            let name = take(name, "name")?;
            if text.is_null() {
                return Err("text is null".into());
            }
            let text = std::slice::from_raw_parts(text.cast::<u8>(), length);
            MapwrightModule::parse(name, text).map(Box::new)
        })
    }
    .map_or(std::ptr::null_mut(), Box::into_raw)
}

/// Frees a module; null is allowed.
///
/// # Safety
///
/// `module` is null or came from `mapwrightModuleParse`, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightModuleDestroy(module: *mut MapwrightModule) {
    if !module.is_null() {
        // SAFETY: promised by the caller.
        drop(unsafe { Box::from_raw(module) });
    }
}

/// The module as text.
///
/// # Safety
///
/// `module` is valid, `error` null or a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightModulePrint(
    module: *const MapwrightModule,
    error: *mut *mut c_char,
) -> *mut c_char {
    // SAFETY: promised by the caller.
    unsafe { attempt_text(error, || Ok((*module).module.as_operation().to_string())) }
}

/// Runs a textual pipeline on the module.
///
/// # Safety
///
/// `module` is valid, `pipeline` null-terminated, `error` null or a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightModuleRunPasses(
    module: *mut MapwrightModule,
    pipeline: *const c_char,
    error: *mut *mut c_char,
) -> bool {
    // SAFETY: promised by the caller.
    unsafe {
        attempt(error, || {
            let module = &mut *module;
            run_pipeline(&mut module.module, take(pipeline, "pipeline")?)
                .map_err(|_| module.diagnostics.take())
        })
    }
    .is_some()
}
