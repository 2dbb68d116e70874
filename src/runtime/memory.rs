//! Memory for results and arenas: aligned, kept for reuse, counted, limited.
//!
//! A fresh page costs about a quarter of a microsecond for every 4 KiB, which for large results is
//! more than computing them. So freed blocks are kept (up to a limit) and handed out again, and
//! large blocks are aligned to, and advised as, huge pages. Blocks are reused by exact size class;
//! there are eight classes to a doubling, so at most an eighth is wasted.

use std::alloc::Layout;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};

use crate::error::{Error, Result};
use crate::pool::lock;

/// Alignment of every buffer in bytes: a cache line, and the widest vector.
pub const ALIGNMENT: usize = 64;

/// Size of a huge page; blocks from this size on are mapped on their own.
const HUGE: usize = 2 << 20;

/// Bytes kept for reuse unless set otherwise.
const DEFAULT_CACHE_LIMIT: usize = 4 << 30;

/// Statistics of a pool: memory that it has handed out and kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryStatistics {
    /// Bytes handed out now, as they were asked for.
    pub live: usize,
    /// Largest value of `live` so far (or since it was reset).
    pub peak: usize,
    /// Freed bytes kept for reuse.
    pub cached: usize,
    /// Blocks that had to be asked from the system.
    pub system_allocations: u64,
}

struct State {
    free: BTreeMap<usize, Vec<Block>>,
    statistics: MemoryStatistics,
    limit: usize,
    cache_limit: usize,
}

/// Blocks of memory for one or more contexts.
pub struct MemoryPool {
    state: Mutex<State>,
}

/// A block straight from the system.
struct Block(NonNull<u8>);

// SAFETY: a block is plain memory that belongs to whoever holds the value.
unsafe impl Send for Block {}

impl MemoryPool {
    pub fn new() -> Arc<MemoryPool> {
        Arc::new(MemoryPool {
            state: Mutex::new(State {
                free: BTreeMap::new(),
                statistics: MemoryStatistics::default(),
                limit: usize::MAX,
                cache_limit: DEFAULT_CACHE_LIMIT,
            }),
        })
    }

    /// A buffer of `bytes` bytes, not initialised (contents are whatever the block held before).
    ///
    /// # Errors
    /// `OutOfMemory` when the system refuses or the limit would be exceeded.
    pub fn allocate(self: &Arc<MemoryPool>, bytes: usize) -> Result<Buffer> {
        let pointer = self.allocate_raw(bytes)?;
        Ok(Buffer {
            pointer,
            bytes,
            pool: Arc::clone(self),
        })
    }

    /// Like [`MemoryPool::allocate`], with every byte zero.
    pub fn allocate_zeroed(self: &Arc<MemoryPool>, bytes: usize) -> Result<Buffer> {
        let mut buffer = self.allocate(bytes)?;
        buffer.as_mut_slice().fill(0);
        Ok(buffer)
    }

    /// The block behind a buffer; to be given back with [`MemoryPool::free_raw`] and the same
    /// `bytes`.
    pub(crate) fn allocate_raw(&self, bytes: usize) -> Result<NonNull<u8>> {
        let class = size_class(bytes).ok_or_else(|| Error::out_of_memory(bytes))?;
        {
            let mut state = lock(&self.state);
            let live = state.statistics.live + bytes;
            if live > state.limit {
                return Err(Error::new(
                    crate::Status::OutOfMemory,
                    format!(
                        "out of memory: {bytes} bytes more would exceed the limit of {} bytes ({} are in use)",
                        state.limit, state.statistics.live
                    ),
                ));
            }
            state.statistics.live = live;
            state.statistics.peak = state.statistics.peak.max(live);
            if let Some(block) = state.free.get_mut(&class).and_then(Vec::pop) {
                state.statistics.cached -= class;
                return Ok(block.0);
            }
            state.statistics.system_allocations += 1;
        }
        let block = Block::from_system(class).or_else(|| {
            self.trim(0);
            Block::from_system(class)
        });
        match block {
            Some(block) => Ok(block.0),
            None => {
                lock(&self.state).statistics.live -= bytes;
                Err(Error::out_of_memory(bytes))
            }
        }
    }

    /// Takes a block back.
    ///
    /// # Safety
    /// `pointer` came from [`MemoryPool::allocate_raw`] of this pool with the same `bytes`, was not
    /// freed, and is not used any more.
    pub(crate) unsafe fn free_raw(&self, pointer: NonNull<u8>, bytes: usize) {
        let Some(class) = size_class(bytes) else {
            return;
        };
        let block = Block(pointer);
        let mut state = lock(&self.state);
        state.statistics.live -= bytes;
        if state.statistics.cached + class <= state.cache_limit {
            state.statistics.cached += class;
            state.free.entry(class).or_default().push(block);
        } else {
            drop(state);
            // SAFETY: the block has this class and nobody uses it (the caller's promise).
            unsafe { block.release(class) };
        }
    }

    /// Gives cached blocks back to the system, largest first, until at most `keep` bytes are
    /// cached.
    pub fn trim(&self, keep: usize) {
        let mut state = lock(&self.state);
        while state.statistics.cached > keep {
            let Some(mut entry) = state.free.last_entry() else {
                break;
            };
            let class = *entry.key();
            match entry.get_mut().pop() {
                Some(block) => {
                    state.statistics.cached -= class;
                    // SAFETY: cached blocks are of the class they are listed under and not in use.
                    unsafe { block.release(class) };
                }
                None => {
                    entry.remove();
                }
            }
        }
    }

    /// Largest number of bytes handed out at once; `usize::MAX` for no limit.
    pub fn set_limit(&self, bytes: usize) {
        lock(&self.state).limit = bytes;
    }

    /// Largest number of freed bytes kept for reuse. Zero turns reuse off, which lets sanitizers
    /// see each buffer's lifetime.
    pub fn set_cache_limit(&self, bytes: usize) {
        lock(&self.state).cache_limit = bytes;
        self.trim(bytes);
    }

    pub fn statistics(&self) -> MemoryStatistics {
        lock(&self.state).statistics
    }

    /// Starts measuring the peak anew.
    pub fn reset_peak(&self) {
        let mut state = lock(&self.state);
        state.statistics.peak = state.statistics.live;
    }
}

impl Drop for MemoryPool {
    fn drop(&mut self) {
        self.trim(0);
    }
}

/// A 64-byte aligned block of memory; goes back to its pool when dropped.
pub struct Buffer {
    pointer: NonNull<u8>,
    bytes: usize,
    pool: Arc<MemoryPool>,
}

// SAFETY: a buffer owns its bytes; access goes through `&self`/`&mut self`.
unsafe impl Send for Buffer {}
// SAFETY: shared access only reads.
unsafe impl Sync for Buffer {}

impl Buffer {
    pub fn len(&self) -> usize {
        self.bytes
    }

    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    pub fn as_ptr(&self) -> *const u8 {
        self.pointer.as_ptr()
    }

    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.pointer.as_ptr()
    }

    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: the block holds at least `bytes` bytes; memory from the system is zero or was
        // written before.
        unsafe { std::slice::from_raw_parts(self.pointer.as_ptr(), self.bytes) }
    }

    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as in `as_slice`, and `&mut self` excludes other users.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.as_ptr(), self.bytes) }
    }

    /// Hands the block over to C: it has to be freed with `mw_free` and the same size.
    pub fn into_raw(self) -> NonNull<u8> {
        let pointer = self.pointer;
        let mut buffer = std::mem::ManuallyDrop::new(self);
        // SAFETY: the buffer is never dropped, so its pool handle is released exactly once, here.
        unsafe { std::ptr::drop_in_place(&mut buffer.pool) };
        pointer
    }

    /// The inverse of [`Buffer::into_raw`].
    ///
    /// # Safety
    /// `pointer` came from `into_raw` of a buffer of `bytes` bytes of this pool, and nobody else
    /// frees it.
    pub unsafe fn from_raw(pool: &Arc<MemoryPool>, pointer: NonNull<u8>, bytes: usize) -> Buffer {
        Buffer {
            pointer,
            bytes,
            pool: Arc::clone(pool),
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the block came from this pool with this size and is dropped once.
        unsafe { self.pool.free_raw(self.pointer, self.bytes) };
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Buffer")
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

/// The size a request is rounded up to: a multiple of the alignment, and one of eight sizes to a
/// doubling. `None` when that overflows the address space.
fn size_class(bytes: usize) -> Option<usize> {
    let bytes = bytes.max(1);
    let step = (bytes.checked_next_power_of_two()? / 16).max(ALIGNMENT);
    let class = bytes.checked_next_multiple_of(step)?;
    (class <= isize::MAX as usize - 2 * HUGE).then_some(class)
}

impl Block {
    /// Zeroed memory of `class` bytes, aligned to [`ALIGNMENT`], or to a huge page when it is
    /// large.
    #[cfg(unix)]
    fn from_system(class: usize) -> Option<Block> {
        if class < HUGE {
            return Block::from_allocator(class);
        }
        let mapped = class + HUGE;
        // SAFETY: an anonymous private mapping at an address of the kernel's choice touches no
        // existing memory.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                mapped,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return None;
        }
        let base = base.cast::<u8>();
        let before = base.align_offset(HUGE);
        // SAFETY: `before < HUGE`, so the aligned block `[before, before + class)` lies inside of
        // the mapping; only the unused page-aligned ends are unmapped.
        unsafe {
            let start = base.add(before);
            let page_end = class.next_multiple_of(4096);
            if before > 0 {
                libc::munmap(base.cast(), before);
            }
            if mapped - before > page_end {
                libc::munmap(start.add(page_end).cast(), mapped - before - page_end);
            }
            #[cfg(target_os = "linux")]
            libc::madvise(start.cast(), page_end, libc::MADV_HUGEPAGE);
            NonNull::new(start).map(Block)
        }
    }

    #[cfg(not(unix))]
    fn from_system(class: usize) -> Option<Block> {
        Block::from_allocator(class)
    }

    fn from_allocator(class: usize) -> Option<Block> {
        let layout = Layout::from_size_align(class, ALIGNMENT).ok()?;
        // SAFETY: classes are never zero.
        NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) }).map(Block)
    }

    /// # Safety
    /// The block came from `from_system(class)` and is not used any more.
    unsafe fn release(self, class: usize) {
        #[cfg(unix)]
        if class >= HUGE {
            // SAFETY: this is exactly the part of the mapping that `from_system` kept.
            unsafe { libc::munmap(self.0.as_ptr().cast(), class.next_multiple_of(4096)) };
            return;
        }
        if let Ok(layout) = Layout::from_size_align(class, ALIGNMENT) {
            // SAFETY: allocated with this layout by `from_allocator`.
            unsafe { std::alloc::dealloc(self.0.as_ptr(), layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_waste_little_and_are_stable() {
        for bytes in (0..5000).chain([
            1 << 20,
            (1 << 20) + 1,
            (2 << 20) - 1,
            2 << 20,
            3_000_000,
            64 << 20,
            (64 << 20) + 1,
        ]) {
            let class = size_class(bytes).unwrap();
            assert!(class >= bytes.max(1) && class.is_multiple_of(ALIGNMENT));
            assert!(
                class - bytes <= (bytes / 8).max(ALIGNMENT),
                "{bytes} -> {class}"
            );
            assert_eq!(size_class(class), Some(class));
        }
        assert_eq!(size_class(usize::MAX), None);
        assert_eq!(size_class(isize::MAX as usize), None);
    }

    #[test]
    fn blocks_are_aligned_counted_and_reused() {
        let pool = MemoryPool::new();
        for bytes in [0, 1, 63, 64, 65, 4096, HUGE - 1, HUGE, HUGE + 1, 9_000_001] {
            let mut buffer = pool.allocate(bytes).unwrap();
            assert_eq!(buffer.len(), bytes);
            assert_eq!(buffer.as_ptr().align_offset(ALIGNMENT), 0);
            buffer.as_mut_slice().fill(7);
            let address = buffer.as_ptr();
            let asked = pool.statistics().system_allocations;
            drop(buffer);
            let again = pool.allocate(bytes).unwrap();
            assert_eq!(again.as_ptr(), address);
            assert_eq!(pool.statistics().system_allocations, asked);
        }
        assert_eq!(pool.statistics().live, 0);
        assert!(pool.statistics().peak >= 9_000_001);
        pool.set_cache_limit(0);
        assert_eq!(pool.statistics().cached, 0);
    }

    #[test]
    fn the_limit_refuses_with_an_error() {
        let pool = MemoryPool::new();
        pool.set_limit(1 << 20);
        let held = pool.allocate(900 << 10).unwrap();
        let error = pool.allocate(200 << 10).unwrap_err();
        assert_eq!(error.status, crate::Status::OutOfMemory);
        drop(held);
        assert!(pool.allocate(200 << 10).is_ok());
        assert_eq!(pool.statistics().live, 0);
    }

    #[test]
    fn absurd_sizes_are_errors() {
        let pool = MemoryPool::new();
        assert!(pool.allocate(usize::MAX).is_err());
        assert!(pool.allocate(isize::MAX as usize / 2).is_err());
        assert_eq!(pool.statistics().live, 0);
    }

    #[test]
    fn raw_handover_keeps_the_count() {
        let pool = MemoryPool::new();
        let pointer = pool.allocate(100).unwrap().into_raw();
        assert_eq!(pool.statistics().live, 100);
        // SAFETY: just taken out of a buffer of this pool and size.
        drop(unsafe { Buffer::from_raw(&pool, pointer, 100) });
        assert_eq!(pool.statistics().live, 0);
        assert_eq!(Arc::strong_count(&pool), 1);
    }
}
