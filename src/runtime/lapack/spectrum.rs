//! `geev`: eigenvalues and eigenvectors of square matrices, from their Schur form.

use super::eigen::real_part;
use super::matrices::{Argument, Outcome, batch, each, norm};
use super::schur::{self, C};
use super::square;
use crate::error::Result;
use crate::{Context, ElementKind};

/// The eigenvalues (of real matrices: their real and their imaginary parts), the left and the right eigenvectors as columns of length 1 whose
/// largest element is real (zeros where they are not asked for), and 0, or 1 where they were not found.
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
    let count = match is_real {
        true => batch(
            arguments,
            results,
            (&[(kind, matrix)], &[value, value, vectors, vectors, info]),
        ),
        false => batch(
            arguments,
            results,
            (&[(kind, matrix)], &[value, vectors, vectors, info]),
        ),
    }?;
    each(context, count, &|i| {
        let mut a: Vec<C> = arguments[0].read(i, n * n);
        let scales = balance(&mut a, n);
        let found = match is_real {
            true => Spectrum::of_real(a.iter().map(|x| x.re).collect(), n),
            false => Spectrum::of_complex(a, n),
        };
        let columns = |wanted: bool, left: bool| match wanted {
            true => found.vectors(n, left, &scales),
            false => vec![C::new(0.0, 0.0); n * n],
        };
        // SAFETY: every matrix is written once.
        unsafe {
            let next = match is_real {
                true => {
                    let re: Vec<f64> = found.values.iter().map(|x| x.re).collect();
                    let im: Vec<f64> = found.values.iter().map(|x| x.im).collect();
                    results[0].write(i, &re);
                    results[1].write(i, &im);
                    2
                }
                false => {
                    results[0].write(i, &found.values);
                    1
                }
            };
            results[next].write(i, &columns(left, true));
            results[next + 1].write(i, &columns(right, false));
            results[next + 2].write_integers(i, &[found.info]);
        }
    });
    Ok(())
}

/// Multiplies columns by powers of two and divides the rows by them, so that those of one number are of about one size: `A` becomes
/// `D^-1 A D`, and `D` is returned.
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

struct Spectrum {
    t: Vec<C>,
    z: Vec<C>,
    values: Vec<C>,
    /// Is the matrix real? Eigenvectors of conjugate eigenvalues are conjugate then.
    real: bool,
    info: i32,
}

impl Spectrum {
    fn of_complex(a: Vec<C>, n: usize) -> Self {
        let found = schur::complex(a, n);
        Self {
            t: found.t,
            z: found.z,
            values: found.values,
            real: false,
            info: found.info,
        }
    }

    fn of_real(a: Vec<f64>, n: usize) -> Self {
        let found = schur::real(a, n);
        let whole = |x: Vec<f64>| -> Vec<C> { x.into_iter().map(|x| C::new(x, 0.0)).collect() };
        let (mut t, mut z) = (whole(found.t), whole(found.z));
        let finite = found.values.iter().all(|x| x.re.is_finite());
        // What is left are blocks of two.
        let done = !finite || schur::triangular(&mut t, &mut z, n);
        Self {
            t,
            z,
            values: found.values,
            real: true,
            info: found.info.max(i32::from(!done)),
        }
    }

    /// Eigenvectors as columns: `A x = w x`, or `y^H A = w y^H`, of the matrix before it was balanced.
    fn vectors(&self, n: usize, left: bool, scales: &[f64]) -> Vec<C> {
        let mut found = vec![C::new(0.0, 0.0); n * n];
        let mut k = 0;
        while k < n {
            let paired = self.real && self.values[k].im > 0.0 && k + 1 < n;
            // Of a pair, which the triangular form may have in the other order, that of the eigenvalue above the axis.
            let place = match paired && self.t[(k + 1) * n + k + 1].im > self.t[k * n + k].im {
                true => k + 1,
                false => k,
            };
            let mut x = self.vector(n, place, left);
            for (x, scale) in x.iter_mut().zip(scales) {
                *x = if left { *x / *scale } else { *x * *scale };
            }
            normalise(&mut x);
            let real = self.real && !paired;
            for (i, x) in x.iter().enumerate() {
                found[i * n + k] = if real { C::new(x.re, 0.0) } else { *x };
                if paired {
                    found[i * n + k + 1] = x.conj();
                }
            }
            k += if paired { 2 } else { 1 };
        }
        found
    }

    /// The eigenvector that goes with element `k` of the diagonal.
    fn vector(&self, n: usize, k: usize, left: bool) -> Vec<C> {
        // In units of the largest element there is: no quotient overflows or vanishes on the way.
        let size = norm(self.t.iter().copied());
        let unit = if size > 0.0 { size } else { 1.0 };
        let t = |i: usize, j: usize| self.t[i * n + j] / unit;
        let mut x = vec![C::new(0.0, 0.0); n];
        x[k] = C::new(1.0, 0.0);
        let solve = |x: &mut Vec<C>, i: usize, sum: C, difference: C| {
            // An eigenvalue that comes twice is moved by a rounding error.
            let divisor = match difference.l1_norm() < f64::EPSILON {
                true => C::new(f64::EPSILON, 0.0),
                false => difference,
            };
            x[i] = -sum / divisor;
            if x[i].l1_norm() > 1e100 {
                let by = 1.0 / x[i].l1_norm();
                x.iter_mut().for_each(|x| *x *= by);
            }
        };
        let zero = C::new(0.0, 0.0);
        if left {
            for i in k + 1..n {
                let sum = (k..i).fold(zero, |sum, j| sum + t(j, i).conj() * x[j]);
                solve(&mut x, i, sum, (t(i, i) - t(k, k)).conj());
            }
        } else {
            for i in (0..k).rev() {
                let sum = (i + 1..=k).fold(zero, |sum, j| sum + t(i, j) * x[j]);
                solve(&mut x, i, sum, t(i, i) - t(k, k));
            }
        }
        let rows = self.z.chunks(n);
        rows.map(|row| row.iter().zip(&x).fold(zero, |sum, (z, x)| sum + z * x))
            .collect()
    }
}

/// To length 1, with a real largest element.
fn normalise(x: &mut [C]) {
    let length = norm(x.iter().copied());
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
