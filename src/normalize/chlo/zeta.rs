//! `zeta` and `polygamma`, in double precision.

use super::{
    digamma::digamma,
    gamma::{BERNOULLI, factorial, ratio_of},
};
use crate::hlo::Expr;

/// `(q + k)^-s`, and `q + k`. The rounding error of the sum is taken out of the power, to which it
/// is `s` times as large.
fn term<'a, 'c>(s: Expr<'a, 'c>, q: Expr<'a, 'c>, k: f64) -> (Expr<'a, 'c>, Expr<'a, 'c>) {
    let sum = q + k;
    let added = sum - q;
    let lost = (q - (sum - added)) + (-added + k);
    let power = sum.pow(-s);
    (power - power * (s * lost / sum), sum)
}

/// The sum of `(q + k)^-s` over `k > 0`, for `s > 1`, `q >= 0`, by Euler's and Maclaurin's formula.
struct Series<'a, 'c> {
    /// The first terms, from `k = 1` on.
    terms: Vec<Expr<'a, 'c>>,
    /// Terms that follow, without the integral.
    tail: Expr<'a, 'c>,
    integral: Expr<'a, 'c>,
}

impl<'a, 'c> Series<'a, 'c> {
    fn at(s: Expr<'a, 'c>, q: Expr<'a, 'c>) -> Self {
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
        // Where the power is nothing, the factor may be infinite.
        let empty = power.eq(0.0);
        Self {
            terms: (1..TERMS).map(|k| term(s, q, f64::from(k)).0).collect(),
            tail: s.c(0.0).when(empty, power * (correction + 0.5)),
            integral: s.c(0.0).when(empty, a * power / (s - 1.0)),
        }
    }

    fn sum(&self) -> Expr<'a, 'c> {
        let terms = self.terms.iter().rev();
        terms.fold(self.tail, |sum, term| sum + *term) + self.integral
    }
}

/// `x - y` where `x` is `y (1 + ratio)^-s`, to the last bits also where both are nearly equal.
fn difference<'a, 'c>(
    s: Expr<'a, 'c>,
    x: Expr<'a, 'c>,
    y: Expr<'a, 'c>,
    ratio: Expr<'a, 'c>,
) -> Expr<'a, 'c> {
    let exponent = -s * ratio.log1p();
    // Of a large exponent its rounding would count.
    (y * exponent.expm1()).when(exponent.abs().lt(0.5), x - y)
}

/// `zeta(s, q)`, Hurwitz: the sum of `(q + k)^-s` over `k >= 0`.
///
/// Left of zero, where only whole exponents have real powers, it is the sum right of zero and that
/// of the terms on the way there: with `r` the fraction of `q`,
/// `zeta(s, r) + (-1)^s (zeta(s, 1 - r) - zeta(s, 1 - q))`. Of odd exponents that has a root in
/// each interval, beside its middle, where the terms `(r + k)^-s` and `(1 - r + k)^-s` are nearly
/// equal: their differences are computed as such. What is left is the difference of
/// `zeta(s, 1 - q)` and the sum of these.
pub fn zeta<'a, 'c>(s: Expr<'a, 'c>, q: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let (inf, nan, zero) = (s.c(f64::INFINITY), s.c(f64::NAN), s.c(0.0));
    // No power of a number but 1 is different for still larger exponents.
    let exponent = s.min(1e300);
    let negative = q.lt(0.0);
    let floor = q.floor();
    let even = (s * 0.5).eq((s * 0.5).floor());
    let above = (q - floor).when(negative, q);
    let below = ((floor + 1.0) - q).when(negative, 1.0);
    let (first, second) = (above.pow(-exponent), below.pow(-exponent));
    let (right, left) = (Series::at(exponent, above), Series::at(exponent, below));
    let beyond = Series::at(exponent, (-q).max(0.0)).sum();
    let of_even = (first + second) + (right.sum() + (left.sum() - beyond));
    // r - (1 - r), exact as 1 - r is.
    let gap = -below * 2.0 + 1.0;
    let mut of_odd = (right.tail - left.tail) + (right.integral - left.integral);
    for (k, (x, y)) in right.terms.iter().zip(&left.terms).enumerate().rev() {
        of_odd = of_odd + difference(exponent, *x, *y, gap / (below + (k as f64 + 1.0)));
    }
    let of_odd = (of_odd + difference(exponent, first, second, gap / below)) + beyond;
    let result = of_even
        .when(even, of_odd)
        .when(negative, first + right.sum());
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
