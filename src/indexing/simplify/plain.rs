//! The short way of constraints: sums of variables in an interval, and quotients and remainders of variables and of sums (`divided.rs`).
//! They are settled as in `settle.rs`, round after round by the same rules, but nothing is kept of a sum beyond its terms. Whatever else
//! there is takes the long way, for the whole map.

use super::arena::{Arena, Node, NodeId};
use super::decompose::Splits;
use super::driver::Simplifier;
use super::items::{Item, Items};
use super::known::{Empty, FewKnown, Outcome, representable};
use super::linear::{AtomId, INF, Term, Terms, finite, gcd};
use super::window::Window;
use crate::expr::Op;
use crate::interval::{Interval, ceil_div, floor_div};
use smallvec::SmallVec;
use std::cmp::Ordering;

/// Constraints beyond which a map takes the long way.
const FEW: usize = 8;
/// Variables in one sum beyond which it does.
const SHORT: usize = 16;
/// Rounds after which it does.
const ROUNDS: usize = 4;

pub(super) type FewTerms = SmallVec<[Term; 4]>;

/// `terms + k in [lower, upper]`, for variables.
#[derive(Clone, Debug)]
pub(super) struct Plain {
    pub(super) terms: FewTerms,
    pub(super) k: i64,
    pub(super) lower: i128,
    pub(super) upper: i128,
}

/// A window of which these are the terms; it has no form.
pub(super) struct PlainWindow {
    pub(super) terms: FewTerms,
    pub(super) window: Window,
}

impl PlainWindow {
    /// The variable, if it is a window of one.
    pub(super) fn variable(&self) -> Option<AtomId> {
        match self.terms[..] {
            [Term { atom, coef: 1 }] => Some(atom),
            _ => None,
        }
    }
}

/// The constraints of a round.
#[derive(Default)]
pub(super) struct Round {
    /// Of several variables, without a constant.
    pub(super) ranges: SmallVec<[Plain; 2]>,
    /// At most one of each form.
    pub(super) windows: SmallVec<[PlainWindow; 1]>,
    /// What is left may say more when it is read again: two of it became one, or one moved the ends of another.
    pub(super) changed: bool,
    pub(super) todo: SmallVec<[Plain; 2]>,
}

/// What a constraint says of something whose values are known.
pub(super) enum Cut {
    Implied,
    Excluded,
    /// The ends, not beyond those values, and which of them are free: not cut.
    To(i128, i128, (bool, bool)),
}

/// `None` if an end of the values is not known.
pub(super) fn cut((least, greatest): (i64, i64), (lower, upper): (i128, i128)) -> Option<Cut> {
    if !finite(least) || !finite(greatest) {
        return None;
    }
    let (least, greatest) = (least as i128, greatest as i128);
    if greatest < lower || least > upper {
        return Some(Cut::Excluded);
    }
    let free = (least >= lower, greatest <= upper);
    if free == (true, true) {
        return Some(Cut::Implied);
    }
    Some(Cut::To(lower.max(least), upper.min(greatest), free))
}

/// `g * x in [l, u]` -> `x in [ceil(l / g), floor(u / g)]`, and the other way round for a negative g.
fn divided((lower, upper): (i128, i128), g: i64) -> (i128, i128) {
    match g as i128 {
        1 => (lower, upper),
        g if g > 0 => (ceil_div(lower, g), floor_div(upper, g)),
        g => (ceil_div(-upper, -g), floor_div(-lower, -g)),
    }
}

/// As the order of forms: the first variable in which they differ, then its coefficient.
fn order(x: &FewTerms, y: &FewTerms) -> Ordering {
    let key = |t: &Term| (t.atom, t.coef);
    x.iter().map(key).cmp(y.iter().map(key))
}

/// Whether settled constraints say something of the digits of a variable whose stride is 1: what they say of sums, and of digits of
/// sums, is nothing about a digit of one variable.
pub(super) fn speaks_of_digits(arena: &Arena, constraints: &[(NodeId, Interval)]) -> bool {
    constraints.iter().any(|(node, interval)| {
        let Node::Binary(Op::Mod, x, _) = arena.node(*node) else {
            return false;
        };
        match arena.node(x) {
            // A congruence is the stride of its variable.
            Node::Variable(..) => interval.as_point().is_none(),
            Node::Binary(Op::Add, y, k) => {
                matches!(arena.node(y), Node::Variable(..)) && arena.as_constant(k).is_some()
            }
            _ => false,
        }
    })
}

/// Whether settled constraints say more than the strides of variables.
pub(super) fn speaks_of_sums(arena: &Arena, constraints: &[(NodeId, Interval)]) -> bool {
    constraints.iter().any(|(node, interval)| {
        let Node::Binary(Op::Mod, x, _) = arena.node(*node) else {
            return true;
        };
        !matches!(arena.node(x), Node::Variable(..)) || interval.as_point().is_none()
    })
}

impl Simplifier {
    /// As [`Simplifier::settle`]; `None` if the constraints take the long way. The congruences were taken already.
    pub(super) fn settle_plain(
        &mut self,
        arena: &mut Arena,
        list: &mut Vec<(NodeId, Interval)>,
        units: u64,
    ) -> Option<Outcome> {
        if list.len() > FEW || !self.takes_short_way() {
            return None;
        }
        let start: FewKnown = SmallVec::from_slice(&self.constraints.known);
        let given: SmallVec<[(NodeId, Interval); 4]> = SmallVec::from_slice(list);
        let settled = self.plain_rounds(arena, list, units);
        if settled.is_none() {
            self.constraints.known.clear();
            self.constraints.known.extend_from_slice(&start);
            list.clear();
            list.extend_from_slice(&given);
        }
        settled
    }

    fn plain_rounds(
        &mut self,
        arena: &mut Arena,
        list: &mut Vec<(NodeId, Interval)>,
        units: u64,
    ) -> Option<Outcome> {
        self.restart(arena.len(), units);
        let mut before: FewKnown = SmallVec::from_slice(&self.constraints.known);
        let mut round = Round::default();
        let mut read = Ok(());
        for &(node, interval) in list.iter() {
            read = read.and(self.read_plain(arena, node, interval, &mut round)?);
        }
        for _ in 0..ROUNDS {
            if read.is_err()
                || (!round.windows.is_empty() && self.combine_plain(&mut round)?.is_err())
                || self.propagate_plain(&round).is_err()
            {
                return Some(Err(Empty));
            }
            let same = before[..] == self.constraints.known[..];
            let nothing = round.ranges.is_empty() && round.windows.is_empty();
            // What is left says the same again if no more is known of the variables.
            if nothing || (same && !round.changed) {
                if !same {
                    self.restart(arena.len(), units);
                }
                self.write_plain(arena, &mut round, list)?;
                self.write_congruences(arena, list);
                self.known_sums.extend(round.ranges);
                self.sums_are_known = true;
                return Some(Ok(()));
            }
            self.restart(arena.len(), units);
            before.clear();
            before.extend_from_slice(&self.constraints.known);
            let last = std::mem::take(&mut round);
            for r in last.ranges {
                let r = self.with_points(r)?;
                read = read.and(self.add_plain(r, &mut round)?);
            }
            for w in last.windows {
                read = read.and(self.add_window_again(&w, &mut round)?);
            }
        }
        None
    }

    /// Reads a constraint and adds what it says.
    fn read_plain(
        &mut self,
        arena: &Arena,
        node: NodeId,
        interval: Interval,
        round: &mut Round,
    ) -> Option<Outcome> {
        let mut items = Items::default();
        (self.shortens, self.bounded_sums) = (true, false);
        let (lower, upper) = (interval.lower as i128, interval.upper as i128);
        if let Some(divided) = self.read_divided(arena, node, &mut items) {
            return self.add_divided(divided, &items, (lower, upper), round);
        }
        self.read_with_quotients(arena, node, &mut items)?;
        if !self.quotients.is_empty() {
            return self.add_beside_quotient(&items, (lower, upper), round);
        }
        if let [digit] = items.list[..]
            && !digit.is_variable()
        {
            return self.add_digit(digit, items.k, (lower, upper), round);
        }
        let mut terms = FewTerms::new();
        for t in &items.list {
            if terms.len() == SHORT {
                return None;
            }
            if !t.is_variable() {
                return self.add_beside_digit(&items, (lower, upper), round);
            }
            terms.push(Term {
                atom: t.variable,
                coef: t.coef,
            });
        }
        let k = items.k;
        let new = Plain {
            terms,
            k,
            lower,
            upper,
        };
        self.add_plain(new, round)
    }

    /// Adds `terms + k in [lower, upper]` and what follows from it alone.
    pub(super) fn add_plain(&mut self, new: Plain, round: &mut Round) -> Option<Outcome> {
        let mut next = Some(new);
        while let Some(c) = next {
            if let Err(Empty) = self.step_plain(c, round)? {
                return Some(Err(Empty));
            }
            next = round.todo.pop();
        }
        Some(Ok(()))
    }

    /// Variables that have a single value now are that value.
    fn with_points(&self, mut r: Plain) -> Option<Plain> {
        r.k = self.take_points(&mut r.terms, r.k)?;
        Some(r)
    }

    /// Takes variables of a single value out of terms; the constant with their values.
    pub(super) fn take_points(&self, terms: &mut FewTerms, mut k: i64) -> Option<i64> {
        let value = |t: &Term| self.forms.atom(t.atom).bounds.as_point();
        for t in terms.iter() {
            if let Some(v) = value(t) {
                k = k.checked_add(v.checked_mul(t.coef)?)?;
            }
        }
        terms.retain(|t| value(t).is_none());
        Some(k)
    }

    /// As [`Constraints::step`](super::constraints::Constraints::step).
    fn step_plain(&mut self, c: Plain, round: &mut Round) -> Option<Outcome> {
        let forms = &self.forms;
        let Plain {
            mut terms,
            k,
            lower,
            upper,
        } = c;
        if lower > upper {
            return Some(Err(Empty));
        }
        let values = forms.narrow_bounds(&terms, k)?;
        let (mut lower, mut upper, free) = match cut(values, (lower, upper))? {
            Cut::Implied => return Some(Ok(())),
            Cut::Excluded => return Some(Err(Empty)),
            Cut::To(lower, upper, free) => (lower - k as i128, upper - k as i128, free),
        };
        let mut g = terms.iter().fold(0, |g, t| gcd(g, t.coef));
        if terms.first()?.coef < 0 {
            g = -g;
        }
        let (mut low_free, mut high_free) = free;
        if g != 1 {
            for t in &mut terms {
                t.coef /= g;
            }
            (lower, upper) = divided((lower, upper), g);
            if lower > upper {
                return Some(Err(Empty));
            }
        }
        if g < 0 {
            (low_free, high_free) = (high_free, low_free);
        }
        if let [t] = terms[..] {
            return Some(self.constraints.known[t.atom as usize].intersect(lower, upper));
        }
        let part = |terms: &Terms, lower: i128, upper: i128| Plain {
            terms: FewTerms::from_slice(terms),
            k: 0,
            lower,
            upper,
        };
        if terms.iter().any(|t| t.coef.unsigned_abs() > 1) {
            let mut splits = Splits::of(forms, &terms);
            if let Some(found) = splits.pinned(&terms, lower, upper) {
                let value = found.value;
                round.todo.push(part(&found.high, value, value));
                let (lower, upper) = (found.rest_of(lower), found.rest_of(upper));
                round.todo.push(part(&found.low, lower, upper));
                return Some(Ok(()));
            }
            let ends = ((lower, low_free), (upper, high_free));
            if let Some((terms, lower, upper)) = splits.decompose(&terms, ends.0, ends.1) {
                let (least, greatest) = forms.narrow_bounds(&terms, 0)?;
                let lower = lower.unwrap_or(least as i128);
                let upper = upper.unwrap_or(greatest as i128);
                round.todo.push(part(&terms, lower, upper));
                return Some(Ok(()));
            }
        }
        if !representable(lower) || !representable(upper) {
            return None;
        }
        if let Some(r) = round.ranges.iter_mut().find(|r| r.terms == terms) {
            round.changed = true;
            r.lower = r.lower.max(lower);
            r.upper = r.upper.min(upper);
            return Some(if r.lower > r.upper {
                Err(Empty)
            } else {
                Ok(())
            });
        }
        let new = Plain {
            terms,
            k: 0,
            lower,
            upper,
        };
        round.ranges.push(new);
        Some(Ok(()))
    }

    /// `c * (x floordiv a) + k` or `c * ((x floordiv a) mod n) + k` in an interval.
    pub(super) fn add_digit(
        &mut self,
        digit: Item,
        k: i64,
        (lower, upper): (i128, i128),
        round: &mut Round,
    ) -> Option<Outcome> {
        let Item {
            variable,
            a,
            b,
            coef,
        } = digit;
        if lower > upper {
            return Some(Err(Empty));
        }
        let values = digit.values(&self.forms)?;
        let (x, y) = (
            coef.checked_mul(values.lower)?,
            coef.checked_mul(values.upper)?,
        );
        let ends = (x.min(y).checked_add(k)?, x.max(y).checked_add(k)?);
        let (lower, upper) = match cut(ends, (lower, upper))? {
            Cut::Implied => return Some(Ok(())),
            Cut::Excluded => return Some(Err(Empty)),
            Cut::To(lower, upper, _) => divided((lower - k as i128, upper - k as i128), coef),
        };
        if lower > upper {
            return Some(Err(Empty));
        }
        if b == INF {
            // x floordiv a in [l, u] -> x in [l * a, u * a + a - 1]
            let a = a as i128;
            let (lower, upper) = (lower * a, upper * a + a - 1);
            if !representable(lower) || !representable(upper) {
                return None;
            }
            return Some(self.constraints.known[variable as usize].intersect(lower, upper));
        }
        // (x floordiv a) mod n in [l, u] -> x mod (a * n) in [l * a, u * a + a - 1]
        let n = b / a;
        let (l, u) = (lower.max(0) as i64, upper.min(n as i128 - 1) as i64);
        if l > u {
            return Some(Err(Empty));
        }
        self.add_window_of(variable, b, (l * a, u * a + a - 1), round)
    }

    /// `x mod m in [lower, upper]`. As [`Constraints::add_window`](super::constraints::Constraints::add_window).
    fn add_window_of(
        &mut self,
        variable: AtomId,
        m: i64,
        (lower, upper): (i64, i64),
        round: &mut Round,
    ) -> Option<Outcome> {
        let i = variable as usize;
        let x = self.forms.atom(variable).bounds;
        if !finite(x.lower) || !finite(x.upper) {
            return None;
        }
        let window = Window {
            lin: 0,
            m,
            lower,
            extra: upper - lower,
        };
        let (least, greatest) = (
            window.at_least(x.lower as i128),
            window.at_most(x.upper as i128),
        );
        if least > greatest {
            return Some(Err(Empty));
        }
        let q = floor_div(least - lower as i128, m as i128);
        let one_period = q == floor_div(greatest - lower as i128, m as i128);
        let known = &mut self.constraints.known[i];
        if one_period {
            let first = lower as i128 + q * m as i128;
            if !representable(first) || !representable(first + window.extra as i128) {
                return None;
            }
            return Some(known.intersect(first, first + window.extra as i128));
        }
        if window.extra == 0 {
            // Two congruences that are too large together stay apart.
            return match self.constraints.congruent(&mut self.forms, i, m, lower) {
                Ok(true) => Some(Ok(())),
                Ok(false) => None,
                Err(Empty) => Some(Err(Empty)),
            };
        }
        let mut terms = FewTerms::new();
        terms.push(Term {
            atom: variable,
            coef: 1,
        });
        self.push_window(PlainWindow { terms, window }, round)
    }

    fn propagate_plain(&mut self, round: &Round) -> Outcome {
        for r in &round.ranges {
            self.constraints
                .derive_from(&mut self.forms, &r.terms, (r.lower, r.upper), 0)?;
        }
        for w in &round.windows {
            self.tighten(w)?;
        }
        Ok(())
    }

    /// The constraints of a round as expressions, in canonical order.
    fn write_plain(
        &mut self,
        arena: &mut Arena,
        round: &mut Round,
        list: &mut Vec<(NodeId, Interval)>,
    ) -> Option<()> {
        list.clear();
        round.ranges.sort_by(|x, y| order(&x.terms, &y.terms));
        for r in &round.ranges {
            let node = self.emitter.linear(arena, &r.terms, 0);
            // They fit: they were looked at.
            list.push((node, Interval::new(r.lower as i64, r.upper as i64)));
        }
        round.windows.sort_by(|x, y| order(&x.terms, &y.terms));
        for w in &round.windows {
            let (terms, w) = (&w.terms, w.window);
            let (shift, values) = w.unwrapped();
            let sum = self.emitter.linear(arena, terms, shift);
            let m = arena.constant(w.m);
            list.push((arena.binary(Op::Mod, sum, m), values));
        }
        Some(())
    }
}
