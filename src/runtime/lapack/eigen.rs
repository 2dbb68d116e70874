//! `syevd` and `heevd`: eigenvalues and eigenvectors of Hermitian matrices, by Jacobi's rotations.

use super::matrices::{Argument, Outcome, batch, each, finite, rows_and_columns};
use crate::error::{Error, Result};
use crate::linalg::{Scalar, double_type};
use crate::{Context, ElementKind};

/// Passes over all pairs after which a matrix is given up; a few more than ten are the most that are seen.
const SWEEPS: usize = 60;

/// From matrices, of which a triangle is read, to the eigenvectors as columns (zeros without `vectors`), the eigenvalues, ascending, and 0,
/// or 1 where they were not found.
pub(super) fn call(
    context: &Context,
    kind: ElementKind,
    lower: bool,
    vectors: bool,
    arguments: &[Argument<'_>],
    results: &mut [Outcome<'_>],
) -> Result<()> {
    let (n, columns) = rows_and_columns(arguments, 0)?;
    if n != columns {
        return Err(Error::invalid(format!("matrices of {n} by {columns}")));
    }
    let matrix: &[usize] = &[n, n];
    let outcome = [
        (kind, matrix),
        (real_part(kind), &[n]),
        (ElementKind::I32, &[]),
    ];
    let count = batch(arguments, results, (&[(kind, matrix)], &outcome))?;
    double_type!(kind, T => each(context, count, &|i| {
        let mut a: Vec<T> = arguments[0].read(i, n * n);
        fill(&mut a, n, lower);
        let (values, rows, info) = decompose(a, n, vectors);
        let columns: Vec<T> = (0..n * n).map(|e| rows[e % n * n + e / n]).collect();
        // SAFETY: every matrix is written once.
        unsafe {
            results[0].write(i, &columns);
            results[1].write(i, &values);
            results[2].write_integers(i, &[info]);
        }
    }))
}

/// The type of the parts of a number.
pub(super) fn real_part(kind: ElementKind) -> ElementKind {
    match kind {
        ElementKind::C64 => ElementKind::F32,
        ElementKind::C128 => ElementKind::F64,
        kind => kind,
    }
}

/// Writes the other triangle, and takes the diagonal as real.
fn fill<T: Scalar>(a: &mut [T], n: usize, lower: bool) {
    for i in 0..n {
        a[i * n + i] = T::new(a[i * n + i].parts().0, 0.0);
        for j in 0..i {
            match lower {
                true => a[j * n + i] = a[i * n + j].conj(),
                false => a[i * n + j] = a[j * n + i].conj(),
            }
        }
    }
}

/// The rotation that makes two directions orthogonal whose products with themselves are `p` and `q` and with each other `product`:
/// `(p, q)` becomes `(c p - s d q, s p + c d q)`; also what has to be subtracted from `p`, and added to `q`.
pub(super) fn rotation<T: Scalar>(p: f64, q: f64, product: T) -> (f64, f64, T, f64) {
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
pub(super) fn rotate<T: Scalar>(p: &mut [T], q: &mut [T], c: f64, s: f64, d: T) {
    let (c, s) = (T::new(c, 0.0), T::new(s, 0.0));
    for (p, q) in p.iter_mut().zip(q) {
        let turned = d * *q;
        (*p, *q) = (c * *p - s * turned, s * *p + c * turned);
    }
}

/// Rows `p < q` of a matrix.
pub(super) fn two_rows<T>(a: &mut [T], n: usize, p: usize, q: usize) -> (&mut [T], &mut [T]) {
    let (before, after) = a.split_at_mut(q * n);
    (&mut before[p * n..(p + 1) * n], &mut after[..n])
}

/// Eigenvalues, ascending, and eigenvectors as rows.
fn decompose<T: Scalar>(mut a: Vec<T>, n: usize, vectors: bool) -> (Vec<T>, Vec<T>, i32) {
    let mut v = vec![T::ZERO; n * n];
    if !finite(&a) {
        let nan = T::new(f64::NAN, f64::NAN);
        return (vec![nan; n], vec![nan; n * n], 0);
    }
    // Squares of the elements must neither overflow nor vanish.
    let largest = a.iter().fold(0.0f64, |m, x| {
        let (re, im) = x.parts();
        m.max(re.abs()).max(im.abs())
    });
    let scale = if largest > 0.0 { largest } else { 1.0 };
    for x in &mut a {
        let (re, im) = x.parts();
        *x = T::new(re / scale, im / scale);
    }
    for i in 0..n {
        v[i * n + i] = T::new(1.0, 0.0);
    }
    let mut done = false;
    for _ in 0..SWEEPS {
        done = true;
        for p in 0..n {
            for q in p + 1..n {
                let (app, aqq) = (a[p * n + p].parts().0, a[q * n + q].parts().0);
                let off = a[p * n + q];
                let (re, im) = off.parts();
                let size = re.hypot(im);
                // Nothing that would move an eigenvalue of either row by a bit.
                if size <= f64::MIN_POSITIVE
                    || size <= f64::EPSILON * 0.25 * (app.abs() * aqq.abs()).sqrt()
                    || size <= f64::EPSILON * 1e-3
                {
                    continue;
                }
                done = false;
                let (c, s, d, shift) = rotation(app, aqq, off);
                // Columns as they are conjugate to the rows; the four elements of both by their formulas.
                let (row_p, row_q) = two_rows(&mut a, n, p, q);
                rotate(row_p, row_q, c, s, d.conj());
                for k in 0..n {
                    let (x, y) = (a[p * n + k], a[q * n + k]);
                    a[k * n + p] = x.conj();
                    a[k * n + q] = y.conj();
                }
                a[p * n + p] = T::new(app - shift, 0.0);
                a[q * n + q] = T::new(aqq + shift, 0.0);
                a[p * n + q] = T::ZERO;
                a[q * n + p] = T::ZERO;
                if vectors {
                    let (p, q) = two_rows(&mut v, n, p, q);
                    rotate(p, q, c, s, d);
                }
            }
        }
        if done {
            break;
        }
    }
    let value = |i: usize| a[i * n + i].parts().0;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| value(*i).total_cmp(&value(*j)));
    let values = order.iter().map(|i| T::new(value(*i) * scale, 0.0));
    let rows = order.iter().flat_map(|i| match vectors {
        true => v[i * n..(i + 1) * n].to_vec(),
        false => vec![T::ZERO; n],
    });
    (values.collect(), rows.collect(), i32::from(!done))
}
