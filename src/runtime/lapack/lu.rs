//! `getrf`: `P A = L U` with partial pivoting.

use super::matrices::{Argument, Outcome, batch, each, rows_and_columns, subtract};
use crate::error::Result;
use crate::linalg::{Scalar, compute_type};
use crate::sort::Pieces;
use crate::{Context, ElementKind};

/// Columns that are factorised before the rest of the matrix is updated.
const COLUMNS: usize = 32;

/// From matrices to their factors (`L` below the diagonal, which is one, and `U`), the row that each row was exchanged with (from 1) and
/// the first column (from 1) whose pivot is zero, 0 if there is none.
pub(super) fn call(
    context: &Context,
    kind: ElementKind,
    arguments: &[Argument<'_>],
    results: &mut [Outcome<'_>],
) -> Result<()> {
    let (m, n) = rows_and_columns(arguments, 0)?;
    let int = ElementKind::I32;
    let matrix: &[usize] = &[m, n];
    let outcome = [(kind, matrix), (int, &[m.min(n)]), (int, &[])];
    let count = batch(arguments, results, (&[(kind, matrix)], &outcome))?;
    compute_type!(kind, m.max(n), T => each(context, count, &|i| {
        let mut a: Vec<T> = arguments[0].read(i, m * n);
        let (pivots, info) = factorise(context, &mut a, m, n);
        // SAFETY: every matrix is written once.
        unsafe {
            results[0].write(i, &a);
            results[1].write_integers(i, &pivots);
            results[2].write_integers(i, &[info]);
        }
    }))
}

/// How large a pivot is taken to be: the absolute value, of a complex number that of both parts together.
fn size<T: Scalar>(x: T) -> f64 {
    let (re, im) = x.parts();
    re.abs() + im.abs()
}

/// Replaces a matrix by its factors; pivots and the first that is zero.
pub(super) fn factorise<T: Scalar>(
    context: &Context,
    a: &mut [T],
    m: usize,
    n: usize,
) -> (Vec<i32>, i32) {
    let mut pivots = Vec::new();
    let mut info = 0;
    let end = m.min(n);
    for begin in (0..end).step_by(COLUMNS) {
        let stop = (begin + COLUMNS).min(end);
        for j in begin..stop {
            let mut pivot = j;
            for i in j + 1..m {
                if size(a[i * n + j]) > size(a[pivot * n + j]) {
                    pivot = i;
                }
            }
            pivots.push(pivot as i32 + 1);
            let (above, below) = a.split_at_mut((j + 1) * n);
            let row = &mut above[j * n..];
            if pivot > j {
                row.swap_with_slice(&mut below[(pivot - j - 1) * n..][..n]);
            }
            if size(row[j]) == 0.0 {
                info = if info == 0 { j as i32 + 1 } else { info };
                continue;
            }
            for other in below.chunks_mut(n) {
                other[j] = other[j] / row[j];
                let factor = other[j];
                subtract(&mut other[j + 1..stop], factor, &row[j + 1..stop]);
            }
        }
        let (above, below) = a.split_at_mut(stop * n);
        let panel = &mut above[begin * n..];
        for i in 1..stop - begin {
            let (before, row) = panel.split_at_mut(i * n);
            for (k, known) in before.chunks(n).enumerate() {
                let factor = row[begin + k];
                subtract(&mut row[stop..n], factor, &known[stop..]);
            }
        }
        let rows = below.len() / n;
        let below = Pieces::new(below);
        context.parallel_for(rows, 8, &|first, last| {
            for i in first..last {
                // SAFETY: every row is updated by one task.
                let row = unsafe { below.get(i * n, n) };
                for (k, known) in panel.chunks(n).enumerate() {
                    let factor = row[begin + k];
                    subtract(&mut row[stop..], factor, &known[stop..]);
                }
            }
        });
    }
    (pivots, info)
}
