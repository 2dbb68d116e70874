//! Functions whose terms cancel, in double precision: the terms are computed in two parts each.
//!
//! Left of zero `lgamma` and `digamma` are differences of a function right of zero and one of
//! period one. Between any two poles these are equal somewhere, and 53 bits of each leave none of
//! the difference.

mod digamma;
mod lgamma;

pub use digamma::digamma;
pub use lgamma::lgamma;

use super::{
    coefficients::{COTANGENT_REST, SINE_REST},
    gamma::from_nearest,
};
use crate::{double_double::DoubleDouble, hlo::Expr};

/// A polynomial as [`super::Fit`] is one, the first coefficients of which have two parts.
pub struct DoubleDoubleFit {
    /// Middle of the interval, a number of few bits.
    pub middle: f64,
    /// Half of its length, a power of two.
    pub half: f64,
    /// Coefficients of the lowest powers, the constant one first, and what their rounding left.
    pub leading: &'static [(f64, f64)],
    /// Coefficients of the powers after them.
    pub rest: &'static [f64],
}

impl DoubleDoubleFit {
    fn at<'a, 'c>(&self, x: DoubleDouble<'a, 'c>) -> DoubleDouble<'a, 'c> {
        x.plus(x.high.c(-self.middle))
            .scaled(1.0 / self.half)
            .polynomial(self.leading, self.rest)
    }
}

/// `1 - x`, exact, for negative `x`, and `x` itself for others.
fn reflected<'a, 'c>(x: Expr<'a, 'c>) -> DoubleDouble<'a, 'c> {
    DoubleDouble::sum(x.c(1.0), -x).when(x.lt(0.0), DoubleDouble::from_expr(x))
}

/// Shift that takes a function of `y >= 0` to one of a number so large that few terms of an
/// asymptotic series are enough.
struct Shift<'a, 'c> {
    /// Condition that `y` is so small that it is shifted.
    shifted: Expr<'a, 'c>,
    /// `y + STEPS` if so, else `y`.
    to: DoubleDouble<'a, 'c>,
    /// `y (y + 1) … (y + STEPS - 1)`.
    product: DoubleDouble<'a, 'c>,
    /// The derivative of `product` by `y`.
    derivative: DoubleDouble<'a, 'c>,
}

impl<'a, 'c> Shift<'a, 'c> {
    const STEPS: u32 = 16;

    fn by(y: DoubleDouble<'a, 'c>) -> Self {
        let last = f64::from(Self::STEPS - 1);
        let shifted = y.high.lt(last + 2.0);
        let to = y.plus(y.high.c(last + 1.0)).when(shifted, y);
        // (y + k) (y + 15 - k) = v + k (15 - k) with v = y (y + 15): half as many factors. Those of
        // large y are not used and would overflow.
        let y = y.when(shifted, DoubleDouble::from_expr(y.high.c(1.0)));
        let v = y * y.plus(y.high.c(last));
        let mut product = v;
        let mut by_v = DoubleDouble::from_expr(y.high.c(1.0));
        for k in 1..Self::STEPS / 2 {
            let factor = v.plus(y.high.c(f64::from(k * (Self::STEPS - 1 - k))));
            by_v = by_v * factor + product;
            product = product * factor;
        }
        Self {
            shifted,
            to,
            product,
            derivative: by_v * y.scaled(2.0).plus(y.high.c(last)),
        }
    }
}

/// `|sin(pi x)| / pi`.
fn sine<'a, 'c>(x: Expr<'a, 'c>) -> DoubleDouble<'a, 'c> {
    let e = from_nearest(x);
    let square = DoubleDouble::product(e, e);
    let near_one = (-square).plus(e.c(1.0));
    (near_one * SINE_REST.at(square)).times(e.abs())
}

/// `pi / tan(pi x)`: its poles at zero and at one on both sides, and a polynomial for the others.
fn cotangent<'a, 'c>(x: Expr<'a, 'c>) -> DoubleDouble<'a, 'c> {
    let e = from_nearest(x);
    let square = DoubleDouble::product(e, e);
    let one = e.c(1.0);
    let numerator = (-square).times(e.c(3.0)).plus(one);
    let denominator = (-square).plus(one).times(e);
    numerator / denominator - COTANGENT_REST.at(square).times(e)
}
