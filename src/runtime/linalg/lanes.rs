//! Matrices of a few rows, several side by side: the same steps for each, in the lanes of vectors.
//!
//! What a matrix becomes does not depend on those beside it.

use super::columns::{numbers, numbers_mut};
use crate::multiversion::multiversion;
use crate::sort::Pieces;
use crate::{Context, ElementKind};

/// Matrices side by side.
pub(crate) const LANES: usize = 8;

/// Groups that are worth another thread.
const GROUPS: usize = 16;

/// A number of each matrix.
pub(crate) type Lanes = [f64; LANES];

pub(crate) const ZERO: Lanes = [0.0; LANES];

/// Tells whether matrices of these elements can be side by side.
pub(crate) fn are_for(kind: ElementKind) -> bool {
    matches!(kind, ElementKind::F32 | ElementKind::F64)
}

/// Elements `first …` of a tensor of matrices of `size` elements, `count` of them; lanes behind the
/// last matrix hold that one.
pub(crate) fn load(
    kind: ElementKind,
    bytes: &[u8],
    (size, count): (usize, usize),
    first: usize,
    into: &mut [Lanes],
) {
    for lane in 0..LANES {
        let begin = (first + lane).min(count - 1) * size;
        match (numbers::<f32>(kind, bytes), numbers::<f64>(kind, bytes)) {
            (Some(numbers), _) => {
                for (into, x) in into.iter_mut().zip(&numbers[begin..begin + size]) {
                    into[lane] = f64::from(*x);
                }
            }
            (_, Some(numbers)) => {
                for (into, x) in into.iter_mut().zip(&numbers[begin..begin + size]) {
                    into[lane] = *x;
                }
            }
            _ => {
                for (e, into) in into.iter_mut().enumerate().take(size) {
                    into[lane] = super::load(kind, bytes, begin + e);
                }
            }
        }
    }
}

/// The inverse of [`load`].
///
/// # Safety
/// Nobody else accesses these matrices.
pub(crate) unsafe fn store(
    kind: ElementKind,
    bytes: &Pieces<'_, u8>,
    (size, count): (usize, usize),
    first: usize,
    from: &[Lanes],
) {
    for lane in 0..LANES.min(count - first) {
        let width = size * kind.size();
        // SAFETY: the caller's promise.
        let own = unsafe { bytes.get((first + lane) * width, width) };
        if let Some(numbers) = numbers_mut::<f32>(kind, own) {
            for (x, from) in numbers.iter_mut().zip(from) {
                *x = from[lane] as f32;
            }
        } else if let Some(numbers) = numbers_mut::<f64>(kind, own) {
            for (x, from) in numbers.iter_mut().zip(from) {
                *x = from[lane];
            }
        } else {
            for (e, from) in from.iter().enumerate().take(size) {
                super::store(kind, own, e, from[lane]);
            }
        }
    }
}

/// Calls `body` with the first matrix of each group and `size` numbers of work for it.
pub(crate) fn groups(
    context: &Context,
    count: usize,
    size: usize,
    body: &(dyn Fn(usize, &mut [Lanes]) + Sync),
) {
    context.parallel_for(count.div_ceil(LANES), GROUPS, &|begin, end| {
        let mut work = vec![ZERO; size];
        for group in begin..end {
            body(group * LANES, &mut work);
        }
    });
}

#[inline(always)]
pub(super) fn each(f: impl Fn(usize) -> f64) -> Lanes {
    let mut all = ZERO;
    for (lane, x) in all.iter_mut().enumerate() {
        *x = f(lane);
    }
    all
}

/// `x - y z`
#[inline(always)]
fn less(x: Lanes, y: Lanes, z: Lanes) -> Lanes {
    each(|k| x[k] - y[k] * z[k])
}

multiversion! {
    /// Replaces the lower triangles of matrices of `n` rows by their factors `L`; 0, or the number
    /// (from 1) of the first row that has none.
    pub(crate) fn cholesky<>(a: &mut [Lanes], n: usize) -> [i32; LANES] = cholesky_body;
}

#[inline(always)]
fn cholesky_body(a: &mut [Lanes], n: usize) -> [i32; LANES] {
    let mut failed = [0; LANES];
    for i in 0..n {
        for j in 0..i {
            let mut x = a[i * n + j];
            for k in 0..j {
                x = less(x, a[i * n + k], a[j * n + k]);
            }
            let pivot = a[j * n + j];
            a[i * n + j] = each(|k| x[k] / pivot[k]);
        }
        let mut pivot = a[i * n + i];
        for k in 0..i {
            pivot = less(pivot, a[i * n + k], a[i * n + k]);
        }
        for (failed, pivot) in failed.iter_mut().zip(pivot) {
            if *failed == 0 && (pivot.is_nan() || pivot <= 0.0) {
                *failed = i as i32 + 1;
            }
        }
        a[i * n + i] = each(|k| pivot[k].sqrt());
    }
    failed
}

multiversion! {
    /// Solves lower triangular systems of `n` unknowns for `count` right sides, which are replaced:
    /// element `i` of solution `y` is at `i * count + y`.
    pub(crate) fn solve<>(a: &[Lanes], n: usize, unit: bool, x: &mut [Lanes], count: usize) = solve_body;
}

#[inline(always)]
fn solve_body(a: &[Lanes], n: usize, unit: bool, x: &mut [Lanes], count: usize) {
    for i in 0..n {
        for y in 0..count {
            let mut value = x[i * count + y];
            for j in 0..i {
                value = less(value, x[j * count + y], a[i * n + j]);
            }
            let pivot = a[i * n + i];
            x[i * count + y] = if unit {
                value
            } else {
                each(|k| value[k] / pivot[k])
            };
        }
    }
}

multiversion! {
    /// Replaces matrices of `m` rows and `n` columns by their factors `L` and `U`, with the rows
    /// that rows were exchanged with (from 1) in `pivots`; the first column (from 1) whose pivot is
    /// zero, or 0. Such a column stays as it is.
    pub(crate) fn lu<>(a: &mut [Lanes], m: usize, n: usize, pivots: &mut [[i32; LANES]]) -> [i32; LANES] = lu_body;
}

#[inline(always)]
fn lu_body(a: &mut [Lanes], m: usize, n: usize, pivots: &mut [[i32; LANES]]) -> [i32; LANES] {
    let mut info = [0; LANES];
    for j in 0..m.min(n) {
        let mut most = each(|k| a[j * n + j][k].abs());
        let mut at = [j as f64; LANES];
        for i in j + 1..m {
            let other = each(|k| a[i * n + j][k].abs());
            at = each(|k| if other[k] > most[k] { i as f64 } else { at[k] });
            most = each(|k| {
                if other[k] > most[k] {
                    other[k]
                } else {
                    most[k]
                }
            });
        }
        for (pivot, at) in pivots[j].iter_mut().zip(at) {
            *pivot = at as i32 + 1;
        }
        for i in j + 1..m {
            let here = i as f64;
            if !at.contains(&here) {
                continue;
            }
            for c in 0..n {
                let (x, y) = (a[j * n + c], a[i * n + c]);
                a[j * n + c] = each(|k| if at[k] == here { y[k] } else { x[k] });
                a[i * n + c] = each(|k| if at[k] == here { x[k] } else { y[k] });
            }
        }
        let pivot = a[j * n + j];
        for (info, pivot) in info.iter_mut().zip(pivot) {
            if *info == 0 && pivot == 0.0 {
                *info = j as i32 + 1;
            }
        }
        for i in j + 1..m {
            let x = a[i * n + j];
            let factor = each(|k| {
                if pivot[k] == 0.0 {
                    x[k]
                } else {
                    x[k] / pivot[k]
                }
            });
            a[i * n + j] = factor;
            for c in j + 1..n {
                let (x, row) = (a[i * n + c], a[j * n + c]);
                a[i * n + c] = each(|k| {
                    if pivot[k] == 0.0 {
                        x[k]
                    } else {
                        x[k] - factor[k] * row[k]
                    }
                });
            }
        }
    }
    info
}

multiversion! {
    /// Reflects matrices of `m` rows and `n` columns to upper triangles, with the vectors of the
    /// reflections below and their `tau`s. False where a square would overflow or vanish: nothing
    /// of what is there then is right.
    pub(crate) fn qr<>(a: &mut [Lanes], m: usize, n: usize, taus: &mut [Lanes]) -> bool = qr_body;
}

#[inline(always)]
fn qr_body(a: &mut [Lanes], m: usize, n: usize, taus: &mut [Lanes]) -> bool {
    for k in 0..m.min(n) {
        let first = a[k * n + k];
        let mut rest = ZERO;
        for i in k + 1..m {
            let x = a[i * n + k];
            rest = each(|l| rest[l] + x[l] * x[l]);
        }
        let whole = each(|l| rest[l] + first[l] * first[l]);
        let is_plain = |x: &f64| *x == 0.0 || (1e-200..1e200).contains(x);
        if !rest.iter().chain(&whole).all(is_plain) {
            return false;
        }
        let beta = each(|l| {
            if rest[l] == 0.0 {
                first[l]
            } else {
                -whole[l].sqrt().copysign(first[l])
            }
        });
        let tau = each(|l| {
            if rest[l] == 0.0 {
                0.0
            } else {
                (beta[l] - first[l]) / beta[l]
            }
        });
        let scale = each(|l| {
            if rest[l] == 0.0 {
                1.0
            } else {
                first[l] - beta[l]
            }
        });
        for i in k + 1..m {
            let x = a[i * n + k];
            a[i * n + k] = each(|l| x[l] / scale[l]);
        }
        a[k * n + k] = beta;
        taus[k] = tau;
        for c in k + 1..n {
            let mut part = a[k * n + c];
            for i in k + 1..m {
                let (v, x) = (a[i * n + k], a[i * n + c]);
                part = each(|l| part[l] + v[l] * x[l]);
            }
            part = each(|l| part[l] * tau[l]);
            let x = a[k * n + c];
            a[k * n + c] = each(|l| x[l] - part[l]);
            for i in k + 1..m {
                a[i * n + c] = less(a[i * n + c], part, a[i * n + k]);
            }
        }
    }
    true
}

multiversion! {
    /// The first `n` columns of the products of the reflections whose vectors are below the
    /// diagonals of `a`, which has `n` columns.
    pub(crate) fn product<>(a: &[Lanes], m: usize, n: usize, taus: &[Lanes], q: &mut [Lanes]) = product_body;
}

#[inline(always)]
fn product_body(a: &[Lanes], m: usize, n: usize, taus: &[Lanes], q: &mut [Lanes]) {
    q.fill(ZERO);
    for k in taus.len()..n {
        q[k * n + k] = [1.0; LANES];
    }
    for (k, tau) in taus.iter().enumerate().rev() {
        for c in k + 1..n {
            // Its element in row `k` is zero.
            let mut part = ZERO;
            for i in k + 1..m {
                let (v, x) = (a[i * n + k], q[i * n + c]);
                part = each(|l| part[l] + v[l] * x[l]);
            }
            part = each(|l| part[l] * tau[l]);
            q[k * n + c] = each(|l| -part[l]);
            for i in k + 1..m {
                q[i * n + c] = less(q[i * n + c], part, a[i * n + k]);
            }
        }
        q[k * n + k] = each(|l| 1.0 - tau[l]);
        for i in k + 1..m {
            let v = a[i * n + k];
            q[i * n + k] = each(|l| -tau[l] * v[l]);
        }
    }
}
