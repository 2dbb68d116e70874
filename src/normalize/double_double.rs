//! Numbers in two parts: about 106 bits out of operations of 53, for what cancels.
//!
//! Every rounding error of `stablehlo.add` and `stablehlo.multiply` is itself a number of their
//! type and can be computed; these operations keep it. Nothing here is right for infinities and
//! NaN, or where the smaller part would be below the range: callers choose other values there.

use crate::hlo::Expr;
use mapwright_mlir::ElementType;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number of double precision as `high`, rounded, and `low`, what the rounding left.
#[derive(Clone, Copy)]
pub struct DoubleDouble<'a, 'c> {
    /// The number rounded, or nearly so.
    pub high: Expr<'a, 'c>,
    /// Correction: the number less `high`.
    pub low: Expr<'a, 'c>,
}

/// A factor, with its upper half and the rest: products of halves are exact.
#[derive(Clone, Copy)]
struct Halves<'a, 'c> {
    whole: Expr<'a, 'c>,
    upper: Expr<'a, 'c>,
    lower: Expr<'a, 'c>,
}

impl<'a, 'c> Halves<'a, 'c> {
    fn from_expr(x: Expr<'a, 'c>) -> Self {
        // 26 of the 53 bits.
        let bits = x.bitcast(&ElementType::int(64)).and(!0x7FF_FFFFi64);
        let upper = bits.bitcast(&ElementType::F64);
        Self {
            whole: x,
            upper,
            lower: x - upper,
        }
    }

    /// The product, and what its rounding left.
    fn times(self, other: Self) -> DoubleDouble<'a, 'c> {
        let high = self.whole * other.whole;
        let error =
            (self.upper * other.upper - high) + self.upper * other.lower + self.lower * other.upper;
        DoubleDouble {
            high,
            low: error + self.lower * other.lower,
        }
    }
}

/// `1 / n` to twice the precision, as constants.
pub fn reciprocal(n: f64) -> (f64, f64) {
    ratio(1.0, n)
}

/// `p / q` to twice the precision, as constants.
pub fn ratio(p: f64, q: f64) -> (f64, f64) {
    let high = p / q;
    (high, (-high).mul_add(q, p) / q)
}

impl<'a, 'c> DoubleDouble<'a, 'c> {
    /// A number that needs one part.
    pub fn from_expr(x: Expr<'a, 'c>) -> Self {
        Self {
            high: x,
            low: x.c(0.0),
        }
    }

    /// A constant, of the shape of `like`.
    pub fn constant(like: Expr<'a, 'c>, (high, low): (f64, f64)) -> Self {
        Self {
            high: like.c(high),
            low: like.c(low),
        }
    }

    /// `x + y`, exact.
    pub fn sum(x: Expr<'a, 'c>, y: Expr<'a, 'c>) -> Self {
        let high = x + y;
        let back = high - x;
        Self {
            high,
            low: (x - (high - back)) + (y - back),
        }
    }

    /// `x + y` for `|x| >= |y|`, exact.
    fn sum_of_ordered(x: Expr<'a, 'c>, y: Expr<'a, 'c>) -> Self {
        let high = x + y;
        Self {
            high,
            low: y - (high - x),
        }
    }

    /// `x * y`, exact.
    pub fn product(x: Expr<'a, 'c>, y: Expr<'a, 'c>) -> Self {
        Halves::from_expr(x).times(Halves::from_expr(y))
    }

    /// This and a number of one part.
    pub fn plus(self, y: Expr<'a, 'c>) -> Self {
        let sum = Self::sum(self.high, y);
        Self::sum_of_ordered(sum.high, sum.low + self.low)
    }

    /// This times a number of one part.
    pub fn times(self, y: Expr<'a, 'c>) -> Self {
        let product = Self::product(self.high, y);
        Self::sum_of_ordered(product.high, product.low + self.low * y)
    }

    /// This times a power of two.
    pub fn scaled(self, power: f64) -> Self {
        Self {
            high: self.high * power,
            low: self.low * power,
        }
    }

    /// `1 / self`.
    pub fn reciprocal(self) -> Self {
        Self::from_expr(self.high.c(1.0)) / self
    }

    /// The square root of a positive number.
    pub fn sqrt(self) -> Self {
        let root = self.high.sqrt();
        let square = Self::product(root, root);
        let rest = ((self.high - square.high) - square.low) + self.low;
        Self::sum_of_ordered(root, rest / (root * 2.0))
    }

    /// This where `condition` holds, `other` elsewhere.
    pub fn when(self, condition: Expr<'a, 'c>, other: Self) -> Self {
        Self {
            high: self.high.when(condition, other.high),
            low: self.low.when(condition, other.low),
        }
    }

    /// The sum rounded to one number.
    pub fn rounded(self) -> Expr<'a, 'c> {
        self.high + self.low
    }

    /// The polynomial with the coefficients `leading`, from the constant one up, and then `rest`,
    /// which matter so little that one part is enough for them. Each coefficient must be larger
    /// than what follows it adds up to.
    pub fn polynomial(self, leading: &[(f64, f64)], rest: &[f64]) -> Self {
        let t = Halves::from_expr(self.high);
        let mut sum = Self::from_expr(self.high.hlo().polynomial(self.high, rest));
        for coefficient in leading.iter().rev() {
            let product = Halves::from_expr(sum.high).times(t);
            let low = product.low + sum.high * self.low + sum.low * self.high;
            let coefficient = Self::constant(self.high, *coefficient);
            let next = Self::sum_of_ordered(coefficient.high, product.high);
            sum = Self {
                high: next.high,
                low: next.low + (low + coefficient.low),
            };
        }
        sum
    }

    /// The natural logarithm of a positive number that is not subnormal.
    pub fn log(self) -> Self {
        // The number is 2^k m with m between sqrt(1/2) and sqrt(2); three roots bring m so near to
        // 1 that the series of log m = 2 artanh((m - 1) / (m + 1)) is short.
        const ROOTS: i32 = 3;
        let integer = ElementType::int(64);
        let sqrt_half = std::f64::consts::FRAC_1_SQRT_2.to_bits() as i64;
        let bits = self.high.bitcast(&integer);
        let exponent = (bits - sqrt_half).shifted_right(52);
        let one = 1.0f64.to_bits() as i64;
        let scale = (-(exponent * (1i64 << 52)) + one).bitcast(&ElementType::F64);
        let mut m = Self {
            high: self.high * scale,
            low: self.low * scale,
        };
        for _ in 0..ROOTS {
            m = m.sqrt();
        }
        let one = self.high.c(1.0);
        let z = m.plus(-one) / m.plus(one);
        let leading: Vec<(f64, f64)> = (0..5).map(|i| reciprocal(f64::from(2 * i + 1))).collect();
        let rest: Vec<f64> = (5..10).map(|i| 1.0 / f64::from(2 * i + 1)).collect();
        let series = (z * z).polynomial(&leading, &rest);
        let log_m = (z * series).scaled(f64::from(1 << (ROOTS + 1)));
        let k = exponent.convert(&ElementType::F64);
        Self::constant(k, LN_2).times(k) + log_m
    }
}

/// `log 2`, rounded, and what the rounding left.
const LN_2: (f64, f64) = (std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17);

impl Add for DoubleDouble<'_, '_> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let sum = Self::sum(self.high, other.high);
        Self::sum_of_ordered(sum.high, sum.low + (self.low + other.low))
    }
}

impl Neg for DoubleDouble<'_, '_> {
    type Output = Self;
    fn neg(self) -> Self {
        Self {
            high: -self.high,
            low: -self.low,
        }
    }
}

impl Sub for DoubleDouble<'_, '_> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble<'_, '_> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let product = Self::product(self.high, other.high);
        let low = product.low + (self.high * other.low + self.low * other.high);
        Self::sum_of_ordered(product.high, low)
    }
}

impl Div for DoubleDouble<'_, '_> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        // Two digits of long division; the second quotient carries the rest.
        let quotient = self.high / other.high;
        let back = Self::product(quotient, other.high);
        let rest = ((self.high - back.high) - back.low) + (self.low - quotient * other.low);
        Self::sum_of_ordered(quotient, rest / other.high)
    }
}
