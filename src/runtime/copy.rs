//! Copies of tensors: large ones on all threads and past the caches.

use crate::Context;

/// Copies from this size on are shared by the threads and stored past the caches: a store that
/// misses reads its line first.
const LARGE: usize = 4 << 20;

/// Bytes that a thread copies at once.
const PIECE: usize = 256 << 10;

struct Ends {
    from: *const u8,
    to: *mut u8,
}
// SAFETY: pieces are disjoint, and each is copied by one thread.
unsafe impl Sync for Ends {}

/// Copies `bytes` bytes; nothing where both addresses are the same.
///
/// # Safety
/// `from` and `to` are valid for this many bytes, and are the same or do not overlap; nobody else
/// writes to either.
pub unsafe fn copy(context: &Context, from: *const u8, to: *mut u8, bytes: usize) {
    if std::ptr::eq(from, to) || bytes == 0 {
        return;
    }
    if bytes < LARGE {
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
        return;
    }
    let ends = Ends { from, to };
    context.parallel_for(bytes.div_ceil(PIECE), 2, &|begin, end| {
        let ends = &ends;
        let (begin, end) = (begin * PIECE, (end * PIECE).min(bytes));
        // SAFETY: the piece is inside of both.
        unsafe { stream(ends.from.add(begin), ends.to.add(begin), end - begin) };
    });
}

/// Bytes of a cache line.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// # Safety
/// As for [`copy`].
#[cfg(target_arch = "x86_64")]
unsafe fn stream(from: *const u8, to: *mut u8, bytes: usize) {
    let head = to.align_offset(LINE).min(bytes);
    let lines = (bytes - head) / LINE;
    let tail = head + lines * LINE;
    // SAFETY: all offsets are below `bytes`; from `head` on the target is aligned. The fence makes
    // the stores visible before whatever tells other threads that the piece is done.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, head);
        if std::arch::is_x86_feature_detected!("avx") {
            lines_avx(from.add(head), to.add(head), lines)
        } else {
            lines_sse(from.add(head), to.add(head), lines)
        }
        std::ptr::copy_nonoverlapping(from.add(tail), to.add(tail), bytes - tail);
        std::arch::x86_64::_mm_sfence();
    }
}

/// Copies lines past the caches, in two stores each: with four, as of SSE, a processor of today
/// writes a fifth less in the same time. Lines are asked for a little further ahead than the
/// processor does by itself.
///
/// # Safety
/// As for [`copy`], and the target begins at a line.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx")]
unsafe fn lines_avx(from: *const u8, to: *mut u8, lines: usize) {
    use std::arch::x86_64::{
        __m256i, _MM_HINT_T0, _mm_prefetch, _mm256_loadu_si256, _mm256_stream_si256,
    };
    const AHEAD: usize = 2 << 10;
    for line in 0..lines {
        let offset = line * LINE;
        // SAFETY: all lines are inside of both; asking for what is behind them does nothing.
        unsafe {
            let (source, target) = (from.add(offset), to.add(offset).cast::<__m256i>());
            _mm_prefetch(source.wrapping_add(AHEAD).cast::<i8>(), _MM_HINT_T0);
            let source = source.cast::<__m256i>();
            let values = [
                _mm256_loadu_si256(source),
                _mm256_loadu_si256(source.add(1)),
            ];
            _mm256_stream_si256(target, values[0]);
            _mm256_stream_si256(target.add(1), values[1]);
        }
    }
}

/// Copies lines past the caches.
///
/// # Safety
/// As for [`lines_avx`].
#[cfg(target_arch = "x86_64")]
unsafe fn lines_sse(from: *const u8, to: *mut u8, lines: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    for line in 0..lines {
        let offset = line * LINE;
        // SAFETY: all lines are inside of both.
        unsafe {
            let source = from.add(offset).cast::<__m128i>();
            let target = to.add(offset).cast::<__m128i>();
            let values = [0, 1, 2, 3].map(|i| _mm_loadu_si128(source.add(i)));
            for (i, value) in values.into_iter().enumerate() {
                _mm_stream_si128(target.add(i), value);
            }
        }
    }
}

/// # Safety
/// As for [`copy`].
#[cfg(not(target_arch = "x86_64"))]
unsafe fn stream(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn lines_without_avx_are_the_same() {
        #[repr(align(64))]
        struct Lines([u8; 5 * LINE]);
        let source: Vec<u8> = (0..4 * LINE + 3).map(|i| (i % 251) as u8 + 1).collect();
        let mut target = Lines([0; 5 * LINE]);
        // SAFETY: both have room for four lines, and the target is aligned.
        unsafe { lines_sse(source.as_ptr().add(3), target.0.as_mut_ptr(), 4) };
        assert_eq!(target.0[..4 * LINE], source[3..]);
        assert!(target.0[4 * LINE..].iter().all(|x| *x == 0));
    }

    #[test]
    fn every_byte_arrives_and_none_beside() {
        for threads in [1, 2] {
            let context = Context::new(threads);
            for (bytes, from, to) in [
                (0, 0, 0),
                (1, 3, 5),
                (1000, 1, 64),
                (LARGE - 1, 0, 0),
                (LARGE, 0, 0),
                (LARGE + 17, 0, 0),
                (LARGE + 1003, 7, 13),
                (LARGE + PIECE + 1, 64, 1),
            ] {
                let source: Vec<u8> = (0..bytes + from).map(|i| (i % 251) as u8 + 1).collect();
                let mut target = vec![0u8; to + bytes + 9];
                // SAFETY: both have room.
                unsafe {
                    copy(
                        &context,
                        source.as_ptr().add(from),
                        target.as_mut_ptr().add(to),
                        bytes,
                    );
                }
                assert!(target[..to].iter().all(|x| *x == 0));
                assert!(target[to..to + bytes] == source[from..], "{bytes} bytes");
                assert!(target[to + bytes..].iter().all(|x| *x == 0));
            }
        }
    }
}
