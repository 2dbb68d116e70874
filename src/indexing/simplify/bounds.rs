//! Bounds of sums, from what is known of their terms and from what the constraints say of them.

use super::linear::{Atom, AtomId, AtomKind, Forms, LinId, Term, Terms, UNBOUNDED, finite};
use crate::interval::Interval;
use crate::linear::numeral::{ScaledDigit, ends_of_digits};
use smallvec::SmallVec;

/// A product beyond this says nothing of a sum.
const FARTHEST: u128 = 1 << 64;

/// Terms in a sum beyond which its digits are not looked at together.
const MOST: usize = 32;

/// Both ends as numbers.
pub(super) fn ends(values: Interval) -> (i128, i128) {
    (values.lower as i128, values.upper as i128)
}

/// The ends of the values, each times a factor.
pub(super) fn times(values: Interval, factor: i64) -> (i128, i128) {
    let (x, y) = ends(values);
    let (x, y) = (x * factor as i128, y * factor as i128);
    (x.min(y), x.max(y))
}

/// True if both ends are numbers.
pub(super) fn bounded(values: Interval) -> bool {
    finite(values.lower) && finite(values.upper)
}

impl Forms {
    /// True if the bounds of a form are those that its terms have now: neither constraints nor
    /// other rules said more since.
    pub(super) fn nothing_assumed(&self) -> bool {
        self.range_facts.is_empty() && self.window_facts.is_empty()
    }

    /// The ends of `terms + k` as numbers, each where it is known; they may be beyond 64 bits.
    pub(crate) fn ends_of_terms(&self, terms: &[Term], k: i64) -> (Option<i128>, Option<i128>) {
        let (mut least, mut greatest) = (Some(k as i128), Some(k as i128));
        for t in terms {
            let b = self.atoms[t.atom as usize].bounds;
            let (lower, upper) = if t.coef >= 0 {
                (b.lower, b.upper)
            } else {
                (b.upper, b.lower)
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
            if !bounded(b) {
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
            if bounded(b) {
                return Some(ends(b));
            }
        }
        if let Some(b) = self.narrow_bounds(terms, k) {
            return Some(ends(b));
        }
        let (least, greatest) = self.ends_of_terms(terms, k);
        Some((least?, greatest?))
    }

    pub(crate) fn bounds_of_terms(&self, terms: &[Term], k: i64) -> Interval {
        let clamp = |v: i128| v.clamp(i64::MIN as i128, i64::MAX as i128) as i64;
        let bounds = self.narrow_bounds(terms, k).unwrap_or_else(|| {
            let (least, greatest) = self.ends_of_terms(terms, k);
            let lower = least.map_or(i64::MIN, clamp);
            Interval::new(lower, greatest.map_or(i64::MAX, clamp))
        });
        if self.range_facts.is_empty() || terms.len() < 2 {
            return bounds;
        }
        let negative = terms[0].coef < 0;
        let (form, _) = first_positive(Terms::from_slice(terms), bounds);
        let known = self.find(&form, 0);
        match known.and_then(|lin| self.range_facts.get(&lin)) {
            Some(fact) if negative => bounds.intersect(fact.negated().plus(Interval::point(k))),
            Some(fact) => bounds.intersect(fact.plus(Interval::point(k))),
            None => bounds,
        }
    }

    /// The bounds of an atom, of whose variables more may be known than when it was met.
    pub(crate) fn bounds_now(&mut self, atom: AtomId, fuel: u32) -> Interval {
        let Atom { kind, bounds, .. } = *self.atom(atom);
        let new = match kind {
            _ if fuel == 0 => return bounds,
            AtomKind::Digit {
                lin,
                a,
                b: UNBOUNDED,
            } => self.form_now(lin, fuel).floor_div_constant(a),
            AtomKind::Opaque { op, x, y } => {
                op.bounds(self.form_now(x, fuel), self.form_now(y, fuel))
            }
            AtomKind::Digit { .. } | AtomKind::Variable => return bounds,
        };
        Some(bounds.intersect(new))
            .filter(|b| !b.is_empty())
            .unwrap_or(bounds)
    }

    fn form_now(&mut self, lin: LinId, fuel: u32) -> Interval {
        let own = *self.lin(lin);
        if fuel == 0 || !self.work(self.terms(lin).len()) {
            return own.bounds;
        }
        (0..self.terms(lin).len()).fold(Interval::point(own.k), |sum, at| {
            let t = self.terms(lin)[at];
            sum.plus(
                self.bounds_now(t.atom, fuel - 1)
                    .times(Interval::point(t.coef)),
            )
        })
    }

    /// States that on the domain `lin` is in an interval. What was derived from the form before
    /// does not know it.
    pub(crate) fn assume(&mut self, lin: LinId, values: Interval) {
        let k = self.lin(lin).k;
        let terms = Terms::from_slice(self.terms(lin));
        self.digits.clear();
        if let [t] = terms[..]
            && t.coef == 1
            && k == 0
            && let AtomKind::Digit { lin, a: 1, b } = self.atom(t.atom).kind
            && b != UNBOUNDED
        {
            let atom = &mut self.atoms[t.atom as usize];
            atom.bounds = atom.bounds.intersect(values);
            self.window_facts.entry((lin, b)).or_insert(atom.bounds);
        } else if terms.len() > 1
            && let Some(k) = k.checked_neg()
            && bounded(values)
        {
            let l = &mut self.lins[lin as usize];
            l.bounds = l.bounds.intersect(values);
            let (terms, values) = first_positive(terms, values.plus(Interval::point(k)));
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

    /// The ends of a form in which several digits of one number stand, which do not reach their
    /// ends together. `None` if there are none, or not all is known.
    pub(super) fn ends_of_numerals(&self, lin: LinId) -> Option<(i128, i128)> {
        let terms = self.terms(lin);
        if terms.len() > MOST {
            return None;
        }
        let mut digits: SmallVec<[(LinId, ScaledDigit, Interval); 8]> = SmallVec::new();
        for t in terms {
            let atom = self.atom(t.atom);
            if let AtomKind::Digit { lin, a, b } = atom.kind {
                let (low, high, coef) = (a, Some(b).filter(|b| *b != UNBOUNDED), t.coef);
                digits.push((lin, ScaledDigit { low, high, coef }, atom.bounds));
            }
        }
        digits.sort_by_key(|d| d.0);
        let mut moved = (0, 0);
        for group in digits.chunk_by(|d, e| d.0 == e.0) {
            if group.len() < 2 || !group.iter().all(|d| bounded(d.2)) {
                continue;
            }
            let apart = group.iter().map(|d| times(d.2, d.1.coef));
            let apart = apart.fold((0, 0), |sum, d| (sum.0 + d.0, sum.1 + d.1));
            let mut digits: SmallVec<[_; 8]> = group.iter().map(|d| d.1).collect();
            let values = Some(self.lin(group[0].0).bounds).filter(|b| bounded(*b));
            let values = values.map(|b| (b.lower, b.upper));
            if let Some((least, most)) = ends_of_digits(&mut digits, values) {
                moved.0 += (least - apart.0).max(0);
                moved.1 += (apart.1 - most).max(0);
            }
        }
        let (least, greatest) = self.ends_of_terms(terms, self.lin(lin).k);
        Some((least? + moved.0, greatest? - moved.1)).filter(|_| moved != (0, 0))
    }
}

/// Values of a sum as those of the sum or of its negation, whose first coefficient is positive.
fn first_positive(mut terms: Terms, values: Interval) -> (Terms, Interval) {
    if terms[0].coef > 0 {
        return (terms, values);
    }
    for t in &mut terms {
        *t = t.negated();
    }
    (terms, values.negated())
}
