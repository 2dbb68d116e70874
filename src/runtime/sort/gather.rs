//! Lines of a tensor along any dimension, moved to and from dense scratch memory.

use super::Lines;
use crate::Context;

/// Lines gathered at once when they are strided, so that each cache line of the tensor is read
/// once.
pub(crate) const BLOCK: usize = 16;

/// Calls `copy(element of the tensor, element of the scratch)` for every element of `count`
/// neighbouring lines, beginning with line `first` (counted over the outer, then the inner
/// dimension); line `l` goes to `[l * length, (l + 1) * length)` of the scratch. All lines have the
/// same outer index.
#[inline(always)]
fn walk(lines: Lines, first: usize, count: usize, mut copy: impl FnMut(usize, usize)) {
    let base = first / lines.inner * lines.length * lines.inner + first % lines.inner;
    for i in 0..lines.length {
        for l in 0..count {
            copy(base + i * lines.inner + l, l * lines.length + i);
        }
    }
}

/// Lines from `first` on that can be taken at once: at most `BLOCK`, at most up to `end`, all with
/// the same outer index.
pub(crate) fn block(lines: Lines, first: usize, end: usize) -> usize {
    BLOCK
        .min(end - first)
        .min(lines.inner - first % lines.inner)
}

/// A copy of `count` lines, dense, one after the other. `size` is the size of an element in bytes.
///
/// # Safety
/// `source` points to a tensor of this shape, `target` to room for the lines; nobody writes to
/// either meanwhile.
pub(crate) unsafe fn gather(
    lines: Lines,
    first: usize,
    count: usize,
    size: usize,
    source: *const u8,
    target: *mut u8,
) {
    // SAFETY: the caller's promise.
    unsafe { copy::<false>((lines, first, count), size, source, target) }
}

/// The inverse of [`gather`].
///
/// # Safety
/// As for [`gather`], with source and target exchanged; nobody else accesses these lines of the
/// tensor.
pub(crate) unsafe fn scatter(
    lines: Lines,
    first: usize,
    count: usize,
    size: usize,
    source: *const u8,
    target: *mut u8,
) {
    // SAFETY: the caller's promise.
    unsafe { copy::<true>((lines, first, count), size, source, target) }
}

/// Copies lines out of a tensor, or `BACK` into it.
///
/// # Safety
/// As for [`gather`], or [`scatter`].
unsafe fn copy<const BACK: bool>(
    (lines, first, count): (Lines, usize, usize),
    size: usize,
    source: *const u8,
    target: *mut u8,
) {
    macro_rules! typed {
        ($($bytes:literal: $type:ty),*) => {
            match size {
                $($bytes => walk(lines, first, count, |in_tensor, in_scratch| {
                    let (from, to) = if BACK { (in_scratch, in_tensor) } else { (in_tensor, in_scratch) };
                    // SAFETY: both positions are inside, by the caller's promise and the definition
                    // of the lines.
                    unsafe { target.cast::<$type>().add(to).write_unaligned(source.cast::<$type>().add(from).read_unaligned()) }
                }),)*
                _ => unreachable!("elements have 1, 2, 4, 8 or 16 bytes"),
            }
        };
    }
    if lines.inner == 1 {
        let bytes = lines.length * size;
        let start = first * bytes;
        let (from, to) = if BACK { (0, start) } else { (start, 0) };
        // SAFETY: contiguous lines; inside by the caller's promise.
        unsafe { std::ptr::copy(source.add(from), target.add(to), count * bytes) };
        return;
    }
    typed!(1: u8, 2: u16, 4: u32, 8: u64, 16: u128)
}

/// Writes `target[i] = source[permutation[i]]`, on all threads when there is much to do.
///
/// # Safety
/// Both point to elements of `size` bytes, `target` to as many as the permutation has, `source` to
/// more than its largest entry; they do not overlap.
pub(crate) unsafe fn permute(
    context: &Context,
    permutation: &[u32],
    size: usize,
    source: *const u8,
    target: *mut u8,
) {
    /// Elements handled at once by one thread.
    const PIECE: usize = 1 << 13;
    struct Ends(*const u8, *mut u8);
    // SAFETY: the pieces below are disjoint.
    unsafe impl Sync for Ends {}
    let ends = Ends(source, target);
    context.parallel_for(permutation.len().div_ceil(PIECE), 2, &|begin, end| {
        let ends = &ends;
        let (begin, end) = (begin * PIECE, (end * PIECE).min(permutation.len()));
        // SAFETY: the caller's promise; pieces are disjoint.
        unsafe {
            permute_piece(
                &permutation[begin..end],
                size,
                ends.0,
                ends.1.add(begin * size),
            )
        };
    });
}

/// # Safety
/// As for [`permute`].
unsafe fn permute_piece(permutation: &[u32], size: usize, source: *const u8, target: *mut u8) {
    macro_rules! typed {
        ($($bytes:literal: $type:ty),*) => {
            match size {
                $($bytes => for (i, p) in permutation.iter().enumerate() {
                    // SAFETY: the caller's promise.
                    unsafe {
                        let value = source.cast::<$type>().add(*p as usize).read_unaligned();
                        target.cast::<$type>().add(i).write_unaligned(value);
                    }
                },)*
                _ => unreachable!("elements have 1, 2, 4, 8 or 16 bytes"),
            }
        };
    }
    typed!(1: u8, 2: u16, 4: u32, 8: u64, 16: u128)
}
