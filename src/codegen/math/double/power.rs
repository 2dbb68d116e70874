//! Powers: `exp(y log x)` with the logarithm and the product in two parts. Below 0.8 ULP (subnormal
//! results below 1).
//!
//! With `x = 2^e m`, `s = (m - 1) / (m + 1)` and `z = s²` it is
//! `log x = e ln 2 + 2 s + s z (2/3 + z q(z))`, of which only `q` is of one part: relative error
//! `2^-65`. A product with more than 745 has no finite or no other result than 0, so that the
//! exponential sees `2^-55` of it at most.

use crate::math::{
    double_double::{DoubleDouble, ordered_sum, product},
    exp::{self, polynomial},
    log, power,
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpF, Val};

/// `(log((1 + s) / (1 - s)) / s - 2 - 2 s² / 3) / s⁴` in `s²`, `s` up to `3 - sqrt(8)`; error, of
/// the logarithm, `2^-66`, by the rounding of the coefficients.
const LOG: [f64; 11] = [
    0.4,
    0.285_714_285_714_285_7,
    0.222_222_222_222_222_24,
    0.181_818_181_818_178_33,
    0.153_846_153_847_102_46,
    0.133_333_333_183_315_94,
    0.117_647_073_596_339_57,
    0.105_262_225_283_622_49,
    0.095_275_805_022_227_43,
    0.086_015_173_042_498_73,
    0.093_090_057_688_097_28,
];

/// `x` to the power of `y`, as IEEE 754 defines `pow`.
pub(super) fn power<'c>(b: &Builder<'c>, x: Val<'c>, y: Val<'c>) -> Val<'c> {
    let f = |value: f64| b.cfloat(value, x.r#type());
    let logarithm = log_in_two(b, b.math("absf", &[x]));
    let high = b.mulf(y, logarithm.high);
    let rest = b.fma(y, logarithm.high, b.negf(high));
    let low = b.fma(y, logarithm.low, rest);
    // Nothing is computed where the result is zero: subnormal numbers on the way take long. NaN
    // passes through.
    let vanishes = b.cmpf(CmpF::Olt, high, f(-746.0));
    let high = b.select(vanishes, f(0.0), high);
    let beyond = b.cmpf(CmpF::Ogt, high, f(711.0));
    let high = b.select(beyond, f(711.0), high);
    let outside = b.ori(vanishes, beyond);
    let low = b.select(outside, f(0.0), low);
    let (value, shifted) = exp_in_two(b, DoubleDouble { high, low });
    let value = exp::scale(b, b.addf(value.high, value.low), shifted);
    power::special(b, x, y, b.select(vanishes, f(0.0), value))
}

/// `log x` for `x` that is not negative: infinite of 0 and infinity.
fn log_in_two<'c>(b: &Builder<'c>, x: Val<'c>) -> DoubleDouble<'c> {
    let f = |value: f64| b.cfloat(value, x.r#type());
    // Subnormal numbers are scaled into the normal range first.
    let small = b.cmpf(CmpF::Olt, x, f(f64::MIN_POSITIVE));
    let scaled = b.select(small, b.mulf(x, f(54f64.exp2())), x);
    let (m, e) = log::parts(b, scaled);
    let e = b.select(small, b.subf(e, f(54.0)), e);
    let t = b.subf(m, f(1.0));
    let under = ordered_sum(b, f(2.0), t);
    let inverse = b.divf(f(1.0), under.high);
    let s = b.mulf(t, inverse);
    let rest = b.fma(b.negf(s), under.high, t);
    let s_low = b.mulf(b.fma(b.negf(s), under.low, rest), inverse);
    let z = product(b, s, s);
    let z_low = b.fma(b.addf(s, s), s_low, z.low);
    // 2/3 + z q(z), times z, times s.
    let q = b.mulf(z.high, polynomial(b, z.high, &LOG));
    let third = ordered_sum(b, f(2.0 / 3.0), q);
    let third_low = b.addf(third.low, f(3.700_743_415_417_188_3e-17));
    let p = product(b, z.high, third.high);
    let p_low = b.fma(z.high, third_low, b.fma(z_low, third.high, p.low));
    let cube = product(b, s, p.high);
    let cube_low = b.fma(s, p_low, b.fma(s_low, p.high, cube.low));
    let of_m = ordered_sum(b, b.addf(s, s), cube.high);
    let of_m_low = b.addf(of_m.low, b.fma(f(2.0), s_low, cube_low));
    let sum = ordered_sum(b, b.mulf(e, f(log::LN_2[0])), of_m.high);
    let low = b.addf(sum.low, b.fma(e, f(log::LN_2[1]), of_m_low));
    // Only the upper part counts of what is infinite; NaN stays.
    let high = b.select(b.cmpf(CmpF::Oeq, x, f(0.0)), f(f64::NEG_INFINITY), sum.high);
    let finite = b.cmpf(CmpF::Olt, x, f(f64::INFINITY));
    let high = b.select(finite, high, x);
    DoubleDouble { high, low }
}

/// `v` in two parts and `n + magic`, with `exp(x) = 2^n v`, for a number of which a part of `2^-40`
/// may be in the lower part. The higher part of `v` is within a third of 1, the lower one up to
/// 0.07: relative error `2^-56`.
pub(super) fn exp_in_two<'c>(b: &Builder<'c>, x: DoubleDouble<'c>) -> (DoubleDouble<'c>, Val<'c>) {
    let one = b.cfloat(1.0, x.high.r#type());
    let (r, shifted) = exp::reduced_in_two(b, x.high);
    let r = ordered_sum(b, r.high, b.addf(r.low, x.low));
    let square = b.mulf(r.high, r.high);
    let low = b.fma(r.low, r.high, r.low);
    let tail = b.fma(square, polynomial(b, r.high, &exp::DOUBLE), low);
    (ordered_sum(b, one, r.high).plus_low(b, tail), shifted)
}
