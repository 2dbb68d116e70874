//! Compiling a module and calling it.

use super::{Failed, attempt, attempt_text, module::MapwrightModule, take, there};
use mapwright_indexing::counted;
use mapwright_mlir::{ElementType, Op, TensorType};
use mapwright_native::{
    CompileOptions, Error, Executable, ExecuteOptions, Reuse, Signature, Tensor,
};
use std::{
    ffi::{CString, c_char, c_void},
    ptr,
};

/// A compiled function of a module.
pub struct MapwrightExecutable {
    executable: Executable,
    entry: String,
}

/// A tensor of the caller's, or one that lies in [`MapwrightResults`].
#[repr(C)]
pub struct MapwrightTensor {
    element_type: *const c_char,
    rank: usize,
    shape: *const i64,
    data: *mut c_void,
    bytes: usize,
}

/// The results of one call.
pub struct MapwrightResults {
    tensors: Vec<(Tensor, CString)>,
}

impl MapwrightResults {
    pub(super) fn new(outputs: Vec<Tensor>) -> Self {
        let named = |tensor: Tensor| {
            // The name of a type has no null bytes.
            let name = CString::new(tensor.element().to_string()).unwrap_or_default();
            (tensor, name)
        };
        Self {
            tensors: outputs.into_iter().map(named).collect(),
        }
    }
}

/// The types of a signature, one a line, with a line `->` between arguments and results.
pub(super) fn types(signature: &Signature) -> String {
    let inputs = signature.inputs.iter().map(ToString::to_string);
    let outputs = signature.outputs.iter().map(ToString::to_string);
    inputs
        .chain(["->".to_owned()])
        .chain(outputs)
        .map(|line| line + "\n")
        .collect()
}

/// The caller's tensors, of these types, copied.
///
/// # Safety
///
/// Each has `rank` sizes and `bytes` bytes.
pub(super) unsafe fn tensors(
    inputs: &[MapwrightTensor],
    types: &[TensorType],
) -> Result<Vec<Tensor>, String> {
    if inputs.len() != types.len() {
        return Err(format!(
            "the function takes {}, not {}",
            counted(types.len(), "tensor"),
            inputs.len()
        ));
    }
    let each = inputs.iter().zip(types).enumerate();
    each.map(|(i, (input, ty))| {
        // SAFETY: promised by the caller.
        let element = unsafe { input.element()? };
        if element != ty.element.to_string() {
            return Err(format!(
                "argument {i}: elements are {element}, but {ty} is expected"
            ));
        }
        // SAFETY: as above.
        let read = unsafe { input.read(&ty.element) };
        read.map_err(|error| format!("argument {i}: {error}"))
    })
    .collect()
}

impl MapwrightTensor {
    /// The element type as it is spelled.
    ///
    /// # Safety
    ///
    /// The tensor is valid.
    pub(super) unsafe fn element<'a>(&self) -> Result<&'a str, String> {
        // SAFETY: promised by the caller.
        unsafe { take(self.element_type, "element_type") }
    }

    /// A copy of the tensor, whose elements are of this type.
    ///
    /// # Safety
    ///
    /// The tensor is valid.
    pub(super) unsafe fn read(&self, element: &ElementType) -> Result<Tensor, String> {
        for (is_null, count, what) in [
            (self.shape.is_null(), self.rank, "shape"),
            (self.data.is_null(), self.bytes, "data"),
        ] {
            if is_null && count > 0 {
                return Err(format!("{what} is null"));
            }
        }
        // SAFETY: promised by the caller.
        let (shape, bytes) = unsafe {
            (
                slice(self.shape, self.rank),
                slice(self.data.cast::<u8>().cast_const(), self.bytes),
            )
        };
        Tensor::new(element, shape, bytes).map_err(|error| error.to_string())
    }
}

/// Of compiling `module`.
pub(super) fn failed(error: &Error, module: &MapwrightModule) -> Failed {
    let message = match error {
        Error::Diagnosed(_) => module.diagnostics(),
        other => other.to_string(),
    };
    Failed::from_error(error, message)
}

/// Compiles the public function `entry`.
///
/// # Safety
///
/// `module` is valid, `entry` null-terminated, `error` null or a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightCompile(
    module: *const MapwrightModule,
    entry: *const c_char,
    threads: usize,
    error: *mut *mut c_char,
) -> *mut MapwrightExecutable {
    // SAFETY: promised by the caller.
    unsafe {
        attempt(error, || {
            let module = there(module, "module")?;
            let entry = take(entry, "entry")?.to_owned();
            let options = CompileOptions {
                entries: vec![entry.clone()],
                threads,
                reuse: Reuse::from_environment(),
                ..CompileOptions::default()
            };
            let executable = Executable::compile(Op::new(module.module().as_operation()), &options)
                .map_err(|error| failed(&error, module))?;
            Ok(Box::new(MapwrightExecutable { executable, entry }))
        })
    }
    .map_or(ptr::null_mut(), Box::into_raw)
}

/// Frees an executable; null is allowed.
///
/// # Safety
///
/// It is null or came from `mapwrightCompile`, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightExecutableDestroy(executable: *mut MapwrightExecutable) {
    if !executable.is_null() {
        // SAFETY: promised by the caller.
        drop(unsafe { Box::from_raw(executable) });
    }
}

/// Types of the arguments and of the results, one a line, with a line `->` between.
///
/// # Safety
///
/// `executable` is valid, `error` null or a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightExecutableSignature(
    executable: *const MapwrightExecutable,
    error: *mut *mut c_char,
) -> *mut c_char {
    // SAFETY: promised by the caller.
    unsafe {
        attempt_text(error, || {
            let executable = there(executable, "executable")?;
            let signature = executable.executable.signature(Some(&executable.entry));
            Ok(types(&signature.map_err(Failed::plain)?))
        })
    }
}

/// Begins the numbers that calls draw at random anew.
///
/// # Safety
///
/// `executable` is null, which is left alone, or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightExecutableSetSeed(
    executable: *const MapwrightExecutable,
    seed: u64,
) {
    // SAFETY: promised by the caller.
    if let Some(executable) = unsafe { executable.as_ref() } {
        executable.executable.set_seed(seed);
    }
}

/// Calls the function.
///
/// # Safety
///
/// `executable` is valid; `inputs` has `count` tensors, each with `rank` sizes and `bytes` bytes;
/// `error` is null or a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightExecute(
    executable: *const MapwrightExecutable,
    inputs: *const MapwrightTensor,
    count: usize,
    error: *mut *mut c_char,
) -> *mut MapwrightResults {
    // SAFETY: promised by the caller.
    unsafe {
        attempt(error, || {
            let outputs = call(executable, inputs, count)?;
            Ok(Box::new(MapwrightResults::new(outputs)))
        })
    }
    .map_or(ptr::null_mut(), Box::into_raw)
}

/// Calls the function, and copies its results into memory of the caller.
///
/// # Safety
///
/// As of `mapwrightExecute`; `results` has `result_count` tensors whose `bytes` bytes may be
/// written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightExecuteInto(
    executable: *const MapwrightExecutable,
    inputs: *const MapwrightTensor,
    count: usize,
    results: *const MapwrightTensor,
    result_count: usize,
    error: *mut *mut c_char,
) -> bool {
    // SAFETY: promised by the caller.
    let done = unsafe {
        attempt(error, || {
            let outputs = call(executable, inputs, count)?;
            let places = slice(results, result_count);
            if places.len() != outputs.len() {
                let why = format!(
                    "memory is given for {}, there are {}",
                    counted(places.len(), "result"),
                    outputs.len()
                );
                return Err(why.into());
            }
            for (i, (place, output)) in places.iter().zip(&outputs).enumerate() {
                let wrong = |why: String| Err(format!("result {i}: {why}").into());
                let (own, shape) = (output.element().to_string(), output.shape());
                let (element, given) = (place.element()?, slice(place.shape, place.rank));
                if element != own || given != shape {
                    return wrong(format!(
                        "it is {own} of sizes {shape:?}, memory is given for {element} of sizes {given:?}"
                    ));
                }
                if place.data.is_null() || place.bytes != output.bytes().len() {
                    let bytes = output.bytes().len();
                    return wrong(format!(
                        "it has {bytes} bytes, memory is given for {}",
                        place.bytes
                    ));
                }
            }
            for (place, output) in places.iter().zip(&outputs) {
                let bytes = output.bytes();
                ptr::copy_nonoverlapping(bytes.as_ptr(), place.data.cast::<u8>(), bytes.len());
            }
            Ok(())
        })
    };
    done.is_some()
}

/// # Safety
///
/// As of `mapwrightExecute`.
unsafe fn call(
    executable: *const MapwrightExecutable,
    inputs: *const MapwrightTensor,
    count: usize,
) -> Result<Vec<Tensor>, Failed> {
    // SAFETY: promised by the caller.
    let (executable, inputs) = unsafe { (there(executable, "executable")?, slice(inputs, count)) };
    let signature = executable
        .executable
        .signature(Some(&executable.entry))
        .map_err(Failed::plain)?;
    // SAFETY: the tensors are valid, by the caller's promise.
    let inputs = unsafe { tensors(inputs, &signature.inputs) }?;
    let inputs: Vec<&Tensor> = inputs.iter().collect();
    executable
        .executable
        .execute_entry(Some(&executable.entry), &inputs, &ExecuteOptions::default())
        .map_err(Failed::plain)
}

/// Number of results.
///
/// # Safety
///
/// `results` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightResultsCount(results: *const MapwrightResults) -> usize {
    // SAFETY: promised by the caller.
    unsafe { results.as_ref() }.map_or(0, |results| results.tensors.len())
}

/// Result `i`; all zero if there is none. It points into `results`.
///
/// # Safety
///
/// `results` is valid, and stays so while the answer is used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightResultsGet(
    results: *const MapwrightResults,
    i: usize,
) -> MapwrightTensor {
    // SAFETY: promised by the caller.
    let results = unsafe { results.as_ref() };
    match results.and_then(|results| results.tensors.get(i)) {
        Some((tensor, name)) => MapwrightTensor {
            element_type: name.as_ptr(),
            rank: tensor.shape().len(),
            shape: tensor.shape().as_ptr(),
            data: tensor.bytes().as_ptr().cast_mut().cast::<c_void>(),
            bytes: tensor.bytes().len(),
        },
        None => MapwrightTensor {
            element_type: ptr::null(),
            rank: 0,
            shape: ptr::null(),
            data: ptr::null_mut(),
            bytes: 0,
        },
    }
}

/// Frees the results of a call; null is allowed.
///
/// # Safety
///
/// It is null or came from `mapwrightExecute`, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mapwrightResultsDestroy(results: *mut MapwrightResults) {
    if !results.is_null() {
        // SAFETY: promised by the caller.
        drop(unsafe { Box::from_raw(results) });
    }
}

/// # Safety
///
/// `first` points to `count` values that outlive `'a`; it may be null if there are none.
pub(super) unsafe fn slice<'a, T>(first: *const T, count: usize) -> &'a [T] {
    if count == 0 || first.is_null() {
        return &[];
    }
    // SAFETY: promised by the caller.
    unsafe { std::slice::from_raw_parts(first, count) }
}
