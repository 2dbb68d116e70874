//! `lgamma` and factorials, in double precision; what [`super::digamma`] and [`super::zeta`] share.

use super::{cancelling, coefficients::LGAMMA};
use crate::hlo::Expr;
use std::f64::consts::PI;

/// Numerators and denominators of the Bernoulli numbers B2, B4, …, B34.
pub(super) const BERNOULLI: [(f64, f64); 17] = [
    (1.0, 6.0),
    (-1.0, 30.0),
    (1.0, 42.0),
    (-1.0, 30.0),
    (5.0, 66.0),
    (-691.0, 2730.0),
    (7.0, 6.0),
    (-3617.0, 510.0),
    (43867.0, 798.0),
    (-174611.0, 330.0),
    (854513.0, 138.0),
    (-236364091.0, 2730.0),
    (8553103.0, 6.0),
    (-23749461029.0, 870.0),
    (8615841276005.0, 14322.0),
    (-7709321041217.0, 510.0),
    (2577687858367.0, 6.0),
];

/// A number of [`BERNOULLI`], rounded.
pub(super) fn ratio_of((numerator, denominator): (f64, f64)) -> f64 {
    numerator / denominator
}

/// The fractional distance of `x` from the integer nearest to it, in [-1/2, 1/2], exact.
pub(super) fn from_nearest<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    x - x.round()
}

/// Computes by Stirling's series the difference of `lgamma(y)` and
/// `(y - 1/2) log y - y + log(2 pi) / 2`, for `y >= 9`.
pub(super) fn stirling_series<'a, 'c>(y: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let series: Vec<f64> = BERNOULLI
        .iter()
        .take(9)
        .enumerate()
        .map(|(i, bernoulli)| {
            let k = 2.0 * (i as f64 + 1.0);
            ratio_of(*bernoulli) / (k * (k - 1.0))
        })
        .collect();
    let inverse = y.c(1.0) / y;
    inverse * y.hlo().polynomial(inverse * inverse, &series)
}

/// `lgamma(x)` for `x > 0`.
fn lgamma_positive<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let polynomial = |r: Expr<'a, 'c>| (r - 1.0) * (r - 2.0) * LGAMMA.at(r);
    // gamma(x) = (x - 1) … r gamma(r) with r in (1.5, 2.5].
    let mut r = x;
    let mut product = x.c(1.0);
    for _ in 0..7 {
        let more = r.gt(2.5);
        let next = r - 1.0;
        product = (product * next).when(more, product);
        r = next.when(more, r);
    }
    let middle = product.log() + polynomial(r.min(2.5).max(0.75));
    // gamma(x) = gamma(x + 1) / x.
    let small = polynomial((x + 1.0).min(1.75)) - x.log();
    // Stirling's series.
    let y = x.max(9.0);
    let correction = stirling_series(y);
    let half_log_two_pi = 0.5 * (2.0 * PI).ln();
    // (y - 1/2) log y - y = (y - 1/2) (log y - 1) - 1/2, which does not overflow before the result
    // does.
    let stirling = (y - 0.5) * (y.log() - 1.0) + (half_log_two_pi - 0.5) + correction;
    let result = stirling.when(x.ge(9.0), middle);
    let result = small.when(x.lt(0.75), result);
    x.when(x.eq(f64::INFINITY), result)
}

/// `n!` for whole `n >= 0`.
pub(super) fn factorial<'a, 'c>(n: Expr<'a, 'c>) -> Expr<'a, 'c> {
    // Exact as long as they fit.
    let mut product = n.c(1.0);
    for k in 2..=22 {
        let k = f64::from(k);
        product = (product * k).when(n.ge(k), product);
    }
    // Stirling: sqrt(2 pi n) (n / e)^n exp(1 / (12 n) - …), the power in two halves, which do not
    // overflow before the result does.
    let y = n.max(23.0).min(171.0);
    let root = y.pow(y * 0.5);
    let inverse = y.c(1.0) / y;
    let series = [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0];
    let correction = (inverse * n.hlo().polynomial(inverse * inverse, &series)).exp();
    let large = (root * (-y).exp()) * root * ((y * (2.0 * PI)).sqrt() * correction);
    large.when(n.gt(22.0), product)
}

/// Below, `lgamma(x)` is `-log |x|` and `digamma(x)` is `-1 / x`, to the last bit.
pub(super) const TINY: f64 = 1e-20;

/// `lgamma`: the logarithm of the absolute value of the gamma function. `precise`: left of zero,
/// where terms cancel, to the last bits of double precision.
pub fn lgamma<'a, 'c>(x: Expr<'a, 'c>, precise: bool) -> Expr<'a, 'c> {
    let negative = x.lt(0.0);
    let positive = |x: Expr<'a, 'c>| lgamma_positive(x.max(f64::MIN_POSITIVE));
    let result = if precise {
        cancelling::lgamma(x).when(negative, positive(x))
    } else {
        let positive = positive((-x + 1.0).when(negative, x));
        // gamma(x) gamma(1 - x) = pi / sin(pi x).
        let sine = (from_nearest(x) * PI).sin().abs();
        let reflected = -(sine.log()) + PI.ln() - positive;
        reflected.when(negative, positive)
    };
    let result = (-(x.abs().log())).when(x.abs().lt(TINY), result);
    let pole = x.le(0.0).and(x.eq(x.floor()));
    let result = x.c(f64::INFINITY).when(pole, result);
    let result = x.c(f64::INFINITY).when(x.abs().eq(f64::INFINITY), result);
    x.when(x.is_nan(), result)
}
