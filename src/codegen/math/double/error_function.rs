//! The error function and its complement. Below 0.8 and 0.9 ULP (subnormal results below 1).
//!
//! Near zero `erf` by a polynomial in `x²`; further out `erfc(a) = exp(-a²) p(t) / (1 + 2 a)` with `t = (a - 3) / (a + 3)`, all but the tail of
//! `p` in two parts.

use super::power::exp_in_two;
use crate::math::{
    exp::{self, polynomial},
    twofold::{Twofold, ordered_sum, product},
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpF, Val};

/// `erf(x) / x - 1` in `x²`, `|x| <= 0.93`; error 2.1e-20.
const NEAR: [f64; 13] = [
    0.128_379_167_095_512_6,
    -0.376_126_389_031_837_54,
    0.112_837_916_709_550_73,
    -0.026_866_170_645_117_75,
    0.005_223_977_625_263_319,
    -0.000_854_832_700_933_842_8,
    0.000_120_553_322_663_231_58,
    -1.492_562_601_591_443_5e-5,
    1.646_154_617_333_177e-6,
    -1.635_670_439_296_975e-7,
    1.470_722_977_904_933e-8,
    -1.157_518_956_298_829_2e-9,
    6.334_603_468_852_535e-11,
];

/// `(1 + 2 a) exp(a²) erfc(a)` in `t` for `a` in `[0.75, 27.3]`; relative error 4.9e-19. The constant term, in two parts, is left out.
const FAR: [f64; 21] = [
    -0.135_621_106_124_581_2,
    -0.047_562_294_353_451_31,
    0.129_645_158_702_763_05,
    -0.119_273_663_415_264_16,
    0.068_308_027_343_885_66,
    -0.023_770_514_919_981_903,
    0.002_529_391_818_000_658_3,
    0.001_888_690_378_774_805_5,
    -0.000_779_832_298_110_561_5,
    -0.000_105_159_959_260_513_57,
    0.000_125_099_584_508_451_04,
    4.950_244_324_639_376e-6,
    -2.010_192_461_207_211e-5,
    -7.335_497_829_652_217e-7,
    3.477_471_421_449_665e-6,
    3.590_929_174_486_432e-7,
    -6.281_140_941_632_008e-7,
    -1.391_327_534_907_012_3e-7,
    1.160_363_100_338_104_3e-7,
    3.202_526_432_807_714_4e-8,
    -2.008_404_120_116_336_6e-8,
];

/// The constant term.
const MIDDLE: [f64; 2] = [1.253_008_058_269_729_6, 4.550_245_260_233_401_5e-17];

/// `erf(x)`.
pub(super) fn erf<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let f = |value: f64| b.cfloat(value, x.r#type());
    let a = b.math("absf", &[x]);
    // From 5.93 on it rounds to 1. NaN goes through the polynomial.
    let bounded = b.select(b.cmpf(CmpF::Olt, a, f(6.0)), a, f(6.0));
    let (value, shifted) = complement(b, bounded);
    let far = exp::scale(b, b.addf(value.high, value.low), shifted);
    let far = b.math("copysign", &[b.subf(f(1.0), far), x]);
    let near = b.fma(x, beyond(b, x), x);
    b.select(b.cmpf(CmpF::Ult, a, f(0.93)), near, far)
}

/// `1 - erf(x)`.
pub(super) fn erfc<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let f = |value: f64| b.cfloat(value, x.r#type());
    let a = b.math("absf", &[x]);
    // Beyond 27.23 nothing is left: not even subnormal numbers are computed. NaN goes through the polynomial.
    let vanishes = b.cmpf(CmpF::Ugt, a, f(27.3));
    let (value, shifted) = complement(b, b.select(vanishes, f(1.0), a));
    let far = exp::scale(b, b.addf(value.high, value.low), shifted);
    let far = b.select(vanishes, f(0.0), far);
    let negative = b.cmpf(CmpF::Olt, x, f(0.0));
    let far = b.select(negative, b.subf(f(2.0), far), far);
    // 1 - x - x p, of which the last is the least.
    let less = ordered_sum(b, f(1.0), b.negf(x));
    let rest = b.fma(b.negf(x), beyond(b, x), less.low);
    let near = b.addf(less.high, rest);
    b.select(b.cmpf(CmpF::Ult, a, f(0.75)), near, far)
}

/// `erf(x) / x - 1` near 0.
fn beyond<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    polynomial(b, b.mulf(x, x), &NEAR)
}

/// `v` and `n + magic` with `erfc(a) = 2^n v`.
fn complement<'c>(b: &Builder<'c>, a: Val<'c>) -> (Twofold<'c>, Val<'c>) {
    let f = |value: f64| b.cfloat(value, a.r#type());
    // t with the rounding of the quotient put right.
    let inverse = b.divf(f(1.0), b.addf(a, f(3.0)));
    let t = b.mulf(b.subf(a, f(3.0)), inverse);
    let left = b.fma(f(-3.0), b.addf(t, f(1.0)), a);
    let left = b.fma(b.negf(t), a, left);
    let t = b.fma(inverse, left, t);
    let p = ordered_sum(b, f(MIDDLE[0]), b.mulf(t, polynomial(b, t, &FAR)));
    let p_low = b.addf(p.low, f(MIDDLE[1]));
    let under = b.fma(f(2.0), a, f(1.0));
    let under_low = b.subf(b.addf(a, a), b.subf(under, f(1.0)));
    let inverse = b.divf(f(1.0), under);
    let q = b.mulf(p.high, inverse);
    let rest = b.fma(b.negf(q), under, p.high);
    let rest = b.addf(rest, b.fma(b.negf(q), under_low, p_low));
    let q_low = b.mulf(rest, inverse);
    let square = product(b, a, a);
    let (power, shifted) = exp_in_two(b, square.negated(b));
    let value = product(b, q, power.high);
    let low = b.fma(q, power.low, b.fma(q_low, power.high, value.low));
    let high = value.high;
    (Twofold { high, low }, shifted)
}
