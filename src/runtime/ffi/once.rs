//! Memory of a program that is filled once: before its first call, or in it.

use std::sync::atomic::{AtomicU32, Ordering};

const FILLING: u32 = 1;
const FILLED: u32 = 2;

/// 1 if the caller has to fill the memory that `state` (zero at first) belongs to, and then to call
/// `mw_once_done`; 0 if that is done. Waits while another thread is at it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_once(state: *mut u32) -> i32 {
    // SAFETY: the caller gives a live word that only these two functions touch.
    let state = unsafe { AtomicU32::from_ptr(state) };
    loop {
        match state.compare_exchange_weak(0, FILLING, Ordering::Acquire, Ordering::Acquire) {
            Ok(_) => return 1,
            Err(FILLED) => return 0,
            Err(_) => std::thread::yield_now(),
        }
    }
}

/// Lets everybody see what the caller of `mw_once` has filled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_once_done(state: *mut u32) {
    // SAFETY: as above.
    unsafe { AtomicU32::from_ptr(state) }.store(FILLED, Ordering::Release);
}

/// Tells whether the memory was filled that begins with this state.
pub fn is_filled(memory: &[u8]) -> bool {
    let state = memory.first_chunk();
    state.is_some_and(|state| u32::from_ne_bytes(*state) == FILLED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn one_thread_fills_and_the_others_see_it() {
        struct Shared(std::cell::UnsafeCell<(u32, [u64; 64])>);
        // SAFETY: the word is atomic, and the rest is written by the one thread that is told to,
        // before it says so.
        unsafe impl Sync for Shared {}
        for round in 0..200 {
            let shared = Shared(std::cell::UnsafeCell::new((0, [0; 64])));
            let fills = AtomicUsize::new(0);
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        let shared = &shared;
                        // SAFETY: see `Shared`.
                        unsafe {
                            let word = &raw mut (*shared.0.get()).0;
                            if mw_once(word) == 1 {
                                fills.fetch_add(1, Ordering::Relaxed);
                                (*shared.0.get()).1 = [round + 1; 64];
                                mw_once_done(word);
                            }
                            assert_eq!((&(*shared.0.get()).1)[63], round + 1);
                        }
                    });
                }
            });
            assert_eq!(fills.into_inner(), 1);
        }
    }
}
