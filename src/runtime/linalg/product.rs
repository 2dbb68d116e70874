//! The product of a matrix and the adjoint of another, both stored by rows: a block of dot products at a time, each over several lanes.

use rustfft::num_complex::Complex;

use super::Scalar;
use crate::multiversion::multiversion;

/// Rows of each operand in a block.
const BLOCK: usize = 4;

#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "positions in several arrays at once"
)]
fn kernel<T: Scalar, const LANES: usize>(
    (c, ldc): (&mut [T], usize),
    (a, lda): (&[T], usize),
    (b, ldb): (&[T], usize),
    m: usize,
    n: usize,
    k: usize,
) {
    let mut i = 0;
    while i < m {
        let rows = BLOCK.min(m - i);
        let mut j = 0;
        while j < n {
            let columns = BLOCK.min(n - j);
            // Rows beyond the end repeat the last one; their results are not stored.
            let x: [&[T]; BLOCK] = std::array::from_fn(|r| &a[(i + r.min(rows - 1)) * lda..][..k]);
            let y: [&[T]; BLOCK] =
                std::array::from_fn(|s| &b[(j + s.min(columns - 1)) * ldb..][..k]);
            let mut sums = [[[T::ZERO; LANES]; BLOCK]; BLOCK];
            let mut p = 0;
            while p + LANES <= k {
                for r in 0..BLOCK {
                    for s in 0..BLOCK {
                        for l in 0..LANES {
                            sums[r][s][l] = sums[r][s][l] + x[r][p + l] * y[s][p + l].conj();
                        }
                    }
                }
                p += LANES;
            }
            for r in 0..rows {
                for s in 0..columns {
                    let mut sum = T::ZERO;
                    for l in 0..LANES {
                        sum = sum + sums[r][s][l];
                    }
                    for q in p..k {
                        sum = sum + x[r][q] * y[s][q].conj();
                    }
                    c[(i + r) * ldc + j + s] = sum;
                }
            }
            j += BLOCK;
        }
        i += BLOCK;
    }
}

multiversion! {
    pub(super) fn product_f32<>(c: (&mut [f32], usize), a: (&[f32], usize), b: (&[f32], usize), m: usize, n: usize, k: usize) -> () = kernel::<f32, 16>;
}
multiversion! {
    pub(super) fn product_f64<>(c: (&mut [f64], usize), a: (&[f64], usize), b: (&[f64], usize), m: usize, n: usize, k: usize) -> () = kernel::<f64, 8>;
}
multiversion! {
    pub(super) fn product_c64<>(c: (&mut [Complex<f32>], usize), a: (&[Complex<f32>], usize), b: (&[Complex<f32>], usize), m: usize, n: usize, k: usize) -> () = kernel::<Complex<f32>, 4>;
}
multiversion! {
    pub(super) fn product_c128<>(c: (&mut [Complex<f64>], usize), a: (&[Complex<f64>], usize), b: (&[Complex<f64>], usize), m: usize, n: usize, k: usize) -> () = kernel::<Complex<f64>, 4>;
}
