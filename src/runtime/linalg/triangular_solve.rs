//! `triangular_solve`: `op(A) X = B` or `X op(A) = B`.

use super::substitution::substitute;
use super::{Scalar, compute_type, load, store};
use crate::error::{Error, Result};
use crate::sort::Pieces;
use crate::{Context, ElementKind};

/// What is done to the matrix before solving; the codes are those of `enum mw_transpose`.
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

/// Solves `batch` systems: `a` holds matrices of size `n`, `b` and `x` matrices of `rows` × `columns`, where `rows` (left side) or `columns`
/// (right side) is `n`.
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
    let one = |i: usize| -> Result<()> {
        // SAFETY: systems are disjoint, each is solved once.
        let x = unsafe { x.get(i * b_bytes, b_bytes) };
        let (a, b) = (
            &a[i * a_bytes..(i + 1) * a_bytes],
            &b[i * b_bytes..(i + 1) * b_bytes],
        );
        compute_type!(kind, n, T => system::<T>(context, kind, solve, (rows, columns), a, b, x))
    };
    if batch < context.threads() {
        (0..batch).try_for_each(one)
    } else {
        context.try_parallel_for(batch, 1, &|begin, end| (begin..end).try_for_each(one))
    }
}

/// Solves one system as rows `y` with `y M = c`: for the right side `M = op(A)`, for the left side, transposed, `M = op(A)^T`. When `M` is
/// upper triangular, `L = M^H` is lower; otherwise the order of rows and columns is reversed first.
fn system<T: Scalar>(
    context: &Context,
    kind: ElementKind,
    solve: Solve,
    (rows, columns): (usize, usize),
    a: &[u8],
    b: &[u8],
    x: &mut [u8],
) {
    let n = if solve.left_side { rows } else { columns };
    // M = A or its conjugate, transposed or not.
    let transposed = (solve.transpose != Transpose::No) != solve.left_side;
    let conjugated = solve.transpose == Transpose::Adjoint;
    let m_is_lower = solve.lower != transposed;
    let place = |i: usize| if m_is_lower { n - 1 - i } else { i };
    let mut lower = vec![T::ZERO; n * n];
    for i in 0..n {
        for j in 0..=i {
            if i == j && solve.unit_diagonal {
                continue;
            }
            // L[i][j] = conj(M[j][i]), of the reversed M where it is reversed.
            let (p, q) = (place(j), place(i));
            let (p, q) = if transposed { (q, p) } else { (p, q) };
            let value: T = load(kind, a, p * n + q);
            lower[i * n + j] = if conjugated { value } else { value.conj() };
        }
    }
    /// Rows solved by one task.
    const ROWS: usize = 32;
    let count = if solve.left_side { columns } else { rows };
    let at = |row: usize, i: usize| {
        if solve.left_side {
            place(i) * columns + row
        } else {
            row * columns + place(i)
        }
    };
    let size = kind.size();
    let x = Pieces::new(x);
    context.parallel_for(
        count.div_ceil(ROWS),
        (1 << 15) / (n * n * ROWS).max(1) + 1,
        &|begin, end| {
            let mut work = vec![T::ZERO; ROWS * n];
            for task in begin..end {
                let first = task * ROWS;
                let taken = ROWS.min(count - first);
                for i in 0..n {
                    for r in 0..taken {
                        work[r * n + i] = load(kind, b, at(first + r, i));
                    }
                }
                substitute(&lower, n, solve.unit_diagonal, &mut work, n, taken);
                for i in 0..n {
                    for r in 0..taken {
                        // SAFETY: each element belongs to one row of one task.
                        let element = unsafe { x.get(at(first + r, i) * size, size) };
                        store(kind, element, 0, work[r * n + i]);
                    }
                }
            }
        },
    );
}
