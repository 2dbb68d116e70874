//! `rng_bit_generator`.

use super::{philox, threefry};
use crate::error::{Error, Result};
use crate::sort::Pieces;
use crate::{Context, ElementKind};

/// The generators of `rng_bit_generator`; the codes are those of `enum mw_random_algorithm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Algorithm {
    /// Whichever is best on this system: Philox.
    Default = 0,
    ThreeFry = 1,
    Philox = 2,
}

impl Algorithm {
    pub fn from_code(code: i32) -> Result<Algorithm> {
        match code {
            0 => Ok(Algorithm::Default),
            1 => Ok(Algorithm::ThreeFry),
            2 => Ok(Algorithm::Philox),
            _ => Err(Error::invalid(format!(
                "{code} is not the code of a random algorithm"
            ))),
        }
    }
}

/// Stores the low bits of a word as an element.
///
/// # Safety
/// Nobody else accesses the element.
#[inline(always)]
unsafe fn store(output: &Pieces<'_, u8>, kind: ElementKind, index: usize, word: u64) {
    let size = kind.size();
    // SAFETY: the caller's promise; the slice is bounds-checked.
    let element = unsafe { output.get(index * size, size) };
    match (size, element) {
        // The common sizes, without a call to copy a few bytes.
        (4, [a, b, c, d]) => [*a, *b, *c, *d] = (word as u32).to_le_bytes(),
        (8, [a, b, c, d, e, f, g, h]) => [*a, *b, *c, *d, *e, *f, *g, *h] = word.to_le_bytes(),
        (_, element) => element.copy_from_slice(&narrowed(kind, word).to_le_bytes()[..size]),
    }
}

/// The low bits of a word as the storage of a kind wants them.
fn narrowed(kind: ElementKind, word: u64) -> u64 {
    match kind {
        ElementKind::Pred => word & 1,
        ElementKind::I2 | ElementKind::I4 => {
            let unused = 64 - kind.bit_width();
            ((word << unused) as i64 >> unused) as u64
        }
        kind => word & (u64::MAX >> (64 - kind.bit_width())),
    }
}

/// Fills `output`, a tensor of this shape, with random bits, and returns the state that follows.
///
/// The state is a key followed by a counter: one 64-bit word for Threefry; for Philox one, or two
/// with the lower half first. (With one word, Philox takes the key as the upper half of its counter
/// as well, as XLA does.) Elements of 64 bits take two 32-bit words of the generator, all others
/// one, of which they keep the low bits.
///
/// # Errors
/// `InvalidArgument` for a state of the wrong size or an output that does not fit the shape;
/// `Unsupported` for complex elements.
pub fn random_bits(
    context: &Context,
    algorithm: Algorithm,
    state: &[u64],
    kind: ElementKind,
    shape: &[usize],
    output: &mut [u8],
) -> Result<Vec<u64>> {
    if kind.is_complex() {
        return Err(Error::unsupported("random bits as complex numbers"));
    }
    let count = shape.iter().try_fold(1usize, |p, s| p.checked_mul(*s));
    let Some(count) = count.filter(|c| c.checked_mul(kind.size()) == Some(output.len())) else {
        return Err(Error::invalid(format!(
            "{} bytes for random bits of shape {shape:?}",
            output.len()
        )));
    };
    let output = Pieces::new(output);
    match (algorithm, state) {
        (Algorithm::ThreeFry, &[key, counter]) => {
            let used = threefry_bits(context, key, counter, kind, shape, count, &output);
            Ok(vec![key, counter.wrapping_add(used)])
        }
        (Algorithm::Default | Algorithm::Philox, &[key, low]) => {
            let used = philox_bits(
                context,
                key,
                u128::from(key) << 64 | u128::from(low),
                kind,
                count,
                &output,
            );
            Ok(vec![key, low.wrapping_add(used)])
        }
        (Algorithm::Default | Algorithm::Philox, &[key, low, high]) => {
            let counter = u128::from(high) << 64 | u128::from(low);
            let used = philox_bits(context, key, counter, kind, count, &output);
            let next = counter.wrapping_add(u128::from(used));
            Ok(vec![key, next as u64, (next >> 64) as u64])
        }
        _ => Err(Error::invalid(format!(
            "a random state of {} words for {algorithm:?}",
            state.len()
        ))),
    }
}

/// Blocks of counters that are worth a thread.
const GRAIN: usize = 64;

/// Returns how many counters were used.
fn threefry_bits(
    context: &Context,
    key: u64,
    counter: u64,
    kind: ElementKind,
    shape: &[usize],
    count: usize,
    output: &Pieces<'_, u8>,
) -> u64 {
    const BLOCK: usize = threefry::BLOCK;
    // Elements of 64 bits: a counter each. Others: a counter makes two neighbours along one
    // dimension, the first even one, or else the largest.
    let wide = kind.bit_width() == 64;
    let (size, after) = if wide {
        (1, 1)
    } else {
        let even = shape.iter().position(|s| s % 2 == 0);
        let largest = || (0..shape.len()).rev().max_by_key(|i| shape[*i]);
        match even.or_else(largest) {
            Some(split) => (shape[split], shape[split + 1..].iter().product::<usize>()),
            None => (1, 1),
        }
    };
    let half = size.div_ceil(2);
    let counters = if wide {
        count
    } else {
        count.checked_div(size).unwrap_or(0) * half
    };
    context.parallel_for(counters.div_ceil(BLOCK), GRAIN, &|begin, end| {
        let (mut first, mut second) = ([0; BLOCK], [0; BLOCK]);
        for block in begin..end {
            threefry::threefry(
                key,
                counter.wrapping_add((block * BLOCK) as u64),
                &mut first,
                &mut second,
            );
            // The place of a counter: counted on, because divisions would cost more than the random
            // bits.
            let start = block * BLOCK;
            let (mut before, mut place, mut inner) =
                (start / after / half, start / after % half, start % after);
            for i in 0..BLOCK.min(counters - start) {
                let c = start + i;
                let words = [u64::from(first[i]), u64::from(second[i])];
                if wide {
                    // SAFETY: the element belongs to this counter alone.
                    unsafe { store(output, kind, c, words[1] << 32 | words[0]) };
                    continue;
                }
                for (p, word) in words.into_iter().enumerate() {
                    if 2 * place + p < size {
                        // SAFETY: the element belongs to this counter alone.
                        unsafe {
                            store(
                                output,
                                kind,
                                (before * size + 2 * place + p) * after + inner,
                                word,
                            )
                        };
                    }
                }
                inner += 1;
                if inner == after {
                    (inner, place) = (0, place + 1);
                }
                if place == half {
                    (place, before) = (0, before + 1);
                }
            }
        }
    });
    counters as u64
}

/// Returns how many counters were used.
fn philox_bits(
    context: &Context,
    key: u64,
    counter: u128,
    kind: ElementKind,
    count: usize,
    output: &Pieces<'_, u8>,
) -> u64 {
    const BLOCK: usize = philox::BLOCK;
    let per_counter = if kind.bit_width() == 64 { 2 } else { 4 };
    let counters = count.div_ceil(per_counter);
    context.parallel_for(counters.div_ceil(BLOCK), GRAIN, &|begin, end| {
        let mut words = [[0; BLOCK]; 4];
        for block in begin..end {
            philox::philox(
                key,
                counter.wrapping_add((block * BLOCK) as u128),
                &mut words,
            );
            #[allow(clippy::needless_range_loop, reason = "a column of four arrays")]
            for i in 0..BLOCK.min(counters - block * BLOCK) {
                for p in 0..per_counter {
                    let word = if per_counter == 2 {
                        u64::from(words[2 * p + 1][i]) << 32 | u64::from(words[2 * p][i])
                    } else {
                        u64::from(words[p][i])
                    };
                    let element = (block * BLOCK + i) * per_counter + p;
                    if element < count {
                        // SAFETY: the element belongs to this counter alone.
                        unsafe { store(output, kind, element, word) };
                    }
                }
            }
        }
    });
    counters as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each line: algorithm, state size, element type, shape, state afterwards, elements. Computed
    /// by XLA on a CPU through JAX 0.10 (`generate.py` in this folder writes them).
    const EXPECTED: &str = include_str!("expected.txt");

    #[test]
    fn bits_are_those_of_xla() {
        let mut lines = 0;
        for line in EXPECTED.lines().filter(|l| !l.starts_with('#')) {
            let (head, values) = line.split_once('|').unwrap();
            let fields: Vec<&str> = head.split_whitespace().collect();
            let algorithm = match fields[0] {
                "three_fry" => Algorithm::ThreeFry,
                "philox" => Algorithm::Philox,
                _ => Algorithm::Default,
            };
            let state: Vec<u64> = fields[1]
                .split(',')
                .map(|s| u64::from_str_radix(s, 16).unwrap())
                .collect();
            let kind = ElementKind::from_name(fields[2]).unwrap();
            let shape: Vec<usize> = fields[3]
                .split('x')
                .filter(|s| *s != "s")
                .map(|s| s.parse().unwrap())
                .collect();
            let after: Vec<u64> = fields[4]
                .split(',')
                .map(|s| u64::from_str_radix(s, 16).unwrap())
                .collect();
            let values: Vec<u64> = values
                .split_whitespace()
                .map(|s| u64::from_str_radix(s, 16).unwrap())
                .collect();
            for threads in [1, 2] {
                let context = Context::new(threads);
                let mut output = vec![0; values.len() * kind.size()];
                let state =
                    random_bits(&context, algorithm, &state, kind, &shape, &mut output).unwrap();
                let elements: Vec<u64> = output
                    .chunks(kind.size())
                    .map(|bytes| bytes.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b)))
                    .collect();
                assert_eq!(elements, values, "{head}");
                assert_eq!(state, after, "{head}");
            }
            lines += 1;
        }
        assert!(lines > 50);
    }

    #[test]
    fn threads_do_not_matter() {
        for algorithm in [Algorithm::ThreeFry, Algorithm::Philox] {
            let fill = |threads| {
                let mut output = vec![0; 100_003 * 4];
                random_bits(
                    &Context::new(threads),
                    algorithm,
                    &[1, 2],
                    ElementKind::U32,
                    &[100_003],
                    &mut output,
                )
                .unwrap();
                output
            };
            assert!(fill(1) == fill(4));
        }
    }

    #[test]
    fn wrong_states_are_errors() {
        let context = Context::new(1);
        for state in [&[][..], &[1], &[1, 2, 3], &[1, 2, 3, 4]] {
            assert!(
                random_bits(
                    &context,
                    Algorithm::ThreeFry,
                    state,
                    ElementKind::U8,
                    &[1],
                    &mut [0]
                )
                .is_err()
            );
        }
        assert!(
            random_bits(
                &context,
                Algorithm::Philox,
                &[1, 2],
                ElementKind::U8,
                &[2],
                &mut [0]
            )
            .is_err()
        );
        assert!(
            random_bits(
                &context,
                Algorithm::Philox,
                &[1, 2],
                ElementKind::C64,
                &[1],
                &mut [0; 8]
            )
            .is_err()
        );
    }
}
