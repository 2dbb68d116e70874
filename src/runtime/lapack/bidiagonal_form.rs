//! `A = U B V^H` with bidiagonal `B`, by Householder's reflections from the left and from the right
//! in turns.
//!
//! What a reflection from the right does to the columns behind waits for the next one from the
//! left, so that every step goes over the matrix twice: it updates elements and sums products with
//! them while they are in registers (the fused reduction of Howell et al., "Cache efficient
//! bidiagonalization using BLAS 2.5 operators", 2008). Rows are padded to whole vectors, and
//! vectors have zeros in rows that are done with.

use mapwright_dense::Mat;
use rustfft::num_complex::Complex;

use super::reflection::reflection;
use crate::linalg::Scalar;
use crate::multiversion::multiversion;

/// Numbers beside each other in a column of a matrix.
pub(super) trait Vector<T>: Copy {
    /// Number of lanes.
    const COUNT: usize;
    const ZERO: Self;

    fn get(&self, lane: usize) -> T;

    fn set(&mut self, lane: usize, value: T);

    /// Subtracts `x * by`.
    fn subtract(&mut self, x: &Self, by: T);

    /// Adds `x * by`.
    fn add(&mut self, x: &Self, by: T);

    /// Adds `conj(x) * y`.
    fn add_product(&mut self, x: &Self, y: &Self);

    fn sum(&self) -> T;
}

/// Numbers that matrices are reduced in.
pub(super) trait Wide: Scalar {
    type Vector: Vector<Self>;
}

/// A vector of real numbers.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Real<T, const N: usize>([T; N]);

/// A vector of real parts, and one of imaginary parts.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Parts<T, const N: usize> {
    re: [T; N],
    im: [T; N],
}

/// The sum of an even number of lanes, halves added to each other.
#[inline(always)]
fn sum<T: Scalar, const N: usize>(mut lanes: [T; N]) -> T {
    let mut half = N / 2;
    while half > 0 {
        for k in 0..half {
            lanes[k] += lanes[k + half];
        }
        half /= 2;
    }
    lanes[0]
}

impl<T: Scalar, const N: usize> Vector<T> for Real<T, N> {
    const COUNT: usize = N;
    const ZERO: Self = Self([T::ZERO; N]);

    #[inline(always)]
    fn get(&self, lane: usize) -> T {
        self.0[lane]
    }

    #[inline(always)]
    fn set(&mut self, lane: usize, value: T) {
        self.0[lane] = value;
    }

    #[inline(always)]
    fn subtract(&mut self, x: &Self, by: T) {
        for k in 0..N {
            self.0[k] -= x.0[k] * by;
        }
    }

    #[inline(always)]
    fn add(&mut self, x: &Self, by: T) {
        for k in 0..N {
            self.0[k] += x.0[k] * by;
        }
    }

    #[inline(always)]
    fn add_product(&mut self, x: &Self, y: &Self) {
        for k in 0..N {
            self.0[k] += x.0[k] * y.0[k];
        }
    }

    #[inline(always)]
    fn sum(&self) -> T {
        sum(self.0)
    }
}

macro_rules! parts {
    ($type:ty, $lanes:literal) => {
        impl Wide for $type {
            type Vector = Real<$type, $lanes>;
        }

        impl Wide for Complex<$type> {
            type Vector = Parts<$type, $lanes>;
        }

        impl Vector<Complex<$type>> for Parts<$type, $lanes> {
            const COUNT: usize = $lanes;
            const ZERO: Self = Self {
                re: [0.0; $lanes],
                im: [0.0; $lanes],
            };

            #[inline(always)]
            fn get(&self, lane: usize) -> Complex<$type> {
                Complex::new(self.re[lane], self.im[lane])
            }

            #[inline(always)]
            fn set(&mut self, lane: usize, value: Complex<$type>) {
                (self.re[lane], self.im[lane]) = (value.re, value.im);
            }

            #[inline(always)]
            fn subtract(&mut self, x: &Self, by: Complex<$type>) {
                self.add(x, -by);
            }

            #[inline(always)]
            fn add(&mut self, x: &Self, by: Complex<$type>) {
                for k in 0..$lanes {
                    self.re[k] = self.re[k] + x.re[k] * by.re - x.im[k] * by.im;
                    self.im[k] = self.im[k] + x.re[k] * by.im + x.im[k] * by.re;
                }
            }

            #[inline(always)]
            fn add_product(&mut self, x: &Self, y: &Self) {
                for k in 0..$lanes {
                    self.re[k] = self.re[k] + x.re[k] * y.re[k] + x.im[k] * y.im[k];
                    self.im[k] = self.im[k] + x.re[k] * y.im[k] - x.im[k] * y.re[k];
                }
            }

            #[inline(always)]
            fn sum(&self) -> Complex<$type> {
                Complex::new(sum(self.re), sum(self.im))
            }
        }
    };
}

parts!(f32, 16);
parts!(f64, 8);

/// Columns that one load of the vectors serves.
const TOGETHER: usize = 4;

multiversion! {
    /// `A -= x w^T` and `y = A^T conj(v)`, of as many columns as `y` has elements, `x.len()`
    /// vectors each at the end of `stride`.
    fn turn_right<T: Wide>(a: &mut [T::Vector], stride: usize, x: &[T::Vector], w: &[T], v: &[T::Vector], y: &mut [T]) = turn_right_body::<T>;
}

#[inline(always)]
fn turn_right_body<T: Wide>(
    a: &mut [T::Vector],
    stride: usize,
    x: &[T::Vector],
    w: &[T],
    v: &[T::Vector],
    y: &mut [T],
) {
    let done = stride - x.len();
    let groups = a.chunks_mut(TOGETHER * stride);
    for ((columns, w), y) in groups.zip(w.chunks(TOGETHER)).zip(y.chunks_mut(TOGETHER)) {
        let mut each = columns.chunks_mut(stride).map(|column| &mut column[done..]);
        if let (Ok(w), Ok(y)) = (
            <&[T; TOGETHER]>::try_from(w),
            <&mut [T; TOGETHER]>::try_from(&mut *y),
        ) {
            let columns: [&mut [T::Vector]; TOGETHER] =
                std::array::from_fn(|_| each.next().unwrap_or_default());
            let mut sums = [T::Vector::ZERO; TOGETHER];
            for (i, (x, v)) in x.iter().zip(v).enumerate() {
                for k in 0..TOGETHER {
                    let mut value = columns[k][i];
                    value.subtract(x, w[k]);
                    sums[k].add_product(v, &value);
                    columns[k][i] = value;
                }
            }
            *y = sums.map(|sum| sum.sum());
            continue;
        }
        for ((column, w), y) in each.zip(w).zip(y) {
            let mut sum = T::Vector::ZERO;
            for ((value, x), v) in column.iter_mut().zip(x).zip(v) {
                value.subtract(x, *w);
                sum.add_product(v, value);
            }
            *y = sum.sum();
        }
    }
}

multiversion! {
    /// `A -= v y^T` and `x += A u`, of as many columns as `y` has elements, `x.len()` vectors each
    /// at the end of `stride`.
    fn turn_left<T: Wide>(a: &mut [T::Vector], stride: usize, v: &[T::Vector], y: &[T], u: &[T], x: &mut [T::Vector]) = turn_left_body::<T>;
}

#[inline(always)]
fn turn_left_body<T: Wide>(
    a: &mut [T::Vector],
    stride: usize,
    v: &[T::Vector],
    y: &[T],
    u: &[T],
    x: &mut [T::Vector],
) {
    let done = stride - x.len();
    let groups = a.chunks_mut(TOGETHER * stride);
    for ((columns, y), u) in groups.zip(y.chunks(TOGETHER)).zip(u.chunks(TOGETHER)) {
        let mut each = columns.chunks_mut(stride).map(|column| &mut column[done..]);
        if let (Ok(y), Ok(u)) = (<&[T; TOGETHER]>::try_from(y), <&[T; TOGETHER]>::try_from(u)) {
            let columns: [&mut [T::Vector]; TOGETHER] =
                std::array::from_fn(|_| each.next().unwrap_or_default());
            for (i, (x, v)) in x.iter_mut().zip(v).enumerate() {
                let mut sum = *x;
                for k in 0..TOGETHER {
                    let mut value = columns[k][i];
                    value.subtract(v, y[k]);
                    sum.add(&value, u[k]);
                    columns[k][i] = value;
                }
                *x = sum;
                // Or the compiler takes the same lane of several iterations together, and gathers
                // them.
                std::hint::black_box(());
            }
            continue;
        }
        for ((column, y), u) in each.zip(y).zip(u) {
            for ((value, v), x) in column.iter_mut().zip(v).zip(x.iter_mut()) {
                value.subtract(v, *y);
                x.add(value, *u);
            }
        }
    }
}

/// A bidiagonal matrix up to the signs of its elements, which singular values do not depend on.
pub(super) struct Bidiagonal {
    pub diagonal: Vec<f64>,
    /// Above the diagonal.
    pub above: Vec<f64>,
}

/// Reduces a matrix of at least as many rows as columns, whose squares neither overflow nor vanish.
pub(super) fn reduce<T: Wide>(matrix: &Mat<T>) -> Bidiagonal {
    let (m, n) = (matrix.nrows(), matrix.ncols());
    let lanes = T::Vector::COUNT;
    // Columns that are an odd number of lines apart do not meet in the same sets of a cache.
    let stride = m.div_ceil(lanes) | 1;
    let mut a = vec![T::Vector::ZERO; stride * n];
    for (j, column) in a.chunks_mut(stride).enumerate() {
        for (values, lanes) in matrix.col_as_slice(j).chunks(lanes).zip(column) {
            for (lane, value) in values.iter().enumerate() {
                lanes.set(lane, *value);
            }
        }
    }
    let size = |beta: T| beta.parts().0.abs();
    let mut found = Bidiagonal {
        diagonal: Vec::with_capacity(n),
        above: Vec::with_capacity(n.saturating_sub(1)),
    };
    // The reflection from the right that waits: A - x w^T.
    let mut x = vec![T::Vector::ZERO; stride];
    let mut w = vec![T::ZERO; n];
    let mut v = vec![T::Vector::ZERO; stride];
    let mut y = vec![T::ZERO; n];
    for k in 0..n {
        let (column, behind) = a[k * stride..].split_at_mut(stride);
        let done = k / lanes;
        for (value, x) in column.iter_mut().zip(&x) {
            value.subtract(x, w[k]);
        }
        let rows = |lanes_of: &[T::Vector]| -> Vec<T> {
            (k..m).map(|i| lanes_of[i / lanes].get(i % lanes)).collect()
        };
        let mut vector = rows(column);
        let (beta, tau) = reflection(&mut vector);
        found.diagonal.push(size(beta));
        let count = n - k - 1;
        if count == 0 {
            break;
        }
        v[done] = T::Vector::ZERO;
        for (i, value) in (k..m).zip(vector) {
            v[i / lanes].set(i % lanes, value);
        }
        let (y, w) = (&mut y[..count], &mut w[k + 1..]);
        turn_right::<T>(behind, stride, &x[done..], w, &v[done..], y);
        // The row after the reflection from the left, conjugate.
        let mut vector: Vec<T> = Vec::with_capacity(count);
        for (column, y) in behind.chunks(stride).zip(&mut *y) {
            *y *= Scalar::conj(tau);
            vector.push(Scalar::conj(column[done].get(k % lanes) - *y));
        }
        let (beta, tau) = reflection(&mut vector);
        found.above.push(size(beta));
        x.fill(T::Vector::ZERO);
        turn_left::<T>(behind, stride, &v[done..], y, &vector, &mut x[done..]);
        for lanes in &mut x[done..] {
            let mut scaled = T::Vector::ZERO;
            scaled.add(lanes, tau);
            *lanes = scaled;
        }
        for lane in 0..=k % lanes {
            x[done].set(lane, T::ZERO);
        }
        for (w, u) in w.iter_mut().zip(vector) {
            *w = Scalar::conj(u);
        }
    }
    found
}
