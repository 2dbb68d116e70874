//! The memory of buffers: ours, or somebody else's that is only read.

use crate::{layout::Shape, status::Result};
use mapwright_runtime::{Buffer as Memory, MemoryPool};
use std::{
    ffi::c_void,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Alignment in bytes of memory that programs work on.
const ALIGNMENT: usize = 64;

enum Owner {
    Pool { _memory: Memory },
    Foreign(Mutex<Option<Box<dyn FnOnce() + Send>>>),
}

/// Bytes in memory. Who writes to them and who reads is decided by the events of the buffers: a
/// block is written by the program that makes its buffer, and read by those that wait for that.
pub(crate) struct Block {
    pointer: *mut u8,
    bytes: usize,
    owner: Owner,
    /// Programs that will read it, or do now.
    readers: AtomicUsize,
}

// SAFETY: see above: events order all accesses.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Block {
    /// Memory of ours, not initialised beyond what the pool had there.
    ///
    /// # Errors
    /// There is no more.
    pub(crate) fn allocate(pool: &Arc<MemoryPool>, bytes: usize) -> Result<Arc<Self>> {
        let mut memory = pool.allocate(bytes)?;
        Ok(Arc::new(Self {
            pointer: memory.as_mut_ptr(),
            bytes,
            owner: Owner::Pool { _memory: memory },
            readers: AtomicUsize::new(0),
        }))
    }

    /// Memory of the caller's, which stays as it is until `done` is called; nothing where it is not
    /// aligned for programs.
    pub(crate) fn foreign(
        pointer: *const c_void,
        bytes: usize,
        done: impl FnOnce() + Send + 'static,
    ) -> std::result::Result<Arc<Self>, impl FnOnce() + Send + 'static> {
        if pointer.is_null() || !pointer.addr().is_multiple_of(ALIGNMENT) {
            return Err(done);
        }
        Ok(Arc::new(Self {
            pointer: pointer.cast_mut().cast(),
            bytes,
            owner: Owner::Foreign(Mutex::new(Some(Box::new(done)))),
            readers: AtomicUsize::new(0),
        }))
    }

    /// Tells whether results may be written to it.
    pub(crate) fn is_ours(&self) -> bool {
        matches!(self.owner, Owner::Pool { .. })
    }

    pub(crate) fn address(&self) -> *const c_void {
        self.pointer.cast_const().cast()
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    /// Nobody reads it, now or later.
    pub(crate) fn is_unread(&self) -> bool {
        self.readers.load(Ordering::Acquire) == 0
    }

    /// Takes over what is in a block of the same size.
    pub(crate) fn copy_from(&self, other: &Self) {
        // SAFETY: both have this many bytes, and events order the accesses.
        unsafe { std::ptr::copy(other.pointer, self.pointer, self.bytes.min(other.bytes)) };
    }

    /// Takes over bytes of a program; those behind stay what they are.
    pub(crate) fn take(&self, bytes: &[u8]) {
        let count = self.bytes.min(bytes.len());
        // SAFETY: both have this many bytes, and events order the accesses.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.pointer, count) };
    }

    /// Copies an array of the caller's with these distances of neighbours in.
    pub(crate) fn fill(&self, source: *const c_void, shape: &Shape, strides: &[i64]) {
        if self.bytes == 0 || source.is_null() {
            return;
        }
        // SAFETY: the caller's array has the elements that sizes and distances reach; ours is dense
        // and has room for all.
        unsafe {
            strided(
                source.cast(),
                strides,
                self.pointer,
                &shape.strides(),
                &shape.dims,
                shape.element.width(),
            );
            let bytes = std::slice::from_raw_parts_mut(self.pointer, self.bytes);
            shape.element.normalise(bytes);
        }
    }

    /// Copies the elements to an array of the caller's with these distances of neighbours.
    pub(crate) fn unload(&self, target: *mut c_void, shape: &Shape, strides: &[i64]) {
        if self.bytes == 0 || target.is_null() {
            return;
        }
        // SAFETY: as in `fill`, the other way round.
        unsafe {
            strided(
                self.pointer,
                &shape.strides(),
                target.cast(),
                strides,
                &shape.dims,
                shape.element.width(),
            );
        }
    }

    /// Copies a range of bytes, which lies inside, to the caller.
    pub(crate) fn unload_raw(&self, target: *mut c_void, offset: usize, count: usize) {
        debug_assert!(offset + count <= self.bytes);
        // SAFETY: the range is inside, and the caller has room for it.
        unsafe { std::ptr::copy(self.pointer.add(offset), target.cast(), count) };
    }

    /// All bytes zero.
    pub(crate) fn clear(&self) {
        // SAFETY: the block has this many bytes, and nobody reads it yet.
        unsafe { std::ptr::write_bytes(self.pointer, 0, self.bytes) };
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if let Owner::Foreign(done) = &mut self.owner {
            let done = done.get_mut().unwrap_or_else(PoisonError::into_inner);
            if let Some(done) = done.take() {
                done();
            }
        }
    }
}

/// The promise that somebody will read a block, until it is dropped.
pub(crate) struct Reading(Arc<Block>);

impl Reading {
    pub(crate) fn new(block: Arc<Block>) -> Self {
        block.readers.fetch_add(1, Ordering::AcqRel);
        Self(block)
    }

    pub(crate) fn block(&self) -> &Arc<Block> {
        &self.0
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.readers.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Copies elements of `width` bytes between two arrays of one shape.
///
/// # Safety
///
/// Both arrays have the elements that the sizes and the distances reach; the target is not read at
/// the same time.
unsafe fn strided(
    source: *const u8,
    source_strides: &[i64],
    target: *mut u8,
    target_strides: &[i64],
    dims: &[i64],
    width: usize,
) {
    // Inner axes that are dense in both are one piece.
    let mut axes = dims.len();
    let mut piece = width;
    while axes > 0 {
        let (size, stride) = (dims[axes - 1], piece as i64);
        let is_dense = source_strides[axes - 1] == stride && target_strides[axes - 1] == stride;
        if size != 1 && !is_dense {
            break;
        }
        piece *= size as usize;
        axes -= 1;
    }
    // SAFETY: the caller's promise.
    unsafe {
        pieces(
            source,
            source_strides,
            target,
            target_strides,
            &dims[..axes],
            piece,
        )
    }
}

/// As [`strided`], with pieces of `piece` bytes in place of elements.
///
/// # Safety
///
/// As that of [`strided`].
unsafe fn pieces(
    source: *const u8,
    source_strides: &[i64],
    target: *mut u8,
    target_strides: &[i64],
    dims: &[i64],
    piece: usize,
) {
    // SAFETY: the caller's promise; inner axes are reached from each place of the outer one.
    unsafe {
        let Some((size, inner)) = dims.split_first() else {
            std::ptr::copy_nonoverlapping(source, target, piece);
            return;
        };
        for i in 0..*size {
            pieces(
                source.offset((i * source_strides[0]) as isize),
                &source_strides[1..],
                target.offset((i * target_strides[0]) as isize),
                &target_strides[1..],
                inner,
                piece,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Element;

    fn through(dims: &[i64], strides: &[i64], offset: usize, host: &[i16]) -> Vec<i16> {
        let shape = Shape::new(Element::named("i16").unwrap(), dims).unwrap();
        let block = Block::allocate(&MemoryPool::new(), shape.bytes).unwrap();
        block.fill(host[offset..].as_ptr().cast(), &shape, strides);
        let mut dense = vec![0i16; shape.bytes / 2];
        block.unload(dense.as_mut_ptr().cast(), &shape, &shape.strides());
        dense
    }

    #[test]
    fn strides_of_all_signs_are_followed() {
        let host = [0, 1, 2, 3, 4, 5];
        assert_eq!(through(&[2, 3], &[6, 2], 0, &host), host);
        assert_eq!(through(&[3, 2], &[2, 6], 0, &host), [0, 3, 1, 4, 2, 5]);
        assert_eq!(through(&[6], &[-2], 5, &host), [5, 4, 3, 2, 1, 0]);
        assert_eq!(through(&[2, 2], &[6, 4], 0, &host), [0, 2, 3, 5]);
        assert_eq!(through(&[2, 2], &[0, 2], 1, &host), [1, 2, 1, 2]);
        assert_eq!(through(&[], &[], 4, &host), [4]);
        assert!(through(&[0, 2], &[4, 2], 0, &host).is_empty());
    }

    #[test]
    fn foreign_memory_is_told_when_it_is_free() {
        let called = Arc::new(AtomicUsize::new(0));
        let done = |called: &Arc<AtomicUsize>| {
            let called = Arc::clone(called);
            move || {
                called.fetch_add(1, Ordering::SeqCst);
            }
        };
        let own = Block::allocate(&MemoryPool::new(), 128).unwrap();
        let Ok(block) = Block::foreign(own.address(), 128, done(&called)) else {
            panic!("the memory is aligned");
        };
        let reading = Reading::new(Arc::clone(&block));
        assert!(!block.is_unread() && !block.is_ours());
        drop(block);
        assert_eq!(called.load(Ordering::SeqCst), 0);
        drop(reading);
        assert_eq!(called.load(Ordering::SeqCst), 1);
        let odd = own.address().cast::<u8>().wrapping_add(16).cast();
        assert!(Block::foreign(odd, 16, done(&called)).is_err());
    }
}
