//! `syevd` and `heevd`: eigenvalues and eigenvectors of Hermitian matrices.

use mapwright_dense::Mat;

use super::matrices::{Argument, Outcome, batch, each, finite};
use super::square;
use crate::error::Result;
use crate::linalg::{FEW, Scalar, jacobi, lanes, single_type, transpose, triangle};
use crate::{Context, ElementKind};

/// From matrices, of which a triangle is read, to the eigenvectors as columns (zeros without
/// `vectors`), the eigenvalues, ascending, and 0, or 1 where they were not found.
pub(super) fn call(
    context: &Context,
    kind: ElementKind,
    lower: bool,
    vectors: bool,
    arguments: &[Argument<'_>],
    results: &mut [Outcome<'_>],
) -> Result<()> {
    let n = square(arguments)?;
    let matrix: &[usize] = &[n, n];
    let outcome = [
        (kind, matrix),
        (real_part(kind), &[n]),
        (ElementKind::I32, &[]),
    ];
    let count = batch(arguments, results, (&[(kind, matrix)], &outcome))?;
    if n <= FEW && lanes::are_for(kind) {
        few(
            context,
            kind,
            (n, count),
            lower,
            vectors,
            (arguments, results),
        );
        return Ok(());
    }
    single_type!(kind, n, T => each(context, count, &|i| {
        let a = triangle(arguments[0].matrix::<T>(i, n, n), lower);
        let (values, columns, info) = decompose(a, vectors);
        // SAFETY: every matrix is written once.
        unsafe {
            results[0].write_matrix(i, (n, n), |i, j| columns.as_ref().map_or(T::ZERO, |c| c[(i, j)]));
            results[1].write(i, &values);
            results[2].write_integers(i, &[info]);
        }
    }))
}

/// Rows of a tridiagonal matrix that are not divided any more: of 256, in parts of 64 they take 0.7
/// of the time that halves take, and less is no faster.
const UNDIVIDED: usize = 64;

/// Elements beside the diagonal, of matrices whose largest element is 1, that are zeros.
fn least(kind: ElementKind) -> f64 {
    match kind {
        ElementKind::F32 => 1e-10,
        _ => 1e-17,
    }
}

/// Of matrices of a few rows.
fn few(
    context: &Context,
    kind: ElementKind,
    (n, count): (usize, usize),
    lower: bool,
    vectors: bool,
    (arguments, results): (&[Argument<'_>], &[Outcome<'_>]),
) {
    let size = n * n;
    lanes::groups(context, count, 3 * size + n, &|first, work| {
        let (a, work) = work.split_at_mut(size);
        let (v, work) = work.split_at_mut(size);
        let (columns, values) = work.split_at_mut(size);
        arguments[0].lanes(first, size, a);
        if !lower {
            transpose(a, n);
        }
        for i in 0..n {
            a[i * n + i + 1..(i + 1) * n].fill(lanes::ZERO);
        }
        let scales = jacobi::scale(a);
        let used = if vectors { size } else { 0 };
        let done = jacobi::eigen(a, n, &mut v[..used], least(kind));
        columns.fill(lanes::ZERO);
        for (lane, scale) in scales.into_iter().enumerate() {
            let value = |i: usize| a[i * n + i][lane];
            let order = jacobi::order(n, |i, j| value(i) < value(j));
            let missing = scale.is_nan() || !done;
            for (j, from) in order.into_iter().enumerate() {
                values[j][lane] = if missing {
                    f64::NAN
                } else {
                    value(from) * scale
                };
                for i in 0..if vectors { n } else { 0 } {
                    columns[i * n + j][lane] = if missing {
                        f64::NAN
                    } else {
                        v[from * n + i][lane]
                    };
                }
            }
        }
        // SAFETY: every matrix is written once.
        unsafe {
            results[0].write_lanes(first, size, columns);
            results[1].write_lanes(first, n, values);
            results[2].write_integer_lanes(first, &[[i32::from(!done); lanes::LANES]]);
        }
    });
}

/// The type of the parts of a number.
pub(super) fn real_part(kind: ElementKind) -> ElementKind {
    match kind {
        ElementKind::C64 => ElementKind::F32,
        ElementKind::C128 => ElementKind::F64,
        kind => kind,
    }
}

/// Eigenvalues, ascending, and eigenvectors as columns, of a matrix of which the lower triangle is
/// read.
fn decompose<T: Scalar>(mut a: Mat<T>, vectors: bool) -> (Vec<T>, Option<Mat<T>>, i32) {
    let n = a.nrows();
    let nan = T::new(f64::NAN, if T::KIND.is_complex() { f64::NAN } else { 0.0 });
    let missing = |info: i32| {
        let columns = vectors.then(|| Mat::full(n, n, nan));
        (vec![T::new(f64::NAN, 0.0); n], columns, info)
    };
    if n == 0 {
        return (Vec::new(), None, 0);
    }
    for i in 0..n {
        a[(i, i)] = T::new(a[(i, i)].parts().0, 0.0);
    }
    let lower = |a: &Mat<T>| (0..n).all(|j| finite(&a.col_as_slice(j)[j..]));
    if !lower(&a) {
        return missing(0);
    }
    // Squares of the elements must neither overflow nor vanish.
    let scale = (0..n).fold(0.0f64, |most, j| most.max(largest(&a.col_as_slice(j)[j..])));
    let scale = if scale > 0.0 { scale } else { 1.0 };
    for j in 0..n {
        divide(&mut a.col_as_slice_mut(j)[j..], scale);
    }
    let mut values = Mat::full(n, 1, T::ZERO);
    let mut columns = vectors.then(|| Mat::full(n, n, T::ZERO));
    if !T::hermitian_eigen(a.as_ref(), &mut values, columns.as_mut(), UNDIVIDED) {
        return missing(1);
    }
    let value = |x: &T| T::new(x.parts().0 * scale, 0.0);
    let values = values.col_as_slice(0).iter().map(value).collect();
    (values, columns, 0)
}

/// The largest part of numbers.
pub(super) fn largest<T: Scalar>(values: &[T]) -> f64 {
    values.iter().fold(0.0, |most, x| {
        let (re, im) = x.parts();
        most.max(re.abs()).max(im.abs())
    })
}

/// Divides numbers by a real one.
pub(super) fn divide<T: Scalar>(values: &mut [T], by: f64) {
    for x in values {
        let (re, im) = x.parts();
        *x = T::new(re / by, im / by);
    }
}
