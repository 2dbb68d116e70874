//! `cholesky`: `A = L L^H` or `A = U^H U`.

use super::substitution::{COLUMNS, substitute_block};
use super::{Scalar, compute_type, load, store};
use crate::error::{Error, Result};
use crate::sort::Pieces;
use crate::{Context, ElementKind};

/// Factorises `batch` Hermitian positive definite matrices of size `n`, reading only the lower (or upper) triangle and writing the factor, with
/// zeros in the other triangle. A matrix that is not positive definite gives NaN in the whole triangle.
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
    let one = |b: usize| -> Result<()> {
        // SAFETY: matrices are disjoint, each is factorised once.
        let output = unsafe { output.get(b * bytes, bytes) };
        compute_type!(kind, n, T => matrix::<T>(context, kind, n, lower, &input[b * bytes..(b + 1) * bytes], output))
    };
    if batch < context.threads() {
        (0..batch).try_for_each(one)
    } else {
        context.try_parallel_for(batch, 1, &|begin, end| (begin..end).try_for_each(one))
    }
}

fn matrix<T: Scalar>(
    context: &Context,
    kind: ElementKind,
    n: usize,
    lower: bool,
    input: &[u8],
    output: &mut [u8],
) {
    let mut factor = vec![T::ZERO; n * n];
    for i in 0..n {
        for j in 0..=i {
            factor[i * n + j] = if lower {
                load(kind, input, i * n + j)
            } else {
                load::<T>(kind, input, j * n + i).conj()
            };
        }
    }
    let positive = factorise(context, &mut factor, n) == 0;
    let nan = T::new(f64::NAN, 0.0);
    for i in 0..n {
        for j in 0..n {
            let (row, column) = if lower { (i, j) } else { (j, i) };
            let value = match (column <= row, positive) {
                (false, _) => T::ZERO,
                (true, false) => nan,
                (true, true) if lower => factor[row * n + column],
                (true, true) => factor[row * n + column].conj(),
            };
            store(kind, output, i * n + j, value);
        }
    }
}

/// Replaces the lower triangle of a matrix by its factor. 0, or the number (from 1) of the first row that has none: the leading rows and
/// columns up to it are not positive definite; those before it are replaced.
pub(crate) fn factorise<T: Scalar>(context: &Context, matrix: &mut [T], n: usize) -> usize {
    /// Rows updated by one task.
    const ROWS: usize = 32;
    let mut begin = 0;
    while begin < n {
        let width = COLUMNS.min(n - begin);
        // The factor's rows beside the diagonal block, and the diagonal block itself: read by all rows below.
        let panel: Vec<T> = matrix[begin * n..(begin + width) * n]
            .chunks(n)
            .flat_map(|row| row[..begin].iter().copied())
            .collect();
        let update = |rows: &mut [T], count: usize, tile: &mut [T]| {
            if begin > 0 {
                T::product(
                    (tile, COLUMNS),
                    (rows, n),
                    (&panel, begin),
                    count,
                    width,
                    begin,
                );
                for r in 0..count {
                    for (x, t) in rows[r * n + begin..][..width]
                        .iter_mut()
                        .zip(&tile[r * COLUMNS..])
                    {
                        *x = *x - *t;
                    }
                }
            }
        };
        let (above, below) = matrix.split_at_mut((begin + width) * n);
        let block = &mut above[begin * n..];
        update(block, width, &mut vec![T::ZERO; width * COLUMNS]);
        for i in 0..width {
            let (before, row) = block.split_at_mut(i * n);
            let row = &mut row[begin..begin + width];
            substitute_block(before.get(begin..).unwrap_or(&[]), n, false, &mut row[..i]);
            let (mut pivot, _) = row[i].parts();
            for x in &row[..i] {
                let (re, im) = x.parts();
                pivot -= re * re + im * im;
            }
            if pivot.is_nan() || pivot <= 0.0 {
                return begin + i + 1;
            }
            row[i] = T::new(pivot.sqrt(), 0.0);
            row[i + 1..].fill(T::ZERO);
        }
        let diagonal = &block[begin..];
        let rows = below.len() / n;
        let below = Pieces::new(below);
        context.parallel_for(rows.div_ceil(ROWS), 2, &|first, last| {
            let mut tile = vec![T::ZERO; ROWS * COLUMNS];
            for task in first..last {
                // SAFETY: tasks have disjoint rows.
                let piece = unsafe { below.get(task * ROWS * n, ROWS * n) };
                let count = piece.len() / n;
                update(piece, count, &mut tile);
                for row in piece.chunks_mut(n) {
                    substitute_block(diagonal, n, false, &mut row[begin..begin + width]);
                }
            }
        });
        begin += width;
    }
    0
}
