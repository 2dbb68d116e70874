//! `gesdd` and `gesvd`: singular values and vectors.

use mapwright_dense::Mat;

use super::bidiagonal_form::{self, Wide};
use super::dqds::singular_values;
use super::eigen::{divide, largest, real_part};
use super::matrices::{Argument, Outcome, batch, each, finite, rows_and_columns};
use crate::error::{Error, Result};
use crate::linalg::{FEW, Scalar, jacobi, lanes, single_type};
use crate::{Context, ElementKind};

/// From matrices to what is left of them (zeros), the singular values, descending, the left vectors
/// as columns, the right ones as adjoint rows, as many as the results have room for (zeros without
/// `vectors`), and 0, or 1 where they were not found.
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
    let thin = !vectors || (left, right) == (least, least);
    if m.max(n) <= FEW && thin && lanes::are_for(kind) {
        few(context, kind, (m, n, count), vectors, (arguments, results));
        return Ok(());
    }
    single_type!(kind, m.min(n), T => each(context, count, &|i| {
        let a = arguments[0].matrix::<T>(i, m, n);
        // SAFETY: every matrix is written once.
        unsafe { one(a, i, (left, right), vectors, results) };
    }))
}

/// Matrix `i`.
///
/// # Safety
/// Nobody else accesses this matrix of the results.
unsafe fn one<T: Wide>(
    a: Mat<T>,
    i: usize,
    (left, right): (usize, usize),
    vectors: bool,
    results: &[Outcome<'_>],
) {
    let (m, n) = (a.nrows(), a.ncols());
    let found = decompose(a, (left, right), vectors);
    // SAFETY: the caller's promise.
    unsafe {
        results[0].write_matrix(i, (m, n), |_, _| T::ZERO);
        results[1].write(i, &found.values);
        results[2].write_matrix(i, (m, left), |i, j| {
            found.left.as_ref().map_or(T::ZERO, |u| u[(i, j)])
        });
        results[3].write_matrix(i, (right, n), |i, j| {
            (found.right.as_ref()).map_or(T::ZERO, |v| Scalar::conj(v[(j, i)]))
        });
        results[4].write_integers(i, &[found.info]);
    }
}

/// Rows of a bidiagonal matrix that are not divided any more; with vectors, 256 rows in `f32` take
/// 0.4 to 0.75 of the time that halves take.
const UNDIVIDED: usize = 32;

/// Times as many rows as columns, or the reverse, from which on a triangular factor is reduced in
/// the place of the matrix.
const TALL: usize = 2;

/// Shares of the largest singular value below which vectors are not what is left of a column.
const NOTHING: f64 = 1e-13;

/// Cosines of the angle between columns that are taken to be orthogonal.
fn orthogonal(kind: ElementKind) -> f64 {
    match kind {
        ElementKind::F32 => 1e-10,
        _ => 1e-15,
    }
}

/// Of matrices of a few rows and columns, with as many vectors as there are values.
fn few(
    context: &Context,
    kind: ElementKind,
    (m, n, count): (usize, usize, usize),
    vectors: bool,
    (arguments, results): (&[Argument<'_>], &[Outcome<'_>]),
) {
    // Of a wide matrix the columns of the transposed one are made orthogonal.
    let (rows, least) = (m.max(n), m.min(n));
    let (size, square) = (m * n, least * least);
    lanes::groups(
        context,
        count,
        3 * size + 2 * square + least,
        &|first, work| {
            let (given, work) = work.split_at_mut(size);
            let (a, work) = work.split_at_mut(size);
            let (long, work) = work.split_at_mut(size);
            let (v, work) = work.split_at_mut(square);
            let (short, values) = work.split_at_mut(square);
            arguments[0].lanes(first, size, given);
            for i in 0..m {
                for j in 0..n {
                    let place = if m >= n { j * m + i } else { i * n + j };
                    a[place] = given[i * n + j];
                }
            }
            let scales = jacobi::scale(a);
            let used = if vectors { square } else { 0 };
            let done = jacobi::singular(a, rows, least, &mut v[..used], orthogonal(kind));
            let mut usable = done;
            for (lane, scale) in scales.into_iter().enumerate() {
                let length = |j: usize| {
                    let column = a[j * rows..(j + 1) * rows].iter();
                    column.map(|x| x[lane] * x[lane]).sum::<f64>().sqrt()
                };
                let lengths: Vec<f64> = (0..least).map(length).collect();
                let order = jacobi::order(least, |i, j| lengths[i] > lengths[j]);
                let most = order.first().map_or(0.0, |j| lengths[*j]);
                for (k, from) in order.into_iter().enumerate() {
                    let missing = scale.is_nan();
                    values[k][lane] = lengths[from] * scale;
                    usable &= missing || !vectors || lengths[from] > NOTHING * most;
                    for i in 0..rows {
                        // Of the left vectors by rows where these are long, of the right ones by
                        // columns.
                        let place = if m >= n { i * least + k } else { k * rows + i };
                        long[place][lane] = if missing {
                            f64::NAN
                        } else {
                            a[from * rows + i][lane] / lengths[from]
                        };
                    }
                    for i in 0..least {
                        let place = if m >= n { k * least + i } else { i * least + k };
                        short[place][lane] = if missing {
                            f64::NAN
                        } else {
                            v[from * least + i][lane]
                        };
                    }
                }
            }
            // SAFETY: every matrix is written once.
            unsafe {
                if !usable {
                    for i in first..count.min(first + lanes::LANES) {
                        let a = arguments[0].matrix::<f64>(i, m, n);
                        one(a, i, (least, least), vectors, results);
                    }
                    return;
                }
                if !vectors {
                    long.fill(lanes::ZERO);
                    short.fill(lanes::ZERO);
                }
                given.fill(lanes::ZERO);
                results[0].write_lanes(first, size, given);
                results[1].write_lanes(first, least, values);
                let (left, right) = if m >= n {
                    (&*long, &*short)
                } else {
                    (&*short, &*long)
                };
                results[2].write_lanes(first, m * least, left);
                results[3].write_lanes(first, least * n, right);
                results[4].write_integer_lanes(first, &[[0; lanes::LANES]]);
            }
        },
    );
}

struct Found<T> {
    values: Vec<T>,
    /// Vectors as columns.
    left: Option<Mat<T>>,
    right: Option<Mat<T>>,
    info: i32,
}

/// Singular values, descending, and if asked for `left` and `right` vectors, as many as there are
/// values or all.
fn decompose<T: Wide>(mut a: Mat<T>, (left, right): (usize, usize), vectors: bool) -> Found<T> {
    let (m, n) = (a.nrows(), a.ncols());
    let least = m.min(n);
    let unit = |rows: usize, columns: usize| {
        vectors.then(|| {
            Mat::from_fn(rows, columns, |i, j| {
                if i == j { T::new(1.0, 0.0) } else { T::ZERO }
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
    let value = |x: f64| T::new(x * scale, 0.0);
    if !vectors && m.max(n) < TALL * least {
        let form = if m >= n {
            bidiagonal_form::reduce(&a)
        } else {
            bidiagonal_form::reduce(&a.adjoint().to_owned())
        };
        let values = singular_values(&form.diagonal, &form.above, T::EPSILON);
        if let Some(values) = values {
            found.values = values.into_iter().map(value).collect();
            return found;
        }
    }
    let mut values = Mat::full(least, 1, T::ZERO);
    let (left, right) = (found.left.as_mut(), found.right.as_mut());
    if !T::singular(a.as_ref(), &mut values, left, right, UNDIVIDED) {
        return missing(1);
    }
    let values = values.col_as_slice(0).iter();
    found.values = values.map(|x| value(x.parts().0)).collect();
    found
}
