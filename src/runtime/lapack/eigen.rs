//! `syevd` and `heevd`: eigenvalues and eigenvectors of Hermitian matrices, by the QR algorithm on their tridiagonal form.

use super::matrices::{Argument, Outcome, batch, each, finite, turn, two_rows};
use super::{hessenberg, square, tridiagonal_form};
use crate::error::Result;
use crate::linalg::{Scalar, double_type};
use crate::{Context, ElementKind};

/// Steps without an eigenvalue found after which a matrix is given up; two or three are usual.
const STEPS: usize = 60;

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
    let n = square(arguments)?;
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

/// Eigenvalues, ascending, and eigenvectors as rows.
fn decompose<T: Scalar>(mut a: Vec<T>, n: usize, vectors: bool) -> (Vec<T>, Vec<T>, i32) {
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
    let mut form = tridiagonal_form::reduce(&mut a, n);
    // Columns of Q as rows, whose elements are neighbours.
    let mut rows = Vec::new();
    if vectors {
        let q = hessenberg::unitary(&a, n, &form.taus);
        rows = (0..n * n).map(|e| q[e % n * n + e / n]).collect();
    }
    let done = diagonalise(&mut form.diagonal, &mut form.beside, &mut rows, n);
    let value = |i: usize| form.diagonal[i];
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| value(*i).total_cmp(&value(*j)));
    let values = order.iter().map(|i| T::new(value(*i) * scale, 0.0));
    let rows = order.iter().flat_map(|i| match vectors {
        true => rows[i * n..(i + 1) * n].to_vec(),
        false => vec![T::ZERO; n],
    });
    (values.collect(), rows.collect(), i32::from(!done))
}

/// Makes a real tridiagonal matrix diagonal by rotations, which `rows` (none or `n` of them) are turned by too; whether it could.
fn diagonalise<T: Scalar>(d: &mut [f64], e: &mut [f64], rows: &mut [T], n: usize) -> bool {
    let (mut end, mut steps) = (n, 0);
    while end > 1 {
        let negligible = |d: &[f64], e: &[f64], k: usize| {
            e[k].abs() <= (f64::EPSILON * (d[k].abs() + d[k + 1].abs())).max(f64::MIN_POSITIVE)
        };
        let begin = (0..end - 1).rev().find(|k| negligible(d, e, *k));
        let begin = begin.map_or(0, |k| {
            e[k] = 0.0;
            k + 1
        });
        let last = end - 1;
        if begin == last {
            (end, steps) = (last, 0);
            continue;
        }
        if steps == STEPS {
            return false;
        }
        steps += 1;
        // Towards the eigenvalue of the last two rows and columns that is nearer to the last element.
        let half = 0.5 * (d[last - 1] - d[last]);
        let beside = e[last - 1];
        let shift = d[last] - beside / (half + half.hypot(beside).copysign(half)) * beside;
        let (mut x, mut z) = (d[begin] - shift, e[begin]);
        for k in begin..last {
            // (c, s; -s, c) takes (x, z) to (length, 0).
            let length = x.hypot(z);
            let (c, s) = match length > 0.0 {
                true => (x / length, z / length),
                false => (1.0, 0.0),
            };
            if k > begin {
                e[k - 1] = length;
            }
            let (first, second, between) = (d[k], d[k + 1], e[k]);
            let cross = 2.0 * c * s * between;
            d[k] = c * c * first + cross + s * s * second;
            d[k + 1] = s * s * first - cross + c * c * second;
            e[k] = c * s * (second - first) + (c * c - s * s) * between;
            if k + 1 < last {
                (x, z) = (e[k], s * e[k + 1]);
                e[k + 1] *= c;
            }
            if !rows.is_empty() {
                let (p, q) = two_rows(rows, n, k, k + 1);
                turn(p, q, c, s);
            }
        }
    }
    true
}
