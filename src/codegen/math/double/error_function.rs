//! The error function and its complement. Below a unit in the last place.
//!
//! Near zero `erf` by a polynomial in `x²`; further out `erfc(a) = exp(-a²) p(t) / (1 + 2 a)` with
//! `t = (a - 3) / (a + 3)`, for `erfc` all but the tail of `p` in two parts.

use super::power::exp_in_two;
use crate::math::{
    double_double::{DoubleDouble, ordered_sum, product},
    exp::{self, polynomial},
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpF, Val};

/// `erf(x) / x - 1` in `x²`, up to `|x| = 1`; error 2.8e-20.
const NEAR: [f64; 14] = [
    0.128_379_167_095_512_6,
    -0.376_126_389_031_837_54,
    0.112_837_916_709_550_76,
    -0.026_866_170_645_120_747,
    0.005_223_977_625_325_904,
    -0.000_854_832_701_573_258_7,
    0.000_120_553_326_494_961_16,
    -1.492_564_063_200_727_8e-5,
    1.646_191_550_285_484_7e-6,
    -1.636_297_029_451_128_7e-7,
    1.477_786_993_984_540_1e-8,
    -1.208_301_215_619_812_4e-9,
    8.442_241_149_173_792e-11,
    -3.844_279_331_311_358e-12,
];

/// `(1 + 2 a) exp(a²) erfc(a)` in `t` for `a` in `[0.75, 27.3]`; relative error 4.9e-19. The
/// constant term, in two parts, is left out.
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
    // What is taken from 1 is at most a sixth: errors of a unit or two in its last place do not
    // matter.
    let t = b.divf(b.subf(bounded, f(3.0)), b.addf(bounded, f(3.0)));
    let p = b.fma(t, polynomial(b, t, &FAR), f(MIDDLE[0]));
    let quotient = b.divf(p, b.fma(bounded, f(2.0), f(1.0)));
    let (power, shifted) = exp_in_two(b, product(b, bounded, bounded).negated(b));
    let value = b.mulf(b.addf(power.high, power.low), quotient);
    let far = b.subf(f(1.0), exp::scale(b, value, shifted));
    let far = b.copysign(far, x);
    let near = b.fma(x, beyond(b, x), x);
    b.select(b.cmpf(CmpF::Ult, a, f(1.0)), near, far)
}

/// `1 - erf(x)`.
pub(super) fn erfc<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let f = |value: f64| b.cfloat(value, x.r#type());
    let a = b.math("absf", &[x]);
    // Beyond 27.23 nothing is left: not even subnormal numbers are computed. NaN goes through the
    // polynomial.
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
fn complement<'c>(b: &Builder<'c>, a: Val<'c>) -> (DoubleDouble<'c>, Val<'c>) {
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
    (DoubleDouble { high, low }, shifted)
}
