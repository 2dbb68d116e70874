//! Sorting of unsigned words: what every plain sort comes down to.

use crate::Context;
use crate::error::Result;
use crate::scratch::{Plain, Scratch};

/// An unsigned word that can be sorted.
pub(crate) trait Word: Plain + Ord + Send + Sync {
    const BITS: u32;
    const ZERO: Self;

    /// The bits selected by `mask` from bit `shift` on.
    fn digit(self, shift: u32, mask: usize) -> usize;

    /// Sorts `data` with the help of `other` of the same length; the result is in `data`.
    fn sort_with(data: &mut [Self], other: &mut [Self]);

    /// Copies `from` to `to`, of the same length: words below the pivot to the front, the others to
    /// the back; returns the number of the former. `None` where the machine has no fast way.
    fn partition(from: &[Self], to: &mut [Self], pivot: Self) -> Option<usize>;
}

macro_rules! word {
    ($word:ty, $vector:ident) => {
        impl Word for $word {
            const BITS: u32 = <$word>::BITS;
            const ZERO: Self = 0;

            #[inline(always)]
            fn digit(self, shift: u32, mask: usize) -> usize {
                (self >> shift) as usize & mask
            }

            fn sort_with(data: &mut [Self], other: &mut [Self]) {
                #[cfg(target_arch = "x86_64")]
                if super::vector::available() {
                    let depth = 2 * data.len().max(2).ilog2();
                    // SAFETY: the machine has the instructions.
                    unsafe { super::vector::$vector::sort(data, other, false, depth) };
                    return;
                }
                sort_portable(data, other);
            }

            fn partition(from: &[Self], to: &mut [Self], pivot: Self) -> Option<usize> {
                #[cfg(target_arch = "x86_64")]
                if super::vector::available() {
                    // SAFETY: the machine has the instructions.
                    return Some(unsafe {
                        super::vector::$vector::partition::<false>(from, to, pivot)
                    });
                }
                let _ = (from, to, pivot);
                None
            }
        }
    };
}

word!(u32, words32);
word!(u64, words64);

/// Sorts without vector instructions.
pub(crate) fn sort_portable<W: Word>(data: &mut [W], other: &mut [W]) {
    /// Below this length a comparison sort in cache beats counting digits.
    const RADIX_FROM: usize = 1024;
    if data.len() < RADIX_FROM || u32::try_from(data.len()).is_err() {
        data.sort_unstable();
    } else {
        radix(None, data, other, 0..W::BITS, W::digit);
    }
}

/// Lines shorter than this are sorted by one thread.
const PARALLEL_FROM: usize = 1 << 15;

/// Sorts `data`, on all threads of the context when it is long. The lowest `ordered` bits are known
/// to be in ascending order among words that are equal otherwise (positions, say), which a radix
/// sort need not look at.
///
/// # Errors
/// `OutOfMemory` for the scratch memory, as large as the data.
pub(crate) fn sort_words<W: Word>(context: &Context, data: &mut [W], ordered: u32) -> Result<()> {
    let mut other = Scratch::<W>::take(data.len())?;
    let fast = W::partition(&[], &mut [], data.first().copied().unwrap_or(W::ZERO)).is_some();
    let alone = context.threads() == 1 || crate::pool::inside() || data.len() < PARALLEL_FROM;
    if fast && !alone {
        let segments = split(context, data, &mut other);
        let (data, other) = (Pieces::new(data), Pieces::new(&mut other));
        context.parallel_for(segments.len(), 1, &|begin, end| {
            for segment in &segments[begin..end] {
                // SAFETY: segments are disjoint.
                let (data, other) = unsafe {
                    (
                        data.get(segment.start, segment.len()),
                        other.get(segment.start, segment.len()),
                    )
                };
                W::sort_with(data, other);
            }
        });
    } else if fast || data.len() < PARALLEL_FROM || u32::try_from(data.len()).is_err() {
        W::sort_with(data, &mut other);
    } else {
        radix(Some(context), data, &mut other, ordered..W::BITS, W::digit);
    }
    Ok(())
}

/// Partitions `data` into segments, each with words below those of the next, enough of them to
/// occupy all threads. (The sorted sequence is the same wherever the cuts are.)
fn split<W: Word>(
    context: &Context,
    data: &mut [W],
    other: &mut [W],
) -> Vec<std::ops::Range<usize>> {
    let threads = context.threads().min(64);
    let whole = 0..data.len();
    let mut segments = vec![whole];
    while segments.len() < 2 * threads {
        // Every segment is cut into chunks, each of which is partitioned by the segment's pivot;
        // then the chunks' halves are put together.
        let pivots: Vec<W> = segments.iter().map(|s| middle(&data[s.clone()])).collect();
        let parts = (2 * threads).div_ceil(segments.len());
        let chunk_of = |s: usize, c: usize| {
            let (start, n) = (segments[s].start, segments[s].len());
            start + n * c / parts..start + n * (c + 1) / parts
        };
        let mut below = vec![0usize; segments.len() * parts];
        let (pieces, others) = (Pieces::new(data), Pieces::new(other));
        {
            let below = Pieces::new(&mut below);
            context.parallel_for(segments.len() * parts, 1, &|begin, end| {
                for task in begin..end {
                    let chunk = chunk_of(task / parts, task % parts);
                    // SAFETY: chunks are disjoint, each is visited once.
                    unsafe {
                        let (from, to) = (
                            pieces.get(chunk.start, chunk.len()),
                            others.get(chunk.start, chunk.len()),
                        );
                        below.write(
                            task,
                            W::partition(from, to, pivots[task / parts]).unwrap_or(0),
                        );
                    }
                }
            });
        }
        context.parallel_for(segments.len() * parts, 1, &|begin, end| {
            for task in begin..end {
                let (s, c) = (task / parts, task % parts);
                let (chunk, counts) = (chunk_of(s, c), &below[s * parts..(s + 1) * parts]);
                let lower: usize = counts[..c].iter().sum();
                let upper =
                    counts.iter().sum::<usize>() + (chunk.start - segments[s].start - lower);
                // SAFETY: by the counts, the targets of different chunks are disjoint; sources are
                // only read.
                unsafe {
                    let from = others.get(chunk.start, chunk.len());
                    let (low, high) = from.split_at(counts[c]);
                    pieces
                        .get(segments[s].start + lower, low.len())
                        .copy_from_slice(low);
                    pieces
                        .get(segments[s].start + upper, high.len())
                        .copy_from_slice(high);
                }
            }
        });
        let before = segments.len();
        segments = segments
            .iter()
            .zip(below.chunks(parts))
            .flat_map(|(segment, counts)| {
                let cut = segment.start + counts.iter().sum::<usize>();
                [segment.start..cut, cut..segment.end]
            })
            .filter(|segment| !segment.is_empty())
            .collect();
        if segments.len() < 2 * before {
            // Many equal words: further cuts may not come to an end.
            break;
        }
    }
    segments
}

/// A word near the median, by sampling.
fn middle<W: Word>(data: &[W]) -> W {
    let count = data.len().clamp(1, 512);
    let stride = data.len() / count;
    let mut sample: Vec<W> = (0..count).map(|i| data[i * stride + stride / 2]).collect();
    *sample.select_nth_unstable(count / 2).1
}

/// Bits of a digit: the most whose counters and write positions stay in the second-level cache.
const DIGIT: u32 = 11;

/// Items that are worth a thread of their own.
const CHUNK: usize = 1 << 15;

/// Radix sort by the given bits of a key, least significant digit first; stable, so that the result
/// does not depend on the number of threads. The result is in `data`. A digit that is the same in
/// every key costs nothing but counting.
pub(crate) fn radix<T: Copy + Send + Sync>(
    context: Option<&Context>,
    data: &mut [T],
    other: &mut [T],
    bits: std::ops::Range<u32>,
    digit: impl Fn(T, u32, usize) -> usize + Sync,
) {
    assert_eq!(data.len(), other.len());
    assert!(u32::try_from(data.len()).is_ok());
    let n = data.len();
    let passes = (bits.end - bits.start).div_ceil(DIGIT).max(1);
    let width = (bits.end - bits.start).div_ceil(passes);
    let (buckets, mask) = (1usize << width, (1usize << width) - 1);
    let threads = match context {
        Some(context) if !crate::pool::inside() => context.threads().min(n / CHUNK).clamp(1, 16),
        _ => 1,
    };
    let chunk = n.div_ceil(threads);
    let each = |task: &(dyn Fn(usize) + Sync)| match context {
        Some(context) if threads > 1 => {
            context.parallel_for(threads, 1, &|begin, end| (begin..end).for_each(task))
        }
        _ => task(0),
    };
    let mut counts = vec![0u32; threads * buckets];
    let (mut from, mut to) = (&mut *data, &mut *other);
    let mut swapped = false;
    for pass in 0..passes {
        let shift = bits.start + pass * width;
        {
            let (source, rows) = (Pieces::new(from), Pieces::new(&mut counts));
            each(&|c| {
                // SAFETY: chunks and rows are disjoint; the chunks are only read.
                let (items, row) =
                    unsafe { (source.get(c * chunk, chunk), rows.get(c * buckets, buckets)) };
                row.fill(0);
                for item in items.iter() {
                    row[digit(*item, shift, mask)] += 1;
                }
            });
        }
        // Positions: bucket by bucket, within a bucket chunk by chunk.
        let mut next = 0;
        let mut trivial = false;
        for b in 0..buckets {
            let before = next;
            for c in 0..threads {
                next += std::mem::replace(&mut counts[c * buckets + b], next);
            }
            trivial |= (next - before) as usize == n;
        }
        if trivial {
            continue;
        }
        {
            let (source, target, rows) =
                (Pieces::new(from), Pieces::new(to), Pieces::new(&mut counts));
            each(&|c| {
                // SAFETY: chunks and rows are disjoint; the chunks are only read.
                let (items, row) =
                    unsafe { (source.get(c * chunk, chunk), rows.get(c * buckets, buckets)) };
                for item in items.iter() {
                    let position = &mut row[digit(*item, shift, mask)];
                    // SAFETY: by the counts, positions of different items differ; the write is
                    // bounds-checked.
                    unsafe { target.write(*position as usize, *item) };
                    *position += 1;
                }
            });
        }
        std::mem::swap(&mut from, &mut to);
        swapped = !swapped;
    }
    if swapped {
        to.copy_from_slice(from);
    }
}

/// A slice of which threads take disjoint pieces.
pub(crate) struct Pieces<'a, T> {
    pointer: *mut T,
    length: usize,
    slice: std::marker::PhantomData<&'a mut [T]>,
}

// SAFETY: access is through unsafe functions, whose callers keep the pieces disjoint.
unsafe impl<T: Send> Sync for Pieces<'_, T> {}

impl<'a, T> Pieces<'a, T> {
    pub(crate) fn new(slice: &'a mut [T]) -> Pieces<'a, T> {
        Pieces {
            pointer: slice.as_mut_ptr(),
            length: slice.len(),
            slice: std::marker::PhantomData,
        }
    }

    /// Elements of all.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// The elements from `begin` on, `length` of them or as many as there are.
    ///
    /// # Safety
    /// No other piece in use overlaps this one, unless both are only read.
    #[allow(clippy::mut_from_ref)]
    pub(crate) unsafe fn get(&self, begin: usize, length: usize) -> &'a mut [T] {
        let begin = begin.min(self.length);
        let length = length.min(self.length - begin);
        // SAFETY: inside of the slice by the line above; not aliased by the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.add(begin), length) }
    }

    /// # Safety
    /// No other thread accesses this element.
    pub(crate) unsafe fn write(&self, index: usize, value: T) {
        assert!(index < self.length);
        // SAFETY: in bounds; exclusive by the caller's promise.
        unsafe { self.pointer.add(index).write(value) };
    }
}
