//! Modules: parsing, printing, passes, maps.

use super::{Failed, attempt, attempt_text, take, there};
use crate::command::fusion;
use mapwright_indexing::counted;
use mapwright_mlir::{
    Op, block, context,
    diagnostic::Diagnostics,
    edit,
    melior::{Context, ir::Module},
    op,
    pass::run_pipeline,
};
use mapwright_normalize::frontend;
use mapwright_normalize::sizes::related;
use mapwright_ops::Composer;
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
        // SAFETY: the context is in a box, so it stays where it is, and this struct drops it after
        // everything that refers to it.
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

    pub(super) fn module(&self) -> &Module<'static> {
        &self.module
    }

    /// The diagnostics since the last call.
    pub(super) fn diagnostics(&self) -> String {
        self.diagnostics.take()
    }

    /// The plans of the regions, as `mapwright fusion --json` has them.
    fn regions(&self) -> Result<String, Failed> {
        // Regions are formed of a program in its normal form; the module stays as it is.
        let copy = edit::clone_module(Op::new(self.module.as_operation()));
        match fusion::answer(Op::new(copy.as_operation()), false) {
            Ok(functions) => Ok(serde_json::json!({ "functions": functions }).to_string()),
            Err(error) => {
                let diagnosed = self.diagnostics();
                let message = if diagnosed.is_empty() {
                    error.to_string()
                } else {
                    diagnosed
                };
                Err(message.into())
            }
        }
    }

    fn maps(&self, function: &str, result: usize, argument: usize) -> Result<String, Failed> {
        // The maps are those of the program that frontends mean; the module stays as it is.
        let copy = edit::clone_module(Op::new(self.module.as_operation()));
        frontend::legalize(Op::new(copy.as_operation())).map_err(|error| error.message)?;
        let function = op::ops(block(&copy.body()))
            .into_iter()
            .find(|op| {
                op.name() == "func.func" && op.string("sym_name").as_deref() == Some(function)
            })
            .ok_or_else(|| format!("there is no function @{function}"))?;
        let body = function.body(0).ok_or("the function has no body")?;
        let arguments = op::arguments(body);
        let results = op::ops(body)
            .last()
            .map(|end| end.operands())
            .unwrap_or_default();
        let argument = arguments
            .get(argument)
            .ok_or_else(|| format!("the function has {}", counted(arguments.len(), "argument")))?;
        let result = results
            .get(result)
            .ok_or_else(|| format!("the function has {}", counted(results.len(), "result")))?;
        let reached = Composer::knowing(related(function)).backward(*result);
        let maps = reached.maps(*argument).unwrap_or_default();
        Ok(maps.iter().map(|map| format!("{map}\n")).collect())
    }
}

/// The maps of a result with respect to an argument, one a line.
///
/// # Safety
///
/// `module` is valid, `function` null-terminated, `error` null or a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightModuleMaps(
    module: *const MapwrightModule,
    function: *const c_char,
    result: usize,
    argument: usize,
    error: *mut *mut c_char,
) -> *mut c_char {
    // SAFETY: promised by the caller.
    unsafe {
        attempt_text(error, || {
            there(module, "module")?.maps(take(function, "function")?, result, argument)
        })
    }
}

/// The regions that the module's public functions are compiled in, as JSON.
///
/// # Safety
///
/// `module` is valid, `error` null or a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightModuleRegions(
    module: *const MapwrightModule,
    error: *mut *mut c_char,
) -> *mut c_char {
    // SAFETY: promised by the caller.
    unsafe { attempt_text(error, || there(module, "module")?.regions()) }
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
            Ok(Box::new(MapwrightModule::parse(name, text)?))
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
    unsafe {
        attempt_text(error, || {
            Ok(there(module, "module")?.module.as_operation().to_string())
        })
    }
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
            let module = module.as_mut().ok_or("module is null")?;
            run_pipeline(&mut module.module, take(pipeline, "pipeline")?)
                .map_err(|_| module.diagnostics.take().into())
        })
    }
    .is_some()
}
