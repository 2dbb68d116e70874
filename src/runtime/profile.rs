//! Times of the parts of a program, and what the machine could do at most.

use crate::multiversion::multiversion;
use crate::pool::lock;
use crate::{Context, MemoryPool, Result, copy};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Calls of a part of a program, their time altogether, and the bytes that they read and wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartTime {
    pub calls: u64,
    pub time: Duration,
    pub bytes: u64,
}

/// Times by the number of the part.
#[derive(Default)]
pub(crate) struct Profile {
    parts: Mutex<Vec<PartTime>>,
}

impl Profile {
    pub fn add(&self, part: usize, time: Duration, bytes: u64) {
        let mut parts = lock(&self.parts);
        if parts.len() <= part {
            parts.resize(part + 1, PartTime::default());
        }
        parts[part].calls += 1;
        parts[part].time += time;
        parts[part].bytes = parts[part].bytes.saturating_add(bytes);
    }

    pub fn take(&self) -> Vec<PartTime> {
        std::mem::take(&mut lock(&self.parts))
    }
}

/// Nanoseconds since some moment of this process.
pub(crate) fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Peaks of the machine with the threads of a context, measured.
#[derive(Clone, Copy, Debug)]
pub struct Peaks {
    /// Bytes a second, read and written, of a copy that no cache holds.
    pub copied: f64,
    /// Additions and multiplications of `f32` a second.
    pub flops: f64,
}

/// Bytes of the buffers that are copied.
const COPIED: usize = 64 << 20;
/// Rounds of the loops of products.
const ROUNDS: usize = 1 << 16;

#[inline(always)]
fn step<const LANES: usize>(lanes: &mut [f32; LANES], x: f32) {
    for sum in lanes {
        *sum = sum.mul_add(x, x);
    }
}

/// A loop of products with so many lanes, for as many sets of sums as there are names. Each set is
/// a variable of its own, so that it stays in a register. Gives the additions and multiplications.
macro_rules! products {
    ($name:ident, $kernel:ident, $lanes:literal, $($sum:ident)*) => {
        #[inline(always)]
        fn $kernel(rounds: usize, x: f32) -> usize {
            $(let mut $sum = [1.0_f32; $lanes];)*
            for _ in 0..rounds {
                $(step(&mut $sum, x);)*
            }
            let sums = std::hint::black_box([$($sum),*]);
            2 * rounds * $lanes * sums.len()
        }

        multiversion! {
            fn $name<>(rounds: usize, x: f32) -> usize = $kernel;
        }
    };
}

// Enough sums for two units that take four cycles each, in no more registers than there are: of 512
// bits, and of 256.
products!(wide, wide_kernel, 16, a b c d e f g h);
products!(narrow, narrow_kernel, 8, a b c d e f g h i j);

/// Measures; a fraction of a second.
///
/// # Errors
/// `OutOfMemory`.
pub fn peaks(context: &Context) -> Result<Peaks> {
    let pool = MemoryPool::new();
    let mut from = pool.allocate(COPIED)?;
    let mut to = pool.allocate(COPIED)?;
    from.as_mut_slice().fill(1);
    to.as_mut_slice().fill(2);
    let best = |work: &mut dyn FnMut()| {
        let mut least = f64::MAX;
        for _ in 0..5 {
            let start = Instant::now();
            work();
            least = least.min(start.elapsed().as_secs_f64());
        }
        least
    };
    let time = best(&mut || {
        // SAFETY: two buffers of this size, not used elsewhere.
        unsafe { copy::copy(context, from.as_ptr(), to.as_mut_ptr(), COPIED) };
    });
    let threads = context.threads();
    let rate = |products: fn(usize, f32) -> usize| {
        let done = AtomicUsize::new(0);
        let time = best(&mut || {
            done.store(0, Ordering::Relaxed);
            context.parallel_for(threads, 1, &|begin, end| {
                for _ in begin..end {
                    let one = products(ROUNDS, std::hint::black_box(0.5));
                    done.fetch_add(one, Ordering::Relaxed);
                }
            });
        });
        done.load(Ordering::Relaxed) as f64 / time
    };
    Ok(Peaks {
        copied: 2.0 * COPIED as f64 / time,
        flops: rate(wide).max(rate(narrow)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up() {
        let profile = Profile::default();
        profile.add(2, Duration::from_nanos(5), 16);
        profile.add(2, Duration::from_nanos(7), 24);
        let parts = profile.take();
        assert_eq!(parts.len(), 3);
        assert_eq!(parts[0], PartTime::default());
        assert_eq!(
            (parts[2].calls, parts[2].time, parts[2].bytes),
            (2, Duration::from_nanos(12), 40)
        );
        assert_eq!(profile.take(), Vec::new());
    }

    #[test]
    fn peaks_are_numbers_of_this_world() {
        let peaks = peaks(&Context::new(1)).unwrap();
        assert!((1e7..1e13).contains(&peaks.copied), "{peaks:?}");
        assert!((1e7..1e14).contains(&peaks.flops), "{peaks:?}");
    }
}
