//! `gtsv`: solves `A X = B` for tridiagonal `A`, with partial pivoting;
//! `tridiagonal_solve_perturbed`: also where `A` is singular.

use super::matrices::{Argument, Outcome, batch, each, rows_and_columns, subtract};
use crate::error::Result;
use crate::linalg::{Scalar, double_type};
use crate::{Context, ElementKind};

/// From the diagonals (below, on and above; each of `n` elements, the first one's first and the
/// last one's last do not count) and the right-hand sides to the diagonals of the factor `U` and
/// the solutions, and the first column (from 1) whose pivot is zero. If `perturbs`, to the
/// solutions alone, of a matrix whose pivots are made larger where they are below what the numbers'
/// precision leaves of the largest element of `U`.
pub(super) fn call(
    context: &Context,
    kind: ElementKind,
    perturbs: bool,
    arguments: &[Argument<'_>],
    results: &mut [Outcome<'_>],
) -> Result<()> {
    let (n, columns) = rows_and_columns(arguments, 3)?;
    let (diagonal, sides): (&[usize], &[usize]) = (&[n], &[n, columns]);
    let (d, b) = ((kind, diagonal), (kind, sides));
    let factors = [d, d, d, b, (ElementKind::I32, &[])];
    let outcome = if perturbs { &[b][..] } else { &factors };
    let count = batch(arguments, results, (&[d, d, d, b], outcome))?;
    let epsilon = match kind {
        ElementKind::F64 | ElementKind::C128 => f64::EPSILON,
        _ => f64::from(f32::EPSILON),
    };
    let least = perturbs.then_some(epsilon);
    double_type!(kind, T => each(context, count, &|i| {
        let vector = |k: usize| -> Vec<T> { arguments[k].read(i, n) };
        let mut x: Vec<T> = arguments[3].read(i, n * columns);
        let mut diagonals = [vector(0), vector(1), vector(2)];
        let info = solve(&mut diagonals, &mut x, (n, columns), least);
        // SAFETY: every matrix is written once.
        unsafe {
            if perturbs {
                results[0].write(i, &x);
                return;
            }
            for (k, values) in diagonals.iter().enumerate() {
                results[k].write(i, values);
            }
            results[3].write(i, &x);
            results[4].write_integers(i, &[info]);
        }
    }))
}

fn size<T: Scalar>(x: T) -> f64 {
    let (re, im) = x.parts();
    re.abs() + im.abs()
}

/// Solves in the place of `x`. The first diagonal becomes the second one above the main diagonal of
/// `U`. Pivots of zero end it, unless there is a least size of pivots, as a part of the largest
/// element of `U`.
fn solve<T: Scalar>(
    diagonals: &mut [Vec<T>; 3],
    x: &mut [T],
    (n, columns): (usize, usize),
    least: Option<f64>,
) -> i32 {
    let [below, on, above] = diagonals;
    let mut second = vec![T::ZERO; n];
    for i in 0..n {
        let last = i + 1 == n;
        let next = if last { T::ZERO } else { below[i + 1] };
        if size(next) > size(on[i]) {
            // Rows i and i + 1 change places.
            let factor = on[i] / next;
            let (behind, far) = (on[i + 1], above[i + 1]);
            on[i] = next;
            on[i + 1] = above[i] - factor * behind;
            above[i] = behind;
            if i + 2 < n {
                second[i] = far;
                above[i + 1] = T::ZERO - factor * far;
            }
            let (upper, lower) = x.split_at_mut((i + 1) * columns);
            let (upper, lower) = (&mut upper[i * columns..], &mut lower[..columns]);
            upper.swap_with_slice(lower);
            subtract(lower, factor, upper);
            continue;
        }
        if size(on[i]) == 0.0 {
            match least {
                None => return i as i32 + 1,
                // Below it is zero, too.
                Some(_) => continue,
            }
        }
        if !last {
            let factor = next / on[i];
            on[i + 1] -= factor * above[i];
            let (upper, lower) = x.split_at_mut((i + 1) * columns);
            subtract(&mut lower[..columns], factor, &upper[i * columns..]);
        }
    }
    if let Some(least) = least {
        above
            .iter_mut()
            .skip(n.saturating_sub(1))
            .for_each(|x| *x = T::ZERO);
        let all = on.iter().chain(&*above).chain(&second);
        let most = all.map(|x| size(*x)).fold(0.0, f64::max);
        let least = if most > 0.0 { least * most } else { least };
        for pivot in on.iter_mut().filter(|x| size(**x) < least) {
            // In its own direction.
            let (re, im) = pivot.parts();
            *pivot = match size(*pivot) {
                0.0 => T::new(least, 0.0),
                size => T::new(re / size * least, im / size * least),
            };
        }
    }
    for i in (0..n).rev() {
        let (before, behind) = x.split_at_mut((i + 1) * columns);
        let row = &mut before[i * columns..];
        if i + 1 < n {
            subtract(row, above[i], &behind[..columns]);
        }
        if i + 2 < n {
            subtract(row, second[i], &behind[columns..2 * columns]);
        }
        for value in row {
            *value /= on[i];
        }
    }
    // Where `gtsv` leaves it: from the second place on.
    second.rotate_right(1.min(n));
    *below = second;
    0
}
