//! `gesdd` and `gesvd`: singular values and vectors, by Jacobi's rotations of the columns.

use super::eigen::real_part;
use super::matrices::{
    Argument, Outcome, batch, each, finite, inner, norm, rows_and_columns, subtract, two_rows,
};
use crate::error::{Error, Result};
use crate::linalg::{Scalar, double_type};
use crate::{Context, ElementKind};

/// Passes over all pairs after which a matrix is given up.
const SWEEPS: usize = 60;

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
    double_type!(kind, T => each(context, count, &|i| {
        let a: Vec<T> = arguments[0].read(i, m * n);
        // The rows that are rotated are the columns of the matrix, or of its adjoint where that has fewer.
        let tall = m >= n;
        let rows = match tall {
            true => (0..n * m).map(|e| a[e % m * n + e / m]).collect(),
            false => a.iter().map(|x| x.conj()).collect(),
        };
        let (long, short) = if tall { (left, right) } else { (right, left) };
        let found = decompose(rows, least, m.max(n), (long, short), vectors);
        let (u, v) = if tall { (&found.long, &found.short) } else { (&found.short, &found.long) };
        let u: Vec<T> = (0..m * left).map(|e| u[e % left * m + e / left]).collect();
        let v: Vec<T> = v.iter().map(|x| x.conj()).collect();
        // SAFETY: every matrix is written once.
        unsafe {
            results[0].write(i, &vec![T::ZERO; m * n]);
            results[1].write(i, &found.values);
            results[2].write(i, &u);
            results[3].write(i, &v);
            results[4].write_integers(i, &[found.info]);
        }
    }))
}

struct Found<T> {
    values: Vec<T>,
    /// Vectors of the longer side, as rows.
    long: Vec<T>,
    /// Vectors of the shorter side, as rows.
    short: Vec<T>,
    info: i32,
}

/// Of the matrix whose columns are `count` rows of `length >= count` elements, with so many vectors of either side.
fn decompose<T: Scalar>(
    mut rows: Vec<T>,
    count: usize,
    length: usize,
    (long, short): (usize, usize),
    vectors: bool,
) -> Found<T> {
    let nan = T::new(f64::NAN, f64::NAN);
    if !finite(&rows) {
        return Found {
            values: vec![nan; count],
            long: vec![nan; long * length],
            short: vec![nan; short * count],
            info: 0,
        };
    }
    let largest = norm(rows.iter().copied());
    let scale = if largest > 0.0 { largest } else { 1.0 };
    for x in &mut rows {
        let (re, im) = x.parts();
        *x = T::new(re / scale, im / scale);
    }
    let mut turns = vec![T::ZERO; count * count];
    for i in 0..count {
        turns[i * count + i] = T::new(1.0, 0.0);
    }
    let mut done = false;
    for _ in 0..SWEEPS {
        done = true;
        let square = |x: &[T]| inner(x, x).parts().0;
        let mut squares: Vec<f64> = (0..count)
            .map(|i| square(&rows[i * length..(i + 1) * length]))
            .collect();
        for p in 0..count {
            for q in p + 1..count {
                let (x, y) = two_rows(&mut rows, length, p, q);
                let (a, b) = (squares[p], squares[q]);
                let product = inner(x, y);
                let (re, im) = product.parts();
                let bound = f64::EPSILON * (length as f64).sqrt() * a.sqrt() * b.sqrt();
                if re.hypot(im) <= bound.max(f64::MIN_POSITIVE) {
                    continue;
                }
                done = false;
                let (c, s, d, shift) = rotation(a, b, product);
                rotate(x, y, c, s, d);
                // What is taken from the one and given to the other; where little is left of it, it is worked out anew.
                let moved = |old: f64, new: f64, row: &[T]| match new > 0.5 * old {
                    true => new,
                    false => square(row),
                };
                squares[p] = moved(a, a - shift, x);
                squares[q] = moved(b, b + shift, y);
                if vectors {
                    let (x, y) = two_rows(&mut turns, count, p, q);
                    rotate(x, y, c, s, d);
                }
            }
        }
        if done {
            break;
        }
    }
    let row = |i: usize| &rows[i * length..(i + 1) * length];
    let sizes: Vec<f64> = (0..count).map(|i| norm(row(i).iter().copied())).collect();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|i, j| sizes[*j].total_cmp(&sizes[*i]));
    let values = order.iter().map(|i| T::new(sizes[*i] * scale, 0.0));
    let mut found = Found {
        values: values.collect(),
        long: vec![T::ZERO; long * length],
        short: vec![T::ZERO; short * count],
        info: i32::from(!done),
    };
    if vectors {
        found.long.clear();
        for i in order.iter().filter(|i| sizes[**i] > f64::MIN_POSITIVE) {
            let size = T::new(sizes[*i], 0.0);
            found.long.extend(row(*i).iter().map(|x| *x / size));
        }
        complete(&mut found.long, long, length);
        let turned = order.iter().map(|i| &turns[i * count..(i + 1) * count]);
        found.short = turned.flatten().copied().collect();
    }
    found
}

/// The rotation that makes two directions orthogonal whose products with themselves are `p` and `q` and with each other `product`:
/// `(p, q)` becomes `(c p - s d q, s p + c d q)`; also what has to be subtracted from `p`, and added to `q`.
fn rotation<T: Scalar>(p: f64, q: f64, product: T) -> (f64, f64, T, f64) {
    let (re, im) = product.parts();
    let size = re.hypot(im);
    let d = T::new(re / size, -im / size);
    let tau = (q - p) / (2.0 * size);
    // The smaller root; for a large `tau` its square may be infinite, and the tangent is zero.
    let t = 1.0f64.copysign(tau) / (tau.abs() + 1.0f64.hypot(tau));
    let c = 1.0 / 1.0f64.hypot(t);
    (c, t * c, d, t * size)
}

/// Rotates two rows.
fn rotate<T: Scalar>(p: &mut [T], q: &mut [T], c: f64, s: f64, d: T) {
    let (c, s) = (T::new(c, 0.0), T::new(s, 0.0));
    for (p, q) in p.iter_mut().zip(q) {
        let turned = d * *q;
        (*p, *q) = (c * *p - s * turned, s * *p + c * turned);
    }
}

/// Adds rows of length 1 that are orthogonal to those that are there, up to `wanted`.
fn complete<T: Scalar>(rows: &mut Vec<T>, wanted: usize, length: usize) {
    // What is left of the unit vectors: the longest is not shorter than this while there is one to be found.
    let enough = 0.5 / (length as f64).sqrt();
    for e in 0..length {
        if rows.len() >= wanted * length {
            break;
        }
        let mut vector = vec![T::ZERO; length];
        vector[e] = T::new(1.0, 0.0);
        // A second time, for what rounding has left of them.
        for _ in 0..2 {
            for row in rows.chunks(length) {
                let part = inner(row, &vector);
                subtract(&mut vector, part, row);
            }
        }
        let size = norm(vector.iter().copied());
        if size > enough {
            let size = T::new(size, 0.0);
            rows.extend(vector.into_iter().map(|x| x / size));
        }
    }
    rows.resize(wanted * length, T::ZERO);
}
