//! `sytrd` and `hetrd`: `A = Q T Q^H` for Hermitian `A`, with `T` real and tridiagonal, by
//! Householder's reflections.

use mapwright_dense::Mat;

use super::matrices::{Argument, Outcome, batch, each, inner, subtract};
use super::reflection::{reflection, tau};
use super::{eigen::real_part, square};
use crate::error::Result;
use crate::linalg::{Scalar, compute_type};
use crate::{Context, ElementKind};

/// The triangle with `T` and the vectors of the reflections in it, the diagonal of `T`, what is
/// beside it, the `tau`s, and 0.
pub(super) fn call(
    context: &Context,
    kind: ElementKind,
    lower: bool,
    arguments: &[Argument<'_>],
    results: &mut [Outcome<'_>],
) -> Result<()> {
    let n = square(arguments)?;
    let less = n.saturating_sub(1);
    let (matrix, beside): (&[usize], &[usize]) = (&[n, n], &[less]);
    let real = real_part(kind);
    let outcome = [
        (kind, matrix),
        (real, &[n]),
        (real, beside),
        (kind, beside),
        (ElementKind::I32, &[]),
    ];
    let count = batch(arguments, results, (&[(kind, matrix)], &outcome))?;
    compute_type!(kind, n, T => each(context, count, &|i| {
            let given: Vec<T> = arguments[0].read(i, n * n);
            // The reflections of an upper triangle begin at the other corner: both rows and columns
            // backwards it is a lower one.
            let turned = |a: &[T]| -> Vec<T> {
                if lower {
    a.to_vec()
    } else {
    a.iter().rev().copied().collect()
    }
            };
            let mut a = turned(&given);
            for i in 0..n {
                a[i * n + i] = <T as Scalar>::new(a[i * n + i].parts().0, 0.0);
                for j in 0..i {
                    a[j * n + i] = a[i * n + j].conj();
                }
            }
            let mut found = reduce(&mut a, n);
            let mut whole = turned(&a);
            for (e, x) in whole.iter_mut().enumerate() {
                let (i, j) = (e / n, e % n);
                if (lower && i < j) || (!lower && i > j) {
                    *x = given[e];
                }
            }
            if !lower {
                found.diagonal.reverse();
                found.beside.reverse();
                found.taus.reverse();
            }
            let real = |x: &[f64]| -> Vec<T> { x.iter().map(|x| <T as Scalar>::new(*x, 0.0)).collect() };
            // SAFETY: every matrix is written once.
            unsafe {
                results[0].write(i, &whole);
                results[1].write(i, &real(&found.diagonal));
                results[2].write(i, &real(&found.beside));
                results[3].write(i, &found.taus);
                results[4].write_integers(i, &[0]);
            }
        }))
}

/// A tridiagonal matrix, and how it came about.
pub(super) struct Tridiagonal<T> {
    pub diagonal: Vec<f64>,
    /// Below the diagonal, and above it.
    pub beside: Vec<f64>,
    pub taus: Vec<T>,
}

/// Reduces a Hermitian matrix, both triangles of which are filled. Its lower triangle holds the
/// tridiagonal matrix and the vectors of the reflections then.
pub(super) fn reduce<T: Scalar>(a: &mut [T], n: usize) -> Tridiagonal<T> {
    if T::KIND.is_complex() {
        // What is beside the diagonal has to be real.
        reduce_complex(a, n)
    } else {
        reduce_real(a, n)
    }
}

fn reduce_real<T: Scalar>(a: &mut [T], n: usize) -> Tridiagonal<T> {
    let less = n.saturating_sub(1);
    let mut matrix = Mat::from_fn(n, n, |i, j| a[i * n + j]);
    let mut factors = Mat::full(1, less, T::ZERO);
    if less > 0 {
        T::tridiagonal(matrix.as_mut(), factors.as_mut());
    }
    for i in 0..n {
        for j in 0..=i {
            a[i * n + j] = matrix[(i, j)];
        }
    }
    Tridiagonal {
        diagonal: (0..n).map(|i| matrix[(i, i)].parts().0).collect(),
        beside: (0..less).map(|i| matrix[(i + 1, i)].parts().0).collect(),
        taus: (0..less).map(|k| tau(factors[(0, k)])).collect(),
    }
}

fn reduce_complex<T: Scalar>(a: &mut [T], n: usize) -> Tridiagonal<T> {
    let mut beside = Vec::new();
    let mut taus = Vec::new();
    for k in 0..n.saturating_sub(1) {
        let mut v: Vec<T> = (k + 1..n).map(|i| a[i * n + k]).collect();
        let (beta, tau) = reflection(&mut v);
        beside.push(beta.parts().0);
        taus.push(tau);
        a[(k + 1) * n + k] = beta;
        for (i, value) in v.iter().enumerate().skip(1) {
            a[(k + 1 + i) * n + k] = *value;
        }
        if tau.parts() == (0.0, 0.0) {
            continue;
        }
        // H^H A H = A - v w^H - w v^H with p = tau A v and w = p - (tau p^H v / 2) v. Columns of A
        // are conjugate rows.
        let mut p = vec![T::ZERO; v.len()];
        for (i, value) in v.iter().enumerate() {
            let row = &a[(k + 1 + i) * n + k + 1..(k + 2 + i) * n];
            subtract(&mut p, T::ZERO - value.conj(), row);
        }
        for x in &mut p {
            *x = tau * x.conj();
        }
        let half = T::new(0.5, 0.0) * tau * inner(&p, &v);
        subtract(&mut p, half, &v);
        let conjugate = |x: &[T]| -> Vec<T> { x.iter().map(|x| x.conj()).collect() };
        let (row_v, row_w) = (conjugate(&v), conjugate(&p));
        for i in 0..v.len() {
            let row = &mut a[(k + 1 + i) * n + k + 1..(k + 2 + i) * n];
            subtract(row, v[i], &row_w);
            subtract(row, p[i], &row_v);
        }
    }
    Tridiagonal {
        diagonal: (0..n).map(|i| a[i * n + i].parts().0).collect(),
        beside,
        taus,
    }
}
