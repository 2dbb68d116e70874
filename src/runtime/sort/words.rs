//! Sorting of unsigned words: what every plain sort comes down to.

use crate::Context;
use crate::error::Result;
use crate::scratch::{Plain, Scratch};

/// An unsigned word that can be sorted.
pub trait Word: Plain + Ord + Send + Sync {
    const BITS: u32;

    /// The 8 bits from bit `shift` on.
    fn digit(self, shift: u32) -> usize;

    /// Sorts `data` with the help of `other` of the same length; the result is in `data`.
    fn sort_with(data: &mut [Self], other: &mut [Self]);
}

macro_rules! word {
    ($word:ty, $vector:ident) => {
        impl Word for $word {
            const BITS: u32 = <$word>::BITS;

            fn digit(self, shift: u32) -> usize {
                (self >> shift) as usize & 0xff
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
        }
    };
}

word!(u32, words32);
word!(u64, words64);

/// Below this length a comparison sort in cache beats counting digits.
const RADIX_MINIMUM: usize = 512;

/// Sorts without vector instructions.
pub(crate) fn sort_portable<W: Word>(data: &mut [W], other: &mut [W]) {
    if data.len() < RADIX_MINIMUM {
        data.sort_unstable();
    } else {
        radix(data, other, |word, shift| word.digit(shift), W::BITS);
    }
}

/// Least-significant-digit radix sort by the low `bits` bits of a key; stable. The result is in `data`. Digits that are the same in
/// every key cost nothing but counting.
pub(crate) fn radix<T: Copy>(
    data: &mut [T],
    other: &mut [T],
    digit: impl Fn(T, u32) -> usize,
    bits: u32,
) {
    const BUCKETS: usize = 256;
    assert_eq!(data.len(), other.len());
    let passes = bits.div_ceil(8) as usize;
    let mut counts = vec![[0usize; BUCKETS]; passes];
    for &item in data.iter() {
        for (pass, counts) in counts.iter_mut().enumerate() {
            counts[digit(item, 8 * pass as u32)] += 1;
        }
    }
    let (mut from, mut to) = (&mut *data, &mut *other);
    let mut swapped = false;
    for (pass, counts) in counts.iter_mut().enumerate() {
        if counts.contains(&from.len()) {
            continue;
        }
        let mut next = 0;
        for count in counts.iter_mut() {
            next += std::mem::replace(count, next);
        }
        for &item in from.iter() {
            let position = &mut counts[digit(item, 8 * pass as u32)];
            to[*position] = item;
            *position += 1;
        }
        std::mem::swap(&mut from, &mut to);
        swapped = !swapped;
    }
    if swapped {
        to.copy_from_slice(from);
    }
}

/// Lines shorter than this are sorted by one thread.
const PARALLEL_MINIMUM: usize = 1 << 15;

/// Sorts `data`, on all threads of the context when it is long.
///
/// # Errors
/// `OutOfMemory` for the scratch memory, as large as the data.
pub fn sort_words<W: Word>(context: &Context, data: &mut [W]) -> Result<()> {
    let mut other = Scratch::<W>::take(data.len())?;
    if context.threads() == 1 || crate::pool::inside() || data.len() < PARALLEL_MINIMUM {
        W::sort_with(data, &mut other);
        return Ok(());
    }
    // Buckets of about equal size, by splitters from a sample; then each bucket on its own. The sorted sequence is the same however the
    // buckets fall.
    let buckets = (4 * context.threads()).min(64);
    let splitters = splitters(data, buckets);
    let chunk = data.len().div_ceil(4 * context.threads());
    let chunks = data.len().div_ceil(chunk);
    let mut counts = Scratch::<u64>::take(chunks * buckets)?;
    let data_pieces = Pieces::new(data);
    {
        let rows = Pieces::new(&mut counts);
        context.parallel_for(chunks, 1, &|begin, end| {
            for c in begin..end {
                // SAFETY: chunks are disjoint, each is visited once; the data are only read in this region.
                let (chunk, row) = unsafe {
                    (
                        data_pieces.get(c * chunk, chunk),
                        rows.get(c * buckets, buckets),
                    )
                };
                row.fill(0);
                for word in chunk.iter() {
                    row[bucket_of(&splitters, *word)] += 1;
                }
            }
        });
    }
    // Positions: bucket by bucket, within a bucket chunk by chunk.
    let mut starts = Vec::with_capacity(buckets + 1);
    let mut next = 0;
    for b in 0..buckets {
        starts.push(next as usize);
        for c in 0..chunks {
            next += std::mem::replace(&mut counts[c * buckets + b], next);
        }
    }
    starts.push(next as usize);
    {
        let rows = Pieces::new(&mut counts);
        let target = Pieces::new(&mut other);
        context.parallel_for(chunks, 1, &|begin, end| {
            for c in begin..end {
                // SAFETY: as above; each chunk writes to positions of its own in the target.
                let (chunk, row) = unsafe {
                    (
                        data_pieces.get(c * chunk, chunk),
                        rows.get(c * buckets, buckets),
                    )
                };
                for word in chunk.iter() {
                    let position = &mut row[bucket_of(&splitters, *word)];
                    // SAFETY: positions of different words differ and are below the length, by the counts.
                    unsafe { target.write(*position as usize, *word) };
                    *position += 1;
                }
            }
        });
        context.parallel_for(buckets, 1, &|begin, end| {
            for b in begin..end {
                let (start, length) = (starts[b], starts[b + 1] - starts[b]);
                // SAFETY: buckets are disjoint.
                let (bucket, result) =
                    unsafe { (target.get(start, length), data_pieces.get(start, length)) };
                W::sort_with(bucket, result);
                result.copy_from_slice(bucket);
            }
        });
    }
    Ok(())
}

/// `buckets - 1` words that cut the data into about equal parts.
fn splitters<W: Word>(data: &[W], buckets: usize) -> Vec<W> {
    let count = (buckets * 32).min(data.len());
    let stride = data.len() / count;
    let mut sample: Vec<W> = (0..count).map(|i| data[i * stride + stride / 2]).collect();
    sample.sort_unstable();
    (1..buckets).map(|b| sample[b * count / buckets]).collect()
}

/// The number of splitters that are not above the word.
#[inline]
fn bucket_of<W: Word>(splitters: &[W], word: W) -> usize {
    splitters.iter().map(|s| usize::from(*s <= word)).sum()
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

    /// # Safety
    /// No other thread writes this element.
    pub(crate) unsafe fn read(&self, index: usize) -> T
    where
        T: Copy,
    {
        assert!(index < self.length);
        // SAFETY: in bounds; not written meanwhile by the caller's promise.
        unsafe { self.pointer.add(index).read() }
    }
}
