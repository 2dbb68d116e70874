//! Functions of complex numbers.

use crate::complex::{self, Complex};
use crate::error;
use std::panic::{UnwindSafe, catch_unwind};

/// A complex number, as C passes a structure of two numbers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ComplexNumber {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

/// The value, or NaN and a failure that is left to the context of the thread: these functions are
/// called for single numbers.
fn returned(value: impl FnOnce() -> Complex + UnwindSafe) -> ComplexNumber {
    let (re, im) = catch_unwind(value).unwrap_or_else(|panic| {
        error::leave(error::Error::from_panic(panic.as_ref()));
        (f64::NAN, f64::NAN)
    });
    ComplexNumber { re, im }
}

/// `(re + i im) ^ (to_re + i to_im)`: see [`complex::power`].
#[unsafe(no_mangle)]
pub extern "C" fn mw_complex_power(re: f64, im: f64, to_re: f64, to_im: f64) -> ComplexNumber {
    returned(|| complex::power((re, im), (to_re, to_im)))
}

/// `exp(re + i im) - 1`: see [`complex::exponential_minus_one`].
#[unsafe(no_mangle)]
pub extern "C" fn mw_complex_exponential_minus_one(re: f64, im: f64) -> ComplexNumber {
    returned(|| complex::exponential_minus_one((re, im)))
}

/// `1 / (1 + exp(-(re + i im)))`: see [`complex::logistic`].
#[unsafe(no_mangle)]
pub extern "C" fn mw_complex_logistic(re: f64, im: f64) -> ComplexNumber {
    returned(|| complex::logistic((re, im)))
}

#[cfg(test)]
mod tests {
    use super::returned;
    use crate::ffi::{mw_error_status, mw_parallel_for};
    use crate::{Context, Error, Status};
    use std::ffi::c_void;

    fn failure(words: &str) -> Option<Error> {
        let words = format!("internal error: {words}");
        Some(Error::new(Status::Internal, words))
    }

    #[test]
    fn a_panic_fails_the_call_that_it_happened_in() {
        let (context, other) = (Context::new(1), Context::new(1));
        assert!(returned(|| panic!("first")).re.is_nan());
        assert!(returned(|| panic!("second")).im.is_nan());
        // SAFETY: live contexts.
        let status = |context: &Context| unsafe { mw_error_status(context) };
        assert_eq!(status(&context), Status::Internal as i32);
        assert_eq!(context.error(), failure("first"));
        assert_eq!(status(&other), Status::Ok as i32);
    }

    #[test]
    fn a_panic_on_any_thread_fails_the_region() {
        unsafe extern "C" fn task(_: *const c_void, begin: i64, end: i64) {
            if (begin..end).contains(&37) {
                returned(|| panic!("in a tile"));
            }
        }
        for threads in [1, 2, 4] {
            for _ in 0..20 {
                let context = Context::new(threads);
                // SAFETY: a live context; the task does not read the block.
                let status = unsafe { mw_parallel_for(&context, task, std::ptr::null(), 64) };
                assert_eq!(status, Status::Internal as i32);
                assert_eq!(context.error(), failure("in a tile"));
            }
        }
        assert_eq!(crate::error::left(), None);
    }
}
