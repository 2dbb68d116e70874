//! What the steps of the QR algorithm do to rows and columns of a matrix: rotations of two of them,
//! reflections of three.

use std::ops::Range;

use super::schur::C;
use crate::linalg::Scalar;
use crate::multiversion::multiversion;

/// Transformation that a step of a sweep applies to the columns from number `k` on, row by row.
pub(super) trait Turn: Copy {
    type Element;

    fn apply(self, row: &mut [Self::Element], k: usize);
}

/// `(c, -s*; s, c)` behind two columns.
#[derive(Clone, Copy)]
pub(super) struct Rotation {
    pub c: f64,
    pub s: C,
}

impl Turn for Rotation {
    type Element = C;

    #[inline(always)]
    fn apply(self, row: &mut [C], k: usize) {
        if let Some([p, q]) = row.get_mut(k..).and_then(|row| row.first_chunk_mut()) {
            (*p, *q) = (*p * self.c + self.s * *q, *q * self.c - self.s.conj() * *p);
        }
    }
}

/// A reflection of three columns, or of two.
#[derive(Clone, Copy)]
pub(super) struct Reflection {
    pub v: [f64; 3],
    pub tau: f64,
    pub count: usize,
}

impl Turn for Reflection {
    type Element = f64;

    #[inline(always)]
    fn apply(self, row: &mut [f64], k: usize) {
        let v = self.v;
        match row.get_mut(k..k + self.count) {
            Some([x, y, z]) => {
                let along = self.tau * (v[0] * *x + v[1] * *y + v[2] * *z);
                *x -= v[0] * along;
                *y -= v[1] * along;
                *z -= v[2] * along;
            }
            Some([x, y]) => {
                let along = self.tau * (v[0] * *x + v[1] * *y);
                *x -= v[0] * along;
                *y -= v[1] * along;
            }
            _ => {}
        }
    }
}

multiversion! {
    /// Applies turn `k - begin` to columns from `k` on of the rows `range`, for each `k` behind a
    /// row's own number: a sweep does not come back to the rows above it, so what it does to their
    /// columns can wait, and then each row is in the first cache.
    pub(super) fn turn_columns<T: Turn>(a: &mut [T::Element], n: usize, range: Range<usize>, begin: usize, turns: &[T]) = turn_columns_body::<T>;
}

#[inline(always)]
fn turn_columns_body<T: Turn>(
    a: &mut [T::Element],
    n: usize,
    range: Range<usize>,
    begin: usize,
    turns: &[T],
) {
    // Rows beside each other, which do not wait for each other.
    const SIDE: usize = 8;
    let rows = &mut a[range.start * n..range.end * n];
    for (group, rows) in rows.chunks_mut(SIDE * n).enumerate() {
        let first = range.start + group * SIDE;
        let together = (first + SIDE).saturating_sub(begin).min(turns.len());
        for (i, row) in rows.chunks_mut(n).enumerate() {
            let own = (first + i + 1).saturating_sub(begin);
            for (k, turn) in turns.iter().enumerate().take(together).skip(own) {
                turn.apply(row, begin + k);
            }
        }
        for (k, turn) in turns.iter().enumerate().skip(together) {
            for row in rows.chunks_mut(n) {
                turn.apply(row, begin + k);
            }
        }
    }
}

/// Rows from number `k` on.
pub(super) fn rows<T, const N: usize>(a: &mut [T], n: usize, k: usize) -> [&mut [T]; N] {
    let mut rows = a[k * n..].chunks_mut(n.max(1));
    std::array::from_fn(|_| rows.next().unwrap_or_default())
}

multiversion! {
    /// `(c, s; -s*, c)` times two rows.
    pub(super) fn rotate<T: Scalar>(x: &mut [T], y: &mut [T], c: f64, s: T) = rotate_body::<T>;
}

#[inline(always)]
fn rotate_body<T: Scalar>(x: &mut [T], y: &mut [T], c: f64, s: T) {
    let c = <T as Scalar>::new(c, 0.0);
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (c * *x + s * *y, c * *y - Scalar::conj(s) * *x);
    }
}

multiversion! {
    /// Takes from three rows what is along `v` times `tau`.
    fn reflect<T: Scalar>(rows: [&mut [T]; 3], v: [T; 3], tau: T) = reflect_body::<T>;
}

#[inline(always)]
fn reflect_body<T: Scalar>([x, y, z]: [&mut [T]; 3], v: [T; 3], tau: T) {
    for ((x, y), z) in x.iter_mut().zip(y).zip(z) {
        let along = tau * (v[0] * *x + v[1] * *y + v[2] * *z);
        *x -= v[0] * along;
        *y -= v[1] * along;
        *z -= v[2] * along;
    }
}

/// Reflects rows from number `k` on, as many as `v` has elements, in the columns `range`.
pub(super) fn turn_rows(
    a: &mut [f64],
    n: usize,
    k: usize,
    range: Range<usize>,
    v: &[f64],
    tau: f64,
) {
    let at = |i: usize| v.get(i).copied().unwrap_or(0.0);
    match v.len() {
        3 => {
            let rows: [&mut [f64]; 3] = rows(a, n, k);
            reflect(
                rows.map(|row| &mut row[range.clone()]),
                [at(0), at(1), at(2)],
                tau,
            );
        }
        _ => {
            let [x, y] = rows(a, n, k);
            for (x, y) in x[range.clone()].iter_mut().zip(&mut y[range.clone()]) {
                let along = tau * (at(0) * *x + at(1) * *y);
                *x -= at(0) * along;
                *y -= at(1) * along;
            }
        }
    }
}
