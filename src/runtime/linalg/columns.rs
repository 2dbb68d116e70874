//! Matrices stored by columns, which is how `faer` computes them, and the tensors stored by rows
//! that they come from.

use std::marker::PhantomData;

use mapwright_dense::{Mat, MatMut};

use super::{Scalar, load, store};
use crate::ElementKind;

/// Rows that are transposed together: their elements in one column are a line or two of the cache.
const ROWS: usize = 16;

/// The bytes of a tensor as numbers that are computed with, where they are stored in that form.
pub(crate) fn numbers<T: Scalar>(kind: ElementKind, bytes: &[u8]) -> Option<&[T]> {
    // SAFETY: a scalar is one or two floating point numbers, for which every pattern of bits is a
    // value.
    let (head, numbers, tail) = unsafe { bytes.align_to::<T>() };
    (kind == T::KIND && head.is_empty() && tail.is_empty()).then_some(numbers)
}

/// As [`numbers`].
pub(crate) fn numbers_mut<T: Scalar>(kind: ElementKind, bytes: &mut [u8]) -> Option<&mut [T]> {
    // SAFETY: as above.
    let (head, numbers, tail) = unsafe { bytes.align_to_mut::<T>() };
    (kind == T::KIND && head.is_empty() && tail.is_empty()).then_some(numbers)
}

/// The matrix with these elements, which are asked for in an order that suits a matrix stored by
/// rows.
pub(crate) fn matrix<T: Scalar>(
    rows: usize,
    columns: usize,
    at: impl Fn(usize, usize) -> T,
) -> Mat<T> {
    let mut matrix = Mat::full(rows, columns, T::ZERO);
    for first in (0..rows).step_by(ROWS) {
        let end = rows.min(first + ROWS);
        for j in 0..columns {
            let part = &mut matrix.col_as_slice_mut(j)[first..end];
            for (i, element) in part.iter_mut().enumerate() {
                *element = at(first + i, j);
            }
        }
    }
    matrix
}

/// Reads a matrix that is stored by rows, `stride` elements apart.
pub(crate) fn read<T: Scalar>(
    kind: ElementKind,
    bytes: &[u8],
    stride: usize,
    (rows, columns): (usize, usize),
) -> Mat<T> {
    match numbers::<T>(kind, bytes) {
        Some(numbers) => matrix(rows, columns, |i, j| numbers[i * stride + j]),
        None => matrix(rows, columns, |i, j| load(kind, bytes, i * stride + j)),
    }
}

/// Writes the matrix of these elements by rows.
pub(crate) fn write<T: Scalar>(
    kind: ElementKind,
    bytes: &mut [u8],
    (rows, columns): (usize, usize),
    at: impl Fn(usize, usize) -> T,
) {
    match numbers_mut::<T>(kind, bytes) {
        Some(numbers) => places(rows, columns, |i, j| numbers[i * columns + j] = at(i, j)),
        None => places(rows, columns, |i, j| {
            store(kind, bytes, i * columns + j, at(i, j));
        }),
    }
}

/// Calls `put` for each element, in an order that suits matrices stored by rows as well as by
/// columns.
fn places(rows: usize, columns: usize, mut put: impl FnMut(usize, usize)) {
    for first in (0..rows).step_by(ROWS) {
        for j in 0..columns {
            for i in first..rows.min(first + ROWS) {
                put(i, j);
            }
        }
    }
}

/// A matrix whose parts several threads write to.
pub(crate) struct Shared<'a, T> {
    pointer: *mut T,
    stride: isize,
    rows: usize,
    columns: usize,
    matrix: PhantomData<&'a mut T>,
}

// SAFETY: access is through an unsafe function, whose callers keep the parts disjoint.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    /// Of a matrix whose columns are without gaps.
    pub(crate) fn new(matrix: MatMut<'a, T>) -> Self {
        assert!(matrix.row_stride() == 1 || matrix.nrows() <= 1);
        Self {
            stride: matrix.col_stride(),
            rows: matrix.nrows(),
            columns: matrix.ncols(),
            pointer: matrix.as_ptr_mut(),
            matrix: PhantomData,
        }
    }

    /// The rows and columns of the ranges.
    ///
    /// # Safety
    /// No other part in use has an element of this one.
    pub(crate) unsafe fn part(
        &self,
        rows: std::ops::Range<usize>,
        columns: std::ops::Range<usize>,
    ) -> MatMut<'a, T> {
        assert!(rows.start <= rows.end && rows.end <= self.rows);
        assert!(columns.start <= columns.end && columns.end <= self.columns);
        let first = self
            .pointer
            .wrapping_offset(self.stride * columns.start as isize)
            .wrapping_add(rows.start);
        // SAFETY: inside of the matrix by the lines above; not aliased by the caller's promise.
        unsafe { MatMut::from_raw_parts_mut(first, rows.len(), columns.len(), 1, self.stride) }
    }
}
