//! Accesses outside of a buffer, in code that was compiled with checks.

use std::sync::Mutex;

/// The first one since the last [`take_out_of_bounds`]: index and size.
static FIRST: Mutex<Option<(i64, i64)>> = Mutex::new(None);

/// Notes that a load or store at `index` of a dimension of `size` was not made. Always a defect of the compiler.
#[unsafe(no_mangle)]
pub extern "C" fn mw_out_of_bounds(index: i64, size: i64) {
    let mut first = crate::pool::lock(&FIRST);
    if first.is_none() {
        *first = Some((index, size));
        eprintln!(
            "mapwright: internal error: index {index} is outside of a dimension of size {size}"
        );
    }
}

/// The first access outside of a buffer of any program of the process since the last call of this.
pub fn take_out_of_bounds() -> Option<(i64, i64)> {
    crate::pool::lock(&FIRST).take()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_access_is_kept_until_it_is_taken() {
        mw_out_of_bounds(7, 3);
        mw_out_of_bounds(8, 3);
        assert_eq!(take_out_of_bounds(), Some((7, 3)));
        assert_eq!(take_out_of_bounds(), None);
    }
}
