//! Real floating-point numbers of every format: `f64` in 64 bits, all others in 32 bits and rounded
//! to their format.

use super::narrow;
use crate::{
    error::{Result, unsupported},
    math::{self, lanes},
    storage::Elem,
};
use mapwright_mlir::builder::{CmpF, CmpI};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, ElementType, FloatKind, Val};

/// The operation `name` on floats of `kind`.
pub(crate) fn apply<'c>(
    b: &Builder<'c>,
    name: &str,
    kind: FloatKind,
    result: &ElementType,
    args: &[Elem<'c>],
) -> Result<Elem<'c>> {
    let x = args[0].one();
    let y = args.get(1).map_or(x, |y| y.one());
    let ty = x.r#type();
    let f = |value: f64| b.cfloat(value, ty);
    // Exact in every format, or not a float at all.
    let exact = match name {
        "negate" => Some(b.negf(x)),
        "abs" => Some(b.math("absf", &[x])),
        "maximum" => Some(lanes::extreme(b, x, y, true).unwrap_or_else(|| b.maximumf(x, y))),
        "minimum" => Some(lanes::extreme(b, x, y, false).unwrap_or_else(|| b.minimumf(x, y))),
        "floor" => Some(b.math("floor", &[x])),
        "ceil" => Some(b.math("ceil", &[x])),
        "round_nearest_afz" => Some(b.math("round", &[x])),
        "round_nearest_even" => Some(b.math("roundeven", &[x])),
        "real" | "conj" => Some(x),
        "sign" => {
            let one = b.copysign(f(1.0), x);
            // Zeros and NaN are their own sign.
            let not_zero = b.cmpf(CmpF::One, x, f(0.0));
            Some(b.select(not_zero, one, x))
        }
        "is_finite" => Some(b.cmpf(CmpF::Olt, b.math("absf", &[x]), f(f64::INFINITY))),
        "is_inf" => Some(b.cmpf(CmpF::Oeq, b.math("absf", &[x]), f(f64::INFINITY))),
        "is_pos_inf" => Some(b.cmpf(CmpF::Oeq, x, f(f64::INFINITY))),
        "is_neg_inf" => Some(b.cmpf(CmpF::Oeq, x, f(f64::NEG_INFINITY))),
        "next_after" => Some(next_after(b, kind, x, y)),
        _ => None,
    };
    if let Some(value) = exact {
        // Formats without a negative zero have to see the one that `negate` and friends can make,
        // and the next whole number away from zero can be beyond the greatest of the format.
        let value = match (name, result) {
            (
                "negate" | "floor" | "ceil" | "sign" | "round_nearest_even" | "round_nearest_afz",
                ElementType::Float(kind),
            ) if kind.width() < 16 => narrow::round(b, *kind, value),
            _ => value,
        };
        return Ok(Elem::One(value));
    }
    let value = match name {
        "add" => b.addf(x, y),
        "subtract" => b.subf(x, y),
        "multiply" => b.mulf(x, y),
        "square" => b.mulf(x, x),
        "divide" => b.divf(x, y),
        "remainder" => math::remainder(b, x, y),
        "sqrt" => b.math("sqrt", &[x]),
        "rsqrt" => b.divf(f(1.0), b.math("sqrt", &[x])),
        "power" => math::binary(b, "pow", x, y)?,
        "atan2" => math::binary(b, "atan2", x, y)?,
        "zeta" | "polygamma" => math::binary(b, name, x, y)?,
        "exponential" => math::unary(b, "exp", x)?,
        "exponential_minus_one" => math::unary(b, "expm1", x)?,
        "log" => math::unary(b, "log", x)?,
        "log_plus_one" => math::unary(b, "log1p", x)?,
        "cosine" => math::unary(b, "cos", x)?,
        "sine" => math::unary(b, "sin", x)?,
        "tan" | "tanh" | "cbrt" | "logistic" | "acos" | "acosh" | "asin" | "asinh" | "atan"
        | "atanh" | "cosh" | "sinh" | "erf" | "erfc" | "erf_inv" | "lgamma" | "digamma"
        | "bessel_i1e" => math::unary(b, name, x)?,
        _ => return unsupported(format!("'{name}' on floating-point numbers")),
    };
    // Never zero where no operand is: what 32 bits are too few for is less than the least number of
    // a format without zero.
    let value = match name {
        "multiply" | "square" | "divide" | "power" | "atan2" | "erfc"
            if kind == FloatKind::F8E8M0FNU =>
        {
            let vanished = b.cmpf(CmpF::Oeq, value, f(0.0));
            b.select(vanished, f((-149f64).exp2()), value)
        }
        _ => value,
    };
    Ok(Elem::One(narrow::round(b, kind, value)))
}

/// The integer type of the width of `x`, and `x` as such.
fn bits<'c>(b: &Builder<'c>, x: Val<'c>, width: u32) -> Val<'c> {
    b.cast("arith.bitcast", x, b.like(x.r#type(), b.int(width)))
}

/// Width of the value of a float of `kind`.
fn value_width(kind: FloatKind) -> u32 {
    if kind == FloatKind::F64 { 64 } else { 32 }
}

/// Rounds to `exponent` and `mantissa` bits: ties to even, overflow to infinity, underflow to zero
/// (of the same sign).
///
/// The bits are those of the operand's own format: its subnormal numbers have fewer of the
/// mantissa, and stay where the exponent has no fewer bits than before.
pub(crate) fn reduce_precision<'c>(
    b: &Builder<'c>,
    element: &ElementType,
    x: Elem<'c>,
    exponent: u32,
    mantissa: u32,
) -> Result<Elem<'c>> {
    let ElementType::Float(kind) = element else {
        return unsupported(format!("reduce_precision of {element}"));
    };
    let x = x.one();
    let (width, own_mantissa, own_exponent) = match value_width(*kind) {
        64 => (64, 52, 11),
        _ => (32, 23, 8),
    };
    // Formats of fewer exponents are held in those of `f32`.
    let (keeps_exponent, least_normal) = match narrow::short(*kind) {
        Some((own, least)) => (exponent >= own, Some(least)),
        None => (exponent >= own_exponent, None),
    };
    let raw = bits(b, x, width);
    let c = |value: i64| b.cint(value, raw.r#type());
    let mut value = raw;
    if mantissa < own_mantissa {
        let drop = own_mantissa - mantissa;
        let lowest = b.andi(b.shrui(value, c(i64::from(drop))), c(1));
        let half = b.addi(lowest, c((1i64 << (drop - 1)) - 1));
        value = b.andi(b.addi(value, half), c(-(1i64 << drop)));
    }
    if let Some(least) = least_normal
        && mantissa < own_mantissa
    {
        // Below the normal numbers of the format neighbours are as far apart as right above: adding
        // a number whose last place is that distance rounds to it.
        let far = (least - mantissa as i32 + 23) as f64;
        let far = b.cfloat(1.5 * far.exp2(), x.r#type());
        let rounded = b.subf(b.addf(x, far), far);
        let rounded = b.copysign(rounded, x);
        let size = b.op1("math.absf", &[x], x.r#type(), &[]);
        let bound = b.cfloat(f64::from(least).exp2(), x.r#type());
        let below = b.cmpf(CmpF::Olt, size, bound);
        value = b.select(below, bits(b, rounded, width), value);
    }
    if !keeps_exponent {
        let sign_bit = c(i64::MIN >> (64 - width));
        let sign = b.andi(value, sign_bit);
        let bias = (1i64 << (own_exponent - 1)) - 1;
        let reduced = (1i64 << exponent.saturating_sub(1)) - 1;
        let field = b.andi(value, c(((1i64 << own_exponent) - 1) << own_mantissa));
        let most = c((bias + reduced) << own_mantissa);
        let least = c((bias - reduced) << own_mantissa);
        let over = b.cmpi(CmpI::Sgt, field, most);
        let under = b.cmpi(CmpI::Sle, field, least);
        let infinity = b.ori(sign, c(((1i64 << own_exponent) - 1) << own_mantissa));
        value = b.select(over, infinity, value);
        value = b.select(under, sign, value);
    }
    let result = b.cast("arith.bitcast", value, x.r#type());
    let is_nan = b.cmpf(CmpF::Uno, x, x);
    let result = b.select(is_nan, x, result);
    Ok(Elem::One(narrow::round(b, *kind, result)))
}

/// The next representable number after `x` towards `y`, in the format itself.
fn next_after<'c>(b: &Builder<'c>, kind: FloatKind, x: Val<'c>, y: Val<'c>) -> Val<'c> {
    let same = b.cmpf(CmpF::Oeq, x, y);
    let nan = b.cmpf(CmpF::Uno, x, y);
    let finish = |value: Val<'c>| b.select(nan, b.addf(x, y), b.select(same, y, value));
    if kind.width() < 16 {
        return finish(narrow::step(b, kind, x, y));
    }
    // For formats held in f32, one unit of the format is a multiple of one unit of f32 (for normal
    // numbers).
    let width = value_width(kind);
    let (narrow_x, step_width) = match kind {
        FloatKind::BF16 => (bits(b, x, 32), 16u32),
        FloatKind::F16 => {
            let half = b.cast(
                "arith.truncf",
                x,
                b.like(x.r#type(), b.float(FloatKind::F16)),
            );
            (bits(b, half, 16), 0)
        }
        _ => (bits(b, x, width), 0),
    };
    let ity = narrow_x.r#type();
    let c = |value: i64| b.cint(value, ity);
    let one = c(1i64 << step_width);
    let zero_float = b.cfloat(0.0, x.r#type());
    let sign_mask = match kind {
        FloatKind::F16 => c(-(1 << 15)),
        _ => c(i64::MIN >> (64 - width)),
    };
    let x_zero = b.cmpf(CmpF::Oeq, x, zero_float);
    let up = b.cmpf(CmpF::Olt, x, y);
    let x_positive = b.cmpf(CmpF::Ogt, x, zero_float);
    // Away from zero when the direction is that of the sign.
    let away = b.cmpi(CmpI::Eq, up, x_positive);
    let stepped = b.select(away, b.addi(narrow_x, one), b.subi(narrow_x, one));
    let y_negative = b.cmpf(CmpF::Olt, y, zero_float);
    let least = b.select(y_negative, b.ori(sign_mask, one), one);
    let stepped = b.select(x_zero, least, stepped);
    finish(match kind {
        FloatKind::F16 => {
            let half = b.cast(
                "arith.bitcast",
                stepped,
                b.like(x.r#type(), b.float(FloatKind::F16)),
            );
            b.cast("arith.extf", half, x.r#type())
        }
        _ => b.cast("arith.bitcast", stepped, x.r#type()),
    })
}
