//! Powers and cube roots of `f32`, computed in `f64` as `exp(y log x)`: the error of the logarithm,
//! times an exponent for which the result is finite, stays far below a unit of `f32`. Below 0.51
//! ULP. And the special cases of powers of all formats.

use super::{exp::exp, log::log, widely};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpF, Val};

/// `x` to the power of `y`, as IEEE 754 defines `pow`.
pub(super) fn power<'c>(b: &Builder<'c>, x: Val<'c>, y: Val<'c>) -> Val<'c> {
    let magnitude = b.math("absf", &[x]);
    let value = widely(b, &[magnitude, y], |b, wide| {
        let far = |value: f64| b.cfloat(value, wide[0].r#type());
        let product = b.mulf(wide[1], log(b, wide[0]));
        // What would be a subnormal number on the way is zero.
        let vanishes = b.cmpf(CmpF::Olt, product, far(-110.0));
        exp(b, b.select(vanishes, far(f64::NEG_INFINITY), product))
    });
    special(b, x, y, value)
}

/// `x` to the power of `y`, with the sign and in the cases that a power of the magnitude, `value`,
/// leaves out.
pub(super) fn special<'c>(b: &Builder<'c>, x: Val<'c>, y: Val<'c>, value: Val<'c>) -> Val<'c> {
    let f = |value: f64| b.cfloat(value, x.r#type());
    let magnitude = b.math("absf", &[x]);
    // Large and infinite exponents are even.
    let whole = |v: Val<'c>| b.cmpf(CmpF::Oeq, b.math("floor", &[v]), v);
    let integral = whole(y);
    let halves = whole(b.mulf(y, f(0.5)));
    let odd = b.andi(integral, b.xori(halves, b.cint(-1, halves.r#type())));
    let signed = b.select(odd, b.copysign(value, x), value);
    // A negative number has powers where the exponent is integral; zero and infinity have all.
    let finite = b.cmpf(CmpF::One, magnitude, f(f64::INFINITY));
    let negative = b.andi(finite, b.cmpf(CmpF::Olt, x, f(0.0)));
    let outside = b.andi(negative, b.xori(integral, b.cint(-1, integral.r#type())));
    let value = b.select(outside, f(f64::NAN), signed);
    // 1 to the power of anything, and anything to the power of 0, NaN too; -1 to an infinite one.
    let endless = b.cmpf(CmpF::Oeq, b.math("absf", &[y]), f(f64::INFINITY));
    let unit = b.select(endless, magnitude, x);
    let one = b.ori(
        b.cmpf(CmpF::Oeq, unit, f(1.0)),
        b.cmpf(CmpF::Oeq, y, f(0.0)),
    );
    b.select(one, f(1.0), value)
}

/// The cube root.
pub(super) fn cube_root<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let root = widely(b, &[b.math("absf", &[x])], |b, wide| {
        let third = b.cfloat(1.0 / 3.0, wide[0].r#type());
        exp(b, b.mulf(log(b, wide[0]), third))
    });
    b.copysign(root, x)
}
