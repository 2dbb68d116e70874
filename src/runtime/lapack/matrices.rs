//! Tensors of matrices, one matrix at a time.

use std::marker::PhantomData;

use mapwright_dense::Mat;

use crate::custom_call::BufferView;
use crate::error::{Error, Result};
use crate::linalg::lanes::{self, Lanes};
use crate::linalg::{Scalar, columns, load, store};
use crate::sort::Pieces;
use crate::{Context, ElementKind};

fn shape(view: &BufferView) -> Result<(ElementKind, Vec<usize>, usize)> {
    let kind = ElementKind::from_code(view.kind)?;
    let rank = usize::try_from(view.rank).map_err(|_| Error::invalid("a negative rank"))?;
    let sizes: &[i64] = match rank {
        0 => &[],
        // SAFETY: a valid view has `rank` sizes.
        _ => unsafe { std::slice::from_raw_parts(view.shape, rank) },
    };
    let sizes: Vec<usize> = sizes
        .iter()
        .map(|size| usize::try_from(*size).map_err(|_| Error::invalid("a negative size")))
        .collect::<Result<_>>()?;
    let bytes = sizes
        .iter()
        .try_fold(kind.size(), |p, size| p.checked_mul(*size))
        .ok_or_else(|| Error::invalid("a tensor of too many elements"))?;
    Ok((kind, sizes, bytes))
}

/// A tensor that is read.
pub(super) struct Argument<'a> {
    pub kind: ElementKind,
    pub shape: Vec<usize>,
    bytes: &'a [u8],
}

impl Argument<'_> {
    /// # Safety
    /// The view describes a valid buffer.
    pub unsafe fn new(view: &BufferView) -> Result<Self> {
        let (kind, shape, length) = shape(view)?;
        let bytes = match length {
            0 => &[],
            // SAFETY: the caller's promise.
            _ => unsafe { std::slice::from_raw_parts(view.data.cast::<u8>(), length) },
        };
        Ok(Self { kind, shape, bytes })
    }

    /// Matrix (or vector) `index` of `size` elements.
    pub fn read<T: Scalar>(&self, index: usize, size: usize) -> Vec<T> {
        (index * size..(index + 1) * size)
            .map(|i| load(self.kind, self.bytes, i))
            .collect()
    }

    /// An element, counted through the whole tensor.
    pub fn element<T: Scalar>(&self, index: usize) -> T {
        load(self.kind, self.bytes, index)
    }

    /// Matrix `index` of `rows` by `columns` elements, stored by columns.
    pub fn matrix<T: Scalar>(&self, index: usize, rows: usize, columns: usize) -> Mat<T> {
        let size = rows * columns * self.kind.size();
        let bytes = &self.bytes[index * size..(index + 1) * size];
        columns::read(self.kind, bytes, columns, (rows, columns))
    }

    /// Matrices (or vectors) `first …` of `size` elements, side by side.
    pub fn lanes(&self, first: usize, size: usize, into: &mut [Lanes]) {
        let count = self.bytes.len() / (size * self.kind.size()).max(1);
        if count > 0 {
            lanes::load(self.kind, self.bytes, (size, count), first, into);
        }
    }

    /// As [`Argument::read`], of a tensor of `i32`.
    pub fn integers(&self, index: usize, size: usize) -> Vec<i32> {
        let bytes = &self.bytes[index * size * 4..(index + 1) * size * 4];
        let numbers = bytes.as_chunks::<4>().0;
        numbers.iter().map(|b| i32::from_ne_bytes(*b)).collect()
    }
}

/// A tensor that is written, by several threads in different places.
pub(super) struct Outcome<'a> {
    pub kind: ElementKind,
    pub shape: Vec<usize>,
    bytes: Pieces<'a, u8>,
    buffer: PhantomData<&'a mut [u8]>,
}

impl Outcome<'_> {
    /// # Safety
    /// The view describes a valid buffer that nobody else accesses.
    pub unsafe fn new(view: &mut BufferView) -> Result<Self> {
        let (kind, shape, length) = shape(view)?;
        let bytes: &mut [u8] = match length {
            0 => &mut [],
            // SAFETY: the caller's promise.
            _ => unsafe { std::slice::from_raw_parts_mut(view.data.cast::<u8>(), length) },
        };
        Ok(Self {
            kind,
            shape,
            bytes: Pieces::new(bytes),
            buffer: PhantomData,
        })
    }

    /// Writes matrices `first …` of `size` elements, which are side by side.
    ///
    /// # Safety
    /// Nobody else accesses these matrices.
    pub unsafe fn write_lanes(&self, first: usize, size: usize, from: &[Lanes]) {
        let count = self.bytes.len() / (size * self.kind.size()).max(1);
        if count > first {
            // SAFETY: the caller's promise.
            unsafe { lanes::store(self.kind, &self.bytes, (size, count), first, from) };
        }
    }

    /// As [`Outcome::write_lanes`], of a tensor of `i32`.
    ///
    /// # Safety
    /// Nobody else accesses these matrices.
    pub unsafe fn write_integer_lanes(&self, first: usize, from: &[[i32; lanes::LANES]]) {
        let count = self.bytes.len() / (from.len() * 4).max(1);
        let width = from.len() * 4;
        for lane in 0..lanes::LANES.min(count.saturating_sub(first)) {
            // SAFETY: the caller's promise.
            let bytes = unsafe { self.bytes.get((first + lane) * width, width) };
            for (bytes, values) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(from) {
                *bytes = values[lane].to_ne_bytes();
            }
        }
    }

    /// Writes matrix `index`.
    ///
    /// # Safety
    /// Nobody else accesses this matrix.
    pub unsafe fn write<T: Scalar>(&self, index: usize, values: &[T]) {
        let size = values.len() * self.kind.size();
        // SAFETY: the caller's promise.
        let bytes = unsafe { self.bytes.get(index * size, size) };
        for (i, value) in values.iter().enumerate() {
            store(self.kind, bytes, i, *value);
        }
    }

    /// Writes the `rows` by `columns` elements of matrix `index`.
    ///
    /// # Safety
    /// Nobody else accesses this matrix.
    pub unsafe fn write_matrix<T: Scalar>(
        &self,
        index: usize,
        (rows, columns): (usize, usize),
        at: impl Fn(usize, usize) -> T,
    ) {
        let size = rows * columns * self.kind.size();
        // SAFETY: the caller's promise.
        let bytes = unsafe { self.bytes.get(index * size, size) };
        columns::write(self.kind, bytes, (rows, columns), at);
    }

    /// Writes integers as matrix `index` of a tensor of `i32`.
    ///
    /// # Safety
    /// Nobody else accesses this matrix.
    pub unsafe fn write_integers(&self, index: usize, values: &[i32]) {
        let size = values.len() * 4;
        // SAFETY: the caller's promise.
        let bytes = unsafe { self.bytes.get(index * size, size) };
        for (place, value) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(values) {
            *place = value.to_ne_bytes();
        }
    }
}

/// Tensor that a function expects: its element type, and its shape without the leading dimensions.
pub(super) type Expected<'a> = (ElementKind, &'a [usize]);

fn error(what: &str, i: usize, kind: ElementKind, shape: &[usize], wanted: Expected<'_>) -> Error {
    Error::invalid(format!(
        "{what} {i} is {shape:?} of {}, where {:?} of {} is expected after the dimensions of the batch",
        kind.name(),
        wanted.1,
        wanted.0.name()
    ))
}

/// The number of matrices in a call, whose tensors must have the same leading dimensions and these
/// types and shapes after them.
pub(super) fn batch(
    arguments: &[Argument<'_>],
    results: &[Outcome<'_>],
    expected: (&[Expected<'_>], &[Expected<'_>]),
) -> Result<usize> {
    if (arguments.len(), results.len()) != (expected.0.len(), expected.1.len()) {
        return Err(Error::invalid(format!(
            "{} arguments and {} results, where {} and {} are expected",
            arguments.len(),
            results.len(),
            expected.0.len(),
            expected.1.len()
        )));
    }
    let first = arguments.first().zip(expected.0.first());
    let leading = first.map_or(&[][..], |(tensor, (_, shape))| {
        &tensor.shape[..tensor.shape.len().saturating_sub(shape.len())]
    });
    let fits = |kind: ElementKind, shape: &[usize], wanted: &Expected<'_>| {
        let rest = shape.strip_prefix(leading);
        kind == wanted.0 && rest == Some(wanted.1)
    };
    for (i, (tensor, wanted)) in arguments.iter().zip(expected.0).enumerate() {
        if !fits(tensor.kind, &tensor.shape, wanted) {
            return Err(error("argument", i, tensor.kind, &tensor.shape, *wanted));
        }
    }
    for (i, (tensor, wanted)) in results.iter().zip(expected.1).enumerate() {
        if !fits(tensor.kind, &tensor.shape, wanted) {
            return Err(error("result", i, tensor.kind, &tensor.shape, *wanted));
        }
    }
    Ok(leading.iter().product())
}

/// Rows and columns of the matrices that argument `index` consists of.
pub(super) fn rows_and_columns(arguments: &[Argument<'_>], index: usize) -> Result<(usize, usize)> {
    let shape = arguments.get(index).map_or(&[][..], |a| &a.shape);
    match shape {
        [.., rows, columns] => Ok((*rows, *columns)),
        _ => Err(Error::invalid(format!("argument {index} is no matrix"))),
    }
}

/// Calls `one` for each of `count` matrices, on several threads where there are as many matrices as
/// threads.
pub(super) fn each(context: &Context, count: usize, one: &(dyn Fn(usize) + Sync)) {
    if count < context.threads() {
        (0..count).for_each(one);
    } else {
        context.parallel_for(count, 1, &|begin, end| (begin..end).for_each(one));
    }
}

/// `y - f x` in the place of `y`.
#[inline(always)]
pub(super) fn subtract<T: Scalar>(y: &mut [T], f: T, x: &[T]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y -= f * *x;
    }
}

/// The sum of `conj(x) y`, of vectors of one length.
#[inline(always)]
pub(super) fn inner<T: Scalar>(x: &[T], y: &[T]) -> T {
    // Sums side by side, which do not wait for each other.
    const SIDE: usize = 8;
    let mut sums = [T::ZERO; SIDE];
    let ((xs, x), (ys, y)) = (x.as_chunks::<SIDE>(), y.as_chunks::<SIDE>());
    for (x, y) in xs.iter().zip(ys) {
        for k in 0..SIDE {
            sums[k] += x[k].conj() * y[k];
        }
    }
    let rest = x.iter().zip(y).map(|(x, y)| x.conj() * *y);
    rest.chain(sums).fold(T::ZERO, |sum, x| sum + x)
}

/// The Euclidean norm, also where squares would overflow or vanish.
pub(super) fn norm<T: Scalar>(values: &[T]) -> f64 {
    let square = |x: T| {
        let (re, im) = x.parts();
        re * re + im * im
    };
    // Sums side by side, as above.
    const SIDE: usize = 8;
    let mut sums = [0.0f64; SIDE];
    let (groups, rest) = values.as_chunks::<SIDE>();
    for group in groups {
        for (sum, x) in sums.iter_mut().zip(group) {
            *sum += square(*x);
        }
    }
    let sum: f64 = rest.iter().map(|x| square(*x)).chain(sums).sum();
    // Neither a square that matters nor the sum has left the numbers there are.
    if (1e-200..1e200).contains(&sum) {
        return sum.sqrt();
    }
    let sizes = values.iter().map(|x| {
        let (re, im) = x.parts();
        re.abs().max(im.abs())
    });
    let largest = sizes.fold(0.0, f64::max);
    if largest == 0.0 || !largest.is_finite() {
        // A sum, in which NaN stays.
        return (values.iter()).fold(0.0, |sum, x| sum + x.parts().0.abs() + x.parts().1.abs());
    }
    let squares = values.iter().map(|x| {
        let (re, im) = x.parts();
        (re / largest).powi(2) + (im / largest).powi(2)
    });
    largest * squares.sum::<f64>().sqrt()
}

/// Tells whether every part of every number is finite.
pub(super) fn finite<T: Scalar>(values: &[T]) -> bool {
    values.iter().all(|x| {
        let (re, im) = x.parts();
        re.is_finite() && im.is_finite()
    })
}
