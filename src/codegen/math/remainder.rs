//! The remainder of a division: of numbers of `f32` computed in `f64`, of `f64` by a product and a
//! sum that are rounded once.

use super::unless;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpF, Val};

/// The remainder of the division towards zero, with the sign of `x`: exact. Quotients beyond `2^28`
/// are left to the C library.
///
/// Below, the quotient of two numbers of 24 bits is so far from the next integer that rounding it
/// to 53 bits does not reach that, and the product of the integral part with `y` has at most 53
/// bits.
pub(super) fn single<'c>(b: &Builder<'c>, x: Val<'c>, y: Val<'c>) -> Val<'c> {
    let ty = x.r#type();
    let library = |b: &Builder<'c>| b.same("arith.remf", &[x, y]);
    let lanes = b.shape_of(ty);
    if lanes.len() > 1 {
        return library(b);
    }
    let wide_ty = b.like(ty, b.f64());
    let wide = |v: Val<'c>| b.cast("arith.extf", v, wide_ty);
    let (p, q) = (wide(x), wide(y));
    let quotient = b.divf(p, q);
    let limit = b.cfloat(f64::from(1 << 28), wide_ty);
    // NaN is "not below" and goes to the library as well.
    let large = b.cmpf(CmpF::Uge, b.math("absf", &[quotient]), limit);
    let near = |b: &Builder<'c>| {
        let rest = b.fma(b.negf(b.math("trunc", &[quotient])), q, p);
        // Nothing is taken from a number that is divided by infinity.
        let endless = b.cfloat(f64::INFINITY, wide_ty);
        let whole = b.cmpf(CmpF::Oeq, b.math("absf", &[q]), endless);
        let rest = b.cast("arith.truncf", b.select(whole, p, rest), ty);
        b.copysign(rest, x)
    };
    unless(b, (large, ty), near, library)
}

/// Emits the remainder of numbers of `f64`, as [`single`]; quotients beyond `2^52` are left to the
/// C library.
///
/// Below, rounding takes the quotient up to the next integer at most: then the rest has the other
/// sign, and adding the divisor once more gives the remainder. Either is a multiple of the last bit
/// of `y` and less than `y`, so that nothing is rounded.
pub(super) fn double<'c>(b: &Builder<'c>, x: Val<'c>, y: Val<'c>) -> Val<'c> {
    let ty = x.r#type();
    let library = |b: &Builder<'c>| b.same("arith.remf", &[x, y]);
    if b.shape_of(ty).len() > 1 {
        return library(b);
    }
    let f = |value: f64| b.cfloat(value, ty);
    let quotient = b.divf(x, y);
    // NaN is "not below" and goes to the library as well.
    let large = b.cmpf(CmpF::Uge, b.math("absf", &[quotient]), f(52f64.exp2()));
    let near = |b: &Builder<'c>| {
        let f = |value: f64| b.cfloat(value, ty);
        let rest = b.fma(b.negf(b.math("trunc", &[quotient])), y, x);
        let above = b.cmpf(CmpF::Ogt, x, f(0.0));
        let along = b.select(above, rest, b.negf(rest));
        let crossed = b.cmpf(CmpF::Olt, along, f(0.0));
        let back = b.addf(rest, b.copysign(y, x));
        let rest = b.select(crossed, back, rest);
        // Nothing is taken from a number that is divided by infinity.
        let endless = b.cmpf(CmpF::Oeq, b.math("absf", &[y]), f(f64::INFINITY));
        b.copysign(b.select(endless, x, rest), x)
    };
    unless(b, (large, ty), near, library)
}
