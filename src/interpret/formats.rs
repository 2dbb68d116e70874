//! Floating-point formats by their definition: rounding a real number to one, and its bits.
//!
//! A `f64` holds every value of every format exactly, and its precision is more than twice that of
//! the others plus two, so that a sum, difference, product, quotient or square root of two values,
//! computed in `f64` and rounded once more, is correctly rounded.

use mapwright_mlir::FloatKind;

/// Meaning that a format gives to the patterns at its upper end.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    /// Infinities and NaN, as IEEE 754 has them.
    Ieee,
    /// The pattern of all ones is NaN, there is no infinity.
    OneNan,
    /// The pattern of negative zero is NaN; neither infinity nor negative zero.
    NanAtNegativeZero,
    /// Finite numbers only.
    Finite,
    /// Powers of two, all ones is NaN; neither sign nor zero.
    Power,
}

struct Format {
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i32,
    style: Style,
}

fn format(kind: FloatKind) -> Format {
    use FloatKind::*;
    let (exponent_bits, mantissa_bits, bias, style) = match kind {
        F4E2M1FN => (2, 1, 1, Style::Finite),
        F6E2M3FN => (2, 3, 1, Style::Finite),
        F6E3M2FN => (3, 2, 3, Style::Finite),
        F8E3M4 => (3, 4, 3, Style::Ieee),
        F8E4M3 => (4, 3, 7, Style::Ieee),
        F8E4M3FN => (4, 3, 7, Style::OneNan),
        F8E4M3FNUZ => (4, 3, 8, Style::NanAtNegativeZero),
        F8E4M3B11FNUZ => (4, 3, 11, Style::NanAtNegativeZero),
        F8E5M2 => (5, 2, 15, Style::Ieee),
        F8E5M2FNUZ => (5, 2, 16, Style::NanAtNegativeZero),
        F8E8M0FNU => (8, 0, 127, Style::Power),
        BF16 => (8, 7, 127, Style::Ieee),
        F16 => (5, 10, 15, Style::Ieee),
        TF32 => (8, 10, 127, Style::Ieee),
        F32 => (8, 23, 127, Style::Ieee),
        F64 => (11, 52, 1023, Style::Ieee),
    };
    Format {
        exponent_bits,
        mantissa_bits,
        bias,
        style,
    }
}

/// `2^e`, exactly, for every `e` a `f64` can hold.
pub fn power(e: i32) -> f64 {
    match e {
        -1022..=1023 => f64::from_bits(((e + 1023) as u64) << 52),
        -1074..=-1023 => f64::from_bits(1 << (e + 1074)),
        _ if e > 0 => f64::INFINITY,
        _ => 0.0,
    }
}

/// The first bit of a payload: the NaN is a quiet one.
const QUIET: u64 = 1 << 51;

/// The mantissa of a `f64`, which says which NaN it is.
fn payload(x: f64) -> u64 {
    x.to_bits() & ((1 << 52) - 1)
}

impl Format {
    /// The greatest finite value.
    fn greatest(&self) -> f64 {
        let top = (1i32 << self.exponent_bits) - 1 - self.bias;
        let ones = |bits: u32| 2.0 - power(-(bits as i32));
        match self.style {
            Style::Ieee => ones(self.mantissa_bits) * power(top - 1),
            Style::OneNan => (2.0 - 2.0 * power(-(self.mantissa_bits as i32))) * power(top),
            Style::NanAtNegativeZero | Style::Finite => ones(self.mantissa_bits) * power(top),
            Style::Power => power(top - 1),
        }
    }

    /// The exponent of the smallest normal number.
    fn least_exponent(&self) -> i32 {
        match self.style {
            Style::Power => -self.bias,
            _ => 1 - self.bias,
        }
    }
}

/// Bits of the exponent of a format, and the exponent of its smallest normal number.
pub fn exponents(kind: FloatKind) -> (u32, i32) {
    let format = format(kind);
    (format.exponent_bits, format.least_exponent())
}

/// The exponent `e` with `2^e <= |x| < 2^(e+1)`; `x` is finite and not zero.
pub fn exponent(x: f64) -> i32 {
    let bits = x.abs().to_bits();
    match (bits >> 52) as i32 {
        0 => 63 - bits.leading_zeros() as i32 - 1074,
        e => e - 1023,
    }
}

/// The nearest value of the format, ties to even.
pub fn round(kind: FloatKind, x: f64) -> f64 {
    let format = format(kind);
    if kind == FloatKind::F64 {
        return x;
    }
    if format.style == Style::Power {
        return if x > 0.0 && x.is_finite() {
            let e = exponent(x);
            // A tie goes up: the significand of every power of two is 1, which is odd.
            let up = x / power(e) >= 1.5;
            let e = (e + i32::from(up)).max(-format.bias);
            if e > 127 { f64::NAN } else { power(e) }
        } else {
            f64::NAN
        };
    }
    if x.is_nan() || x == 0.0 {
        return match format.style {
            // What of the payload there is room for; in up to 8 bits conversions make one NaN of
            // each sign.
            Style::Ieee if x.is_nan() => {
                let kept = if kind.width() > 8 {
                    payload(x) >> (52 - format.mantissa_bits) << (52 - format.mantissa_bits)
                } else {
                    0
                };
                f64::from_bits(f64::INFINITY.to_bits() | QUIET | kept).copysign(x)
            }
            Style::NanAtNegativeZero if x == 0.0 => 0.0,
            _ => x,
        };
    }
    let limit = format.greatest();
    if x.is_infinite() {
        return match format.style {
            Style::Ieee => x,
            Style::Finite => limit.copysign(x),
            _ => f64::NAN,
        };
    }
    let e = exponent(x).max(format.least_exponent());
    // The distance of neighbours there; scaling by a power of two is exact.
    let step = e - format.mantissa_bits as i32;
    let scaled = x / power(step);
    let rounded = scaled.round_ties_even() * power(step);
    if rounded.abs() > limit {
        return match format.style {
            Style::Ieee => f64::INFINITY.copysign(x),
            Style::Finite => limit.copysign(x),
            _ => f64::NAN,
        };
    }
    match format.style {
        Style::NanAtNegativeZero if rounded == 0.0 => 0.0,
        _ => rounded,
    }
}

/// The value of a pattern of bits.
pub fn from_bits(kind: FloatKind, bits: u64) -> f64 {
    let format = format(kind);
    match kind {
        FloatKind::F64 => return f64::from_bits(bits),
        FloatKind::F8E8M0FNU => {
            return match bits & 255 {
                255 => f64::NAN,
                e => power(e as i32 - format.bias),
            };
        }
        _ => {}
    }
    let (e, m) = (format.exponent_bits, format.mantissa_bits);
    let negative = (bits >> (e + m)) & 1 == 1;
    let exponent = ((bits >> m) & ((1 << e) - 1)) as i32;
    let mantissa = bits & ((1 << m) - 1);
    let ones = (1i32 << e) - 1;
    let nan = match format.style {
        Style::Ieee => exponent == ones && mantissa != 0,
        Style::OneNan => exponent == ones && mantissa == (1 << m) - 1,
        Style::NanAtNegativeZero => negative && exponent == 0 && mantissa == 0,
        Style::Finite | Style::Power => false,
    };
    let magnitude = if nan {
        // The total order tells payloads apart.
        let payload = match format.style {
            Style::Ieee => mantissa << (52 - m),
            _ => QUIET,
        };
        f64::from_bits(f64::INFINITY.to_bits() | payload)
    } else if format.style == Style::Ieee && exponent == ones {
        f64::INFINITY
    } else {
        let hidden = u64::from(exponent != 0) << m;
        (mantissa | hidden) as f64 * power(exponent.max(1) - format.bias - m as i32)
    };
    // The only NaN of a format without a negative zero has no sign.
    let unsigned = nan && format.style == Style::NanAtNegativeZero;
    if negative && !unsigned {
        -magnitude
    } else {
        magnitude
    }
}

/// The pattern of a value, which [`round`] leaves as it is.
pub fn to_bits(kind: FloatKind, x: f64) -> u64 {
    let format = format(kind);
    if kind == FloatKind::F64 {
        return x.to_bits();
    }
    let (e, m) = (format.exponent_bits, format.mantissa_bits);
    if format.style == Style::Power {
        return if x > 0.0 && x.is_finite() {
            (exponent(x) + format.bias) as u64
        } else {
            255
        };
    }
    let sign = u64::from(x.is_sign_negative()) << (e + m);
    let ones = ((1u64 << e) - 1) << m;
    if x.is_nan() {
        return match format.style {
            // What arithmetic gives has neither a payload nor a sign that counts.
            Style::Ieee if payload(x) == QUIET => ones | (1 << (m - 1)),
            Style::Ieee => sign | ones | payload(x) >> (52 - m),
            Style::OneNan => ones | ((1 << m) - 1),
            Style::NanAtNegativeZero => 1 << (e + m),
            // No NaN there: negative zero.
            Style::Finite | Style::Power => 1 << (e + m),
        };
    }
    if x.is_infinite() {
        return sign | ones;
    }
    if x == 0.0 {
        return match format.style {
            Style::NanAtNegativeZero => 0,
            _ => sign,
        };
    }
    let exponent = exponent(x).max(format.least_exponent());
    let whole = (x.abs() / power(exponent - m as i32)) as u64;
    // A number without the hidden bit is subnormal and has the exponent field 0.
    let field = match whole >> m {
        0 => 0,
        _ => (exponent + format.bias) as u64,
    };
    sign | (field << m) | (whole & ((1 << m) - 1))
}

/// The number of the format next to `x` in the direction of `y`.
pub fn next_after(kind: FloatKind, x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x == y {
        return y;
    }
    if x == 0.0 {
        return from_bits(kind, 1).copysign(y);
    }
    // Bits without the sign grow with the size.
    let bits = to_bits(kind, x);
    if (y > x) == (x > 0.0) {
        from_bits(kind, bits + 1)
    } else {
        from_bits(kind, bits - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_of_every_small_format_survives() {
        for (kind, name, width) in FloatKind::ALL {
            if width > 16 {
                continue;
            }
            for bits in 0..1u64 << width {
                let x = from_bits(kind, bits);
                if x.is_nan() {
                    assert!(
                        from_bits(kind, to_bits(kind, x)).is_nan(),
                        "{name} {bits:#x}"
                    );
                    continue;
                }
                assert_eq!(to_bits(kind, x), bits, "{name} {x}");
                assert_eq!(round(kind, x).to_bits(), x.to_bits(), "{name} {x}");
            }
        }
    }

    /// Against the conversion of the machine.
    #[test]
    fn single_precision_is_that_of_the_machine() {
        let mut state = 1u64;
        for _ in 0..200_000 {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let x = f64::from_bits(state);
            let y = x as f32;
            if y.is_nan() {
                continue;
            }
            assert_eq!(round(FloatKind::F32, x).to_bits(), f64::from(y).to_bits());
            assert_eq!(
                to_bits(FloatKind::F32, f64::from(y)),
                u64::from(y.to_bits())
            );
            assert_eq!(
                from_bits(FloatKind::F32, u64::from(y.to_bits())),
                f64::from(y)
            );
        }
    }

    #[test]
    fn between_neighbours() {
        assert_eq!(round(FloatKind::F8E4M3FN, 464.0), 448.0);
        assert!(round(FloatKind::F8E4M3FN, 465.0).is_nan());
        assert_eq!(round(FloatKind::F16, 65519.0), 65504.0);
        assert_eq!(round(FloatKind::F16, 65520.0), f64::INFINITY);
        assert_eq!(round(FloatKind::F4E2M1FN, 2.5), 2.0);
        assert_eq!(round(FloatKind::F4E2M1FN, 100.0), 6.0);
        assert_eq!(round(FloatKind::BF16, 1.0 + 1.0 / 256.0), 1.0);
        assert_eq!(round(FloatKind::F8E5M2FNUZ, -0.0).to_bits(), 0);
    }
}
