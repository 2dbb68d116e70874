//! `digamma`.

use super::{
    cancelling,
    coefficients::{DIGAMMA, DIGAMMA_ROOT},
    gamma::{BERNOULLI, TINY, from_nearest, ratio_of},
};
use crate::hlo::Expr;
use std::f64::consts::PI;

/// `digamma(x)` for `x > 0`, to a few units in the last place of double precision.
fn digamma_positive<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    // psi(x) = psi(r) + 1 / r + … + 1 / (x - 1) with r in (1, 2].
    let mut r = x;
    let mut sum = x.c(0.0);
    for _ in 0..9 {
        let more = r.gt(2.0);
        let next = r - 1.0;
        sum = (sum + next.c(1.0) / next).when(more, sum);
        r = next.when(more, r);
    }
    let near = |r: Expr<'a, 'c>| {
        let (root, rest) = DIGAMMA_ROOT;
        ((r - root) - rest) * DIGAMMA.at(r)
    };
    let middle = near(r.min(2.0).max(1.0)) + sum;
    let small = near((x + 1.0).min(2.0)) - x.c(1.0) / x;
    let y = x.max(10.0);
    let inverse = y.c(1.0) / y;
    let square = inverse * inverse;
    let asymptotic = y.log() - inverse * 0.5 - square * x.hlo().polynomial(square, &asymptotic());
    let result = asymptotic.when(x.ge(10.0), middle);
    small.when(x.lt(1.0), result)
}

/// Coefficients of the powers of `1 / x^2` that `log x - 1 / (2 x) - digamma(x)` is asymptotically,
/// from the first one up.
fn asymptotic() -> Vec<f64> {
    BERNOULLI
        .iter()
        .take(9)
        .enumerate()
        .map(|(i, bernoulli)| ratio_of(*bernoulli) / (2.0 * (i as f64 + 1.0)))
        .collect()
}

/// `digamma` of numbers whose result is rounded to fewer bits.
fn digamma_for_narrow<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let negative = x.lt(0.0);
    let positive = digamma_positive((-x + 1.0).when(negative, x));
    // psi(1 - x) - psi(x) = pi / tan(pi x).
    let angle = from_nearest(x) * PI;
    (positive - angle.cos() / angle.sin() * PI).when(negative, positive)
}

/// `digamma`; NaN at zero and the negative integers. `precise` as in [`super::gamma::lgamma`].
pub fn digamma<'a, 'c>(x: Expr<'a, 'c>, precise: bool) -> Expr<'a, 'c> {
    let result = if precise {
        cancelling::digamma(x)
    } else {
        digamma_for_narrow(x)
    };
    let result = (x.c(-1.0) / x).when(x.abs().lt(TINY), result);
    let pole = x.le(0.0).and(x.eq(x.floor()));
    let result = x.c(f64::NAN).when(pole, result);
    let result = x.c(f64::INFINITY).when(x.eq(f64::INFINITY), result);
    x.c(f64::NAN).when(x.eq(f64::NEG_INFINITY), result)
}
