//! Sorting of unsigned words with 512-bit vectors: quicksort that partitions sixteen (eight) keys
//! at a time by compressing, over bitonic networks that sort up to 128 words in registers.
//!
//! Partitioning goes from one buffer to the other (keys below the pivot to its front, the others to
//! its back), so that each level reads and writes every key once; the two buffers change roles from
//! level to level.

#![cfg(target_arch = "x86_64")]

use std::arch::x86_64::*;

/// Whether this machine has the instructions used here.
pub fn available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

/// Vectors that the networks sort in registers.
const NETWORK: usize = 8;

/// Repeats a block for each constant below a bound (at most 8), without a loop, so that vectors in
/// arrays stay in registers.
macro_rules! each {
    ($index:ident < $bound:expr => $body:block) => {{
        each!(@one $index 0 $bound, $body);
        each!(@one $index 1 $bound, $body);
        each!(@one $index 2 $bound, $body);
        each!(@one $index 3 $bound, $body);
        each!(@one $index 4 $bound, $body);
        each!(@one $index 5 $bound, $body);
        each!(@one $index 6 $bound, $body);
        each!(@one $index 7 $bound, $body);
    }};
    (@one $index:ident $value:literal $bound:expr, $body:block) => {{
        const $index: usize = $value;
        if $index < $bound $body
    }};
}

macro_rules! vector_sort {
    (
        $module:ident, $word:ty, $lanes:literal, $mask:ty, $sample:literal,
        $min:ident, $max:ident, $mask_max:ident, $splat:ident, $lt:ident, $le:ident, $mask_lt:ident, $mask_le:ident,
        $compress:ident, $maskz_loadu:ident, $mask_loadu:ident, $mask_storeu:ident, $loadu:ident, $storeu:ident,
        $reverse:expr, [$($exchange_j:literal => $exchange:expr),*]
    ) => {
        pub mod $module {
            use super::*;

            pub const LANES: usize = $lanes;

            /// The lane `i ^ j` of the vector in lane `i`.
            #[inline]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,popcnt")]
            fn exchange<const J: usize>(v: __m512i) -> __m512i {
                match J {
                    $($exchange_j => $exchange(v),)*
                    _ => v,
                }
            }

            /// Lanes that take the larger of the pair at distance `j` when blocks of `k` lanes
            /// alternate in direction.
            const fn upper(j: usize, k: usize) -> $mask {
                let mut mask: $mask = 0;
                let mut lane = 0;
                while lane < LANES {
                    if ((lane & j) != 0) != ((lane & k) != 0) {
                        mask |= 1 << lane;
                    }
                    lane += 1;
                }
                mask
            }

            #[inline]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,popcnt")]
            fn step<const J: usize, const K: usize>(v: __m512i) -> __m512i {
                let other = exchange::<J>(v);
                $mask_max($min(v, other), const { upper(J, K) }, v, other)
            }

            /// Sorts a bitonic vector.
            #[inline]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,popcnt")]
            fn merge_lanes(mut v: __m512i) -> __m512i {
                if LANES == 16 {
                    v = step::<8, 0>(v);
                }
                step::<1, 0>(step::<2, 0>(step::<4, 0>(v)))
            }

            /// Sorts the lanes of a vector.
            #[inline]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,popcnt")]
            fn sort_lanes(mut v: __m512i) -> __m512i {
                v = step::<1, 2>(v);
                v = step::<1, 4>(step::<2, 4>(v));
                if LANES == 16 {
                    v = step::<1, 8>(step::<2, 8>(step::<4, 8>(v)));
                }
                merge_lanes(v)
            }

            /// Merges the sorted sequences of `HALF` vectors into sequences of twice as many.
            #[inline]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,popcnt")]
            fn merge_vectors<const N: usize, const HALF: usize>(v: &mut [__m512i; N]) {
                let old = *v;
                // The second sequence backwards makes a bitonic one.
                each!(P < N / 2 => {
                    const fn first(p: usize, half: usize) -> usize {
                        p / half * 2 * half + p % half
                    }
                    const fn mirror(p: usize, half: usize) -> usize {
                        p / half * 2 * half + 2 * half - 1 - p % half
                    }
                    let (low, high) = (old[first(P, HALF)], $reverse(old[mirror(P, HALF)]));
                    v[first(P, HALF)] = $min(low, high);
                    v[first(P, HALF) + HALF] = $max(low, high);
                });
                if HALF >= 4 {
                    clean::<N, 2>(v);
                }
                if HALF >= 2 {
                    clean::<N, 1>(v);
                }
                each!(I < N => { v[I] = merge_lanes(v[I]); });
            }

            /// Orders the vectors at a distance.
            #[inline]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,popcnt")]
            fn clean<const N: usize, const DISTANCE: usize>(v: &mut [__m512i; N]) {
                each!(P < N / 2 => {
                    let i = P / DISTANCE * 2 * DISTANCE + P % DISTANCE;
                    (v[i], v[i + DISTANCE]) = ($min(v[i], v[i + DISTANCE]), $max(v[i], v[i + DISTANCE]));
                });
            }

            /// Sorts up to `USED` vectors of words from `from` into `to` (which may be the same
            /// place). The network has `N` vectors; those beyond `USED` are constant, and their
            /// part of the network goes away.
            ///
            /// # Safety
            /// Both point to `n <= USED * LANES` words, which are initialised at `from`.
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,popcnt")]
            unsafe fn sort_few<const N: usize, const USED: usize>(from: *const $word, to: *mut $word, n: usize) {
                let last = $splat(-1);
                let mut v = [last; N];
                each!(I < USED => {
                    // SAFETY: masked lanes are not accessed, the others are below `n`.
                    v[I] = unsafe {
                        $mask_loadu(last, first_lanes(n.saturating_sub(I * LANES)), from.wrapping_add(I * LANES).cast())
                    };
                    v[I] = sort_lanes(v[I]);
                });
                if N >= 2 {
                    merge_vectors::<N, 1>(&mut v);
                }
                if N >= 4 {
                    merge_vectors::<N, 2>(&mut v);
                }
                if N >= 8 {
                    merge_vectors::<N, 4>(&mut v);
                }
                each!(I < USED => {
                    // SAFETY: as above.
                    unsafe {
                        $mask_storeu(to.wrapping_add(I * LANES).cast(), first_lanes(n.saturating_sub(I * LANES)), v[I])
                    };
                });
            }

            /// The mask of the first `n` lanes.
            #[inline]
            fn first_lanes(n: usize) -> $mask {
                if n >= LANES { <$mask>::MAX } else { ((1u32 << n) - 1) as $mask }
            }

            /// # Safety
            /// As for `sort_few` with `NETWORK` vectors.
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,popcnt")]
            unsafe fn sort_base(from: *const $word, to: *mut $word, n: usize) {
                // SAFETY: passed on.
                unsafe {
                    match n.div_ceil(LANES) {
                        0 | 1 => sort_few::<1, 1>(from, to, n),
                        2 => sort_few::<2, 2>(from, to, n),
                        3 => sort_few::<4, 3>(from, to, n),
                        4 => sort_few::<4, 4>(from, to, n),
                        5 => sort_few::<8, 5>(from, to, n),
                        6 => sort_few::<8, 6>(from, to, n),
                        7 => sort_few::<8, 7>(from, to, n),
                        _ => sort_few::<8, 8>(from, to, n),
                    }
                }
            }

            /// Copies `from` to `to`: words below the pivot (or, with `EQUAL`, not above it) to the
            /// front, the others to the back. Returns the number of the former.
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,popcnt")]
            pub fn partition<const EQUAL: bool>(from: &[$word], to: &mut [$word], pivot: $word) -> usize {
                assert_eq!(from.len(), to.len());
                let n = from.len();
                let pivots = $splat(pivot as _);
                let (mut left, mut right) = (0, n);
                let (source, target) = (from.as_ptr(), to.as_mut_ptr());
                let whole = n / LANES * LANES;
                let mut i = 0;
                while i < whole {
                    // SAFETY: `i + LANES <= n`. Of the target, `[left, right)` is not written yet,
                    // and holds at least the words not read yet, `LANES` of them or more, so a
                    // whole vector may be stored at `left`; the right part is stored by mask.
                    unsafe {
                        let v = $loadu(source.add(i).cast());
                        let below = if EQUAL { $le(v, pivots) } else { $lt(v, pivots) };
                        let count = below.count_ones() as usize;
                        $storeu(target.add(left).cast(), $compress(below, v));
                        left += count;
                        right -= LANES - count;
                        $mask_storeu(target.add(right).cast(), first_lanes(LANES - count), $compress(!below, v));
                    }
                    i += LANES;
                }
                if i < n {
                    let valid = first_lanes(n - i);
                    // SAFETY: only the lanes below `n` are read; the stores write as many words as
                    // are left between the ends.
                    unsafe {
                        let v = $maskz_loadu(valid, source.add(i).cast());
                        let below = if EQUAL { $mask_le(valid, v, pivots) } else { $mask_lt(valid, v, pivots) };
                        let count = below.count_ones() as usize;
                        $mask_storeu(target.add(left).cast(), first_lanes(count), $compress(below, v));
                        left += count;
                        let above = valid & !below;
                        right -= above.count_ones() as usize;
                        $mask_storeu(target.add(right).cast(), first_lanes(above.count_ones() as usize), $compress(above, v));
                    }
                }
                debug_assert_eq!(left, right);
                left
            }

            /// A word near the median, by sampling.
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,popcnt")]
            fn pivot(data: &[$word]) -> $word {
                let count = if data.len() >= 4096 { NETWORK * LANES } else { $sample };
                let mut sample: [$word; NETWORK * LANES] = [0; NETWORK * LANES];
                let stride = data.len() / count;
                for (i, s) in sample[..count].iter_mut().enumerate() {
                    *s = data[i * stride + stride / 2];
                }
                // SAFETY: the sample has at least `count` words, and at most what the network
                // takes.
                unsafe { sort_base(sample.as_ptr(), sample.as_mut_ptr(), count) };
                sample[count / 2]
            }

            /// Sorts `data`, using `other` of the same length; the result is in `other` when
            /// `into_other`, else in `data`.
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,popcnt")]
            pub fn sort(data: &mut [$word], other: &mut [$word], into_other: bool, depth: u32) {
                assert_eq!(data.len(), other.len());
                let n = data.len();
                if n <= NETWORK * LANES {
                    let to = if into_other { other.as_mut_ptr() } else { data.as_mut_ptr() };
                    // SAFETY: both slices have `n` words.
                    unsafe { sort_base(data.as_ptr(), to, n) };
                    return;
                }
                if depth == 0 {
                    // The pivots were bad time and again: an algorithm with a guaranteed bound
                    // takes over.
                    data.sort_unstable();
                    if into_other {
                        other.copy_from_slice(data);
                    }
                    return;
                }
                let pivot = pivot(data);
                let mut middle = partition::<false>(data, other, pivot);
                if middle == 0 {
                    // The pivot is the smallest word: what equals it is in place.
                    middle = partition::<true>(data, other, pivot);
                    if !into_other {
                        data[..middle].fill(pivot);
                    }
                } else {
                    sort(&mut other[..middle], &mut data[..middle], !into_other, depth - 1);
                }
                sort(&mut other[middle..], &mut data[middle..], !into_other, depth - 1);
            }
        }
    };
}

/// Lanes of a 32-bit vector backwards.
#[inline]
#[target_feature(enable = "avx512f")]
fn reverse32(v: __m512i) -> __m512i {
    _mm512_permutexvar_epi32(
        _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
        v,
    )
}

/// Lanes of a 64-bit vector backwards.
#[inline]
#[target_feature(enable = "avx512f")]
fn reverse64(v: __m512i) -> __m512i {
    _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), v)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn swap_words(v: __m512i) -> __m512i {
    _mm512_shuffle_epi32::<0b10_11_00_01>(v)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn swap_pairs(v: __m512i) -> __m512i {
    _mm512_shuffle_epi32::<0b01_00_11_10>(v)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn swap_quarters(v: __m512i) -> __m512i {
    _mm512_shuffle_i32x4::<0b10_11_00_01>(v, v)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn swap_halves(v: __m512i) -> __m512i {
    _mm512_shuffle_i32x4::<0b01_00_11_10>(v, v)
}

vector_sort!(
    words32, u32, 16, u16, 16,
    _mm512_min_epu32, _mm512_max_epu32, _mm512_mask_max_epu32, _mm512_set1_epi32,
    _mm512_cmplt_epu32_mask, _mm512_cmple_epu32_mask, _mm512_mask_cmplt_epu32_mask, _mm512_mask_cmple_epu32_mask,
    _mm512_maskz_compress_epi32, _mm512_maskz_loadu_epi32, _mm512_mask_loadu_epi32, _mm512_mask_storeu_epi32,
    _mm512_loadu_epi32, _mm512_storeu_epi32,
    reverse32, [1 => swap_words, 2 => swap_pairs, 4 => swap_quarters, 8 => swap_halves]
);

vector_sort!(
    words64, u64, 8, u8, 8,
    _mm512_min_epu64, _mm512_max_epu64, _mm512_mask_max_epu64, _mm512_set1_epi64,
    _mm512_cmplt_epu64_mask, _mm512_cmple_epu64_mask, _mm512_mask_cmplt_epu64_mask, _mm512_mask_cmple_epu64_mask,
    _mm512_maskz_compress_epi64, _mm512_maskz_loadu_epi64, _mm512_mask_loadu_epi64, _mm512_mask_storeu_epi64,
    _mm512_loadu_epi64, _mm512_storeu_epi64,
    reverse64, [1 => swap_pairs, 2 => swap_quarters, 4 => swap_halves]
);
