//! `geev`: eigenvalues and eigenvectors of square matrices.

use mapwright_dense::{Mat, complex_eigen, real_eigen};

use super::eigen::real_part;
use super::matrices::{Argument, Outcome, batch, each, finite, norm};
use super::schur::{C, Wanted};
use super::spectrum_few::Few;
use super::square;
use crate::error::Result;
use crate::{Context, ElementKind};

/// The eigenvalues (of real matrices: their real and their imaginary parts), the left and the right
/// eigenvectors as columns of length 1 whose largest element is real (zeros where they are not
/// asked for), and 0, or 1 where they were not found.
pub(super) fn call(
    context: &Context,
    kind: ElementKind,
    (left, right): (bool, bool),
    arguments: &[Argument<'_>],
    results: &mut [Outcome<'_>],
) -> Result<()> {
    let n = square(arguments)?;
    let (matrix, vector): (&[usize], &[usize]) = (&[n, n], &[n]);
    let whole = match kind {
        ElementKind::F32 => ElementKind::C64,
        ElementKind::F64 => ElementKind::C128,
        other => other,
    };
    let vectors = (whole, matrix);
    let info = (ElementKind::I32, &[][..]);
    let value = (kind, vector);
    let is_real = real_part(kind) == kind;
    let count = if is_real {
        batch(
            arguments,
            results,
            (&[(kind, matrix)], &[value, value, vectors, vectors, info]),
        )
    } else {
        batch(
            arguments,
            results,
            (&[(kind, matrix)], &[value, vectors, vectors, info]),
        )
    }?;
    each(context, count, &|i| {
        let mut a: Vec<C> = arguments[0].read(i, n * n);
        let scales = balance(&mut a, n);
        let found = (n > few(is_real, left || right))
            .then(|| Spectrum::from_balanced(a.clone(), n, is_real, (left, right), &scales))
            .flatten()
            .unwrap_or_else(|| {
                Spectrum::by_schur_form(context, a, n, is_real, (left, right), &scales)
            });
        let columns = |columns: &Option<Vec<C>>| {
            let none = || vec![C::new(0.0, 0.0); n * n];
            columns.clone().unwrap_or_else(none)
        };
        // SAFETY: every matrix is written once.
        unsafe {
            let next = if is_real {
                let re: Vec<f64> = found.values.iter().map(|x| x.re).collect();
                let im: Vec<f64> = found.values.iter().map(|x| x.im).collect();
                results[0].write(i, &re);
                results[1].write(i, &im);
                2
            } else {
                results[0].write(i, &found.values);
                1
            };
            results[next].write(i, &columns(&found.left));
            results[next + 1].write(i, &columns(&found.right));
            results[next + 2].write_integers(i, &[found.info]);
        }
    });
    Ok(())
}

/// Multiplies columns by powers of two and divides the rows by them, so that those of one number
/// are of about one size: `A` becomes `D^-1 A D`, and `D` is returned.
fn balance(a: &mut [C], n: usize) -> Vec<f64> {
    const ROUNDS: usize = 100;
    let mut scales = vec![1.0; n];
    for _ in 0..ROUNDS {
        let mut changed = false;
        for i in 0..n {
            let others = || (0..n).filter(|j| *j != i);
            let column: f64 = others().map(|j| a[j * n + i].l1_norm()).sum();
            let row: f64 = others().map(|j| a[i * n + j].l1_norm()).sum();
            if !(column > 0.0 && row > 0.0 && column.is_finite() && row.is_finite()) {
                continue;
            }
            let factor = (0.5 * (row / column).log2())
                .round()
                .clamp(-500.0, 500.0)
                .exp2();
            if column * factor + row / factor < 0.95 * (column + row) {
                changed = true;
                scales[i] *= factor;
                (0..n).for_each(|j| a[i * n + j] /= factor);
                (0..n).for_each(|j| a[j * n + i] *= factor);
            }
        }
        if !changed {
            break;
        }
    }
    scales
}

/// Eigenvalues, and eigenvectors as columns where they are asked for.
struct Spectrum {
    values: Vec<C>,
    left: Option<Vec<C>>,
    right: Option<Vec<C>>,
    info: i32,
}

/// The bound on how far the sum of the eigenvalues is from that of the diagonal, in units of the
/// largest element and of rounding errors.
const DRIFT: f64 = 1e4;

/// Rows of matrices whose Schur form takes less time than a call of `faer`.
fn few(is_real: bool, vectors: bool) -> usize {
    match (is_real, vectors) {
        (true, false) => 256,
        (true, true) => 128,
        (false, _) => 24,
    }
}

impl Spectrum {
    /// As [`Spectrum::from_balanced`], of a matrix of a few rows, or one whose eigenvectors are so
    /// near to each other that numbers overflow on the way to them: here they are scaled down.
    fn by_schur_form(
        context: &Context,
        a: Vec<C>,
        n: usize,
        real: bool,
        (left, right): (bool, bool),
        scales: &[f64],
    ) -> Self {
        let wanted = if left || right {
            Wanted::Vectors
        } else {
            Wanted::Values
        };
        let found = if real {
            Few::of_real(context, a.iter().map(|x| x.re).collect(), n, wanted)
        } else {
            Few::of_complex(context, a, n, wanted)
        };
        let columns = |asked: bool, left: bool| asked.then(|| found.vectors(n, left, scales));
        Self {
            left: columns(left, true),
            right: columns(right, false),
            info: found.info,
            values: found.values,
        }
    }

    /// Of a balanced matrix, `D^-1 A D` with the diagonal `scales`. `left` and `right`: which
    /// eigenvectors of `A` are asked for. Nothing where they were not found.
    fn from_balanced(
        mut a: Vec<C>,
        n: usize,
        real: bool,
        (left, right): (bool, bool),
        scales: &[f64],
    ) -> Option<Self> {
        let size = norm(&a);
        if n == 0 || !size.is_finite() {
            return Some(Self::missing(n, (left, right)));
        }
        // Squares of the elements must neither overflow nor vanish.
        let scale = if size > 0.0 { size } else { 1.0 };
        a.iter_mut().for_each(|x| *x /= scale);
        let found = if real {
            of_real(&a, n, left, right)
        } else {
            of_complex(&a, n, left, right)
        };
        let (values, vectors) = found?;
        let sum = |list: &mut dyn Iterator<Item = C>| list.fold(C::new(0.0, 0.0), |s, x| s + x);
        let drift = sum(&mut values.iter().copied()) - sum(&mut (0..n).map(|i| a[i * n + i]));
        let bound = DRIFT * f64::EPSILON * n as f64;
        let usable = |columns: &Mat<C>| (0..n).all(|j| finite(columns.col_as_slice(j)));
        if drift.l1_norm() > bound || !vectors.iter().flatten().all(usable) {
            return None;
        }
        let [left, right] = vectors;
        let finish = |columns: Option<Mat<C>>, left: bool| {
            columns.map(|columns| normalised(columns, real.then_some(&values[..]), left, scales))
        };
        Some(Self {
            left: finish(left, true),
            right: finish(right, false),
            values: values.iter().map(|x| *x * scale).collect(),
            info: 0,
        })
    }

    fn missing(n: usize, (left, right): (bool, bool)) -> Self {
        let nan = C::new(f64::NAN, f64::NAN);
        Self {
            values: vec![nan; n],
            left: left.then(|| vec![nan; n * n]),
            right: right.then(|| vec![nan; n * n]),
            info: 0,
        }
    }
}

/// Eigenvalues with left and right eigenvectors.
type Found = (Vec<C>, [Option<Mat<C>>; 2]);

fn of_complex(a: &[C], n: usize, left: bool, right: bool) -> Option<Found> {
    let a = Mat::from_fn(n, n, |i, j| a[i * n + j]);
    let mut values = Mat::full(n, 1, C::new(0.0, 0.0));
    let room = |asked: bool| asked.then(|| Mat::full(n, n, C::new(0.0, 0.0)));
    let (mut left, mut right) = (room(left), room(right));
    if !complex_eigen(a.as_ref(), &mut values, left.as_mut(), right.as_mut()) {
        return None;
    }
    Some((values.col_as_slice(0).to_vec(), [left, right]))
}

fn of_real(a: &[C], n: usize, left: bool, right: bool) -> Option<Found> {
    let a = Mat::from_fn(n, n, |i, j| a[i * n + j].re);
    let (mut re, mut im) = (Mat::full(n, 1, 0.0), Mat::full(n, 1, 0.0));
    let room = |asked: bool| asked.then(|| Mat::full(n, n, 0.0));
    let (mut left, mut right) = (room(left), room(right));
    let parts = (&mut re, &mut im);
    if !real_eigen(a.as_ref(), parts, left.as_mut(), right.as_mut()) {
        return None;
    }
    let pairs = re.col_as_slice(0).iter().zip(im.col_as_slice(0));
    let values: Vec<C> = pairs.map(|(re, im)| C::new(*re, *im)).collect();
    // Of two conjugate ones the columns are the real and the imaginary part of the vector of the
    // first.
    let whole = |parts: Mat<f64>| {
        Mat::from_fn(n, n, |i, j| match values[j].im {
            0.0 => C::new(parts[(i, j)], 0.0),
            im if im > 0.0 && j + 1 < n => C::new(parts[(i, j)], parts[(i, j + 1)]),
            _ if j > 0 => C::new(parts[(i, j - 1)], -parts[(i, j)]),
            _ => C::new(f64::NAN, f64::NAN),
        })
    };
    let vectors = [left.map(whole), right.map(whole)];
    Some((values, vectors))
}

/// Columns of length 1, by rows, of what was not balanced. `real`: the eigenvalues of a real
/// matrix, whose vectors are real where these are, and conjugate where these are conjugate.
fn normalised(mut columns: Mat<C>, real: Option<&[C]>, left: bool, scales: &[f64]) -> Vec<C> {
    let n = columns.nrows();
    let mut found = vec![C::new(0.0, 0.0); n * n];
    for k in 0..n {
        let x = columns.col_as_slice_mut(k);
        for (x, scale) in x.iter_mut().zip(scales) {
            *x = if left { *x / *scale } else { *x * *scale };
        }
        normalise(x);
        let second = real.is_some_and(|values| values[k].im < 0.0);
        for i in 0..n {
            found[i * n + k] = if second && k > 0 {
                found[i * n + k - 1].conj()
            } else {
                columns[(i, k)]
            };
        }
    }
    found
}

/// To length 1, with a real largest element.
pub(super) fn normalise(x: &mut [C]) {
    let length = norm(x);
    if length > 0.0 && length.is_finite() {
        x.iter_mut().for_each(|x| *x /= length);
    }
    let largest = x.iter().copied().fold(C::new(0.0, 0.0), |most, x| {
        if x.norm_sqr() > most.norm_sqr() {
            x
        } else {
            most
        }
    });
    if largest.im != 0.0 {
        let turn = largest.conj() / largest.norm();
        x.iter_mut().for_each(|x| *x *= turn);
    }
}
