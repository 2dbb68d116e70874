//! `digamma` of double precision, to the last bit but for doubles nearer to a root than 106 bits
//! resolve; those are in a table.

use super::{Shift, cotangent, reflected};
use crate::{
    chlo::{
        coefficients::DIGAMMA_NEAR_ROOTS,
        gamma::{BERNOULLI, ratio_of},
    },
    double_double::{DoubleDouble, ratio},
    hlo::Expr,
};

/// `log x - 1 / (2 x) - B2 / (2 x^2) - B4 / (4 x^4) - …` for `x >= 16`.
fn asymptotic<'a, 'c>(x: DoubleDouble<'a, 'c>) -> DoubleDouble<'a, 'c> {
    // So many terms are above the last of 53 bits.
    const LEADING: usize = 6;
    let coefficients = || BERNOULLI.iter().zip(1u32..);
    let leading: Vec<(f64, f64)> = coefficients()
        .take(LEADING)
        .map(|((p, q), k)| ratio(*p, q * f64::from(2 * k)))
        .collect();
    let rest: Vec<f64> = coefficients()
        .skip(LEADING)
        .map(|(bernoulli, k)| ratio_of(*bernoulli) / f64::from(2 * k))
        .collect();
    let inverse = x.reciprocal();
    let square = inverse * inverse;
    let series = square * square.polynomial(&leading, &rest);
    x.log() - inverse.scaled(0.5) - series
}

/// `digamma(x)` but at its poles, at infinity and where it is `-1 / x` to the last bit.
pub fn digamma<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let negative = x.lt(0.0);
    let zero = DoubleDouble::from_expr(x.c(0.0));
    // psi(y) = psi(y + n) - (1 / y + … + 1 / (y + n - 1)): the logarithmic derivative of the
    // product.
    let shift = Shift::by(reflected(x));
    let steps = (shift.derivative / shift.product).when(shift.shifted, zero);
    let positive = asymptotic(shift.to) - steps;
    // psi(x) = psi(1 - x) - pi / tan(pi x).
    let result = (positive - cotangent(x).when(negative, zero)).rounded();
    DIGAMMA_NEAR_ROOTS
        .iter()
        .fold(result, |result, (near, value)| {
            x.c(*value).when(x.eq(*near), result)
        })
}
