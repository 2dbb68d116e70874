//! `triangular_solve`: `op(A) X = B` or `X op(A) = B`.

use mapwright_dense::{Conj, MatRef, Triangle};

use super::cholesky::grain;
use super::{FEW, Scalar, compute_type, load, store};
use super::{columns, lanes};
use crate::error::{Error, Result};
use crate::sort::Pieces;
use crate::{Context, ElementKind};

/// Transposition of the matrix before solving; the codes are those of `enum mw_transpose`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Transpose {
    No = 0,
    Transpose = 1,
    Adjoint = 2,
}

impl Transpose {
    pub fn from_code(code: i32) -> Result<Transpose> {
        match code {
            0 => Ok(Transpose::No),
            1 => Ok(Transpose::Transpose),
            2 => Ok(Transpose::Adjoint),
            _ => Err(Error::invalid(format!(
                "{code} is not the code of a transposition"
            ))),
        }
    }
}

/// The attributes of `triangular_solve`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solve {
    /// `op(A) X = B`; otherwise `X op(A) = B`.
    pub left_side: bool,
    /// `A` is lower triangular (before `op`); the other triangle is not read.
    pub lower: bool,
    /// The diagonal is taken as ones and not read.
    pub unit_diagonal: bool,
    pub transpose: Transpose,
}

/// Solves `batch` systems: `a` holds matrices of size `n`, `b` and `x` matrices of `rows` ×
/// `columns`, where `rows` (left side) or `columns` (right side) is `n`.
///
/// A zero on the diagonal gives infinities or NaN, as the division does.
///
/// # Errors
/// `InvalidArgument` when a slice has the wrong size; `Unsupported` for integers.
#[allow(clippy::too_many_arguments)]
pub fn triangular_solve(
    context: &Context,
    kind: ElementKind,
    solve: Solve,
    batch: usize,
    (rows, columns): (usize, usize),
    a: &[u8],
    b: &[u8],
    x: &mut [u8],
) -> Result<()> {
    let n = if solve.left_side { rows } else { columns };
    let bytes = |p: usize, q: usize| p.checked_mul(q).and_then(|x| x.checked_mul(kind.size()));
    let total = |one: Option<usize>| one.and_then(|x| x.checked_mul(batch));
    let (Some(a_bytes), Some(b_bytes)) = (bytes(n, n), bytes(rows, columns)) else {
        return Err(Error::invalid("matrices of too many elements"));
    };
    if total(Some(a_bytes)) != Some(a.len())
        || total(Some(b_bytes)) != Some(b.len())
        || b.len() != x.len()
    {
        return Err(Error::invalid(format!(
            "{}, {} and {} bytes for {batch} triangular systems of size {n} with {rows} x {columns} values",
            a.len(),
            b.len(),
            x.len()
        )));
    }
    let x = Pieces::new(x);
    let systems = Systems {
        kind,
        solve,
        batch,
        sizes: (rows, columns),
        a,
        b,
    };
    if n <= FEW && lanes::are_for(kind) {
        systems.side_by_side(context, &x);
        return Ok(());
    }
    let one = |i: usize| -> Result<()> {
        // SAFETY: systems are disjoint, each is solved once.
        let x = unsafe { x.get(i * b_bytes, b_bytes) };
        let (a, b) = (
            &a[i * a_bytes..(i + 1) * a_bytes],
            &b[i * b_bytes..(i + 1) * b_bytes],
        );
        let system = System {
            kind,
            solve,
            rows,
            columns,
            a,
            b,
        };
        compute_type!(kind, n, T => if n <= FEW {
        system.few::<T>(x)
        } else {
        system.many::<T>(context, x)
        })
    };
    if batch < context.threads() {
        (0..batch).try_for_each(one)
    } else {
        context.try_parallel_for(batch, 1, &|begin, end| (begin..end).try_for_each(one))
    }
}

/// Several systems.
struct Systems<'a> {
    kind: ElementKind,
    solve: Solve,
    batch: usize,
    sizes: (usize, usize),
    a: &'a [u8],
    b: &'a [u8],
}

impl Systems<'_> {
    /// Of a few unknowns.
    fn side_by_side(&self, context: &Context, x: &Pieces<'_, u8>) {
        let (rows, columns) = self.sizes;
        let one = System {
            kind: self.kind,
            solve: self.solve,
            rows,
            columns,
            a: self.a,
            b: self.b,
        };
        let (n, count, kind) = (one.size(), one.count(), self.kind);
        let order = |i: usize| if one.is_lower() { i } else { n - 1 - i };
        let (matrix, sides) = (n * n, rows * columns);
        lanes::groups(context, self.batch, 2 * (matrix + sides), &|first, work| {
            let (given, work) = work.split_at_mut(matrix);
            let (a, work) = work.split_at_mut(matrix);
            let (given_sides, y) = work.split_at_mut(sides);
            lanes::load(kind, self.a, (matrix, self.batch), first, given);
            lanes::load(kind, self.b, (sides, self.batch), first, given_sides);
            for i in 0..n {
                for j in 0..=i {
                    a[i * n + j] = if one.transposed() {
                        given[order(j) * n + order(i)]
                    } else {
                        given[order(i) * n + order(j)]
                    };
                }
                for k in 0..count {
                    y[i * count + k] = given_sides[one.place(k, order(i))];
                }
            }
            lanes::solve(a, n, self.solve.unit_diagonal, y, count);
            for i in 0..n {
                for k in 0..count {
                    given_sides[one.place(k, order(i))] = y[i * count + k];
                }
            }
            // SAFETY: systems are disjoint, each is solved once.
            unsafe { lanes::store(kind, x, (sides, self.batch), first, given_sides) };
        });
    }
}

/// The system as `M y = c`: for the left side `M = op(A)`, for the right side, transposed,
/// `M = op(A)^T`.
struct System<'a> {
    kind: ElementKind,
    solve: Solve,
    rows: usize,
    columns: usize,
    a: &'a [u8],
    b: &'a [u8],
}

impl System<'_> {
    fn size(&self) -> usize {
        if self.solve.left_side {
            self.rows
        } else {
            self.columns
        }
    }

    /// Tells whether `M` is the transposed `A`.
    fn transposed(&self) -> bool {
        (self.solve.transpose != Transpose::No) == self.solve.left_side
    }

    fn conjugated(&self) -> bool {
        self.solve.transpose == Transpose::Adjoint
    }

    fn is_lower(&self) -> bool {
        self.solve.lower != self.transposed()
    }

    /// Returns the position of element `i` of solution `y` in `X`.
    fn place(&self, y: usize, i: usize) -> usize {
        if self.solve.left_side {
            i * self.columns + y
        } else {
            y * self.columns + i
        }
    }

    fn count(&self) -> usize {
        if self.solve.left_side {
            self.columns
        } else {
            self.rows
        }
    }

    /// Of a few unknowns, by substitution.
    fn few<T: Scalar>(&self, x: &mut [u8]) {
        let n = self.size();
        let mut matrix = [[T::ZERO; FEW]; FEW];
        // The order in which unknowns are found.
        let order = |i: usize| if self.is_lower() { i } else { n - 1 - i };
        for (i, row) in matrix.iter_mut().enumerate().take(n) {
            for (j, element) in row.iter_mut().enumerate().take(i + 1) {
                if i == j && self.solve.unit_diagonal {
                    continue;
                }
                let (p, q) = if self.transposed() {
                    (order(j), order(i))
                } else {
                    (order(i), order(j))
                };
                let value: T = load(self.kind, self.a, p * n + q);
                *element = if self.conjugated() {
                    Scalar::conj(value)
                } else {
                    value
                };
            }
        }
        let mut values = [T::ZERO; FEW];
        for y in 0..self.count() {
            for (i, row) in matrix.iter().enumerate().take(n) {
                let mut value: T = load(self.kind, self.b, self.place(y, order(i)));
                for (known, factor) in values[..i].iter().zip(row) {
                    value -= *known * *factor;
                }
                values[i] = if self.solve.unit_diagonal {
                    value
                } else {
                    value / row[i]
                };
                store(self.kind, x, self.place(y, order(i)), values[i]);
            }
        }
    }

    /// Of many unknowns, by blocks.
    fn many<T: Scalar>(&self, context: &Context, x: &mut [u8]) {
        /// Solutions found by one task.
        const TASK: usize = 64;
        let (n, count) = (self.size(), self.count());
        // For a few solutions a copy by columns would cost more than they do.
        let as_it_is = columns::numbers::<T>(self.kind, self.a).filter(|_| count <= FEW);
        let copy;
        let a = match as_it_is {
            Some(numbers) => MatRef::from_row_major_slice(numbers, n, n),
            None => {
                copy = columns::read::<T>(self.kind, self.a, n, (n, n));
                copy.as_ref()
            }
        };
        let a = if self.transposed() { a.transpose() } else { a };
        let conjugate = if self.conjugated() {
            Conj::Yes
        } else {
            Conj::No
        };
        let read = Triangle {
            lower: self.is_lower(),
            unit_diagonal: self.solve.unit_diagonal,
        };
        let size = self.kind.size();
        let x = Pieces::new(x);
        let multiplications = n.saturating_pow(2).saturating_mul(TASK / 2);
        let tasks = count.div_ceil(TASK);
        context.parallel_for(tasks, grain(multiplications), &|begin, end| {
            for task in begin..end {
                let first = task * TASK;
                let taken = TASK.min(count - first);
                let from = &self.b[self.place(first, 0) * size..];
                let mut work = if self.solve.left_side {
                    columns::read::<T>(self.kind, from, self.columns, (n, taken))
                } else {
                    columns::matrix(n, taken, |i, y| load(self.kind, from, y * n + i))
                };
                T::solve(read, (a, conjugate), work.as_mut());
                if self.solve.left_side {
                    for i in 0..n {
                        // SAFETY: each element belongs to one solution of one task.
                        let row = unsafe { x.get(self.place(first, i) * size, taken * size) };
                        columns::write(self.kind, row, (1, taken), |_, y| work[(i, y)]);
                    }
                } else {
                    // SAFETY: as above.
                    let rows = unsafe { x.get(first * n * size, taken * n * size) };
                    columns::write(self.kind, rows, (taken, n), |y, i| work[(i, y)]);
                }
            }
        });
    }
}
