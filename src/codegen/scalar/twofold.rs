//! Sums and products in two parts: `high + low` is exact, or nearly so, where one number would lose what cancels.

use mapwright_mlir::{Builder, Val};

/// A number in two parts, the second far smaller than the first.
#[derive(Clone, Copy)]
pub(super) struct Twofold<'c> {
    /// The number rounded.
    pub high: Val<'c>,
    /// What the rounding left out.
    pub low: Val<'c>,
}

/// `x * x`, exact unless it overflows or underflows.
fn square<'c>(b: &Builder<'c>, x: Val<'c>) -> Twofold<'c> {
    let high = b.mulf(x, x);
    let low = b.fma(x, x, b.negf(high));
    Twofold { high, low }
}

/// `x + y`, exact.
fn sum<'c>(b: &Builder<'c>, x: Val<'c>, y: Val<'c>) -> Twofold<'c> {
    let high = b.addf(x, y);
    let back = b.subf(high, x);
    let low = b.addf(b.subf(x, b.subf(high, back)), b.subf(y, back));
    Twofold { high, low }
}

/// `x² + y² + z` for `x` not smaller than `y`: what cancels between the squares and `z` is kept.
pub(super) fn squares_and<'c>(b: &Builder<'c>, x: Val<'c>, y: Val<'c>, z: Val<'c>) -> Twofold<'c> {
    let (xx, yy) = (square(b, x), square(b, y));
    let first = sum(b, xx.high, z);
    let second = sum(b, first.high, yy.high);
    let rest = b.addf(b.addf(first.low, second.low), b.addf(xx.low, yy.low));
    let high = b.addf(second.high, rest);
    let low = b.subf(rest, b.subf(high, second.high));
    Twofold { high, low }
}

/// `x y + z w` within 1.5 units in the last place.
pub(super) fn products<'c>(
    b: &Builder<'c>,
    (x, y): (Val<'c>, Val<'c>),
    (z, w): (Val<'c>, Val<'c>),
) -> Val<'c> {
    let second = b.mulf(z, w);
    let lost = b.fma(z, w, b.negf(second));
    b.addf(b.fma(x, y, second), lost)
}
