//! `geqrf` and `geqp3`: `A = Q R` by Householder's reflections; `orgqr`: `Q` from the reflections;
//! `ormqr`: products with `Q`.

use mapwright_dense::Mat;

use super::matrices::{Argument, Outcome, batch, each, norm, rows_and_columns};
use super::reflection::{reflect, reflection};
use super::reflections;
use crate::error::{Error, Result};
use crate::linalg::{FEW, Scalar, compute_type, lanes};
use crate::{Context, ElementKind};

/// `R` and, below the diagonal, the reflections `1 - tau v v^H` with `v` one on the diagonal; with
/// `pivoting`, of the matrix with its columns in another order, which is the second result, from 1.
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
    let count = if pivoting {
        batch(
            arguments,
            results,
            (
                &[(kind, matrix), order],
                &[(kind, matrix), order, (kind, taus)],
            ),
        )
    } else {
        batch(
            arguments,
            results,
            (&[(kind, matrix)], &[(kind, matrix), (kind, taus)]),
        )
    }?;
    let is_few = m.max(n) <= FEW && lanes::are_for(kind);
    if !pivoting && is_few {
        factorise_few(context, count, (m, n), arguments, results);
        return Ok(());
    }
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
    compute_type!(kind, m.max(n), T => each(context, count, &|i| {
        let mut a = arguments[0].matrix::<T>(i, m, n);
        let mut order: Vec<i32> = (1..=n as i32).collect();
        let given = arguments[1].integers(i, n);
        let taus = pivoted(&mut a, &given, &mut order);
        // SAFETY: every matrix is written once.
        unsafe {
            results[0].write_matrix(i, (m, n), |i, j| a[(i, j)]);
            results[1].write_integers(i, &order);
            results[2].write(i, &taus);
        }
    }))
}

/// `geqrf` of matrices of a few rows and columns.
fn factorise_few(
    context: &Context,
    count: usize,
    (m, n): (usize, usize),
    arguments: &[Argument<'_>],
    results: &[Outcome<'_>],
) {
    let least = m.min(n);
    lanes::groups(context, count, m * n + least, &|first, work| {
        let (a, taus) = work.split_at_mut(m * n);
        arguments[0].lanes(first, m * n, a);
        // SAFETY: every matrix is written once.
        unsafe {
            if lanes::qr(a, m, n, taus) {
                results[0].write_lanes(first, m * n, a);
                results[1].write_lanes(first, least, taus);
                return;
            }
            for i in first..count.min(first + lanes::LANES) {
                let mut a = arguments[0].matrix::<f64>(i, m, n);
                let taus = reflections::factorise(context, a.as_mut());
                results[0].write_matrix(i, (m, n), |i, j| a[(i, j)]);
                results[1].write(i, &taus);
            }
        }
    });
}

/// With the longest of the remaining columns next, those first that `given` marks.
fn pivoted<T: Scalar>(a: &mut Mat<T>, given: &[i32], order: &mut [i32]) -> Vec<T> {
    let (m, n) = (a.nrows(), a.ncols());
    let mut fixed = 0;
    for j in 0..n {
        if given[j] != 0 {
            exchange(a, fixed, j);
            order.swap(fixed, j);
            fixed += 1;
        }
    }
    let mut lengths: Vec<Length> = (0..n)
        .map(|j| Length::from_column(a.col_as_slice(j)))
        .collect();
    let mut taus = Vec::new();
    for k in 0..m.min(n) {
        if k >= fixed {
            let longest = (k + 1..n).fold(k, |best, j| {
                if lengths[j].now > lengths[best].now {
                    j
                } else {
                    best
                }
            });
            exchange(a, k, longest);
            order.swap(k, longest);
            lengths.swap(k, longest);
        }
        let mut vector = a.col_as_slice(k)[k..].to_vec();
        let (beta, tau) = reflection(&mut vector);
        for (j, length) in lengths.iter_mut().enumerate().skip(k + 1) {
            let column = &mut a.col_as_slice_mut(j)[k..];
            reflect(column, &vector, Scalar::conj(tau));
            length.without_first(column, T::EPSILON);
        }
        vector[0] = beta;
        a.col_as_slice_mut(k)[k..].copy_from_slice(&vector);
        taus.push(tau);
    }
    taus
}

fn exchange<T: Scalar>(a: &mut Mat<T>, p: usize, q: usize) {
    for i in 0..if p == q { 0 } else { a.nrows() } {
        let (x, y) = (a[(i, p)], a[(i, q)]);
        (a[(i, p)], a[(i, q)]) = (y, x);
    }
}

/// The length of what is left of a column.
struct Length {
    now: f64,
    /// When it was last computed from the elements.
    then: f64,
}

impl Length {
    fn from_column<T: Scalar>(column: &[T]) -> Self {
        let now = norm(column);
        Self { now, then: now }
    }

    /// Leaves out the first element. Where little is left of what the squares' difference begins
    /// with, it is computed anew (Drmac and Bujanovic, "On the failure of rank-revealing QR
    /// factorization software", 2008).
    fn without_first<T: Scalar>(&mut self, column: &[T], epsilon: f64) {
        if self.now == 0.0 {
            return;
        }
        let (re, im) = column[0].parts();
        let part = re.hypot(im) / self.now;
        let left = ((1.0 + part) * (1.0 - part)).max(0.0);
        let share = self.now / self.then;
        if left * share * share > epsilon.sqrt() {
            self.now *= left.sqrt()
        } else {
            *self = Self::from_column(&column[1..])
        }
    }
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
    if m <= FEW && lanes::are_for(kind) {
        lanes::groups(context, count, 2 * m * n + k, &|first, work| {
            let (a, work) = work.split_at_mut(m * n);
            let (q, taus) = work.split_at_mut(m * n);
            arguments[0].lanes(first, m * n, a);
            arguments[1].lanes(first, k, taus);
            lanes::product(a, m, n, taus, q);
            // SAFETY: every matrix is written once.
            unsafe { results[0].write_lanes(first, m * n, q) };
        });
        return Ok(());
    }
    compute_type!(kind, m, T => each(context, count, &|i| {
        let a = arguments[0].matrix::<T>(i, m, n);
        let taus: Vec<T> = arguments[1].read(i, k);
        let q = reflections::product(context, a.as_ref(), n, &taus);
        // SAFETY: every matrix is written once.
        unsafe { results[0].write_matrix(i, (m, n), |i, j| q[(i, j)]) };
    }))
}

/// `Q C`, or `C Q` where `Q` is not on the left; `Q^H` in the place of `Q` if `adjoint`. `Q` is the
/// product of the reflections of the first columns, as many as there are `tau`s.
pub(super) fn multiply(
    context: &Context,
    kind: ElementKind,
    (left, adjoint): (bool, bool),
    arguments: &[Argument<'_>],
    results: &mut [Outcome<'_>],
) -> Result<()> {
    let (m, width) = rows_and_columns(arguments, 0)?;
    let (rows, columns) = rows_and_columns(arguments, 2)?;
    let k = arguments[1].shape.last().copied().unwrap_or(0);
    if m != if left { rows } else { columns } || k > m.min(width) {
        return Err(Error::invalid(format!(
            "{k} reflections in {width} columns of {m} rows beside matrices of {rows} by {columns}"
        )));
    }
    let (vectors, taus, matrix): (&[usize], &[usize], &[usize]) =
        (&[m, width], &[k], &[rows, columns]);
    let expected = [(kind, vectors), (kind, taus), (kind, matrix)];
    let count = batch(arguments, results, (&expected, &[(kind, matrix)]))?;
    compute_type!(kind, m, T => each(context, count, &|i| {
        let a = arguments[0].matrix::<T>(i, m, width);
        let taus: Vec<T> = arguments[1].read(i, k);
        let mut c = arguments[2].matrix::<T>(i, rows, columns);
        // C Q is the adjoint of Q^H C^H.
        if left {
            reflections::multiply(context, a.as_ref(), &taus, c.as_mut(), adjoint);
        } else {
            let mut turned = c.adjoint().to_owned();
            reflections::multiply(context, a.as_ref(), &taus, turned.as_mut(), !adjoint);
            c = turned.adjoint().to_owned();
        }
        // SAFETY: every matrix is written once.
        unsafe { results[0].write_matrix(i, (rows, columns), |i, j| c[(i, j)]) };
    }))
}
