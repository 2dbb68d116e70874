//! Inverse trigonometric functions of `f32`, computed in `f64` as the angle of a point. Below 0.51
//! ULP.

use super::{exp::polynomial, widely};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpF, Val};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// `(atan(t) / t - 1) / t²` in `t²` for `t` up to `tan(π/8)`; relative error of the angle 8.6e-11.
const ARC: [f64; 6] = [
    -0.333_333_332_792_245_4,
    0.199_999_772_482_335_3,
    -0.142_841_506_297_302_88,
    0.110_713_545_712_013_51,
    -0.086_245_982_171_961_26,
    0.050_479_374_320_400_91,
];

/// `tan(π/8)`.
const EIGHTH: f64 = 0.414_213_562_373_095_05;

/// The angle of the point `(x, y)`, in `f64`: `atan2(y, x)`.
fn angle<'c>(b: &Builder<'c>, y: Val<'c>, x: Val<'c>) -> Val<'c> {
    let f = |value: f64| b.cfloat(value, x.r#type());
    let (across, up) = (b.math("absf", &[x]), b.math("absf", &[y]));
    let steep = b.cmpf(CmpF::Ogt, up, across);
    let small = b.select(steep, across, up);
    let large = b.select(steep, up, across);
    // Two zeros: 0. Two infinities: the diagonal.
    let none = b.cmpf(CmpF::Oeq, large, f(0.0));
    let large = b.select(none, f(1.0), large);
    let endless = |v: Val<'c>| b.cmpf(CmpF::Oeq, v, f(f64::INFINITY));
    let both = b.andi(endless(small), endless(large));
    let (small, large) = (b.select(both, f(1.0), small), b.select(both, f(1.0), large));
    // Near the diagonal the angle from there.
    let diagonal = b.cmpf(CmpF::Ogt, small, b.mulf(large, f(EIGHTH)));
    let above = b.select(diagonal, b.subf(small, large), small);
    let below = b.select(diagonal, b.addf(small, large), large);
    let t = b.divf(above, below);
    let z = b.mulf(t, t);
    let arc = b.mulf(t, b.fma(z, polynomial(b, z, &ARC), f(1.0)));
    let arc = b.select(diagonal, b.addf(arc, f(FRAC_PI_4)), arc);
    let arc = b.select(steep, b.subf(f(FRAC_PI_2), arc), arc);
    let arc = b.select(b.is_signed(x), b.subf(f(PI), arc), arc);
    b.copysign(arc, y)
}

/// `atan2(y, x)`.
pub(super) fn of_point<'c>(b: &Builder<'c>, y: Val<'c>, x: Val<'c>) -> Val<'c> {
    widely(b, &[y, x], |b, wide| angle(b, wide[0], wide[1]))
}

/// `asin`, `acos` or `atan` of `x`.
pub(super) fn inverse<'c>(b: &Builder<'c>, name: &str, x: Val<'c>) -> Val<'c> {
    widely(b, &[x], |b, wide| {
        let x = wide[0];
        let one = b.cfloat(1.0, x.r#type());
        // NaN outside of [-1, 1].
        let other = |b: &Builder<'c>| b.math("sqrt", &[b.mulf(b.subf(one, x), b.addf(one, x))]);
        match name {
            "asin" => angle(b, x, other(b)),
            "acos" => angle(b, other(b), x),
            _ => angle(b, x, one),
        }
    })
}
