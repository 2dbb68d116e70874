//! Discrete Fourier transforms of any length, of one to three dimensions, with the scaling of
//! StableHLO's `fft`.
//!
//! Lines are transformed by `rustfft` and `realfft`, each by itself, in the precision of its
//! elements; where lines are columns, some beside each other are gathered first (`passes`).

mod passes;

use std::sync::Mutex;

use realfft::RealFftPlanner;
use rustfft::num_complex::Complex;
use rustfft::{FftNum, FftPlanner};

use crate::Context;
use crate::error::{Error, Result};
use crate::pool::lock;
use crate::sort::Pieces;
use passes::{Lines, Others};

/// The transforms of `fft`; the codes are those of `enum mw_fft_kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum FftKind {
    /// Complex to complex, `X[k] = sum x[j] exp(-2 pi i j k / n)`.
    Forward = 0,
    /// The inverse: the other sign, divided by the number of elements.
    Inverse = 1,
    /// Real to complex; of the last dimension the first `n / 2 + 1` elements.
    RealForward = 2,
    /// The inverse of `RealForward`.
    RealInverse = 3,
}

impl FftKind {
    pub fn from_code(code: i32) -> Result<FftKind> {
        match code {
            0 => Ok(FftKind::Forward),
            1 => Ok(FftKind::Inverse),
            2 => Ok(FftKind::RealForward),
            3 => Ok(FftKind::RealInverse),
            _ => Err(Error::invalid(format!(
                "{code} is not the code of a Fourier transform"
            ))),
        }
    }

    fn is_inverse(self) -> bool {
        matches!(self, FftKind::Inverse | FftKind::RealInverse)
    }
}

/// `f32` or `f64`.
pub trait Real: FftNum {
    /// The plans for this type that are there already.
    #[doc(hidden)]
    fn planners() -> &'static Mutex<Option<Planners<Self>>>;
}

macro_rules! real {
    ($type:ty) => {
        impl Real for $type {
            fn planners() -> &'static Mutex<Option<Planners<Self>>> {
                static PLANNERS: Mutex<Option<Planners<$type>>> = Mutex::new(None);
                &PLANNERS
            }
        }
    };
}

real!(f32);
real!(f64);

/// Cache of plans, one for each length, for the life of the process.
#[doc(hidden)]
pub struct Planners<T: Real> {
    complex: FftPlanner<T>,
    real: RealFftPlanner<T>,
}

/// Calls `make` with the planners of a type.
fn plan<T: Real, P>(make: impl FnOnce(&mut Planners<T>) -> P) -> P {
    let mut planners = lock(T::planners());
    make(planners.get_or_insert_with(|| Planners {
        complex: FftPlanner::new(),
        real: RealFftPlanner::new(),
    }))
}

/// Numbers in the input and in the output of a transform; a complex element counts as two.
///
/// # Errors
/// `InvalidArgument` when there are no or more than three lengths, or too many elements.
pub fn sizes(kind: FftKind, batch: usize, lengths: &[usize]) -> Result<(usize, usize)> {
    let [before @ .., last] = lengths else {
        return Err(Error::invalid("a Fourier transform without dimensions"));
    };
    if lengths.len() > 3 {
        return Err(Error::invalid(format!(
            "a Fourier transform of {} dimensions",
            lengths.len()
        )));
    }
    let rows = before.iter().try_fold(batch, |p, n| p.checked_mul(*n));
    let total = |numbers: usize| {
        rows.and_then(|r| r.checked_mul(numbers))
            .ok_or_else(|| Error::invalid("a Fourier transform of too many elements"))
    };
    let (real, complex) = (
        total(*last)?,
        total(
            last.checked_mul(2)
                .ok_or_else(|| Error::invalid("too long"))?,
        )?,
    );
    let half = total(2 * (last / 2 + 1))?;
    Ok(match kind {
        FftKind::Forward | FftKind::Inverse => (complex, complex),
        FftKind::RealForward => (real, half),
        FftKind::RealInverse => (half, real),
    })
}

/// Transforms `batch` tensors of the dimensions `lengths` (of the complex or real side with the
/// full last dimension).
///
/// Complex numbers are pairs. For `RealInverse`, the imaginary parts that a real signal cannot have
/// are ignored.
///
/// # Errors
/// `InvalidArgument` when the slices do not have the sizes that [`sizes`] gives; `OutOfMemory`.
pub fn fft<T: Real>(
    context: &Context,
    kind: FftKind,
    batch: usize,
    lengths: &[usize],
    input: &[T],
    output: &mut [T],
) -> Result<()> {
    if (input.len(), output.len()) != sizes(kind, batch, lengths)? {
        return Err(Error::invalid(format!(
            "{} and {} numbers for a Fourier transform of {batch} times {lengths:?}",
            input.len(),
            output.len()
        )));
    }
    if input.is_empty() || lengths.contains(&0) {
        output.fill(T::zero());
        return Ok(());
    }
    let total: usize = lengths.iter().product();
    let scale = if kind.is_inverse() {
        T::from_f64(1.0 / total as f64)
    } else {
        None
    };
    let (last, before) = lengths.split_last().unwrap_or((&1, &[]));
    let (last, rows) = (*last, batch * before.iter().product::<usize>());
    // Complex elements in a line of the last dimension, where the other dimensions are transformed.
    let width = match kind {
        FftKind::Forward | FftKind::Inverse => last,
        FftKind::RealForward | FftKind::RealInverse => last / 2 + 1,
    };
    let lines = Lines {
        context,
        rows,
        last,
        width,
    };
    let others = Others {
        context,
        batch,
        lengths: before,
        width,
        inverse: kind.is_inverse(),
    };
    match kind {
        FftKind::Forward | FftKind::Inverse => {
            let output = Pieces::new(numbers_mut(output));
            let own = scale.filter(|_| before.is_empty());
            lines.complex(numbers(input), &output, kind.is_inverse(), own);
            others.transform(&output, scale);
        }
        FftKind::RealForward => {
            let output = Pieces::new(numbers_mut(output));
            lines.forward(input, &output);
            others.transform(&output, None);
        }
        FftKind::RealInverse if before.is_empty() => {
            lines.backward(numbers(input), &Pieces::new(output), scale);
        }
        FftKind::RealInverse => {
            let bytes = size_of_val(input);
            let mut memory = context.memory().allocate(bytes)?;
            // SAFETY: the buffer is aligned to 64 bytes and has this size; the copy makes all of it
            // numbers.
            let work = unsafe {
                crate::copy::copy(context, input.as_ptr().cast(), memory.as_mut_ptr(), bytes);
                std::slice::from_raw_parts_mut(memory.as_mut_ptr().cast::<T>(), input.len())
            };
            others.transform(&Pieces::new(numbers_mut(work)), None);
            lines.backward(numbers(work), &Pieces::new(output), scale);
        }
    }
    Ok(())
}

/// Pairs as complex numbers.
fn numbers<T: Real>(pairs: &[T]) -> &[Complex<T>] {
    // SAFETY: a complex number is a pair, in memory too.
    unsafe { pairs.align_to::<Complex<T>>().1 }
}

/// As [`numbers`].
fn numbers_mut<T: Real>(pairs: &mut [T]) -> &mut [Complex<T>] {
    // SAFETY: as above.
    unsafe { pairs.align_to_mut::<Complex<T>>().1 }
}

#[cfg(test)]
mod tests;
