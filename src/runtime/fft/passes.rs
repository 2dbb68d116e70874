//! Transforms of the lines of one dimension after the other.

use rustfft::num_complex::Complex;

use super::{Real, plan};
use crate::Context;
use crate::sort::Pieces;

/// Elements that are worth another thread.
const SHARE: usize = 1 << 13;

/// Tasks of so many elements that are worth another thread.
fn grain(elements: usize) -> usize {
    (SHARE / elements.max(1)).max(1)
}

fn number<T: Real>() -> Complex<T> {
    Complex::new(T::zero(), T::zero())
}

fn scaled<T: Real>(line: &mut [Complex<T>], scale: Option<T>) {
    if let Some(scale) = scale {
        line.iter_mut().for_each(|z| *z = *z * scale);
    }
}

/// The lines of the last dimension.
pub(super) struct Lines<'a> {
    pub context: &'a Context,
    pub rows: usize,
    /// Elements of a line of real numbers, or of the complex ones that are transformed to such.
    pub last: usize,
    /// Elements of a complex line that are stored.
    pub width: usize,
}

impl Lines<'_> {
    pub fn complex<T: Real>(
        &self,
        input: &[Complex<T>],
        output: &Pieces<'_, Complex<T>>,
        inverse: bool,
        scale: Option<T>,
    ) {
        let plan = plan(|planners: &mut super::Planners<T>| {
            if inverse {
                planners.complex.plan_fft_inverse(self.last)
            } else {
                planners.complex.plan_fft_forward(self.last)
            }
        });
        self.run(&|begin, end| {
            let mut scratch = vec![number::<T>(); plan.get_immutable_scratch_len()];
            for row in begin..end {
                let range = row * self.last..(row + 1) * self.last;
                // SAFETY: rows are disjoint, and each is visited once.
                let line = unsafe { output.get(range.start, self.last) };
                plan.process_immutable_with_scratch(&input[range], line, &mut scratch);
                scaled(line, scale);
            }
        });
    }

    /// From real numbers to the first half of what they are transformed to.
    pub fn forward<T: Real>(&self, input: &[T], output: &Pieces<'_, Complex<T>>) {
        let plan =
            plan(|planners: &mut super::Planners<T>| planners.real.plan_fft_forward(self.last));
        self.run(&|begin, end| {
            let mut scratch = plan.make_scratch_vec();
            let mut line = plan.make_input_vec();
            for row in begin..end {
                line.copy_from_slice(&input[row * self.last..(row + 1) * self.last]);
                // SAFETY: rows are disjoint, and each is visited once.
                let half = unsafe { output.get(row * self.width, self.width) };
                // The lengths are those of the plan, which is all that can be wrong.
                let _ = plan.process_with_scratch(&mut line, half, &mut scratch);
            }
        });
    }

    /// From the first half of what real numbers are transformed to back to them. Parts that such a
    /// half cannot have are ignored.
    pub fn backward<T: Real>(
        &self,
        input: &[Complex<T>],
        output: &Pieces<'_, T>,
        scale: Option<T>,
    ) {
        let plan =
            plan(|planners: &mut super::Planners<T>| planners.real.plan_fft_inverse(self.last));
        self.run(&|begin, end| {
            let mut scratch = plan.make_scratch_vec();
            let mut half = plan.make_input_vec();
            for row in begin..end {
                half.copy_from_slice(&input[row * self.width..(row + 1) * self.width]);
                half[0].im = T::zero();
                if self.last.is_multiple_of(2) {
                    half[self.width - 1].im = T::zero();
                }
                // SAFETY: rows are disjoint, and each is visited once.
                let line = unsafe { output.get(row * self.last, self.last) };
                // As above.
                let _ = plan.process_with_scratch(&mut half, line, &mut scratch);
                if let Some(scale) = scale {
                    line.iter_mut().for_each(|x| *x = *x * scale);
                }
            }
        });
    }

    fn run(&self, body: &(dyn Fn(usize, usize) + Sync)) {
        self.context.parallel_for(self.rows, grain(self.last), body);
    }
}

/// The dimensions before the last one.
pub(super) struct Others<'a> {
    pub context: &'a Context,
    pub batch: usize,
    pub lengths: &'a [usize],
    /// Elements of a line of the last dimension.
    pub width: usize,
    pub inverse: bool,
}

/// Bytes of lines that are gathered at once: they stay in the first cache.
const BLOCK: usize = 16 << 10;

/// Bytes beside each other that are gathered of a row, at least and at most.
const BESIDE: (usize, usize) = (64, 512);

/// Elements between two lines: of powers of two all would be in the same places of the cache.
const GAP: usize = 8;

impl Others<'_> {
    /// Transforms all of them in place, and multiplies by `scale` in the last one.
    pub fn transform<T: Real>(&self, data: &Pieces<'_, Complex<T>>, scale: Option<T>) {
        for d in (0..self.lengths.len()).rev() {
            self.dimension(d, data, scale.filter(|_| d == 0));
        }
    }

    fn dimension<T: Real>(&self, d: usize, data: &Pieces<'_, Complex<T>>, scale: Option<T>) {
        let length = self.lengths[d];
        let inner = self.width * self.lengths[d + 1..].iter().product::<usize>();
        let outer = self.batch * self.lengths[..d].iter().product::<usize>();
        let plan = plan(|planners: &mut super::Planners<T>| {
            if self.inverse {
                planners.complex.plan_fft_inverse(length)
            } else {
                planners.complex.plan_fft_forward(length)
            }
        });
        let element = size_of::<Complex<T>>();
        let (least, most) = (BESIDE.0 / element, BESIDE.1 / element);
        let block = (BLOCK / (length * element)).clamp(least, most).min(inner);
        let blocks = inner.div_ceil(block);
        let stride = length + GAP;
        let tasks = outer * blocks;
        self.context
            .parallel_for(tasks, grain(length * block), &|begin, end| {
                let mut scratch = vec![number::<T>(); plan.get_inplace_scratch_len()];
                let mut lines = vec![number::<T>(); stride * block];
                for task in begin..end {
                    let first = task % blocks * block;
                    let count = block.min(inner - first);
                    let base = task / blocks * length * inner + first;
                    // SAFETY: the columns of tasks are disjoint, and each is visited once.
                    let row = |j: usize| unsafe { data.get(base + j * inner, count) };
                    for j in 0..length {
                        for (line, z) in lines.chunks_mut(stride).zip(row(j)) {
                            line[j] = *z;
                        }
                    }
                    for line in lines.chunks_mut(stride).take(count) {
                        plan.process_with_scratch(&mut line[..length], &mut scratch);
                        scaled(&mut line[..length], scale);
                    }
                    for j in 0..length {
                        for (line, z) in lines.chunks(stride).zip(row(j)) {
                            *z = line[j];
                        }
                    }
                }
            });
    }
}
