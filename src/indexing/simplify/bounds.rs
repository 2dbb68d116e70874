//! Bounds of sums, from what is known of their terms and from what the constraints say of them.

use super::linear::{AtomKind, Forms, INF, LinId, Term, Terms, finite};
use crate::interval::Interval;

/// A product beyond this says nothing of a sum.
const FARTHEST: u128 = 1 << 64;

impl Forms {
    /// True if the bounds of a form are those that its terms have now: neither constraints nor other rules said more since.
    pub(super) fn nothing_assumed(&self) -> bool {
        self.range_facts.is_empty() && self.window_facts.is_empty()
    }

    /// The ends of `terms + k` as numbers, each where it is known; they may be beyond 64 bits.
    pub(crate) fn ends_of_terms(&self, terms: &[Term], k: i64) -> (Option<i128>, Option<i128>) {
        let (mut least, mut greatest) = (Some(k as i128), Some(k as i128));
        for t in terms {
            let b = self.atoms[t.atom as usize].bounds;
            let (lower, upper) = match t.coef >= 0 {
                true => (b.lower, b.upper),
                false => (b.upper, b.lower),
            };
            let add = |sum: &mut Option<i128>, end: i64| {
                let product = t.coef as i128 * end as i128;
                let known = finite(end) && product.unsigned_abs() <= FARTHEST;
                *sum = sum.filter(|_| known).map(|sum| sum + product);
            };
            add(&mut least, lower);
            add(&mut greatest, upper);
        }
        (least, greatest)
    }

    /// The ends of `terms + k` where everything is known and fits, which is nearly always.
    #[inline]
    fn narrow_bounds(&self, terms: &[Term], k: i64) -> Option<Interval> {
        let (mut lower, mut upper) = (k, k);
        for t in terms {
            let b = self.atoms[t.atom as usize].bounds;
            if !finite(b.lower) || !finite(b.upper) {
                return None;
            }
            let (x, y) = (t.coef.checked_mul(b.lower)?, t.coef.checked_mul(b.upper)?);
            lower = lower.checked_add(x.min(y))?;
            upper = upper.checked_add(x.max(y))?;
        }
        Some(Interval { lower, upper })
    }

    /// The ends of `terms + k` as numbers, where both are known.
    pub(crate) fn wide_bounds(&self, terms: &[Term], k: i64) -> Option<(i128, i128)> {
        if !self.range_facts.is_empty() && terms.len() > 1 {
            let b = self.bounds_of_terms(terms, k);
            if finite(b.lower) && finite(b.upper) {
                return Some((b.lower as i128, b.upper as i128));
            }
        }
        if let Some(b) = self.narrow_bounds(terms, k) {
            return Some((b.lower as i128, b.upper as i128));
        }
        let (least, greatest) = self.ends_of_terms(terms, k);
        Some((least?, greatest?))
    }

    pub(crate) fn bounds_of_terms(&self, terms: &[Term], k: i64) -> Interval {
        let clamp = |v: i128| v.clamp(i64::MIN as i128, i64::MAX as i128) as i64;
        let bounds = self.narrow_bounds(terms, k).unwrap_or_else(|| {
            let (least, greatest) = self.ends_of_terms(terms, k);
            Interval {
                lower: least.map_or(i64::MIN, clamp),
                upper: greatest.map_or(i64::MAX, clamp),
            }
        });
        if self.range_facts.is_empty() || terms.len() < 2 {
            return bounds;
        }
        let positive = terms[0].coef > 0;
        let known = if positive {
            self.find(terms, 0)
        } else {
            let negated: Terms = terms.iter().map(|t| t.negated()).collect();
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
                let negated = terms.iter().map(|t| t.negated());
                (negated.collect(), values.negated())
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
