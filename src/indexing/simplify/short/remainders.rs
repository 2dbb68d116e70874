//! Remainders of sums of variables that stay remainders, beside other terms and in sums that are divided.
//!
//! Of a sum modulo m coefficients and constant count modulo m; at a factor of m it splits: `(g * x + y) mod (g * n) -> g * (x mod n) + y`
//! for y in one period of g. `(c * (x mod n)) mod m -> (c * x) mod m` where m divides `c * n`.

use super::super::div_mod::one_period;
use super::super::linear::gcd;
use super::super::plans::nearest;
use super::Short;
use super::digits::{Digit, Left, SEVERAL};
use super::sum::{Bits, Linear, Remainder, Sum, small, wide_product};
use crate::expr::Op;
use crate::interval::Interval;

impl Short {
    /// `sum += coef * (inner mod m)`, where no digit is in it and its values are not known to lie in one period.
    pub(super) fn add_remainder_of(
        &self,
        sum: &mut Sum,
        coef: i64,
        inner: &Linear,
        m: i64,
    ) -> Option<()> {
        let mut rest = *inner;
        rest.change(|_, c| nearest(c, m));
        rest.k = rest.k.rem_euclid(m);
        if let Some(split) = self.split_at(&rest, m)? {
            // (g * x + y) mod (g * n) -> g * (x mod n) + y
            let (g, period) = (split.g, split.period);
            for v in Bits(split.low) {
                sum.linear.add(v, small(rest.coef(v) * coef)?)?;
            }
            sum.linear
                .add_constant(wide_product(rest.k - period * g, coef)?)?;
            let (high, coef, m) = (split.high(&rest), small(coef * g)?, m / g);
            if high.k == 0
                && let Some((v, 1)) = high.single()
            {
                return match Digit::of(v).digit(&self.values, Op::Mod, m)? {
                    Left::Constant(v) => sum.linear.add_constant(v * coef),
                    Left::Digit(d) => sum.add_digit(Digit { coef, ..d }),
                };
            }
            return self.add_remainder_of(sum, coef, &high, m);
        }
        if sum.remainder.is_some() {
            return None;
        }
        let standing = self.standing(inner, m)?;
        // `c * ((n * x) mod m) -> (c * n * x) mod (c * m)`
        if coef != 1 && !standing.has_unit() {
            return None;
        }
        sum.remainder = Some(Remainder {
            sum: standing,
            m,
            coef,
        });
        Some(())
    }

    /// `sum += coef * (inner mod m)` of several variables, of which constraints may say something.
    pub(super) fn add_bounded_remainder(
        &self,
        sum: &mut Sum,
        coef: i64,
        inner: &mut Sum,
        m: i64,
    ) -> Option<()> {
        if !inner.is_linear() || !self.round.windows.is_empty() {
            return None;
        }
        let linear = &inner.linear;
        let values = self.values_with_facts(linear)?;
        if let Some(period) = one_period(values, m) {
            for (v, c) in linear.terms() {
                sum.linear.add(v, small(c * coef)?)?;
            }
            let k = linear.k - period * m;
            return sum.linear.add_constant(wide_product(k, coef)?);
        }
        let width = values.upper - values.lower;
        if !linear.has_unit() || (width < SEVERAL && lie_on_a_line((values.lower, 1), width, m)) {
            return None;
        }
        if sum.add_divided(&self.values, coef, Op::Mod, inner, m)? {
            return Some(());
        }
        self.add_remainder_of(sum, coef, &inner.linear, m)
    }

    /// `sum += coef * ((r + rest) floordiv m)`, or `mod m`, for a remainder r of which nothing is left or which is a multiple.
    pub(super) fn add_divided_remainder(
        &self,
        sum: &mut Sum,
        coef: i64,
        op: Op,
        (rest, r): (&mut Sum, Remainder),
        m: i64,
    ) -> Option<()> {
        let apart = rest.linear.used() & r.sum.used() == 0;
        if op == Op::CeilDiv || self.bounded || !rest.digits.is_empty() || !apart {
            return None;
        }
        let (lower, upper) = rest.linear.bounds(&self.values);
        let most = r.coef * (r.m - 1);
        if one_period(Interval::new(lower + most.min(0), upper + most.max(0)), m).is_some() {
            return None;
        }
        if op == Op::Mod && (r.coef * r.m) % m == 0 {
            // (c * (x mod n)) mod m -> (c * x) mod m
            for (v, c) in r.sum.terms() {
                rest.linear.add(v, small(c * r.coef)?)?;
            }
            rest.linear.add_constant(wide_product(r.sum.k, r.coef)?)?;
            if sum.add_divided(&self.values, coef, op, rest, m)? {
                return Some(());
            }
            return self.add_remainder_of(sum, coef, &rest.linear, m);
        }
        if r.coef % m != 0 || !sum.add_divided(&self.values, coef, op, rest, m)? {
            return None;
        }
        if op == Op::FloorDiv {
            if sum.remainder.is_some() {
                return None;
            }
            let coef = small(r.coef / m * coef)?;
            if coef != 1 && !r.sum.has_unit() {
                return None;
            }
            sum.remainder = Some(Remainder { coef, ..r });
        }
        Some(())
    }

    /// The sum with coefficients and constant modulo `m`, if no rule applies to its remainder.
    fn standing(&self, sum: &Linear, m: i64) -> Option<Linear> {
        let mut rest = *sum;
        let mut unit = false;
        for (v, c) in sum.terms() {
            let coef = nearest(c, m);
            rest.set(v, coef);
            if coef == 0 {
                continue;
            }
            // Of what is half the modulus either sign may be known.
            let factor = self.bounded && coef.abs() != 1 && gcd(coef, m) > 1;
            if self.values[v].stride > 1 || factor {
                return None;
            }
            unit |= coef.abs() == 1;
        }
        // What is hidden in other coefficients is only looked for in sums of several terms.
        if !unit && rest.has_several() {
            return None;
        }
        rest.k = rest.k.rem_euclid(m);
        let facts = self.has_facts(&rest);
        let Interval { lower, upper } = match facts {
            true => self.values_with_facts(&rest)?,
            false => {
                let (lower, upper) = rest.bounds(&self.values);
                Interval::new(lower, upper)
            }
        };
        // All of a period at least; not only a sign.
        let width = upper - lower;
        if width + 1 < m || one_period(Interval { lower, upper }, m).is_some() {
            return None;
        }
        if width < SEVERAL {
            // So few values may lie on a line, as two always do.
            let steps = match rest.single() {
                Some((v, c)) => Some((self.values[v].interval.lower * c + rest.k, c)),
                None => facts.then_some((lower, 1)),
            };
            if steps.is_some_and(|steps| lie_on_a_line(steps, width, m)) {
                return None;
            }
        }
        let stays = if m == 2 {
            // A constant is the complement.
            rest.k == 0
        } else {
            // The complement is written as what it is the complement of, but for one constant.
            rest.k != m - 1 || rest.positive(&self.values, m)?
        };
        stays.then_some(rest)
    }
}

/// Whether the remainders of `first + i * step` for i up to `width` are a multiple of i and a constant, as those of two values always are.
fn lie_on_a_line((first, step): (i64, i64), width: i64, m: i64) -> bool {
    let value = |i: i64| (first + i * step).rem_euclid(m);
    let rise = value(1) - value(0);
    (1..width).all(|i| value(i + 1) - value(i) == rise)
}
