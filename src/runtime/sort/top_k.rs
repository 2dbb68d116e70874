//! The `k` first elements of each line in an order, by selection.
//!
//! A line is read once, in blocks: a block whose best element does not beat the `k`-th best so far
//! is skipped after a few vector instructions; what beats it joins a short list, from which the
//! best `k` are selected when it is full.

use super::Lines;
use super::key::{self, Order, Shape};
use super::permutation::{Key, permutation};
use crate::error::{Error, Result};
use crate::multiversion::multiversion;
use crate::scratch::Scratch;
use crate::{Context, ElementKind};

/// Elements examined at once.
const BLOCK: usize = 256;

/// Elements examined at once in a block that has something.
const RUN: usize = 16;

/// Writes the first `k` elements of each of `rows` lines of `n` elements, in order, and their
/// positions (32-bit). Equal elements: the one at the lower position first.
///
/// # Safety
/// `input` points to `rows * n` elements, aligned to their words; `values` to room for `rows * k`
/// elements (or is null: not wanted), `positions` likewise for `i32`. Outputs do not overlap
/// anything.
///
/// # Errors
/// `InvalidArgument` when `k > n`; `Unsupported` for lines of 2^31 elements or more; `OutOfMemory`.
#[allow(clippy::too_many_arguments)]
pub unsafe fn top_k(
    context: &Context,
    kind: ElementKind,
    order: Order,
    (rows, n, k): (usize, usize, usize),
    input: *const u8,
    values: *mut u8,
    positions: *mut i32,
) -> Result<()> {
    if k > n {
        return Err(Error::invalid(format!("the first {k} of {n} elements")));
    }
    if i32::try_from(n).is_err() {
        return Err(Error::unsupported(format!(
            "positions in lines of {n} elements"
        )));
    }
    Lines::new(&[rows as i64, n as i64], 1)?;
    if k == 0 || rows == 0 {
        return Ok(());
    }
    let size = kind.size();
    let pointers = Pointers {
        input,
        values,
        positions,
    };
    let one = |row: usize| -> Result<()> {
        let pointers = &pointers;
        // SAFETY: the row is inside of the input, by the caller's promise.
        let line =
            unsafe { std::slice::from_raw_parts(pointers.input.add(row * n * size), n * size) };
        let mut found = Scratch::<u32>::take(n.min(k))?;
        select(context, kind, order, line, n, &mut found)?;
        for (i, p) in found.iter().enumerate() {
            // SAFETY: `p < n`; the outputs have room for `k` entries a row.
            unsafe {
                if !pointers.values.is_null() {
                    let target = pointers.values.add((row * k + i) * size);
                    std::ptr::copy_nonoverlapping(
                        line.as_ptr().add(*p as usize * size),
                        target,
                        size,
                    );
                }
                if !pointers.positions.is_null() {
                    pointers.positions.add(row * k + i).write(*p as i32);
                }
            }
        }
        Ok(())
    };
    if rows < context.threads() {
        (0..rows).try_for_each(one)
    } else {
        context.try_parallel_for(rows, (8192 / n).max(1), &|begin, end| {
            (begin..end).try_for_each(one)
        })
    }
}

struct Pointers {
    input: *const u8,
    values: *mut u8,
    positions: *mut i32,
}
// SAFETY: rows are disjoint, and each is handled by one thread.
unsafe impl Sync for Pointers {}

/// The positions of the first elements of a line, as many as `found` has room for.
fn select(
    context: &Context,
    kind: ElementKind,
    order: Order,
    line: &[u8],
    n: usize,
    found: &mut [u32],
) -> Result<()> {
    let k = found.len();
    match key::shape(kind) {
        // Selecting most of a line is sorting it. Short lines are not worth more thought either.
        Some((bits @ (16 | 32), shape)) if k * 8 <= n && n >= 64 => {
            let mut list = Scratch::<u64>::take(k + k.max(64) + BLOCK)?;
            let count = if bits == 32 {
                candidates32(words::<u32>(line, n), shape, order, k, &mut list)
            } else {
                candidates16(words::<u16>(line, n), shape, order, k, &mut list)
            };
            let list = &mut list[..count];
            if k < list.len() {
                list.select_nth_unstable(k - 1);
            }
            let list = &mut list[..k];
            list.sort_unstable();
            for (p, word) in found.iter_mut().zip(list) {
                *p = *word as u32;
            }
        }
        _ => {
            let mut all = Scratch::<u32>::take(n)?;
            permutation(
                context,
                &[Key {
                    kind,
                    order,
                    data: line,
                }],
                n,
                &mut all,
            )?;
            found.copy_from_slice(&all[..k]);
        }
    }
    Ok(())
}

/// # Panics
/// When the line is not aligned.
fn words<W>(line: &[u8], n: usize) -> &[W]
where
    W: crate::scratch::Plain,
{
    assert_eq!(
        line.as_ptr().align_offset(align_of::<W>()),
        0,
        "a tensor is not aligned to its elements"
    );
    assert!(n * size_of::<W>() <= line.len());
    // SAFETY: aligned and long enough by the lines above; every bit pattern is a value.
    unsafe { std::slice::from_raw_parts(line.as_ptr().cast(), n) }
}

macro_rules! candidates {
    ($name:ident, $kernel:ident, $word:ty, $keys:ident) => {
        #[inline(always)]
        fn $kernel(line: &[$word], shape: Shape, order: Order, k: usize, list: &mut [u64]) -> usize {
            let mut count = 0;
            // No key is above the bound at first; afterwards a key has to be below it to matter: of
            // equal keys, the earlier wins.
            let mut bound = u64::from(<$word>::MAX) + 1;
            let mut keys = [0 as $word; BLOCK];
            for (b, block) in line.chunks(BLOCK).enumerate() {
                let keys = &mut keys[..block.len()];
                key::$keys(block, keys, shape, order);
                let best = keys.iter().fold(<$word>::MAX, |m, x| m.min(*x));
                if u64::from(best) >= bound {
                    continue;
                }
                for (r, run) in keys.chunks(RUN).enumerate() {
                    let best = run.iter().fold(<$word>::MAX, |m, x| m.min(*x));
                    if u64::from(best) >= bound {
                        continue;
                    }
                    for (i, key) in run.iter().enumerate() {
                        // Without a branch: the slot is overwritten when the key does not matter.
                        list[count] = u64::from(*key) << 32 | (b * BLOCK + r * RUN + i) as u64;
                        count += usize::from(u64::from(*key) < bound);
                    }
                }
                if count >= k + k.max(64) {
                    list[..count].select_nth_unstable(k - 1);
                    count = k;
                    bound = list[k - 1] >> 32;
                }
            }
            count
        }

        multiversion! {
            /// Collects, as `key << 32 | position`, words among which are the `k` smallest of the
            /// line; returns how many.
            fn $name<>(line: &[$word], shape: Shape, order: Order, k: usize, list: &mut [u64]) -> usize = $kernel;
        }
    };
}

candidates!(candidates32, candidates32_kernel, u32, keys32_kernel);
candidates!(candidates16, candidates16_kernel, u16, keys16_kernel);
