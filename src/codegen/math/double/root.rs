//! Cube roots and lengths. Below 0.6 ULP.

use crate::math::{
    double_double::{product, sum},
    exp::{self, polynomial},
    log,
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpF, Val};

/// `1 / cbrt(m)` for `m` in `[sqrt(1/2), sqrt(2)]`; relative error 4.5e-5.
const INVERSE_CUBE: [f64; 5] = [
    1.870_334_645_007_800_2,
    -1.845_190_787_795_483,
    1.536_993_361_403_360_4,
    -0.686_906_071_489_152_3,
    0.124_740_558_956_367_21,
];

/// The cube root: with `x = 2^(3 k) w` one over that of `w` by a step of Halley's, the root itself
/// by one of Newton's with the rest in two parts.
pub(super) fn cube_root<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let ty = x.r#type();
    let f = |value: f64| b.cfloat(value, ty);
    let a = b.math("absf", &[x]);
    // Subnormal numbers are scaled into the normal range first.
    let small = b.cmpf(CmpF::Olt, a, f(f64::MIN_POSITIVE));
    let (m, e) = log::parts(b, b.select(small, b.mulf(a, f(54f64.exp2())), a));
    let e = b.select(small, b.subf(e, f(54.0)), e);
    let shifted = b.fma(e, f(1.0 / 3.0), exp::magic(b, x));
    let k = b.subf(shifted, exp::magic(b, x));
    let left = b.fma(k, f(-3.0), e);
    let by_rest = |down: f64, up: f64| {
        let above = b.select(b.cmpf(CmpF::Ogt, left, f(0.0)), f(up), f(1.0));
        b.select(b.cmpf(CmpF::Olt, left, f(0.0)), f(down), above)
    };
    let w = b.mulf(m, by_rest(0.5, 2.0));
    let third = by_rest(1.259_921_049_894_873_2, 0.793_700_525_984_099_8);
    let r = b.mulf(polynomial(b, m, &INVERSE_CUBE), third);
    let square = b.mulf(r, r);
    let d = b.fma(b.negf(b.mulf(w, r)), square, f(1.0));
    let step = b.mulf(d, b.fma(d, f(2.0 / 9.0), f(1.0 / 3.0)));
    let r = b.fma(r, step, r);
    let square = b.mulf(r, r);
    let root = b.mulf(w, square);
    let two = product(b, root, root);
    let three = product(b, two.high, root);
    let rest = b.addf(
        b.subf(w, three.high),
        b.negf(b.fma(two.low, root, three.low)),
    );
    let root = b.fma(b.mulf(rest, square), f(1.0 / 3.0), root);
    let value = b.copysign(exp::scale(b, root, shifted), x);
    // Zeros, infinities and NaN are their own roots.
    let ordinary = b.andi(
        b.cmpf(CmpF::Ogt, a, f(0.0)),
        b.cmpf(CmpF::Olt, a, f(f64::INFINITY)),
    );
    b.select(ordinary, value, x)
}

/// `sqrt(x² + y²)`, also where the squares leave the range; infinite where either is, even beside
/// NaN.
pub(super) fn length<'c>(b: &Builder<'c>, x: Val<'c>, y: Val<'c>) -> Val<'c> {
    let f = |value: f64| b.cfloat(value, x.r#type());
    let (x, y) = (b.math("absf", &[x]), b.math("absf", &[y]));
    let greater = b.select(b.cmpf(CmpF::Ogt, x, y), x, y);
    let large = b.cmpf(CmpF::Ogt, greater, f(500f64.exp2()));
    let small = b.cmpf(CmpF::Olt, greater, f((-450f64).exp2()));
    let by = |large_by: f64, small_by: f64| {
        let up = b.select(small, f(small_by.exp2()), f(1.0));
        b.select(large, f(large_by.exp2()), up)
    };
    let (scale, back) = (by(-600.0, 600.0), by(600.0, -600.0));
    let (p, q) = (b.mulf(x, scale), b.mulf(y, scale));
    let (pp, qq) = (product(b, p, p), product(b, q, q));
    let total = sum(b, pp.high, qq.high).plus_low(b, b.addf(pp.low, qq.low));
    let root = total.root(b);
    let value = b.mulf(b.addf(root.high, root.low), back);
    let endless = |v: Val<'c>| b.cmpf(CmpF::Oeq, v, f(f64::INFINITY));
    b.select(b.ori(endless(x), endless(y)), f(f64::INFINITY), value)
}
