//! Products of Householder's reflections, many at once.
//!
//! The product of `1 - tau_i v_i v_i^H` is `1 - V T^-1 V^H`, where `T` has `1 / tau_i` on its
//! diagonal and `v_i^H v_j` above it (Joffrain et al., "Accumulating Householder transformations,
//! revisited", 2006): two products of matrices and a solve in the place of a sweep a reflection.

use mapwright_dense::{Mat, MatMut, MatRef, ReborrowMut, Store, Triangle, adjoint, plain};

use super::matrices::{inner, subtract};
use super::reflection::{reflect, reflection};
use crate::Context;
use crate::linalg::columns::Shared;
use crate::linalg::{self, Scalar, grain};

/// Reflections of one product.
const WIDTH: usize = 32;

/// Reflections that are applied one by one.
const FEW: usize = 8;

/// Columns that one task reflects.
const TASK: usize = 64;

/// The product of some reflections.
struct Block<T> {
    /// The vectors as columns: one on the diagonal, zero above.
    vectors: Mat<T>,
    triangle: Mat<T>,
}

impl<T: Scalar> Block<T> {
    /// Of the vectors below the diagonal of columns.
    fn new(columns: MatRef<'_, T>, taus: &[T]) -> Self {
        let mut vectors = Mat::full(columns.nrows(), taus.len(), T::ZERO);
        for j in 0..taus.len() {
            let vector = &mut vectors.col_as_slice_mut(j)[j..];
            vector[0] = T::new(1.0, 0.0);
            match columns.col(j).try_as_col_major() {
                Some(column) => vector[1..].copy_from_slice(&column.as_slice()[j + 1..]),
                None => (1..vector.len()).for_each(|i| vector[i] = columns[(j + i, j)]),
            }
        }
        let mut triangle = T::product(adjoint(vectors.as_ref()), plain(vectors.as_ref()));
        for (i, tau) in taus.iter().enumerate() {
            // Nothing is reflected where this is infinite.
            triangle[(i, i)] = match tau.parts() {
                (0.0, 0.0) => T::new(f64::INFINITY, 0.0),
                _ => T::new(1.0, 0.0) / *tau,
            };
        }
        Self { vectors, triangle }
    }

    /// Multiplies columns by the product, or its adjoint, from the left.
    fn apply(&self, columns: MatMut<'_, T>, inverse: bool) {
        let (vectors, triangle) = (self.vectors.as_ref(), self.triangle.as_ref());
        let mut parts = T::product(adjoint(vectors), plain(columns.as_ref()));
        let read = Triangle {
            lower: inverse,
            unit_diagonal: false,
        };
        let triangle = if inverse {
            adjoint(triangle)
        } else {
            plain(triangle)
        };
        T::solve(read, triangle, parts.as_mut());
        let (minus, parts) = (T::new(-1.0, 0.0), plain(parts.as_ref()));
        T::multiply(columns, Store::Add, minus, plain(vectors), parts);
    }

    /// Multiplies columns as [`Self::apply`] does, on the threads of a context; the columns are
    /// without gaps.
    fn apply_shared(&self, context: &Context, columns: MatMut<'_, T>, adjoint: bool) {
        let (rows, count) = (columns.nrows(), columns.ncols());
        let columns = Shared::new(columns);
        let multiplications = 2 * rows * self.triangle.ncols() * TASK;
        context.parallel_for(
            count.div_ceil(TASK),
            grain(multiplications),
            &|begin, end| {
                for task in begin..end {
                    let own = task * TASK..count.min((task + 1) * TASK);
                    // SAFETY: tasks have disjoint columns.
                    let part = unsafe { columns.part(0..rows, own) };
                    self.apply(part, adjoint);
                }
            },
        );
    }
}

/// Reflects a matrix, whose columns are without gaps, to an upper triangle, with the vectors of the
/// reflections below; the `tau`s.
pub(super) fn factorise<T: Scalar>(context: &Context, mut a: MatMut<'_, T>) -> Vec<T> {
    let (m, n) = (a.nrows(), a.ncols());
    let least = m.min(n);
    let mut taus = vec![T::ZERO; least];
    for begin in (0..least).step_by(WIDTH) {
        let end = least.min(begin + WIDTH);
        let rest = a.rb_mut().submatrix_mut(begin, begin, m - begin, n - begin);
        let (mut panel, right) = rest.split_at_col_mut(end - begin);
        factorise_columns(panel.rb_mut(), &mut taus[begin..end]);
        if right.ncols() > 0 {
            let block = Block::new(panel.as_ref(), &taus[begin..end]);
            block.apply_shared(context, right, true);
        }
    }
    taus
}

/// As [`factorise`], of columns, no more than there are rows: the left half, the right one with
/// what that makes of it.
fn factorise_columns<T: Scalar>(mut a: MatMut<'_, T>, taus: &mut [T]) {
    let n = a.ncols();
    if n <= FEW {
        return factorise_few(a, taus);
    }
    let half = n / 2;
    let (mut left, mut right) = a.rb_mut().split_at_col_mut(half);
    let (first, second) = taus.split_at_mut(half);
    factorise_columns(left.rb_mut(), first);
    Block::new(left.as_ref(), first).apply(right.rb_mut(), true);
    factorise_columns(right.get_mut(half.., ..), second);
}

fn factorise_few<T: Scalar>(mut a: MatMut<'_, T>, taus: &mut [T]) {
    for (k, tau) in taus.iter_mut().enumerate() {
        let (left, mut right) = a.rb_mut().split_at_col_mut(k + 1);
        let Some(column) = left.col_mut(k).try_as_col_major_mut() else {
            continue;
        };
        let vector = &mut column.as_slice_mut()[k..];
        let beta;
        (beta, *tau) = reflection(vector);
        for j in 0..right.ncols() {
            let Some(other) = right.rb_mut().col_mut(j).try_as_col_major_mut() else {
                continue;
            };
            let other = &mut other.as_slice_mut()[k..];
            reflect(other, vector, Scalar::conj(*tau));
        }
        vector[0] = beta;
    }
}

/// The first `n` columns of the product of the reflections whose vectors are below the diagonal of
/// `a`.
pub(super) fn product<T: Scalar>(
    context: &Context,
    a: MatRef<'_, T>,
    n: usize,
    taus: &[T],
) -> Mat<T> {
    let m = a.nrows();
    if m <= linalg::FEW {
        return product_few(a, n, taus);
    }
    let mut q = Mat::full(m, n, T::ZERO);
    (0..n).for_each(|k| q[(k, k)] = T::new(1.0, 0.0));
    for begin in (0..taus.len()).step_by(WIDTH).rev() {
        // The columns before are those of the unit matrix still.
        let rest = q.as_mut().submatrix_mut(begin, begin, m - begin, n - begin);
        block(a, taus, begin).apply_shared(context, rest, false);
    }
    q
}

/// The reflections from number `begin` on that are one block.
fn block<T: Scalar>(a: MatRef<'_, T>, taus: &[T], begin: usize) -> Block<T> {
    let end = taus.len().min(begin + WIDTH);
    let columns = a.submatrix(begin, begin, a.nrows() - begin, end - begin);
    Block::new(columns, &taus[begin..end])
}

/// Multiplies columns, which are without gaps, by the product of the reflections whose vectors are
/// below the diagonal of `a`, or by its adjoint, from the left.
pub(super) fn multiply<T: Scalar>(
    context: &Context,
    a: MatRef<'_, T>,
    taus: &[T],
    mut columns: MatMut<'_, T>,
    adjoint: bool,
) {
    let mut begins: Vec<usize> = (0..taus.len()).step_by(WIDTH).collect();
    if !adjoint {
        begins.reverse();
    }
    for begin in begins {
        let rest = columns.rb_mut().get_mut(begin.., ..);
        block(a, taus, begin).apply_shared(context, rest, adjoint);
    }
}

/// As [`product`], one reflection after the other.
fn product_few<T: Scalar>(a: MatRef<'_, T>, n: usize, taus: &[T]) -> Mat<T> {
    let m = a.nrows();
    let mut q = Mat::full(m, n, T::ZERO);
    for k in taus.len()..n {
        q[(k, k)] = T::new(1.0, 0.0);
    }
    let mut vector = [T::ZERO; linalg::FEW];
    for (k, tau) in taus.iter().enumerate().rev() {
        let vector = &mut vector[k..m];
        vector[0] = T::new(1.0, 0.0);
        for (i, element) in vector.iter_mut().enumerate().skip(1) {
            *element = a[(k + i, k)];
        }
        for j in k + 1..n {
            let column = &mut q.col_as_slice_mut(j)[k..];
            let part = *tau * inner(vector, column);
            subtract(column, part, vector);
        }
        // The column itself is a unit vector still.
        let column = &mut q.col_as_slice_mut(k)[k..];
        column[0] = T::new(1.0, 0.0);
        subtract(column, *tau, vector);
    }
    q
}
