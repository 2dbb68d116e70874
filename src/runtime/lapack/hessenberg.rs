//! `gehrd`: `A = Q H Q^H` with `H` zero below the first subdiagonal, by Householder's reflections.

use mapwright_dense::Mat;

use super::matrices::{Argument, Outcome, batch, each, subtract};
use super::reflection::{reflection, tau};
use super::reflections;
use super::{integer, square};
use crate::error::{Error, Result};
use crate::linalg::{Scalar, compute_type};
use crate::{Context, ElementKind};

/// `H` with the vectors of the reflections below the subdiagonal, the `tau`s, and 0. The rows and
/// columns before `low` and behind `high` (from 1) are taken to be triangular already.
pub(super) fn call(
    context: &Context,
    kind: ElementKind,
    attributes: &str,
    arguments: &[Argument<'_>],
    results: &mut [Outcome<'_>],
) -> Result<()> {
    let n = square(arguments)?;
    let (matrix, taus): (&[usize], &[usize]) = (&[n, n], &[n.saturating_sub(1)]);
    let outcome = [(kind, matrix), (kind, taus), (ElementKind::I32, &[])];
    let count = batch(arguments, results, (&[(kind, matrix)], &outcome))?;
    let option = |name: &str, otherwise: usize| {
        integer(attributes, name).map_or(Some(otherwise), |value| usize::try_from(value).ok())
    };
    let (low, high) = match (option("low", 1.min(n)), option("high", n)) {
        (Some(low), Some(high)) if high <= n && (1..=high.max(1)).contains(&low.max(1)) => {
            (low.max(1), high)
        }
        _ => return Err(Error::invalid("rows that a matrix does not have")),
    };
    compute_type!(kind, n, T => each(context, count, &|i| {
            let mut a: Vec<T> = arguments[0].read(i, n * n);
            // LAPACK's subdiagonal is real, that of `faer` is not.
            let taus = if kind.is_complex() {
    reduce_part(&mut a, n, low - 1, high)
    } else {
    reduce(&mut a, n, low - 1, high)
    };
            // SAFETY: every matrix is written once.
            unsafe {
                results[0].write(i, &a);
                results[1].write(i, &taus);
                results[2].write_integers(i, &[0]);
            }
        }))
}

/// Matrices from this size on are reduced in blocks.
const LARGE: usize = 256;

/// Reflections of a block.
const WIDTH: usize = 32;

/// As [`reduce_part`], of all rows and columns.
fn reduce_all<T: Scalar>(a: &mut [T], n: usize) -> Vec<T> {
    let Some(less) = n.checked_sub(1).filter(|less| *less > 0) else {
        return vec![T::ZERO; n.saturating_sub(1)];
    };
    let mut matrix = Mat::from_fn(n, n, |i, j| a[i * n + j]);
    let width = if n < LARGE { 1 } else { WIDTH };
    let mut factors = Mat::full(width, less, T::ZERO);
    T::hessenberg(matrix.as_mut(), factors.as_mut());
    for (i, row) in a.chunks_mut(n).enumerate() {
        for (j, x) in row.iter_mut().enumerate() {
            *x = matrix[(i, j)];
        }
    }
    (0..less).map(|k| tau(factors[(k % width, k)])).collect()
}

/// Reduces rows and columns `low .. high` of an `n` by `n` matrix; the `tau`s of the `n - 1`
/// reflections.
pub(super) fn reduce<T: Scalar>(a: &mut [T], n: usize, low: usize, high: usize) -> Vec<T> {
    if (low, high) == (0, n) {
        reduce_all(a, n)
    } else {
        reduce_part(a, n, low, high)
    }
}

/// As [`reduce`], one reflection after the other.
fn reduce_part<T: Scalar>(a: &mut [T], n: usize, low: usize, high: usize) -> Vec<T> {
    let mut taus = vec![T::ZERO; n.saturating_sub(1)];
    for k in low..high.saturating_sub(1) {
        let mut v: Vec<T> = (k + 1..high).map(|i| a[i * n + k]).collect();
        let (beta, tau) = reflection(&mut v);
        taus[k] = tau;
        a[(k + 1) * n + k] = beta;
        for (i, value) in v.iter().enumerate().skip(1) {
            a[(k + 1 + i) * n + k] = *value;
        }
        // A H: every row loses tau (row v) v^H.
        let adjoint: Vec<T> = v.iter().map(|x| x.conj()).collect();
        for row in a.chunks_mut(n).take(high) {
            let part = &mut row[k + 1..high];
            let along = part
                .iter()
                .zip(&v)
                .fold(T::ZERO, |sum, (x, v)| sum + *x * *v);
            subtract(part, tau * along, &adjoint);
        }
        // H^H A: the columns behind.
        let mut products = vec![T::ZERO; n - k - 1];
        for (i, value) in adjoint.iter().enumerate() {
            let row = &a[(k + 1 + i) * n + k + 1..(k + 2 + i) * n];
            subtract(&mut products, T::ZERO - *value, row);
        }
        for (i, value) in v.iter().enumerate() {
            let row = &mut a[(k + 1 + i) * n + k + 1..(k + 2 + i) * n];
            subtract(row, tau.conj() * *value, &products);
        }
    }
    taus
}

/// `Q` from what [`reduce`] left below the subdiagonal.
pub(super) fn unitary<T: Scalar>(context: &Context, a: &[T], n: usize, taus: &[T]) -> Vec<T> {
    let mut q = vec![T::ZERO; n * n];
    let Some(less) = n.checked_sub(1) else {
        return q;
    };
    // The reflections leave the first row alone: those of a matrix of one row and column less.
    let inner = Mat::from_fn(less, less, |i, j| a[(i + 1) * n + j]);
    let inner = reflections::product(context, inner.as_ref(), less, taus);
    q[0] = T::new(1.0, 0.0);
    for i in 1..n {
        for j in 1..n {
            q[i * n + j] = inner[(i - 1, j - 1)];
        }
    }
    q
}
