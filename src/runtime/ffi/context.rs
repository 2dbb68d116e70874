//! Contexts, parallel regions, errors, scratch.

use std::ffi::{c_char, c_void};
use std::io::Write;
use std::ptr::NonNull;
use std::sync::OnceLock;

use super::{guard, size, text};
use crate::{Context, Error, Status, scratch};

/// Work on the tiles `[begin, end)`; `block` is what the caller passed along.
pub type Task = unsafe extern "C" fn(block: *const c_void, begin: i64, end: i64);

/// A block pointer that may be given to other threads: generated code hands over data that its
/// tiles share by design.
#[derive(Clone, Copy)]
struct Shared(*const c_void);
// SAFETY: the pointer is only passed on to the callback, whose author promised that tiles are
// independent.
unsafe impl Sync for Shared {}
impl Shared {
    fn get(self) -> *const c_void {
        self.0
    }
}

/// Makes a context with up to `threads` threads (0: one a hardware thread). Null when that fails.
/// To be freed with `mw_context_destroy`.
#[unsafe(no_mangle)]
pub extern "C" fn mw_context_create(threads: i64) -> *mut Context {
    std::panic::catch_unwind(|| {
        Box::into_raw(Box::new(Context::new(
            usize::try_from(threads).unwrap_or(1),
        )))
    })
    .unwrap_or(std::ptr::null_mut())
}

/// The context that all callers share which have none of their own: of one thread, made by the
/// first call, never freed. Null when that fails.
#[unsafe(no_mangle)]
pub extern "C" fn mw_shared_context() -> *const Context {
    static SHARED: OnceLock<Context> = OnceLock::new();
    std::panic::catch_unwind(|| std::ptr::from_ref(SHARED.get_or_init(|| Context::new(1))))
        .unwrap_or(std::ptr::null())
}

/// As [`mw_shared_context`], of as many threads as the machine runs at once, or as the environment
/// variable `MAPWRIGHT_THREADS` says.
#[unsafe(no_mangle)]
pub extern "C" fn mw_shared_threads() -> *const Context {
    static SHARED: OnceLock<Context> = OnceLock::new();
    let asked = || {
        let text = std::env::var("MAPWRIGHT_THREADS").ok()?;
        text.trim().parse::<usize>().ok()
    };
    let make = || Context::new(asked().unwrap_or(0));
    std::panic::catch_unwind(|| std::ptr::from_ref(SHARED.get_or_init(make)))
        .unwrap_or(std::ptr::null())
}

/// Ends the process with the message of the first failure, if there was one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_stop_on_error(context: *const Context) {
    // SAFETY: the caller gives a live context or null.
    unsafe {
        if mw_error_status(context) == Status::Ok as i32 {
            return;
        }
        let message = std::ffi::CStr::from_ptr(mw_error_message(context));
        // There is nobody to report to if standard error cannot be written.
        let _ = writeln!(std::io::stderr(), "error: {}", message.to_string_lossy());
    }
    std::process::abort();
}

/// Makes a context with the threads and the memory of `context` and its own error state, for a call
/// that runs at the same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_context_fork(context: *const Context) -> *mut Context {
    // SAFETY: the caller gives a live context or null.
    let Some(context) = (unsafe { context.as_ref() }) else {
        return std::ptr::null_mut();
    };
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        Box::into_raw(Box::new(context.fork()))
    }))
    .unwrap_or(std::ptr::null_mut())
}

/// Frees a context; null is ignored. Memory taken from it and not freed before stays valid until it
/// is freed through a fork.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_context_destroy(context: *mut Context) {
    if !context.is_null() {
        // SAFETY: it came from `mw_context_create` or `mw_context_fork` and is not used any more.
        let context = unsafe { Box::from_raw(context) };
        // A destructor that panics has nothing left to report to.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(context)));
    }
}

/// Threads that take part in a region of this context, the caller included.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_context_threads(context: *const Context) -> i64 {
    // SAFETY: the caller gives a live context or null.
    unsafe { context.as_ref() }.map_or(1, |c| c.threads() as i64)
}

/// Runs `task(block, begin, end)` over disjoint pieces that cover `[0, tiles)`. Returns the status
/// of the context, so that a tile that called `mw_set_error` fails the region.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_parallel_for(
    context: *const Context,
    task: Task,
    block: *const c_void,
    tiles: i64,
) -> i32 {
    // SAFETY: the caller's promise is passed on.
    unsafe { mw_parallel_for_grain(context, task, block, tiles, 1) }
}

/// Like `mw_parallel_for`, with at least `grain` tiles to a thread; fewer than twice that many run
/// inline.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_parallel_for_grain(
    context: *const Context,
    task: Task,
    block: *const c_void,
    tiles: i64,
    grain: i64,
) -> i32 {
    // SAFETY: the caller gives a live context or null.
    let Some(context) = (unsafe { context.as_ref() }) else {
        return Status::InvalidArgument as i32;
    };
    if tiles <= 0 {
        return context.status() as i32;
    }
    let grain = grain.max(1);
    if context.threads() == 1 || tiles < 2 * grain {
        // SAFETY: the caller's promise about the callback. Nothing of ours is on the stack that
        // could be harmed.
        unsafe { task(block, 0, tiles) };
        context.take_left();
        return context.status() as i32;
    }
    let block = Shared(block);
    let run = std::panic::AssertUnwindSafe(|| {
        context.parallel_for(tiles as usize, grain as usize, &|begin, end| {
            // SAFETY: as above; the author of the tiles promised that they are independent.
            unsafe { task(block.get(), begin as i64, end as i64) };
            context.take_left();
        });
    });
    if let Err(panic) = std::panic::catch_unwind(run) {
        context.set_error(&Error::from_panic(panic.as_ref()));
    }
    context.status() as i32
}

/// Records a failure (the first one is kept). `message` may be null. Returns `status`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_set_error(
    context: *const Context,
    status: i32,
    message: *const c_char,
) -> i32 {
    // SAFETY: the caller gives a live context and a C string.
    unsafe {
        guard(context, |_| {
            let message = text(message);
            match Status::from_code(status) {
                Status::Ok => Ok(()),
                status => Err(Error::new(status, message)),
            }
        })
    }
}

/// Adds to the message of a failure, if there is one, the place in a program where it happened; the
/// first place is kept. Returns the status.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_failed_at(context: *const Context, place: *const c_char) -> i32 {
    // SAFETY: the caller gives a live context and a C string.
    unsafe {
        guard(context, |context| {
            context.take_left();
            context.failed_at(&text(place));
            Ok(())
        });
        mw_error_status(context)
    }
}

/// Status of the first failure since the last `mw_clear_error`; 0 when there was none. Kernels may
/// have run on this thread without a region: what failed in them is the context's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_error_status(context: *const Context) -> i32 {
    // SAFETY: the caller gives a live context or null.
    unsafe { context.as_ref() }.map_or(Status::InvalidArgument as i32, |c| {
        c.take_left();
        c.status() as i32
    })
}

/// Message of the first failure ("" when there was none); valid until the error is cleared or the
/// context destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_error_message(context: *const Context) -> *const c_char {
    // SAFETY: the caller gives a live context or null.
    let Some(context) = (unsafe { context.as_ref() }) else {
        return c"no context".as_ptr();
    };
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| context.error_c_text()))
        .unwrap_or(c"internal error".as_ptr())
}

/// Forgets the failure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_clear_error(context: *const Context) {
    // SAFETY: the caller gives a live context or null.
    unsafe {
        guard(context, |context| {
            context.clear_error();
            Ok(())
        });
    }
}

/// Takes `bytes` bytes of scratch, 64-byte aligned, from the stack of the current thread. Null (and
/// an error in the context) when memory is refused. Give back in the opposite order with
/// `mw_scratch_release`, on the same thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_scratch(context: *const Context, bytes: i64) -> *mut c_void {
    let mut pointer = std::ptr::null_mut();
    // SAFETY: the caller gives a live context or null.
    unsafe {
        guard(context, |_| {
            pointer = scratch::take(size(bytes, "the size of the scratch memory")?)?
                .as_ptr()
                .cast();
            Ok(())
        });
    }
    pointer
}

/// Gives a piece of scratch back, and those taken after it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_scratch_release(context: *const Context, pointer: *mut c_void) {
    // SAFETY: the caller gives a live context or null.
    unsafe {
        guard(context, |_| {
            if let Some(pointer) = NonNull::new(pointer.cast()) {
                scratch::release(pointer);
            }
            Ok(())
        });
    }
}
