//! Programs that are called with arguments of different sizes.

use super::{
    Failed, attempt, attempt_text,
    execute::{MapwrightResults, MapwrightTensor, failed, slice, tensors, types},
    module::MapwrightModule,
    take, there,
};
use mapwright_mlir::Op;
use mapwright_native::{
    CodeKind, CompileOptions, ExecuteOptions, Model, ModelOptions, Reuse, Tensor,
};
use std::{ffi::c_char, ptr};

/// Options of a model; `mapwright-c/mapwright.h` says what each field means.
#[repr(C)]
pub struct MapwrightModelOptions {
    threads: usize,
    specialize: bool,
    kept: usize,
    any_size_from: usize,
    wait: bool,
}

/// A function of a module that is called with arguments of different sizes.
pub struct MapwrightModel {
    model: Model,
}

/// The options that there are without any.
#[unsafe(no_mangle)]
pub extern "C" fn mapwrightModelOptionsDefault() -> MapwrightModelOptions {
    let options = ModelOptions::default();
    MapwrightModelOptions {
        threads: options.compile.threads,
        specialize: options.specializes,
        kept: options.cached_codes,
        any_size_from: options.any_size_from,
        wait: options.waits,
    }
}

/// A model of the public function `entry`.
///
/// # Safety
///
/// `module` is valid, `entry` null-terminated; `options` and `error` are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightModelCreate(
    module: *const MapwrightModule,
    entry: *const c_char,
    options: *const MapwrightModelOptions,
    error: *mut *mut c_char,
) -> *mut MapwrightModel {
    // SAFETY: promised by the caller.
    unsafe {
        attempt(error, || {
            let module = there(module, "module")?;
            let entry = take(entry, "entry")?;
            let options = match options.as_ref() {
                None => ModelOptions::default(),
                Some(options) => ModelOptions {
                    compile: CompileOptions {
                        threads: options.threads,
                        reuse: Reuse::from_environment(),
                        ..CompileOptions::default()
                    },
                    specializes: options.specialize,
                    cached_codes: options.kept,
                    any_size_from: options.any_size_from,
                    waits: options.wait,
                    ..ModelOptions::default()
                },
            };
            let model = Model::new(Op::new(module.module().as_operation()), entry, options)
                .map_err(|error| failed(&error, module))?;
            Ok(Box::new(MapwrightModel { model }))
        })
    }
    .map_or(ptr::null_mut(), Box::into_raw)
}

/// Frees a model; null is allowed.
///
/// # Safety
///
/// It is null or came from `mapwrightModelCreate`, no call of it is under way, and it is not used
/// afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightModelDestroy(model: *mut MapwrightModel) {
    if !model.is_null() {
        // SAFETY: promised by the caller.
        drop(unsafe { Box::from_raw(model) });
    }
}

/// Types of the arguments and of the results, one a line, with a line `->` between.
///
/// # Safety
///
/// `model` is valid, `error` null or a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightModelSignature(
    model: *const MapwrightModel,
    error: *mut *mut c_char,
) -> *mut c_char {
    // SAFETY: promised by the caller.
    unsafe {
        attempt_text(error, || {
            Ok(types(there(model, "model")?.model.signature()))
        })
    }
}

/// Calls the function.
///
/// # Safety
///
/// `model` is valid; `inputs` has `count` tensors, each with `rank` sizes and `bytes` bytes; `kind`
/// and `error` are null or places for what they point to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightModelCall(
    model: *const MapwrightModel,
    inputs: *const MapwrightTensor,
    count: usize,
    kind: *mut i32,
    error: *mut *mut c_char,
) -> *mut MapwrightResults {
    // SAFETY: promised by the caller.
    unsafe {
        attempt(error, || {
            let model = &there(model, "model")?.model;
            let inputs = tensors(slice(inputs, count), &model.signature().inputs)?;
            let inputs: Vec<&Tensor> = inputs.iter().collect();
            let (outputs, code) = model
                .call(&inputs, &ExecuteOptions::default())
                .map_err(Failed::plain)?;
            if !kind.is_null() {
                *kind = match code {
                    CodeKind::Static => 0,
                    CodeKind::Special => 1,
                    CodeKind::AnySize => 2,
                };
            }
            Ok(Box::new(MapwrightResults::new(outputs)))
        })
    }
    .map_or(ptr::null_mut(), Box::into_raw)
}

/// Waits until nothing is compiled beside the calls.
///
/// # Safety
///
/// `model` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightModelSettle(model: *const MapwrightModel) {
    // SAFETY: promised by the caller.
    if let Some(model) = unsafe { model.as_ref() } {
        model.model.settle();
    }
}

/// Begins the numbers that calls draw at random anew.
///
/// # Safety
///
/// `model` is null, which is left alone, or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightModelSetSeed(model: *const MapwrightModel, seed: u64) {
    // SAFETY: promised by the caller.
    if let Some(model) = unsafe { model.as_ref() } {
        model.model.set_seed(seed);
    }
}
