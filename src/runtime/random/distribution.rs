//! `rng`: numbers of a distribution.
//!
//! StableHLO leaves the generator open. Ours is Philox, whose counter is how many numbers were
//! drawn before, so that the numbers depend on the seed and the draws before alone, not on the
//! threads.

use super::philox;
use crate::convert::{self, Number};
use crate::error::{Error, Result};
use crate::sort::Pieces;
use crate::{Context, ElementKind};

/// The distributions of `rng`; the codes are those of `enum mw_random_distribution`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Distribution {
    /// Uniform in `[a, b)`.
    Uniform = 0,
    /// Normal with mean `a` and standard deviation `b`.
    Normal = 1,
}

impl Distribution {
    pub fn from_code(code: i32) -> Result<Distribution> {
        match code {
            0 => Ok(Distribution::Uniform),
            1 => Ok(Distribution::Normal),
            _ => Err(Error::invalid(format!(
                "{code} is not the code of a distribution"
            ))),
        }
    }
}

/// Fills `output` with the next numbers of the context's generator, of a distribution with the
/// parameters `a` and `b` (of the element type).
///
/// An empty range (`a >= b`) gives `a`.
///
/// # Errors
/// `Unsupported` for complex elements, and for a normal distribution of anything but floats;
/// `InvalidArgument` when the output is not a whole number of elements.
pub fn random_numbers(
    context: &Context,
    distribution: Distribution,
    kind: ElementKind,
    (a, b): (Number, Number),
    output: &mut [u8],
) -> Result<()> {
    if kind.is_complex() || distribution == Distribution::Normal && !kind.is_float() {
        return Err(Error::unsupported(format!(
            "{distribution:?} numbers of type {}",
            kind.name()
        )));
    }
    let size = kind.size();
    if !output.len().is_multiple_of(size) {
        return Err(Error::invalid(format!(
            "{} bytes for elements of {size} bytes",
            output.len()
        )));
    }
    let count = output.len() / size;
    let output = Pieces::new(output);
    let (seed, first) = context.generator().draw(context.place(), count);
    const BLOCK: usize = philox::BLOCK;
    context.parallel_for(count.div_ceil(BLOCK), 16, &|begin, end| {
        let mut words = [[0; BLOCK]; 4];
        for block in begin..end {
            let counter = first.wrapping_add((block * BLOCK) as u128);
            philox::philox(seed, counter, &mut words);
            // SAFETY: blocks are disjoint.
            let elements = unsafe { output.get(block * BLOCK * size, BLOCK * size) };
            #[allow(clippy::needless_range_loop, reason = "a column of four arrays")]
            for i in 0..elements.len() / size {
                let bits = [
                    u64::from(words[1][i]) << 32 | u64::from(words[0][i]),
                    u64::from(words[3][i]) << 32 | u64::from(words[2][i]),
                ];
                let number = match (distribution, a, b) {
                    (Distribution::Normal, _, _) => Number::Real(normal(bits) * real(b) + real(a)),
                    (_, Number::Real(a), Number::Real(b)) => {
                        Number::Real(uniform(kind, bits[0], a, b))
                    }
                    _ => Number::Integer(uniform_integer(bits[0], integer(a), integer(b))),
                };
                convert::write(kind, elements, i, number);
            }
        }
    });
    Ok(())
}

fn real(number: Number) -> f64 {
    if let Number::Real(x) = number {
        x
    } else {
        f64::NAN
    }
}

fn integer(number: Number) -> i128 {
    match number {
        Number::Pred(x) => i128::from(x),
        Number::Integer(x) => x,
        Number::Real(_) | Number::Complex(..) => 0,
    }
}

/// 53 random bits as a number in [0, 1).
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// A number of the kind in `[a, b)`.
fn uniform(kind: ElementKind, bits: u64, a: f64, b: f64) -> f64 {
    if a >= b {
        return a;
    }
    let rounded = |x: f64| convert::to_f64(kind, convert::from_f64(kind, x));
    let u = unit(bits);
    // The width may overflow where both ends are large.
    let mut x = (a * (1.0 - u) + b * u).clamp(a, b);
    // Rounding to the kind must not reach the upper end: step back until it does not.
    let mut step = (b / 2.0 - a / 2.0) * 2f64.powi(-50);
    while rounded(x) >= b && x > a {
        x = (x - step).max(a);
        step *= 2.0;
    }
    x
}

fn uniform_integer(bits: u64, a: i128, b: i128) -> i128 {
    if a >= b {
        return a;
    }
    // The high part of a product: the range is at most 2^64.
    a + ((u128::from(bits) * (b - a) as u128) >> 64) as i128
}

/// Box and Muller's transform of two uniform numbers, of which the first is not zero.
fn normal(bits: [u64; 2]) -> f64 {
    let radius = (-2.0 * (1.0 - unit(bits[0])).ln()).sqrt();
    radius * (2.0 * std::f64::consts::PI * unit(bits[1])).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(
        distribution: Distribution,
        kind: ElementKind,
        a: f64,
        b: f64,
        count: usize,
    ) -> Vec<f64> {
        let end = |x: f64| {
            if kind.is_float() {
                Number::Real(x)
            } else {
                Number::Integer(x as i128)
            }
        };
        let fill = |threads| {
            let mut output = vec![0; count * kind.size()];
            let context = Context::new(threads);
            context.generator().set_seed(17);
            random_numbers(&context, distribution, kind, (end(a), end(b)), &mut output).unwrap();
            output
        };
        let output = fill(1);
        assert_eq!(output, fill(3));
        (0..count)
            .map(|i| match convert::read(kind, &output, i) {
                Number::Real(x) => x,
                Number::Integer(x) => x as f64,
                Number::Pred(x) => f64::from(u8::from(x)),
                Number::Complex(..) => f64::NAN,
            })
            .collect()
    }

    #[test]
    fn draws_go_on_whatever_their_lengths() {
        let draw = |context: &Context, count: usize| {
            let mut output = vec![0; 8 * count];
            let ends = (Number::Real(0.0), Number::Real(1.0));
            let kind = ElementKind::F64;
            random_numbers(context, Distribution::Uniform, kind, ends, &mut output).unwrap();
            output
        };
        let context = Context::new(1);
        let parts = [draw(&context, 70), draw(&context.fork(), 30)].concat();
        let other = Context::new(2);
        assert_eq!(parts, draw(&other, 100));
        assert_ne!(parts, draw(&other, 100));
        other.generator().set_seed(0);
        assert_eq!(parts, draw(&other, 100));
        other.generator().set_seed(1);
        assert_ne!(parts, draw(&other, 100));
    }

    #[test]
    fn uniform_numbers_fill_the_range() {
        for kind in ElementKind::ALL
            .into_iter()
            .filter(|k| !k.is_complex() && *k != ElementKind::F8E8M0FNU)
        {
            let (a, b) = if kind == ElementKind::Pred || kind.bit_width() == 2 {
                (0.0, 1.0)
            } else {
                (1.0, 4.0)
            };
            let x = numbers(Distribution::Uniform, kind, a, b, 20_000);
            assert!(x.iter().all(|x| *x >= a && *x < b), "{kind:?}");
            let mean = x.iter().sum::<f64>() / x.len() as f64;
            let expected = if kind.is_float() {
                (a + b) / 2.0
            } else {
                (a + b - 1.0) / 2.0
            };
            let coarse = if kind.is_float() && kind.size() == 1 {
                0.3
            } else {
                0.05
            };
            assert!((mean - expected).abs() < coarse, "{kind:?}: {mean}");
        }
        let x = numbers(
            Distribution::Uniform,
            ElementKind::F64,
            -f64::MAX,
            f64::MAX,
            1000,
        );
        assert!(x.iter().all(|x| x.is_finite()));
        assert_eq!(
            numbers(Distribution::Uniform, ElementKind::I32, 5.0, 5.0, 2),
            [5.0, 5.0]
        );
    }

    #[test]
    fn normal_numbers_have_the_moments() {
        let x = numbers(Distribution::Normal, ElementKind::F32, 2.0, 3.0, 200_000);
        let n = x.len() as f64;
        let mean = x.iter().sum::<f64>() / n;
        let moment = |p: i32| x.iter().map(|x| ((x - mean) / 3.0).powi(p)).sum::<f64>() / n;
        assert!((mean - 2.0).abs() < 0.03, "{mean}");
        assert!(
            (moment(2) - 1.0).abs() < 0.02
                && moment(3).abs() < 0.03
                && (moment(4) - 3.0).abs() < 0.1
        );
    }
}
