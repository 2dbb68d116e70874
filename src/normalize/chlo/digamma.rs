//! `digamma`, in double precision.

use super::{
    coefficients::{DIGAMMA, DIGAMMA_ROOT, DIGAMMA_ROOTS},
    gamma::{BERNOULLI, from_nearest, lookup},
    slope,
};
use crate::hlo::Expr;
use std::f64::consts::PI;

/// `digamma(x)` for `x > 0`.
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

/// `digamma(x)` for `x` in (-21, 0), to a few units in the last place also beside the roots.
///
/// `psi(x) = psi(1 - x) - pi / tan(pi x)`; the same at the root `x0` between the same two integers is zero. The difference of the two
/// is proportional to `d = x - x0`: `psi(1 - x) - psi(1 - x0) + pi sin(pi d) / (sin(pi x) sin(pi x0))`.
fn digamma_by_roots<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let (high, low) = lookup((-x).floor(), 0.0, &DIGAMMA_ROOTS);
    let d = (x - high) - low;
    let (y, y0) = (-x + 1.0, -high + 1.0);
    // psi(y) = psi(y + SHIFT) - 1 / y - 1 / (y + 1) - …
    const SHIFT: u32 = 8;
    let mut sum = x.c(0.0);
    for k in 0..SHIFT {
        let k = f64::from(k);
        sum = sum + x.c(1.0) / ((y + k) * (y0 + k));
    }
    let (y, y0) = (y + f64::from(SHIFT), y0 + f64::from(SHIFT));
    let (inverse, inverse0) = (x.c(1.0) / (y * y), x.c(1.0) / (y0 * y0));
    let series = slope(inverse, inverse0, &[&[0.0], &asymptotic()[..]].concat());
    let smooth = (-(d / y0)).log1p()
        - d * (sum + x.c(0.5) / (y * y0) + (y + y0) * inverse * inverse0 * series);
    let angle0 = (from_nearest(high) + low) * PI;
    let sines = (from_nearest(x) * PI).sin().abs() * angle0.sin().abs();
    smooth + (d * PI).sin() * PI / sines
}

/// Coefficients of the powers of `1 / x^2` that `log x - 1 / (2 x) - digamma(x)` is asymptotically, from the first one up.
fn asymptotic() -> Vec<f64> {
    BERNOULLI
        .iter()
        .take(9)
        .enumerate()
        .map(|(i, b)| b / (2.0 * (i as f64 + 1.0)))
        .collect()
}

/// `digamma`; NaN at zero and the negative integers. `precise` also beside the roots left of zero, as in [`super::gamma::lgamma`].
pub fn digamma<'a, 'c>(x: Expr<'a, 'c>, precise: bool) -> Expr<'a, 'c> {
    let negative = x.lt(0.0);
    let positive = digamma_positive((-x + 1.0).when(negative, x));
    // psi(1 - x) - psi(x) = pi / tan(pi x).
    let angle = from_nearest(x) * PI;
    let reflected = positive - angle.cos() / angle.sin() * PI;
    let result = reflected.when(negative, positive);
    let result = match precise {
        true => digamma_by_roots(x).when(negative.and(x.gt(-(DIGAMMA_ROOTS.len() as f64))), result),
        false => result,
    };
    let pole = x.le(0.0).and(x.eq(x.floor()));
    let result = x.c(f64::NAN).when(pole, result);
    let result = x.c(f64::INFINITY).when(x.eq(f64::INFINITY), result);
    x.c(f64::NAN).when(x.eq(f64::NEG_INFINITY), result)
}
