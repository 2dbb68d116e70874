//! Sums and products in two parts: `high + low` is exact, or nearly so, where one number would lose
//! what cancels.

use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpF, Val};

/// A number in two parts, the second far smaller than the first.
#[derive(Clone, Copy)]
pub(crate) struct DoubleDouble<'c> {
    /// The number rounded.
    pub high: Val<'c>,
    /// Correction: the part that the rounding left out.
    pub low: Val<'c>,
}

impl<'c> DoubleDouble<'c> {
    /// The number with the other sign.
    pub(crate) fn negated(self, b: &Builder<'c>) -> DoubleDouble<'c> {
        DoubleDouble {
            high: b.negf(self.high),
            low: b.negf(self.low),
        }
    }

    /// One of two numbers.
    pub(crate) fn select(
        b: &Builder<'c>,
        condition: Val<'c>,
        yes: DoubleDouble<'c>,
        no: DoubleDouble<'c>,
    ) -> DoubleDouble<'c> {
        DoubleDouble {
            high: b.select(condition, yes.high, no.high),
            low: b.select(condition, yes.low, no.low),
        }
    }

    /// The sum with a number so small that adding it to the low part rounds nothing that counts.
    pub(crate) fn plus_low(self, b: &Builder<'c>, low: Val<'c>) -> DoubleDouble<'c> {
        DoubleDouble {
            high: self.high,
            low: b.addf(self.low, low),
        }
    }

    /// The square root; 0 of 0, NaN of what is below. Relative error `2^-100` unless something
    /// underflows.
    pub(crate) fn root(self, b: &Builder<'c>) -> DoubleDouble<'c> {
        let f = |value: f64| b.cfloat(value, self.high.r#type());
        let high = b.math("sqrt", &[self.high]);
        let rest = b.addf(b.fma(b.negf(high), high, self.high), self.low);
        let none = b.cmpf(CmpF::Oeq, high, f(0.0));
        let twice = b.select(none, f(1.0), b.addf(high, high));
        let low = b.divf(rest, twice);
        DoubleDouble { high, low }
    }

    /// The quotient of `self` by `divisor`, where `inverse` is 1 over the high part of that.
    /// Relative error `2^-100` unless something overflows or underflows.
    pub(crate) fn divided(
        self,
        b: &Builder<'c>,
        divisor: DoubleDouble<'c>,
        inverse: Val<'c>,
    ) -> Self {
        let guess = b.mulf(self.high, inverse);
        let rest = b.fma(b.negf(guess), divisor.high, self.high);
        let rest = b.addf(rest, b.fma(b.negf(guess), divisor.low, self.low));
        ordered_sum(b, guess, b.mulf(rest, inverse))
    }

    /// The quotient, rounded, of `self` by `divisor`, where `inverse` is 1 over the high part of
    /// that: within 0.51 units in the last place unless something overflows or underflows.
    pub(crate) fn over(
        self,
        b: &Builder<'c>,
        divisor: DoubleDouble<'c>,
        inverse: Val<'c>,
    ) -> Val<'c> {
        let guess = b.mulf(self.high, inverse);
        let rest = b.fma(b.negf(guess), divisor.high, self.high);
        let rest = b.addf(rest, b.fma(b.negf(guess), divisor.low, self.low));
        b.fma(rest, inverse, guess)
    }
}

/// `x * y`, exact unless it overflows or underflows.
pub(crate) fn product<'c>(b: &Builder<'c>, x: Val<'c>, y: Val<'c>) -> DoubleDouble<'c> {
    let high = b.mulf(x, y);
    let low = b.fma(x, y, b.negf(high));
    DoubleDouble { high, low }
}

/// `x + y`, exact.
pub(crate) fn sum<'c>(b: &Builder<'c>, x: Val<'c>, y: Val<'c>) -> DoubleDouble<'c> {
    let high = b.addf(x, y);
    let back = b.subf(high, x);
    let low = b.addf(b.subf(x, b.subf(high, back)), b.subf(y, back));
    DoubleDouble { high, low }
}

/// `x + y`, exact where `x` is zero or not smaller than `y`.
pub(crate) fn ordered_sum<'c>(b: &Builder<'c>, x: Val<'c>, y: Val<'c>) -> DoubleDouble<'c> {
    let high = b.addf(x, y);
    let low = b.subf(y, b.subf(high, x));
    DoubleDouble { high, low }
}

/// `x² + y² + z`: what cancels between the squares and `z` is kept, also where nothing but their
/// last bits is left.
pub(crate) fn squares_and<'c>(
    b: &Builder<'c>,
    x: Val<'c>,
    y: Val<'c>,
    z: Val<'c>,
) -> DoubleDouble<'c> {
    let (xx, yy) = (product(b, x, x), product(b, y, y));
    let first = sum(b, xx.high, z);
    let second = sum(b, first.high, yy.high);
    // The same of what these left; only what is left of that is rounded.
    let (squares, sums) = (sum(b, xx.low, yy.low), sum(b, first.low, second.low));
    let rest = sum(b, squares.high, sums.high);
    let all = sum(b, second.high, rest.high);
    let least = b.addf(rest.low, b.addf(squares.low, sums.low));
    let least = b.addf(all.low, least);
    let high = b.addf(all.high, least);
    let low = b.subf(least, b.subf(high, all.high));
    DoubleDouble { high, low }
}

/// `x y + z w`: what cancels between the products is kept.
pub(crate) fn products<'c>(
    b: &Builder<'c>,
    (x, y): (Val<'c>, Val<'c>),
    (z, w): (Val<'c>, Val<'c>),
) -> DoubleDouble<'c> {
    let (first, second) = (product(b, x, y), product(b, z, w));
    let both = sum(b, first.high, second.high);
    let rest = b.addf(both.low, b.addf(first.low, second.low));
    let high = b.addf(both.high, rest);
    let low = b.subf(rest, b.subf(high, both.high));
    DoubleDouble { high, low }
}
