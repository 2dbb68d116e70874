//! What `faer` computes of dense matrices, for the four types that they are computed in.
//!
//! Its functions are generic, and a crate that calls them compiles them, for minutes. Here they are
//! compiled once; the runtime, its tests and its libraries are built from that. Each call is of one
//! thread, with memory of its own.

#![forbid(unsafe_code)]

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::evd::{
    ComputeEigenvectors, SelfAdjointEvdParams, evd_cplx, evd_real, evd_scratch,
    hessenberg::{hessenberg_in_place, hessenberg_in_place_scratch},
    self_adjoint_evd, self_adjoint_evd_scratch,
    tridiag::{tridiag_in_place, tridiag_in_place_scratch},
};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::matmul::triangular::BlockStructure::{Rectangular, TriangularLower};
use faer::linalg::matmul::triangular::matmul_with_conj;
use faer::linalg::svd::{ComputeSvdVectors, SvdParams, svd, svd_scratch};
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place_with_conj, solve_unit_lower_triangular_in_place_with_conj,
    solve_unit_upper_triangular_in_place_with_conj, solve_upper_triangular_in_place_with_conj,
};
use faer::traits::ComplexField;
use faer::{Accum, Par, Spec, c32, c64};

pub use faer::reborrow::{Reborrow, ReborrowMut};
pub use faer::{Conj, Mat, MatMut, MatRef};

/// A matrix as an operand: itself, or its complex conjugate.
pub type Operand<'a, T> = (MatRef<'a, T>, Conj);

/// A matrix itself as an operand.
pub fn plain<T>(matrix: MatRef<'_, T>) -> Operand<'_, T> {
    (matrix, Conj::No)
}

/// The conjugate transpose of a matrix as an operand.
pub fn adjoint<T>(matrix: MatRef<'_, T>) -> Operand<'_, T> {
    (matrix.transpose(), Conj::Yes)
}

/// Way in which a product comes into a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// In the place of what is there.
    Replace,
    /// Added to what is there.
    Add,
    /// Added to the lower triangle of a square matrix; the rest stays as it is.
    AddLower,
}

/// The part of a matrix that a triangular solve reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triangle {
    /// Below the diagonal; above it otherwise.
    pub lower: bool,
    /// The diagonal is ones, and not read.
    pub unit_diagonal: bool,
}

/// A number that matrices are computed in.
pub trait Dense: ComplexField + Copy {
    /// Computes `factor * left * right`, of the shape of `to`.
    fn multiply(
        to: MatMut<'_, Self>,
        how: Store,
        factor: Self,
        left: Operand<'_, Self>,
        right: Operand<'_, Self>,
    );

    /// Replaces the `n` by `k` matrix `x` by the solution `y` of `matrix * y = x`, where `matrix`
    /// is `n` by `n`. A zero on the diagonal gives infinities or NaN.
    fn solve(triangle: Triangle, matrix: Operand<'_, Self>, x: MatMut<'_, Self>);

    /// Replaces the lower triangle of a Hermitian matrix by its Cholesky factor.
    ///
    /// # Errors
    /// The first row (from 0) whose pivot is not positive.
    fn cholesky(a: MatMut<'_, Self>) -> Result<(), usize>;

    /// Replaces an `m` by `n` matrix by its factors `L` (below the diagonal, which is one) and `U`
    /// with partial pivoting. `order`, `m` numbers, says which row of the given matrix comes where,
    /// `inverse` where each of them comes.
    fn lu(a: MatMut<'_, Self>, order: &mut [usize], inverse: &mut [usize]);

    /// Reduces a square matrix to Hessenberg's form by reflections, in blocks of as many as
    /// `factors` has rows.
    fn hessenberg(a: MatMut<'_, Self>, factors: MatMut<'_, Self>);

    /// Reduces the lower triangle of a Hermitian matrix to a tridiagonal one by reflections, in
    /// blocks of as many as `factors` has rows.
    fn tridiagonal(a: MatMut<'_, Self>, factors: MatMut<'_, Self>);

    /// Writes eigenvalues, ascending, `n` by 1, and eigenvectors, as columns, `n` by `n`, of a
    /// Hermitian matrix of which the lower triangle is read. Tridiagonal matrices up to the size
    /// `undivided` are not divided. False where they are not found.
    fn hermitian_eigen(
        a: MatRef<'_, Self>,
        values: &mut Mat<Self>,
        vectors: Option<&mut Mat<Self>>,
        undivided: usize,
    ) -> bool;

    /// Writes the `min(m, n)` singular values of an `m` by `n` matrix, descending, as a column, and
    /// vectors, as columns: as many as there are values, or all. Bidiagonal matrices up to the size
    /// `undivided` are not divided. False where they are not found.
    fn singular(
        a: MatRef<'_, Self>,
        values: &mut Mat<Self>,
        left: Option<&mut Mat<Self>>,
        right: Option<&mut Mat<Self>>,
        undivided: usize,
    ) -> bool;

    /// The product of two operands.
    fn product(left: Operand<'_, Self>, right: Operand<'_, Self>) -> Mat<Self> {
        let mut to = Mat::zeros(left.0.nrows(), right.0.ncols());
        let one = Self::one_impl();
        Self::multiply(to.as_mut(), Store::Replace, one, left, right);
        to
    }
}

/// Calls `body` with memory of a size.
macro_rules! with_memory {
    ($size:expr, $memory:ident => $body:expr) => {{
        let mut buffer = MemBuffer::new($size);
        let $memory = MemStack::new(&mut buffer);
        $body
    }};
}

fn eigenvectors(wanted: bool) -> ComputeEigenvectors {
    if wanted {
        ComputeEigenvectors::Yes
    } else {
        ComputeEigenvectors::No
    }
}

macro_rules! dense {
    ($type:ty) => {
        impl Dense for $type {
            fn multiply(
                to: MatMut<'_, Self>,
                how: Store,
                factor: Self,
                (left, conj_left): Operand<'_, Self>,
                (right, conj_right): Operand<'_, Self>,
            ) {
                let (shape, how) = match how {
                    Store::Replace => (Rectangular, Accum::Replace),
                    Store::Add => (Rectangular, Accum::Add),
                    Store::AddLower => (TriangularLower, Accum::Add),
                };
                // Products of rectangles alone are those of `matmul`.
                matmul_with_conj(
                    to,
                    shape,
                    how,
                    left,
                    Rectangular,
                    conj_left,
                    right,
                    Rectangular,
                    conj_right,
                    factor,
                    Par::Seq,
                );
            }

            fn solve(triangle: Triangle, (matrix, conj): Operand<'_, Self>, x: MatMut<'_, Self>) {
                let solve = match (triangle.lower, triangle.unit_diagonal) {
                    (true, false) => solve_lower_triangular_in_place_with_conj,
                    (true, true) => solve_unit_lower_triangular_in_place_with_conj,
                    (false, false) => solve_upper_triangular_in_place_with_conj,
                    (false, true) => solve_unit_upper_triangular_in_place_with_conj,
                };
                solve(matrix, conj, x, Par::Seq);
            }

            fn cholesky(a: MatMut<'_, Self>) -> Result<(), usize> {
                let size = cholesky_in_place_scratch::<Self>(a.nrows(), Par::Seq, Spec::default());
                with_memory!(size, memory => {
                    let (given, parameters) = (Default::default(), Spec::default());
                    match cholesky_in_place(a, given, Par::Seq, memory, parameters) {
                        Ok(_) => Ok(()),
                        Err(LltError::NonPositivePivot { index }) => Err(index),
                    }
                })
            }

            fn lu(a: MatMut<'_, Self>, order: &mut [usize], inverse: &mut [usize]) {
                let (rows, columns) = (a.nrows(), a.ncols());
                let parameters = Spec::default();
                let size = lu_in_place_scratch::<usize, Self>(rows, columns, Par::Seq, parameters);
                with_memory!(size, memory => {
                    lu_in_place(a, order, inverse, Par::Seq, memory, parameters);
                });
            }

            fn hessenberg(a: MatMut<'_, Self>, factors: MatMut<'_, Self>) {
                let (n, width, parameters) = (a.nrows(), factors.nrows(), Spec::default());
                let size = hessenberg_in_place_scratch::<Self>(n, width, Par::Seq, parameters);
                with_memory!(size, memory => {
                    hessenberg_in_place(a, factors, Par::Seq, memory, parameters);
                });
            }

            fn tridiagonal(a: MatMut<'_, Self>, factors: MatMut<'_, Self>) {
                let parameters = Spec::default();
                let size = tridiag_in_place_scratch::<Self>(a.nrows(), Par::Seq, parameters);
                with_memory!(size, memory => {
                    tridiag_in_place(a, factors, Par::Seq, memory, parameters);
                });
            }

            fn hermitian_eigen(
                a: MatRef<'_, Self>,
                values: &mut Mat<Self>,
                vectors: Option<&mut Mat<Self>>,
                undivided: usize,
            ) -> bool {
                let mut parameters = Spec::<SelfAdjointEvdParams, Self>::default();
                parameters.recursion_threshold = undivided;
                let wanted = eigenvectors(vectors.is_some());
                let size =
                    self_adjoint_evd_scratch::<Self>(a.nrows(), wanted, Par::Seq, parameters);
                with_memory!(size, memory => {
                    let values = values.col_mut(0).as_diagonal_mut();
                    let vectors = vectors.map(Mat::as_mut);
                    self_adjoint_evd(a, values, vectors, Par::Seq, memory, parameters).is_ok()
                })
            }

            fn singular(
                a: MatRef<'_, Self>,
                values: &mut Mat<Self>,
                left: Option<&mut Mat<Self>>,
                right: Option<&mut Mat<Self>>,
                undivided: usize,
            ) -> bool {
                let mut parameters = Spec::<SvdParams, Self>::default();
                parameters.recursion_threshold = undivided;
                let (rows, columns, count) = (a.nrows(), a.ncols(), values.nrows());
                let wanted = |vectors: &Option<&mut Mat<Self>>| match vectors {
                    None => ComputeSvdVectors::No,
                    Some(vectors) if vectors.ncols() == count => ComputeSvdVectors::Thin,
                    Some(_) => ComputeSvdVectors::Full,
                };
                let asked = (wanted(&left), wanted(&right));
                let size =
                    svd_scratch::<Self>(rows, columns, asked.0, asked.1, Par::Seq, parameters);
                with_memory!(size, memory => {
                    let values = values.col_mut(0).as_diagonal_mut();
                    let (left, right) = (left.map(Mat::as_mut), right.map(Mat::as_mut));
                    svd(a, values, left, right, Par::Seq, memory, parameters).is_ok()
                })
            }
        }
    };
}

dense!(f32);
dense!(f64);
dense!(c32);
dense!(c64);

/// Memory for eigenvalues of a matrix of `n` rows, and the vectors that are asked for.
fn eigen_memory<T: Dense>(n: usize, left: bool, right: bool) -> MemBuffer {
    let asked = (eigenvectors(left), eigenvectors(right));
    let size = evd_scratch::<T>(n, asked.0, asked.1, Par::Seq, Spec::default());
    MemBuffer::new(size)
}

/// Writes eigenvalues, as a column, and left and right eigenvectors, as columns, of a complex
/// matrix. False where they are not found.
pub fn complex_eigen(
    a: MatRef<'_, c64>,
    values: &mut Mat<c64>,
    left: Option<&mut Mat<c64>>,
    right: Option<&mut Mat<c64>>,
) -> bool {
    let mut memory = eigen_memory::<c64>(a.nrows(), left.is_some(), right.is_some());
    let found = evd_cplx(
        a,
        values.col_mut(0).as_diagonal_mut(),
        left.map(Mat::as_mut),
        right.map(Mat::as_mut),
        Par::Seq,
        MemStack::new(&mut memory),
        Spec::default(),
    );
    found.is_ok()
}

/// Writes the real and the imaginary parts of eigenvalues, as columns, and left and right
/// eigenvectors of a real matrix; two columns hold the parts of those of two conjugate ones. False
/// where they are not found.
pub fn real_eigen(
    a: MatRef<'_, f64>,
    (re, im): (&mut Mat<f64>, &mut Mat<f64>),
    left: Option<&mut Mat<f64>>,
    right: Option<&mut Mat<f64>>,
) -> bool {
    let mut memory = eigen_memory::<f64>(a.nrows(), left.is_some(), right.is_some());
    let (re, im) = (
        re.col_mut(0).as_diagonal_mut(),
        im.col_mut(0).as_diagonal_mut(),
    );
    let [left, right] = [left, right].map(|vectors| vectors.map(Mat::as_mut));
    let found = evd_real(
        a,
        re,
        im,
        left,
        right,
        Par::Seq,
        MemStack::new(&mut memory),
        Spec::default(),
    );
    found.is_ok()
}
