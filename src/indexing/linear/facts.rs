//! What is known of variables and values, and the bounds that follow for sums.

use super::numeral::{ScaledDigit, ends_of_digits};
use super::{Atom, Base, Sum};
use crate::Interval;
use smallvec::SmallVec;

/// Bounds at or beyond this distance from zero say nothing.
pub const FAR: i64 = 1 << 62;

/// Closed ranges of the variables and of the values read at run time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Facts {
    /// Of the variables.
    pub vars: Vec<(i64, i64)>,
    /// Of the values read at run time.
    pub values: Vec<(i64, i64)>,
}

fn clamped((lo, hi): (i128, i128)) -> (i64, i64) {
    let far = i128::from(FAR);
    (lo.clamp(-far, far) as i64, hi.clamp(-far, far) as i64)
}

/// Do both ends say something?
fn is_bounded((lo, hi): (i64, i64)) -> bool {
    -FAR < lo && hi < FAR
}

impl Facts {
    /// Variables that count from zero to below these sizes.
    pub fn of_sizes(sizes: &[i64]) -> Self {
        Self {
            vars: sizes.iter().map(|n| (0, n.saturating_sub(1))).collect(),
            values: Vec::new(),
        }
    }

    /// The interval of a variable, as far as it says something.
    pub fn range_of(interval: Interval) -> (i64, i64) {
        clamped((interval.lower.into(), interval.upper.into()))
    }

    fn base(&self, base: &Base) -> (i64, i64) {
        let known = |list: &[(i64, i64)], i: usize| list.get(i).copied().unwrap_or((-FAR, FAR));
        match base {
            Base::Var(v) => known(&self.vars, *v),
            Base::Value(v) => known(&self.values, *v),
            Base::Sum(inner) => inner.range(self),
            Base::Beyond => (-FAR, FAR),
        }
    }
}

/// The only value of `x floordiv m` for all `x` of a range.
pub(super) fn only_quotient(range: (i64, i64), m: i64) -> Option<i64> {
    let first = range.0.div_euclid(m);
    (is_bounded(range) && first == range.1.div_euclid(m)).then_some(first)
}

fn of_quotient(range: (i64, i64), m: i64) -> (i64, i64) {
    // What is not known to be bounded stays so.
    let end = |x: i64| if x.abs() < FAR { x.div_euclid(m) } else { x };
    (end(range.0), end(range.1))
}

impl Atom {
    fn range_in(&self, base: (i64, i64)) -> (i64, i64) {
        let range = of_quotient(base, self.low);
        let Some(period) = self.period() else {
            return range;
        };
        match only_quotient(range, period) {
            Some(_) => (range.0.rem_euclid(period), range.1.rem_euclid(period)),
            None => (0, period - 1),
        }
    }

    /// Closed bounds of the value.
    pub fn range(&self, facts: &Facts) -> (i64, i64) {
        self.range_in(facts.base(&self.base))
    }
}

fn scaled((lo, hi): (i64, i64), k: i64) -> (i128, i128) {
    let (a, b) = (
        i128::from(lo) * i128::from(k),
        i128::from(hi) * i128::from(k),
    );
    (a.min(b), a.max(b))
}

impl Sum {
    /// Closed bounds of the value. An end at [`FAR`] or beyond says nothing.
    pub fn range(&self, facts: &Facts) -> (i64, i64) {
        let mut sum = (i128::from(self.constant), i128::from(self.constant));
        for group in self.terms.chunk_by(|a, b| a.0.base == b.0.base) {
            let base = facts.base(&group[0].0.base);
            // An unknown value times anything is unknown.
            let Some((lo, hi)) = of_group(group, base) else {
                return (-FAR, FAR);
            };
            sum = (sum.0.saturating_add(lo), sum.1.saturating_add(hi));
        }
        clamped(sum)
    }

    /// Is every value of it a number that the ranges bound?
    pub fn is_bounded(&self, facts: &Facts) -> bool {
        is_bounded(self.range(facts))
    }
}

/// Bounds of the digits of one base together, if there are any.
fn of_group(group: &[(Atom, i64)], base: (i64, i64)) -> Option<(i128, i128)> {
    let mut own = (0_i128, 0_i128);
    for (atom, k) in group {
        let range = atom.range_in(base);
        if !is_bounded(range) {
            return None;
        }
        let (lo, hi) = scaled(range, *k);
        own = (own.0.saturating_add(lo), own.1.saturating_add(hi));
    }
    if group.len() > 1 {
        let scaled = |(atom, k): &(Atom, i64)| ScaledDigit {
            low: atom.low,
            high: atom.high,
            coef: *k,
        };
        let mut digits: SmallVec<[ScaledDigit; 8]> = group.iter().map(scaled).collect();
        let values = is_bounded(base).then_some(base);
        if let Some(together) = ends_of_digits(&mut digits, values) {
            own = (own.0.max(together.0), own.1.min(together.1));
        }
    }
    Some(own)
}
