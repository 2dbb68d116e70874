//! Quotients of sums of variables that stay quotients, alone or beside other terms, and those of one variable with a stride.
//!
//! Of `(m * x + y + k) floordiv m` multiples go out, of the rest only the constant moves: into one period, and to where a congruence of
//! the variable leaves it. `c * m * (x floordiv m) -> c * (x - r)` where `x = r` modulo m.

use super::super::div_mod::one_period;
use super::super::known::Known;
use super::super::linear::{INF, gcd};
use super::Short;
use super::digits::{Digit, Left, SEVERAL, is_multiple};
use super::one::One;
use super::sum::{Linear, Quotient, Sum, small, value, wide, wide_product};
use super::write::takes_constant;
use crate::expr::Op;
use crate::interval::Interval;

/// What becomes of the quotient of one variable, times the factor: `scale * (what is left) + out`.
pub(super) enum Quotiented {
    Constant(i64),
    /// The variable, this many times.
    Multiple(i64),
    /// `(u * x + k) floordiv m`.
    Stays(i64, i64, i64),
}

/// What becomes of the quotient of a sum of several variables to which no other rule applies.
enum Stays {
    AsItIs {
        /// Nothing but the order of variables tells it from its negation.
        open: bool,
    },
    /// It is one of the negated sum.
    Negated,
}

impl Short {
    /// Whether constraints say something of a sum.
    #[inline(always)]
    pub(super) fn has_facts(&self, sum: &Linear) -> bool {
        self.sums_are_known && !self.round.ranges.is_empty() && sum.has_several()
    }

    /// Whether it is a sum of several variables without strides, each of them once.
    #[inline(always)]
    pub(super) fn is_plain(&self, sum: &Linear) -> bool {
        let mut terms = sum.terms();
        sum.has_several() && terms.all(|(v, c)| c == 1 && self.values[v].stride == 1)
    }

    /// The values of a sum; `None` where the order of the rules decides what leaves 64 bits.
    #[inline(always)]
    pub(super) fn far_from_the_ends(&self, sum: &Linear) -> Option<Interval> {
        let (lower, upper) = sum.bounds(&self.values);
        Some(Interval::new(wide(lower)?, wide(upper)?))
    }

    /// As [`Short::far_from_the_ends`], with what constraints say of the sum.
    pub(super) fn values_with_facts(&self, sum: &Linear) -> Option<Interval> {
        let Interval {
            mut lower,
            mut upper,
        } = self.far_from_the_ends(sum)?;
        if let Some((_, first)) = sum.first() {
            for r in &self.round.ranges {
                // Their first coefficient is positive.
                let sign = first.signum();
                let mut coefs = sum.terms();
                if r.sum.used() == sum.used() && coefs.all(|(v, c)| r.sum.coef(v) * sign == c) {
                    let (x, y) = (wide(r.lower)? * sign, wide(r.upper)? * sign);
                    lower = lower.max(x.min(y) + sum.k);
                    upper = upper.min(x.max(y) + sum.k);
                }
            }
        }
        Some(Interval { lower, upper })
    }

    /// No rule applies to the quotient of a sum of several variables, this many times, none of which is a multiple, with a constant in
    /// one period. `None` if one may.
    fn quotient_stays(
        &self,
        (sum, m, coef): (&Linear, i64, i64),
        values: Interval,
    ) -> Option<Stays> {
        let Interval { lower, upper } = values;
        // Only a sign: a smaller divisor may do.
        let least = (-lower).max(upper + 1);
        let sign = lower < 0 && upper >= 0 && least <= m && least > sum.k;
        // Less than a period.
        if sign || upper - lower < m {
            return None;
        }
        if self.is_plain(sum) {
            return Some(Stays::AsItIs { open: false });
        }
        let (mut unit, mut large, mut far) = (false, false, false);
        let mut inside = takes_constant(sum.k, m);
        for (v, c) in sum.terms() {
            let known = &self.values[v];
            let size = c.abs();
            if known.stride > 1 {
                return None;
            }
            unit |= size == 1;
            inside |= size > 1;
            large |= size * 2 > m;
            far |= known.interval.upper - known.interval.lower >= m;
        }
        // It may be a multiple and what lies in one period: what is left is never smaller than with the nearest multiples.
        let multiple = large && !far && {
            let rests = sum.terms().map(|(v, c)| {
                let b = self.values[v].interval;
                let r = c.rem_euclid(m);
                r.min(m - r) * (b.upper - b.lower)
            });
            rests.sum::<i64>() < m
        };
        if multiple || !unit {
            return None;
        }
        // The same of a form that may as well be negated, or numbers in it or beside it that are smaller then.
        let negated = 0 <= lower && lower < m && m <= upper && upper < 2 * m;
        let open = (negated || inside || coef != 1) && sum.takes_either_sign(&self.values, INF);
        if open && (negated || inside || coef < 1) {
            return None;
        }
        Some(match sum.positive(&self.values, INF)? {
            true => Stays::AsItIs { open },
            false => Stays::Negated,
        })
    }

    /// `(u * x + k) floordiv m`, as the rules of digits leave it: what is left, a factor, and what is added.
    pub(super) fn quotient_of_one(&self, one: One, m: i64) -> Option<(Quotiented, i64, i64)> {
        let Known {
            interval: bounds,
            stride,
            offset,
        } = self.values[one.variable];
        let (mut u, mut k, mut m) = (one.u, one.k, m);
        let (mut scale, mut out) = (1, 0i64);
        loop {
            if k < 0 || k >= m {
                let q = k.div_euclid(m);
                out += scale * q;
                k -= q * m;
            }
            let (v, w) = (u * bounds.lower + k, u * bounds.upper + k);
            let values = Interval::new(v.min(w), v.max(w));
            if let Some(period) = one_period(values, m) {
                return Some((Quotiented::Constant(period), scale, out));
            }
            let g = gcd(u, m);
            if g == m {
                return Some((Quotiented::Multiple(u / m), scale, out));
            }
            if g > 1 {
                (u, k, m) = (u / g, k.div_euclid(g), m / g);
                continue;
            }
            if stride > 1 && k != 0 {
                // `u * x + k = r` modulo g: what lies below the stride does not matter.
                let g = gcd(m, stride);
                let r = (u * offset + k) % g;
                if r != 0 {
                    k = (k - r.rem_euclid(g)).max(0);
                    continue;
                }
            }
            // Where the stride is a multiple of the divisor, it rises by less than a whole multiple of the variable.
            if bounds.upper - bounds.lower < SEVERAL * stride && (stride == 1 || stride % m != 0) {
                let steps = (bounds.upper - bounds.lower) / stride;
                // So few values may lie on a line, as two always do.
                let value = |i: i64| (u * (bounds.lower + i * stride) + k).div_euclid(m);
                let (first, rise) = (value(0), value(1) - value(0));
                if (2..=steps).all(|i| value(i) == first + i * rise) {
                    if rise % stride == 0 {
                        let slope = rise / stride;
                        out += scale * (first - slope * bounds.lower);
                        return Some((Quotiented::Multiple(slope), scale, out));
                    }
                    if rise.abs() == 1 {
                        // The number of the step.
                        return None;
                    }
                }
            }
            if u < 0 {
                (u, k, out, scale) = (-u, -k - 1, out - scale, -scale);
                continue;
            }
            // It may be a multiple and what lies in one period; or only a sign.
            let Interval { lower, upper } = values;
            if (u * 2 > m && u != 1 && bounds.upper - bounds.lower < m)
                || (lower < 0 && upper >= 0 && (-lower).max(upper + 1) <= m)
            {
                return None;
            }
            return Some((Quotiented::Stays(u, k, m), scale, out));
        }
    }

    /// `sum += coef * (inner floordiv m)`, or rounded up, if what is left of the quotient is known.
    pub(super) fn add_quotient(
        &self,
        sum: &mut Sum,
        coef: i64,
        op: Op,
        inner: &Linear,
        m: i64,
    ) -> Option<()> {
        let mut rest = *inner;
        if op == Op::CeilDiv {
            rest.k += m - 1;
        }
        let facts = self.has_facts(inner);
        let mut known = None;
        if facts {
            let values = self.values_with_facts(&rest)?;
            if let Some(period) = one_period(values, m) {
                return sum.linear.add_constant(wide_product(period, coef)?);
            }
            known = Some(values);
        }
        for (v, c) in inner.terms() {
            if is_multiple(c, m) {
                sum.linear.add(v, small(coef * (c / m))?)?;
                rest.set(v, 0);
            }
        }
        if let Some((v, c)) = rest.single() {
            let one = One {
                variable: v,
                u: c,
                k: value(rest.k)?,
            };
            // It may lie in one period for what is known of it.
            let bounded = self.bounded && inner.has_several();
            return self.add_floor_of_one(sum, coef, one, m, bounded);
        }
        let q = rest.k.div_euclid(m);
        rest.k -= q * m;
        sum.linear.add_constant(wide_product(q, coef)?)?;
        let values = match known {
            // Only the constant moved.
            Some(v) if rest.used() == inner.used() => {
                Interval::new(v.lower - q * m, v.upper - q * m)
            }
            Some(_) => self.values_with_facts(&rest)?,
            None => self.far_from_the_ends(&rest)?,
        };
        if let Some(period) = one_period(values, m) {
            return sum.linear.add_constant(wide_product(period, coef)?);
        }
        if let Some(split) = self.split_at(&rest, m)? {
            // (g * x + y) floordiv (g * n) -> x floordiv n
            let high = split.high(&rest);
            return self.add_quotient(sum, coef, Op::FloorDiv, &high, m / split.g);
        }
        match self.quotient_stays((&rest, m, coef), values)? {
            Stays::AsItIs { open } => sum.quotients.push(Quotient {
                sum: rest,
                m,
                coef,
                open,
            }),
            Stays::Negated => self.add_negated_quotient(sum, coef, rest, m, values),
        }
    }

    /// `x floordiv m -> -((-x + m - 1) floordiv m)`, for x with a constant in one period.
    #[inline(never)]
    fn add_negated_quotient(
        &self,
        sum: &mut Sum,
        coef: i64,
        mut x: Linear,
        m: i64,
        values: Interval,
    ) -> Option<()> {
        if x.takes_either_sign(&self.values, INF) {
            return None;
        }
        x.change(|_, c| -c);
        x.k = m - 1 - x.k;
        let coef = -coef;
        let values = Interval::new(m - 1 - values.upper, m - 1 - values.lower);
        match self.quotient_stays((&x, m, coef), values)? {
            Stays::AsItIs { open } => {
                let sum = &mut sum.quotients;
                sum.push(Quotient {
                    sum: x,
                    m,
                    coef,
                    open,
                })
            }
            Stays::Negated => None,
        }
    }

    /// `(y + x floordiv p + up) floordiv m -> (p * (y + up) + x) floordiv (p * m)` for sums y of other variables: what is divided then, and
    /// by what, if there is one quotient. `None` if there is something else beside it, or if a number is not small.
    #[expect(clippy::option_option, reason = "no such quotient, and no such sum")]
    pub(super) fn dividend_of_quotient(
        &self,
        inner: &Sum,
        up: i64,
        m: i64,
    ) -> Option<Option<(Linear, i64)>> {
        let y = &inner.linear;
        let (x, p, sign) = match (&inner.quotients[..], &inner.digits[..]) {
            _ if inner.remainder.is_some() => return Some(None),
            ([q], []) => (q.sum, q.m, q.coef),
            // A digit alone is the digit of a digit.
            ([], [d]) if d.b == INF && (y.used() != 0 || y.k + up != 0) => {
                (Linear::of(d.variable, 1), d.a, d.coef)
            }
            _ => return Some(None),
        };
        // Constraints may say something of the sum as it is, and of what it becomes.
        if self.bounded || sign.abs() != 1 || x.used() & y.used() != 0 {
            return if inner.quotients.is_empty() {
                Some(None)
            } else {
                None
            };
        }
        let (least, greatest) = x.bounds(&self.values);
        let alone = y.terms().all(|(_, c)| is_multiple(c, m));
        if alone && greatest.div_euclid(p) - least.div_euclid(p) < SEVERAL {
            // So few values may lie on a line.
            return None;
        }
        // -(x floordiv p) = (-x + p - 1) floordiv p
        let k = if sign < 0 { p - 1 - x.k } else { x.k };
        let mut sum = Linear::default();
        sum.k = wide_product(y.k + up, p)?;
        sum.add_constant(k)?;
        for (v, c) in x.terms() {
            sum.set(v, c * sign);
        }
        for (v, c) in y.terms() {
            sum.set(v, small(c * p)?);
        }
        Some(Some((sum, small(m * p)?)))
    }

    /// `sum += coef * ((u * x + k) floordiv m)`, which is no digit of x if it is bounded.
    pub(super) fn add_floor_of_one(
        &self,
        sum: &mut Sum,
        coef: i64,
        one: One,
        m: i64,
        bounded: bool,
    ) -> Option<()> {
        let x = one.variable;
        if (one.u, one.k) == (1, 0)
            && !bounded
            && let Some(left) = Digit::of(x).digit(&self.values, Op::FloorDiv, m)
        {
            return match left {
                Left::Constant(v) => sum.linear.add_constant(v * coef),
                Left::Digit(d) => sum.add_digit(Digit { coef, ..d }),
            };
        }
        let known = &self.values[x];
        if known.stride > 1 && coef.abs() > 1 {
            let g = if one.u.abs() == 1 { 1 } else { gcd(one.u, m) };
            let (u, k, m) = (one.u / g, one.k.div_euclid(g), m / g);
            if is_multiple(coef, m) && known.stride % m == 0 {
                // What is left of the remainder is known.
                let (n, r) = (coef / m, (u * known.offset + k).rem_euclid(m));
                sum.linear.add_constant(wide_product(k - r, n)?)?;
                return sum.linear.add(x, small(n * u)?);
            }
        }
        let (left, scale, out) = self.quotient_of_one(one, m)?;
        let scaled = coef * scale;
        sum.linear.add_constant(wide_product(out, coef)?)?;
        let (u, k, m) = match left {
            Quotiented::Constant(v) => return sum.linear.add_constant(wide_product(v, scaled)?),
            Quotiented::Multiple(n) => return sum.linear.add(x, small(small(n)? * scaled)?),
            Quotiented::Stays(u, k, m) => (u, k, m),
        };
        sum.quotients.push(Quotient {
            sum: One { u, k, ..one }.linear(),
            m,
            coef: scaled,
            open: false,
        })
    }
}
