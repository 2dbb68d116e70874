//! Discrete Fourier transforms of any length, of one to three dimensions, with the scaling of StableHLO's `fft`.
//!
//! All arithmetic is in double precision, also for single-precision tensors, whose results are then right to the last bit or nearly so
//! in every element, not only relative to the largest.

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
mod tests {
    use super::*;
    use crate::test_support::Random;

    /// The definition, in one dimension after the other, of a full complex tensor.
    fn definition(
        batch: usize,
        lengths: &[usize],
        data: &[Complex<f64>],
        inverse: bool,
    ) -> Vec<Complex<f64>> {
        let mut data = data.to_vec();
        for (d, &n) in lengths.iter().enumerate() {
            let inner: usize = lengths[d + 1..].iter().product();
            let outer = batch * lengths[..d].iter().product::<usize>();
            let mut next = data.clone();
            for o in 0..outer {
                for i in 0..inner {
                    for k in 0..n {
                        let sum: Complex<f64> = (0..n)
                            .map(|j| {
                                let turn =
                                    (j * k % n) as f64 / n as f64 * 2.0 * std::f64::consts::PI;
                                data[(o * n + j) * inner + i]
                                    * Complex::new(
                                        turn.cos(),
                                        if inverse { turn.sin() } else { -turn.sin() },
                                    )
                            })
                            .sum();
                        next[(o * n + k) * inner + i] = if inverse { sum / n as f64 } else { sum };
                    }
                }
            }
            data = next;
        }
        data
    }

    fn check<T: Real>(
        kind: FftKind,
        batch: usize,
        lengths: &[usize],
        tolerance: f64,
        random: &mut Random,
    ) {
        let (inputs, outputs) = sizes(kind, batch, lengths).unwrap();
        let input: Vec<T> = (0..inputs)
            .map(|_| T::from_f64(random.uniform() - 0.5))
            .collect();
        let (last, rows) = (
            lengths[lengths.len() - 1],
            inputs / (inputs / (batch * lengths[..lengths.len() - 1].iter().product::<usize>())),
        );
        let at = |row: usize, i: usize, width: usize| {
            Complex::new(
                input[2 * (row * width + i)].to_f64(),
                input[2 * (row * width + i) + 1].to_f64(),
            )
        };
        let full: Vec<Complex<f64>> = match kind {
            FftKind::RealForward => input
                .iter()
                .map(|x| Complex::new(x.to_f64(), 0.0))
                .collect(),
            FftKind::RealInverse => {
                // Full along the last dimension only after the others have been transformed; so the others go first here, too.
                let width = last / 2 + 1;
                let half: Vec<_> = (0..rows * width).map(|i| at(0, i, width)).collect();
                let mut shape = lengths[..lengths.len() - 1].to_vec();
                shape.push(1);
                let columns: Vec<Vec<Complex<f64>>> = (0..width)
                    .map(|c| {
                        definition(
                            batch,
                            &shape,
                            &(0..rows).map(|r| half[r * width + c]).collect::<Vec<_>>(),
                            true,
                        )
                    })
                    .collect();
                (0..rows * last)
                    .map(|i| {
                        let (row, c) = (i / last, i % last);
                        if c < width {
                            columns[c][row]
                        } else {
                            columns[last - c][row].conj()
                        }
                    })
                    .collect()
            }
            _ => (0..inputs / 2).map(|i| at(0, i, last)).collect(),
        };
        let expected: Vec<f64> = match kind {
            FftKind::RealInverse => definition(rows, &[last], &full, true)
                .iter()
                .map(|z| z.re)
                .collect(),
            FftKind::RealForward => {
                let all = definition(batch, lengths, &full, false);
                all.chunks(last)
                    .flat_map(|row| row[..last / 2 + 1].iter().flat_map(|z| [z.re, z.im]))
                    .collect()
            }
            _ => definition(batch, lengths, &full, kind == FftKind::Inverse)
                .iter()
                .flat_map(|z| [z.re, z.im])
                .collect(),
        };
        let largest = expected.iter().fold(1e-300f64, |m, x| m.max(x.abs()));
        let mut first: Option<Vec<f64>> = None;
        for threads in [1, 2, 4] {
            let mut output = vec![T::from_f64(9.0); outputs];
            fft(
                &Context::new(threads),
                kind,
                batch,
                lengths,
                &input,
                &mut output,
            )
            .unwrap();
            let output: Vec<f64> = output.iter().map(|x| x.to_f64()).collect();
            for (i, (a, b)) in output.iter().zip(&expected).enumerate() {
                assert!(
                    (a - b).abs() <= tolerance * largest,
                    "{kind:?} {batch} {lengths:?} element {i}: {a} instead of {b}"
                );
            }
            assert_eq!(first.get_or_insert_with(|| output.clone()), &output);
        }
    }

    #[test]
    fn transforms_are_those_of_the_definition() {
        let mut random = Random::new(1);
        let shapes: &[&[usize]] = &[
            &[1],
            &[2],
            &[3],
            &[4],
            &[7],
            &[16],
            &[31],
            &[60],
            &[97],
            &[127],
            &[128],
            &[1, 1],
            &[4, 6],
            &[5, 3],
            &[2, 3, 4],
            &[3, 1, 7],
            &[7, 5, 2],
        ];
        for kind in [
            FftKind::Forward,
            FftKind::Inverse,
            FftKind::RealForward,
            FftKind::RealInverse,
        ] {
            for shape in shapes {
                for batch in [1, 3] {
                    check::<f32>(kind, batch, shape, 7e-8, &mut random);
                    check::<f64>(kind, batch, shape, 2e-14, &mut random);
                }
            }
        }
    }

    #[test]
    fn inverses_undo() {
        let mut random = Random::new(2);
        let context = Context::new(2);
        for n in [1000, 1009, 4096, 65537] {
            let input: Vec<f64> = (0..n).map(|_| random.uniform()).collect();
            let mut spectrum = vec![0.0; 2 * (n / 2 + 1)];
            fft(
                &context,
                FftKind::RealForward,
                1,
                &[n],
                &input,
                &mut spectrum,
            )
            .unwrap();
            let mut output = vec![0.0; n];
            fft(
                &context,
                FftKind::RealInverse,
                1,
                &[n],
                &spectrum,
                &mut output,
            )
            .unwrap();
            assert!(
                input
                    .iter()
                    .zip(&output)
                    .all(|(a, b)| (a - b).abs() < 1e-11),
                "{n}"
            );
        }
    }

    #[test]
    fn empty_and_wrong_shapes() {
        let context = Context::new(1);
        let mut output = [1.0f32; 2];
        fft(&context, FftKind::RealForward, 1, &[0], &[], &mut output).unwrap();
        assert_eq!(output, [0.0, 0.0]);
        fft::<f32>(&context, FftKind::Forward, 0, &[5], &[], &mut []).unwrap();
        assert!(fft::<f32>(&context, FftKind::Forward, 1, &[5], &[], &mut []).is_err());
        assert!(fft::<f32>(&context, FftKind::Forward, 1, &[], &[0.0; 2], &mut [0.0; 2]).is_err());
        assert!(sizes(FftKind::Forward, usize::MAX, &[3]).is_err());
        assert!(sizes(FftKind::Forward, 1, &[usize::MAX]).is_err());
    }
}
