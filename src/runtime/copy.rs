//! Copies of tensors: large ones on all threads and past the caches.

use crate::Context;

/// Copies from this size on are shared by the threads and stored past the caches: a store that misses reads its line first.
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
/// `from` and `to` are valid for this many bytes, and are the same or do not overlap; nobody else writes to either.
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

/// # Safety
/// As for [`copy`].
#[cfg(target_arch = "x86_64")]
unsafe fn stream(from: *const u8, to: *mut u8, bytes: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    const LINE: usize = 64;
    let head = to.align_offset(LINE).min(bytes);
    let lines = (bytes - head) / LINE;
    let tail = head + lines * LINE;
    // SAFETY: all offsets are below `bytes`; from `head` on the target is aligned. The fence makes the stores visible before whatever
    // tells other threads that the piece is done.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, head);
        for line in 0..lines {
            let offset = head + line * LINE;
            let (source, target) = (
                from.add(offset).cast::<__m128i>(),
                to.add(offset).cast::<__m128i>(),
            );
            let values = [0, 1, 2, 3].map(|i| _mm_loadu_si128(source.add(i)));
            for (i, value) in values.into_iter().enumerate() {
                _mm_stream_si128(target.add(i), value);
            }
        }
        std::ptr::copy_nonoverlapping(from.add(tail), to.add(tail), bytes - tail);
        _mm_sfence();
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
