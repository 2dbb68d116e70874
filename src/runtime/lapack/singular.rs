//! `gesdd` and `gesvd`: singular values and vectors.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{Mat, Par};

use super::eigen::{divide, largest, real_part};
use super::matrices::{Argument, Outcome, batch, each, finite, rows_and_columns};
use crate::error::{Error, Result};
use crate::linalg::{Scalar, single_type};
use crate::{Context, ElementKind};

/// From matrices to what is left of them (zeros), the singular values, descending, the left vectors as columns, the right ones as adjoint
/// rows, as many as the results have room for (zeros without `vectors`), and 0, or 1 where they were not found.
pub(super) fn call(
    context: &Context,
    kind: ElementKind,
    vectors: bool,
    arguments: &[Argument<'_>],
    results: &mut [Outcome<'_>],
) -> Result<()> {
    let (m, n) = rows_and_columns(arguments, 0)?;
    let least = m.min(n);
    let last = |i: usize, back: usize| {
        let shape = results.get(i).map(|r| &r.shape)?;
        shape.len().checked_sub(back).map(|at| shape[at])
    };
    // As many vectors as there are singular values, or all.
    let (left, right) = (last(2, 1).unwrap_or(m), last(3, 2).unwrap_or(n));
    let fits = |count: usize, all: usize| count == least || count == all;
    if !fits(left, m) || !fits(right, n) {
        return Err(Error::invalid(format!(
            "{left} and {right} singular vectors of {m} by {n} matrices"
        )));
    }
    let (matrix, u, v): (&[usize], &[usize], &[usize]) = (&[m, n], &[m, left], &[right, n]);
    let outcome = [
        (kind, matrix),
        (real_part(kind), &[least]),
        (kind, u),
        (kind, v),
        (ElementKind::I32, &[]),
    ];
    let count = batch(arguments, results, (&[(kind, matrix)], &outcome))?;
    single_type!(kind, m.min(n), T => each(context, count, &|i| {
        let a = arguments[0].matrix::<T>(i, m, n);
        let found = decompose(a, (left, right), vectors);
        // SAFETY: every matrix is written once.
        unsafe {
            results[0].write_matrix(i, (m, n), |_, _| T::ZERO);
            results[1].write(i, &found.values);
            results[2].write_matrix(i, (m, left), |i, j| found.left.as_ref().map_or(T::ZERO, |u| u[(i, j)]));
            results[3].write_matrix(i, (right, n), |i, j| {
                found.right.as_ref().map_or(T::ZERO, |v| Scalar::conj(v[(j, i)]))
            });
            results[4].write_integers(i, &[found.info]);
        }
    }))
}

struct Found<T> {
    values: Vec<T>,
    /// Vectors as columns.
    left: Option<Mat<T>>,
    right: Option<Mat<T>>,
    info: i32,
}

/// Singular values, descending, and if asked for `left` and `right` vectors, as many as there are values or all.
fn decompose<T: Scalar>(mut a: Mat<T>, (left, right): (usize, usize), vectors: bool) -> Found<T> {
    let (m, n) = (a.nrows(), a.ncols());
    let least = m.min(n);
    let unit = |rows: usize, columns: usize| {
        vectors.then(|| {
            Mat::from_fn(rows, columns, |i, j| match i == j {
                true => T::new(1.0, 0.0),
                false => T::ZERO,
            })
        })
    };
    let mut found = Found {
        values: vec![T::new(f64::NAN, 0.0); least],
        left: unit(m, left),
        right: unit(n, right),
        info: 0,
    };
    if least == 0 {
        return found;
    }
    let nan = T::new(f64::NAN, if T::KIND.is_complex() { f64::NAN } else { 0.0 });
    let missing = |info: i32| Found {
        values: vec![T::new(f64::NAN, 0.0); least],
        left: vectors.then(|| Mat::full(m, left, nan)),
        right: vectors.then(|| Mat::full(n, right, nan)),
        info,
    };
    if !(0..n).all(|j| finite(a.col_as_slice(j))) {
        return missing(0);
    }
    // Squares of the elements must neither overflow nor vanish.
    let scale = (0..n).fold(0.0f64, |most, j| most.max(largest(a.col_as_slice(j))));
    let scale = if scale > 0.0 { scale } else { 1.0 };
    for j in 0..n {
        divide(a.col_as_slice_mut(j), scale);
    }
    let wanted = |count: usize| match (vectors, count == least) {
        (false, _) => ComputeSvdVectors::No,
        (true, true) => ComputeSvdVectors::Thin,
        (true, false) => ComputeSvdVectors::Full,
    };
    let parameters = Default::default();
    let memory = svd_scratch::<T>(m, n, wanted(left), wanted(right), Par::Seq, parameters);
    let mut values = Mat::full(least, 1, T::ZERO);
    let done = svd(
        a.as_ref(),
        values.col_mut(0).as_diagonal_mut(),
        found.left.as_mut().map(Mat::as_mut),
        found.right.as_mut().map(Mat::as_mut),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(memory)),
        parameters,
    );
    if done.is_err() {
        return missing(1);
    }
    let value = |x: &T| T::new(x.parts().0 * scale, 0.0);
    found.values = values.col_as_slice(0).iter().map(value).collect();
    found
}
