//! `getrf`: `P A = L U` with partial pivoting.

use mapwright_dense::{MatMut, Reborrow, ReborrowMut, Store, Triangle, plain};

use super::matrices::{Argument, Outcome, batch, each, rows_and_columns, subtract};
use crate::error::Result;
use crate::linalg::columns::Shared;
use crate::linalg::{FEW, Scalar, compute_type, grain, lanes};
use crate::{Context, ElementKind};

/// Columns that are factorised before the rest of a large matrix is updated.
const WIDTH: usize = 64;

/// Up to so many columns are factorised at once.
const LARGE: usize = 4 * WIDTH;

/// Columns that one task updates.
const TASK: usize = 64;

/// From matrices to their factors (`L` below the diagonal, which is one, and `U`), the row that
/// each row was exchanged with (from 1) and the first column (from 1) whose pivot is zero, 0 if
/// there is none.
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
    if m.max(n) <= FEW && lanes::are_for(kind) {
        lanes::groups(context, count, m * n, &|first, a| {
            arguments[0].lanes(first, m * n, a);
            let mut pivots = [[0; lanes::LANES]; FEW];
            let info = lanes::lu(a, m, n, &mut pivots);
            // SAFETY: every matrix is written once.
            unsafe {
                results[0].write_lanes(first, m * n, a);
                results[1].write_integer_lanes(first, &pivots[..m.min(n)]);
                results[2].write_integer_lanes(first, &[info]);
            }
        });
        return Ok(());
    }
    compute_type!(kind, m.max(n), T => each(context, count, &|i| {
            let blocked = if m.max(n) <= FEW {
    None
    } else {
                    let mut a = arguments[0].matrix::<T>(i, m, n);
                    factorise_blocks(context, a.as_mut()).map(|pivots| (a, pivots))
                };
            // SAFETY: every matrix is written once.
            unsafe {
                if let Some((a, pivots)) = blocked {
                    results[0].write_matrix(i, (m, n), |i, j| a[(i, j)]);
                    results[1].write_integers(i, &pivots);
                    results[2].write_integers(i, &[0]);
                } else {
                    let mut a: Vec<T> = arguments[0].read(i, m * n);
                    let (pivots, info) = factorise(&mut a, m, n);
                    results[0].write(i, &a);
                    results[1].write_integers(i, &pivots);
                    results[2].write_integers(i, &[info]);
                }
            }
        }))
}

/// Replaces a matrix, whose columns are without gaps, by its factors; pivots, or nothing where one
/// of them is zero or no number: quotients by it would spread over the matrix.
fn factorise_blocks<T: Scalar>(context: &Context, mut a: MatMut<'_, T>) -> Option<Vec<i32>> {
    let (m, n) = (a.nrows(), a.ncols());
    let end = m.min(n);
    let step = if end <= LARGE { end } else { WIDTH };
    let mut pivots: Vec<usize> = Vec::new();
    for begin in (0..end).step_by(step.max(1)) {
        let width = step.min(end - begin);
        let (before, rest) = a.rb_mut().split_at_col_mut(begin);
        let (mut panel, right) = rest.split_at_col_mut(width);
        let exchanges = factorise_panel(panel.rb_mut().get_mut(begin.., ..))?;
        pivots.extend(exchanges.iter().map(|row| begin + row));
        let (columns, new) = (n - begin - width, &pivots[begin..]);
        let (panel, right) = (panel.rb(), Shared::new(right));
        let (block, below) = (
            panel.get(begin..begin + width, ..),
            panel.get(begin + width.., ..),
        );
        let multiplications = (m - begin) * width * TASK;
        context.parallel_for(
            columns.div_ceil(TASK),
            grain(multiplications),
            &|first, last| {
                for task in first..last {
                    let own = task * TASK..columns.min((task + 1) * TASK);
                    // SAFETY: tasks have disjoint columns.
                    let mut part = unsafe { right.part(0..m, own) };
                    exchange(part.rb_mut(), begin, new);
                    let (mut above, rest) = part.get_mut(begin.., ..).split_at_row_mut(width);
                    let read = Triangle {
                        lower: true,
                        unit_diagonal: true,
                    };
                    T::solve(read, plain(block), above.rb_mut());
                    let (minus, above) = (T::new(-1.0, 0.0), plain(above.rb()));
                    T::multiply(rest, Store::Add, minus, plain(below), above);
                }
            },
        );
        exchange(before, begin, new);
    }
    Some(pivots.into_iter().map(|row| row as i32 + 1).collect())
}

/// Exchanges row `first + i` with row `pivots[i]`, one pair after the other.
fn exchange<T: Scalar>(mut a: MatMut<'_, T>, first: usize, pivots: &[usize]) {
    for j in 0..a.ncols() {
        let Some(column) = a.rb_mut().col_mut(j).try_as_col_major_mut() else {
            continue;
        };
        let column = column.as_slice_mut();
        for (i, pivot) in pivots.iter().enumerate() {
            column.swap(first + i, *pivot);
        }
    }
}

/// The factors of columns; the row that each row was exchanged with.
fn factorise_panel<T: Scalar>(mut panel: MatMut<'_, T>) -> Option<Vec<usize>> {
    let (m, n) = (panel.nrows(), panel.ncols());
    let (mut order, mut inverse) = (vec![0usize; m], vec![0usize; m]);
    T::lu(panel.rb_mut(), &mut order, &mut inverse);
    let usable = |i: usize| {
        let pivot = size(panel[(i, i)]);
        pivot.is_finite() && pivot != 0.0
    };
    if !(0..n).all(usable) {
        return None;
    }
    // Which row is where, and where each row is, while rows are exchanged.
    let (mut rows, mut places): (Vec<usize>, Vec<usize>) = ((0..m).collect(), (0..m).collect());
    let exchanges = (0..n).map(|i| {
        let place = places[order[i]];
        places.swap(rows[i], rows[place]);
        rows.swap(i, place);
        place
    });
    Some(exchanges.collect())
}

/// Returns the size by which pivots are compared: the absolute value, of a complex number the sum
/// of those of both parts.
fn size<T: Scalar>(x: T) -> f64 {
    let (re, im) = x.parts();
    re.abs() + im.abs()
}

/// Replaces a matrix that is stored by rows by its factors, column by column; pivots and the first
/// that is zero, whose column stays as it is.
fn factorise<T: Scalar>(a: &mut [T], m: usize, n: usize) -> (Vec<i32>, i32) {
    let mut pivots = Vec::new();
    let mut info = 0;
    for j in 0..m.min(n) {
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
            other[j] /= row[j];
            let factor = other[j];
            subtract(&mut other[j + 1..], factor, &row[j + 1..]);
        }
    }
    (pivots, info)
}
