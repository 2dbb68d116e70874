//! The exponential function.
//!
//! `x = n ln 2 + r` with `|r| <= ln 2 / 2` (ln 2 in two parts, so that the product is exact), `exp(r) = 1 + r + r² p(r)` with `p` a polynomial of least
//! relative error, and the scaling by `2^n` in two steps or by the instruction for it, so that results may overflow or be subnormal. Below 1 ULP.

use super::{is_f64, lanes};
use mapwright_mlir::builder::CmpF;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, Val};

/// Relative error of the polynomial: 3.1e-9.
const SINGLE: [f64; 5] = [
    0.499_999_934_477_964_868_27,
    0.166_665_206_317_094_968_87,
    0.041_668_388_045_313_996_659,
    0.008_368_716_879_728_139_946_9,
    0.001_381_459_864_666_403_446_3,
];

/// Relative error of the polynomial: 2.3e-19.
const DOUBLE: [f64; 11] = [
    0.5,
    0.166_666_666_666_666_710_3,
    0.041_666_666_666_666_669_783,
    0.008_333_333_333_326_083_120_2,
    0.001_388_888_888_888_371_116_7,
    0.000_198_412_698_750_022_787_93,
    0.000_024_801_587_325_677_461_9,
    2.755_725_517_000_887_438_6e-6,
    2.755_727_347_871_858_047_4e-7,
    2.510_531_272_962_210_178_7e-8,
    2.091_475_532_589_32e-9,
];

/// Polynomial with `coefficients` from the constant term on.
pub(crate) fn polynomial<'c>(b: &Builder<'c>, x: Val<'c>, coefficients: &[f64]) -> Val<'c> {
    let ty = x.r#type();
    let mut terms = coefficients.iter().rev();
    let mut value = b.cfloat(terms.next().copied().unwrap_or(0.0), ty);
    for coefficient in terms {
        value = b.fma(value, x, b.cfloat(*coefficient, ty));
    }
    value
}

/// `value 2^n` for an integral `n`, which comes as the bits of `shifted = n + 1.5 * 2^m`: in two steps.
fn scale<'c>(b: &Builder<'c>, value: Val<'c>, shifted: Val<'c>, magic: Val<'c>) -> Val<'c> {
    let (width, mantissa, bias) = if is_f64(b, value) {
        (64, 52, 1023)
    } else {
        (32, 23, 127)
    };
    let ty = value.r#type();
    let int = b.like(ty, b.int(width));
    let c = |v: i64| b.cint(v, int);
    let bits = |v: Val<'c>| b.cast("arith.bitcast", v, int);
    let n = b.subi(bits(shifted), bits(magic));
    let half = b.shrsi(n, c(1));
    let rest = b.subi(n, half);
    let power = |e: Val<'c>| {
        let biased = b.shli(b.addi(e, c(bias)), c(mantissa));
        b.cast("arith.bitcast", biased, ty)
    };
    b.mulf(b.mulf(value, power(half)), power(rest))
}

/// `exp(x)`.
pub(crate) fn exp<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let ty = x.r#type();
    let f = |value: f64| b.cfloat(value, ty);
    let double = is_f64(b, x);
    // Outside this range the result is 0 or infinite; NaN passes through.
    let (low, high) = if double {
        (-746.0, 710.0)
    } else {
        (-104.0, 89.0)
    };
    // Masks (those of attention, say) make most arguments such that the result is 0, and a processor that has to round a result to a subnormal
    // number takes hundreds of cycles: nothing is scaled there.
    let vanishes = b.cmpf(CmpF::Olt, x, f(low));
    let masks = lanes::apply(b, x);
    let ordinary = b.select(vanishes, f(if masks { low } else { 0.0 }), x);
    let clamped = b.select(b.cmpf(CmpF::Ogt, ordinary, f(high)), f(high), ordinary);
    let (magic, ln2_high, ln2_low): (f64, f64, f64) = match double {
        true => (
            6_755_399_441_055_744.0,
            f64::from_bits(0x3fe6_2e42_fee0_0000),
            1.908_214_929_270_587_7e-10,
        ),
        false => (12_582_912.0, 0.693_359_375, -2.121_944_400_546_905_8e-4),
    };
    let magic = f(magic);
    let shifted = b.fma(clamped, f(std::f64::consts::LOG2_E), magic);
    let n = b.subf(shifted, magic);
    let r = b.fma(n, f(-ln2_high), clamped);
    let r = b.fma(n, f(-ln2_low), r);
    let coefficients: &[f64] = if double { &DOUBLE } else { &SINGLE };
    let tail = polynomial(b, r, coefficients);
    let value = b.addf(b.fma(b.mulf(r, r), tail, r), f(1.0));
    match masks {
        true => lanes::scale(b, value, n, b.cmpf(CmpF::Uge, x, f(low))),
        false => b.select(vanishes, f(0.0), scale(b, value, shifted, magic)),
    }
}
