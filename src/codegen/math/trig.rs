//! Sine, cosine and tangent of `f32`, computed in `f64`: `x = n π/2 + r`, `|r| <= π/4`. Below 1
//! ULP.
//!
//! π/2 is subtracted in two parts, exact enough for `|x| <= 2^20`; larger arguments are left to the
//! C library.

use super::{exp::polynomial, libm, unless};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpF, CmpI, Val};

/// `(sin(r) / r - 1) / r²` in `r²`; relative error 2e-11.
const SINE: [f64; 4] = [
    -0.166_666_666_637_413_68,
    0.008_333_331_830_629_428,
    -0.000_198_400_630_408_041_17,
    2.724_686_872_287_794_5e-6,
];

/// `(cos(r) - 1 + r² / 2) / r⁴` in `r²`; relative error 1.4e-12.
const COSINE: [f64; 4] = [
    0.041_666_666_664_226_134,
    -0.001_388_888_763_522_797_5,
    0.000_024_800_580_601_354_642,
    -2.729_840_765_279_517_5e-7,
];

/// Largest argument of the reduction in two parts.
const LARGEST: f64 = 1_048_576.0;

/// `sin(x)`, `cos(x)` or `tan(x)` of `f32`.
pub(crate) fn single<'c>(b: &Builder<'c>, name: &str, x: Val<'c>) -> Val<'c> {
    let ty = x.r#type();
    let lanes = b.shape_of(ty);
    if lanes.len() > 1 {
        return libm::call(b, name, &[x]);
    }
    let magnitude = b.math("absf", &[x]);
    // NaN is "not at most" and goes to the library as well.
    let large = b.cmpf(CmpF::Ugt, magnitude, b.cfloat(LARGEST, ty));
    let library = |b: &Builder<'c>| libm::call(b, name, &[x]);
    unless(b, (large, ty), |b| reduced(b, name, x), library)
}

fn reduced<'c>(b: &Builder<'c>, name: &str, x: Val<'c>) -> Val<'c> {
    let wide_ty = b.like(x.r#type(), b.f64());
    let int = b.like(x.r#type(), b.i64());
    let f = |value: f64| b.cfloat(value, wide_ty);
    let c = |value: i64| b.cint(value, int);
    let wide = b.cast("arith.extf", x, wide_ty);
    let magic = f(6_755_399_441_055_744.0);
    let shifted = b.fma(wide, f(std::f64::consts::FRAC_2_PI), magic);
    let n = b.subf(shifted, magic);
    // The first 33 bits of π/2, and the next 53.
    let r = b.fma(n, f(-f64::from_bits(0x3ff9_21fb_5440_0000)), wide);
    let r = b.fma(n, f(-6.077_100_506_506_192_6e-11), r);
    let bits = b.cast("arith.bitcast", shifted, int);
    let quadrant = match name {
        "cos" => b.addi(bits, c(1)),
        _ => bits,
    };
    let z = b.mulf(r, r);
    // A product, so that -0 stays what it is.
    let sine = b.mulf(r, b.fma(z, polynomial(b, z, &SINE), f(1.0)));
    let half = b.fma(z, f(-0.5), f(1.0));
    let cosine = b.fma(b.mulf(z, z), polynomial(b, z, &COSINE), half);
    let odd = b.cmpi(CmpI::Ne, b.andi(quadrant, c(1)), c(0));
    let value = match name {
        "tan" => {
            let above = b.select(odd, b.negf(cosine), sine);
            b.divf(above, b.select(odd, sine, cosine))
        }
        _ => {
            let value = b.select(odd, cosine, sine);
            let negative = b.cmpi(CmpI::Ne, b.andi(quadrant, c(2)), c(0));
            b.select(negative, b.negf(value), value)
        }
    };
    b.cast("arith.truncf", value, x.r#type())
}
