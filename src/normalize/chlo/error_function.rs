//! `erf`, `erfc`, `erf_inv`.

use super::{
    Fit,
    coefficients::{
        ERF_F32, ERF_F64, ERF_INV_CENTRE, ERF_INV_CENTRE_F32, ERF_INV_TAIL, ERF_INV_TAIL_F32,
        ERFCX_F32, ERFCX_F64, LOG_ERFC_F32,
    },
};
use crate::hlo::Expr;
use mapwright_mlir::ElementType;

fn is_f64(x: Expr<'_, '_>) -> bool {
    x.element() == ElementType::F64
}

/// `erf(x)` for `|x| <= 1`: `x p(x^2)`.
fn erf_small<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let fit: &Fit = if is_f64(x) { &ERF_F64 } else { &ERF_F32 };
    x * fit.at((x * x).min(1.0))
}

/// `erfc(y)` for `y >= 0.5`: `exp(-y^2) q(t) / (1 + 2 y)` with `t = (y - 3) / (y + 3)`.
///
/// `y^2` is taken apart, `y = h + l` with `h^2` exact, because an error of `exp`'s argument is a
/// relative error of its value.
fn erfc_large<'a, 'c>(y: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let wide = is_f64(y);
    let (fit, limit, bits, mask) = if wide {
        (&ERFCX_F64, 27.3, ElementType::int(64), !0x7FF_FFFFi64)
    } else {
        (&ERFCX_F32, 10.5, ElementType::int(32), !0xFFFi64)
    };
    let y = y.min(limit);
    let high = y.bitcast(&bits).and(mask).bitcast(&y.element());
    let exponential = (-(high * high)).exp() * (-((y - high) * (y + high))).exp();
    let t = (y - 3.0) / (y + 3.0);
    exponential * fit.at(t) / (y * 2.0 + 1.0)
}

/// `erf`.
pub fn erf<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let y = x.abs();
    let tail = if is_f64(x) {
        erfc_large(y.max(0.5))
    } else {
        // Single precision needs one exponential only: the logarithm of erfc is smooth, and 1 -
        // erfc forgives its error.
        LOG_ERFC_F32.at(y.min(4.0).max(1.0)).exp()
    };
    let large = (-tail + 1.0).copysign(x);
    // NaN compares false and goes through the polynomial.
    large.when(y.gt(1.0), erf_small(x))
}

/// `erfc`.
pub fn erfc<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let y = x.abs();
    let tail = erfc_large(y.max(0.5));
    let large = (-tail + 2.0).when(x.lt(0.0), tail);
    large.when(y.gt(0.5), -erf_small(x) + 1.0)
}

/// `erf_inv`.
pub fn erf_inv<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let a = x.abs();
    let y = if is_f64(x) {
        erf_inv_double(a)
    } else {
        erf_inv_single(a)
    };
    let y = y.when(a.gt(0.0), a);
    let y = x.c(f64::INFINITY).when(a.eq(1.0), y);
    let y = x.c(f64::NAN).when(a.gt(1.0), y);
    y.copysign(x)
}

/// `erf_inv(a)` for `0 < a < 1`: polynomials alone. An error of the logarithm hardly shows in the
/// result, which is flat in it.
fn erf_inv_single<'a, 'c>(a: Expr<'a, 'c>) -> Expr<'a, 'c> {
    // 1 - a is exact for a >= 0.5.
    let w = -(((-a + 1.0) * (a + 1.0)).log());
    let small = w.min(5.0);
    let centre = small * ERF_INV_CENTRE_F32.at(small) + 0.5 * std::f64::consts::PI.sqrt();
    let tail = ERF_INV_TAIL_F32.at(w.sqrt().max(2.2).min(4.05));
    a * centre.when(w.lt(5.0), tail)
}

/// `erf_inv(a)` for `0 < a < 1` in double precision: a polynomial for a start, then two steps of
/// Halley's method on `erf` or, in the tails, `erfc`.
fn erf_inv_double<'a, 'c>(a: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let w = -((-(a * a)).log1p());
    let centre = ERF_INV_CENTRE.at(w.min(5.0));
    let tail = ERF_INV_TAIL.at(w.sqrt().max(2.2).min(6.1));
    let mut y = a * centre.when(w.lt(5.0), tail);
    // 1 - a is exact for a >= 0.5.
    let p = -a + 1.0;
    for _ in 0..2 {
        // f(y) = erf(y) - a, f' = 2 / sqrt(pi) exp(-y^2), f'' = -2 y f'.
        let error = (p - erfc(y)).when(a.gt(0.5), erf(y) - a);
        let slope = (-(y * y)).exp() * std::f64::consts::FRAC_2_SQRT_PI;
        let step = error / slope;
        y = y - step / (y * step + 1.0);
    }
    y
}
