//! Buffers for C.

use std::ffi::c_void;
use std::ptr::NonNull;

use super::{guard, size};
use crate::{Context, MemoryStatistics};

/// `bytes` bytes, 64-byte aligned, not initialised. Null (and an error in the context) when memory
/// is refused. Free with `mw_free` and the same size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_alloc(context: *const Context, bytes: i64) -> *mut c_void {
    let mut pointer = std::ptr::null_mut();
    // SAFETY: the caller gives a live context or null.
    unsafe {
        guard(context, |context| {
            pointer = context
                .memory()
                .allocate_raw(size(bytes, "the size of an allocation")?)?
                .as_ptr()
                .cast();
            Ok(())
        });
    }
    pointer
}

/// Gives memory of `mw_alloc` back; null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_free(context: *const Context, pointer: *mut c_void, bytes: i64) {
    // SAFETY: the caller gives a live context, and memory that `mw_alloc` returned for this size.
    unsafe {
        guard(context, |context| {
            if let Some(pointer) = NonNull::new(pointer.cast()) {
                context
                    .memory()
                    .free_raw(pointer, size(bytes, "the size of an allocation")?);
            }
            Ok(())
        });
    }
}

/// Memory of `mw_alloc`, or null.
#[repr(C)]
pub struct Block {
    pointer: *mut c_void,
    bytes: i64,
}

/// Gives `count` blocks of memory back; those that are null are passed over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_free_all(context: *const Context, blocks: *const Block, count: i64) {
    for i in 0..usize::try_from(count).unwrap_or(0) {
        // SAFETY: the caller gives a live context, and an array of as many blocks.
        unsafe {
            let block = &*blocks.add(i);
            if !block.pointer.is_null() {
                mw_free(context, block.pointer, block.bytes);
            }
        }
    }
}

/// Copies `bytes` bytes on the context's threads. The two are the same or do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_copy(
    context: *const Context,
    to: *mut c_void,
    from: *const c_void,
    bytes: i64,
) -> i32 {
    // SAFETY: the caller gives buffers of this size.
    unsafe {
        guard(context, |context| {
            let bytes = size(bytes, "the size of a copy")?;
            crate::copy::copy(context, from.cast(), to.cast(), bytes);
            Ok(())
        })
    }
}

/// Adds to the bytes that programs copied because a value was read after its memory would have been
/// written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_count_copied(context: *const Context, bytes: i64) {
    // SAFETY: the caller gives a live context or null.
    unsafe {
        guard(context, |context| {
            context.count_copied(size(bytes, "the number of copied bytes")?);
            Ok(())
        });
    }
}

/// Nanoseconds since some moment of the process.
#[unsafe(no_mangle)]
pub extern "C" fn mw_profile_now() -> i64 {
    i64::try_from(crate::profile::now()).unwrap_or(i64::MAX)
}

/// Counts a call of part `part` of a program, which began at `start` (of `mw_profile_now`) and has
/// operands and results of `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_profile_add(
    context: *const Context,
    part: i64,
    start: i64,
    bytes: i64,
) -> i32 {
    let time = mw_profile_now().saturating_sub(start).max(0) as u64;
    // SAFETY: the caller gives a live context or null.
    unsafe {
        guard(context, |context| {
            let part = size(part, "the number of a part")?;
            let bytes = u64::try_from(bytes).unwrap_or(0);
            context.add_time(part, std::time::Duration::from_nanos(time), bytes);
            Ok(())
        })
    }
}

/// Limits the bytes that may be in use at once; negative for no limit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_set_memory_limit(context: *const Context, bytes: i64) {
    // SAFETY: the caller gives a live context or null.
    unsafe {
        guard(context, |context| {
            context
                .memory()
                .set_limit(usize::try_from(bytes).unwrap_or(usize::MAX));
            Ok(())
        });
    }
}

/// Limits the freed bytes that are kept for reuse; 0 turns reuse off.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_set_memory_cache_limit(context: *const Context, bytes: i64) {
    // SAFETY: the caller gives a live context or null.
    unsafe {
        guard(context, |context| {
            context
                .memory()
                .set_cache_limit(usize::try_from(bytes).unwrap_or(usize::MAX));
            Ok(())
        });
    }
}

/// Bytes in use, their peak, and bytes kept for reuse; each pointer may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_memory_statistics(
    context: *const Context,
    live: *mut i64,
    peak: *mut i64,
    cached: *mut i64,
) -> i32 {
    // SAFETY: the caller gives a live context, and pointers that are null or writable.
    unsafe {
        guard(context, |context| {
            let MemoryStatistics {
                live: l,
                peak: p,
                cached: c,
                ..
            } = context.memory().statistics();
            for (pointer, value) in [(live, l), (peak, p), (cached, c)] {
                if let Some(pointer) = pointer.as_mut() {
                    *pointer = value as i64;
                }
            }
            Ok(())
        })
    }
}
