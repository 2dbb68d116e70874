//! Conversions between element kinds, with the rules of StableHLO's `convert`.
//!
//! Floats are rounded to nearest, ties to even, once. What is too large becomes infinity where the
//! format has one, NaN where it has only NaN, and the largest finite value where it has neither.
//! Floats to integers are truncated and saturate; NaN becomes 0. Integers to integers keep the low
//! bits. Booleans are "not equal to zero". Complex to real keeps the real part.

use crate::ElementKind;
use crate::error::{Error, Result};

/// Meaning that a format gives to the patterns that IEEE 754 uses for infinities and NaN.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Special {
    /// As IEEE 754.
    Ieee,
    /// No infinity; NaN is all ones.
    NanOnly,
    /// No infinity, no negative zero; NaN is the sign bit alone.
    NanIsNegativeZero,
    /// Neither.
    FiniteOnly,
}

/// A binary format with a sign, `exponent` and `mantissa` bits.
#[derive(Clone, Copy)]
struct Format {
    exponent: u32,
    mantissa: u32,
    bias: i32,
    special: Special,
}

/// The format of a float kind, except for `f8E8M0FNU`, `f32` and `f64`.
fn format(kind: ElementKind) -> Option<Format> {
    use ElementKind::*;
    use Special::*;
    let (exponent, mantissa, bias, special) = match kind {
        F4E2M1FN => (2, 1, 1, FiniteOnly),
        F6E2M3FN => (2, 3, 1, FiniteOnly),
        F6E3M2FN => (3, 2, 3, FiniteOnly),
        F8E3M4 => (3, 4, 3, Ieee),
        F8E4M3 => (4, 3, 7, Ieee),
        F8E4M3FN => (4, 3, 7, NanOnly),
        F8E4M3B11FNUZ => (4, 3, 11, NanIsNegativeZero),
        F8E4M3FNUZ => (4, 3, 8, NanIsNegativeZero),
        F8E5M2 => (5, 2, 15, Ieee),
        F8E5M2FNUZ => (5, 2, 16, NanIsNegativeZero),
        F16 => (5, 10, 15, Ieee),
        BF16 => (8, 7, 127, Ieee),
        _ => return None,
    };
    Some(Format {
        exponent,
        mantissa,
        bias,
        special,
    })
}

impl Format {
    fn sign_bit(self) -> u64 {
        1 << (self.exponent + self.mantissa)
    }

    /// The pattern of the largest finite value.
    fn largest(self) -> u64 {
        match self.special {
            Special::Ieee => (((1 << self.exponent) - 1) << self.mantissa) - 1,
            Special::NanOnly => self.sign_bit() - 2,
            Special::NanIsNegativeZero | Special::FiniteOnly => self.sign_bit() - 1,
        }
    }

    fn decode(self, bits: u64) -> f64 {
        let negative = bits & self.sign_bit() != 0;
        let magnitude = bits & (self.sign_bit() - 1);
        let sign = if negative { -1.0 } else { 1.0 };
        if self.special == Special::NanIsNegativeZero && negative && magnitude == 0 {
            return f64::NAN;
        }
        if magnitude > self.largest() {
            let infinite = self.special == Special::Ieee && magnitude == self.largest() + 1;
            return if infinite {
                f64::INFINITY * sign
            } else {
                f64::NAN.copysign(sign)
            };
        }
        let field = (magnitude >> self.mantissa) as i32;
        let fraction = (magnitude & ((1 << self.mantissa) - 1)) as f64;
        let one = (1u64 << self.mantissa) as f64;
        let value = if field == 0 {
            fraction / one * power_of_two(1 - self.bias)
        } else {
            (1.0 + fraction / one) * power_of_two(field - self.bias)
        };
        value * sign
    }

    fn encode(self, value: f64) -> u64 {
        let sign = if value.is_sign_negative() {
            self.sign_bit()
        } else {
            0
        };
        if value.is_nan() {
            return match self.special {
                // A quiet NaN: the leading bit of the mantissa.
                Special::Ieee => sign | (self.largest() + 1) | (1 << (self.mantissa - 1)),
                Special::NanOnly => sign | (self.sign_bit() - 1),
                // A format without NaN has no good answer; the sign bit alone is what ml_dtypes
                // gives.
                Special::NanIsNegativeZero | Special::FiniteOnly => self.sign_bit(),
            };
        }
        let magnitude = value.abs();
        if magnitude.is_infinite() {
            return sign_if_any(self, sign, self.overflow());
        }
        if magnitude == 0.0 {
            return if self.special == Special::NanIsNegativeZero {
                0
            } else {
                sign
            };
        }
        let smallest = 1 - self.bias;
        let field = (magnitude.to_bits() >> 52) as i32;
        let exponent = (field - 1023).max(smallest);
        // In units of the last place: exact, because the scale is a power of two and the result is
        // at least 2^-1074 times larger.
        let units = scale(magnitude, self.mantissa as i32 - exponent).round_ties_even() as u64;
        let hidden = 1u64 << self.mantissa;
        let bits = if units < hidden {
            units
        } else {
            (((exponent + self.bias) as u64) << self.mantissa) + (units - hidden)
        };
        if bits > self.largest() {
            return sign_if_any(self, sign, self.overflow());
        }
        if bits == 0 && self.special == Special::NanIsNegativeZero {
            0
        } else {
            sign | bits
        }
    }

    /// The pattern, without sign, of what is too large.
    fn overflow(self) -> u64 {
        match self.special {
            Special::Ieee => self.largest() + 1,
            Special::NanOnly => self.sign_bit() - 1,
            Special::NanIsNegativeZero => self.sign_bit(),
            Special::FiniteOnly => self.largest(),
        }
    }
}

fn sign_if_any(format: Format, sign: u64, bits: u64) -> u64 {
    if format.special == Special::NanIsNegativeZero && bits == format.sign_bit() {
        bits
    } else {
        sign | bits
    }
}

fn power_of_two(exponent: i32) -> f64 {
    debug_assert!((-1022..=1023).contains(&exponent));
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// `value * 2^exponent`, without intermediate overflow or rounding where the result is a normal
/// number.
fn scale(value: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    value * power_of_two(half) * power_of_two(exponent - half)
}

/// The value of a float's bits.
///
/// Kinds that are not floats give NaN.
pub fn to_f64(kind: ElementKind, bits: u64) -> f64 {
    match kind {
        ElementKind::F64 => f64::from_bits(bits),
        ElementKind::F32 => f64::from(f32::from_bits(bits as u32)),
        ElementKind::F8E8M0FNU => match bits & 0xff {
            0xff => f64::NAN,
            field => power_of_two(field as i32 - 127),
        },
        _ => format(kind).map_or(f64::NAN, |format| format.decode(bits)),
    }
}

/// The bits of the float of this kind that is nearest to a value (0 for kinds that are not floats).
pub fn from_f64(kind: ElementKind, value: f64) -> u64 {
    match kind {
        ElementKind::F64 => value.to_bits(),
        ElementKind::F32 => u64::from((value as f32).to_bits()),
        ElementKind::F8E8M0FNU => encode_scale(value),
        _ => format(kind).map_or(0, |format| format.encode(value)),
    }
}

/// `f8E8M0FNU`: a power of two without sign. Ties go to the greater one; NaN for negative values,
/// zero and what is too large.
fn encode_scale(value: f64) -> u64 {
    const NAN: u64 = 0xff;
    if value.is_nan() || value.is_infinite() || value <= 0.0 {
        return NAN;
    }
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52) as i32 - 1023, bits & ((1 << 52) - 1));
    if exponent < -127 {
        // Between zero (which the format lacks) and the smallest power, or below.
        return 0;
    }
    let field = (exponent + 127) as u64;
    (field + u64::from(fraction >= 1 << 51)).min(NAN)
}

/// A number of any kind, wide enough to be converted without loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Pred(bool),
    Integer(i128),
    Real(f64),
    Complex(f64, f64),
}

/// The element `index` of a tensor's bytes.
///
/// # Panics
/// When the bytes end before the element does.
pub fn read(kind: ElementKind, data: &[u8], index: usize) -> Number {
    let size = kind.size();
    let bytes = &data[index * size..(index + 1) * size];
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |w, b| w << 8 | u64::from(*b));
    match kind {
        ElementKind::Pred => Number::Pred(bytes[0] != 0),
        ElementKind::C64 => Number::Complex(
            to_f64(ElementKind::F32, word(&bytes[..4])),
            to_f64(ElementKind::F32, word(&bytes[4..])),
        ),
        ElementKind::C128 => Number::Complex(
            to_f64(ElementKind::F64, word(&bytes[..8])),
            to_f64(ElementKind::F64, word(&bytes[8..])),
        ),
        _ if kind.is_float() => Number::Real(to_f64(kind, word(bytes))),
        _ => Number::Integer(wrap(kind, i128::from(word(bytes)))),
    }
}

/// Stores a number as element `index`, converted to the kind.
///
/// # Panics
/// When the bytes end before the element does.
pub fn write(kind: ElementKind, data: &mut [u8], index: usize, number: Number) {
    let size = kind.size();
    let bytes = &mut data[index * size..(index + 1) * size];
    if kind.is_complex() {
        let (part, (re, im)) = match (kind, number) {
            (kind, Number::Complex(re, im)) => (real_part(kind), (re, im)),
            (kind, number) => (real_part(kind), (real(number, real_part(kind)), 0.0)),
        };
        let half = size / 2;
        bytes[..half].copy_from_slice(&from_f64(part, re).to_le_bytes()[..half]);
        bytes[half..].copy_from_slice(&from_f64(part, im).to_le_bytes()[..half]);
        return;
    }
    let bits = match kind {
        ElementKind::Pred => u64::from(match number {
            Number::Pred(x) => x,
            Number::Integer(x) => x != 0,
            Number::Real(x) => x != 0.0,
            Number::Complex(re, im) => re != 0.0 || im != 0.0,
        }),
        _ if kind.is_float() => from_f64(kind, real(number, kind)),
        _ => {
            (match number {
                Number::Pred(x) => i128::from(x),
                Number::Integer(x) => wrap(kind, x),
                Number::Real(x) | Number::Complex(x, _) => saturate(kind, x),
            }) as u64
        }
    };
    bytes.copy_from_slice(&bits.to_le_bytes()[..size]);
}

fn real_part(kind: ElementKind) -> ElementKind {
    if kind == ElementKind::C64 {
        ElementKind::F32
    } else {
        ElementKind::F64
    }
}

/// A number as a double that rounds to the float of the kind in the same way as the number does.
fn real(number: Number, kind: ElementKind) -> f64 {
    match number {
        Number::Pred(x) => f64::from(u8::from(x)),
        Number::Real(x) | Number::Complex(x, _) => x,
        Number::Integer(x) if kind == ElementKind::F64 => x as f64,
        Number::Integer(x) => {
            // Rounded to odd, so that the second rounding sees on which side of a tie the integer
            // is.
            let nearest = x as f64;
            let back = nearest as i128;
            if back == x {
                nearest
            } else {
                let toward_zero = if back.unsigned_abs() > x.unsigned_abs() {
                    f64::from_bits(nearest.to_bits() - 1)
                } else {
                    nearest
                };
                f64::from_bits(toward_zero.to_bits() | 1)
            }
        }
    }
}

/// The low bits of an integer, sign- or zero-extended.
fn wrap(kind: ElementKind, value: i128) -> i128 {
    let unused = 128 - kind.bit_width();
    if kind.is_signed_integer() {
        value << unused >> unused
    } else {
        ((value as u128) << unused >> unused) as i128
    }
}

fn saturate(kind: ElementKind, value: f64) -> i128 {
    let width = kind.bit_width();
    let (low, high) = if kind.is_signed_integer() {
        (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1)
    } else {
        (0, (1i128 << width) - 1)
    };
    // A cast truncates, saturates and turns NaN into 0.
    (value as i128).clamp(low, high)
}

/// Converts `count` elements.
///
/// # Errors
/// `InvalidArgument` when a slice is too short.
pub fn convert(
    from: ElementKind,
    source: &[u8],
    to: ElementKind,
    target: &mut [u8],
    count: usize,
) -> Result<()> {
    let fits = |kind: ElementKind, length: usize| {
        count
            .checked_mul(kind.size())
            .is_some_and(|bytes| bytes <= length)
    };
    if !fits(from, source.len()) || !fits(to, target.len()) {
        return Err(Error::invalid(format!(
            "{count} elements do not fit the buffers of a conversion"
        )));
    }
    if from == to {
        target[..count * to.size()].copy_from_slice(&source[..count * from.size()]);
        return Ok(());
    }
    for i in 0..count {
        write(to, target, i, read(from, source, i));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementKind::*;

    fn small_floats() -> impl Iterator<Item = ElementKind> {
        ElementKind::ALL
            .into_iter()
            .filter(|k| k.is_float() && k.size() <= 2)
    }

    #[test]
    fn patterns_survive_a_round_trip() {
        for kind in small_floats() {
            for bits in 0..1u64 << kind.bit_width() {
                let value = to_f64(kind, bits);
                if value.is_nan() {
                    assert!(to_f64(kind, from_f64(kind, value)).is_nan());
                } else {
                    assert_eq!(from_f64(kind, value), bits, "{kind:?} {bits:#x}");
                }
            }
        }
    }

    /// Rounding by definition: among the finite values the nearest, of two equally near the one
    /// with an even pattern.
    #[test]
    fn rounding_is_to_nearest_even() {
        for kind in small_floats().filter(|k| *k != F8E8M0FNU) {
            let mut values: Vec<(f64, u64)> = (0..1u64 << (kind.bit_width() - 1))
                .map(|bits| (to_f64(kind, bits), bits))
                .filter(|(value, _)| value.is_finite())
                .collect();
            values.sort_by(|a, b| a.0.total_cmp(&b.0));
            for pair in values.windows(2) {
                let [(a, low), (b, high)] = [pair[0], pair[1]];
                let middle = (a + b) / 2.0;
                let even = if low % 2 == 0 { low } else { high };
                assert_eq!(from_f64(kind, middle), even, "{kind:?} {middle}");
                assert_eq!(
                    from_f64(kind, middle.next_down()),
                    low,
                    "{kind:?} below {middle}"
                );
                assert_eq!(
                    from_f64(kind, middle.next_up()),
                    high,
                    "{kind:?} above {middle}"
                );
            }
        }
    }

    #[test]
    fn what_is_too_large() {
        assert_eq!(from_f64(F16, 65519.0), 0x7bff);
        assert_eq!(from_f64(F16, 65520.0), 0x7c00);
        assert_eq!(from_f64(BF16, -1e39), 0xff80);
        assert_eq!(from_f64(F8E4M3FN, 464.0), 0x7e);
        assert_eq!(from_f64(F8E4M3FN, 465.0), 0x7f);
        assert_eq!(from_f64(F8E4M3FN, f64::NEG_INFINITY), 0xff);
        assert_eq!(from_f64(F8E5M2FNUZ, 1e9), 0x80);
        assert_eq!(from_f64(F8E5M2FNUZ, -1e9), 0x80);
        assert_eq!(from_f64(F8E4M3FNUZ, -1e-9), 0);
        assert_eq!(from_f64(F4E2M1FN, 100.0), 7);
        assert_eq!(from_f64(F6E2M3FN, f64::NEG_INFINITY), 0x3f);
        assert_eq!(to_f64(F6E2M3FN, 0x1f), 7.5);
        assert_eq!(to_f64(F4E2M1FN, 7), 6.0);
        assert_eq!(to_f64(F8E4M3B11FNUZ, 0x7f), 30.0);
    }

    #[test]
    fn integers_wrap_and_floats_saturate() {
        let one = |from: ElementKind, number, to: ElementKind| {
            let (mut a, mut b) = ([0; 16], [0; 16]);
            write(from, &mut a, 0, number);
            convert(from, &a, to, &mut b, 1).unwrap();
            read(to, &b, 0)
        };
        assert_eq!(one(I32, Number::Integer(300), U8), Number::Integer(44));
        assert_eq!(one(I32, Number::Integer(-1), U4), Number::Integer(15));
        assert_eq!(
            one(I8, Number::Integer(-1), U64),
            Number::Integer(u64::MAX.into())
        );
        assert_eq!(one(I16, Number::Integer(7), I4), Number::Integer(7));
        assert_eq!(one(I16, Number::Integer(8), I4), Number::Integer(-8));
        assert_eq!(one(F32, Number::Real(-7.9), I8), Number::Integer(-7));
        assert_eq!(one(F32, Number::Real(-7.9), U8), Number::Integer(0));
        assert_eq!(
            one(F32, Number::Real(1e30), I64),
            Number::Integer(i64::MAX.into())
        );
        assert_eq!(one(F64, Number::Real(f64::NAN), I32), Number::Integer(0));
        assert_eq!(one(F32, Number::Real(f64::NAN), Pred), Number::Pred(true));
        assert_eq!(
            one(F32, Number::Real(0.1f32.into()), C128),
            Number::Complex(0.1f32.into(), 0.0)
        );
        assert_eq!(one(C64, Number::Complex(2.5, 3.0), I32), Number::Integer(2));
        // 2^54 + 2^46 + 1 lies just above a tie of bf16; rounding twice would miss that.
        assert_eq!(
            one(I64, Number::Integer((1 << 62) + (1 << 54) + 1), BF16),
            Number::Real(2f64.powi(62) + 2f64.powi(55))
        );
        assert_eq!(
            one(I64, Number::Integer((1 << 62) + (1 << 54)), BF16),
            Number::Real(2f64.powi(62))
        );
    }
}
