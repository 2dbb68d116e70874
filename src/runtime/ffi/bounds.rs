//! Accesses outside of a buffer, in code that was compiled with checks.

use std::ffi::c_char;
use std::sync::Mutex;

/// An access that was not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfBounds {
    /// Index.
    pub index: i64,
    /// Size of the dimension.
    pub size: i64,
    /// Location of the operation that it was made for.
    pub place: String,
}

impl std::fmt::Display for OutOfBounds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { index, size, place } = self;
        write!(
            f,
            "internal error at {place}: index {index} is outside of a dimension of size {size}"
        )
    }
}

/// The first one since the last [`take_out_of_bounds`].
static FIRST: Mutex<Option<OutOfBounds>> = Mutex::new(None);

/// Notes that a load or store at `index` of a dimension of `size` was not made. Always a defect of
/// the compiler.
///
/// # Safety
/// `place` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_out_of_bounds(index: i64, size: i64, place: *const c_char) {
    let mut first = crate::pool::lock(&FIRST);
    if first.is_none() {
        let found = OutOfBounds {
            index,
            size,
            // SAFETY: the caller's promise.
            place: unsafe { super::text(place) },
        };
        eprintln!("mapwright: {found}");
        *first = Some(found);
    }
}

/// The first access outside of a buffer of any program of the process since the last call of this.
pub fn take_out_of_bounds() -> Option<OutOfBounds> {
    crate::pool::lock(&FIRST).take()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_access_is_kept_until_it_is_taken() {
        // SAFETY: C strings.
        unsafe {
            mw_out_of_bounds(7, 3, c"here".as_ptr());
            mw_out_of_bounds(8, 3, c"there".as_ptr());
        }
        let first = take_out_of_bounds().map(|found| found.to_string());
        let expected = "internal error at here: index 7 is outside of a dimension of size 3";
        assert_eq!(first.as_deref(), Some(expected));
        assert_eq!(take_out_of_bounds(), None);
    }
}
