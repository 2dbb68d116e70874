//! Functions of complex numbers.

use crate::complex::{self, Complex};
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

fn returned(value: impl FnOnce() -> Complex + UnwindSafe) -> ComplexNumber {
    let (re, im) = catch_unwind(value).unwrap_or((f64::NAN, f64::NAN));
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
