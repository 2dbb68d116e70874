//! Fourier transforms.

use std::ffi::c_void;

use super::sort::slice;
use super::{guard, size};
use crate::fft::{self, FftKind, Real};
use crate::{Context, ElementKind, Error, Result};

/// # Safety
/// The pointers have room for the numbers that `fft::sizes` gives, and do not overlap.
unsafe fn run<T: Real>(
    context: &Context,
    kind: FftKind,
    batch: usize,
    lengths: &[usize],
    input: *const c_void,
    output: *mut c_void,
) -> Result<()> {
    let (inputs, outputs) = fft::sizes(kind, batch, lengths)?;
    // SAFETY: the caller's promise.
    let (source, target) = unsafe {
        (
            super::input::<T>(input.cast(), inputs),
            super::output::<T>(output.cast(), outputs),
        )
    };
    fft::fft(context, kind, batch, lengths, source, target)
}

/// Transforms `batch` tensors of `rank` dimensions `lengths` (1 to 3; `fft_length` of the
/// operation). `real_kind` is the kind of the real numbers (`MW_F32` or `MW_F64`).
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn mw_fft(
    context: *const Context,
    kind: i32,
    real_kind: i32,
    batch: i64,
    lengths: *const i64,
    rank: i64,
    input: *const c_void,
    output: *mut c_void,
) -> i32 {
    // SAFETY: the caller gives tensors of these shapes.
    unsafe {
        guard(context, |context| {
            let kind = FftKind::from_code(kind)?;
            let batch = size(batch, "the batch")?;
            let lengths: Vec<usize> = slice(lengths, rank, "the rank")?
                .iter()
                .map(|n| size(*n, "a length"))
                .collect::<Result<_>>()?;
            match ElementKind::from_code(real_kind)? {
                ElementKind::F32 | ElementKind::C64 => {
                    run::<f32>(context, kind, batch, &lengths, input, output)
                }
                ElementKind::F64 | ElementKind::C128 => {
                    run::<f64>(context, kind, batch, &lengths, input, output)
                }
                kind => Err(Error::unsupported(format!(
                    "a Fourier transform of {}",
                    kind.name()
                ))),
            }
        })
    }
}
