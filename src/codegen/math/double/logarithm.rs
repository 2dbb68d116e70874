//! `log(1 + x)` and `exp(x) - 1`. Below 0.9 ULP.

use crate::math::{
    double_double::{DoubleDouble, ordered_sum, product, sum},
    exp::{self, polynomial},
    log,
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpF, CmpI, Val};

/// `log(1 + x)`.
pub(super) fn log1p<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let low = b.cfloat(0.0, x.r#type());
    let value = log_beside_one(b, DoubleDouble { high: x, low }, None);
    b.copysign(value, x)
}

/// `log(1 + x)` for a number in two parts, the second far smaller than the first, and ln 2 more
/// where `twice`; the sign of a zero is lost.
pub(super) fn log_beside_one<'c>(
    b: &Builder<'c>,
    x: DoubleDouble<'c>,
    twice: Option<Val<'c>>,
) -> Val<'c> {
    let f = |value: f64| b.cfloat(value, x.high.r#type());
    let one = f(1.0);
    let u = sum(b, one, x.high);
    // NaN of infinite numbers otherwise.
    let endless = b.cmpf(CmpF::Oeq, x.high, f(f64::INFINITY));
    let left = b.select(endless, f(0.0), b.addf(u.low, x.low));
    let (high, low) = (u.high, left);
    let value = log_of_sum(b, DoubleDouble { high, low }, Some(x), twice);
    // log(0) = -inf, log(inf) = inf, NaN for what is negative or not a number.
    let value = b.select(endless, x.high, value);
    let least = b.cmpf(CmpF::Oeq, x.high, f(-1.0));
    let value = b.select(least, f(f64::NEG_INFINITY), value);
    let outside = b.cmpf(CmpF::Ult, x.high, f(-1.0));
    let nan = b.select(b.cmpf(CmpF::Uno, x.high, x.high), x.high, f(f64::NAN));
    b.select(outside, nan, value)
}

/// `log(u)`, `u` positive and normal, and ln 2 more where `twice`. Where `u` is near 1, `less_one`
/// is the better argument: `u - 1`.
pub(super) fn log_of_sum<'c>(
    b: &Builder<'c>,
    u: DoubleDouble<'c>,
    less_one: Option<DoubleDouble<'c>>,
    twice: Option<Val<'c>>,
) -> Val<'c> {
    let (u, left) = (u.high, u.low);
    let ty = u.r#type();
    let int = b.like(ty, b.i64());
    let f = |value: f64| b.cfloat(value, ty);
    let (m, e) = log::parts(b, u);
    // left 2^-e, by the bits of m over u.
    let bits = |v: Val<'c>| b.cast("arith.bitcast", v, int);
    let down = b.subi(bits(m), bits(u));
    let one = b.cint(1.0f64.to_bits() as i64, int);
    // Sums above 2^60 have nothing to the right that counts.
    let large = b.cmpf(CmpF::Ogt, u, f(60f64.exp2()));
    let down = b.cast("arith.bitcast", b.addi(one, down), ty);
    let left = b.select(large, f(0.0), b.mulf(left, down));
    let mut t = DoubleDouble {
        high: b.subf(m, f(1.0)),
        low: left,
    };
    if let Some(x) = less_one {
        t = DoubleDouble::select(b, b.cmpf(CmpF::Oeq, e, f(0.0)), x, t);
    }
    let t = ordered_sum(b, t.high, t.low);
    let e = match twice {
        Some(twice) => b.addf(e, b.select(twice, f(1.0), f(0.0))),
        None => e,
    };
    // 1 / (1 + t), near enough for the second part.
    let slope = b.fma(t.high, b.fma(t.high, f(0.8), f(-1.0)), f(1.0));
    log::of_fraction(b, t.high, e, Some(b.mulf(t.low, slope)))
}

/// `exp(x) - 1`: with `x = n ln 2 + r` the sum of `2^n - 1`, `2^n (r + r² / 2)` and the rest of the
/// series.
pub(super) fn expm1<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let ty = x.r#type();
    let int = b.like(ty, b.i64());
    let f = |value: f64| b.cfloat(value, ty);
    let c = |value: i64| b.cint(value, int);
    // Beyond, the result is -1 or infinite; NaN passes through.
    let low = b.select(b.cmpf(CmpF::Olt, x, f(-40.0)), f(-40.0), x);
    let bounded = b.select(b.cmpf(CmpF::Ogt, low, f(710.0)), f(710.0), low);
    let (r, shifted) = exp::reduced_in_two(b, bounded);
    // r + r² / 2 in two parts, and the rest.
    let square = product(b, r.high, r.high);
    let quadratic = ordered_sum(b, r.high, b.mulf(square.high, f(0.5)));
    let cube = b.mulf(square.high, r.high);
    let t = b.fma(square.low, f(0.5), b.addf(quadratic.low, r.low));
    let t = b.fma(cube, polynomial(b, r.high, &exp::DOUBLE[1..]), t);
    // n is at most 1024; 2^1024 is not a number, so that it is 2 2^1023.
    let n = exp::integral(b, shifted);
    let top = b.cmpi(CmpI::Sgt, n, c(1023));
    let exponent = b.select(top, c(1023), n);
    let s = b.cast(
        "arith.bitcast",
        b.shli(b.addi(exponent, c(1023)), c(52)),
        ty,
    );
    let less = sum(b, s, f(-1.0));
    let first = sum(b, less.high, b.mulf(s, quadratic.high));
    let value = b.addf(first.high, b.fma(s, t, b.addf(first.low, less.low)));
    let value = b.select(top, b.addf(value, value), value);
    b.copysign(value, x)
}
