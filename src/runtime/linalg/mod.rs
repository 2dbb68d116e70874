//! Dense factorisations and solves: `cholesky` and `triangular_solve`.
//!
//! `faer` computes blocks of large matrices, and their products; which block comes when is decided
//! here, so that the blocks and the order of sums are the same for every number of threads.
//! Matrices of a few rows are computed element by element, as a call would take longer. Small
//! matrices of low precision are computed in double precision.

mod cholesky;
pub(crate) mod columns;
pub(crate) mod jacobi;
pub(crate) mod lanes;
mod scalar;
#[cfg(test)]
mod tests;
mod triangular_solve;

pub use cholesky::cholesky;
pub(crate) use cholesky::{factorise, factorise_few, grain, transpose, triangle};
pub use scalar::Scalar;
pub use triangular_solve::{Solve, Transpose, triangular_solve};

use crate::ElementKind;
use crate::convert::{self, Number};

/// Matrices up to this size are computed in double precision whatever their type.
pub(crate) const DOUBLE_PRECISION_UP_TO: usize = 48;

/// Matrices up to this size are computed element by element.
pub(crate) const FEW: usize = 16;

/// Calls `$body` with `$t` as the type that matrices of a kind and size are computed in.
macro_rules! compute_type {
    ($kind:expr, $n:expr, $t:ident => $body:expr) => {
        crate::linalg::type_from!(crate::linalg::DOUBLE_PRECISION_UP_TO, $kind, $n, $t => $body)
    };
}
pub(crate) use compute_type;

/// Calls `$body` as [`compute_type`] does, for work of many sweeps over a matrix, which costs twice
/// as much in double precision.
macro_rules! single_type {
    ($kind:expr, $n:expr, $t:ident => $body:expr) => {
        crate::linalg::type_from!(crate::linalg::FEW, $kind, $n, $t => $body)
    };
}
pub(crate) use single_type;

/// Calls `$body` with `$t` as the type of double precision up to the size `$most`, of single
/// precision from there on where that is what a kind has.
macro_rules! type_from {
    ($most:expr, $kind:expr, $n:expr, $t:ident => $body:expr) => {{
        use rustfft::num_complex::Complex;
        match $kind {
            ElementKind::C64 if $n > $most => {
                type $t = Complex<f32>;
                Ok($body)
            }
            ElementKind::C64 | ElementKind::C128 => {
                type $t = Complex<f64>;
                Ok($body)
            }
            ElementKind::F64 => {
                type $t = f64;
                Ok($body)
            }
            kind if !kind.is_float() => Err(crate::Error::unsupported(format!(
                "linear algebra on {}",
                kind.name()
            ))),
            _ if $n > $most => {
                type $t = f32;
                Ok($body)
            }
            _ => {
                type $t = f64;
                Ok($body)
            }
        }
    }};
}
pub(crate) use type_from;

/// Calls `$body` with `$t` as the type of double precision for matrices of a kind.
macro_rules! double_type {
    ($kind:expr, $t:ident => $body:expr) => {
        if $kind.is_complex() {
            type $t = rustfft::num_complex::Complex<f64>;
            Ok($body)
        } else if $kind.is_float() {
            type $t = f64;
            Ok($body)
        } else {
            Err(crate::Error::unsupported(format!(
                "linear algebra on {}",
                $kind.name()
            )))
        }
    };
}
pub(crate) use double_type;

/// An element as a scalar of the type that is computed in.
pub(crate) fn load<T: Scalar>(kind: ElementKind, data: &[u8], index: usize) -> T {
    let at = |i: usize, size: usize| &data[i * size..(i + 1) * size];
    match kind {
        ElementKind::F32 => T::new(f64::from(f32::from_ne_bytes(array(at(index, 4)))), 0.0),
        ElementKind::F64 => T::new(f64::from_ne_bytes(array(at(index, 8))), 0.0),
        ElementKind::C64 => {
            let part = |i: usize| f64::from(f32::from_ne_bytes(array(at(i, 4))));
            T::new(part(2 * index), part(2 * index + 1))
        }
        ElementKind::C128 => {
            let part = |i: usize| f64::from_ne_bytes(array(at(i, 8)));
            T::new(part(2 * index), part(2 * index + 1))
        }
        _ => match convert::read(kind, data, index) {
            Number::Real(x) => T::new(x, 0.0),
            Number::Complex(re, im) => T::new(re, im),
            Number::Integer(_) | Number::Pred(_) => T::new(f64::NAN, 0.0),
        },
    }
}

/// The inverse of [`load`].
pub(crate) fn store<T: Scalar>(kind: ElementKind, data: &mut [u8], index: usize, value: T) {
    let (re, im) = value.parts();
    match kind {
        ElementKind::F32 => {
            data[index * 4..index * 4 + 4].copy_from_slice(&(re as f32).to_ne_bytes())
        }
        ElementKind::F64 => data[index * 8..index * 8 + 8].copy_from_slice(&re.to_ne_bytes()),
        ElementKind::C64 => {
            let data = &mut data[index * 8..(index + 1) * 8];
            data[..4].copy_from_slice(&(re as f32).to_ne_bytes());
            data[4..].copy_from_slice(&(im as f32).to_ne_bytes());
        }
        ElementKind::C128 => {
            let data = &mut data[index * 16..(index + 1) * 16];
            data[..8].copy_from_slice(&re.to_ne_bytes());
            data[8..].copy_from_slice(&im.to_ne_bytes());
        }
        _ => convert::write(kind, data, index, Number::Real(re)),
    }
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(bytes);
    array
}
