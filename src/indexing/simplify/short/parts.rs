//! Constraints on sums of variables, of digits and of quotients that have no variable in common: what stands at the same place of two
//! axes in one interval. Their parts are to them what variables are to the sums in `constraints.rs`.

use super::super::arena::{Arena, NodeId};
use super::super::emit::build;
use super::super::known::{Empty, Known, Outcome};
use super::super::linear::{INF, gcd};
use super::Short;
use super::constraints::{Cut, Range, cut, divided};
use super::decompose::{Splits, decomposed, find_splits, pinned};
use super::digits::{Digit, Left};
use super::sum::{FAR, Linear, Quotient, Sum, VARIABLES, Values, small, value};
use super::window::Window;
use super::write::takes_constant;
use crate::expr::Op;
use crate::interval::Interval;
use smallvec::SmallVec;
use std::cmp::Ordering;

/// Parts beyond which a map takes the long way.
const FEW: usize = 6;

/// What a sum is made of, each taken once.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Variable,
    /// `(v floordiv a) mod (b / a)`
    Digit(Digit),
    Quotient(Quotient),
}

/// A part of a sum, this many times.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    kind: Kind,
    coef: i64,
    /// Its first variable; sums are ordered by it.
    first: usize,
    /// Its values.
    values: (i64, i64),
}

/// The parts in the order of their first variables.
pub(super) type Parts = SmallVec<[Part; 4]>;

/// `parts in [lower, upper]`, for several parts, not all of them variables.
#[derive(Clone, Debug)]
pub(super) struct RangeOfParts {
    pub(super) parts: Parts,
    lower: i64,
    upper: i64,
}

impl Part {
    fn variable(v: usize, coef: i64, values: &Values) -> Part {
        let Interval { lower, upper } = values[v].interval;
        Part {
            kind: Kind::Variable,
            coef,
            first: v,
            values: (lower, upper),
        }
    }

    /// What is divided, and by what, if it has no upper end: `x floordiv m`.
    fn dividend(&self) -> Option<(Linear, i64)> {
        match self.kind {
            Kind::Digit(Digit {
                variable,
                a,
                b: INF,
                ..
            }) => Some((Linear::of(variable, 1), a)),
            Kind::Quotient(q) => Some((q.sum, q.m)),
            _ => None,
        }
    }

    /// As the order of terms in `../order.rs`: by first variable, whole variables before digits, high places before low ones, then by
    /// what is inside; then by coefficient.
    fn order(&self, other: &Part) -> Ordering {
        let key = |p: &Part| match p.kind {
            Kind::Variable => (p.first, 0, 0, 0),
            Kind::Digit(d) => (p.first, 1, -d.a, d.b),
            Kind::Quotient(q) => (p.first, 1, -q.m, INF),
        };
        let inside = |p: &Part| match p.kind {
            Kind::Quotient(q) => q.sum,
            _ => Linear::of(p.first, 1),
        };
        let same = || {
            let (x, y) = (inside(self), inside(other));
            let terms = x.terms().cmp(y.terms());
            terms.then(x.k.cmp(&y.k))
        };
        let kinds = key(self).cmp(&key(other)).then_with(same);
        kinds.then(self.coef.cmp(&other.coef))
    }
}

impl RangeOfParts {
    pub(super) fn interval(&self) -> Interval {
        Interval::new(self.lower, self.upper)
    }

    pub(super) fn order(&self, other: &RangeOfParts) -> Ordering {
        order(&self.parts, &other.parts)
    }

    /// As [`RangeOfParts::order`], compared with a sum of variables.
    pub(super) fn order_with(&self, sum: &Linear, values: &Values) -> Ordering {
        let terms = sum.terms().map(|(v, c)| Part::variable(v, c, values));
        let terms: SmallVec<[Part; 4]> = terms.collect();
        order(&self.parts, &terms)
    }

    /// Whether it holds for the values that a window leaves of `x mod m`, which stands in it.
    pub(super) fn is_implied_by(&self, w: &Window) -> bool {
        let upper = w.lower + w.extra;
        let Some(v) = w.variable().filter(|_| upper < w.m) else {
            return false;
        };
        let same = |p: &Part| match p.kind {
            Kind::Digit(d) => d.variable == v && (d.a, d.b) == (1, w.m),
            _ => false,
        };
        let mut parts = self.parts.clone();
        for p in parts.iter_mut().filter(|p| same(p)) {
            p.values = (w.lower, upper);
        }
        let (least, greatest) = bounds(&parts);
        self.parts.iter().any(same) && self.lower <= least && greatest <= self.upper
    }

    /// Whether only variables of it may be left modulo `m`.
    pub(super) fn may_be_linear(&self, m: i64) -> bool {
        let mut parts = self.parts.iter();
        parts.all(|p| matches!(p.kind, Kind::Variable) || p.coef % m == 0)
    }
}

fn order(x: &[Part], y: &[Part]) -> Ordering {
    let mut pairs = x.iter().zip(y).map(|(p, q)| p.order(q));
    let first = pairs.find(|o| *o != Ordering::Equal);
    first.unwrap_or_else(|| x.len().cmp(&y.len()))
}

/// The ends of the values of the sum.
fn bounds(parts: &[Part]) -> (i64, i64) {
    let (mut least, mut greatest) = (0, 0);
    for p in parts {
        let (x, y) = (p.coef * p.values.0, p.coef * p.values.1);
        least += x.min(y);
        greatest += x.max(y);
    }
    (least, greatest)
}

/// The parts as if they were variables, by their places: the sum, and what is known of them.
fn as_variables(parts: &[Part]) -> (Linear, Values) {
    let mut sum = Linear::default();
    let mut values = [Known::new(Interval::point(0)); VARIABLES];
    for (i, p) in parts.iter().enumerate() {
        sum.set(i, p.coef);
        values[i] = Known::new(Interval::new(p.values.0, p.values.1));
    }
    (sum, values)
}

/// The parts at places, with other coefficients.
fn at_places(parts: &[Part], sum: &Linear) -> Parts {
    sum.terms()
        .map(|(i, coef)| Part { coef, ..parts[i] })
        .collect()
}

impl Short {
    /// Adds `sum in [lower, upper]`. `None` if a variable stands at several places of it, or has a stride in a quotient.
    pub(super) fn add_sum(&mut self, sum: &Sum, (lower, upper): (i64, i64)) -> Option<Outcome> {
        let parts = self.parts(sum)?;
        let (lower, upper) = (lower - sum.linear.k, upper - sum.linear.k);
        self.add_parts_in(parts, (lower, upper))
    }

    /// The parts of a sum, without its constant.
    fn parts(&self, sum: &Sum) -> Option<Parts> {
        if sum.remainder.is_some() {
            return None;
        }
        let mut parts = Parts::new();
        for (v, c) in sum.linear.terms() {
            parts.push(Part::variable(v, c, &self.values));
        }
        for d in sum.digits.iter() {
            if parts.iter().any(|p| p.first == d.variable) {
                return None;
            }
            let values = d.values(&self.values);
            parts.push(Part {
                kind: Kind::Digit(Digit { coef: 1, ..*d }),
                coef: d.coef,
                first: d.variable,
                values: (values.lower, values.upper),
            });
        }
        for q in sum.quotients.iter() {
            let strided = q.sum.terms().any(|(v, _)| self.values[v].stride > 1);
            if strided || !q.is_read_again() {
                return None;
            }
            // As small as a variable: products with factors fit then.
            let (lower, upper) = q.sum.bounds(&self.values);
            let values = (value(lower.div_euclid(q.m))?, value(upper.div_euclid(q.m))?);
            parts.push(Part {
                kind: Kind::Quotient(*q),
                coef: q.coef,
                first: q.sum.first()?.0,
                values,
            });
        }
        if parts.len() > FEW {
            return None;
        }
        parts.sort_by_key(|p| p.first);
        Some(parts)
    }

    /// Adds `parts in [lower, upper]` and what follows from it alone. As
    /// [`Constraints::step`](super::super::constraints::Constraints::step).
    fn add_parts_in(
        &mut self,
        mut parts: Parts,
        (mut lower, mut upper): (i64, i64),
    ) -> Option<Outcome> {
        if lower > upper {
            return Some(Err(Empty));
        }
        if parts.iter().all(|p| matches!(p.kind, Kind::Variable)) {
            let mut sum = Linear::default();
            for p in &parts {
                sum.set(p.first, p.coef);
            }
            return self.add_range(&sum, (lower, upper));
        }
        let (mut low_free, mut high_free) = match cut(bounds(&parts), (lower, upper)) {
            Cut::Implied => return Some(Ok(())),
            Cut::Excluded => return Some(Err(Empty)),
            Cut::To(low, high, free) => {
                (lower, upper) = (low, high);
                free
            }
        };
        let mut g = parts.iter().fold(0, |g, p| gcd(g, p.coef));
        if parts[0].coef < 0 {
            g = -g;
            (low_free, high_free) = (high_free, low_free);
        }
        if g != 1 {
            parts.iter_mut().for_each(|p| p.coef /= g);
            (lower, upper) = divided((lower, upper), g);
            if lower > upper {
                return Some(Err(Empty));
            }
        }
        if let [p] = parts[..] {
            return match (p.kind, p.dividend()) {
                (_, Some((sum, m))) => self.add_dividend(&sum, m, (lower, upper)),
                (Kind::Digit(d), None) => self.add_digit(d, 0, (lower, upper)),
                _ => None,
            };
        }
        if let Some(dividend) = self.without_quotient(&parts, (lower, upper)) {
            let (sum, ends) = dividend?;
            return self.add_parts_in(sum, ends);
        }
        if parts.iter().any(|p| p.coef.abs() > 1)
            && let Some(outcome) = self.add_split(&parts, (lower, low_free), (upper, high_free))
        {
            return outcome;
        }
        self.leave_signs_open(&parts)?;
        let sums = &mut self.round.sums;
        if sums.iter().any(|s| order(&s.parts, &parts).is_eq()) {
            return None;
        }
        sums.push(RangeOfParts {
            parts,
            lower,
            upper,
        });
        Some(Ok(()))
    }

    /// Adds what is left of `parts in [lower, upper]` where one part can have one value only, or the parts nest like digits; an end may be
    /// free.
    #[expect(clippy::option_option, reason = "not so, and not on this way")]
    fn add_split(
        &mut self,
        parts: &[Part],
        (lower, low_free): (i64, bool),
        (upper, high_free): (i64, bool),
    ) -> Option<Option<Outcome>> {
        let (sum, values) = as_variables(parts);
        let mut splits = Splits::new();
        find_splits(&values, &sum, &mut splits);
        if let Some((split, value)) = pinned(&splits, lower, upper) {
            let moved = split.g * value;
            let (high, rest) = split.parts(&sum);
            let (high, rest) = (at_places(parts, &high), at_places(parts, &rest));
            let outcome = self.add_parts_in(rest, (lower - moved, upper - moved));
            return Some(match outcome {
                Some(Ok(())) => self.add_parts_in(high, (value, value)),
                outcome => outcome,
            });
        }
        let (split, low, high) = decomposed(&mut splits, (lower, low_free), (upper, high_free))?;
        let (above, _) = split.parts(&sum);
        let (least, greatest) = above.bounds(&values);
        let ends = (low.unwrap_or(least), high.unwrap_or(greatest));
        Some(self.add_parts_in(at_places(parts, &above), ends))
    }

    /// Some quotients are told from their negations by nothing but the order of variables. With the others their factors change signs, or
    /// those of what stands beside them if one of them is the first part, which is positive. `None` if a number may be smaller then.
    fn leave_signs_open(&mut self, parts: &[Part]) -> Option<()> {
        let mut open = 0u32;
        for (i, p) in parts.iter().enumerate() {
            if let Kind::Quotient(q) = p.kind
                && q.sum.has_several()
                && q.sum.takes_either_sign(&self.values, INF)
            {
                let inside = q.sum.terms().any(|t| t.1.abs() > 1);
                if inside || takes_constant(q.sum.k, q.m) {
                    return None;
                }
                open |= 1 << i;
            }
        }
        let change = if open & 1 == 0 { open } else { !open };
        for (_, p) in parts
            .iter()
            .enumerate()
            .filter(|(i, _)| change >> i & 1 != 0)
        {
            if p.coef < 0 {
                return None;
            }
            if p.coef > 1 {
                self.open.push(p.coef)?;
            }
        }
        Some(())
    }

    /// `y + x floordiv p in [l, u] -> p * y + x in [p * l, p * u + p - 1]`, if x is the only such part; what is not small is `Some(None)`.
    #[expect(clippy::option_option, reason = "no such part, and no such sum")]
    fn without_quotient(
        &self,
        parts: &[Part],
        (lower, upper): (i64, i64),
    ) -> Option<Option<(Parts, (i64, i64))>> {
        let is_unit = |p: &&Part| p.coef.abs() == 1 && p.dividend().is_some();
        let mut units = parts.iter().filter(is_unit);
        let unit = units.next()?;
        if units.next().is_some() {
            return None;
        }
        let (sum, m) = unit.dividend()?;
        let sign = unit.coef;
        let mut all = Parts::new();
        for p in parts.iter().filter(|p| p.first != unit.first) {
            let Some(coef) = small(p.coef * m) else {
                return Some(None);
            };
            all.push(Part {
                coef: coef * sign,
                ..*p
            });
        }
        for (v, c) in sum.terms() {
            all.push(Part::variable(v, c, &self.values));
        }
        all.sort_by_key(|p| p.first);
        let (lower, upper) = match sign {
            1 => (lower, upper),
            _ => (-upper, -lower),
        };
        let far = |v: i64| v.saturating_mul(m).clamp(-FAR, FAR);
        let ends = (far(lower) - sum.k, far(upper) + m - 1 - sum.k);
        Some(Some((all, ends)))
    }

    /// Reads the sums of the last round again.
    #[inline(never)]
    pub(super) fn add_sums_again(&mut self) -> Option<Outcome> {
        for range in &std::mem::take(&mut self.last.sums) {
            if let Err(Empty) = self.add_parts_again(range)? {
                return Some(Err(Empty));
            }
        }
        Some(Ok(()))
    }

    /// What is left of a constraint of the last round, read again.
    fn add_parts_again(&mut self, range: &RangeOfParts) -> Option<Outcome> {
        let mut sum = Sum::default();
        for p in &range.parts {
            match p.kind {
                Kind::Variable => match self.values[p.first].interval.as_point() {
                    Some(value) => sum.linear.add_constant(value * p.coef)?,
                    None => sum.linear.add(p.first, p.coef)?,
                },
                Kind::Digit(d) => match self.digit_again(d)? {
                    Left::Constant(value) => sum.linear.add_constant(value * p.coef)?,
                    Left::Digit(d) => sum.add_digit(Digit { coef: p.coef, ..d })?,
                },
                Kind::Quotient(q) => {
                    let inner = self.of_points(&q.sum);
                    self.add_quotient(&mut sum, p.coef, Op::FloorDiv, &inner, q.m)?;
                }
            }
        }
        sum.merge(&self.values)?;
        if !sum.parts_are_apart() {
            return None;
        }
        self.add_constraint(&sum, (range.lower, range.upper))
    }

    /// What is left of a digit, for what is known of its variable now.
    fn digit_again(&self, digit: Digit) -> Option<Left> {
        let Digit { variable, a, b, .. } = digit;
        let mut left = match self.values[variable].interval.as_point() {
            Some(value) => Left::Constant(value),
            None => Left::Digit(Digit::of(variable)),
        };
        let modulus = if b == INF { 1 } else { b / a };
        for (op, m) in [(Op::FloorDiv, a), (Op::Mod, modulus)] {
            left = match left {
                left if m == 1 => left,
                Left::Constant(v) if op == Op::Mod => Left::Constant(v.rem_euclid(m)),
                Left::Constant(v) => Left::Constant(v.div_euclid(m)),
                Left::Digit(d) => d.digit(&self.values, op, m)?,
            };
        }
        Some(left)
    }

    /// What the sums of the round imply for the variables.
    #[inline(never)]
    pub(super) fn derive_from_sums(&mut self) -> Outcome {
        let sums = std::mem::take(&mut self.round.sums);
        let outcome = sums.iter().try_for_each(|r| self.derive_from_parts(r));
        self.round.sums = sums;
        outcome
    }

    /// What `parts in [lower, upper]` implies for the variables.
    fn derive_from_parts(&mut self, range: &RangeOfParts) -> Outcome {
        let (least, greatest) = bounds(&range.parts);
        // What the others leave: from `lower - greatest` on, up to `upper - least`.
        let (down, up) = (range.lower - greatest, range.upper - least);
        for p in &range.parts {
            let (x, y) = (p.coef * p.values.0, p.coef * p.values.1);
            let (low, high) = (down + x.max(y), up + x.min(y));
            if low <= x.min(y) && high >= x.max(y) {
                continue;
            }
            let (low, high) = divided((low, high), p.coef);
            if low > high {
                return Err(Empty);
            }
            if let Kind::Variable = p.kind {
                self.intersect(p.first, (low, high))?;
            } else if let Some((sum, m)) = p.dividend()
                && (low > p.values.0 || high < p.values.1)
            {
                let far = |v: i64| v.saturating_mul(m).clamp(-FAR, FAR);
                self.derive(&Range {
                    sum: sum.without_constant(),
                    lower: far(low) - sum.k,
                    upper: far(high) + m - 1 - sum.k,
                })?;
            }
        }
        Ok(())
    }

    /// The sum as it is written in a constraint.
    pub(super) fn write_parts(&self, arena: &mut Arena, parts: &[Part]) -> NodeId {
        let mut items: SmallVec<[(NodeId, i64); 8]> = SmallVec::new();
        for p in parts {
            let node = match &p.kind {
                Kind::Variable => self.variable(arena, p.first),
                Kind::Digit(d) => self.write_digit(arena, d),
                Kind::Quotient(q) => self.write_quotient(arena, q),
            };
            items.push((node, p.coef));
        }
        build(arena, &items, 0)
    }
}
