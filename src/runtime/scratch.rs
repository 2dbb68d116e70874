//! Scratch memory for the tile at hand: a stack for each thread, grown once and then reused.

use std::cell::RefCell;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::memory::{ALIGNMENT, Buffer, MemoryPool};

/// Size of the first block in bytes; about a level-two cache.
const FIRST_BLOCK: usize = 1 << 20;

#[derive(Default)]
struct Stack {
    /// Later blocks are larger; only the last one that is in use is allocated from.
    blocks: Vec<Buffer>,
    /// Block and offset of each piece handed out, in order, and the address that was returned.
    pieces: Vec<Piece>,
}

struct Piece {
    block: usize,
    begin: usize,
    end: usize,
    /// Given back, but a piece taken later is still in use.
    free: bool,
}

thread_local! {
    static STACK: RefCell<Stack> = RefCell::new(Stack::default());
}

/// Takes `bytes` bytes, 64-byte aligned and not initialised, from the stack of the current thread.
/// They stay valid until they are given back with [`release`]; giving back in the opposite order
/// keeps the stack low.
///
/// # Errors
/// `OutOfMemory` when the system refuses.
pub fn take(bytes: usize) -> Result<NonNull<u8>> {
    let size = bytes
        .max(1)
        .checked_next_multiple_of(ALIGNMENT)
        .ok_or_else(|| Error::out_of_memory(bytes))?;
    STACK.with_borrow_mut(|stack| {
        let (mut block, mut begin) = stack
            .pieces
            .last()
            .map_or((0, 0), |piece| (piece.block, piece.end));
        while stack
            .blocks
            .get(block)
            .is_some_and(|b| b.len() - begin < size)
        {
            // Blocks above the one in use are free and may be too small for this request: drop
            // them, a larger one takes over.
            (block, begin) = (block + 1, 0);
            if stack.blocks.get(block).is_some_and(|b| b.len() < size) {
                stack.blocks.truncate(block);
            }
        }
        if block == stack.blocks.len() {
            let last = stack.blocks.last().map_or(FIRST_BLOCK / 2, Buffer::len);
            // A pool of its own, without reuse: the stack is the reuse.
            let pool: Arc<MemoryPool> = MemoryPool::new();
            pool.set_cache_limit(0);
            let length = size.max(last.saturating_mul(2));
            stack
                .blocks
                .push(pool.allocate(length).or_else(|_| pool.allocate(size))?);
        }
        stack.pieces.push(Piece {
            block,
            begin,
            end: begin + size,
            free: false,
        });
        let base = stack.blocks[block].as_mut_ptr();
        // SAFETY: `begin + size` is at most the length of the block.
        NonNull::new(unsafe { base.add(begin) }).ok_or_else(|| Error::out_of_memory(bytes))
    })
}

/// Gives the piece at `pointer` back to the current thread's stack. A pointer that is not in use is
/// ignored.
pub fn release(pointer: NonNull<u8>) {
    // During the destruction of the thread the stack may be gone, and with it everything that was
    // taken from it.
    let _ = STACK.try_with(|stack| {
        let mut stack = stack.borrow_mut();
        let Stack { blocks, pieces } = &mut *stack;
        let found = pieces.iter_mut().rev().find(|piece| {
            !piece.free
                && std::ptr::eq(
                    blocks[piece.block].as_ptr().wrapping_add(piece.begin),
                    pointer.as_ptr(),
                )
        });
        if let Some(piece) = found {
            piece.free = true;
        }
        while pieces.last().is_some_and(|piece| piece.free) {
            pieces.pop();
        }
    });
}

/// Integers, for which every bit pattern is a value.
///
/// # Safety
/// Only for types without padding, invalid bit patterns or destructors.
pub unsafe trait Plain: Copy + 'static {}
// SAFETY: plain numbers.
unsafe impl Plain for u8 {}
// SAFETY: plain numbers.
unsafe impl Plain for u16 {}
// SAFETY: plain numbers.
unsafe impl Plain for u32 {}
// SAFETY: plain numbers.
unsafe impl Plain for u64 {}
// SAFETY: plain numbers.
unsafe impl Plain for f64 {}
// SAFETY: a pair of plain numbers without padding.
unsafe impl Plain for [u64; 2] {}

/// A slice in the scratch memory of the current thread; its contents are arbitrary at first.
pub struct Scratch<T: Plain> {
    pointer: NonNull<T>,
    length: usize,
}

impl<T: Plain> Scratch<T> {
    /// # Errors
    /// `OutOfMemory` when the system refuses.
    pub fn take(length: usize) -> Result<Scratch<T>> {
        let bytes = length
            .checked_mul(size_of::<T>())
            .ok_or_else(|| Error::out_of_memory(usize::MAX))?;
        Ok(Scratch {
            pointer: take(bytes)?.cast(),
            length,
        })
    }
}

impl<T: Plain> std::ops::Deref for Scratch<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // SAFETY: the piece holds `length` elements, aligned to 64 bytes, and belongs to this
        // value; the memory was zero when it came from the system, so it is initialised, and every
        // bit pattern is a value.
        unsafe { std::slice::from_raw_parts(self.pointer.as_ptr(), self.length) }
    }
}

impl<T: Plain> std::ops::DerefMut for Scratch<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and `&mut self` excludes other users.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.as_ptr(), self.length) }
    }
}

impl<T: Plain> Drop for Scratch<T> {
    fn drop(&mut self) {
        release(self.pointer.cast());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_do_not_overlap_and_are_reused() {
        let mut held: Vec<(NonNull<u8>, usize)> = Vec::new();
        let mut addresses = Vec::new();
        for round in 0..2 {
            for (i, bytes) in [0, 1, 100, 5000, 1 << 20, 64, 3 << 20, 7]
                .into_iter()
                .enumerate()
            {
                let pointer = take(bytes).unwrap();
                assert_eq!(pointer.as_ptr().align_offset(ALIGNMENT), 0);
                for (other, length) in &held {
                    let (a, b) = (pointer.addr().get(), other.addr().get());
                    assert!(a + bytes <= b || b + length <= a);
                }
                // SAFETY: the piece has this many bytes and belongs to this thread.
                unsafe { pointer.write_bytes(i as u8, bytes) };
                held.push((pointer, bytes));
                if round == 0 {
                    addresses.push(pointer);
                } else {
                    assert_eq!(addresses[i], pointer);
                }
            }
            while let Some((pointer, _)) = held.pop() {
                release(pointer);
            }
        }
    }

    #[test]
    fn absurd_sizes_are_errors() {
        assert!(take(usize::MAX).is_err());
        assert!(take(isize::MAX as usize).is_err());
        let pointer = take(8).unwrap();
        release(pointer);
        release(pointer);
    }

    #[test]
    fn out_of_order_release_keeps_later_pieces() {
        let (a, mut b) = (
            Scratch::<u32>::take(10).unwrap(),
            Scratch::<u32>::take(10).unwrap(),
        );
        b.fill(3);
        drop(a);
        let mut c = Scratch::<u32>::take(1000).unwrap();
        c.fill(4);
        assert!(b.iter().all(|x| *x == 3));
    }
}
