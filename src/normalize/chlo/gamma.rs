//! `lgamma`, `digamma`, `polygamma`, `zeta`, in double precision.

use super::coefficients::{DIGAMMA, DIGAMMA_ROOT, LGAMMA};
use crate::hlo::Expr;
use std::f64::consts::PI;

/// Bernoulli numbers B2, B4, …, B24.
const BERNOULLI: [f64; 12] = [
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
fn from_nearest<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
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

/// `lgamma`: the logarithm of the absolute value of the gamma function.
pub fn lgamma<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let negative = x.lt(0.5);
    let positive = lgamma_positive((-x + 1.0).when(negative, x));
    // gamma(x) gamma(1 - x) = pi / sin(pi x).
    let sine = (from_nearest(x) * PI).sin().abs();
    let reflected = -(sine.log()) + PI.ln() - positive;
    // Between 0 and 0.5 the recurrence of `lgamma_positive` is the better way.
    let direct = lgamma_positive(x.max(f64::MIN_POSITIVE));
    let result = reflected.when(x.le(0.0), direct.when(negative, positive));
    let pole = x.le(0.0).and(x.eq(x.floor()));
    let result = x.c(f64::INFINITY).when(pole, result);
    let result = x.c(f64::INFINITY).when(x.abs().eq(f64::INFINITY), result);
    x.when(x.is_nan(), result)
}

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
    let series: Vec<f64> = BERNOULLI
        .iter()
        .take(9)
        .enumerate()
        .map(|(i, b)| b / (2.0 * (i as f64 + 1.0)))
        .collect();
    let asymptotic = y.log() - inverse * 0.5 - square * x.hlo().polynomial(square, &series);
    let result = asymptotic.when(x.ge(10.0), middle);
    small.when(x.lt(1.0), result)
}

/// `digamma`; NaN at zero and the negative integers.
pub fn digamma<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let negative = x.lt(0.0);
    let positive = digamma_positive((-x + 1.0).when(negative, x));
    // psi(1 - x) - psi(x) = pi / tan(pi x).
    let angle = from_nearest(x) * PI;
    let reflected = positive - angle.cos() / angle.sin() * PI;
    let result = reflected.when(negative, positive);
    let pole = x.le(0.0).and(x.eq(x.floor()));
    let result = x.c(f64::NAN).when(pole, result);
    let result = x.c(f64::INFINITY).when(x.eq(f64::INFINITY), result);
    x.c(f64::NAN).when(x.eq(f64::NEG_INFINITY), result)
}

/// `zeta(s, q)`, Hurwitz: the sum of `(q + k)^-s` over `k >= 0`, by Euler's and Maclaurin's formula.
pub fn zeta<'a, 'c>(s: Expr<'a, 'c>, q: Expr<'a, 'c>) -> Expr<'a, 'c> {
    const TERMS: usize = 10;
    let mut sum = q.pow(-s);
    for k in 1..TERMS {
        sum = sum + (q + k as f64).pow(-s);
    }
    let a = q + TERMS as f64;
    let power = a.pow(-s);
    let mut tail = a * power / (s - 1.0) + power * 0.5;
    // B2k / (2k)! s (s + 1) … (s + 2k - 2) a^(-s - 2k + 1).
    let inverse_square = a.c(1.0) / (a * a);
    let mut rising = s / a;
    let mut factorial = 2.0;
    for (k, bernoulli) in BERNOULLI.iter().enumerate() {
        tail = tail + power * rising * (bernoulli / factorial);
        let n = 2.0 * (k as f64 + 1.0);
        rising = rising * (s + (n - 1.0)) * (s + n) * inverse_square;
        factorial *= (n + 1.0) * (n + 2.0);
    }
    let result = sum + tail;
    let inf = s.c(f64::INFINITY);
    let nan = s.c(f64::NAN);
    // A pole at the negative integers; elsewhere left of zero only whole exponents have a real power.
    let pole = q.le(0.0).and(q.eq(q.floor()));
    let even = (s * 0.5).eq((s * 0.5).floor());
    let at_pole = inf.when(even, nan);
    let undefined = q.lt(0.0).and(s.ne(s.floor()));
    let result = at_pole.when(pole, nan.when(undefined, result));
    let result = inf.when(s.eq(1.0), result);
    nan.when(s.lt(1.0).or(s.is_nan()).or(q.is_nan()), result)
}

/// `polygamma(n, x)`: the `n`-th derivative of digamma, for whole `n >= 0`.
pub fn polygamma<'a, 'c>(n: Expr<'a, 'c>, x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let sign = n.c(-1.0).when((n * 0.5).eq((n * 0.5).floor()), 1.0);
    let order = n + 1.0;
    let derivative = sign * lgamma_positive(order.max(1.0)).exp() * zeta(order, x);
    let result = digamma(x).when(n.eq(0.0), derivative);
    n.c(f64::NAN).when(n.lt(0.0).or(n.ne(n.floor())), result)
}
