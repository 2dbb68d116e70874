//! The numbers that matrices are computed in.

use std::ops::{Add, Div, Mul, Sub};

use mapwright_dense::Dense;
use rustfft::num_complex::Complex;

use crate::ElementKind;

/// A real or complex number.
pub trait Scalar:
    Copy
    + Dense
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    const ZERO: Self;

    /// The distance from 1 to the next greater number of its parts.
    const EPSILON: f64;

    /// The element type that is stored as these numbers are.
    const KIND: ElementKind;

    /// From a real and an imaginary part, rounded; real types drop the latter.
    fn new(re: f64, im: f64) -> Self;

    fn parts(self) -> (f64, f64);

    fn conj(self) -> Self;
}

macro_rules! real {
    ($type:ty, $kind:ident) => {
        impl Scalar for $type {
            const ZERO: Self = 0.0;
            const EPSILON: f64 = <$type>::EPSILON as f64;
            const KIND: ElementKind = ElementKind::$kind;
            fn new(re: f64, _: f64) -> Self {
                re as $type
            }
            fn parts(self) -> (f64, f64) {
                (self.into(), 0.0)
            }
            fn conj(self) -> Self {
                self
            }
        }
    };
}

real!(f32, F32);
real!(f64, F64);

macro_rules! complex {
    ($type:ty, $kind:ident) => {
        impl Scalar for Complex<$type> {
            const ZERO: Self = Complex { re: 0.0, im: 0.0 };
            const EPSILON: f64 = <$type>::EPSILON as f64;
            const KIND: ElementKind = ElementKind::$kind;
            fn new(re: f64, im: f64) -> Self {
                Complex {
                    re: re as $type,
                    im: im as $type,
                }
            }
            fn parts(self) -> (f64, f64) {
                (self.re.into(), self.im.into())
            }
            fn conj(self) -> Self {
                Complex {
                    re: self.re,
                    im: -self.im,
                }
            }
        }
    };
}

complex!(f32, C64);
complex!(f64, C128);
