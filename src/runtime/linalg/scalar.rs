//! The numbers that matrices are computed in.

use std::ops::{Add, Div, Mul, Sub};

use rustfft::num_complex::Complex;

use super::product;

/// A real or complex number.
pub trait Scalar:
    Copy
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    const ZERO: Self;

    /// From a real and an imaginary part, rounded; real types drop the latter.
    fn new(re: f64, im: f64) -> Self;

    fn parts(self) -> (f64, f64);

    fn conj(self) -> Self;

    /// `C = A B^H` for row-major `A` (`m` × `k`, rows `lda` apart), `B` (`n` × `k`) and `C` (`m` × `n`).
    fn product(
        c: (&mut [Self], usize),
        a: (&[Self], usize),
        b: (&[Self], usize),
        m: usize,
        n: usize,
        k: usize,
    );
}

macro_rules! real {
    ($type:ty, $product:ident) => {
        impl Scalar for $type {
            const ZERO: Self = 0.0;
            fn new(re: f64, _: f64) -> Self {
                re as $type
            }
            fn parts(self) -> (f64, f64) {
                (self.into(), 0.0)
            }
            fn conj(self) -> Self {
                self
            }
            fn product(
                c: (&mut [Self], usize),
                a: (&[Self], usize),
                b: (&[Self], usize),
                m: usize,
                n: usize,
                k: usize,
            ) {
                product::$product(c, a, b, m, n, k);
            }
        }
    };
}

real!(f32, product_f32);
real!(f64, product_f64);

macro_rules! complex {
    ($type:ty, $product:ident) => {
        impl Scalar for Complex<$type> {
            const ZERO: Self = Complex { re: 0.0, im: 0.0 };
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
            fn product(
                c: (&mut [Self], usize),
                a: (&[Self], usize),
                b: (&[Self], usize),
                m: usize,
                n: usize,
                k: usize,
            ) {
                product::$product(c, a, b, m, n, k);
            }
        }
    };
}

complex!(f32, product_c64);
complex!(f64, product_c128);
