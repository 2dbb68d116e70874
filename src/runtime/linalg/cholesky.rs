//! `cholesky`: `A = L L^H` or `A = U^H U`.

use mapwright_dense::{Conj, Mat, MatMut, Reborrow, ReborrowMut, Store, Triangle, adjoint, plain};

use super::columns::{self, Shared};
use super::lanes::{self, Lanes};
use super::{FEW, Scalar, compute_type, load, store};
use crate::error::{Error, Result};
use crate::sort::Pieces;
use crate::{Context, ElementKind};

/// Columns that are factorised before the rest of a large matrix is updated.
const WIDTH: usize = 128;

/// Matrices up to this size are factorised by one thread.
const LARGE: usize = 2 * WIDTH;

/// Rows or columns that one task updates.
const TASK: usize = 64;

/// Factorises `batch` Hermitian positive definite matrices of size `n`, reading only the lower (or
/// upper) triangle and writing the factor, with zeros in the other triangle. A matrix that is not
/// positive definite gives NaN in the whole triangle.
///
/// # Errors
/// `InvalidArgument` when a slice has the wrong size; `Unsupported` for integers.
pub fn cholesky(
    context: &Context,
    kind: ElementKind,
    batch: usize,
    n: usize,
    lower: bool,
    input: &[u8],
    output: &mut [u8],
) -> Result<()> {
    let bytes = n.checked_mul(n).and_then(|x| x.checked_mul(kind.size()));
    let total = bytes.and_then(|b| b.checked_mul(batch));
    let (Some(bytes), Some(total)) = (bytes, total) else {
        return Err(Error::invalid("matrices of too many elements"));
    };
    if input.len() != total || output.len() != total {
        return Err(Error::invalid(format!(
            "{} and {} bytes for {batch} matrices of size {n}",
            input.len(),
            output.len()
        )));
    }
    let output = Pieces::new(output);
    if n <= FEW && lanes::are_for(kind) {
        lanes::groups(context, batch, n * n, &|first, a| {
            side_by_side(kind, (n, batch), lower, input, &output, first, a);
        });
        return Ok(());
    }
    let one = |b: usize| -> Result<()> {
        // SAFETY: matrices are disjoint, each is factorised once.
        let output = unsafe { output.get(b * bytes, bytes) };
        let input = &input[b * bytes..(b + 1) * bytes];
        compute_type!(kind, n, T => if n <= FEW {
        few::<T>(kind, n, lower, input, output)
        } else {
        many::<T>(context, kind, n, lower, input, output)
        })
    };
    if batch < context.threads() {
        (0..batch).try_for_each(one)
    } else {
        context.try_parallel_for(batch, 1, &|begin, end| (begin..end).try_for_each(one))
    }
}

/// Matrices of a few rows.
fn side_by_side(
    kind: ElementKind,
    (n, batch): (usize, usize),
    lower: bool,
    input: &[u8],
    output: &Pieces<'_, u8>,
    first: usize,
    a: &mut [Lanes],
) {
    lanes::load(kind, input, (n * n, batch), first, a);
    if !lower {
        transpose(a, n);
    }
    let failed = lanes::cholesky(a, n);
    for i in 0..n {
        for j in 0..n {
            let own = &mut a[i * n + j];
            if j > i {
                *own = lanes::ZERO
            } else {
                for (x, failed) in own.iter_mut().zip(failed) {
                    *x = if failed == 0 { *x } else { f64::NAN };
                }
            }
        }
    }
    if !lower {
        transpose(a, n);
    }
    // SAFETY: matrices are disjoint, each is factorised once.
    unsafe { lanes::store(kind, output, (n * n, batch), first, a) };
}

/// Transposes matrices side by side.
pub(crate) fn transpose(a: &mut [Lanes], n: usize) {
    for i in 0..n {
        for j in 0..i {
            a.swap(i * n + j, j * n + i);
        }
    }
}

/// A matrix of a few rows, by the definition of the factor.
fn few<T: Scalar>(kind: ElementKind, n: usize, lower: bool, input: &[u8], output: &mut [u8]) {
    let mut factor = [[T::ZERO; FEW]; FEW];
    for i in 0..n {
        for j in 0..=i {
            factor[i][j] = if lower {
                load(kind, input, i * n + j)
            } else {
                load::<T>(kind, input, j * n + i).conj()
            };
        }
    }
    let positive = factorise_few(&mut factor, n) == 0;
    let nan = T::new(f64::NAN, 0.0);
    for i in 0..n {
        for j in 0..n {
            let (row, column) = if lower { (i, j) } else { (j, i) };
            let value = match (column <= row, positive) {
                (false, _) => T::ZERO,
                (true, false) => nan,
                (true, true) if lower => factor[row][column],
                (true, true) => factor[row][column].conj(),
            };
            store(kind, output, i * n + j, value);
        }
    }
}

/// As [`factorise`], by rows.
pub(crate) fn factorise_few<T: Scalar>(factor: &mut [[T; FEW]; FEW], n: usize) -> usize {
    for i in 0..n {
        let (before, rows) = factor.split_at_mut(i);
        let row = &mut rows[0];
        for (j, known) in before.iter().enumerate() {
            let mut x = row[j];
            for (y, l) in row[..j].iter().zip(known) {
                x -= *y * l.conj();
            }
            row[j] = x / known[j].conj();
        }
        let (mut pivot, _) = row[i].parts();
        for x in &row[..i] {
            let (re, im) = x.parts();
            pivot -= re * re + im * im;
        }
        if pivot.is_nan() || pivot <= 0.0 {
            return i + 1;
        }
        row[i] = T::new(pivot.sqrt(), 0.0);
    }
    0
}

fn many<T: Scalar>(
    context: &Context,
    kind: ElementKind,
    n: usize,
    lower: bool,
    input: &[u8],
    output: &mut [u8],
) {
    let mut factor = triangle(columns::read::<T>(kind, input, n, (n, n)), lower);
    let positive = factorise(context, factor.as_mut()) == 0;
    let nan = T::new(f64::NAN, 0.0);
    columns::write(kind, output, (n, n), |i, j| {
        let (row, column) = if lower { (i, j) } else { (j, i) };
        match (column <= row, positive) {
            (false, _) => T::ZERO,
            (true, false) => nan,
            (true, true) if lower => factor[(row, column)],
            (true, true) => Scalar::conj(factor[(row, column)]),
        }
    });
}

/// The matrix with what is read of it in the lower triangle.
pub(crate) fn triangle<T: Scalar>(a: Mat<T>, lower: bool) -> Mat<T> {
    if lower { a } else { a.adjoint().to_owned() }
}

/// Replaces the lower triangle of a matrix, whose columns are without gaps, by its factor. 0, or
/// the number (from 1) of the first row that has none: the leading rows and columns up to it are
/// not positive definite; those before it are replaced.
pub(crate) fn factorise<T: Scalar>(context: &Context, mut a: MatMut<'_, T>) -> usize {
    let n = a.nrows();
    let step = if n <= LARGE { n } else { WIDTH };
    let mut begin = 0;
    while begin < n {
        let rest = a.rb_mut().submatrix_mut(begin, begin, n - begin, n - begin);
        let width = step.min(n - begin);
        let (mut block, _, mut below, rest) = rest.split_at_mut(width, width);
        let given = block.rb().to_owned();
        if let Err(index) = T::cholesky(block.rb_mut()) {
            block.copy_from_triangular_lower(&given);
            // What is before the row in question is positive definite.
            let before = T::cholesky(block.submatrix_mut(0, 0, index, index));
            return begin + before.err().unwrap_or(index) + 1;
        }
        let block = block.rb();
        let (rows, stride) = (n - begin - width, width.pow(2) * TASK);
        let shared = Shared::new(below.rb_mut());
        let tasks = rows.div_ceil(TASK);
        let range = |task: usize| task * TASK..rows.min((task + 1) * TASK);
        context.parallel_for(tasks, grain(stride), &|first, last| {
            for task in first..last {
                // SAFETY: tasks have disjoint rows.
                let rows = unsafe { shared.part(range(task), 0..width) };
                // x L^H = b, as conj(L) x^T = b^T.
                let read = Triangle {
                    lower: true,
                    unit_diagonal: false,
                };
                T::solve(read, (block, Conj::Yes), rows.transpose_mut());
            }
        });
        let (below, rest) = (below.rb(), Shared::new(rest));
        context.parallel_for(tasks, grain(stride), &|first, last| {
            for task in first..last {
                let columns = range(task);
                let behind = columns.end..rows;
                let own = below.get(columns.clone(), ..);
                let others = below.get(behind.clone(), ..);
                // SAFETY: tasks have disjoint columns, and the two parts disjoint rows.
                let (diagonal, beneath) = unsafe {
                    (
                        rest.part(columns.clone(), columns.clone()),
                        rest.part(behind, columns),
                    )
                };
                let minus = T::new(-1.0, 0.0);
                T::multiply(diagonal, Store::AddLower, minus, plain(own), adjoint(own));
                T::multiply(beneath, Store::Add, minus, plain(others), adjoint(own));
            }
        });
        begin += width;
    }
    0
}

/// Tasks of so many multiplications that are worth another thread.
pub(crate) fn grain(multiplications: usize) -> usize {
    const LEAST: usize = 200_000;
    LEAST / multiplications.max(1) + 1
}
