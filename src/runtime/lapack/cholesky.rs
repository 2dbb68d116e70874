//! `potrf`: `A = L L^H` or `A = U^H U`.

use super::matrices::{Argument, Outcome, batch, each};
use super::square;
use crate::error::Result;
use crate::linalg::{
    FEW, Scalar, compute_type, factorise, factorise_few, lanes, transpose, triangle,
};
use crate::{Context, ElementKind};

/// From matrices, of which a triangle is read, to the factor in that triangle, and 0, or the number
/// (from 1) of the first row whose leading minor is not positive; from that row on the matrix stays
/// as it is.
pub(super) fn call(
    context: &Context,
    kind: ElementKind,
    lower: bool,
    arguments: &[Argument<'_>],
    results: &mut [Outcome<'_>],
) -> Result<()> {
    let n = square(arguments)?;
    let matrix: &[usize] = &[n, n];
    let outcome = [(kind, matrix), (ElementKind::I32, &[])];
    let count = batch(arguments, results, (&[(kind, matrix)], &outcome))?;
    if n <= FEW && lanes::are_for(kind) {
        lanes::groups(context, count, 2 * n * n, &|first, work| {
            let (a, factor) = work.split_at_mut(n * n);
            arguments[0].lanes(first, n * n, a);
            factor.copy_from_slice(a);
            if !lower {
                transpose(factor, n);
            }
            let failed = lanes::cholesky(factor, n);
            if !lower {
                transpose(factor, n);
            }
            let all = failed == [0; lanes::LANES];
            for i in 0..n {
                let columns = if lower { 0..i + 1 } else { i..n };
                for j in columns {
                    let row = if lower { i } else { j };
                    let (to, from) = (&mut a[i * n + j], &factor[i * n + j]);
                    if all {
                        *to = *from;
                        continue;
                    }
                    for lane in 0..lanes::LANES {
                        if failed[lane] == 0 || (row as i32) < failed[lane] - 1 {
                            to[lane] = from[lane];
                        }
                    }
                }
            }
            // SAFETY: every matrix is written once.
            unsafe {
                results[0].write_lanes(first, n * n, a);
                results[1].write_integer_lanes(first, &[failed]);
            }
        });
        return Ok(());
    }
    compute_type!(kind, n, T => each(context, count, &|b| {
        if n <= FEW {
            // SAFETY: every matrix is written once.
            unsafe { few::<T>(&arguments[0], results, (b, n), lower) };
            return;
        }
        let a = arguments[0].matrix::<T>(b, n, n);
        let mut factor = triangle(a.clone(), lower);
        let failed = factorise(context, factor.as_mut());
        let rows = if failed == 0 { n } else { failed - 1 };
        // SAFETY: every matrix is written once.
        unsafe {
            results[0].write_matrix(b, (n, n), |i, j| {
                let (row, column) = if lower { (i, j) } else { (j, i) };
                match (row < rows && column <= row, lower) {
                    (false, _) => a[(i, j)],
                    (true, true) => factor[(row, column)],
                    (true, false) => Scalar::conj(factor[(row, column)]),
                }
            });
            results[1].write_integers(b, &[failed as i32]);
        }
    }))
}

/// Matrix `b`, of a few rows.
///
/// # Safety
/// Nobody else accesses this matrix of the results.
unsafe fn few<T: Scalar>(
    argument: &Argument<'_>,
    results: &[Outcome<'_>],
    (b, n): (usize, usize),
    lower: bool,
) {
    let mut a = [[T::ZERO; FEW]; FEW];
    for (i, row) in a.iter_mut().enumerate().take(n) {
        for (j, element) in row.iter_mut().enumerate().take(n) {
            *element = argument.element((b * n + i) * n + j);
        }
    }
    let mut factor = a;
    if !lower {
        for i in 0..n {
            for j in 0..=i {
                factor[i][j] = Scalar::conj(a[j][i]);
            }
        }
    }
    let failed = factorise_few(&mut factor, n);
    let rows = if failed == 0 { n } else { failed - 1 };
    // SAFETY: the caller's promise.
    unsafe {
        results[0].write_matrix(b, (n, n), |i, j| {
            let (row, column) = if lower { (i, j) } else { (j, i) };
            match (row < rows && column <= row, lower) {
                (false, _) => a[i][j],
                (true, true) => factor[row][column],
                (true, false) => Scalar::conj(factor[row][column]),
            }
        });
        results[1].write_integers(b, &[failed as i32]);
    }
}
