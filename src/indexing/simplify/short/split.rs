//! Sums that are divided split at a factor of the divisor: what is no multiple of it lies in one period of it, and does not matter.
//!
//! `(g * x + y) floordiv (g * n) -> x floordiv n` and `(g * x + y) mod (g * n) -> g * (x mod n) + y` for y in one period of g.

use super::super::div_mod::one_period;
use super::super::linear::gcd;
use super::Short;
use super::digits::{Digit, is_multiple};
use super::sum::{Linear, Sum, small, wide_product};
use crate::expr::Op;
use crate::interval::Interval;

/// A factor, where what is no multiple of it lies, and the variables of that.
pub(super) struct SplitAt {
    pub(super) g: i64,
    pub(super) period: i64,
    pub(super) low: u32,
}

impl SplitAt {
    /// The multiples and what is below them, divided by the factor.
    pub(super) fn high(&self, sum: &Linear) -> Linear {
        let mut high = *sum;
        high.change(|v, c| {
            if self.low >> v & 1 != 0 {
                0
            } else {
                c / self.g
            }
        });
        high.k = self.period;
        high
    }
}

impl Short {
    /// Whether the variables have no strides.
    fn are_without_strides(&self, mut variables: impl Iterator<Item = usize>) -> bool {
        variables.all(|v| self.values[v].stride == 1)
    }

    /// The greatest factor of `m` at which the sum splits, if there is one. `None` if it is not known: of sums of which constraints say
    /// something, and where a variable has a stride.
    #[inline(always)]
    pub(super) fn split_at(&self, sum: &Linear, m: i64) -> Option<Option<SplitAt>> {
        let coefs = sum.terms().map(|t| t.1);
        if self.bounded {
            let whole = sum.terms().all(|(_, c)| c.abs() == 1) || self.stays_whole(sum, m);
            return whole.then_some(None);
        }
        let Some((g, period)) = greatest_factor(coefs, m, |g| self.values_of_rest(sum, &[], g))
        else {
            return Some(None);
        };
        let below = sum.terms().filter(|t| !is_multiple(t.1, g));
        let low = below.fold(0, |low, (v, _)| low | 1 << v);
        let variables = sum.terms().map(|t| t.0);
        let split = SplitAt { g, period, low };
        self.are_without_strides(variables).then_some(Some(split))
    }

    /// Whether a sum does not split at any factor of `m`, with what constraints say of its parts.
    #[inline(never)]
    fn stays_whole(&self, sum: &Linear, m: i64) -> bool {
        self.has_no_rest(sum, m, |low, g| {
            let values = match low.has_several() {
                true if !self.sums_are_known => None,
                true => self.values_with_facts(low),
                false => self.far_from_the_ends(low),
            };
            values.is_none_or(|values| one_period(values, g).is_some())
        })
    }

    /// Whether a sum does not split at any factor of `m`, whatever its constant.
    pub(super) fn never_splits(&self, sum: &Linear, m: i64) -> bool {
        self.has_no_rest(sum, m, |low, g| {
            let (least, greatest) = low.bounds(&self.values);
            greatest - least < g
        })
    }

    /// Whether of no factor that a coefficient has in common with `m` what is no multiple of it may lie in one period.
    fn has_no_rest(&self, sum: &Linear, m: i64, lies: impl Fn(&Linear, i64) -> bool) -> bool {
        sum.terms().all(|(_, c)| {
            let g = if c.abs() == 1 { 1 } else { gcd(c, m) };
            g == 1 || {
                let mut low = *sum;
                low.change(|_, c| if is_multiple(c, g) { 0 } else { c });
                !lies(&low, g)
            }
        })
    }

    /// `sum += coef * (inner floordiv m)`, or `mod m`, for a sum with digits, of which nothing more is known than of its variables. `None`
    /// if it does not split.
    pub(super) fn add_divided_at_a_factor(
        &self,
        sum: &mut Sum,
        coef: i64,
        op: Op,
        inner: &Sum,
        m: i64,
    ) -> Option<()> {
        let variables = inner.linear.terms().map(|t| t.0);
        let variables = variables.chain(inner.digits.iter().map(|d| d.variable));
        if self.bounded || !self.are_without_strides(variables) {
            return None;
        }
        let coefs = inner.linear.terms().map(|t| t.1);
        let coefs = coefs.chain(inner.digits.iter().map(|d| d.coef));
        let values = |g| self.values_of_rest(&inner.linear, &inner.digits, g);
        let (g, period) = greatest_factor(coefs, m, values).filter(|b| b.0 < m)?;
        let mut high = Sum::default();
        high.linear.k = period;
        let low_coef = if op == Op::Mod { coef } else { 0 };
        for (v, c) in inner.linear.terms() {
            if is_multiple(c, g) {
                high.linear.set(v, c / g);
            } else {
                sum.linear.add(v, small(c * low_coef)?)?;
            }
        }
        for d in inner.digits.iter() {
            if is_multiple(d.coef, g) {
                let coef = d.coef / g;
                high.digits.push(Digit { coef, ..*d })?;
            } else if low_coef != 0 {
                let coef = small(d.coef * low_coef)?;
                sum.add_digit(Digit { coef, ..*d })?;
            }
        }
        let mut coef = coef;
        if op == Op::Mod {
            let k = wide_product(inner.linear.k - period * g, coef)?;
            sum.linear.add_constant(k)?;
            coef = small(coef * g)?;
        }
        sum.add_divided(&self.values, coef, op, &high, m / g)?
            .then_some(())
    }

    /// The values of what is no multiple of a factor.
    #[inline(always)]
    fn values_of_rest(&self, linear: &Linear, digits: &[Digit], g: i64) -> Interval {
        let (mut lower, mut upper) = (linear.k, linear.k);
        let mut add = |c: i64, values: Interval| {
            let (x, y) = (c * values.lower, c * values.upper);
            lower += x.min(y);
            upper += x.max(y);
        };
        for (v, c) in linear.terms().filter(|t| !is_multiple(t.1, g)) {
            add(c, self.values[v].interval);
        }
        for d in digits.iter().filter(|d| !is_multiple(d.coef, g)) {
            add(d.coef, d.values(&self.values));
        }
        Interval { lower, upper }
    }
}

/// The greatest factor that a coefficient has in common with `m`, in one period of which what is no multiple of it lies, and that period.
#[inline(always)]
fn greatest_factor(
    coefs: impl Iterator<Item = i64>,
    m: i64,
    values_of_rest: impl Fn(i64) -> Interval,
) -> Option<(i64, i64)> {
    let mut best: Option<(i64, i64)> = None;
    for g in coefs.map(|c| gcd(c, m)) {
        if g == 1 || best.is_some_and(|b| b.0 >= g) {
            continue;
        }
        if let Some(period) = one_period(values_of_rest(g), g) {
            best = Some((g, period));
        }
    }
    best
}
