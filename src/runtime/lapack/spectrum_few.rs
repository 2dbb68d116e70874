//! Eigenvalues and eigenvectors of matrices of a few rows, from their Schur form: a call of `faer`
//! would take longer.

use super::matrices::norm;
use super::schur::{self, C, Wanted};
use super::spectrum::normalise;
use crate::Context;

/// Eigenvalues, and the Schur form that eigenvectors follow from.
pub(super) struct Few {
    t: Vec<C>,
    z: Vec<C>,
    pub(super) values: Vec<C>,
    /// The matrix is real: eigenvectors of conjugate eigenvalues are conjugate.
    real: bool,
    pub(super) info: i32,
}

impl Few {
    pub(super) fn of_complex(context: &Context, a: Vec<C>, n: usize, wanted: Wanted) -> Self {
        let found = schur::complex(context, a, n, wanted);
        Self {
            t: found.t,
            z: found.z,
            values: found.values,
            real: false,
            info: found.info,
        }
    }

    pub(super) fn of_real(context: &Context, a: Vec<f64>, n: usize, wanted: Wanted) -> Self {
        let found = schur::real(context, a, n, wanted);
        let whole = |x: Vec<f64>| -> Vec<C> { x.into_iter().map(|x| C::new(x, 0.0)).collect() };
        let (mut t, mut z) = (whole(found.t), whole(found.z));
        let finite = found.values.iter().all(|x| x.re.is_finite());
        // What is left are blocks of two.
        let is_form = wanted != Wanted::Values;
        let done = !finite || !is_form || schur::triangular(&mut t, &mut z, n);
        Self {
            t,
            z,
            values: found.values,
            real: true,
            info: found.info.max(i32::from(!done)),
        }
    }

    /// Eigenvectors as columns: `A x = w x`, or `y^H A = w y^H`, of the matrix before it was
    /// balanced.
    pub(super) fn vectors(&self, n: usize, left: bool, scales: &[f64]) -> Vec<C> {
        let mut found = vec![C::new(0.0, 0.0); n * n];
        let mut k = 0;
        while k < n {
            let paired = self.real && self.values[k].im > 0.0 && k + 1 < n;
            // Of a pair, which the triangular form may have in the other order, that of the
            // eigenvalue above the axis.
            let place = if paired && self.t[(k + 1) * n + k + 1].im > self.t[k * n + k].im {
                k + 1
            } else {
                k
            };
            let mut x = self.vector(n, place, left);
            for (x, scale) in x.iter_mut().zip(scales) {
                *x = if left { *x / *scale } else { *x * *scale };
            }
            normalise(&mut x);
            if self.real && !paired {
                // The real part of an eigenvector is one, too.
                x.iter_mut().for_each(|x| x.im = 0.0);
                normalise(&mut x);
            }
            for (i, x) in x.iter().enumerate() {
                found[i * n + k] = *x;
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
        let size = norm(&self.t);
        let unit = if size > 0.0 { size } else { 1.0 };
        let t = |i: usize, j: usize| self.t[i * n + j] / unit;
        let mut x = vec![C::new(0.0, 0.0); n];
        x[k] = C::new(1.0, 0.0);
        let solve = |x: &mut Vec<C>, i: usize, sum: C, difference: C| {
            // An eigenvalue that comes twice is moved by a rounding error.
            let divisor = if difference.l1_norm() < f64::EPSILON {
                C::new(f64::EPSILON, 0.0)
            } else {
                difference
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
