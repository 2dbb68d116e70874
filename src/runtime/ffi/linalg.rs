//! Linear algebra.

use std::ffi::c_void;

use super::{guard, input, output, size};
use crate::linalg::{self, Solve, Transpose};
use crate::{Context, ElementKind, Error, Result};

fn bytes(sizes: &[usize]) -> Result<usize> {
    sizes
        .iter()
        .try_fold(1usize, |p, s| p.checked_mul(*s))
        .filter(|b| *b <= isize::MAX as usize)
        .ok_or_else(|| Error::invalid("matrices of too many elements"))
}

/// Cholesky factors of `batch` matrices of size `n`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_cholesky(
    context: *const Context,
    kind: i32,
    batch: i64,
    n: i64,
    lower: i32,
    a: *const c_void,
    factor: *mut c_void,
) -> i32 {
    // SAFETY: the caller gives tensors of these shapes.
    unsafe {
        guard(context, |context| {
            let kind = ElementKind::from_code(kind)?;
            let (batch, n) = (size(batch, "the batch")?, size(n, "the size of a matrix")?);
            let total = bytes(&[batch, n, n, kind.size()])?;
            linalg::cholesky(
                context,
                kind,
                batch,
                n,
                lower != 0,
                input(a.cast(), total),
                output(factor.cast(), total),
            )
        })
    }
}

/// Solves `batch` triangular systems; `b` and `x` have `rows` × `columns` elements each.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn mw_triangular_solve(
    context: *const Context,
    kind: i32,
    left_side: i32,
    lower: i32,
    unit_diagonal: i32,
    transpose: i32,
    batch: i64,
    rows: i64,
    columns: i64,
    a: *const c_void,
    b: *const c_void,
    x: *mut c_void,
) -> i32 {
    // SAFETY: the caller gives tensors of these shapes.
    unsafe {
        guard(context, |context| {
            let kind = ElementKind::from_code(kind)?;
            let solve = Solve {
                left_side: left_side != 0,
                lower: lower != 0,
                unit_diagonal: unit_diagonal != 0,
                transpose: Transpose::from_code(transpose)?,
            };
            let batch = size(batch, "the batch")?;
            let (rows, columns) = (size(rows, "the rows")?, size(columns, "the columns")?);
            let n = if solve.left_side { rows } else { columns };
            let a = input(a.cast::<u8>(), bytes(&[batch, n, n, kind.size()])?);
            let total = bytes(&[batch, rows, columns, kind.size()])?;
            linalg::triangular_solve(
                context,
                kind,
                solve,
                batch,
                (rows, columns),
                a,
                input(b.cast(), total),
                output(x.cast(), total),
            )
        })
    }
}
