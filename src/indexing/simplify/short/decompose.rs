//! Sums in an interval whose terms nest like digits, as `../decompose.rs` of the long way.

use super::super::linear::gcd;
use super::constraints::ceil_div;
use super::sum::{Linear, Values};
use smallvec::SmallVec;

/// A sum in two parts: what is a multiple of a factor, and the rest.
#[derive(Clone, Copy)]
pub(super) struct Split {
    pub(super) g: i64,
    /// The variables of the multiples.
    pub(super) high: u32,
    /// The values of the multiples, divided by the factor.
    high_values: (i64, i64),
    /// Those of the rest.
    low_values: (i64, i64),
}

impl Split {
    /// The multiples, divided by the factor, and the rest.
    #[inline(always)]
    pub(super) fn parts(&self, sum: &Linear) -> (Linear, Linear) {
        let (mut high, mut low) = (*sum, *sum);
        high.change(|v, c| {
            if self.high >> v & 1 != 0 {
                c / self.g
            } else {
                0
            }
        });
        low.change(|v, c| if self.high >> v & 1 != 0 { 0 } else { c });
        (high, low)
    }
}

pub(super) type Splits = SmallVec<[Split; 3]>;

/// The ways to split a sum by the sizes of its coefficients.
#[inline(always)]
pub(super) fn find_splits(values: &Values, sum: &Linear, splits: &mut Splits) {
    let mut factors = 0;
    for (_, coef) in sum.terms() {
        let g = coef.abs();
        if g != 1 && !splits.iter().any(|s| s.g == g) {
            factors += 1;
            if let Some(split) = split(values, sum, g) {
                splits.push(split);
            }
        }
    }
    if factors < 2 {
        return;
    }
    // What the larger coefficients have in common may lie above the smaller ones, too.
    for (_, coef) in sum.terms() {
        let least = coef.abs();
        let larger = || sum.terms().map(|t| t.1).filter(|c| c.abs() > least);
        if least == 1 || larger().all(|c| c % least == 0) {
            continue;
        }
        let g = larger().fold(least, gcd);
        let new = || sum.terms().all(|t| t.1.abs() != g) && splits.iter().all(|s| s.g != g);
        if g > 1
            && new()
            && let Some(split) = split(values, sum, g)
        {
            splits.push(split);
        }
    }
}

/// The sum in what is a multiple of a factor and the rest; `None` if there is no rest.
#[inline(always)]
fn split(values: &Values, sum: &Linear, g: i64) -> Option<Split> {
    let (mut high, mut above, mut below) = (0, (0, 0), (0, 0));
    for (v, c) in sum.terms() {
        let b = values[v].interval;
        let whole = c.abs() >= g && c % g == 0;
        let (part, c) = if whole {
            high |= 1 << v;
            (&mut above, c / g)
        } else {
            (&mut below, c)
        };
        let (x, y) = (c * b.lower, c * b.upper);
        part.0 += x.min(y);
        part.1 += x.max(y);
    }
    (high != sum.used()).then_some(Split {
        g,
        high,
        high_values: above,
        low_values: below,
    })
}

/// `g * x + t in [l, u]` -> `x in [v, v]` and `t in [l - g * v, u - g * v]` if only one value of x is possible.
#[inline(always)]
pub(super) fn pinned(splits: &[Split], lower: i64, upper: i64) -> Option<(Split, i64)> {
    for split in splits {
        let (high, low) = (split.high_values, split.low_values);
        if high.0 == high.1 {
            continue;
        }
        let first = ceil_div(lower - low.1, split.g).max(high.0);
        let last = (upper - low.0).div_euclid(split.g).min(high.1);
        if first == last {
            return Some((*split, first));
        }
    }
    None
}

/// `g * x + t in [l, u]` -> `x in [l', u']` if every `t` gives the same ends: the terms nest like digits. A free end has none.
#[inline(always)]
pub(super) fn decomposed(
    splits: &mut [Split],
    (lower, low_free): (i64, bool),
    (upper, high_free): (i64, bool),
) -> Option<(Split, Option<i64>, Option<i64>)> {
    if splits.len() > 1 {
        splits.sort_unstable_by_key(|split| std::cmp::Reverse(split.g));
    }
    for split in splits {
        let (g, (least, greatest)) = (split.g, split.low_values);
        // x >= ceil((l - t) / g) for every t
        let mut ends = (None, None);
        if !low_free {
            let end = ceil_div(lower - least, g);
            if end != ceil_div(lower - greatest, g) {
                continue;
            }
            ends.0 = Some(end);
        }
        if !high_free {
            let end = (upper - least).div_euclid(g);
            if end != (upper - greatest).div_euclid(g) {
                continue;
            }
            ends.1 = Some(end);
        }
        return Some((*split, ends.0, ends.1));
    }
    None
}
