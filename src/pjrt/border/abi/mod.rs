//! The records of the PJRT C API 0.114 as C lays them out: a line a record, each field with the
//! offset at which C has it.
//!
//! A record begins with its size as the caller knows it, so that callers of several years read and
//! write the same functions: [`super::enter`] hands each function a copy in which what the caller
//! did not know of is zero.

pub(crate) mod buffer;
pub(crate) mod client;
pub(crate) mod executable;
pub(crate) mod extension;
pub(crate) mod plain;
pub(crate) mod plugin;

/// A record that begins with its size.
///
/// # Safety
///
/// Zeros are a valid value, and so is every value that the rules of C allow the caller to write.
pub(crate) unsafe trait Record: Sized {
    /// A record of zeros, with the size of ours.
    fn zeroed() -> Self {
        // SAFETY: the trait says that zeros are a value; `usize` is the first field of every
        // record.
        unsafe {
            let mut record = std::mem::zeroed::<Self>();
            (&raw mut record).cast::<usize>().write(size_of::<Self>());
            record
        }
    }
}

/// Records by name, with types and offsets of their fields. Before the fields stand the size and
/// the chain of extensions; a `short` record has no extensions, a `bare` one neither.
macro_rules! records {
    () => {};
    (bare $name:ident { $($field:ident: $type:ty = $offset:literal),* $(,)? } $($rest:tt)*) => {
        records!(@record $name [] { $($field: $type = $offset,)* });
        records!($($rest)*);
    };
    (short $name:ident { $($field:ident: $type:ty = $offset:literal),* $(,)? } $($rest:tt)*) => {
        records!(@record $name [sized] { struct_size: usize = 0, $($field: $type = $offset,)* });
        records!($($rest)*);
    };
    ($name:ident { $($field:ident: $type:ty = $offset:literal),* $(,)? } $($rest:tt)*) => {
        records!(@record $name [sized] {
            struct_size: usize = 0,
            extension: *const std::ffi::c_void = 8,
            $($field: $type = $offset,)*
        });
        records!($($rest)*);
    };
    (@record $name:ident [$($sized:ident)?] { $($field:ident: $type:ty = $offset:literal,)* }) => {
        #[allow(dead_code, reason = "the layout is C's, whatever of it is read")]
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub(crate) struct $name {
            $(pub(crate) $field: $type,)*
        }
        $(const _: () = assert!(
            std::mem::offset_of!($name, $field) == $offset,
            concat!(stringify!($name), ".", stringify!($field), " is not where C has it"),
        );)*
        $(
            // SAFETY: the fields are numbers, pointers and handles.
            unsafe impl super::Record for $name {}
            const _: &str = stringify!($sized);
        )?
    };
}
pub(crate) use records;
