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
            let chunks = k / LANES;
            let xs: [&[[T; LANES]]; BLOCK] =
                std::array::from_fn(|r| &x[r].as_chunks::<LANES>().0[..chunks]);
            let ys: [&[[T; LANES]]; BLOCK] =
                std::array::from_fn(|s| &y[s].as_chunks::<LANES>().0[..chunks]);
            let [x0, x1, x2, x3] = xs;
            let [y0, y1, y2, y3] = ys;
            let mut sums = [[[T::ZERO; LANES]; BLOCK]; BLOCK];
            for q in 0..chunks {
                let x = [&x0[q], &x1[q], &x2[q], &x3[q]];
                let y = [&y0[q], &y1[q], &y2[q], &y3[q]];
                for r in 0..BLOCK {
                    for s in 0..BLOCK {
                        for l in 0..LANES {
                            sums[r][s][l] = sums[r][s][l] + x[r][l] * y[s][l].conj();
                        }
                    }
                }
            }
            let p = chunks * LANES;
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

/// Real products by 512-bit fused multiply-adds, where the machine has them.
macro_rules! real_product {
    ($product:ident, $portable:ident, $wide:ident, $type:ty, $lanes:literal, $mask:ty, $zero:ident, $load:ident, $fma:ident, $sum:ident) => {
        pub(super) fn $product(
            c: (&mut [$type], usize),
            a: (&[$type], usize),
            b: (&[$type], usize),
            m: usize,
            n: usize,
            k: usize,
        ) {
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx512f") {
                // SAFETY: the machine has the instructions.
                return unsafe { $wide(c, a, b, m, n, k) };
            }
            $portable(c, a, b, m, n, k);
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f")]
        fn $wide(
            (c, ldc): (&mut [$type], usize),
            (a, lda): (&[$type], usize),
            (b, ldb): (&[$type], usize),
            m: usize,
            n: usize,
            k: usize,
        ) {
            use std::arch::x86_64::*;
            let tail = ((1u32 << (k % $lanes)) - 1) as $mask;
            for i in (0..m).step_by(BLOCK) {
                for j in (0..n).step_by(BLOCK) {
                    let (rows, columns) = (BLOCK.min(m - i), BLOCK.min(n - j));
                    // Rows beyond the end repeat the last one; their results are not stored.
                    let x: [&[$type]; BLOCK] =
                        std::array::from_fn(|r| &a[(i + r.min(rows - 1)) * lda..][..k]);
                    let y: [&[$type]; BLOCK] =
                        std::array::from_fn(|s| &b[(j + s.min(columns - 1)) * ldb..][..k]);
                    let mut sums = [[$zero(); BLOCK]; BLOCK];
                    let mut p = 0;
                    while p < k {
                        let mask = if p + $lanes <= k { <$mask>::MAX } else { tail };
                        // SAFETY: lanes beyond `k` are masked out.
                        let (x, y) = unsafe {
                            (
                                [
                                    $load(mask, x[0].as_ptr().add(p)),
                                    $load(mask, x[1].as_ptr().add(p)),
                                    $load(mask, x[2].as_ptr().add(p)),
                                    $load(mask, x[3].as_ptr().add(p)),
                                ],
                                [
                                    $load(mask, y[0].as_ptr().add(p)),
                                    $load(mask, y[1].as_ptr().add(p)),
                                    $load(mask, y[2].as_ptr().add(p)),
                                    $load(mask, y[3].as_ptr().add(p)),
                                ],
                            )
                        };
                        for r in 0..BLOCK {
                            for s in 0..BLOCK {
                                sums[r][s] = $fma(x[r], y[s], sums[r][s]);
                            }
                        }
                        p += $lanes;
                    }
                    for r in 0..rows {
                        for s in 0..columns {
                            c[(i + r) * ldc + j + s] = $sum(sums[r][s]);
                        }
                    }
                }
            }
        }
    };
}

real_product!(
    product_f32,
    portable_f32,
    wide_f32,
    f32,
    16,
    u16,
    _mm512_setzero_ps,
    _mm512_maskz_loadu_ps,
    _mm512_fmadd_ps,
    _mm512_reduce_add_ps
);
real_product!(
    product_f64,
    portable_f64,
    wide_f64,
    f64,
    8,
    u8,
    _mm512_setzero_pd,
    _mm512_maskz_loadu_pd,
    _mm512_fmadd_pd,
    _mm512_reduce_add_pd
);

multiversion! {
    fn portable_f32<>(c: (&mut [f32], usize), a: (&[f32], usize), b: (&[f32], usize), m: usize, n: usize, k: usize) -> () = kernel::<f32, 16>;
}
multiversion! {
    fn portable_f64<>(c: (&mut [f64], usize), a: (&[f64], usize), b: (&[f64], usize), m: usize, n: usize, k: usize) -> () = kernel::<f64, 8>;
}
multiversion! {
    pub(super) fn product_c64<>(c: (&mut [Complex<f32>], usize), a: (&[Complex<f32>], usize), b: (&[Complex<f32>], usize), m: usize, n: usize, k: usize) -> () = kernel::<Complex<f32>, 4>;
}
multiversion! {
    pub(super) fn product_c128<>(c: (&mut [Complex<f64>], usize), a: (&[Complex<f64>], usize), b: (&[Complex<f64>], usize), m: usize, n: usize, k: usize) -> () = kernel::<Complex<f64>, 4>;
}
