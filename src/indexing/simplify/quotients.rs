//! The short way of quotients of sums of variables that stay quotients, alone or beside other terms, and of those of one variable with a
//! stride.
//!
//! Of `(m * x + y + k) floordiv m` multiples go out, of the rest only the constant moves: into one period, and to where a congruence of
//! the variable leaves it. `c * m * (x floordiv m) -> c * (x - r)` where `x = r` modulo m.

use super::arena::{Arena, NodeId};
use super::div_mod::one_period;
use super::driver::Simplifier;
use super::items::{Item, Items, SEVERAL};
use super::linear::{AtomId, Forms, INF, Term, Terms, gcd};
use super::plain::{FewTerms, Plain};
use super::short::SAFE;
use crate::expr::Op;
use crate::interval::Interval;

/// `coef * ((terms + k) floordiv m)`, to which no rule applies.
#[derive(Clone, Debug)]
pub(super) struct Quotient {
    pub(super) terms: FewTerms,
    k: i64,
    m: i64,
    pub(super) coef: i64,
}

/// What becomes of the quotient of one variable, times the factor: `scale * (what is left) + out`.
enum One {
    Constant(i64),
    /// The variable, this many times.
    Multiple(i64),
    /// `(u * x + k) floordiv m`.
    Stays(i64, i64, i64),
}

const fn small(v: i64) -> bool {
    v.unsigned_abs() <= SAFE
}

impl Forms {
    /// The values of a sum of variables, with what constraints say of it.
    fn values_with(&self, facts: &[Plain], terms: &[Term], k: i64) -> Option<Interval> {
        let (mut lower, mut upper) = self.narrow_bounds(terms, k)?;
        if !small(lower) || !small(upper) {
            return None;
        }
        if terms.len() > 1 {
            for r in facts {
                // Their first coefficient is positive.
                let sign = terms[0].coef.signum();
                let of = |(s, t): (&Term, &Term)| s.atom == t.atom && s.coef * sign == t.coef;
                if r.terms.len() == terms.len() && terms.iter().zip(&r.terms).all(of) {
                    let (x, y) = (r.lower as i64, r.upper as i64);
                    if !small(x) || !small(y) {
                        return None;
                    }
                    let (x, y) = (x * sign, y * sign);
                    lower = lower.max(x.min(y) + k);
                    upper = upper.min(x.max(y) + k);
                }
            }
        }
        Some(Interval { lower, upper })
    }

    /// No rule applies to the quotient of a sum of several variables, none of which is a multiple, with a constant in one period. `None`
    /// if one may.
    fn quotient_stays(&self, terms: &Terms, k: i64, m: i64, values: Interval) -> Option<()> {
        let (mut unit, mut large, mut wide) = (false, false, false);
        for t in terms {
            let atom = self.atom(t.atom);
            let size = t.coef.unsigned_abs();
            // No factor in common with the divisor.
            if (size != 1 && gcd(t.coef, m) != 1) || atom.stride > 1 {
                return None;
            }
            unit |= size == 1;
            large |= size > m as u64 / 2;
            wide |= atom.bounds.len() > m as u128;
        }
        // It may be a multiple and what lies in one period.
        let multiple = large && !wide;
        // More than a period.
        let Interval { lower, upper } = values;
        if multiple || !unit || upper - lower < m {
            return None;
        }
        // Only a sign: a smaller divisor may do.
        let least = (-lower).max(upper + 1);
        let sign = lower < 0 && upper >= 0 && least <= m && least > k;
        (!sign && self.positive(terms, INF)?).then_some(())
    }

    /// `(u * x + k) floordiv m`, as the rules of digits leave it: what is left, a factor, and what is added.
    fn quotient_of_one(&self, x: AtomId, u: i64, k: i64, m: i64) -> Option<(One, i64, i64)> {
        let atom = self.atom(x);
        let (mut u, mut k, mut m) = (u, k, m);
        let (mut scale, mut out) = (1, 0i64);
        loop {
            out += scale * k.div_euclid(m);
            k = k.rem_euclid(m);
            // They fit, and so do those of what is left of it.
            let (v, w) = (u * atom.bounds.lower + k, u * atom.bounds.upper + k);
            let values = Interval::new(v.min(w), v.max(w));
            if let Some(period) = one_period(values, m) {
                return Some((One::Constant(period), scale, out));
            }
            if u % m == 0 {
                return Some((One::Multiple(u / m), scale, out));
            }
            let g = gcd(u, m);
            if g > 1 {
                (u, k, m) = (u / g, k.div_euclid(g), m / g);
                continue;
            }
            let (g, r) = self.congruence(&[Term { atom: x, coef: u }], k, m);
            if g > 1 && r != 0 && k != 0 {
                // What lies below the stride does not matter.
                k = (k - r).max(0);
                continue;
            }
            let steps = (atom.bounds.upper - atom.bounds.lower) / atom.stride;
            if steps < SEVERAL {
                // So few values may lie on a line, as two always do.
                let value = |i: i64| (u * (atom.bounds.lower + i * atom.stride) + k).div_euclid(m);
                let (first, rise) = (value(0), value(1) - value(0));
                if rise % atom.stride == 0 && (2..=steps).all(|i| value(i) == first + i * rise) {
                    let slope = rise / atom.stride;
                    out += scale * first.checked_sub(slope.checked_mul(atom.bounds.lower)?)?;
                    return Some((One::Multiple(slope), scale, out));
                }
            }
            if u < 0 {
                (u, k, out, scale) = (-u, -k - 1, out - scale, -scale);
                continue;
            }
            // It may be a multiple and what lies in one period; or only a sign.
            let Interval { lower, upper } = values;
            if (u > m / 2 && u != 1 && atom.bounds.len() <= m as u128)
                || (lower < 0 && upper >= 0 && (-lower).max(upper + 1) <= m)
            {
                return None;
            }
            return Some((One::Stays(u, k, m), scale, out));
        }
    }
}

impl Simplifier {
    /// `items += coef * (inner floordiv m)`, or rounded up, if what is left of the quotient is known.
    #[inline(never)]
    pub(super) fn add_quotient(
        &mut self,
        items: &mut Items,
        coef: i64,
        op: Op,
        inner: &Items,
        m: i64,
    ) -> Option<()> {
        let k = match op {
            Op::CeilDiv => inner.k.checked_add(m)? - 1,
            _ => inner.k,
        };
        if !small(k) || !small(m) || !small(coef) || coef == 0 {
            return None;
        }
        let mut terms = Terms::new();
        for t in &inner.list {
            if !t.is_variable() || !small(t.coef) {
                return None;
            }
            terms.push(Term {
                atom: t.variable,
                coef: t.coef,
            });
        }
        let facts = &self.known_sums[..];
        if !facts.is_empty()
            && let Some(period) = one_period(self.forms.values_with(facts, &terms, k)?, m)
        {
            return items.add_constant(period, coef);
        }
        let mut rest = Terms::new();
        for t in terms {
            if t.coef % m == 0 {
                items.list.push(Item {
                    coef: coef.checked_mul(t.coef / m)?,
                    ..Item::of(t.atom)
                });
            } else {
                rest.push(t);
            }
        }
        let values = self.forms.values_with(facts, &rest, k)?;
        if let [t] = rest[..] {
            let (left, scale, out) = self.forms.quotient_of_one(t.atom, t.coef, k, m)?;
            let scaled = coef.checked_mul(scale)?;
            items.add_constant(out, coef)?;
            match left {
                One::Constant(v) => items.add_constant(v, scaled)?,
                One::Multiple(n) => items.list.push(Item {
                    coef: scaled.checked_mul(n)?,
                    ..Item::of(t.atom)
                }),
                One::Stays(u, k, m) => {
                    let term = Term {
                        atom: t.atom,
                        coef: u,
                    };
                    let (g, r) = self.forms.congruence(&[term], k, m);
                    if g == m && scaled % m == 0 {
                        let n = scaled / m;
                        items.add_constant(k - r, n)?;
                        items.list.push(Item {
                            coef: n.checked_mul(u)?,
                            ..Item::of(t.atom)
                        });
                        return Some(());
                    }
                    self.quotients.push(Quotient {
                        terms: FewTerms::from_slice(&[term]),
                        k,
                        m,
                        coef: scaled,
                    });
                }
            }
            return Some(());
        }
        let (q, k) = (k.div_euclid(m), k.rem_euclid(m));
        items.add_constant(q, coef)?;
        let shift = q * m;
        let values = Interval {
            lower: values.lower - shift,
            upper: values.upper - shift,
        };
        if let Some(period) = one_period(values, m) {
            return items.add_constant(period, coef);
        }
        self.forms.quotient_stays(&rest, k, m, values)?;
        self.quotients.push(Quotient {
            terms: FewTerms::from_slice(&rest),
            k,
            m,
            coef,
        });
        Some(())
    }

    /// The only quotient of a sum that has no other digits: `sign * ((terms + k) floordiv m)`.
    pub(super) fn only_quotient(&self, items: &Items) -> Option<(&[Term], i64, i64, i64)> {
        match &self.quotients[..] {
            [q] if q.coef.unsigned_abs() == 1 && items.list.iter().all(Item::is_variable) => {
                Some((&q.terms, q.k, q.m, q.coef))
            }
            _ => None,
        }
    }

    /// Whether the quotients have their variables for themselves.
    #[inline(never)]
    pub(super) fn quotients_are_apart(&self, items: &Items) -> bool {
        if items.list.is_empty() && self.quotients.len() == 1 {
            return true;
        }
        let variables = || self.quotients.iter().flat_map(|q| &q.terms);
        let of_items = |t: &Term| items.list.iter().any(|i| i.variable == t.atom);
        let twice = |t: &Term| variables().filter(|u| u.atom == t.atom).count() > 1;
        !variables().any(|t| of_items(t) || twice(t))
    }

    /// Decides where the constant of a sum goes that has quotients: into the first of them that takes all of it, large factors first.
    /// `None` if the result is not read again as it is.
    pub(super) fn place_constant(&mut self, outer: &mut i64) -> Option<()> {
        if !small(*outer) {
            return None;
        }
        if *outer == 0 {
            return Some(());
        }
        let takes = |q: &Quotient| q.k != 0 && q.k != q.m - 1;
        let mut turns: FewPlaces = (0..self.quotients.len())
            .filter(|i| takes(&self.quotients[*i]))
            .collect();
        if turns.len() > 1 {
            let key = |q: &Quotient| (std::cmp::Reverse(q.coef.unsigned_abs()), q.m);
            turns.sort_by_key(|i| key(&self.quotients[*i]));
        }
        for i in turns {
            let q = &mut self.quotients[i];
            if *outer != 0 && *outer % q.coef == 0 {
                q.k = (*outer / q.coef).checked_mul(q.m)?.checked_add(q.k)?;
                *outer = 0;
            }
        }
        Some(())
    }

    /// The only quotient of a sum, which is subtracted, and a constant: `-((x + k) floordiv m) + outer -> (-x + k') floordiv m`. `None` if
    /// it keeps its sign.
    pub(super) fn write_negative_quotient(
        &mut self,
        arena: &mut Arena,
        mut outer: i64,
    ) -> Option<NodeId> {
        self.place_constant(&mut outer)?;
        let q = &self.quotients[0];
        let inner = outer
            .checked_mul(q.m)?
            .checked_add(q.m - 1)?
            .checked_sub(q.k)?;
        let unit = |t: &Term| t.coef.unsigned_abs() == 1;
        let all_positive = q.terms.iter().all(|t| t.coef == 1);
        if outer > 0 || q.coef != -1 || (inner <= 0 && all_positive) || inner == q.m - 1 {
            return None;
        }
        if !q.terms.iter().any(unit) && q.terms.len() > 1 {
            return None;
        }
        let mut terms = q.terms.clone();
        for t in &mut terms {
            t.coef = -t.coef;
        }
        let sum = self.emitter.linear(arena, &terms, inner);
        let divisor = arena.constant(q.m);
        Some(arena.binary(Op::FloorDiv, sum, divisor))
    }

    /// A quotient as it is written; `None` if it is not read again as it is.
    pub(super) fn write_quotient(&self, arena: &mut Arena, q: &Quotient) -> Option<NodeId> {
        // Without a constant or rounded up a quotient stands as it is, else it took the constant beside it.
        let (op, k) = match q.k {
            k if k == q.m - 1 => (Op::CeilDiv, 0),
            k => (Op::FloorDiv, k),
        };
        if op == Op::CeilDiv && q.terms.iter().all(|t| t.coef.unsigned_abs() != 1) {
            return None;
        }
        let sum = self.emitter.linear(arena, &q.terms, k);
        let divisor = arena.constant(q.m);
        Some(arena.binary(op, sum, divisor))
    }
}

type FewPlaces = smallvec::SmallVec<[usize; 4]>;
