//! The head of a `PJRT_Memory`, which its users look into: a table of functions by which they keep
//! data of their own beside it.

use super::{Handle, callbacks::Token};
use crate::client::Memory;
use std::{
    collections::HashMap,
    ffi::c_void,
    sync::{Mutex, PoisonError},
};

type Destructor = Option<unsafe extern "C" fn(*mut c_void)>;

/// The table of functions that a `PJRT_Memory` begins with.
#[repr(C)]
pub(crate) struct MemoryTable {
    struct_size: usize,
    extension: *const c_void,
    instance_size: usize,
    get: extern "C" fn(Handle<Memory>, *const c_void) -> *const c_void,
    set: extern "C" fn(Handle<Memory>, *const c_void, *const c_void, Destructor),
}

// SAFETY: the table is never written.
unsafe impl Sync for MemoryTable {}

pub(crate) static MEMORY_TABLE: MemoryTable = MemoryTable {
    struct_size: size_of::<MemoryTable>(),
    extension: std::ptr::null(),
    instance_size: size_of::<Memory>(),
    get,
    set,
};

const _: () = assert!(size_of::<MemoryTable>() == 40);

/// Data of a user's with the function that frees them.
struct Kept(Token, Destructor);

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(destructor) = self.1
            && !self.0.0.is_null()
        {
            // SAFETY: the user gave both together, and they are used once.
            unsafe { destructor(self.0.0.cast_mut()) };
        }
    }
}

/// Data that users keep beside a memory, by addresses of theirs.
#[derive(Default)]
pub(crate) struct UserData(Mutex<HashMap<usize, Kept>>);

extern "C" fn get(memory: Handle<Memory>, key: *const c_void) -> *const c_void {
    let Ok(memory) = memory.get() else {
        return std::ptr::null();
    };
    let kept = memory.user_data().0.lock();
    let kept = kept.unwrap_or_else(PoisonError::into_inner);
    kept.get(&key.addr())
        .map_or(std::ptr::null(), |kept| kept.0.0)
}

extern "C" fn set(
    memory: Handle<Memory>,
    key: *const c_void,
    data: *const c_void,
    destructor: Destructor,
) {
    let Ok(memory) = memory.get() else { return };
    let mut kept = memory
        .user_data()
        .0
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let before = if data.is_null() {
        kept.remove(&key.addr())
    } else {
        kept.insert(key.addr(), Kept(Token(data), destructor))
    };
    drop(kept);
    // Freed without the lock: the destructor may come back.
    drop(before);
}
