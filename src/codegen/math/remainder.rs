//! The remainder of a division of numbers of `f32`, computed in `f64`.

use super::unless;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpF, Val};

/// The remainder of the division towards zero, with the sign of `x`: exact. Quotients beyond `2^28` are left to the C library.
///
/// Below, the quotient of two numbers of 24 bits is so far from the next integer that rounding it to 53 bits does not reach that, and the
/// product of the integral part with `y` has at most 53 bits.
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
        b.math("copysign", &[rest, x])
    };
    unless(b, (large, ty), near, library)
}
