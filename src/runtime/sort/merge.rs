//! Stable merge sort by any comparator.
//!
//! The comparator is somebody else's code. When it is no order at all (a NaN that is below
//! everything, a random answer), the result is some permutation of the line; the sort ends and
//! stays in bounds all the same, and the result depends neither on the number of threads nor on
//! timing, because the tree of merges is fixed by the length alone.

use std::ffi::c_void;

use super::Lines;
use super::gather::{block, gather, permute, scatter};
use super::plain::Operand;
use super::words::Pieces;
use crate::Context;
use crate::error::{Error, Result};
use crate::scratch::Scratch;

/// Whether the element at position `i` goes before the one at position `j`. `lines[k]` is the base
/// of operand `k`'s line, dense. Called from several threads at once.
#[derive(Clone, Copy)]
pub struct Comparator {
    pub function: unsafe extern "C" fn(
        environment: *const c_void,
        lines: *const *const u8,
        i: i64,
        j: i64,
    ) -> bool,
    pub environment: *const c_void,
}

// SAFETY: the comparator's author promises that it may be called from several threads.
unsafe impl Sync for Comparator {}

/// Runs up to this length are sorted by insertion.
const RUN: usize = 12;

/// Pieces of this length are one task.
const TASK: usize = 1 << 13;

/// Sorts all operands along a dimension by a comparator; stable.
///
/// # Safety
/// As for [`super::sort`]; the comparator may be called with positions inside of the line, from
/// several threads.
///
/// # Errors
/// `OutOfMemory`; `Unsupported` for lines of 2^32 elements or more.
pub unsafe fn sort_by(
    context: &Context,
    lines: Lines,
    operands: &[Operand],
    comparator: Comparator,
) -> Result<()> {
    if operands.is_empty() {
        return Err(Error::invalid("a sort without operands"));
    }
    if u32::try_from(lines.length).is_err() {
        return Err(Error::unsupported(format!(
            "sorting lines of {} elements",
            lines.length
        )));
    }
    if lines.elements() == 0 {
        return Ok(());
    }
    let run = |begin: usize, end: usize| -> Result<()> {
        let comparator = &comparator;
        let n = lines.length;
        let widest = operands.iter().map(|o| o.kind.size()).max().unwrap_or(0);
        let mut line = begin;
        while line < end {
            let count = block(lines, line, end);
            let mut order = Scratch::<u32>::take(n)?;
            let mut other = Scratch::<u32>::take(n)?;
            let mut permuted = Scratch::<u8>::take(n * widest)?;
            let mut dense = Vec::with_capacity(operands.len());
            for operand in operands {
                let size = operand.kind.size();
                let mut copy = Scratch::<u8>::take(n * count * size)?;
                // SAFETY: the caller's promise.
                unsafe { gather(lines, line, count, size, operand.input, copy.as_mut_ptr()) };
                dense.push(copy);
            }
            for l in 0..count {
                let bases: Vec<Base> = dense
                    .iter()
                    .zip(operands)
                    .map(|(d, o)| Base(d.as_ptr().wrapping_add(l * n * o.kind.size())))
                    .collect();
                let bases = bases.as_slice();
                let before = |i: u32, j: u32| {
                    // SAFETY: positions are those of the line; `Base` is a transparent pointer.
                    unsafe {
                        (comparator.function)(
                            comparator.environment,
                            bases.as_ptr().cast(),
                            i.into(),
                            j.into(),
                        )
                    }
                };
                sort_positions(context, &mut order, &mut other, &before);
                for (d, o) in dense.iter_mut().zip(operands) {
                    let size = o.kind.size();
                    let piece = &mut d[l * n * size..(l + 1) * n * size];
                    // SAFETY: the permutation's entries are below `n`; the pieces are different
                    // memory.
                    unsafe {
                        permute(context, &order, size, piece.as_ptr(), permuted.as_mut_ptr())
                    };
                    piece.copy_from_slice(&permuted[..n * size]);
                }
            }
            for (copy, operand) in dense.iter().zip(operands) {
                // SAFETY: the caller's promise; lines are disjoint.
                unsafe {
                    scatter(
                        lines,
                        line,
                        count,
                        operand.kind.size(),
                        copy.as_ptr(),
                        operand.output,
                    )
                };
            }
            line += count;
        }
        Ok(())
    };
    let count = lines.outer * lines.inner;
    if count < context.threads() {
        run(0, count)
    } else {
        context.try_parallel_for(count, (512 / lines.length).max(1), &run)
    }
}

/// The base of a line, for several threads.
#[repr(transparent)]
struct Base(*const u8);
// SAFETY: only read by comparators.
unsafe impl Sync for Base {}

/// Fills `order` with the positions `0..n`, sorted; `other` is as long.
pub(crate) fn sort_positions(
    context: &Context,
    order: &mut [u32],
    other: &mut [u32],
    before: &(dyn Fn(u32, u32) -> bool + Sync),
) {
    let n = order.len();
    for (i, p) in order.iter_mut().enumerate() {
        *p = i as u32;
    }
    if n <= TASK {
        sort_piece(order, other, before);
        return;
    }
    {
        let (order, other) = (Pieces::new(order), Pieces::new(other));
        context.parallel_for(n.div_ceil(TASK), 1, &|begin, end| {
            for task in begin..end {
                // SAFETY: tasks have disjoint pieces.
                let (piece, scratch) =
                    unsafe { (order.get(task * TASK, TASK), other.get(task * TASK, TASK)) };
                sort_piece(piece, scratch, before);
            }
        });
    }
    let mut width = TASK;
    let (mut from, mut to) = (order, other);
    let mut swapped = false;
    while width < n {
        {
            let (from, to) = (Pieces::new(from), Pieces::new(to));
            context.parallel_for(n.div_ceil(2 * width), 1, &|begin, end| {
                for pair in begin..end {
                    // SAFETY: pairs have disjoint pieces.
                    let (source, target) = unsafe {
                        (
                            from.get(pair * 2 * width, 2 * width),
                            to.get(pair * 2 * width, 2 * width),
                        )
                    };
                    merge(source, width, target, before);
                }
            });
        }
        std::mem::swap(&mut from, &mut to);
        swapped = !swapped;
        width *= 2;
    }
    if swapped {
        to.copy_from_slice(from);
    }
}

/// Sorts positions with the help of a slice of the same length.
fn sort_piece(piece: &mut [u32], scratch: &mut [u32], before: &dyn Fn(u32, u32) -> bool) {
    let n = piece.len();
    for run in piece.chunks_mut(RUN) {
        for i in 1..run.len() {
            let item = run[i];
            let mut hole = i;
            while hole > 0 && before(item, run[hole - 1]) {
                run[hole] = run[hole - 1];
                hole -= 1;
            }
            run[hole] = item;
        }
    }
    let mut width = RUN;
    let (mut from, mut to) = (&mut *piece, &mut *scratch);
    let mut swapped = false;
    while width < n {
        for (source, target) in from.chunks(2 * width).zip(to.chunks_mut(2 * width)) {
            merge(source, width, target, before);
        }
        std::mem::swap(&mut from, &mut to);
        swapped = !swapped;
        width *= 2;
    }
    if swapped {
        to.copy_from_slice(from);
    }
}

/// Merges the sorted sequences before and after `middle`; of equal elements those of the first come
/// first.
fn merge(source: &[u32], middle: usize, target: &mut [u32], before: &dyn Fn(u32, u32) -> bool) {
    let (left, right) = source.split_at(middle.min(source.len()));
    let (Some(&last), Some(&first)) = (left.last(), right.first()) else {
        target.copy_from_slice(source);
        return;
    };
    if !before(first, last) {
        target.copy_from_slice(source);
        return;
    }
    let (mut i, mut j) = (0, 0);
    for (k, slot) in target.iter_mut().enumerate() {
        if i == left.len() || j == right.len() {
            let (rest, at) = if i == left.len() {
                (right, j)
            } else {
                (left, i)
            };
            *slot = rest[at];
            if i == left.len() {
                j += 1
            } else {
                i += 1
            }
            debug_assert_eq!(i + j, k + 1);
            continue;
        }
        let take_right = before(right[j], left[i]);
        *slot = if take_right { right[j] } else { left[i] };
        i += usize::from(!take_right);
        j += usize::from(take_right);
    }
}
