//! Floating-point formats narrower than 32 bits: reading, rounding and writing them with 32-bit
//! arithmetic.
//!
//! A value of such a format is held as an `f32` that the format can represent; every operation
//! computes in `f32` and rounds once more. For +, -, *, / and sqrt that gives the correctly rounded
//! result of the format, because 24 >= 2 p + 2 for all p <= 11.

use mapwright_mlir::builder::{CmpF, CmpI};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, FloatKind, Val};

/// Encoding of the special values of a narrow format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Special {
    /// As IEEE 754: the top exponent holds infinities and NaNs.
    Ieee,
    /// `FN`: no infinities; NaN is all ones below the sign.
    Finite,
    /// `FNUZ`: no infinities, no negative zero; NaN is the sign bit alone.
    Unsigned0,
    /// 4- and 6-bit floats: neither infinities nor NaN.
    None,
}

/// Parameters of a format of at most 8 bits with a sign: exponent bits, mantissa bits, bias,
/// special values.
fn layout(kind: FloatKind) -> Option<(u32, u32, i32, Special)> {
    use FloatKind::*;
    Some(match kind {
        F4E2M1FN => (2, 1, 1, Special::None),
        F6E2M3FN => (2, 3, 1, Special::None),
        F6E3M2FN => (3, 2, 3, Special::None),
        F8E3M4 => (3, 4, 3, Special::Ieee),
        F8E4M3 => (4, 3, 7, Special::Ieee),
        F8E4M3FN => (4, 3, 7, Special::Finite),
        F8E4M3FNUZ => (4, 3, 8, Special::Unsigned0),
        F8E4M3B11FNUZ => (4, 3, 11, Special::Unsigned0),
        F8E5M2 => (5, 2, 15, Special::Ieee),
        F8E5M2FNUZ => (5, 2, 16, Special::Unsigned0),
        _ => return None,
    })
}

/// Exponent bits and the exponent of the smallest normal number of a format that does not reach as
/// far down as `f32`.
pub(super) fn short(kind: FloatKind) -> Option<(u32, i32)> {
    match kind {
        FloatKind::F16 => Some((5, -14)),
        _ => layout(kind).map(|(exponent, _, bias, _)| (exponent, 1 - bias)),
    }
}

/// Greatest finite value.
fn greatest(kind: FloatKind) -> f32 {
    let Some((exponent, mantissa, bias, special)) = layout(kind) else {
        return f32::MAX;
    };
    let top = (1i32 << exponent) - 1;
    let full = 2.0 - (-(mantissa as f32)).exp2();
    match special {
        Special::Ieee => ((top - 1 - bias) as f32).exp2() * full,
        // The all-ones mantissa at the top exponent is NaN.
        Special::Finite => ((top - bias) as f32).exp2() * (full - (-(mantissa as f32)).exp2()),
        _ => ((top - bias) as f32).exp2() * full,
    }
}

/// The number that `bits` stand for.
pub fn decode_host(kind: FloatKind, bits: u32) -> f32 {
    match kind {
        FloatKind::BF16 => return f32::from_bits(bits << 16),
        FloatKind::F16 => {
            let (sign, exponent, mantissa) = (bits >> 15 & 1, bits >> 10 & 31, bits & 0x3ff);
            let value = match exponent {
                0 => mantissa as f32 * (-24f32).exp2(),
                31 => f32::from_bits(0x7f80_0000 | mantissa << 13),
                e => f32::from_bits((e + 112) << 23 | mantissa << 13),
            };
            return if sign == 1 { -value } else { value };
        }
        FloatKind::F8E8M0FNU => {
            return match bits {
                0 => f32::from_bits(0x0040_0000),
                255 => f32::NAN,
                e => f32::from_bits(e << 23),
            };
        }
        _ => {}
    }
    let Some((exponent, mantissa, bias, special)) = layout(kind) else {
        return f32::from_bits(bits);
    };
    let sign = bits >> (exponent + mantissa) & 1;
    let e = bits >> mantissa & ((1 << exponent) - 1);
    let m = bits & ((1 << mantissa) - 1);
    let top = (1 << exponent) - 1;
    let ones = (1 << mantissa) - 1;
    let magnitude = match special {
        Special::Ieee if e == top && m == 0 => f32::INFINITY,
        Special::Ieee if e == top => f32::NAN,
        Special::Finite if e == top && m == ones => f32::NAN,
        Special::Unsigned0 if sign == 1 && e == 0 && m == 0 => return f32::NAN,
        _ if e == 0 => m as f32 * ((1 - bias - mantissa as i32) as f32).exp2(),
        _ => ((1 << mantissa) | m) as f32 * ((e as i32 - bias - mantissa as i32) as f32).exp2(),
    };
    if sign == 1 { -magnitude } else { magnitude }
}

fn bits_of<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    b.cast("arith.bitcast", x, b.like(x.r#type(), b.int(32)))
}

fn of_bits<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    b.cast("arith.bitcast", x, b.like(x.r#type(), b.f32()))
}

/// The `f32` of a float of at most 8 bits, given its bits in an `i8`.
pub fn decode<'c>(b: &Builder<'c>, kind: FloatKind, stored: Val<'c>) -> Val<'c> {
    let wide = b.like(stored.r#type(), b.int(32));
    let float = b.like(stored.r#type(), b.f32());
    let bits = b.cast("arith.extui", stored, wide);
    let c = |value: i64| b.cint(value, wide);
    let quiet = c(0x7fc0_0000);
    let Some((exponent, mantissa, bias, special)) = layout(kind) else {
        // f8E8M0FNU: a power of two; 0 is 2^-127, which is subnormal in f32, 255 is NaN.
        let normal = b.shli(bits, c(23));
        let zero = b.cmpi(CmpI::Eq, bits, c(0));
        let value = of_bits(b, b.select(zero, c(0x0040_0000), normal));
        return b.select(b.cmpi(CmpI::Eq, bits, c(255)), of_bits(b, quiet), value);
    };
    let width = 1 + exponent + mantissa;
    let magnitude = b.andi(bits, c((1 << (width - 1)) - 1));
    let sign = b.shli(b.andi(bits, c(1 << (width - 1))), c(i64::from(32 - width)));
    // Put exponent and mantissa in place and let a multiplication move the bias: subnormals come
    // out right as well.
    let in_place = b.shli(magnitude, c(i64::from(23 - mantissa)));
    let shifted = of_bits(b, in_place);
    let scale = b.cfloat(f64::from(127 - bias).exp2(), float);
    let mut value = of_bits(b, b.ori(bits_of(b, b.mulf(shifted, scale)), sign));
    let top = ((1i64 << exponent) - 1) << mantissa;
    // The total order knows NaN by their signs, where there are two of them, and by their payloads.
    let nan = |payload| of_bits(b, b.ori(payload, sign));
    match special {
        Special::None => {}
        Special::Ieee => {
            let infinite = b.cmpi(CmpI::Eq, magnitude, c(top));
            let infinity = of_bits(b, b.ori(c(0x7f80_0000), sign));
            value = b.select(infinite, infinity, value);
            let payload = b.ori(in_place, c(0x7f80_0000));
            value = b.select(b.cmpi(CmpI::Sgt, magnitude, c(top)), nan(payload), value);
        }
        Special::Finite => {
            let all = c((1 << (width - 1)) - 1);
            value = b.select(b.cmpi(CmpI::Eq, magnitude, all), nan(quiet), value);
        }
        Special::Unsigned0 => {
            value = b.select(b.cmpi(CmpI::Eq, bits, c(128)), of_bits(b, quiet), value);
        }
    }
    value
}

/// The bits (`i8`) of an `f32` that the format can represent.
pub fn encode<'c>(b: &Builder<'c>, kind: FloatKind, value: Val<'c>) -> Val<'c> {
    let raw = bits_of(b, value);
    let ty = raw.r#type();
    let float = value.r#type();
    let narrow = b.like(ty, b.int(8));
    let c = |value: i64| b.cint(value, ty);
    let is_nan = b.cmpf(CmpF::Uno, value, value);
    let Some((exponent, mantissa, bias, special)) = layout(kind) else {
        let code = b.shrui(raw, c(23));
        let code = b.select(is_nan, c(255), b.andi(code, c(255)));
        return b.cast("arith.trunci", code, narrow);
    };
    let width = 1 + exponent + mantissa;
    let magnitude = b.andi(raw, c(0x7fff_ffff));
    let sign = b.shrui(
        b.andi(raw, c(i64::from(i32::MIN))),
        c(i64::from(32 - width)),
    );
    let scale = b.cfloat(f64::from(bias - 127).exp2(), float);
    let scaled = bits_of(b, b.mulf(of_bits(b, magnitude), scale));
    let mut code = b.shrui(scaled, c(i64::from(23 - mantissa)));
    let top = ((1i64 << exponent) - 1) << mantissa;
    if special == Special::Ieee {
        let infinite = b.cmpi(CmpI::Eq, magnitude, c(0x7f80_0000));
        code = b.select(infinite, c(top), code);
    }
    code = b.ori(code, sign);
    code = match special {
        Special::None => code,
        Special::Ieee => {
            let payload = b.shrui(magnitude, c(i64::from(23 - mantissa)));
            let payload = b.andi(payload, c((1 << mantissa) - 1));
            b.select(is_nan, b.ori(b.ori(c(top), payload), sign), code)
        }
        Special::Finite => b.select(is_nan, b.ori(c((1 << (width - 1)) - 1), sign), code),
        Special::Unsigned0 => {
            let zero = b.cmpi(CmpI::Eq, magnitude, c(0));
            b.select(is_nan, c(128), b.select(zero, c(0), code))
        }
    };
    b.cast("arith.trunci", code, narrow)
}

/// The neighbour of `x` towards `y` in a format of at most 8 bits; both are numbers of it, and not
/// the same.
pub(super) fn step<'c>(b: &Builder<'c>, kind: FloatKind, x: Val<'c>, y: Val<'c>) -> Val<'c> {
    let stored = encode(b, kind, x);
    let ty = stored.r#type();
    let c = |value: i64| b.cint(value, ty);
    let zero = b.cfloat(0.0, x.r#type());
    let up = b.cmpf(CmpF::Olt, x, y);
    let Some((exponent, mantissa, _, special)) = layout(kind) else {
        // Powers of two, without a sign.
        return decode(b, kind, b.addi(stored, b.select(up, c(1), c(-1))));
    };
    let sign = c(-1 << (exponent + mantissa));
    let positive = b.cmpf(CmpF::Ogt, x, zero);
    // Codes of one sign grow with the distance from zero.
    let away = b.cmpi(CmpI::Eq, up, positive);
    let moved = b.addi(stored, b.select(away, c(1), c(-1)));
    let least = b.select(up, c(1), b.ori(sign, c(1)));
    let moved = b.select(b.cmpf(CmpF::Oeq, x, zero), least, moved);
    let value = decode(b, kind, moved);
    match special {
        // What would be the negative zero is NaN there.
        Special::Unsigned0 => {
            let nothing = b.cmpi(CmpI::Eq, moved, sign);
            b.select(nothing, zero, value)
        }
        _ => value,
    }
}

/// Rounds an `f32` to the nearest value of the format, ties to even. Overflow gives infinity where
/// the format has it, NaN where it has that, the greatest value otherwise.
pub fn round<'c>(b: &Builder<'c>, kind: FloatKind, x: Val<'c>) -> Val<'c> {
    let ty = x.r#type();
    match kind {
        FloatKind::F32 | FloatKind::F64 => return x,
        FloatKind::F16 => {
            let half = b.cast("arith.truncf", x, b.like(ty, b.float(FloatKind::F16)));
            return b.cast("arith.extf", half, ty);
        }
        FloatKind::BF16 => return round_mantissa(b, x, 16),
        FloatKind::TF32 => return round_mantissa(b, x, 13),
        FloatKind::F8E8M0FNU => return round_power_of_two(b, x),
        _ => {}
    }
    let Some((_, mantissa, bias, special)) = layout(kind) else {
        return x;
    };
    let raw = bits_of(b, x);
    let c = |value: i64| b.cint(value, raw.r#type());
    let f = |value: f64| b.cfloat(value, ty);
    // The power of two at or below |x|, not below the least normal number of the format; one unit
    // of its last place.
    let power = of_bits(b, b.andi(raw, c(0x7f80_0000)));
    let power = b.maximumf(power, f(f64::from(1 - bias).exp2()));
    let unit = b.mulf(power, f(f64::from(-(mantissa as i32)).exp2()));
    let steps = b.math("roundeven", &[b.divf(x, unit)]);
    let rounded = b.mulf(steps, unit);
    let sign = b.andi(raw, c(i64::from(i32::MIN)));
    let with_sign = |v: Val<'c>| of_bits(b, b.ori(bits_of(b, v), sign));
    let limit = f(f64::from(greatest(kind)));
    let magnitude = b.math("absf", &[rounded]);
    let over = b.cmpf(CmpF::Ogt, magnitude, limit);
    let beyond = match special {
        Special::Ieee => with_sign(f(f64::INFINITY)),
        Special::None => with_sign(limit),
        Special::Finite | Special::Unsigned0 => of_bits(b, c(0x7fc0_0000)),
    };
    let mut result = b.select(over, beyond, rounded);
    let input = b.math("absf", &[x]);
    let infinite = b.cmpf(CmpF::Oeq, input, f(f64::INFINITY));
    result = b.select(infinite, beyond, result);
    if special == Special::Unsigned0 {
        let zero = b.cmpf(CmpF::Oeq, result, f(0.0));
        result = b.select(zero, f(0.0), result);
    }
    let is_nan = b.cmpf(CmpF::Uno, x, x);
    match special {
        // No NaN in the format: the sign alone, as the runtime and ml_dtypes have it.
        Special::None => b.select(is_nan, f(-0.0), result),
        // One of each sign: there is hardly room for a payload.
        _ => b.select(is_nan, with_sign(of_bits(b, c(0x7fc0_0000))), result),
    }
}

/// Rounds to nearest even by dropping the lowest `drop` bits of the mantissa.
fn round_mantissa<'c>(b: &Builder<'c>, x: Val<'c>, drop: u32) -> Val<'c> {
    let raw = bits_of(b, x);
    let c = |value: i64| b.cint(value, raw.r#type());
    let lowest = b.andi(b.shrui(raw, c(i64::from(drop))), c(1));
    let half = b.addi(lowest, c((1 << (drop - 1)) - 1));
    let rounded = b.andi(b.addi(raw, half), c(-(1 << drop)));
    // A NaN keeps its sign and becomes quiet, so that dropping bits cannot make it an infinity.
    let quiet = b.andi(b.ori(raw, c(0x0040_0000)), c(-(1 << drop)));
    let is_nan = b.cmpf(CmpF::Uno, x, x);
    of_bits(b, b.select(is_nan, quiet, rounded))
}

/// `f8E8M0FNU` holds powers of two from 2^-127 to 2^127 and NaN: nearest, ties to the greater one
/// (every significand is 1, which is odd); zero, negative numbers and what is too large become NaN
/// (there is nothing nearer in meaning), what is too small the least power.
fn round_power_of_two<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let raw = bits_of(b, x);
    let c = |value: i64| b.cint(value, raw.r#type());
    let power = b.andi(b.addi(raw, c(1 << 22)), c(0x7f80_0000));
    // The least power is subnormal in 32 bits; its middle to the next one has its own place.
    let tiny = b.cmpi(CmpI::Slt, raw, c(0x0060_0000));
    let power = b.select(tiny, c(0x0040_0000), power);
    let bad = b.cmpi(CmpI::Sle, raw, c(0));
    // Rounding up carries the infinity and NaN beyond the sign: they are told by what they were.
    let big = b.ori(
        b.cmpi(CmpI::Eq, power, c(0x7f80_0000)),
        b.cmpi(CmpI::Sge, raw, c(0x7f80_0000)),
    );
    of_bits(b, b.select(b.ori(bad, big), c(0x7fc0_0000), power))
}
