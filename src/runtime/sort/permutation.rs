//! The stable permutation that sorts a line by its keys.

use super::key::{self, Order, Shape};
use super::words::{Pieces, radix, sort_words};
use crate::error::{Error, Result};
use crate::scratch::Scratch;
use crate::{Context, ElementKind};

/// One key of a line: dense elements.
#[derive(Clone, Copy)]
pub(crate) struct Key<'a> {
    pub kind: ElementKind,
    pub order: Order,
    /// `kind.size()` bytes an element, aligned to the size of the element's words.
    pub data: &'a [u8],
}

/// Writes the permutation that sorts `n` elements lexicographically by `keys`, the first one
/// leading; elements equal in all keys stay in their order. `context` lends threads for long lines
/// (a region that runs already keeps it to one).
///
/// # Errors
/// `Unsupported` for lines of 2^32 elements or more; `OutOfMemory`.
pub(crate) fn permutation(
    context: &Context,
    keys: &[Key<'_>],
    n: usize,
    permutation: &mut [u32],
) -> Result<()> {
    if u32::try_from(n).is_err() {
        return Err(Error::unsupported(format!("sorting lines of {n} elements")));
    }
    for (i, p) in permutation.iter_mut().enumerate() {
        *p = i as u32;
    }
    // From the last key to the first: each stable sort keeps the order of the ones before.
    let mut sorted_before = false;
    for key in keys.iter().rev() {
        for part in key.parts().into_iter().rev().flatten() {
            sort_by_part(context, part, sorted_before, permutation)?;
            sorted_before = true;
        }
    }
    Ok(())
}

/// A key, or the real or imaginary part of one.
#[derive(Clone, Copy)]
struct Part<'a> {
    kind: ElementKind,
    order: Order,
    data: &'a [u8],
    /// Words from one element to the next, and to the part.
    stride: usize,
    offset: usize,
}

impl<'a> Key<'a> {
    fn parts(&self) -> [Option<Part<'a>>; 2] {
        let part = |kind, stride, offset| {
            Some(Part {
                kind,
                order: self.order,
                data: self.data,
                stride,
                offset,
            })
        };
        match self.kind {
            ElementKind::C64 => [part(ElementKind::F32, 2, 0), part(ElementKind::F32, 2, 1)],
            ElementKind::C128 => [part(ElementKind::F64, 2, 0), part(ElementKind::F64, 2, 1)],
            kind => [part(kind, 1, 0), None],
        }
    }
}

/// The bytes as words.
///
/// # Panics
/// When they are not aligned; scratch memory and tensors are.
fn words<W: crate::scratch::Plain>(bytes: &[u8]) -> &[W] {
    assert_eq!(
        bytes.as_ptr().align_offset(align_of::<W>()),
        0,
        "a tensor is not aligned to its elements"
    );
    // SAFETY: aligned by the line above; every bit pattern is a value; the length is rounded down.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / size_of::<W>()) }
}

fn sort_by_part(
    context: &Context,
    part: Part<'_>,
    sorted_before: bool,
    permutation: &mut [u32],
) -> Result<()> {
    let n = permutation.len();
    match key::shape(part.kind) {
        None => {
            let table = key::byte_keys(part.kind, part.order);
            let mut keys = Scratch::<u8>::take(n)?;
            for (key, p) in keys.iter_mut().zip(permutation.iter()) {
                *key = table[part.data[*p as usize * part.stride + part.offset] as usize];
            }
            composite(context, permutation, sorted_before, &keys, 8)
        }
        Some((16, shape)) => {
            let mut keys = Scratch::<u16>::take(n)?;
            let encoder =
                |bits: &[u16], keys: &mut [u16]| key::keys16(bits, keys, shape, part.order);
            encode(
                context,
                words(part.data),
                part,
                sorted_before,
                permutation,
                &mut keys,
                encoder,
            );
            composite(context, permutation, sorted_before, &keys, 16)
        }
        Some((32, shape)) => {
            let mut keys = Scratch::<u32>::take(n)?;
            let encoder =
                |bits: &[u32], keys: &mut [u32]| key::keys32(bits, keys, shape, part.order);
            encode(
                context,
                words(part.data),
                part,
                sorted_before,
                permutation,
                &mut keys,
                encoder,
            );
            composite(context, permutation, sorted_before, &keys, 32)
        }
        Some((_, shape)) => long_keys(context, words(part.data), part, shape, permutation),
    }
}

/// Elements handled at once by one thread.
const PIECE: usize = 1 << 12;

/// The keys of the elements in the order of the permutation.
fn encode<W: Narrow>(
    context: &Context,
    data: &[W],
    part: Part<'_>,
    sorted_before: bool,
    permutation: &[u32],
    keys: &mut [W],
    to_keys: impl Fn(&[W], &mut [W]) -> bool + Sync,
) {
    let n = keys.len();
    let keys = Pieces::new(keys);
    context.parallel_for(n.div_ceil(PIECE), 2, &|begin, end| {
        let begin = begin * PIECE;
        // SAFETY: pieces are disjoint.
        let keys = unsafe { keys.get(begin, end * PIECE - begin) };
        if !sorted_before && part.stride == 1 {
            to_keys(&data[begin..begin + keys.len()], keys);
            return;
        }
        // Small runs, so that the encoding stays in cache and is vectorised.
        let mut run = [W::default(); 256];
        for (positions, keys) in permutation[begin..].chunks(256).zip(keys.chunks_mut(256)) {
            for (x, p) in run.iter_mut().zip(positions) {
                *x = data[*p as usize * part.stride + part.offset];
            }
            to_keys(&run[..keys.len()], keys);
        }
    });
}

/// Words that keys are made of.
trait Narrow: Copy + Default + Into<u64> + Send + Sync {}
impl Narrow for u8 {}
impl Narrow for u16 {}
impl Narrow for u32 {}

/// Lines shorter than this are sorted whatever their keys are.
const PARTITIONED_FROM: usize = 64;

/// The smaller key, if there are no more than two: truth values, as they are sorted to find out
/// where they hold.
fn smaller_of_two<W: Narrow + Ord>(keys: &[W]) -> Option<W> {
    let (first, rest) = keys.split_first()?;
    let Some(at) = rest.iter().position(|key| key != first) else {
        return Some(*first);
    };
    let second = rest[at];
    let mut blocks = rest[at..].chunks(1 << 10);
    // Most keys are more than two, which the first block shows.
    let others = |block: &[W]| (block.iter()).fold(false, |o, k| o | (k != first && *k != second));
    (!blocks.any(others)).then(|| second.min(*first))
}

/// Puts the elements of the smaller key in front; those of one key stay in their order.
fn partition<W: Narrow + Ord>(permutation: &mut [u32], keys: &[W], smaller: W) -> Result<()> {
    let mut behind = Scratch::<u32>::take(permutation.len())?;
    let (mut front, mut back) = (0, 0);
    for (i, key) in keys.iter().enumerate() {
        let p = permutation[i];
        // Both are written, one of them to be kept: nothing has to be predicted. What is in front
        // of `i` was read.
        permutation[front] = p;
        behind[back] = p;
        let is_front = usize::from(*key == smaller);
        front += is_front;
        back += 1 - is_front;
    }
    permutation[front..].copy_from_slice(&behind[..back]);
    Ok(())
}

/// Sorts keys that are given in the order of the permutation, together with it.
fn composite<W: Narrow + Ord>(
    context: &Context,
    permutation: &mut [u32],
    sorted_before: bool,
    keys: &[W],
    bits: u32,
) -> Result<()> {
    let n = permutation.len();
    if n >= PARTITIONED_FROM
        && let Some(smaller) = smaller_of_two(keys)
    {
        return partition(permutation, keys, smaller);
    }
    let position_bits = usize::BITS - n.saturating_sub(1).leading_zeros();
    macro_rules! sort {
        ($word:ty, $shift:expr) => {{
            let shift: u32 = $shift;
            let mut words = Scratch::<$word>::take(n)?;
            let pieces = Pieces::new(&mut words);
            context.parallel_for(n.div_ceil(PIECE), 2, &|begin, end| {
                let begin = begin * PIECE;
                // SAFETY: pieces are disjoint.
                let words = unsafe { pieces.get(begin, end * PIECE - begin) };
                for (i, (word, key)) in words.iter_mut().zip(&keys[begin..]).enumerate() {
                    let key: u64 = (*key).into();
                    *word = (key as $word) << shift | (begin + i) as $word;
                }
            });
            sort_words(context, &mut words, shift)?;
            let position = |word: $word| (word & ((1 << shift) - 1)) as usize;
            if !sorted_before {
                for (p, word) in permutation.iter_mut().zip(words.iter()) {
                    *p = position(*word) as u32;
                }
                return Ok(());
            }
            let mut before = Scratch::<u32>::take(n)?;
            before.copy_from_slice(permutation);
            for (p, word) in permutation.iter_mut().zip(words.iter()) {
                *p = before[position(*word)];
            }
            Ok(())
        }};
    }
    if bits + position_bits <= 32 {
        sort!(u32, position_bits)
    } else {
        sort!(u64, 32)
    }
}

/// 64-bit keys do not leave room for the position: radix sort of pairs, or a comparison sort when
/// the line is short.
fn long_keys(
    context: &Context,
    data: &[u64],
    part: Part<'_>,
    shape: Shape,
    permutation: &mut [u32],
) -> Result<()> {
    let n = permutation.len();
    let mut pairs = Scratch::<[u64; 2]>::take(n)?;
    let (mut bits, mut keys) = ([0u64; 256], [0u64; 256]);
    for (positions, pairs) in permutation.chunks(256).zip(pairs.chunks_mut(256)) {
        for (x, p) in bits.iter_mut().zip(positions) {
            *x = data[*p as usize * part.stride + part.offset];
        }
        key::keys64(&bits[..positions.len()], &mut keys, shape, part.order);
        for ((pair, key), p) in pairs.iter_mut().zip(&keys).zip(positions) {
            *pair = [*key, u64::from(*p)];
        }
    }
    if n < 2048 {
        pairs.sort_by_key(|pair| pair[0]);
    } else {
        let mut other = Scratch::<[u64; 2]>::take(n)?;
        radix(
            Some(context),
            &mut pairs,
            &mut other,
            0..64,
            |pair, shift, mask| (pair[0] >> shift) as usize & mask,
        );
    }
    for (p, pair) in permutation.iter_mut().zip(pairs.iter()) {
        *p = pair[1] as u32;
    }
    Ok(())
}
