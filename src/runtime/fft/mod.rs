//! Discrete Fourier transforms of any length, of one to three dimensions, with the scaling of StableHLO's `fft`.
//!
//! The arithmetic has twice the precision of the elements, so that the results are right to the last bit or nearly so in every element,
//! not only relative to the largest. Only long lines of double precision are transformed in double precision (`exact::LONGEST`).

mod double;
mod exact;

use std::sync::{Arc, Mutex};

use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};

use crate::Context;
use crate::error::{Error, Result};
use crate::pool::lock;
use crate::sort::Pieces;

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
pub trait Real: Copy + Send + Sync + 'static {
    fn to_f64(self) -> f64;
    fn from_f64(value: f64) -> Self;

    /// The numbers themselves, if they are `f64`.
    fn doubles<'a>(
        _input: &'a [Self],
        _output: &'a mut [Self],
    ) -> Option<(&'a [f64], &'a mut [f64])> {
        None
    }
}

impl Real for f32 {
    fn to_f64(self) -> f64 {
        self.into()
    }
    fn from_f64(value: f64) -> f32 {
        value as f32
    }
}

impl Real for f64 {
    fn to_f64(self) -> f64 {
        self
    }
    fn from_f64(value: f64) -> f64 {
        value
    }
    fn doubles<'a>(input: &'a [f64], output: &'a mut [f64]) -> Option<(&'a [f64], &'a mut [f64])> {
        Some((input, output))
    }
}

type Line = Vec<Complex<f64>>;

/// Plans are kept for the life of the process; the planner has one for each length.
fn plan(length: usize, inverse: bool) -> Arc<dyn Fft<f64>> {
    static PLANNER: Mutex<Option<FftPlanner<f64>>> = Mutex::new(None);
    let mut planner = lock(&PLANNER);
    let planner = planner.get_or_insert_with(FftPlanner::new);
    if inverse {
        planner.plan_fft_inverse(length)
    } else {
        planner.plan_fft_forward(length)
    }
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

/// Transforms `batch` tensors of the dimensions `lengths` (of the complex or real side with the full last dimension).
///
/// Complex numbers are pairs. For `RealInverse`, the imaginary parts that a real signal cannot have are ignored.
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
        output.fill(T::from_f64(0.0));
        return Ok(());
    }
    if lengths.iter().all(|n| *n <= exact::LONGEST)
        && let Some((input, output)) = T::doubles(input, output)
    {
        return exact::fft(context, kind, batch, lengths, input, output);
    }
    let transform = Transform {
        context,
        kind,
        lengths,
    };
    let last = *lengths.last().unwrap_or(&1);
    let (before, rows) = (
        &lengths[..lengths.len() - 1],
        batch * lengths[..lengths.len() - 1].iter().product::<usize>(),
    );
    // Complex elements in a line of the last dimension, where the other dimensions are transformed.
    let width = match kind {
        FftKind::Forward | FftKind::Inverse => last,
        FftKind::RealForward | FftKind::RealInverse => last / 2 + 1,
    };
    let complex = |x: &[T], i: usize| Complex::new(x[2 * i].to_f64(), x[2 * i + 1].to_f64());
    let scale = if kind.is_inverse() {
        1.0 / lengths.iter().map(|n| *n as f64).product::<f64>()
    } else {
        1.0
    };

    let load = |row: usize, line: &mut Line| match kind {
        FftKind::RealForward => {
            line.clear();
            line.extend(
                input[row * last..(row + 1) * last]
                    .iter()
                    .map(|x| Complex::new(x.to_f64(), 0.0)),
            );
        }
        _ => {
            let source = &input[2 * row * width..2 * (row + 1) * width];
            line.clear();
            line.extend((0..width).map(|i| complex(source, i)));
        }
    };
    let outputs = output.len() / rows;
    let output = Pieces::new(output);
    let store = |row: usize, line: &[Complex<f64>]| {
        // SAFETY: rows are disjoint, and each is stored once.
        let target = unsafe { output.get(row * outputs, outputs) };
        if kind == FftKind::RealInverse {
            for (x, z) in target.iter_mut().zip(line) {
                *x = T::from_f64(z.re * scale);
            }
        } else {
            for (x, z) in target.chunks_exact_mut(2).zip(line) {
                x[0] = T::from_f64(z.re * scale);
                x[1] = T::from_f64(z.im * scale);
            }
        }
    };
    // A real signal's transform is symmetric: the second half follows from the first.
    let extend = |line: &mut Line| {
        if kind == FftKind::RealInverse {
            for i in width..last {
                line.push(line[last - i].conj());
            }
        }
    };

    if before.is_empty() {
        return transform.lines(rows, last, |row, line, plan, scratch| {
            load(row, line);
            extend(line);
            plan.process_with_scratch(line, scratch);
            store(row, line);
        });
    }
    let mut work = context.memory().allocate(
        rows.checked_mul(width * size_of::<Complex<f64>>())
            .ok_or_else(|| Error::out_of_memory(usize::MAX))?,
    )?;
    // SAFETY: the buffer is aligned to 64 bytes and has this size; every bit pattern is a number.
    let work = unsafe {
        std::slice::from_raw_parts_mut(work.as_mut_ptr().cast::<Complex<f64>>(), rows * width)
    };
    let work = &Pieces::new(work);
    let row_of = |row: usize| {
        // SAFETY: rows are disjoint, and each is visited once in a region.
        unsafe { work.get(row * width, width) }
    };
    if kind == FftKind::RealInverse {
        context.parallel_for(rows, 16, &|begin, end| {
            let mut line = Line::new();
            for row in begin..end {
                load(row, &mut line);
                row_of(row).copy_from_slice(&line);
            }
        });
        transform.others(batch, width, work)?;
        transform.lines(rows, last, |row, line, plan, scratch| {
            line.clear();
            line.extend_from_slice(row_of(row));
            extend(line);
            plan.process_with_scratch(line, scratch);
            store(row, line);
        })
    } else {
        transform.lines(rows, last, |row, line, plan, scratch| {
            load(row, line);
            plan.process_with_scratch(line, scratch);
            row_of(row).copy_from_slice(&line[..width]);
        })?;
        transform.others(batch, width, work)?;
        context.parallel_for(rows, 16, &|begin, end| {
            for row in begin..end {
                store(row, row_of(row));
            }
        });
        Ok(())
    }
}

struct Transform<'a> {
    context: &'a Context,
    kind: FftKind,
    lengths: &'a [usize],
}

impl Transform<'_> {
    /// Calls `body` for each of `count` lines, with a line and scratch to work in and the plan for `length`.
    fn lines(
        &self,
        count: usize,
        length: usize,
        body: impl Fn(usize, &mut Line, &dyn Fft<f64>, &mut [Complex<f64>]) + Sync,
    ) -> Result<()> {
        let plan = plan(length, self.kind.is_inverse());
        let grain = (1024 / length).max(1);
        self.context.parallel_for(count, grain, &|begin, end| {
            let mut line = Line::with_capacity(length);
            let mut scratch = vec![Complex::default(); plan.get_inplace_scratch_len()];
            for i in begin..end {
                body(i, &mut line, plan.as_ref(), &mut scratch);
            }
        });
        Ok(())
    }

    /// Transforms the dimensions before the last one, in place; `width` elements to a line of the last dimension.
    fn others(&self, batch: usize, width: usize, work: &Pieces<'_, Complex<f64>>) -> Result<()> {
        for (d, length) in self.lengths[..self.lengths.len() - 1]
            .iter()
            .enumerate()
            .rev()
        {
            let inner = width
                * self.lengths[d + 1..self.lengths.len() - 1]
                    .iter()
                    .product::<usize>();
            let outer = batch * self.lengths[..d].iter().product::<usize>();
            self.lines(outer * inner, *length, |i, line, plan, scratch| {
                let base = i / inner * length * inner + i % inner;
                line.clear();
                // SAFETY: the lines of a dimension are disjoint, and each is visited once.
                line.extend((0..*length).map(|j| unsafe { work.read(base + j * inner) }));
                plan.process_with_scratch(line, scratch);
                for (j, z) in line.iter().enumerate() {
                    // SAFETY: as above.
                    unsafe { work.write(base + j * inner, *z) };
                }
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
