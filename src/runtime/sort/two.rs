//! Sorting by an integer that has two values: truth values, as they are sorted to find out where
//! they hold. Elements with the smaller one go in front, and those of each keep their order; so
//! every operand is one stream that is dealt out to two places, and no permutation is needed.

use super::key::{self, Order};
use super::words::Pieces;
use crate::{Context, ElementKind};

/// Elements handled at once by one thread: whole words of bits.
const PIECE: usize = 1 << 14;

/// Elements of a line that go in front.
pub(crate) struct Front {
    /// A bit for each element.
    bits: Vec<u64>,
    /// Number of elements in front, before each piece.
    before: Vec<usize>,
    length: usize,
}

/// The elements of `data`, integers of this kind, that go in front, if there are no more than two
/// different ones.
///
/// # Safety
/// `data` points to `length` elements, aligned to their words, which nobody writes meanwhile.
pub(crate) unsafe fn front(
    kind: ElementKind,
    order: Order,
    data: *const u8,
    length: usize,
) -> Option<Front> {
    macro_rules! typed {
        ($word:ty, $signed:ty) => {{
            // SAFETY: the caller's promise.
            let words = unsafe { std::slice::from_raw_parts(data.cast::<$word>(), length) };
            let is_less = |a: $word, b: $word| {
                if kind.is_signed_integer() {
                    (a as $signed) < (b as $signed)
                } else {
                    a < b
                }
            };
            let (first, second) = two(words)?;
            let less = if is_less(first, second) != order.is_descending() {
                first
            } else {
                second
            };
            bits(words, less, if less == first { second } else { first })?
        }};
    }
    let is_integer =
        key::shape(kind).is_some_and(|(_, shape)| !matches!(shape, key::Shape::Float(_)));
    let bits = match kind.size() {
        1 if !kind.is_float() => typed!(u8, i8),
        2 if is_integer => typed!(u16, i16),
        4 if is_integer => typed!(u32, i32),
        8 if is_integer => typed!(u64, i64),
        _ => return None,
    };
    let mut count = 0;
    let mut before = Vec::with_capacity(length.div_ceil(PIECE) + 1);
    for piece in bits.chunks(PIECE / 64) {
        before.push(count);
        count += piece
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum::<usize>();
    }
    before.push(count);
    Some(Front {
        bits,
        before,
        length,
    })
}

/// The first element and the first other one; of elements that are all alike that one, twice.
fn two<W: Copy + PartialEq>(words: &[W]) -> Option<(W, W)> {
    let first = *words.first()?;
    let other = words.iter().find(|word| **word != first);
    Some((first, other.copied().unwrap_or(first)))
}

/// A bit for each element that is `less`, if all others are `more`.
fn bits<W: Copy + PartialEq + Into<u64>>(words: &[W], less: W, more: W) -> Option<Vec<u64>> {
    #[cfg(target_arch = "x86_64")]
    if super::vector::available() {
        // SAFETY: the machine has the instructions; these are words of 1 to 8 bytes.
        return unsafe { vectors::bits(words, less.into(), more.into()) };
    }
    let mut found = Vec::with_capacity(words.len().div_ceil(64));
    for block in words.chunks(64) {
        let mut here = 0u64;
        let mut other = false;
        for (i, word) in block.iter().enumerate() {
            let is_less = *word == less;
            here |= u64::from(is_less) << i;
            other |= !is_less & (*word != more);
        }
        if other {
            return None;
        }
        found.push(here);
    }
    Some(found)
}

impl Front {
    /// Writes the elements of `source` that go in front to the beginning of `target`, and the
    /// others behind them.
    ///
    /// # Safety
    /// Both point to as many elements of `size` bytes as the line has; they do not overlap, and
    /// nobody else uses `target` meanwhile.
    pub(crate) unsafe fn deal(
        &self,
        context: &Context,
        size: usize,
        source: *const u8,
        target: *mut u8,
    ) {
        macro_rules! typed {
            ($($bytes:literal: $type:ty),*) => {
                match size {
                    $($bytes => {
                        // SAFETY: the caller's promise.
                        let (from, to) = unsafe { (
                            std::slice::from_raw_parts(source.cast::<$type>(), self.length),
                            std::slice::from_raw_parts_mut(target.cast::<$type>(), self.length),
                        ) };
                        self.deal_words(context, from, to);
                    })*
                    _ => unreachable!("elements have 1, 2, 4, 8 or 16 bytes"),
                }
            };
        }
        // Complex numbers are aligned to their parts.
        typed!(1: u8, 2: u16, 4: u32, 8: [u32; 2], 16: [u32; 4])
    }

    fn deal_words<W: Copy + Send + Sync>(&self, context: &Context, from: &[W], to: &mut [W]) {
        let total = self.before.last().copied().unwrap_or(0);
        let to = Pieces::new(to);
        let count = self.length.div_ceil(PIECE);
        context.parallel_for(count, 2, &|begin, end| {
            for piece in begin..end {
                let start = piece * PIECE;
                let from = &from[start..(start + PIECE).min(self.length)];
                let (before, behind) = (self.before[piece], self.before[piece + 1]);
                let bits = &self.bits[start / 64..];
                // SAFETY: pieces of the line go to pieces of each part, which are disjoint.
                let (front, back) = unsafe {
                    let front = to.get(before, behind - before);
                    let others = from.len() - front.len();
                    (front, to.get(total + start - before, others))
                };
                deal(bits, from, front, back);
            }
        });
    }
}

/// Deals the elements of `from` out: to the front where a bit is set, else to the back. There is
/// room for as many as there are of each.
fn deal<W: Copy>(bits: &[u64], from: &[W], front: &mut [W], back: &mut [W]) {
    #[cfg(target_arch = "x86_64")]
    if matches!(size_of::<W>(), 4 | 8) && super::vector::available() {
        // SAFETY: the machine has the instructions; words of this size are moved as they are.
        unsafe { vectors::deal(bits, from, front, back) };
        return;
    }
    let (mut in_front, mut behind) = (front.iter_mut(), back.iter_mut());
    for (block, bits) in from.chunks(64).zip(bits) {
        for (i, word) in block.iter().enumerate() {
            let to = match bits >> i & 1 {
                1 => in_front.next(),
                _ => behind.next(),
            };
            if let Some(to) = to {
                *to = *word;
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod vectors {
    use std::arch::x86_64::*;

    /// See [`super::bits`]: of words of 1, 2, 4 or 8 bytes.
    ///
    /// # Safety
    /// The machine has the instructions of [`super::super::vector`].
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,popcnt")]
    pub unsafe fn bits<W>(words: &[W], less: u64, more: u64) -> Option<Vec<u64>> {
        macro_rules! block {
            ($block:expr, $lanes:literal, $mask:ty, $splat:ident, $int:ty, $load:ident, $equal:ident) => {{
                let (less, more) = ($splat(less as $int), $splat(more as $int));
                let (mut here, mut known) = (0u64, 0u64);
                for (i, part) in $block.chunks($lanes).enumerate() {
                    let there = (u64::MAX >> (64 - part.len())) as $mask;
                    // SAFETY: the lanes that are loaded are those of the part.
                    let x = unsafe { $load(there, part.as_ptr().cast()) };
                    let (a, b) = ($equal(x, less) & there, $equal(x, more) & there);
                    here |= (a as u64) << (i * $lanes);
                    known |= ((a | b) as u64) << (i * $lanes);
                }
                (here, known)
            }};
        }
        let mut found = Vec::with_capacity(words.len().div_ceil(64));
        for block in words.chunks(64) {
            let (here, known) = match size_of::<W>() {
                1 => block!(
                    block,
                    64,
                    u64,
                    _mm512_set1_epi8,
                    i8,
                    _mm512_maskz_loadu_epi8,
                    _mm512_cmpeq_epi8_mask
                ),
                2 => block!(
                    block,
                    32,
                    u32,
                    _mm512_set1_epi16,
                    i16,
                    _mm512_maskz_loadu_epi16,
                    _mm512_cmpeq_epi16_mask
                ),
                4 => block!(
                    block,
                    16,
                    u16,
                    _mm512_set1_epi32,
                    i32,
                    _mm512_maskz_loadu_epi32,
                    _mm512_cmpeq_epi32_mask
                ),
                _ => block!(
                    block,
                    8,
                    u8,
                    _mm512_set1_epi64,
                    i64,
                    _mm512_maskz_loadu_epi64,
                    _mm512_cmpeq_epi64_mask
                ),
            };
            if known != u64::MAX >> (64 - block.len()) {
                return None;
            }
            found.push(here);
        }
        Some(found)
    }

    /// See [`super::deal`].
    ///
    /// # Safety
    /// The machine has the instructions of [`super::super::vector`], words have 4 or 8 bytes, and
    /// the bits of `from` say how many go to each place.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,popcnt")]
    pub unsafe fn deal<W>(bits: &[u64], from: &[W], front: &mut [W], back: &mut [W]) {
        let lanes = 64 / size_of::<W>();
        let (mut in_front, mut behind) = (0, 0);
        let mut at = 0;
        while at < from.len() {
            let count = lanes.min(from.len() - at);
            let there = ((1u32 << count) - 1) as u16;
            let chosen = (bits[at / 64] >> (at % 64)) as u16 & there;
            let others = !chosen & there;
            let (some, rest) = (chosen.count_ones() as usize, others.count_ones() as usize);
            assert!(in_front + some <= front.len() && behind + rest <= back.len());
            // SAFETY: `count` elements are read, as many as there are; what is written is within
            // the two places, by the line above.
            unsafe {
                let source = from.as_ptr().add(at);
                let (front, back) = (
                    front.as_mut_ptr().add(in_front),
                    back.as_mut_ptr().add(behind),
                );
                let first = |n: usize| ((1u32 << n) - 1) as u16;
                match lanes {
                    16 => {
                        let words = _mm512_maskz_loadu_epi32(there, source.cast());
                        let kept = _mm512_maskz_compress_epi32(chosen, words);
                        _mm512_mask_storeu_epi32(front.cast(), first(some), kept);
                        let kept = _mm512_maskz_compress_epi32(others, words);
                        _mm512_mask_storeu_epi32(back.cast(), first(rest), kept);
                    }
                    _ => {
                        let words = _mm512_maskz_loadu_epi64(there as u8, source.cast());
                        let kept = _mm512_maskz_compress_epi64(chosen as u8, words);
                        _mm512_mask_storeu_epi64(front.cast(), first(some) as u8, kept);
                        let kept = _mm512_maskz_compress_epi64(others as u8, words);
                        _mm512_mask_storeu_epi64(back.cast(), first(rest) as u8, kept);
                    }
                }
            }
            in_front += some;
            behind += rest;
            at += count;
        }
    }
}
