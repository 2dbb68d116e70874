//! The stable permutation that sorts a line by its keys.

use super::key::{self, Order, Shape};
use super::words::{radix, sort_words};
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

/// Writes the permutation that sorts `n` elements lexicographically by `keys`, the first one leading; elements equal in all keys stay in
/// their order. `context` lends threads for long lines (a region that runs already keeps it to one).
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
    let position_bits = usize::BITS - n.saturating_sub(1).leading_zeros();
    let at = |p: u32| p as usize * part.stride + part.offset;
    match key::shape(part.kind) {
        None => {
            let table = key::byte_keys(part.kind, part.order);
            composite(context, permutation, position_bits, 8, |p| {
                u64::from(table[part.data[at(p)] as usize])
            })
        }
        Some((16, shape)) => {
            let data = words::<u16>(part.data);
            let mut keys = Scratch::<u16>::take(n)?;
            encode(
                data,
                part,
                sorted_before,
                permutation,
                &mut keys,
                |bits, keys| key::keys16(bits, keys, shape, part.order),
            );
            composite_in_order(context, permutation, position_bits, &keys)
        }
        Some((32, shape)) => {
            let data = words::<u32>(part.data);
            let mut keys = Scratch::<u32>::take(n)?;
            encode(
                data,
                part,
                sorted_before,
                permutation,
                &mut keys,
                |bits, keys| key::keys32(bits, keys, shape, part.order),
            );
            composite_in_order(context, permutation, position_bits, &keys)
        }
        Some((_, shape)) => long_keys(words::<u64>(part.data), part, shape, permutation),
    }
}

/// The keys of the elements in the order of the permutation.
fn encode<W: Word16>(
    data: &[W],
    part: Part<'_>,
    sorted_before: bool,
    permutation: &[u32],
    keys: &mut [W],
    to_keys: impl Fn(&[W], &mut [W]) -> bool,
) {
    if !sorted_before && part.stride == 1 {
        to_keys(&data[..keys.len()], keys);
        return;
    }
    // Small pieces, so that the encoding stays in cache and is vectorised.
    let mut piece = [W::default(); 256];
    for (positions, keys) in permutation.chunks(256).zip(keys.chunks_mut(256)) {
        for (x, p) in piece.iter_mut().zip(positions) {
            *x = data[*p as usize * part.stride + part.offset];
        }
        to_keys(&piece[..keys.len()], keys);
    }
}

/// Words that keys are made of.
trait Word16: Copy + Default + Into<u64> {
    const BITS: u32;
}
impl Word16 for u16 {
    const BITS: u32 = 16;
}
impl Word16 for u32 {
    const BITS: u32 = 32;
}

/// Sorts keys that are given in the order of the permutation, together with it.
fn composite_in_order<W: Word16>(
    context: &Context,
    permutation: &mut [u32],
    position_bits: u32,
    keys: &[W],
) -> Result<()> {
    let n = permutation.len();
    if W::BITS + position_bits <= 32 {
        let mut words = Scratch::<u32>::take(n)?;
        for (i, (word, key)) in words.iter_mut().zip(keys).enumerate() {
            let key: u64 = (*key).into();
            *word = ((key as u32) << position_bits) | i as u32;
        }
        sort_words(context, &mut words)?;
        apply(
            permutation,
            words
                .iter()
                .map(|w| (w & ((1 << position_bits) - 1)) as usize),
        )
    } else {
        let mut words = Scratch::<u64>::take(n)?;
        for (i, (word, key)) in words.iter_mut().zip(keys).enumerate() {
            let key: u64 = (*key).into();
            *word = (key << 32) | i as u64;
        }
        sort_words(context, &mut words)?;
        apply(
            permutation,
            words.iter().map(|w| (*w & 0xffff_ffff) as usize),
        )
    }
}

/// Like [`composite_in_order`] for keys of `bits` bits computed from the position in the original line.
fn composite(
    context: &Context,
    permutation: &mut [u32],
    position_bits: u32,
    bits: u32,
    key: impl Fn(u32) -> u64,
) -> Result<()> {
    let n = permutation.len();
    if bits + position_bits <= 32 {
        let mut words = Scratch::<u32>::take(n)?;
        for (i, (word, p)) in words.iter_mut().zip(permutation.iter()).enumerate() {
            *word = ((key(*p) as u32) << position_bits) | i as u32;
        }
        sort_words(context, &mut words)?;
        apply(
            permutation,
            words
                .iter()
                .map(|w| (w & ((1 << position_bits) - 1)) as usize),
        )
    } else {
        let mut words = Scratch::<u64>::take(n)?;
        for (i, (word, p)) in words.iter_mut().zip(permutation.iter()).enumerate() {
            *word = (key(*p) << 32) | i as u64;
        }
        sort_words(context, &mut words)?;
        apply(
            permutation,
            words.iter().map(|w| (*w & 0xffff_ffff) as usize),
        )
    }
}

/// `permutation[i] = permutation[order[i]]`.
fn apply(permutation: &mut [u32], order: impl Iterator<Item = usize>) -> Result<()> {
    let mut before = Scratch::<u32>::take(permutation.len())?;
    before.copy_from_slice(permutation);
    for (p, i) in permutation.iter_mut().zip(order) {
        *p = before[i];
    }
    Ok(())
}

/// 64-bit keys do not leave room for the position: radix sort of pairs, or a comparison sort when the line is short.
fn long_keys(data: &[u64], part: Part<'_>, shape: Shape, permutation: &mut [u32]) -> Result<()> {
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
            &mut pairs,
            &mut other,
            |pair, shift| (pair[0] >> shift) as usize & 0xff,
            64,
        );
    }
    for (p, pair) in permutation.iter_mut().zip(pairs.iter()) {
        *p = pair[1] as u32;
    }
    Ok(())
}
