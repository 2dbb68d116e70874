//! `lgamma` and factorials, in double precision; what [`super::digamma`] and [`super::zeta`] share.

use super::coefficients::{LGAMMA, LGAMMA_CENTRE, LGAMMA_ROOTS};
use crate::hlo::Expr;
use std::f64::consts::PI;

/// Bernoulli numbers B2, B4, …, B24.
pub(super) const BERNOULLI: [f64; 12] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
    43867.0 / 798.0,
    -174611.0 / 330.0,
    854513.0 / 138.0,
    -236364091.0 / 2730.0,
];

/// The fractional distance of `x` from the integer nearest to it, in [-1/2, 1/2], exact.
pub(super) fn from_nearest<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    x - x.round()
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
    let inverse = y.c(1.0) / y;
    let square = inverse * inverse;
    let series: Vec<f64> = BERNOULLI
        .iter()
        .take(9)
        .enumerate()
        .map(|(i, b)| {
            let k = 2.0 * (i as f64 + 1.0);
            b / (k * (k - 1.0))
        })
        .collect();
    let correction = inverse * x.hlo().polynomial(square, &series);
    let half_log_two_pi = 0.5 * (2.0 * PI).ln();
    // (y - 1/2) log y - y = (y - 1/2) (log y - 1) - 1/2, which does not overflow before the result does.
    let stirling = (y - 0.5) * (y.log() - 1.0) + (half_log_two_pi - 0.5) + correction;
    let result = stirling.when(x.ge(9.0), middle);
    let result = small.when(x.lt(0.75), result);
    x.when(x.eq(f64::INFINITY), result)
}

/// The row of `rows` (a number as high and low part) at `index`, which counts from `first`; the first row where there is none.
pub(super) fn lookup<'a, 'c>(
    index: Expr<'a, 'c>,
    first: f64,
    rows: &[(f64, f64)],
) -> (Expr<'a, 'c>, Expr<'a, 'c>) {
    let (high, low) = rows.first().copied().unwrap_or_default();
    let mut found = (index.c(high), index.c(low));
    for (i, (high, low)) in rows.iter().enumerate().skip(1) {
        let here = index.eq(first + i as f64);
        found = (
            index.c(*high).when(here, found.0),
            index.c(*low).when(here, found.1),
        );
    }
    found
}

/// The last integer beside which there are roots of `lgamma` that numbers of double precision come near to.
const LAST_ROOT: u32 = 17;

/// `lgamma(x)` for `-17.5 < x <= -2`, to a few units in the last place also beside the roots.
///
/// With the integer `-n` nearest to `x`, `e = x + n`: `lgamma(x) = lgamma(1 + e) - log |e (1 - e) (2 - e) … (n - e)|`. The same at
/// the root `x0` of the half interval that `x` is in is zero; the difference of the two is proportional to `d = x - x0`, and each of
/// its terms is computed as such: the first one by the divided difference of a polynomial, the factors as `1 - d / (k - e0)`.
fn lgamma_by_roots<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    // Half intervals count from (-2.5, -2); the first root is the nearer one up to -2.6.
    let half = (x * -2.0).floor();
    let half = x.c(4.0).when(x.gt(-2.6), half);
    let n = ((half + 1.0) * 0.5).floor();
    let e = x + n;
    let (high, low) = lookup(half, 4.0, &LGAMMA_ROOTS);
    let e0 = (high + n) + low;
    let d = (x - high) - low;
    // The ratio of the products, and what it is more than one.
    let mut ratio = e / e0;
    let mut more = d / e0;
    for k in 1..=LAST_ROOT {
        let factor = d / (e0 - f64::from(k));
        let longer = (ratio + ratio * factor, more + (factor + more * factor));
        (ratio, more) = match k {
            1 | 2 => longer,
            _ => {
                let there = n.ge(f64::from(k));
                (longer.0.when(there, ratio), longer.1.when(there, more))
            }
        };
    }
    let near = more.abs().lt(0.5);
    let logarithm = more.log1p().when(near, ratio.abs().log());
    LGAMMA_CENTRE.slope(e, e0) * d - logarithm
}

/// `n!` for whole `n >= 0`.
pub(super) fn factorial<'a, 'c>(n: Expr<'a, 'c>) -> Expr<'a, 'c> {
    // Exact as long as they fit.
    let mut product = n.c(1.0);
    for k in 2..=22 {
        let k = f64::from(k);
        product = (product * k).when(n.ge(k), product);
    }
    // Stirling: sqrt(2 pi n) (n / e)^n exp(1 / (12 n) - …), the power in two halves, which do not overflow before the result does.
    let y = n.max(23.0).min(171.0);
    let root = y.pow(y * 0.5);
    let inverse = y.c(1.0) / y;
    let series = [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0];
    let correction = (inverse * n.hlo().polynomial(inverse * inverse, &series)).exp();
    let large = (root * (-y).exp()) * root * ((y * (2.0 * PI)).sqrt() * correction);
    large.when(n.gt(22.0), product)
}

/// `lgamma`: the logarithm of the absolute value of the gamma function. `precise` also beside the roots left of zero, which only
/// double precision is fine enough to notice.
pub fn lgamma<'a, 'c>(x: Expr<'a, 'c>, precise: bool) -> Expr<'a, 'c> {
    let negative = x.lt(0.5);
    let positive = lgamma_positive((-x + 1.0).when(negative, x));
    // gamma(x) gamma(1 - x) = pi / sin(pi x).
    let sine = (from_nearest(x) * PI).sin().abs();
    let reflected = -(sine.log()) + PI.ln() - positive;
    // Between 0 and 0.5 the recurrence of `lgamma_positive` is the better way.
    let direct = lgamma_positive(x.max(f64::MIN_POSITIVE));
    let result = reflected.when(x.le(0.0), direct.when(negative, positive));
    let result = match precise {
        true => lgamma_by_roots(x).when(x.le(-2.0).and(x.gt(-0.5 - f64::from(LAST_ROOT))), result),
        false => result,
    };
    let pole = x.le(0.0).and(x.eq(x.floor()));
    let result = x.c(f64::INFINITY).when(pole, result);
    let result = x.c(f64::INFINITY).when(x.abs().eq(f64::INFINITY), result);
    x.when(x.is_nan(), result)
}
