//! The border to C: the only unsafe code of the crate.
//!
//! The callers of the C API promise that what they hand over is what its header says: records of
//! the size that they state, arrays of the lengths beside them, handles that came from us and were
//! not destroyed. What follows from that promise is done here; the rest of the crate works with
//! references, slices and numbers.

pub(crate) mod abi;
pub(crate) mod block;
pub(crate) mod call;
pub(crate) mod callbacks;
pub(crate) mod entry;
pub(crate) mod error;
mod foreign_api;
pub(crate) mod frame;
pub(crate) mod memory;

use crate::status::{Result, Status};
pub(crate) use abi::Record;
pub(crate) use error::Error;
use std::{
    ffi::{c_char, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
};

/// A pointer to an object of ours, as C keeps it.
#[repr(transparent)]
pub(crate) struct Handle<T>(*mut T);

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

// SAFETY: a handle is used as a shared reference, or to give the object up.
unsafe impl<T: Send + Sync> Send for Handle<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Handle<T> {}

impl<T> Handle<T> {
    pub(crate) const NULL: Self = Self(std::ptr::null_mut());

    /// Gives an object to C, which destroys it by its function for that.
    pub(crate) fn give(value: T) -> Self {
        Self(Box::into_raw(Box::new(value)))
    }

    /// The handle of an object that somebody else keeps.
    pub(crate) fn from_ref(value: &T) -> Self {
        Self(std::ptr::from_ref(value).cast_mut())
    }

    /// The object.
    ///
    /// # Errors
    /// The handle is null.
    pub(crate) fn get<'a>(self) -> Result<&'a T> {
        // SAFETY: a handle is null or came from us, and was not destroyed (the promise of C's
        // callers).
        unsafe { self.0.as_ref() }.ok_or_else(|| {
            let name = std::any::type_name::<T>();
            let name = name.rsplit("::").next().unwrap_or(name);
            Status::invalid(format!("the handle of type {name} is null"))
        })
    }

    /// Takes the object back.
    pub(crate) fn take(self) -> Option<Box<T>> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: came from [`Handle::give`], and is destroyed once (the promise of C's callers).
        Some(unsafe { Box::from_raw(self.0) })
    }

    /// As an address, for a handle of C's without a type.
    pub(crate) fn address(self) -> *const c_void {
        self.0.cast_const().cast()
    }

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }
}

/// A copy of a record, with zeros for what the caller does not know of.
fn read<R: Record>(record: *const R) -> Option<R> {
    if record.is_null() {
        return None;
    }
    let mut own = R::zeroed();
    // SAFETY: the record is as long as its first field says.
    unsafe {
        let size = record.cast::<usize>().read().min(size_of::<R>());
        std::ptr::copy_nonoverlapping(record.cast::<u8>(), (&raw mut own).cast(), size);
    }
    Some(own)
}

/// A record that another one points to; nothing where the pointer is null.
pub(crate) fn record<R: Record>(pointer: *const R) -> Option<R> {
    read(pointer)
}

/// Writes a record back as far as the caller's goes; the size itself stays the caller's.
pub(crate) fn update<R: Record>(pointer: *const R, own: &R) {
    if pointer.is_null() {
        return;
    }
    let head = size_of::<usize>();
    // SAFETY: the record is as long as its first field says, and the caller lets us write to it.
    unsafe {
        let size = pointer.cast::<usize>().read().min(size_of::<R>());
        std::ptr::copy_nonoverlapping(
            std::ptr::from_ref(own).cast::<u8>().add(head),
            pointer.cast_mut().cast::<u8>().add(head),
            size.saturating_sub(head),
        );
    }
}

/// A function of the C API: reads the caller's record, works on a copy, and writes what was changed
/// back as far as the caller's record goes. What fails, also by a panic, becomes an error object.
pub(crate) fn enter<R: Record>(
    name: &str,
    record: *mut R,
    work: impl FnOnce(&mut R) -> Result<()>,
) -> Handle<Error> {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let mut own = read(record)
            .ok_or_else(|| Status::invalid(format!("{name}: the arguments are null")))?;
        work(&mut own)?;
        update(record, &own);
        Ok(())
    }));
    match outcome {
        Ok(Ok(())) => Handle::NULL,
        Ok(Err(status)) => Error::give(status),
        Err(panic) => Error::give(Status::internal(format!(
            "{name}: internal error: {}",
            text_of(panic.as_ref())
        ))),
    }
}

/// Returns the message of a panic.
pub(crate) fn text_of(panic: &(dyn std::any::Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic")
}

/// `count` values that live as long as the call; none where the pointer is null.
pub(crate) fn slice<'a, T>(first: *const T, count: usize) -> &'a [T] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the array is as long as the number beside it (the promise of C's callers).
    unsafe { std::slice::from_raw_parts(first, count) }
}

/// Room for `count` values that the caller wants written.
pub(crate) fn slice_mut<'a, T>(first: *const T, count: usize) -> &'a mut [T] {
    if first.is_null() || count == 0 {
        return &mut [];
    }
    // SAFETY: as in `slice`, and nobody else uses the room while we fill it.
    unsafe { std::slice::from_raw_parts_mut(first.cast_mut(), count) }
}

/// Bytes of the caller's.
pub(crate) fn bytes<'a>(first: *const c_char, count: usize) -> &'a [u8] {
    slice(first.cast::<u8>(), count)
}

/// A text of the caller's.
pub(crate) fn text(first: *const c_char, count: usize) -> String {
    String::from_utf8_lossy(bytes(first, count)).into_owned()
}

/// Returns the start and the length of a text.
pub(crate) fn parts(text: &str) -> (*const c_char, usize) {
    (text.as_ptr().cast(), text.len())
}

/// Bytes that are handed out together with the object that owns them and the function that frees
/// it.
pub(crate) fn give_bytes(bytes: Vec<u8>) -> (*const c_char, usize, *const c_void, *const c_void) {
    extern "C" fn free(owned: Handle<Vec<u8>>) {
        drop(owned.take());
    }
    let length = bytes.len();
    let start = bytes.as_ptr().cast();
    let owned = Handle::give(bytes);
    (start, length, owned.address(), free as *const c_void)
}

/// Pointers to things that live as long as the list's owner, which may be shared by threads.
pub(crate) struct Pointers<T>(Box<[*const T]>);

// SAFETY: the pointers are only handed to C.
unsafe impl<T> Send for Pointers<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Pointers<T> {}

impl<T> Pointers<T> {
    pub(crate) fn new(all: impl Iterator<Item = *const T>) -> Self {
        Self(all.collect())
    }

    pub(crate) fn as_ptr(&self) -> *const *const T {
        self.0.as_ptr()
    }
}

/// Named values that are written once and then only read, by any thread.
pub(crate) struct Constants(pub(crate) Vec<abi::plain::NamedValue>);

// SAFETY: what they point to lives as long as they do, and nobody writes to it.
unsafe impl Send for Constants {}
// SAFETY: as above.
unsafe impl Sync for Constants {}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::{plain::NamedValue, plugin::EventErrorArgs};

    #[test]
    fn of_a_smaller_record_only_what_is_there_is_read_and_written() {
        // A caller that knows of the first 24 bytes, and has something of its own behind them.
        let mut room = [0xffu8; 64];
        room[..8].copy_from_slice(&24usize.to_ne_bytes());
        let record = room.as_mut_ptr().cast::<NamedValue>();
        let failed = enter("test", record, |own| {
            assert_eq!((own.name_size, own.kind, own.value), (0, 0, 0));
            assert_eq!(own.name.addr(), usize::MAX);
            own.name = std::ptr::null();
            own.value = 7;
            Ok(())
        });
        assert!(failed.is_null());
        assert_eq!(room[..8], 24usize.to_ne_bytes());
        assert_eq!(room[16..24], [0; 8]);
        assert!(room[24..].iter().all(|byte| *byte == 0xff));
    }

    #[test]
    fn of_a_larger_record_the_rest_stays() {
        let mut room = [0xffu8; 80];
        room[..8].copy_from_slice(&80usize.to_ne_bytes());
        let record = room.as_mut_ptr().cast::<NamedValue>();
        let failed = enter("test", record, |own| {
            own.value_size = 1;
            Ok(())
        });
        assert!(failed.is_null());
        assert_eq!(room[48..56], 1usize.to_ne_bytes());
        assert!(room[56..].iter().all(|byte| *byte == 0xff));
    }

    #[test]
    fn nulls_and_panics_are_errors() {
        let said = |failed: Handle<Error>| failed.take().unwrap().status().message().to_owned();
        let nothing = std::ptr::null_mut::<EventErrorArgs>();
        assert!(said(enter("F", nothing, |_| Ok(()))).contains("F: the arguments are null"));
        let mut args = EventErrorArgs::zeroed();
        let missing = enter("F", &raw mut args, |args| args.event.get().map(drop));
        assert_eq!(said(missing), "the handle of type Event is null");
        let panicked = enter("F", &raw mut args, |_| panic!("oh"));
        assert_eq!(said(panicked), "F: internal error: oh");
    }
}
