//! Sine, cosine and tangent: `x = n π/2 + r`, `|r| <= π/4`, `r` in two parts. Below 0.8 ULP, the
//! tangent below 0.9.
//!
//! π/2 is subtracted in three parts of 53 bits. The first product and difference are exact
//! together: the difference is a multiple of the last bits of both and below 1. That is so up to
//! `2^30`, from where on the C library is called.

use super::{library_beyond, sign_bits};
use crate::math::{
    double_double::{DoubleDouble, ordered_sum, product, sum},
    exp::polynomial,
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpF, CmpI, Val};

/// `(sin(r) / r - 1) / r²` in `r²`; relative error of the sine 6.8e-21.
const SINE: [f64; 7] = [
    -0.166_666_666_666_666_66,
    0.008_333_333_333_333_331,
    -0.000_198_412_698_412_650_65,
    2.755_731_921_933_912e-6,
    -2.505_210_623_243_192e-8,
    1.605_853_161_650_460_8e-10,
    -7.586_696_971_425_154e-13,
];

/// `(cos(r) - 1 + r² / 2) / r⁴` in `r²`; error of the cosine 2.2e-22.
const COSINE: [f64; 7] = [
    0.041_666_666_666_666_664,
    -0.001_388_888_888_888_888_7,
    2.480_158_730_158_464_5e-5,
    -2.755_731_921_402_8e-7,
    2.087_675_579_107_172e-9,
    -1.147_046_088_623_027_5e-11,
    4.745_871_820_713_29e-14,
];

/// π/2 in three parts.
const HALF_TURN: [f64; 3] = [
    std::f64::consts::FRAC_PI_2,
    6.123_233_995_736_766e-17,
    -1.497_384_904_859_169_8e-33,
];

/// Largest argument of the reduction in three parts.
const LARGEST: f64 = 1_073_741_824.0;

/// `sin(x)`, `cos(x)` or `tan(x)`.
pub(super) fn circular<'c>(b: &Builder<'c>, name: &str, x: Val<'c>) -> Val<'c> {
    let value = near(b, name, x);
    library_beyond(b, name, x, LARGEST, value)
}

/// Emits `sin(x)`, `cos(x)` or `tan(x)` for arguments of at most [`LARGEST`].
fn near<'c>(b: &Builder<'c>, name: &str, x: Val<'c>) -> Val<'c> {
    let int = b.like(x.r#type(), b.i64());
    let f = |value: f64| b.cfloat(value, x.r#type());
    let c = |value: i64| b.cint(value, int);
    // What is added to this has its integral part in the lowest bits.
    let magic = f(6_755_399_441_055_744.0);
    let shifted = b.fma(x, f(std::f64::consts::FRAC_2_PI), magic);
    let n = b.subf(shifted, magic);
    let first = b.fma(n, f(-HALF_TURN[0]), x);
    let second = product(b, n, f(-HALF_TURN[1]));
    let r = sum(b, first, second.high);
    let low = b.fma(n, f(-HALF_TURN[2]), b.addf(r.low, second.low));
    let r = r.high;

    let square = product(b, r, r);
    let z = square.high;
    let half = b.mulf(z, f(-0.5));
    // sin(r + low) = r + r³ p + low cos(r), with the last one up to its square.
    let beyond = b.fma(b.mulf(r, z), polynomial(b, z, &SINE), b.fma(half, low, low));
    let one = ordered_sum(b, f(1.0), half);
    // cos(r + low) = 1 - z / 2 + z² p - low sin(r).
    let low = b.fma(square.low, f(-0.5), b.fma(b.negf(r), low, one.low));
    let below = b.fma(b.mulf(z, z), polynomial(b, z, &COSINE), low);

    let bits = b.cast("arith.bitcast", shifted, int);
    let quadrant = match name {
        "cos" => b.addi(bits, c(1)),
        _ => bits,
    };
    let odd = b.cmpi(CmpI::Ne, b.andi(quadrant, c(1)), c(0));
    let value = match name {
        "tan" => {
            let (sine, cosine) = (ordered_sum(b, r, beyond), ordered_sum(b, one.high, below));
            // -cos / sin in odd quadrants.
            let turned = sine.negated(b);
            let above = DoubleDouble::select(b, odd, cosine, sine);
            let under = DoubleDouble::select(b, odd, turned, cosine);
            above.over(b, under, b.divf(f(1.0), under.high))
        }
        _ => {
            let (high, low) = (b.select(odd, one.high, r), b.select(odd, below, beyond));
            let value = b.cast("arith.bitcast", b.addf(high, low), int);
            let negative = sign_bits(b, b.shli(quadrant, c(62)));
            b.cast("arith.bitcast", b.xori(value, negative), x.r#type())
        }
    };
    match name {
        "cos" => value,
        // -0 stays what it is.
        _ => b.select(b.cmpf(CmpF::Oeq, x, f(0.0)), x, value),
    }
}
