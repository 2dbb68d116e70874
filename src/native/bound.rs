//! Calls of entry points: with memory of the caller's, or bound to tensors.

use crate::{Error, Result, Tensor, View};
use mapwright_mlir::TensorType;
use mapwright_runtime::{Buffer, Context};
use std::{ffi::c_void, ptr::NonNull};

/// `int32_t mw_entry_…(context, arguments, argument_sizes, results, result_sizes)`.
type EntryPoint = unsafe extern "C" fn(
    *const Context,
    *const *const c_void,
    *const i64,
    *mut *mut c_void,
    *mut i64,
) -> i32;

/// Bytes of memory that calls of an entry take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallMemory {
    /// The arguments.
    pub inputs: usize,
    /// The results.
    pub outputs: usize,
    /// Memory of the plan for intermediate tensors, at once.
    pub plan: usize,
    /// The most that there was at any time: at most the three together, where shapes are static.
    /// The scratch of the threads, for the tile at hand or the keys that are being sorted, is not
    /// in it.
    pub peak: usize,
    /// Bytes that the last call copied because a value is read after its memory would have been
    /// written to: a loop's state that could not stay where it is, for instance. Copies of up to 64
    /// bytes are not counted.
    pub copied: u64,
}

/// Calls the entry point at `point`, and says what failed.
///
/// # Safety
///
/// There is such a function; arguments, results and sizes are as many as it takes, and memory is as
/// large as it says.
pub(crate) unsafe fn call(
    point: usize,
    bounds_checks: bool,
    context: &Context,
    arguments: &[*const c_void],
    sizes: &[i64],
    results: &mut [*mut c_void],
    result_sizes: &mut [i64],
) -> Result<()> {
    context.clear_error();
    // SAFETY: the caller's promise.
    let status = unsafe {
        let call: EntryPoint = std::mem::transmute(point);
        call(
            context,
            arguments.as_ptr(),
            sizes.as_ptr(),
            results.as_mut_ptr(),
            result_sizes.as_mut_ptr(),
        )
    };
    if bounds_checks && let Some(found) = mapwright_runtime::ffi::take_out_of_bounds() {
        return Err(Error::Native(found.to_string()));
    }
    match context.error() {
        Some(error) => Err(Error::Run(error)),
        None if status != 0 => Err(Error::Native(format!(
            "the program failed with status {status}"
        ))),
        None => Ok(()),
    }
}

/// Results whose sizes are known after the call only, with their numbers: the entry point takes
/// memory for them from the context's pool.
///
/// # Safety
///
/// A call of an entry with results of these types left `results` and `sizes`, and this is done
/// once.
pub(crate) unsafe fn computed(
    context: &Context,
    types: &[TensorType],
    results: &[*mut c_void],
    sizes: &[i64],
) -> Vec<(usize, Tensor)> {
    let (mut found, mut at) = (Vec::new(), 0);
    for (i, ty) in types.iter().enumerate() {
        let shape = &sizes[at..at + ty.rank()];
        at += ty.rank();
        // Asked without a list of sizes: a call of a small program takes no memory but its results.
        if ty.dims.iter().all(|dim| dim.fixed().is_some()) {
            continue;
        }
        let width = ty.element.byte_width().unwrap_or(1);
        let bytes = shape.iter().product::<i64>().max(0) as usize * width;
        if let Some(pointer) = NonNull::new(results[i].cast::<u8>()) {
            // SAFETY: the entry point took the memory from this context's pool with this size and
            // gave it to us.
            let buffer = unsafe { Buffer::from_raw(context.memory(), pointer, bytes) };
            let tensor = Tensor::from_buffer(ty.element.clone(), shape.to_vec(), buffer);
            found.push((i, tensor));
        }
    }
    found
}

/// A call that is ready to be made, again and again.
pub struct Bound<'e> {
    pub(crate) point: usize,
    pub(crate) bounds_checks: bool,
    pub(crate) types: &'e [TensorType],
    pub(crate) arguments: Vec<*const c_void>,
    pub(crate) argument_sizes: Vec<i64>,
    /// Tensors of static shape are there from the start; others after each call.
    pub(crate) outputs: Vec<Option<Place<'e>>>,
    /// Of the outputs those of static shape.
    pub(crate) memory: CallMemory,
    pub(crate) context: Context,
    pub(crate) _inputs: std::marker::PhantomData<&'e Tensor>,
}

impl Bound<'_> {
    /// Makes the call.
    ///
    /// # Errors
    /// A failure of the program.
    pub fn run(&mut self) -> Result<()> {
        let mut results: Vec<*mut c_void> = Vec::with_capacity(self.types.len());
        for (ty, output) in self.types.iter().zip(&mut self.outputs) {
            match output {
                Some(place) if ty.static_shape().is_some() => {
                    results.push(place.bytes_mut().as_mut_ptr().cast())
                }
                other => {
                    *other = None;
                    results.push(std::ptr::null_mut());
                }
            }
        }
        let ranks: usize = self.types.iter().map(TensorType::rank).sum();
        let mut sizes = vec![0i64; ranks];
        self.context.take_copied();
        // SAFETY: the address is that of an entry point, kept alive by the executable; arguments
        // were checked against it; results of static shape have their memory.
        let outcome = unsafe {
            call(
                self.point,
                self.bounds_checks,
                &self.context,
                &self.arguments,
                &self.argument_sizes,
                &mut results,
                &mut sizes,
            )
        };
        self.memory.copied = self.context.take_copied();
        // SAFETY: the entry point wrote these, and nobody has taken them.
        for (i, tensor) in unsafe { computed(&self.context, self.types, &results, &sizes) } {
            self.outputs[i] = Some(Place::Own(tensor));
        }
        outcome
    }

    /// Times of the parts since the last time they were taken ([`Statistics::parts`]).
    pub fn take_times(&self) -> Vec<mapwright_runtime::profile::PartTime> {
        self.context.take_times()
    }

    /// Memory of the calls so far. The peak of intermediate tensors is that of all calls that the
    /// program makes at the same time.
    pub fn memory(&self) -> CallMemory {
        let pool = self.context.memory().statistics();
        CallMemory {
            outputs: Place::total(&self.outputs),
            peak: self.memory.inputs + self.memory.outputs + pool.peak,
            ..self.memory
        }
    }

    /// The results of the last call, but for those in lent memory.
    pub fn outputs(&self) -> impl Iterator<Item = &Tensor> {
        self.outputs.iter().flatten().filter_map(Place::own)
    }

    /// The results of the last call, taken, but for those in lent memory.
    pub fn into_outputs(self) -> Vec<Tensor> {
        let outputs = self.outputs.into_iter().flatten();
        outputs.filter_map(Place::into_own).collect()
    }
}

/// Memory of a result.
pub(crate) enum Place<'e> {
    Own(Tensor),
    Lent(&'e mut [u8]),
}

impl<'e> Place<'e> {
    pub(crate) fn new(ty: &TensorType, shape: &[i64], lent: Option<&'e mut [u8]>) -> Result<Self> {
        let Some(lent) = lent else {
            return Tensor::zeros(&ty.element, shape).map(Self::Own);
        };
        if View::new(&ty.element, shape, lent)?.is_some() {
            Ok(Self::Lent(lent))
        } else {
            Err(Error::Input(format!(
                "the memory for a result of type {ty} does not lie at a multiple of 64 bytes"
            )))
        }
    }

    /// Bytes of all that are there.
    pub(crate) fn total(places: &[Option<Self>]) -> usize {
        let bytes = |place: &Self| match place {
            Self::Own(tensor) => tensor.bytes().len(),
            Self::Lent(bytes) => bytes.len(),
        };
        places.iter().flatten().map(bytes).sum()
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Own(tensor) => tensor.bytes_mut(),
            Self::Lent(bytes) => bytes,
        }
    }

    fn own(&self) -> Option<&Tensor> {
        match self {
            Self::Own(tensor) => Some(tensor),
            Self::Lent(_) => None,
        }
    }

    fn into_own(self) -> Option<Tensor> {
        match self {
            Self::Own(tensor) => Some(tensor),
            Self::Lent(_) => None,
        }
    }
}
