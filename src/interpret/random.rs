//! `rng_bit_generator` and `rng`.
//!
//! The block functions are those of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
//! easy as 1, 2, 3" (2011): Threefry-2x32 of 20 rounds and Philox-4x32 of 10. The specification
//! leaves open how blocks become tensors; the convention is XLA's, for which such programs are
//! written.

use crate::{
    Error, Result, result,
    value::{Scalar, Tensor, fit, from_bits, indices},
};
use mapwright_mlir::{ElementType, Op};
use mapwright_ops::attrs;
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// A stream of words that `rng` draws from. It follows from a seed, 0 by default, and clones share
/// how far it has come.
#[derive(Clone, Debug, Default)]
pub struct Generator {
    seed: u64,
    drawn: Arc<AtomicU64>,
}

impl Generator {
    /// The stream of a seed, from its beginning.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            drawn: Arc::default(),
        }
    }

    fn word(&self) -> u64 {
        let counter = self.drawn.fetch_add(1, Ordering::Relaxed);
        let [x, y] = threefry(0x853c_49e6_748f_ea9b ^ self.seed, counter);
        u64::from(y) << 32 | u64::from(x)
    }
}

/// The results of `op`, if it is of this family.
pub(crate) fn execute(
    generator: &Generator,
    op: Op<'_>,
    name: &str,
    inputs: &[Tensor],
) -> Result<Option<Vec<Tensor>>> {
    match name {
        "rng_bit_generator" => {
            let shape = result(op, 1)?.static_shape();
            let unknown = || Error::plain("random bits of a shape that is not known");
            bits(op, &inputs[0], shape.ok_or_else(unknown)?).map(Some)
        }
        "dynamic_rng_bit_generator" => bits(op, &inputs[0], inputs[1].ints()?).map(Some),
        "rng" => numbers(generator, op, inputs).map(|t| Some(vec![t])),
        _ => Ok(None),
    }
}

/// Low and high half.
fn halves(x: u64) -> [u32; 2] {
    [x as u32, (x >> 32) as u32]
}

/// One block of Threefry-2x32-20.
fn threefry(key: u64, counter: u64) -> [u32; 2] {
    const TURNS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
    let [k0, k1] = halves(key);
    let keys = [k0, k1, 0x1bd1_1bda ^ k0 ^ k1];
    let [mut x, mut y] = halves(counter);
    x = x.wrapping_add(keys[0]);
    y = y.wrapping_add(keys[1]);
    for group in 0..5u32 {
        for turn in TURNS[group as usize % 2] {
            x = x.wrapping_add(y);
            y = y.rotate_left(turn) ^ x;
        }
        let next = group as usize + 1;
        x = x.wrapping_add(keys[next % 3]);
        y = y.wrapping_add(keys[(next + 1) % 3]).wrapping_add(group + 1);
    }
    [x, y]
}

/// One block of Philox-4x32-10.
fn philox(key: u64, counter: u128) -> [u32; 4] {
    let [mut k0, mut k1] = halves(key);
    let ([a, b], [c, d]) = (halves(counter as u64), halves((counter >> 64) as u64));
    let mut x = [a, b, c, d];
    for _ in 0..10 {
        let first = halves(u64::from(x[0]) * 0xd251_1f53);
        let second = halves(u64::from(x[2]) * 0xcd9e_8d57);
        x = [
            second[1] ^ x[1] ^ k0,
            second[0],
            first[1] ^ x[3] ^ k1,
            first[0],
        ];
        k0 = k0.wrapping_add(0x9e37_79b9);
        k1 = k1.wrapping_add(0xbb67_ae85);
    }
    x
}

fn bits(op: Op<'_>, state: &Tensor, shape: Vec<i64>) -> Result<Vec<Tensor>> {
    let ty = result(op, 1)?;
    crate::limit(&shape)?;
    // The state as 64-bit words, whatever it is stored as.
    let bytes = state.to_bytes();
    let words: Vec<u64> = bytes
        .chunks_exact(8)
        .map(|chunk| chunk.iter().rev().fold(0, |x, b| x << 8 | u64::from(*b)))
        .collect();
    let wide = match &ty.element {
        ElementType::Int { width, .. } => *width == 64,
        ElementType::Float(kind) => kind.width() == 64,
        _ => {
            return Err(Error::plain(format!("random bits of type {}", ty.element)));
        }
    };
    let count: i64 = shape.iter().product();
    let algorithm = attrs::enumeration(op, "rng_algorithm");
    let (words, patterns): (Vec<u64>, Vec<u64>) = match (algorithm.as_deref(), words.as_slice()) {
        (Some("THREE_FRY"), &[key, counter]) => {
            let (used, patterns) = threefry_bits(key, counter, wide, &shape);
            (vec![key, counter.wrapping_add(used)], patterns)
        }
        (Some("PHILOX" | "DEFAULT"), &[key, low]) => {
            let counter = u128::from(key) << 64 | u128::from(low);
            let (used, patterns) = philox_bits(key, counter, wide, count);
            (vec![key, low.wrapping_add(used)], patterns)
        }
        (Some("PHILOX" | "DEFAULT"), &[key, low, high]) => {
            let counter = u128::from(high) << 64 | u128::from(low);
            let (used, patterns) = philox_bits(key, counter, wide, count);
            let next = counter.wrapping_add(u128::from(used));
            (vec![key, next as u64, (next >> 64) as u64], patterns)
        }
        (algorithm, words) => {
            return Err(Error::plain(format!(
                "a state of {} words for the algorithm {algorithm:?}",
                words.len()
            )));
        }
    };
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let next = Tensor::from_bytes(&state.element, &state.shape, &bytes)?;
    let data = patterns
        .into_iter()
        .map(|pattern| from_bits(&ty.element, u128::from(pattern)))
        .collect();
    let output = Tensor {
        element: ty.element,
        shape,
        data,
    };
    Ok(vec![next, output])
}

/// Elements in row-major order, and how many blocks they took. 64-bit elements are a block each.
/// Otherwise the first even dimension (without one, the first of the longest) is halved: the two
/// words of a block are neighbours along it.
fn threefry_bits(key: u64, counter: u64, wide: bool, shape: &[i64]) -> (u64, Vec<u64>) {
    let block = |k: u64| threefry(key, counter.wrapping_add(k));
    let count: i64 = shape.iter().product();
    if wide {
        let patterns = (0..count as u64)
            .map(|k| {
                let [low, high] = block(k);
                u64::from(high) << 32 | u64::from(low)
            })
            .collect();
        return (count as u64, patterns);
    }
    if shape.is_empty() {
        return (1, vec![u64::from(block(0)[0])]);
    }
    let even = shape.iter().position(|n| n % 2 == 0);
    let longest = shape.iter().max().copied().unwrap_or(0);
    let split = even
        .or_else(|| shape.iter().position(|n| *n == longest))
        .unwrap_or(0);
    let mut half = shape.to_vec();
    half[split] = (half[split] + 1) / 2;
    let patterns = indices(shape)
        .map(|i| {
            let place = i.iter().zip(&half).enumerate().fold(0, |at, (d, (x, n))| {
                at * n + if d == split { x / 2 } else { *x }
            });
            u64::from(block(place as u64)[(i[split] % 2) as usize])
        })
        .collect();
    (half.iter().product::<i64>() as u64, patterns)
}

/// As for Threefry; blocks one after another give four words each, two of which make an element of
/// 64 bits.
fn philox_bits(key: u64, counter: u128, wide: bool, count: i64) -> (u64, Vec<u64>) {
    let words = count as u64 * if wide { 2 } else { 1 };
    let blocks = words.div_ceil(4);
    let stream: Vec<u32> = (0..blocks)
        .flat_map(|k| philox(key, counter.wrapping_add(u128::from(k))))
        .collect();
    let patterns = if wide {
        stream
            .chunks_exact(2)
            .map(|w| u64::from(w[1]) << 32 | u64::from(w[0]))
            .take(count as usize)
            .collect()
    } else {
        stream
            .into_iter()
            .map(u64::from)
            .take(count as usize)
            .collect()
    };
    (blocks, patterns)
}

/// Numbers of a distribution. Which ones is left open: only their distribution can be compared.
fn numbers(generator: &Generator, op: Op<'_>, inputs: &[Tensor]) -> Result<Tensor> {
    let [low, high, shape] = inputs else {
        return Err(Error::plain("takes three operands"));
    };
    let shape = shape.ints()?;
    let element = low.element.clone();
    let normal = match attrs::enumeration(op, "rng_distribution").as_deref() {
        Some("NORMAL") => true,
        Some("UNIFORM") => false,
        other => return Err(Error::plain(format!("the distribution {other:?}"))),
    };
    let (a, b) = (low.only()?, high.only()?);
    let word = || generator.word();
    Tensor::build(&element, &shape, |_| {
        // In (0, 1).
        let unit = |word: u64| ((word >> 12) as f64 + 0.5) * crate::formats::power(-52);
        let value = match (a, b) {
            (Scalar::Real(a), Scalar::Real(b)) if normal => {
                let (radius, angle) = ((-2.0 * unit(word()).ln()).sqrt(), unit(word()));
                Scalar::Real(a + b * radius * (2.0 * std::f64::consts::PI * angle).cos())
            }
            (Scalar::Real(a), Scalar::Real(b)) => {
                let exact = a + (b - a) * unit(word());
                // Rounding must not reach the end that is left out: the last number before it is
                // taken.
                let mut gap = (b - a) * crate::formats::power(-50);
                let mut x = fit(&element, Scalar::Real(exact)).real()?;
                while x >= b && x > a {
                    x = fit(&element, Scalar::Real((exact - gap).max(a))).real()?;
                    gap *= 2.0;
                }
                Scalar::Real(if b > a { x } else { a })
            }
            (Scalar::Int(a), Scalar::Int(b)) if !normal => {
                if b > a {
                    Scalar::Int(a + (i128::from(word()) % (b - a)))
                } else {
                    Scalar::Int(a)
                }
            }
            (Scalar::Bool(a), Scalar::Bool(_)) if !normal => Scalar::Bool(a),
            _ => {
                return Err(Error::plain(format!(
                    "random numbers of type {element} and this distribution"
                )));
            }
        };
        Ok(fit(&element, value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers that the authors publish with their implementation (Random123).
    #[test]
    fn blocks_are_those_of_the_authors() {
        assert_eq!(threefry(0, 0), [0x6b20_0159, 0x99ba_4efe]);
        assert_eq!(threefry(u64::MAX, u64::MAX), [0x1cb9_96fc, 0xbb00_2be7]);
        assert_eq!(
            threefry(0x0370_7344_1319_8a2e, 0x85a3_08d3_243f_6a88),
            [0xc492_3a9c, 0x483d_f7a0]
        );
        assert_eq!(
            philox(0, 0),
            [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]
        );
        assert_eq!(
            philox(u64::MAX, u128::MAX),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
    }
}
