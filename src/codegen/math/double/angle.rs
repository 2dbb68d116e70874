//! Inverse trigonometric functions, as the angle of a point. Below 0.8 ULP.
//!
//! With `t` the lesser coordinate over the greater, or what that is from the diagonal, in two
//! parts, it is `k π/4 ± atan(t)`, π/4 in two parts.

use super::{elsewhere, sign_bits};
use crate::math::{
    double_double::{DoubleDouble, ordered_sum, product, sum},
    exp::polynomial,
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpF, CmpI, Val};

/// `(atan(t) / t - 1) / t²` in `t²` for `t` up to `tan(π/8)`; relative error of the angle 1.7e-19.
const ARC: [f64; 12] = [
    -0.333_333_333_333_333_3,
    0.199_999_999_999_998_04,
    -0.142_857_142_856_598_28,
    0.111_111_111_051_554_47,
    -0.090_909_087_535_008_75,
    0.076_922_963_750_320_77,
    -0.066_664_248_857_370_86,
    0.058_789_289_978_213_345,
    -0.052_304_542_705_512_554,
    0.045_515_932_201_750_06,
    -0.034_570_561_969_814_94,
    0.016_285_756_842_351_35,
];

/// `tan(π/8)`.
const EIGHTH: f64 = 0.414_213_562_373_095_05;

/// π/4 in two parts.
const DIAGONAL: [f64; 2] = [std::f64::consts::FRAC_PI_4, 3.061_616_997_868_383e-17];

/// The angle of the point `(x, y)`, without infinite coordinates or such that quotients leave the
/// range of normal numbers.
fn angle<'c>(b: &Builder<'c>, y: DoubleDouble<'c>, x: DoubleDouble<'c>) -> Val<'c> {
    let ty = x.high.r#type();
    let f = |value: f64| b.cfloat(value, ty);
    let (across, across_negative) = magnitude(b, x);
    let (up, _) = magnitude(b, y);
    let steep = b.cmpf(CmpF::Ogt, up.high, across.high);
    let small = DoubleDouble::select(b, steep, across, up);
    let large = DoubleDouble::select(b, steep, up, across);
    // Two zeros: 0.
    let none = b.cmpf(CmpF::Oeq, large.high, f(0.0));
    let high = b.select(none, f(1.0), large.high);
    let low = large.low;
    let large = DoubleDouble { high, low };
    // Near the diagonal the angle from there.
    let diagonal = b.cmpf(CmpF::Ogt, small.high, b.mulf(large.high, f(EIGHTH)));
    let difference = sum(b, small.high, b.negf(large.high));
    let difference = difference.plus_low(b, b.subf(small.low, large.low));
    let above = DoubleDouble::select(b, diagonal, difference, small);
    let total = ordered_sum(b, large.high, small.high);
    let total = total.plus_low(b, b.addf(small.low, large.low));
    let below = DoubleDouble::select(b, diagonal, total, large);
    let t = above.divided(b, below, b.divf(f(1.0), below.high));
    let z = b.mulf(t.high, t.high);
    let tail = b.fma(b.mulf(t.high, z), polynomial(b, z, &ARC), t.low);
    // Of how many eighths of a turn the angle is the distance, and on which side.
    let turned = b.xori(steep, across_negative);
    let first = b.select(diagonal, f(1.0), f(0.0));
    let second = b.select(steep, b.subf(f(2.0), first), first);
    let count = b.select(across_negative, b.subf(f(4.0), second), second);
    let base = product(b, count, f(DIAGONAL[0]));
    let side = b.select(turned, f(-1.0), f(1.0));
    let nearest = ordered_sum(b, base.high, b.mulf(side, t.high));
    let base_low = b.fma(count, f(DIAGONAL[1]), base.low);
    let rest = b.addf(nearest.low, b.fma(side, tail, base_low));
    let value = b.addf(nearest.high, rest);
    b.copysign(value, y.high)
}

/// A coordinate without its sign, and whether that is set.
fn magnitude<'c>(b: &Builder<'c>, x: DoubleDouble<'c>) -> (DoubleDouble<'c>, Val<'c>) {
    let ty = x.high.r#type();
    let int = b.like(ty, b.i64());
    let bits = b.cast("arith.bitcast", x.high, int);
    let sign = sign_bits(b, bits);
    let low = b.xori(b.cast("arith.bitcast", x.low, int), sign);
    let parts = DoubleDouble {
        high: b.math("absf", &[x.high]),
        low: b.cast("arith.bitcast", low, ty),
    };
    (parts, b.cmpi(CmpI::Slt, bits, b.cint(0, int)))
}

/// `atan2(y, x)`. The C library does what is infinite, NaN or as large or small as `2^±450`.
pub(super) fn of_point<'c>(b: &Builder<'c>, y: Val<'c>, x: Val<'c>) -> Val<'c> {
    let int = b.like(x.r#type(), b.i64());
    let c = |value: i64| b.cint(value, int);
    let whole = |high| DoubleDouble {
        high,
        low: b.cfloat(0.0, x.r#type()),
    };
    let value = angle(b, whole(y), whole(x));
    // Exponents from the least on; those of zeros are in the middle.
    let distance = |v: Val<'c>| {
        let bits = b.cast("arith.bitcast", b.math("absf", &[v]), int);
        let exponent = b.shrui(bits, c(52));
        let none = b.cmpi(CmpI::Eq, bits, c(0));
        let from = b.subi(b.select(none, c(1023), exponent), c(1023));
        b.same("arith.maxsi", &[from, b.subi(c(0), from)])
    };
    let greater = b.same("arith.maxsi", &[distance(y), distance(x)]);
    elsewhere(b, "atan2", &[y, x], (greater, 450), value)
}

/// `asin`, `acos` or `atan` of `x`.
pub(super) fn inverse<'c>(b: &Builder<'c>, name: &str, x: Val<'c>) -> Val<'c> {
    let f = |value: f64| b.cfloat(value, x.r#type());
    let whole = |high| DoubleDouble { high, low: f(0.0) };
    if name == "atan" {
        // Beyond, the result is π/2; NaN passes through.
        let bound = 600f64.exp2();
        let low = b.select(b.cmpf(CmpF::Olt, x, f(-bound)), f(-bound), x);
        let bounded = b.select(b.cmpf(CmpF::Ogt, low, f(bound)), f(bound), low);
        return angle(b, whole(bounded), whole(f(1.0)));
    }
    // sqrt(1 - x²); NaN outside of [-1, 1].
    let square = product(b, x, x);
    let rest = ordered_sum(b, f(1.0), b.negf(square.high));
    let rest = ordered_sum(b, rest.high, b.subf(rest.low, square.low));
    let other = rest.root(b);
    match name {
        "asin" => angle(b, whole(x), other),
        _ => angle(b, other, whole(x)),
    }
}
