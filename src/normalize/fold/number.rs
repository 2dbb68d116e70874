//! Elements as numbers, and numbers as elements, each with at most one rounding (to nearest, ties
//! to even).

use mapwright_mlir::{ElementType, FloatKind};

/// An element's value. Every floating-point format that is folded is a part of `f64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer; booleans are 0 and 1.
    Int(i128),
    /// A floating-point number.
    Float(f64),
}

/// Exponent and mantissa bits of the formats that follow IEEE 754 and are not Rust's own.
fn format(kind: FloatKind) -> Option<(u32, u32)> {
    match kind {
        FloatKind::BF16 => Some((8, 7)),
        FloatKind::F16 => Some((5, 10)),
        _ => None,
    }
}

/// The value of an element; `None` for types that are moved, but not computed with.
pub fn decode(bytes: &[u8], element: &ElementType) -> Option<Number> {
    let mut wide = [0u8; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    Some(match element {
        ElementType::Bool => Number::Int(i128::from(bits & 1)),
        ElementType::Index => Number::Int(i128::from(bits as i64)),
        ElementType::Int { width, unsigned } => {
            let shift = 64 - (*width).clamp(1, 64);
            let bits = bits << shift;
            Number::Int(if *unsigned {
                i128::from(bits >> shift)
            } else {
                i128::from((bits as i64) >> shift)
            })
        }
        ElementType::Float(FloatKind::F64) => Number::Float(f64::from_bits(bits)),
        ElementType::Float(FloatKind::F32) => Number::Float(f64::from(f32::from_bits(bits as u32))),
        ElementType::Float(kind) => {
            let (exponent_bits, mantissa_bits) = format(*kind)?;
            let mantissa = bits & ((1 << mantissa_bits) - 1);
            let exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
            let negative = bits >> (exponent_bits + mantissa_bits) & 1 == 1;
            let bias = (1i32 << (exponent_bits - 1)) - 1;
            let top = (1u64 << exponent_bits) - 1;
            let magnitude = match exponent {
                e if e == top && mantissa != 0 => f64::NAN,
                e if e == top => f64::INFINITY,
                0 => mantissa as f64 * 2f64.powi(1 - bias - mantissa_bits as i32),
                e => {
                    let whole = (1u64 << mantissa_bits | mantissa) as f64;
                    whole * 2f64.powi(e as i32 - bias - mantissa_bits as i32)
                }
            };
            Number::Float(if negative { -magnitude } else { magnitude })
        }
        _ => return None,
    })
}

/// The element of that type; integers wrap around, floating-point numbers are rounded once.
pub fn encode(number: Number, element: &ElementType) -> Option<Vec<u8>> {
    let width = element.byte_width()?;
    let bits = match (element, number) {
        (ElementType::Bool, Number::Int(value)) => u64::from(value != 0),
        (ElementType::Index, Number::Int(value)) => value as u64,
        (ElementType::Int { width, unsigned }, Number::Int(value)) => {
            let shift = 64 - (*width).clamp(1, 64);
            let low = (value as u64) << shift;
            if *unsigned {
                low >> shift
            } else {
                ((low as i64) >> shift) as u64
            }
        }
        (ElementType::Float(FloatKind::F64), Number::Float(value)) => value.to_bits(),
        (ElementType::Float(FloatKind::F64), Number::Int(value)) => (value as f64).to_bits(),
        (ElementType::Float(FloatKind::F32), Number::Float(value)) => {
            u64::from((value as f32).to_bits())
        }
        (ElementType::Float(FloatKind::F32), Number::Int(value)) => {
            u64::from((value as f32).to_bits())
        }
        (ElementType::Float(kind), Number::Float(value)) => round(value, format(*kind)?),
        // Through `f64` there would be two roundings.
        (ElementType::Float(kind), Number::Int(value)) if value.unsigned_abs() <= 1 << 53 => {
            round(value as f64, format(*kind)?)
        }
        _ => return None,
    };
    Some(bits.to_le_bytes()[..width].to_vec())
}

/// The bits of `value` in a format of IEEE 754, to nearest, ties to even.
fn round(value: f64, (exponent_bits, mantissa_bits): (u32, u32)) -> u64 {
    let sign = u64::from(value.is_sign_negative()) << (exponent_bits + mantissa_bits);
    let infinity = ((1u64 << exponent_bits) - 1) << mantissa_bits;
    if value.is_nan() {
        return sign | infinity | 1 << (mantissa_bits - 1);
    }
    if value.is_infinite() {
        return sign | infinity;
    }
    let bias = (1i32 << (exponent_bits - 1)) - 1;
    let magnitude = value.abs();
    let exponent = (magnitude.to_bits() >> 52) as i32 - 1023;
    // The distance of neighbours: by the exponent, not below that of the subnormals. Dividing by a
    // power of two is exact.
    let scale = exponent.max(1 - bias) - mantissa_bits as i32;
    let units = (magnitude / 2f64.powi(scale)).round_ties_even() as u64;
    // Subnormals have the exponent field 0 and no hidden bit; a carry of the rounding moves into
    // the exponent as it should.
    let field = (exponent.max(1 - bias) + bias - 1) as u64;
    sign | ((field << mantissa_bits) + units).min(infinity)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every bf16 and f16 comes back as itself (NaN as a NaN), and is what doubling and halving of
    /// neighbours say.
    #[test]
    fn narrow_formats_come_back() {
        for kind in [FloatKind::BF16, FloatKind::F16] {
            let element = ElementType::Float(kind);
            for bits in 0..=u16::MAX {
                let number = decode(&bits.to_le_bytes(), &element).unwrap();
                let Number::Float(value) = number else {
                    panic!("{kind:?}");
                };
                let back = encode(number, &element).unwrap();
                if value.is_nan() {
                    let Some(Number::Float(back)) = decode(&back, &element) else {
                        panic!("{kind:?}");
                    };
                    assert!(back.is_nan(), "{kind:?} {bits:x}");
                } else {
                    assert_eq!(back, bits.to_le_bytes(), "{kind:?} {bits:x} {value}");
                }
            }
        }
    }

    /// bf16 is the upper half of f32: its rounding is that of adding half a unit to the bits, ties
    /// to even.
    #[test]
    fn bf16_rounds_as_the_bits_of_f32_say() {
        let mut state = 1u32;
        for _ in 0..200_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let value = f32::from_bits(state);
            if value.is_nan() {
                continue;
            }
            let even = (state >> 16) & 1;
            let want = ((u64::from(state) + 0x7fff + u64::from(even)) >> 16) as u16;
            let got = encode(
                Number::Float(f64::from(value)),
                &ElementType::Float(FloatKind::BF16),
            );
            assert_eq!(got.unwrap(), want.to_le_bytes(), "{value}");
        }
    }

    #[test]
    fn f16_at_its_edges() {
        let f16 = ElementType::Float(FloatKind::F16);
        for (value, bits) in [
            (65504.0, 0x7bffu16),
            (65519.996, 0x7bff),
            (65520.0, 0x7c00),
            (1e9, 0x7c00),
            (2f64.powi(-24), 0x0001),
            (2f64.powi(-25), 0x0000),
            (2f64.powi(-25) * 1.001, 0x0001),
            (-2f64.powi(-14), 0x8400),
            (2f64.powi(-14) - 2f64.powi(-26), 0x0400),
            (1.0 + 2f64.powi(-11), 0x3c00),
            (1.0 + 3.0 * 2f64.powi(-11), 0x3c02),
        ] {
            assert_eq!(
                encode(Number::Float(value), &f16).unwrap(),
                bits.to_le_bytes(),
                "{value}"
            );
        }
    }

    #[test]
    fn integers_wrap() {
        let int = |width, unsigned| ElementType::Int { width, unsigned };
        let back = |value, element: &ElementType| {
            decode(&encode(Number::Int(value), element).unwrap(), element).unwrap()
        };
        assert_eq!(back(200, &int(8, false)), Number::Int(-56));
        assert_eq!(back(-1, &int(8, true)), Number::Int(255));
        assert_eq!(back(9, &int(4, false)), Number::Int(-7));
        assert_eq!(back(-1, &int(64, true)), Number::Int(u64::MAX.into()));
        assert_eq!(back(1 << 64, &int(64, false)), Number::Int(0));
    }
}
