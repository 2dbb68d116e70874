//! The hyperbolic tangent, below 2 ULP.

use super::{
    exp::{exp, polynomial},
    is_f64,
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpF, Val};

/// `(tanh(h) / h - 1) / h²` as a polynomial in `h²`, `|h| <= 0.2568`; relative error of the tangent
/// 3.6e-9.
const SINGLE: [f64; 3] = [-0.333_332_240_9, 0.133_232_303_5, -0.051_294_984_8];

/// Coefficients of the same polynomial for `|h| <= 0.55`; relative error 9e-20.
const DOUBLE: [f64; 12] = [
    -0.333_333_333_333_333_33,
    0.133_333_333_333_333_06,
    -0.053_968_253_968_211_76,
    0.021_869_488_533_603_212,
    -0.008_863_235_450_017_834,
    0.003_592_126_557_198_690_7,
    -0.001_455_816_955_348_079_2,
    0.000_589_891_494_848_674_3,
    -0.000_238_415_752_693_670_44,
    0.000_094_405_680_002_179_39,
    -0.000_033_510_863_259_041_065,
    7.743_877_325_542_66e-6,
];

/// `tanh(x)`.
pub(crate) fn tanh<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let a = b.math("absf", &[x]);
    if is_f64(b, x) {
        b.copysign(double(b, x, a), x)
    } else {
        signed(b, single(b, a), x)
    }
}

/// `magnitude`, whose sign bit is off, with the sign of `x`.
fn signed<'c>(b: &Builder<'c>, magnitude: Val<'c>, x: Val<'c>) -> Val<'c> {
    let int = b.like(x.r#type(), b.int(32));
    let bits = |v| b.cast("arith.bitcast", v, int);
    let sign = b.andi(bits(x), b.cint(1 << 31, int));
    b.cast("arith.bitcast", b.ori(bits(magnitude), sign), x.r#type())
}

/// `tanh(x)` but for its sign: near 0 an odd polynomial, further out by the exponential function of
/// `2 a`, `a = |x|`.
fn double<'c>(b: &Builder<'c>, x: Val<'c>, a: Val<'c>) -> Val<'c> {
    let f = |value: f64| b.cfloat(value, x.r#type());
    let z = b.mulf(x, x);
    let near = b.fma(b.mulf(x, z), polynomial(b, z, &DOUBLE), x);
    let e = exp(b, b.addf(a, a));
    let far = b.subf(f(1.0), b.divf(f(2.0), b.addf(e, f(1.0))));
    // NaN goes through the polynomial.
    let small = b.cmpf(CmpF::Ult, a, f(0.55));
    b.select(small, near, far)
}

/// `tanh(a)` for `a >= 0`, or NaN for NaN.
///
/// With `2 a = n ln 2 + 2 h`, `t = tanh(h)`, `p = (2^n + 1) / 2` and `m = (2^n - 1) / 2` it is
/// `(m + p t) / (p + m t)`, which for `n = 0` is `t`. From about where the result is 1/2 on,
/// `1 - (1 - t) / (p + m t)` is closer: an error of the quotient counts for less there.
fn single<'c>(b: &Builder<'c>, a: Val<'c>) -> Val<'c> {
    let ty = a.r#type();
    let f = |value: f64| b.cfloat(value, ty);
    let int = b.like(ty, b.int(32));
    // From 9.02 on the result rounds to 1.
    let a = b.select(b.cmpf(CmpF::Ogt, a, f(10.0)), f(10.0), a);
    // `n` is 0 up to 1/4, where `h = a`: nothing is rounded but the polynomial. The bits of the
    // shifted number end in n and the exponent of 1/2; what is above them does not reach the
    // exponent.
    let shift = f(12_582_912.0 + 126.0);
    let log = f(2.0 * std::f64::consts::LOG2_E);
    let shifted = b.fma(b.subf(a, f(0.083)), log, shift);
    let n = b.subf(shifted, shift);
    // One product is enough: the error that it leaves is a few 1e-9 of a number that is above 1/4
    // by then.
    let h = b.fma(n, f(-0.5 * std::f64::consts::LN_2), a);
    let z = b.mulf(h, h);
    let t = b.fma(b.mulf(h, z), polynomial(b, z, &SINGLE), h);
    let half = b.shli(b.cast("arith.bitcast", shifted, int), b.cint(23, int));
    let half = b.cast("arith.bitcast", half, ty);
    let (p, m) = (b.addf(half, f(0.5)), b.subf(half, f(0.5)));
    let low = b.cmpf(CmpF::Olt, a, f(0.5494));
    let above = b.select(low, b.fma(p, t, m), b.subf(t, f(1.0)));
    let quotient = b.divf(above, b.fma(m, t, p));
    b.select(low, quotient, b.addf(quotient, f(1.0)))
}
