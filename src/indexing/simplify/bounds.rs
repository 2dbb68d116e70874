//! Bounds of sums, from what is known of their terms and from what the constraints say of them.

use super::linear::{AtomKind, Forms, INF, LinId, Term, Terms, finite};
use crate::interval::Interval;

/// Bounds of `k + sum of c * [lo, hi]`.
#[inline]
fn add_bounds(acc: &mut (i128, i128, bool, bool), coef: i64, b: Interval) {
    let (lower, upper) = if coef >= 0 {
        (b.lower, b.upper)
    } else {
        (b.upper, b.lower)
    };
    let infinite = |v: i64| v == i64::MIN || v == i64::MAX;
    let (x, y) = (coef as i128 * lower as i128, coef as i128 * upper as i128);
    const LIMIT: i128 = 1 << 64;
    if infinite(lower) || x.abs() > LIMIT {
        acc.2 = true;
    } else {
        acc.0 += x;
    }
    if infinite(upper) || y.abs() > LIMIT {
        acc.3 = true;
    } else {
        acc.1 += y;
    }
}

fn bounds_of(acc: (i128, i128, bool, bool)) -> Interval {
    let clamp = |v: i128| v.clamp(i64::MIN as i128, i64::MAX as i128) as i64;
    Interval {
        lower: if acc.2 { i64::MIN } else { clamp(acc.0) },
        upper: if acc.3 { i64::MAX } else { clamp(acc.1) },
    }
}

impl Forms {
    /// The ends of `terms + k` where everything is known and fits, which is nearly always.
    #[inline]
    pub(super) fn narrow_bounds(&self, terms: &[Term], k: i64) -> Option<(i64, i64)> {
        let (mut least, mut greatest) = (k, k);
        for t in terms {
            let b = self.atoms[t.atom as usize].bounds;
            if !finite(b.lower) || !finite(b.upper) {
                return None;
            }
            let (x, y) = (t.coef.checked_mul(b.lower)?, t.coef.checked_mul(b.upper)?);
            least = least.checked_add(x.min(y))?;
            greatest = greatest.checked_add(x.max(y))?;
        }
        Some((least, greatest))
    }

    /// True if the bounds of a form are those that its terms have now: neither constraints nor other rules said more since.
    pub(super) fn nothing_assumed(&self) -> bool {
        self.range_facts.is_empty() && self.window_facts.is_empty()
    }

    /// The ends of `terms + k` as numbers, and which of them are not known.
    fn accumulated(&self, terms: &[Term], k: i64) -> (i128, i128, bool, bool) {
        let mut acc = (k as i128, k as i128, false, false);
        for t in terms {
            let b = self.atom(t.atom).bounds;
            add_bounds(&mut acc, t.coef, b);
        }
        acc
    }

    /// The ends of `terms + k` as numbers, where both are known.
    pub(crate) fn wide_bounds(&self, terms: &[Term], k: i64) -> Option<(i128, i128)> {
        let without = match self.narrow_bounds(terms, k) {
            Some((least, greatest)) => (least as i128, greatest as i128),
            None => {
                let acc = self.accumulated(terms, k);
                if acc.2 || acc.3 {
                    return None;
                }
                (acc.0, acc.1)
            }
        };
        if !self.range_facts.is_empty() && terms.len() > 1 {
            let b = self.bounds_of_terms(terms, k);
            if finite(b.lower) && finite(b.upper) {
                return Some((b.lower as i128, b.upper as i128));
            }
        }
        Some(without)
    }

    /// The ends of a sum as numbers, each where it is known; they may be beyond 64 bits.
    pub(crate) fn ends_of_terms(&self, terms: &[Term]) -> (Option<i128>, Option<i128>) {
        let acc = self.accumulated(terms, 0);
        ((!acc.2).then_some(acc.0), (!acc.3).then_some(acc.1))
    }

    pub(crate) fn bounds_of_terms(&self, terms: &[Term], k: i64) -> Interval {
        let bounds = match self.narrow_bounds(terms, k) {
            Some((lower, upper)) => Interval { lower, upper },
            None => bounds_of(self.accumulated(terms, k)),
        };
        if self.range_facts.is_empty() || terms.len() < 2 {
            return bounds;
        }
        let positive = terms[0].coef > 0;
        let known = if positive {
            self.find(terms, 0)
        } else {
            let negate = |t: &Term| Term {
                coef: t.coef.wrapping_neg(),
                ..*t
            };
            let negated: Terms = terms.iter().map(negate).collect();
            self.find(&negated, 0)
        };
        match known.and_then(|lin| self.range_facts.get(&lin)) {
            Some(fact) if positive => bounds.intersect(fact.plus(Interval::point(k))),
            Some(fact) => bounds.intersect(fact.negated().plus(Interval::point(k))),
            None => bounds,
        }
    }

    /// States that on the domain `lin` is in an interval. What was derived from the form before does not know it.
    pub(crate) fn assume(&mut self, lin: LinId, values: Interval) {
        let k = self.lin(lin).k;
        let terms = Terms::from_slice(self.terms(lin));
        self.digits.clear();
        if let [t] = terms[..]
            && t.coef == 1
            && k == 0
            && let AtomKind::Digit { lin, a: 1, b } = self.atom(t.atom).kind
            && b != INF
        {
            let atom = &mut self.atoms[t.atom as usize];
            atom.bounds = atom.bounds.intersect(values);
            self.window_facts.entry((lin, b)).or_insert(atom.bounds);
        } else if terms.len() > 1
            && let Some(k) = k.checked_neg()
            && finite(values.lower)
            && finite(values.upper)
        {
            let l = &mut self.lins[lin as usize];
            l.bounds = l.bounds.intersect(values);
            let values = values.plus(Interval::point(k));
            let (terms, values) = if terms[0].coef > 0 {
                (terms, values)
            } else {
                let negate = |t: &Term| Term {
                    coef: t.coef.wrapping_neg(),
                    ..*t
                };
                (terms.iter().map(negate).collect(), values.negated())
            };
            let form = self.intern(&terms, 0);
            self.range_facts.entry(form).or_insert(values);
        }
    }

    /// The bounds of forms that were met before everything was stated.
    pub(crate) fn sharpen(&mut self) {
        if self.range_facts.is_empty() {
            return;
        }
        for lin in 0..self.lins.len() {
            let terms = self.terms(lin as LinId);
            if terms.len() > 1 {
                let known = self.bounds_of_terms(terms, self.lins[lin].k);
                let bounds = &mut self.lins[lin].bounds;
                *bounds = bounds.intersect(known);
            }
        }
    }

    pub(crate) fn window_fact(&self, lin: LinId, m: i64) -> Option<Interval> {
        if self.window_facts.is_empty() {
            return None;
        }
        self.window_facts.get(&(lin, m)).copied()
    }
}
