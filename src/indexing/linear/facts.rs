//! What is known of variables and values, and the bounds that follow for sums.

use super::numeral::{ScaledDigit, ends_of_digits};
use super::{Atom, Base, Sum};
use crate::{Extent, Interval};
use smallvec::SmallVec;

/// Bounds at or beyond this distance from zero say nothing.
pub const FAR: i64 = 1 << 62;

/// Closed ranges of the variables and of the values read at run time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Facts {
    /// Of the variables.
    pub vars: Vec<(Extent, Extent)>,
    /// Of the values read at run time.
    pub values: Vec<(Extent, Extent)>,
}

fn clamped((lo, hi): (i128, i128)) -> (i64, i64) {
    let far = i128::from(FAR);
    (lo.clamp(-far, far) as i64, hi.clamp(-far, far) as i64)
}

/// Whether an end of a range is a bound. Numbers are up to [`FAR`], and sizes that are known at run
/// time only always are.
pub fn is_near(end: impl Into<Extent>) -> bool {
    end.into().as_constant().is_none_or(|n| -FAR < n && n < FAR)
}

/// Tells whether both ends say something.
fn is_bounded((lo, hi): (Extent, Extent)) -> bool {
    is_near(lo) && is_near(hi)
}

impl Facts {
    /// Variables that count from zero to below these sizes.
    pub fn of_sizes<N: Copy + Into<Extent>>(sizes: &[N]) -> Self {
        let sizes = sizes.iter().map(|n| (*n).into());
        let last = |n: Extent| n.checked_add(-1).unwrap_or(n);
        Self {
            vars: sizes.map(|n| (Extent::ZERO, last(n))).collect(),
            values: Vec::new(),
        }
    }

    /// The interval of a variable, as far as it says something.
    pub fn range_of(interval: Interval) -> (Extent, Extent) {
        let (lo, hi) = clamped((interval.lower.into(), interval.upper.into()));
        (lo.into(), hi.into())
    }

    fn base(&self, base: &Base) -> (Extent, Extent) {
        let unknown = (Extent::from(-FAR), Extent::from(FAR));
        let known = |list: &[(Extent, Extent)], i: usize| list.get(i).copied().unwrap_or(unknown);
        match base {
            Base::Var(v) => known(&self.vars, *v),
            Base::Value(v) => known(&self.values, *v),
            Base::Sum(inner) => inner.range(self),
            Base::Beyond => unknown,
        }
    }
}

/// The only value of `x floordiv m` for all `x` of a range.
pub(super) fn only_quotient(range: (Extent, Extent), m: Extent) -> Option<Extent> {
    if !is_bounded(range) {
        return None;
    }
    let first = range.0.floor_div(m);
    // The range is not empty: what its end is at least need not be known.
    let last = || first.checked_mul(m)?.checked_add(m)?.checked_add(-1);
    let is_only = first == range.1.floor_div(m) || last().is_some_and(|x| x.is_at_least(range.1));
    is_only.then_some(first)
}

fn of_quotient(range: (Extent, Extent), m: Extent) -> (Extent, Extent) {
    // What is not known to be bounded stays so.
    let end = |x: Extent| if is_near(x) { x.floor_div(m) } else { x };
    (end(range.0), end(range.1))
}

impl Atom {
    fn range_in(&self, base: (Extent, Extent)) -> (Extent, Extent) {
        let range = of_quotient(base, self.low);
        let Some(period) = self.period() else {
            return range;
        };
        let last = period.checked_add(-1).unwrap_or(period);
        let rest = |x: Extent, quotient: Extent| x.checked_sub(quotient.checked_mul(period)?);
        let only = only_quotient(range, period);
        let ends = only.and_then(|q| Some((rest(range.0, q)?, rest(range.1, q)?)));
        ends.unwrap_or((Extent::ZERO, last))
    }

    /// Closed bounds of the value.
    pub fn range(&self, facts: &Facts) -> (Extent, Extent) {
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
    pub fn range(&self, facts: &Facts) -> (Extent, Extent) {
        // What is added up to, of numbers as far as 128 bits go, and of sizes.
        let number = self.constant.as_constant().map(i128::from);
        let mut numbers = (number.unwrap_or(0), number.unwrap_or(0));
        let mut sizes = match number {
            Some(_) => (Some(Extent::ZERO), Some(Extent::ZERO)),
            None => (Some(self.constant), Some(self.constant)),
        };
        for group in self.terms.chunk_by(|a, b| a.0.base == b.0.base) {
            let base = facts.base(&group[0].0.base);
            let ranges = group.iter().map(|(atom, _)| atom.range_in(base));
            let ranges: SmallVec<[(Extent, Extent); 8]> = ranges.collect();
            // An unknown value times anything is unknown.
            if !ranges.iter().copied().all(is_bounded) {
                return (Extent::from(-FAR), Extent::from(FAR));
            }
            if let Some((lo, hi)) = of_group(group, &ranges, base) {
                numbers = (numbers.0.saturating_add(lo), numbers.1.saturating_add(hi));
                continue;
            }
            for ((_, k), range) in group.iter().zip(ranges) {
                let (lo, hi) = scaled_sizes(range, *k);
                let plus = |sum: Option<Extent>, more: Option<Extent>| sum?.checked_add(more?);
                sizes = (plus(sizes.0, lo), plus(sizes.1, hi));
            }
        }
        let numbers = clamped(numbers);
        let end = |sizes: Option<Extent>, number: i64, far: i64| match sizes {
            Some(sizes) if sizes == 0 => Extent::from(number),
            Some(sizes) if -FAR < number && number < FAR => {
                sizes.checked_add(number).unwrap_or(Extent::from(far))
            }
            _ => Extent::from(far),
        };
        (end(sizes.0, numbers.0, -FAR), end(sizes.1, numbers.1, FAR))
    }

    /// Whether the ranges bound every value of it.
    pub fn is_bounded(&self, facts: &Facts) -> bool {
        is_bounded(self.range(facts))
    }
}

/// The ends of a multiple of what is in a range; `None` where nothing says which end is which.
fn scaled_sizes((lo, hi): (Extent, Extent), k: Extent) -> (Option<Extent>, Option<Extent>) {
    let (a, b) = (lo.checked_mul(k), hi.checked_mul(k));
    match (k.is_at_least(0), Extent::ZERO.is_at_least(k)) {
        (true, _) => (a, b),
        (_, true) => (b, a),
        _ => (None, None),
    }
}

/// Bounds of the digits of one base together, where all of them are numbers.
fn of_group(
    group: &[(Atom, Extent)],
    ranges: &[(Extent, Extent)],
    base: (Extent, Extent),
) -> Option<(i128, i128)> {
    let numbers = |(lo, hi): (Extent, Extent)| Some((lo.as_constant()?, hi.as_constant()?));
    let mut own = (0_i128, 0_i128);
    for ((_, k), range) in group.iter().zip(ranges) {
        let (lo, hi) = scaled(numbers(*range)?, k.as_constant()?);
        own = (own.0.saturating_add(lo), own.1.saturating_add(hi));
    }
    if group.len() > 1 {
        let scaled = |(atom, k): &(Atom, Extent)| {
            let (low, high) = atom.numbers()?;
            let coef = k.as_constant()?;
            Some(ScaledDigit { low, high, coef })
        };
        let digits: Option<SmallVec<[ScaledDigit; 8]>> = group.iter().map(scaled).collect();
        let values = numbers(base).filter(|_| is_bounded(base));
        if let Some(together) = digits.and_then(|mut digits| ends_of_digits(&mut digits, values)) {
            own = (own.0.max(together.0), own.1.min(together.1));
        }
    }
    Some(own)
}
