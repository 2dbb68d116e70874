//! `zeta` and `polygamma`, in double precision.

use super::{
    digamma::digamma,
    gamma::{BERNOULLI, factorial, ratio_of},
};
use crate::hlo::Expr;

/// `(q + k)^-s`, and `q + k`. The rounding error of the sum is taken out of the power, to which it is `s` times as large.
fn term<'a, 'c>(s: Expr<'a, 'c>, q: Expr<'a, 'c>, k: f64) -> (Expr<'a, 'c>, Expr<'a, 'c>) {
    let sum = q + k;
    let added = sum - q;
    let lost = (q - (sum - added)) + (-added + k);
    let power = sum.pow(-s);
    (power - power * (s * lost / sum), sum)
}

/// `zeta(s, q)` for `s > 1`, `q >= 0`, by Euler's and Maclaurin's formula.
fn hurwitz<'a, 'c>(s: Expr<'a, 'c>, q: Expr<'a, 'c>) -> Expr<'a, 'c> {
    const TERMS: u32 = 10;
    let (power, a) = term(s, q, f64::from(TERMS));
    // B2k / (2k)! s (s + 1) … (s + 2k - 2) a^(-s - 2k + 1).
    let inverse_square = a.c(1.0) / (a * a);
    let mut rising = s / a;
    let mut factorial = 2.0;
    let mut corrections = Vec::new();
    for (k, bernoulli) in BERNOULLI.iter().take(12).enumerate() {
        corrections.push(rising * (ratio_of(*bernoulli) / factorial));
        let n = 2.0 * (k as f64 + 1.0);
        rising = rising * (s + (n - 1.0)) * (s + n) * inverse_square;
        factorial *= (n + 1.0) * (n + 2.0);
    }
    // The smallest ones first.
    let mut correction = s.c(0.0);
    for value in corrections.into_iter().rev() {
        correction = correction + value;
    }
    let tail = power * (correction + 0.5);
    // Where the power is nothing, the factor may be infinite.
    let empty = power.eq(0.0);
    let mut sum = s.c(0.0).when(empty, tail);
    for k in (1..TERMS).rev() {
        sum = sum + term(s, q, f64::from(k)).0;
    }
    let integral = a * power / (s - 1.0);
    (sum + q.pow(-s)) + s.c(0.0).when(empty, integral)
}

/// `zeta(s, q)`, Hurwitz: the sum of `(q + k)^-s` over `k >= 0`.
///
/// Left of zero, where only whole exponents have real powers, it is the sum right of zero and that of the terms on the way there:
/// with `r` the fraction of `q`, `zeta(s, r) + (-1)^s (zeta(s, 1 - r) - zeta(s, 1 - q))`.
pub fn zeta<'a, 'c>(s: Expr<'a, 'c>, q: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let (inf, nan, zero) = (s.c(f64::INFINITY), s.c(f64::NAN), s.c(0.0));
    // No power of a number but 1 is different for still larger exponents.
    let exponent = s.min(1e300);
    let negative = q.lt(0.0);
    let floor = q.floor();
    let even = (s * 0.5).eq((s * 0.5).floor());
    let right = hurwitz(exponent, (q - floor).when(negative, q));
    let rest = (floor + 1.0) - q;
    let left = hurwitz(exponent, rest.when(negative, 1.0)) - hurwitz(exponent, (-q + 1.0).max(1.0));
    let left = left.when(even, -left);
    let result = (right + left).when(negative, right);
    let result = zero.when(q.eq(f64::INFINITY), result);
    // A pole at the negative integers.
    let pole = q.le(0.0).and(q.eq(floor));
    let at_pole = inf.when(even, nan);
    let undefined = negative.and(s.ne(s.floor()));
    let result = at_pole.when(pole, nan.when(undefined, result));
    let result = inf.when(s.eq(1.0), result);
    nan.when(s.lt(1.0).or(s.is_nan()).or(q.is_nan()), result)
}

/// `polygamma(n, x)`: the `n`-th derivative of digamma, for whole `n >= 0`.
pub fn polygamma<'a, 'c>(n: Expr<'a, 'c>, x: Expr<'a, 'c>, precise: bool) -> Expr<'a, 'c> {
    let sign = n.c(-1.0).when((n * 0.5).eq((n * 0.5).floor()), 1.0);
    let derivative = sign * factorial(n) * zeta(n + 1.0, x);
    let result = digamma(x, precise).when(n.eq(0.0), derivative);
    n.c(f64::NAN).when(n.lt(0.0).or(n.ne(n.floor())), result)
}
