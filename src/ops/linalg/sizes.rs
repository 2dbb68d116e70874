//! Shape functions of transforms, and which sizes factorisations require.

use crate::attrs::{self, FftType};
use crate::shape_function::{Found, Pairs, ShapeQuery, Size, SizeError};

/// The two last sizes of a matrix, and how many come before them.
fn matrix(sizes: &[Size]) -> Found<([Size; 2], usize)> {
    match sizes {
        [batch @ .., rows, columns] => Ok(([*rows, *columns], batch.len())),
        _ => Err(SizeError::Unknown("an operand is no matrix".into())),
    }
}

/// `triangular_solve`: the matrix is a square that the right-hand sides fit.
pub(crate) fn solve_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let (a, x) = (query.operand(0)?, query.operand(1)?);
    let ([rows, columns], n) = matrix(&a)?;
    let (sides, _) = matrix(&x)?;
    let left = attrs::flag(query.op, "left_side", true)?;
    let along = sides[usize::from(!left)];
    let mut pairs = vec![(rows, columns), (rows, along)];
    pairs.extend(a.into_iter().zip(x).take(n));
    Ok(pairs)
}

/// `cholesky`: the matrix is a square.
pub(crate) fn cholesky_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let a = query.operand(0)?;
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
pub(crate) fn fft(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let mut sizes = query.operand(0)?;
    let lengths = attrs::fft_length(query.op, sizes.len())?;
    if let (Some(last), Some(length)) = (sizes.last_mut(), lengths.last()) {
        match attrs::fft_type(query.op)? {
            FftType::Rfft => *last = Size::Known(half(*length)),
            FftType::Irfft => *last = Size::Known(*length),
            _ => {}
        }
    }
    Ok(sizes)
}

/// The transformed dimensions have the lengths that the attribute says.
pub(crate) fn fft_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let own = query.operand(0)?;
    let mut lengths = attrs::fft_length(query.op, own.len())?;
    if let (Some(last), FftType::Irfft) = (lengths.last_mut(), attrs::fft_type(query.op)?) {
        *last = half(*last);
    }
    let from = own.len() - lengths.len();
    let lengths = lengths.into_iter().map(Size::Known);
    Ok(own.into_iter().skip(from).zip(lengths).collect())
}
