//! Hyperbolic functions and their inverses. Below 0.9 ULP.
//!
//! Exponentials and the arguments of logarithms are in two parts; near zero, where those cancel,
//! the odd functions are polynomials.

use super::{
    logarithm::{log_beside_one, log_of_sum},
    power::exp_in_two,
};
use crate::math::{
    double_double::{DoubleDouble, ordered_sum, product, sum},
    exp::{self, polynomial},
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpF, Val};

/// `(sinh(x) / x - 1) / x²` in `x²`, `|x| <= 1`; relative error of the sine 2.7e-22.
const SINE: [f64; 8] = [
    0.166_666_666_666_666_66,
    0.008_333_333_333_333_333,
    0.000_198_412_698_412_697_68,
    2.755_731_922_404_312_2e-6,
    2.505_210_836_318_779_2e-8,
    1.605_904_853_490_393_8e-10,
    7.646_614_499_148_207e-13,
    2.844_859_000_436_761_5e-15,
];

/// `(asinh(x) / x - 1) / x²` in `x²`, `|x| <= 1/2`; relative error 6.1e-21.
const INVERSE_SINE: [f64; 14] = [
    -0.166_666_666_666_666_66,
    0.074_999_999_999_999_96,
    -0.044_642_857_142_844_87,
    0.030_381_944_443_181_538,
    -0.022_372_159_022_912_466,
    0.017_352_762_223_140_136,
    -0.013_964_797_455_297_395,
    0.011_551_136_105_712_07,
    -0.009_754_906_356_438_905,
    0.008_342_176_924_768_237,
    -0.007_065_225_225_886_942,
    0.005_546_437_070_364_764,
    -0.003_453_730_169_762_627_5,
    0.001_200_657_471_630_436_3,
];

/// `x + x³ p(x²)`.
fn odd<'c>(b: &Builder<'c>, x: Val<'c>, coefficients: &[f64]) -> Val<'c> {
    let z = b.mulf(x, x);
    b.fma(b.mulf(x, z), polynomial(b, z, coefficients), x)
}

/// `sinh(x)`.
pub(super) fn sine<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let a = b.math("absf", &[x]);
    let far = b.copysign(halves(b, a, true), x);
    // NaN goes through the polynomial.
    let small = b.cmpf(CmpF::Ult, a, b.cfloat(1.0, x.r#type()));
    b.select(small, odd(b, x, &SINE), far)
}

/// `cosh(x)`.
pub(super) fn cosine<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    halves(b, b.math("absf", &[x]), false)
}

/// Half of the difference or of the sum of `exp(a)` and `exp(-a)`, for `a` from 1 or from 0 on.
fn halves<'c>(b: &Builder<'c>, a: Val<'c>, difference: bool) -> Val<'c> {
    let ty = a.r#type();
    let int = b.like(ty, b.i64());
    let f = |value: f64| b.cfloat(value, ty);
    let c = |value: i64| b.cint(value, int);
    // From 710.48 on the result is infinite.
    let high = b.select(b.cmpf(CmpF::Ogt, a, f(710.6)), f(710.6), a);
    let low = f(0.0);
    let (up, shifted) = exp_in_two(b, DoubleDouble { high, low });
    let up = ordered_sum(b, up.high, up.low);
    let down = b.divf(f(1.0), up.high);
    let rest = b.fma(b.negf(down), up.high, f(1.0));
    let down_low = b.mulf(b.fma(b.negf(down), up.low, rest), down);
    // A quarter of the powers of two, of which the greatest is not in the range.
    let n = exp::integral(b, shifted);
    let power = |n: Val<'c>| b.cast("arith.bitcast", b.shli(b.addi(n, c(1021)), c(52)), ty);
    let large = power(n);
    let small = power(b.subi(c(0), n));
    let small = b.select(b.cmpf(CmpF::Ogt, a, f(40.0)), f(0.0), small);
    let small = if difference { b.negf(small) } else { small };
    let total = ordered_sum(b, b.mulf(up.high, large), b.mulf(down, small));
    let rest = b.fma(up.low, large, b.fma(down_low, small, total.low));
    let half = b.addf(total.high, rest);
    b.addf(half, half)
}

/// `asinh(x)`: `log(x + sqrt(x² + 1))`.
pub(super) fn inverse_sine<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let f = |value: f64| b.cfloat(value, x.r#type());
    let a = b.math("absf", &[x]);
    let square = product(b, a, a);
    let length = sum(b, square.high, f(1.0)).plus_low(b, square.low);
    let root = length.root(b);
    let total = ordered_sum(b, root.high, a).plus_low(b, root.low);
    // log(2 a) far out.
    let far = is_far(b, a);
    let of_far = DoubleDouble {
        high: a,
        low: f(0.0),
    };
    let u = DoubleDouble::select(b, far, of_far, total);
    let value = log_of_sum(b, u, None, Some(far));
    let value = b.select(b.cmpf(CmpF::Oeq, a, f(f64::INFINITY)), a, value);
    // NaN goes through the polynomial.
    let small = b.cmpf(CmpF::Ult, a, f(0.5));
    let value = b.select(small, odd(b, a, &INVERSE_SINE), value);
    b.copysign(value, x)
}

/// `acosh(x)`: `log(1 + t + sqrt(t² + 2 t))` with `t = x - 1`.
pub(super) fn inverse_cosine<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let f = |value: f64| b.cfloat(value, x.r#type());
    let t = b.subf(x, f(1.0));
    let square = product(b, t, t);
    let under = sum(b, square.high, b.addf(t, t)).plus_low(b, square.low);
    let root = under.root(b);
    let total = ordered_sum(b, root.high, t).plus_low(b, root.low);
    // log(2 x) far out.
    let far = is_far(b, x);
    let of_far = DoubleDouble {
        high: t,
        low: f(0.0),
    };
    let u = DoubleDouble::select(b, far, of_far, total);
    let value = log_beside_one(b, u, Some(far));
    b.select(b.cmpf(CmpF::Olt, x, f(1.0)), f(f64::NAN), value)
}

/// Tests whether `a` is so large that adding 1 to its square changes nothing.
fn is_far<'c>(b: &Builder<'c>, a: Val<'c>) -> Val<'c> {
    b.cmpf(CmpF::Ogt, a, b.cfloat(28f64.exp2(), a.r#type()))
}

/// `atanh(x)`: half of `log(1 + 2 a / (1 - a))`, `a = |x|`.
pub(super) fn inverse_tangent<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let f = |value: f64| b.cfloat(value, x.r#type());
    let a = b.math("absf", &[x]);
    let under = ordered_sum(b, f(1.0), b.negf(a));
    let inverse = b.divf(f(1.0), under.high);
    let above = DoubleDouble {
        high: b.addf(a, a),
        low: f(0.0),
    };
    let ratio = above.divided(b, under, inverse);
    let value = b.mulf(log_beside_one(b, ratio, None), f(0.5));
    let value = b.select(b.cmpf(CmpF::Oeq, a, f(1.0)), f(f64::INFINITY), value);
    b.copysign(value, x)
}
