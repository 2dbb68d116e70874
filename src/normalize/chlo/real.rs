//! Inverse trigonometric and hyperbolic functions, Bessel functions and bit tricks on real values.

use super::coefficients::{I1E_LARGE, I1E_MIDDLE, I1E_SMALL, I1E_TAIL};
use crate::hlo::Expr;
use mapwright_mlir::{ElementType, FloatKind};
use std::f64::consts::LN_2;

/// `acos(x) = 2 atan2(sqrt(1 - x), sqrt(1 + x))`.
pub fn acos<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    (-x + 1.0).sqrt().atan2((x + 1.0).sqrt()) * 2.0
}

/// `asin(x) = atan2(x, sqrt((1 - x) (1 + x)))`.
pub fn asin<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    x.atan2(((-x + 1.0) * (x + 1.0)).sqrt())
}

/// `atan(x) = atan2(x, 1)`.
pub fn atan<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    x.atan2(1.0)
}

/// `acosh(x) = log1p(t + sqrt(t (t + 2)))` with `t = x - 1`; `log(2 x)` where the square would
/// overflow.
pub fn acosh<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let t = x - 1.0;
    let near = (t + (t * (t + 2.0)).sqrt()).log1p();
    let far = x.log() + LN_2;
    let result = far.when(x.ge(1e150), near);
    x.c(f64::NAN).when(x.lt(1.0), result)
}

/// `asinh(x) = log1p(|x| + x^2 / (1 + sqrt(1 + x^2)))` with the sign of `x`; `log(2 |x|)` where the
/// square would overflow.
pub fn asinh<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let y = x.abs();
    let square = y * y;
    let near = (y + square / ((square + 1.0).sqrt() + 1.0)).log1p();
    let far = y.log() + LN_2;
    far.when(y.ge(1e150), near).copysign(x)
}

/// `atanh(x) = log1p(2 |x| / (1 - |x|)) / 2` with the sign of `x`.
pub fn atanh<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let y = x.abs();
    let result = ((y * 2.0) / (-y + 1.0)).log1p() * 0.5;
    x.c(f64::NAN).when(y.gt(1.0), result).copysign(x)
}

/// `cosh(x) = (e^x + e^-x) / 2`, scaled so that it overflows only where the result does.
pub fn cosh<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let half = (x.abs() * 0.5).exp();
    let near = x.abs().exp();
    let exact = (near + near.c(1.0) / near) * 0.5;
    let far = half * (half * 0.5);
    far.when(x.abs().gt(700.0), exact)
}

/// `sinh(x) = (m + m / (m + 1)) / 2` with `m = e^|x| - 1`, scaled for large values.
pub fn sinh<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let y = x.abs();
    let m = y.min(700.0).expm1();
    let near = (m + m / (m + 1.0)) * 0.5;
    let half = (y * 0.5).exp();
    let far = half * (half * 0.5);
    let result = far.when(y.gt(700.0), near);
    x.when(x.is_nan(), result.copysign(x))
}

/// `bessel_i1e(x) = exp(-|x|) I1(x)`.
pub fn bessel_i1e<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let y = x.abs();
    // Outside of its interval a piece is that at an end. At the ends themselves it is that of `y`,
    // so that its derivative is, too.
    let above = |y: Expr<'a, 'c>, low: f64| y.c(low).when(y.lt(low), y);
    let below = |y: Expr<'a, 'c>, high: f64| y.c(high).when(y.gt(high), y);
    let large = I1E_LARGE.at(above(below(y, 8.0), 4.0));
    let middle = I1E_MIDDLE
        .at(above(below(y, 4.0), 2.0))
        .when(y.lt(4.0), large);
    let near = I1E_SMALL.at(below(y, 2.0)).when(y.lt(2.0), middle);
    let far = I1E_TAIL.at(y.c(1.0) / above(y, 8.0)) * y.rsqrt();
    far.copysign(x).when(y.gt(8.0), x * near)
}

/// `next_after(x, y)`: the neighbour of `x` towards `y`.
pub fn next_after<'a, 'c>(x: Expr<'a, 'c>, y: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let element = x.element();
    match element {
        ElementType::Float(FloatKind::F6E2M3FN) => return next_after_by_steps(x, y, 0, 3),
        ElementType::Float(FloatKind::F6E3M2FN) => return next_after_by_steps(x, y, -2, 2),
        _ => {}
    }
    let bits = ElementType::int(element.bit_width().unwrap_or(32));
    let (xi, yi) = (x.bitcast(&bits), y.bitcast(&bits));
    let one = xi.i(1);
    if element == ElementType::Float(FloatKind::F8E8M0FNU) {
        // Powers of two, without a sign and without a zero.
        let moved = xi + one.when(x.lt(y), xi.i(-1));
        return finish(x, y, yi.when(x.eq(y), moved).bitcast(&element));
    }
    let min = x.hlo().literal(
        &format!("{}", i64::MIN >> (64 - element.bit_width().unwrap_or(32))),
        &bits,
    );
    let (x_sign, y_sign) = (xi.and(min), yi.and(min));
    let (x_magnitude, y_magnitude) = (xi.and(!min), yi.and(!min));
    // From zero the first step is the least subnormal with the sign of y.
    let from_zero = y_sign.or(1i64);
    let away = x_sign.eq(y_sign).and(x_magnitude.lt(y_magnitude));
    let step = one.when(away, xi.i(-1));
    let moved = (xi + step).when(x_magnitude.ne(0i64), from_zero);
    let moved = match element {
        // What would be the negative zero is NaN there.
        ElementType::Float(
            FloatKind::F8E4M3FNUZ | FloatKind::F8E4M3B11FNUZ | FloatKind::F8E5M2FNUZ,
        ) => xi.i(0).when(moved.eq(min), moved),
        _ => moved,
    };
    finish(x, y, yi.when(x.eq(y), moved).bitcast(&element))
}

/// `next_after` of a format without NaN and infinity that no integer is as wide as: its normal
/// numbers begin at two to the power of `least` and have `mantissa` bits behind the point.
fn next_after_by_steps<'a, 'c>(
    x: Expr<'a, 'c>,
    y: Expr<'a, 'c>,
    least: i32,
    mantissa: i32,
) -> Expr<'a, 'c> {
    let element = x.element();
    let (wide, bits) = (ElementType::F32, ElementType::int(32));
    let (x, y) = (x.convert(&wide), y.convert(&wide));
    let magnitude = x.abs();
    // How far the number is from the next one up: by the greatest power of two that is not above
    // it.
    let step = |value: Expr<'a, 'c>| {
        let power = value.bitcast(&bits).and(0x7F80_0000i64).bitcast(&wide);
        power.max(f64::from(least).exp2()) * f64::from(-mantissa).exp2()
    };
    let just_below = (magnitude.bitcast(&bits) - 1i64).bitcast(&wide);
    let up = magnitude + step(magnitude);
    let moved = up.when(x.lt(y).eq(x.gt(0.0)), magnitude - step(just_below));
    let first = x.c(f64::from(least - mantissa).exp2());
    let moved = moved.copysign(x).when(x.ne(0.0), first.copysign(y));
    y.when(x.eq(y), moved).convert(&element)
}

/// `value`, or the operand that is NaN.
fn finish<'a, 'c>(x: Expr<'a, 'c>, y: Expr<'a, 'c>, value: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let value = x.when(x.is_nan(), value);
    y.when(y.is_nan(), value)
}
