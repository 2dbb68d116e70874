//! Shape functions of transforms, and which sizes factorisations require.

use crate::attrs::{self, FftType};
use crate::shape_function::{Found, Shapes, Size, SizeError};
use mapwright_mlir::Op;

/// The two last sizes of a matrix, and how many come before them.
fn matrix(sizes: &[Size]) -> Found<([Size; 2], usize)> {
    match sizes {
        [batch @ .., rows, columns] => Ok(([*rows, *columns], batch.len())),
        _ => Err(SizeError::Unknown("an operand is no matrix".into())),
    }
}

/// `triangular_solve`: the matrix is a square that the right-hand sides fit.
pub(crate) fn solve_fits<'c>(shapes: &mut dyn Shapes<'c>, op: Op<'c>) -> Found<Vec<(Size, Size)>> {
    let (a, x) = (shapes.operand(op, 0)?, shapes.operand(op, 1)?);
    let ([rows, columns], n) = matrix(&a)?;
    let (sides, _) = matrix(&x)?;
    let left = attrs::flag(op, "left_side", true)?;
    let along = sides[usize::from(!left)];
    let mut pairs = vec![(rows, columns), (rows, along)];
    pairs.extend(a.into_iter().zip(x).take(n));
    Ok(pairs)
}

/// `cholesky`: the matrix is a square.
pub(crate) fn cholesky_fits<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
) -> Found<Vec<(Size, Size)>> {
    let a = shapes.operand(op, 0)?;
    let ([rows, columns], _) = matrix(&a)?;
    Ok(vec![(rows, columns)])
}

/// Elements of half a transform of `n` real numbers.
fn half(n: i64) -> i64 {
    match n {
        0 => 0,
        n => n / 2 + 1,
    }
}

/// `fft`: a transform of real numbers has half of the elements, and its inverse has them all again.
pub(crate) fn fft<'c>(shapes: &mut dyn Shapes<'c>, op: Op<'c>, _: usize) -> Found<Vec<Size>> {
    let mut sizes = shapes.operand(op, 0)?;
    let lengths = attrs::fft_length(op, sizes.len())?;
    if let (Some(last), Some(length)) = (sizes.last_mut(), lengths.last()) {
        match attrs::fft_type(op)? {
            FftType::Rfft => *last = Size::Known(half(*length)),
            FftType::Irfft => *last = Size::Known(*length),
            _ => {}
        }
    }
    Ok(sizes)
}

/// The transformed dimensions have the lengths that the attribute says.
pub(crate) fn fft_fits<'c>(shapes: &mut dyn Shapes<'c>, op: Op<'c>) -> Found<Vec<(Size, Size)>> {
    let own = shapes.operand(op, 0)?;
    let mut lengths = attrs::fft_length(op, own.len())?;
    if let (Some(last), FftType::Irfft) = (lengths.last_mut(), attrs::fft_type(op)?) {
        *last = half(*last);
    }
    let from = own.len() - lengths.len();
    let lengths = lengths.into_iter().map(Size::Known);
    Ok(own.into_iter().skip(from).zip(lengths).collect())
}
