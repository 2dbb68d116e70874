//! Hyperbolic functions of `f32` and their inverses, computed in `f64` by their definitions, and by
//! series near zero, where those cancel. Below 0.51 ULP.

use super::{
    exp::{exp, polynomial},
    log::log,
    widely,
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpF, Val};

/// An odd function: `x (1 + x² p(x²))` below a bound, from there on the value for positive numbers,
/// with the sign of `x`.
fn odd<'c>(
    b: &Builder<'c>,
    x: Val<'c>,
    (series, bound): (&[f64], f64),
    positive: impl FnOnce(&Builder<'c>, Val<'c>) -> Val<'c>,
) -> Val<'c> {
    let f = |value: f64| b.cfloat(value, x.r#type());
    let magnitude = b.math("absf", &[x]);
    let z = b.mulf(x, x);
    let near = b.mulf(x, b.fma(z, polynomial(b, z, series), f(1.0)));
    let far = b.copysign(positive(b, magnitude), x);
    b.select(b.cmpf(CmpF::Olt, magnitude, f(bound)), near, far)
}

/// `sinh(x)`.
pub(super) fn sine<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    // Of the series up to x⁹.
    let series = [1.0 / 6.0, 1.0 / 120.0, 1.0 / 5040.0, 1.0 / 362_880.0];
    widely(b, &[x], |b, wide| {
        odd(b, wide[0], (&series, 0.5), |b, x| {
            let (up, down) = both(b, x);
            b.subf(up, down)
        })
    })
}

/// `cosh(x)`.
pub(super) fn cosine<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    widely(b, &[b.math("absf", &[x])], |b, wide| {
        let (up, down) = both(b, wide[0]);
        b.addf(up, down)
    })
}

/// Half of `exp(x)` and of `exp(-x)`. `f32` has no finite result where the first of them is not
/// finite.
fn both<'c>(b: &Builder<'c>, x: Val<'c>) -> (Val<'c>, Val<'c>) {
    let f = |value: f64| b.cfloat(value, x.r#type());
    let up = exp(b, x);
    (b.mulf(up, f(0.5)), b.divf(f(0.5), up))
}

/// `asinh(x)`: `log(x + sqrt(x² + 1))`.
pub(super) fn inverse_sine<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    widely(b, &[x], |b, wide| {
        odd(b, wide[0], (&[-1.0 / 6.0, 3.0 / 40.0], 1e-3), |b, x| {
            let one = b.cfloat(1.0, x.r#type());
            log(b, b.addf(x, b.math("sqrt", &[b.fma(x, x, one)])))
        })
    })
}

/// `acosh(x)`: `log(1 + u)` with `u = t + sqrt(t (t + 2))`, `t = x - 1`, which is exact.
pub(super) fn inverse_cosine<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    widely(b, &[x], |b, wide| {
        let f = |value: f64| b.cfloat(value, wide[0].r#type());
        let t = b.subf(wide[0], f(1.0));
        let u = b.addf(t, b.math("sqrt", &[b.mulf(t, b.addf(t, f(2.0)))]));
        let inside = b.cmpf(CmpF::Oge, t, f(0.0));
        b.select(inside, log(b, b.addf(u, f(1.0))), f(f64::NAN))
    })
}

/// `atanh(x)`: half of `log((1 + x) / (1 - x))`.
pub(super) fn inverse_tangent<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    widely(b, &[x], |b, wide| {
        odd(b, wide[0], (&[1.0 / 3.0, 1.0 / 5.0], 1e-3), |b, x| {
            let one = b.cfloat(1.0, x.r#type());
            let ratio = b.divf(b.addf(one, x), b.subf(one, x));
            b.mulf(log(b, ratio), b.cfloat(0.5, x.r#type()))
        })
    })
}
