//! The error functions in single precision by polynomials, for vectors: no call, no branch.
//!
//! The polynomials were fitted by reweighted least squares in high precision (the error of each is
//! stated); the rest is written so that rounding happens where it does not hurt: a large part that
//! is exact plus a small correction. Bounds are of the whole function.

use super::exp::{self, polynomial};
use mapwright_mlir::builder::CmpF;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, Val};

/// Shorthand for the constants, absolute values and signs below.
struct F<'b, 'c> {
    b: &'b Builder<'c>,
    like: Val<'c>,
}

impl<'c> F<'_, 'c> {
    fn c(&self, value: f64) -> Val<'c> {
        self.b.cfloat(value, self.like.r#type())
    }

    fn int(&self, value: i64) -> Val<'c> {
        let ty = self.like.r#type();
        self.b.cint(value, self.b.like(ty, self.b.int(32)))
    }

    fn bits(&self, x: Val<'c>) -> Val<'c> {
        let ty = self.b.like(x.r#type(), self.b.int(32));
        self.b.cast("arith.bitcast", x, ty)
    }

    fn float(&self, bits: Val<'c>) -> Val<'c> {
        self.b.cast("arith.bitcast", bits, self.like.r#type())
    }

    fn abs(&self, x: Val<'c>) -> Val<'c> {
        self.float(self.b.andi(self.bits(x), self.int(0x7fff_ffff)))
    }

    /// `magnitude` (not negative) with the sign of `x`.
    fn signed(&self, magnitude: Val<'c>, x: Val<'c>) -> Val<'c> {
        let sign = self.b.andi(self.bits(x), self.int(i64::from(i32::MIN)));
        self.float(self.b.ori(self.bits(magnitude), sign))
    }

    fn less(&self, x: Val<'c>, bound: f64) -> Val<'c> {
        self.b.cmpf(CmpF::Olt, x, self.c(bound))
    }
}

const LN2_HIGH: f64 = 0.693_359_375;
const LN2_LOW: f64 = -2.121_944_400_546_905_8e-4;

/// `(expm1(r) - r) / r²` for `|r| <= ln 2 / 2`; relative error of expm1 2.4e-10.
const EXPM1: [f64; 6] = [
    0.500_000_004_413_933_11,
    0.166_666_663_706_193_71,
    0.041_666_361_029_696_966,
    0.008_333_389_349_307_777_2,
    0.001_394_061_734_840_287_4,
    0.000_198_458_762_392_496_21,
];

/// `exp` of a number in `[-87, 88]`: one scaling step. NaN gives anything.
fn positive_exp<'c>(k: &F<'_, 'c>, x: Val<'c>) -> Val<'c> {
    let b = k.b;
    let magic = k.c(12_582_912.0);
    let shifted = b.fma(x, k.c(std::f64::consts::LOG2_E), magic);
    let n = b.subf(shifted, magic);
    let r = b.fma(n, k.c(-LN2_HIGH), x);
    let r = b.fma(n, k.c(-LN2_LOW), r);
    let value = b.addf(b.fma(b.mulf(r, r), polynomial(b, r, &EXPM1), r), k.c(1.0));
    let n = b.subi(k.bits(shifted), k.bits(magic));
    k.float(b.addi(k.bits(value), b.shli(n, k.int(23))))
}

/// `erf(x) / x - 1` in `x²`, `|x| <= 0.95`; relative error 6.1e-10.
const ERF_NEAR: [f64; 7] = [
    0.128_379_166_408_485_37,
    -0.376_126_316_136_139_49,
    0.112_836_639_976_639_91,
    -0.026_857_705_071_129_969,
    0.005_196_952_022_361_584_3,
    -0.000_809_770_273_756_453_4,
    0.000_081_850_908_090_044_13,
];

/// `-log(erfc(x))` for `x` in `[0.92, 4]`; absolute error of erf 4.2e-11.
const ERF_FAR: [f64; 8] = [
    -0.000_175_874_663_581_419,
    1.129_520_823_846_297,
    0.633_334_651_927_668_47,
    0.108_293_947_882_732_68,
    -0.025_128_625_440_469_139,
    0.004_174_643_359_695_702_5,
    -0.000_435_218_959_441_306_59,
    0.000_021_161_913_154_686_18,
];

/// Error function, below 1.5 ULP.
pub(super) fn erf<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let k = F { b, like: x };
    let a = k.abs(x);
    let square = b.mulf(x, x);
    let near = b.fma(x, polynomial(b, square, &ERF_NEAR), x);
    // From 3.92 on it rounds to 1.
    let bounded = b.select(b.cmpf(CmpF::Ogt, a, k.c(4.0)), k.c(4.0), a);
    let q = polynomial(b, bounded, &ERF_FAR);
    let far = b.subf(k.c(1.0), positive_exp(&k, b.negf(q)));
    let value = b.select(k.less(a, 0.93), near, k.signed(far, x));
    b.select(b.cmpf(CmpF::Uno, x, x), x, value)
}

/// `(1 + a) exp(a²) erfc(a)` in `1 / (1 + a) - ERFCX_AT`, `a` in `[0.8, 10.2]`; relative error
/// 8.3e-9. It changes so little that the roundings of its argument do not count.
const ERFCX: [f64; 10] = [
    0.759_683_371,
    0.590_251_446,
    -0.232_203_305,
    -0.465_363_771,
    0.507_079_84,
    0.268_957_317,
    -1.118_813_16,
    0.789_723_396,
    1.438_947_2,
    -2.825_487_85,
];

/// The middle of what `1 / (1 + a)` can be.
const ERFCX_AT: f64 = 0.322_265_625;

/// Complementary error function, below 3 ULP (results may be subnormal).
pub(super) fn erfc<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let k = F { b, like: x };
    let a = k.abs(x);
    let bounded = b.select(b.cmpf(CmpF::Ogt, a, k.c(10.19)), k.c(10.19), a);
    // The divisor, and what its rounding left out.
    let d = b.addf(bounded, k.c(1.0));
    let d_low = b.subf(bounded, b.subf(d, k.c(1.0)));
    let inverse = b.divf(k.c(1.0), d);
    let t = b.subf(inverse, k.c(ERFCX_AT));
    // The first term last, so that the others' roundings count by their share.
    let p = b.fma(t, polynomial(b, t, &ERFCX[1..]), k.c(ERFCX[0]));
    // p / (1 + a), and what the roundings of the divisor and of the quotient left out.
    let q = b.mulf(p, inverse);
    let rest = b.fma(b.negf(q), d_low, b.fma(b.negf(q), d, p));
    // exp(-a²), with the rounding error of the square.
    let square = b.mulf(bounded, bounded);
    let low = b.fma(bounded, bounded, b.negf(square));
    let correction = b.fma(b.negf(low), q, b.mulf(rest, inverse));
    // (q + correction) (1 + w), rounded once, times a power of two.
    let (w, shifted) = exp::parts(b, b.negf(square));
    let small = b.fma(w, q, b.fma(correction, w, correction));
    let far = exp::scale(b, b.addf(q, small), shifted);
    let reflected = b.subf(k.c(2.0), far);
    let far = b.select(k.less(x, 0.0), reflected, far);
    // While erfc is above a quarter, 1 - erf(x) is the more exact, and smoother.
    let near_square = b.mulf(x, x);
    let erf = b.fma(x, polynomial(b, near_square, &ERF_NEAR), x);
    let near = b.subf(k.c(1.0), erf);
    let value = b.select(k.less(a, 0.81), near, far);
    // Beyond 10.06 nothing is left; NaN stays.
    b.select(b.cmpf(CmpF::Ogt, x, k.c(10.1)), k.c(0.0), value)
}
