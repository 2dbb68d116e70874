//! `geqrf` and `geqp3`: `A = Q R` by Householder's reflections; `orgqr`: `Q` from the reflections.

use super::matrices::{Argument, Outcome, batch, each, norm, rows_and_columns, subtract};
use super::reflection::reflection;
use super::reflections;
use crate::error::{Error, Result};
use crate::linalg::{Scalar, compute_type, double_type};
use crate::{Context, ElementKind};

/// `R` and, below the diagonal, the reflections `1 - tau v v^H` with `v` one on the diagonal; with `pivoting`, of the matrix with its
/// columns in another order, which is the second result, from 1.
pub(super) fn factorise(
    context: &Context,
    kind: ElementKind,
    arguments: &[Argument<'_>],
    results: &mut [Outcome<'_>],
    pivoting: bool,
) -> Result<()> {
    let (m, n) = rows_and_columns(arguments, 0)?;
    let (matrix, columns, taus): (&[usize], &[usize], &[usize]) = (&[m, n], &[n], &[m.min(n)]);
    let order = (ElementKind::I32, columns);
    let count = match pivoting {
        true => batch(
            arguments,
            results,
            (
                &[(kind, matrix), order],
                &[(kind, matrix), order, (kind, taus)],
            ),
        ),
        false => batch(
            arguments,
            results,
            (&[(kind, matrix)], &[(kind, matrix), (kind, taus)]),
        ),
    }?;
    if !pivoting {
        return compute_type!(kind, m.max(n), T => each(context, count, &|i| {
            let mut a = arguments[0].matrix::<T>(i, m, n);
            let taus = reflections::factorise(context, a.as_mut());
            // SAFETY: every matrix is written once.
            unsafe {
                results[0].write_matrix(i, (m, n), |i, j| a[(i, j)]);
                results[1].write(i, &taus);
            }
        }));
    }
    double_type!(kind, T => each(context, count, &|i| {
        let mut a: Vec<T> = arguments[0].read(i, m * n);
        let mut order: Vec<i32> = (1..=n as i32).collect();
        let given = arguments[1].integers(i, n);
        let taus = pivoted(&mut a, m, n, &given, &mut order);
        // SAFETY: every matrix is written once.
        unsafe {
            results[0].write(i, &a);
            results[1].write_integers(i, &order);
            results[2].write(i, &taus);
        }
    }))
}

/// Reflects column `k` of the rows from `k` on to a multiple of the first unit vector, and the columns behind it likewise; `tau`.
pub(super) fn reflect<T: Scalar>(a: &mut [T], m: usize, n: usize, k: usize) -> T {
    let mut v: Vec<T> = (k..m).map(|i| a[i * n + k]).collect();
    let (beta, tau) = reflection(&mut v);
    if tau.parts() == (0.0, 0.0) {
        return T::ZERO;
    }
    for (i, value) in v.iter().enumerate().skip(1) {
        a[(k + i) * n + k] = *value;
    }
    a[k * n + k] = beta;
    apply(a, n, k, tau.conj(), &[]);
    tau
}

/// Subtracts `tau v (v^H A)` from the columns behind `k`, with `v` one in row `k` and below it what column `k` has there, or `vector`.
fn apply<T: Scalar>(a: &mut [T], n: usize, k: usize, tau: T, vector: &[T]) {
    let (_, rows) = a.split_at_mut(k * n);
    let (first, below) = rows.split_at_mut(n);
    let at = |row: &[T], i: usize| vector.get(i).copied().unwrap_or(row[k]);
    let begin = if vector.is_empty() { k + 1 } else { k };
    let mut products = first[begin..].to_vec();
    for (i, row) in below.chunks(n).enumerate() {
        let v = T::ZERO - at(row, i).conj();
        subtract(&mut products, v, &row[begin..]);
    }
    subtract(&mut first[begin..], tau, &products);
    for (i, row) in below.chunks_mut(n).enumerate() {
        let v = at(row, i);
        subtract(&mut row[begin..], tau * v, &products);
    }
}

/// With the longest of the remaining columns next, those first that `given` marks.
fn pivoted<T: Scalar>(a: &mut [T], m: usize, n: usize, given: &[i32], order: &mut [i32]) -> Vec<T> {
    let mut exchange = |a: &mut [T], p: usize, q: usize| {
        (0..m).for_each(|i| a.swap(i * n + p, i * n + q));
        order.swap(p, q);
    };
    let mut fixed = 0;
    for j in 0..n {
        if given[j] != 0 {
            exchange(a, fixed, j);
            fixed += 1;
        }
    }
    let mut taus = Vec::new();
    for k in 0..m.min(n) {
        if k >= fixed {
            let length = |j: usize| norm((k..m).map(|i| a[i * n + j]));
            let mut longest = (k, length(k));
            for j in k + 1..n {
                let other = length(j);
                if other > longest.1 {
                    longest = (j, other);
                }
            }
            exchange(a, k, longest.0);
        }
        taus.push(reflect(a, m, n, k));
    }
    taus
}

/// The first columns of the product of the reflections of [`factorise`].
pub(super) fn multiply_out(
    context: &Context,
    kind: ElementKind,
    arguments: &[Argument<'_>],
    results: &mut [Outcome<'_>],
) -> Result<()> {
    let (m, n) = rows_and_columns(arguments, 0)?;
    let k = arguments.get(1).and_then(|taus| taus.shape.last().copied());
    let k = k.ok_or_else(|| Error::invalid("argument 1 is no vector"))?;
    if m < n || n < k {
        return Err(Error::invalid(format!(
            "{n} columns of the product of {k} reflections of {m} rows"
        )));
    }
    let (matrix, taus): (&[usize], &[usize]) = (&[m, n], &[k]);
    let expected = [(kind, matrix), (kind, taus)];
    let count = batch(arguments, results, (&expected, &[(kind, matrix)]))?;
    compute_type!(kind, m, T => each(context, count, &|i| {
        let a = arguments[0].matrix::<T>(i, m, n);
        let taus: Vec<T> = arguments[1].read(i, k);
        let q = reflections::product(context, a.as_ref(), n, &taus);
        // SAFETY: every matrix is written once.
        unsafe { results[0].write_matrix(i, (m, n), |i, j| q[(i, j)]) };
    }))
}

/// The first `n` columns of the product of the reflections whose vectors are below the diagonal of `a`.
pub(super) fn product<T: Scalar>(a: &[T], m: usize, n: usize, taus: &[T]) -> Vec<T> {
    let mut q = vec![T::ZERO; m * n];
    for j in 0..n {
        q[j * n + j] = T::new(1.0, 0.0);
    }
    for (k, tau) in taus.iter().enumerate().rev() {
        let vector: Vec<T> = (k + 1..m).map(|i| a[i * n + k]).collect();
        match vector.is_empty() {
            true => q[k * n + k] = q[k * n + k] - *tau * q[k * n + k],
            false => apply(&mut q, n, k, *tau, &vector),
        }
    }
    q
}
