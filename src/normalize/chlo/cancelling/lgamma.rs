//! `lgamma` of double precision left of zero.
//!
//! It has two roots in (-3, -2), and two beside every integer below; by -18 these are nearer to the
//! integer than any double. Beside a root the function is computed as a multiple of the distance
//! from it, elsewhere as a difference in two parts.

use super::{Shift, reflected, sine};
use crate::{
    chlo::{
        Fit,
        coefficients::{
            LGAMMA_CENTRE, LGAMMA_FIRST, LGAMMA_FIRST_ROOT, LGAMMA_ROOTS, LGAMMA_SECOND,
            LGAMMA_SECOND_ROOT, LGAMMA_THIRD, LGAMMA_THIRD_ROOT,
        },
        gamma::stirling_series,
    },
    double_double::DoubleDouble,
    hlo::Expr,
};

/// `log(2 pi) / 2 - 1 / 2`, rounded, and what the rounding left.
const STIRLING: (f64, f64) = (0.418_938_533_204_672_7, 1.672_820_965_058_541_3e-17);

/// `log(pi / |sin(pi x)|) - lgamma(1 - x)`, for negative `x` that are no integers.
fn by_reflection<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let shift = Shift::by(reflected(x));
    let one = DoubleDouble::from_expr(x.c(1.0));
    let periodic = (shift.product.when(shift.shifted, one) / sine(x)).log();
    let y = shift.to;
    // (y - 1/2) log y - y + log(2 pi) / 2 = (y - 1/2) (log y - 1) + (log(2 pi) - 1) / 2.
    let factor = y.log().plus(x.c(-1.0));
    let main = y.plus(x.c(-0.5)) * factor + DoubleDouble::constant(x, STIRLING);
    (periodic - main.plus(stirling_series(y.high))).rounded()
}

/// The row of `rows` (a number as high and low part) at `index`, which counts from `first`; the
/// first row where there is none.
fn lookup<'a, 'c>(
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

/// The last integer beside which there are roots of `lgamma` that numbers of double precision come
/// near to.
const LAST_ROOT: u32 = 17;

/// `lgamma(x)` beside the roots in (-17.5, -3), and whether `x` is so near to one that this is the
/// better way.
///
/// With the integer `-n` nearest to `x`, `e = x + n`:
/// `lgamma(x) = lgamma(1 + e) - log |e (1 - e) (2 - e) … (n - e)|`. The same at the root `x0` of
/// the half interval that `x` is in is zero; the difference of the two is proportional to
/// `d = x - x0`, and each of its terms is computed as such: the first one by the divided difference
/// of a polynomial, the factors as `1 - d / (k - e0)`.
fn beside_integers<'a, 'c>(x: Expr<'a, 'c>) -> (Expr<'a, 'c>, Expr<'a, 'c>) {
    // Half intervals count from (-3.5, -3).
    const FIRST: f64 = 6.0;
    let half = (x * -2.0).floor();
    let n = ((half + 1.0) * 0.5).floor();
    let e = x + n;
    let (high, low) = lookup(half, FIRST, &LGAMMA_ROOTS);
    let e0 = (high + n) + low;
    let d = (x - high) - low;
    // What the ratio of the products is more than one, first but for the factor that changes most:
    // its rounding errors count.
    let mut others = d / (e0 - 1.0);
    for k in 2..=LAST_ROOT {
        let factor = d / (e0 - f64::from(k));
        let longer = others + (factor + others * factor);
        others = match k {
            2 | 3 => longer,
            _ => longer.when(n.ge(f64::from(k)), others),
        };
    }
    let first = d / e0;
    let more = first + (others + first * others);
    let there = half
        .ge(FIRST)
        .and(half.lt(FIRST + LGAMMA_ROOTS.len() as f64));
    let near = there.and(more.abs().lt(0.125));
    (LGAMMA_CENTRE.slope(e, e0) * d - more.log1p(), near)
}

/// `lgamma(x)` in the interval of a polynomial for `lgamma(x) / (x - root)`, and whether `x` is in
/// it.
fn beside<'a, 'c>(
    x: Expr<'a, 'c>,
    (high, low): (f64, f64),
    fit: &Fit,
) -> (Expr<'a, 'c>, Expr<'a, 'c>) {
    let near = (x - fit.middle).abs().lt(fit.half);
    (((x - high) - low) * fit.at(x), near)
}

/// `lgamma(x)` for negative `x` but at its poles and where it is `-log |x|` to the last bit.
pub fn lgamma<'a, 'c>(x: Expr<'a, 'c>) -> Expr<'a, 'c> {
    // The slope at the third root is a difference as well: of all others beside integers one term
    // is by far the largest.
    let ways = [
        beside_integers(x),
        beside(x, LGAMMA_FIRST_ROOT, &LGAMMA_FIRST),
        beside(x, LGAMMA_SECOND_ROOT, &LGAMMA_SECOND),
        beside(x, LGAMMA_THIRD_ROOT, &LGAMMA_THIRD),
    ];
    ways.into_iter()
        .fold(by_reflection(x), |result, (value, near)| {
            value.when(near, result)
        })
}
