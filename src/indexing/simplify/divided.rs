//! The short way of constraints on quotients and remainders of sums of variables, for `plain.rs`.
//!
//! `x floordiv m in [l, u]` is `x in [l * m, u * m + m - 1]`, whatever the rules of digits make of the quotient, as long as they only take
//! out what is a multiple of m. `x mod m in [l, u]` is a window of x if none of them applies to the remainder.

use super::arena::{Arena, Node, NodeId};
use super::div_mod::{divides, one_period};
use super::driver::Simplifier;
use super::items::{Digit, Item, Items, SEVERAL};
use super::known::{Empty, Outcome, representable};
use super::linear::{AtomId, INF, Term, Terms, gcd};
use super::plain::{Cut, FewTerms, Plain, PlainWindow, Round, cut};
use super::plans::nearest;
use super::recombine::congruent_terms;
use super::short::SAFE;
use super::window::{Reduced, Window};
use crate::expr::Op;
use crate::interval::Interval;

/// A quotient or remainder of something.
#[derive(Clone, Copy)]
pub(super) struct Divided {
    op: Op,
    m: i64,
}

impl Simplifier {
    /// The sum of variables of which a constraint bounds a quotient or remainder.
    pub(super) fn read_divided(
        &mut self,
        arena: &Arena,
        node: NodeId,
        items: &mut Items,
    ) -> Option<Divided> {
        let Node::Binary(op @ (Op::FloorDiv | Op::CeilDiv | Op::Mod), x, m) = arena.node(node)
        else {
            return None;
        };
        let m = arena.as_constant(m).filter(|m| *m > 1)?;
        let read = self.read_short(arena, x, items);
        if read.is_none() || !items.list.iter().all(Item::is_variable) {
            items.list.clear();
            items.k = 0;
            self.shortens = true;
            return None;
        }
        Some(Divided { op, m })
    }

    /// Adds what a constraint says of the quotient or remainder of a sum of variables.
    pub(super) fn add_divided(
        &mut self,
        Divided { op, m }: Divided,
        items: &Items,
        (lower, upper): (i128, i128),
        round: &mut Round,
    ) -> Option<Outcome> {
        if let [x] = items.list[..]
            && (x.coef, items.k) == (1, 0)
            && op != Op::CeilDiv
            && let Some(Digit::Item(digit)) = self.forms.digit_of_item(x, op, m)
            && !digit.is_variable()
        {
            return self.add_digit(digit, 0, (lower, upper), round);
        }
        let variable = |t: &Item| Term {
            atom: t.variable,
            coef: t.coef,
        };
        let terms: FewTerms = items.list.iter().map(variable).collect();
        if op == Op::Mod {
            return self.add_remainder(&terms, items.k, m, (lower, upper), round);
        }
        let k = match op {
            Op::CeilDiv => items.k.checked_add(m - 1)?,
            _ => items.k,
        };
        if lower > upper {
            return Some(Err(Empty));
        }
        self.far_from_the_ends(&terms, k, m)?;
        if terms.len() > 1 && !self.only_multiples_leave(&terms, k, m)? {
            return None;
        }
        self.add_dividend((terms, k), m, (lower, upper), round)
    }

    /// `(terms + k) floordiv m in [l, u] -> terms + k in [m * l, m * u + m - 1]`
    fn add_dividend(
        &mut self,
        (terms, k): (FewTerms, i64),
        m: i64,
        (lower, upper): (i128, i128),
        round: &mut Round,
    ) -> Option<Outcome> {
        let m = m as i128;
        let (lower, upper) = (lower * m, upper * m + m - 1);
        if !representable(lower) || !representable(upper) {
            return None;
        }
        let new = Plain {
            terms,
            k,
            lower,
            upper,
        };
        self.add_plain(new, round)
    }

    /// The values of the sum; `None` where the order of the rules decides what leaves 64 bits.
    fn far_from_the_ends(&self, terms: &[Term], k: i64, m: i64) -> Option<Interval> {
        let (lower, upper) = self.forms.narrow_bounds(terms, k)?;
        let small = |v: i64| v.unsigned_abs() <= SAFE;
        (small(lower) && small(upper) && small(m)).then_some(Interval { lower, upper })
    }

    /// Whether no rule changes `(terms + k) floordiv m` but that multiples of m are taken out, and what lies below a factor. `None` if a
    /// number would not fit.
    fn only_multiples_leave(&self, terms: &[Term], k: i64, m: i64) -> Option<bool> {
        let (mut unit, mut large, mut wide, mut few) = (false, false, false, false);
        let mut rest = FewTerms::new();
        for t in terms {
            let atom = self.forms.atom(t.atom);
            if atom.stride > 1 {
                return Some(false);
            }
            if t.coef % m != 0 {
                let size = t.coef.unsigned_abs();
                unit |= size == 1;
                large |= size > m as u64 / 2;
                wide |= atom.bounds.len() > m as u128;
                few |= atom.bounds.len() <= SEVERAL as u128;
                rest.push(*t);
            }
        }
        if rest.is_empty() {
            return Some(true);
        }
        let (lower, upper) = self.forms.narrow_bounds(&rest, k.rem_euclid(m))?;
        // A smaller divisor may do, or a multiple of the variable.
        let two_values = upper.div_euclid(m) - lower.div_euclid(m) == 1;
        let on_a_line = few && rest.len() == 1;
        Some(unit && (wide || !large) && !two_values && !on_a_line)
    }

    /// Adds `(terms + k) mod m in [lower, upper]`.
    fn add_remainder(
        &mut self,
        terms: &[Term],
        k: i64,
        m: i64,
        (lower, upper): (i128, i128),
        round: &mut Round,
    ) -> Option<Outcome> {
        let (lower, upper) = (lower.max(0), upper.min(m as i128 - 1));
        if lower > upper {
            return Some(Err(Empty));
        }
        let values = self.far_from_the_ends(terms, k, m)?;
        if let Some(period) = one_period(values, m) {
            let new = Plain {
                terms: FewTerms::from_slice(terms),
                k: k - period * m,
                lower,
                upper,
            };
            return self.add_plain(new, round);
        }
        let (lower, upper) = (lower as i64, upper as i64);
        if let [t] = *terms {
            return self.add_remainder_of_one(t, k, m, (lower, upper), round);
        }
        // What is a multiple of the modulus, but for a constant, leaves first.
        let (mut rest, mut k) = (Terms::new(), k);
        for t in terms {
            let atom = self.forms.atom(t.atom);
            if divides(m, t.coef, atom.stride) {
                let value = (t.coef as i128 * atom.offset as i128).rem_euclid(m as i128);
                k = k.checked_add(value as i64)?;
            } else {
                rest.push(*t);
            }
        }
        if let [t] = rest[..] {
            return self.add_remainder_of_one(t, k, m, (lower, upper), round);
        }
        if !self.remainder_stays(&rest, m) {
            return None;
        }
        let reduced = self
            .forms
            .reduced_window(rest, k, m, (lower, upper - lower));
        self.add_reduced(reduced, round)
    }

    /// Adds what is left of a remainder in an interval.
    fn add_reduced(
        &mut self,
        reduced: Result<Reduced, Empty>,
        round: &mut Round,
    ) -> Option<Outcome> {
        match reduced {
            Err(Empty) => Some(Err(Empty)),
            Ok(Reduced::Implied) => Some(Ok(())),
            Ok(Reduced::Range(terms, lower, upper)) => {
                let new = Plain {
                    terms: FewTerms::from_slice(&terms),
                    k: 0,
                    lower,
                    upper,
                };
                self.add_plain(new, round)
            }
            Ok(Reduced::Window(terms, window)) => match terms[..] {
                [Term { atom, coef: 1 }] if window.extra == 0 => {
                    self.add_congruence(atom, window.m, window.lower)
                }
                _ => {
                    let terms = FewTerms::from_slice(&terms);
                    self.push_window(PlainWindow { terms, window }, round)
                }
            },
        }
    }

    /// Adds `x = r` modulo m. Two congruences that are too large together stay apart.
    fn add_congruence(&mut self, x: AtomId, m: i64, r: i64) -> Option<Outcome> {
        let i = x as usize;
        match self.constraints.congruent(&mut self.forms, i, m, r) {
            Ok(true) => Some(Ok(())),
            Ok(false) => None,
            Err(Empty) => Some(Err(Empty)),
        }
    }

    /// Adds `(u * x + k) mod m in [lower, upper]`, numbers that fit.
    fn add_remainder_of_one(
        &mut self,
        t: Term,
        k: i64,
        m: i64,
        (lower, upper): (i64, i64),
        round: &mut Round,
    ) -> Option<Outcome> {
        let x = self.forms.atom(t.atom);
        let (stride, bounds) = (x.stride, x.bounds);
        let steps = (bounds.upper - bounds.lower) / stride;
        let few = steps < SEVERAL && !divides(m, t.coef, stride);
        if few {
            // The remainders of few values may lie on a line, as two always do.
            let value = |i: i64| (t.coef * (bounds.lower + i * stride) + k).rem_euclid(m);
            let (first, rise) = (value(0), value(1) - value(0));
            if (rise / gcd(t.coef, m)) % stride == 0
                && (2..=steps).all(|i| value(i) == first + i * rise)
            {
                let slope = rise / stride;
                let term = Term { coef: slope, ..t };
                let new = Plain {
                    terms: FewTerms::from_slice(&[term]),
                    k: first.checked_sub(slope.checked_mul(bounds.lower)?)?,
                    lower: lower as i128,
                    upper: upper as i128,
                };
                return self.add_plain(new, round);
            }
        }
        if t.coef == 1 && lower == upper && steps >= SEVERAL && stride == 1 {
            // Not in one period, which would have been seen: a congruence.
            let wide = bounds.upper - bounds.lower >= m;
            if wide {
                return self.add_congruence(t.atom, m, (lower - k).rem_euclid(m));
            }
        }
        let terms = Terms::from_slice(&[t]);
        let reduced = self
            .forms
            .reduced_window(terms, k, m, (lower, upper - lower));
        if few
            && let Ok(Reduced::Window(terms, window)) = &reduced
            && let [reduced] = terms[..]
        {
            // With another constant they may lie on a line.
            let (shift, values) = window.unwrapped();
            if (reduced.coef, shift, window.m) != (t.coef, k, m) {
                let ends = (values.lower, values.upper);
                return self.add_remainder_of_one(reduced, shift, window.m, ends, round);
            }
        }
        self.add_reduced(reduced, round)
    }

    /// Whether no rule applies to the remainder of a sum of several variables modulo `m`, but that it is reduced: no factor in common
    /// with the modulus, from which on it would be split.
    fn remainder_stays(&self, terms: &[Term], m: i64) -> bool {
        let mut unit = false;
        let mut count = 0;
        for t in terms {
            let coef = nearest(t.coef, m);
            if coef == 0 {
                continue;
            }
            if self.forms.atom(t.atom).stride > 1 || gcd(coef, m) > 1 {
                return false;
            }
            unit |= coef.unsigned_abs() == 1;
            count += 1;
        }
        unit || count <= 1
    }

    /// Adds a window, of which there must be no other one of its form.
    pub(super) fn push_window(&mut self, w: PlainWindow, round: &mut Round) -> Option<Outcome> {
        if round.windows.iter().any(|v| v.terms == w.terms) {
            return None;
        }
        let tightened = self.tighten(&w);
        round.windows.push(w);
        Some(tightened)
    }

    /// The ends of a variable move to values that its window allows.
    pub(super) fn tighten(&mut self, w: &PlainWindow) -> Outcome {
        let Some(variable) = w.variable() else {
            return Ok(());
        };
        let known = &mut self.constraints.known[variable as usize];
        let Interval { lower, upper } = known.interval;
        let (lower, upper) = (lower as i128, upper as i128);
        known.intersect(w.window.at_least(lower), w.window.at_most(upper))
    }

    /// A window of the last round is read again: its remainder may have become something else.
    pub(super) fn add_window_again(
        &mut self,
        w: &PlainWindow,
        round: &mut Round,
    ) -> Option<Outcome> {
        let Window {
            m, lower, extra, ..
        } = w.window;
        let mut terms = w.terms.clone();
        let k = self.take_points(&mut terms, 0)?;
        let (shift, values) = w.window.unwrapped();
        debug_assert_eq!(values.upper - values.lower, extra);
        if let Some(variable) = w.variable()
            && shift == 0
            && !terms.is_empty()
            && let Some(Digit::Item(digit)) =
                self.forms.digit_of_item(Item::of(variable), Op::Mod, m)
            && !digit.is_variable()
        {
            let upper = lower as i128 + extra as i128;
            return self.add_digit(digit, 0, (lower as i128, upper), round);
        }
        let k = k.checked_add(shift)?;
        let ends = (values.lower as i128, values.upper as i128);
        self.add_remainder(&terms, k, m, ends, round)
    }

    /// As [`Constraints::combine`](super::constraints::Constraints::combine) for windows of which each has a form of its own.
    pub(super) fn combine_plain(&mut self, round: &mut Round) -> Option<Outcome> {
        for w in &mut round.windows {
            let (g, r) = self.forms.congruence(&w.terms, 0, w.window.m);
            if g > 1 {
                let before = w.window;
                if let Err(Empty) = w.window.shrink(g, r) {
                    return Some(Err(Empty));
                }
                if w.window.extra == 0 && w.variable().is_some() {
                    return None;
                }
                round.changed |= w.window != before;
            }
        }
        for r in &mut round.ranges {
            for w in &round.windows {
                let w = (&w.terms, w.window);
                let Some(negative) = congruent_terms(&r.terms, w.0, w.1.m) else {
                    continue;
                };
                let before = (r.lower, r.upper);
                (r.lower, r.upper) = if negative {
                    (-w.1.at_most(-r.lower), -w.1.at_least(-r.upper))
                } else {
                    (w.1.at_least(r.lower), w.1.at_most(r.upper))
                };
                round.changed |= before != (r.lower, r.upper);
                if r.lower > r.upper {
                    return Some(Err(Empty));
                }
            }
        }
        Some(Ok(()))
    }

    /// As [`Simplifier::add_beside_quotient`] where the quotient is a digit of one variable, without a constant.
    pub(super) fn add_beside_digit(
        &mut self,
        items: &Items,
        ends: (i128, i128),
        round: &mut Round,
    ) -> Option<Outcome> {
        let mut digits = items.list.iter().filter(|t| !t.is_variable());
        let (Some(x), None) = (digits.next(), digits.next()) else {
            return None;
        };
        if x.b != INF || x.coef.unsigned_abs() != 1 {
            return None;
        }
        let term = Term {
            atom: x.variable,
            coef: 1,
        };
        self.add_beside((&[term], 0, x.a, x.coef), items, ends, round)
    }

    /// `y + x floordiv p in [l, u] -> p * y + x in [p * l, p * u + p - 1]`, for sums y of other variables.
    pub(super) fn add_beside_quotient(
        &mut self,
        items: &Items,
        ends: (i128, i128),
        round: &mut Round,
    ) -> Option<Outcome> {
        let (terms, k, p, sign) = self.only_quotient(items)?;
        let terms = FewTerms::from_slice(terms);
        self.add_beside((&terms, k, p, sign), items, ends, round)
    }

    /// Adds `items + sign * ((x + k) floordiv p) in [lower, upper]`; the quotient may stand among the items.
    fn add_beside(
        &mut self,
        (x, k, p, sign): (&[Term], i64, i64, i64),
        items: &Items,
        (lower, upper): (i128, i128),
        round: &mut Round,
    ) -> Option<Outcome> {
        let values = self.forms.narrow_bounds(x, k)?;
        let (low, high) = (sign * values.0.div_euclid(p), sign * values.1.div_euclid(p));
        let mut least = items.k.checked_add(low.min(high))?;
        let mut greatest = items.k.checked_add(low.max(high))?;
        let mut terms = FewTerms::from_slice(x);
        for t in items.list.iter().filter(|t| t.is_variable()) {
            let v = t.values(&self.forms)?;
            let (low, high) = (t.coef.checked_mul(v.lower)?, t.coef.checked_mul(v.upper)?);
            least = least.checked_add(low.min(high))?;
            greatest = greatest.checked_add(low.max(high))?;
            terms.push(Term {
                atom: t.variable,
                coef: t.coef.checked_mul(p)?.checked_mul(sign)?,
            });
        }
        terms.sort_by_key(|t| t.atom);
        if terms.windows(2).any(|t| t[0].atom == t[1].atom) {
            return None;
        }
        let (lower, upper) = match cut((least, greatest), (lower, upper))? {
            Cut::Implied => return Some(Ok(())),
            Cut::Excluded => return Some(Err(Empty)),
            Cut::To(lower, upper, _) => (lower - items.k as i128, upper - items.k as i128),
        };
        let (lower, upper) = match sign {
            1 => (lower, upper),
            _ => (-upper, -lower),
        };
        self.add_dividend((terms, k), p, (lower, upper), round)
    }
}
