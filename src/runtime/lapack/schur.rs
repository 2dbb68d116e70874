//! `gees`: `A = Z T Z^H` with triangular `T`, of real matrices with real `Z` and blocks of two for
//! pairs of complex eigenvalues.
//!
//! The QR algorithm on the Hessenberg form: one shift a step for complex matrices, two for real
//! ones. What a sweep does to columns is done to the rows above afterwards, one row after the
//! other.

use rustfft::num_complex::Complex;

use super::matrices::{Argument, Outcome, batch, each, finite};
use super::reflection::reflection;
use super::turns::{Reflection, Rotation, Turn, rotate, rows, turn_columns, turn_rows};
use super::{hessenberg, square};
use crate::error::Result;
use crate::linalg::Scalar;
use crate::{Context, ElementKind};

pub(super) type C = Complex<f64>;

/// Steps without an eigenvalue found after which a matrix is given up.
const STEPS: usize = 60;

/// `T`, `Z` (zeros without `vectors`), the eigenvalues (of real matrices: their real and their
/// imaginary parts), 0 as none is selected, and 0, or 1 where they were not found.
pub(super) fn call(
    context: &Context,
    kind: ElementKind,
    vectors: bool,
    arguments: &[Argument<'_>],
    results: &mut [Outcome<'_>],
) -> Result<()> {
    let n = square(arguments)?;
    let (matrix, vector): (&[usize], &[usize]) = (&[n, n], &[n]);
    let (whole, info) = ((kind, matrix), (ElementKind::I32, &[][..]));
    let values = (kind, vector);
    let count = if kind.is_complex() {
        batch(
            arguments,
            results,
            (&[whole], &[whole, whole, values, info, info]),
        )
    } else {
        batch(
            arguments,
            results,
            (&[whole], &[whole, whole, values, values, info, info]),
        )
    }?;
    let wanted = if vectors {
        Wanted::Vectors
    } else {
        Wanted::Form
    };
    each(context, count, &|i| {
        // SAFETY: every matrix is written once.
        unsafe {
            if kind.is_complex() {
                let found = complex(context, arguments[0].read(i, n * n), n, wanted);
                results[0].write(i, &found.t);
                results[1].write(i, &shown(found.z, n));
                results[2].write(i, &found.values);
                results[3].write_integers(i, &[0]);
                results[4].write_integers(i, &[found.info]);
            } else {
                let found = real(context, arguments[0].read(i, n * n), n, wanted);
                let parts =
                    |part: fn(&C) -> f64| -> Vec<f64> { found.values.iter().map(part).collect() };
                results[0].write(i, &found.t);
                results[1].write(i, &shown(found.z.clone(), n));
                results[2].write(i, &parts(|x| x.re));
                results[3].write(i, &parts(|x| x.im));
                results[4].write_integers(i, &[0]);
                results[5].write_integers(i, &[found.info]);
            }
        }
    });
    Ok(())
}

/// Zeros in the place of a matrix that was not computed.
fn shown<T: Scalar>(mut z: Vec<T>, n: usize) -> Vec<T> {
    z.resize(n * n, T::ZERO);
    z
}

/// Results that are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The eigenvalues; of the form, what they are read from.
    Values,
    /// The form, too.
    Form,
    /// The unitary matrix, too.
    Vectors,
}

/// `A = Z T Z^H`.
pub(super) struct Schur<T> {
    pub t: Vec<T>,
    /// Without elements where it was not asked for.
    pub z: Vec<T>,
    /// In the order of the diagonal of `t`.
    pub values: Vec<C>,
    /// 0, or 1 where no end was found.
    pub info: i32,
}

/// A Hessenberg matrix on its way to a triangular one.
struct Iteration<'a, T> {
    h: &'a mut [T],
    /// Matrix that collects the transformations, by columns; without elements where nobody asks.
    z: &'a mut [T],
    n: usize,
    /// Rows and columns outside of the block in work are left as they are.
    only_values: bool,
}

impl<T> Iteration<'_, T> {
    /// Rows whose columns, and columns whose rows, a step on the rows `begin .. end` turns.
    fn turned(&self, begin: usize, end: usize) -> std::ops::Range<usize> {
        if self.only_values {
            begin..end
        } else {
            0..self.n
        }
    }
}

/// The form of a matrix, whose largest element is made 1 first: squares neither overflow nor
/// vanish. `iterate` takes Hessenberg `t` and the unitary `z`, both by rows, to their last forms,
/// and says whether it could; `values` reads the eigenvalues.
fn decompose<T: Scalar>(
    context: &Context,
    mut a: Vec<T>,
    n: usize,
    wanted: Wanted,
    iterate: impl FnOnce(Iteration<'_, T>) -> bool,
    values: impl FnOnce(&[T]) -> Vec<C>,
) -> Schur<T> {
    if !finite(&a) {
        let nan = T::new(f64::NAN, f64::NAN);
        return Schur {
            t: vec![nan; n * n],
            z: vec![nan; if wanted == Wanted::Vectors { n * n } else { 0 }],
            values: vec![C::new(f64::NAN, f64::NAN); n],
            info: 0,
        };
    }
    let largest = a.iter().fold(0.0f64, |most, x| {
        let (re, im) = x.parts();
        most.max(re.abs()).max(im.abs())
    });
    let scale = if largest > 0.0 { largest } else { 1.0 };
    let scaled = |x: T, by: f64| {
        let (re, im) = x.parts();
        T::new(re * by, im * by)
    };
    for x in &mut a {
        let (re, im) = x.parts();
        *x = T::new(re / scale, im / scale);
    }
    let taus = hessenberg::reduce(&mut a, n, 0, n);
    let mut z = match wanted {
        Wanted::Vectors => hessenberg::unitary(context, &a, n, &taus),
        _ => Vec::new(),
    };
    for i in 2..n {
        a[i * n..i * n + i - 1].fill(T::ZERO);
    }
    let done = by_columns(&mut a, &mut z, n, wanted == Wanted::Values, iterate);
    for x in &mut a {
        *x = scaled(*x, scale);
    }
    Schur {
        values: values(&a),
        t: a,
        z,
        info: i32::from(!done),
    }
}

/// Of a complex matrix.
pub(super) fn complex(context: &Context, a: Vec<C>, n: usize, wanted: Wanted) -> Schur<C> {
    decompose(context, a, n, wanted, make_triangular, |t| {
        (0..n).map(|i| t[i * n + i]).collect()
    })
}

/// Of a real matrix, with blocks of two for pairs of eigenvalues.
pub(super) fn real(context: &Context, a: Vec<f64>, n: usize, wanted: Wanted) -> Schur<f64> {
    decompose(context, a, n, wanted, make_quasi_triangular, |t| {
        let mut values: Vec<C> = (0..n).map(|i| C::new(t[i * n + i], 0.0)).collect();
        for i in 1..n {
            let (below, above) = (t[i * n + i - 1], t[(i - 1) * n + i]);
            if below != 0.0 {
                let size = below.abs().sqrt() * above.abs().sqrt();
                values[i - 1].im = size;
                values[i].im = -size;
            }
        }
        values
    })
}

/// Returns the start of the last block of rows before `end` that no zero below the diagonal
/// divides. Elements that are next to nothing are made zero.
fn block<T: Scalar>(h: &mut [T], n: usize, end: usize) -> usize {
    let size = |x: T| {
        let (re, im) = x.parts();
        re.abs() + im.abs()
    };
    for i in (1..end).rev() {
        let beside = size(h[(i - 1) * n + i - 1]) + size(h[i * n + i]);
        let beside = if beside == 0.0 { 1.0 } else { beside };
        if size(h[i * n + i - 1]) <= f64::EPSILON * beside {
            h[i * n + i - 1] = T::ZERO;
            return i;
        }
    }
    0
}

/// Makes a complex Hessenberg matrix triangular; `z` is multiplied by what it is multiplied by.
pub(super) fn triangular(h: &mut [C], z: &mut [C], n: usize) -> bool {
    by_columns(h, z, n, false, make_triangular)
}

/// Runs `iterate` on `z` by columns, of which two or three at a time are turned.
fn by_columns<T: Copy>(
    h: &mut [T],
    z: &mut [T],
    n: usize,
    only_values: bool,
    iterate: impl FnOnce(Iteration<'_, T>) -> bool,
) -> bool {
    transpose_one(z, n);
    let done = iterate(Iteration {
        h,
        z: &mut *z,
        n,
        only_values,
    });
    transpose_one(z, n);
    done
}

fn transpose_one<T: Copy>(a: &mut [T], n: usize) {
    let rows = if a.is_empty() { 0 } else { n };
    for i in 0..rows {
        for j in 0..i {
            a.swap(i * n + j, j * n + i);
        }
    }
}

fn make_triangular(mut of: Iteration<'_, C>) -> bool {
    let n = of.n;
    let (mut end, mut steps) = (n, 0);
    while end > 0 {
        let h = &mut *of.h;
        let begin = block(h, n, end);
        if end - begin == 1 {
            (end, steps) = (end - 1, 0);
            continue;
        }
        if steps == STEPS {
            return false;
        }
        steps += 1;
        let last = end - 1;
        let (a, b) = (h[(last - 1) * n + last - 1], h[(last - 1) * n + last]);
        let (c, d) = (h[last * n + last - 1], h[last * n + last]);
        // The eigenvalue of the last two rows and columns that is nearer to the last element.
        let half = (a - d) * 0.5;
        let root = (half * half + b * c).sqrt();
        let far = if (half + root).norm_sqr() >= (half - root).norm_sqr() {
            half + root
        } else {
            half - root
        };
        let shift = match () {
            // Now and then another one, should these lead round in circles.
            () if steps % 10 == 0 => d + c.norm() * 0.75,
            () if far.norm_sqr() == 0.0 => d,
            () => d - b * c / far,
        };
        step(&mut of, (begin, end), shift);
    }
    true
}

/// One step of the QR algorithm on rows and columns `begin .. end`.
fn step(of: &mut Iteration<'_, C>, (begin, end): (usize, usize), shift: C) {
    let turned = of.turned(begin, end);
    let Iteration { h, z, n, .. } = of;
    let n = *n;
    let mut x = h[begin * n + begin] - shift;
    let mut y = h[(begin + 1) * n + begin];
    let mut turns = Vec::with_capacity(end - begin);
    for k in begin..end - 1 {
        // (c, s; -s*, c) takes (x, y) to (r, 0).
        let (size, length) = (x.norm(), x.norm().hypot(y.norm()));
        let (c, s) = match () {
            () if length == 0.0 => (1.0, C::new(0.0, 0.0)),
            () if size == 0.0 => (0.0, y.conj() / y.norm()),
            () => (size / length, x / size * y.conj() / length),
        };
        if k > begin {
            h[k * n + k - 1] = x * c + s * y;
            h[(k + 1) * n + k - 1] = C::new(0.0, 0.0);
        }
        let [p, q] = rows(h, n, k);
        rotate(&mut p[k..turned.end], &mut q[k..turned.end], c, s);
        let turn = Rotation { c, s: s.conj() };
        for row in h.chunks_mut(n).take(end.min(k + 3)).skip(k) {
            turn.apply(row, k);
        }
        turns.push(turn);
        if !z.is_empty() {
            let [p, q] = rows(z, n, k);
            rotate(p, q, c, s.conj());
        }
        if k + 2 < end {
            (x, y) = (h[(k + 1) * n + k], h[(k + 2) * n + k]);
        }
    }
    turn_columns(h, n, turned.start..end - 1, begin, &turns);
}

/// Makes a real Hessenberg matrix triangular but for blocks of two, in the form that LAPACK has:
/// equal elements on the diagonal, of different signs beside it.
fn make_quasi_triangular(mut of: Iteration<'_, f64>) -> bool {
    let n = of.n;
    let (mut end, mut steps) = (n, 0);
    while end > 0 {
        let begin = block(of.h, n, end);
        match end - begin {
            1 => (end, steps) = (end - 1, 0),
            2 => {
                standardise(&mut of, begin);
                (end, steps) = (end - 2, 0);
            }
            _ if steps == STEPS => return false,
            _ => {
                steps += 1;
                double_step(&mut of, (begin, end), steps % 10 == 0);
            }
        }
    }
    true
}

/// Rotates rows and columns `k` and `k + 1` so that their block is triangular, or has equal
/// elements on the diagonal.
fn standardise(of: &mut Iteration<'_, f64>, k: usize) {
    let turned = of.turned(k, k + 2);
    let Iteration { h, z, n, .. } = of;
    let n = *n;
    let (a, b) = (h[k * n + k], h[k * n + k + 1]);
    let (c, d) = (h[(k + 1) * n + k], h[(k + 1) * n + k + 1]);
    let half = (a - d) * 0.5;
    let square = half * half + b * c;
    let real = square >= 0.0;
    let (x, y) = if real {
        // An eigenvector: of d + far, (far, c).
        (half + square.sqrt().copysign(half), c)
    } else {
        // tan 2 t = (d - a) / (b + c).

        let angle = 0.5 * (d - a).atan2(b + c);
        // The one nearer to no rotation.
        let angle = if angle.abs() > std::f64::consts::FRAC_PI_4 {
            angle - std::f64::consts::FRAC_PI_2.copysign(angle)
        } else {
            angle
        };
        (angle.cos(), angle.sin())
    };
    let length = x.hypot(y);
    let (c, s) = (x / length, y / length);
    let [p, q] = rows(h, n, k);
    rotate(&mut p[k..turned.end], &mut q[k..turned.end], c, s);
    for row in h.chunks_mut(n).take(k + 2).skip(turned.start) {
        let (p, q) = (row[k], row[k + 1]);
        row[k] = c * p + s * q;
        row[k + 1] = c * q - s * p;
    }
    if !z.is_empty() {
        let [p, q] = rows(z, n, k);
        rotate(p, q, c, s);
    }
    if real {
        h[(k + 1) * n + k] = 0.0;
    } else {
        let middle = 0.5 * (h[k * n + k] + h[(k + 1) * n + k + 1]);
        h[k * n + k] = middle;
        h[(k + 1) * n + k + 1] = middle;
    }
}

/// One step with two shifts, which are the eigenvalues of the last two rows and columns unless it
/// is `other`.
fn double_step(of: &mut Iteration<'_, f64>, (begin, end): (usize, usize), other: bool) {
    let turned = of.turned(begin, end);
    let Iteration { h, z, n, .. } = of;
    let n = *n;
    let at = |h: &[f64], i: usize, j: usize| h[i * n + j];
    let last = end - 1;
    let (sum, product) = if other {
        let size = at(h, last, last - 1).abs() + at(h, last - 1, last - 2).abs();
        (1.5 * size, size * size)
    } else {
        let (a, d) = (at(h, last - 1, last - 1), at(h, last, last));
        (a + d, a * d - at(h, last - 1, last) * at(h, last, last - 1))
    };
    // The first column of H^2 - sum H + product, as a multiple of the element below the diagonal.
    let (a, below) = (at(h, begin, begin), at(h, begin + 1, begin));
    let mut v = [
        (a * (a - sum) + product) / below + at(h, begin, begin + 1),
        a + at(h, begin + 1, begin + 1) - sum,
        at(h, begin + 2, begin + 1),
    ];
    let mut turns = Vec::with_capacity(end - begin);
    for k in begin..last {
        let count = 3.min(end - k);
        let (beta, tau) = reflection(&mut v[..count]);
        let v_now = v;
        let v_now = &v_now[..count];
        if k > begin {
            h[k * n + k - 1] = beta;
            (1..count).for_each(|i| h[(k + i) * n + k - 1] = 0.0);
        }
        turn_rows(h, n, k, k..turned.end, v_now, tau);
        let turn = Reflection { v, tau, count };
        for row in h.chunks_mut(n).take(end.min(k + 4)).skip(k) {
            turn.apply(row, k);
        }
        turns.push(turn);
        if !z.is_empty() {
            turn_rows(z, n, k, 0..n, v_now, tau);
        }
        let next = |i: usize| if i < end { h[i * n + k] } else { 0.0 };
        v = [next(k + 1), next(k + 2), next(k + 3)];
    }
    turn_columns(h, n, turned.start..last, begin, &turns);
}
