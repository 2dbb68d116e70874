//! Digits of digits.

use crate::simplify::linear::{AtomKind, Forms, LinId, Sum, Term, Terms, UNBOUNDED};
use crate::simplify::rules::divide::Step::{Changed, Same};
use crate::simplify::rules::divide::{Digit, Step};
use crate::simplify::rules::join::fuse::Part;

impl Forms {
    /// `(a * z + r, a, b) -> (z + r floordiv a, 1, b / a)`, but only where the rule that goes the
    /// other way ([`Forms::div_out_of_sum`]) would not: if there is not exactly one quotient that
    /// it could take, or other digits of the same form stand beside it.
    pub(crate) fn multiples_out_of_digit(&mut self, d: &mut Digit) -> Option<Step> {
        if d.a == 1 || !d.terms.iter().any(|t| t.coef % d.a == 0) {
            return Some(Same);
        }
        let a = d.a;
        let mut sum = Sum::default();
        let mut rest = Terms::new();
        for t in &d.terms {
            if t.coef % a == 0 {
                sum.terms.push(Term::new(t.atom, t.coef / a));
            } else {
                rest.push(*t);
            }
        }
        let rest = self.intern(&rest, d.k);
        let quotient = self.digit(rest, a, UNBOUNDED)?;
        self.accumulate(&mut sum, quotient, 1)?;
        let pulled = self.finish(&mut sum)?;
        let takes = |t: &Term| match self.atom(t.atom).kind {
            AtomKind::Digit { lin, a: 2.., .. } if t.coef.abs() == 1 => Some((t.atom, lin)),
            _ => None,
        };
        let mut taken = self.terms(pulled).iter().filter_map(takes);
        if let (Some((atom, lin)), None) = (taken.next(), taken.next())
            && !self.is_beside(self.terms(pulled), atom, lin)
        {
            return Some(Same);
        }
        d.set(self, pulled);
        d.b /= a;
        d.a = 1;
        Some(Changed)
    }

    pub(crate) fn nested_digits(&mut self, d: &mut Digit) -> Option<Step> {
        if let [t] = d.terms[..]
            && t.coef == 1
            && d.k == 0
            && let AtomKind::Digit { lin, a: p, b: q } = self.atom(t.atom).kind
            && let (Some(a), Some(b)) = (p.checked_mul(d.a), p.checked_mul(d.b))
        {
            let b = match (q, b) {
                (UNBOUNDED, _) => b,
                (_, UNBOUNDED) if q % a == 0 => q,
                (_, b) if b != UNBOUNDED && q % b == 0 => b,
                _ => return Some(Same),
            };
            let r = self.digit(lin, a, b)?;
            self.accumulate(&mut d.out, r, d.scale)?;
            return d.taken_out();
        }
        Some(Same)
    }

    /// The only term `± (w, p, q)` with ends that fit.
    pub(crate) fn only_unit_digit(
        &self,
        terms: &[Term],
        fits: fn(i64, i64) -> bool,
    ) -> Option<Part> {
        let unit = |at: usize| {
            let part = self.part(terms, at)?;
            (part.coef.abs() == 1 && fits(part.a, part.b)).then_some(part)
        };
        let mut found = (0..terms.len()).filter_map(unit);
        found.next().filter(|_| found.next().is_none())
    }

    /// `by * (p * y ± whole) + k`, where the terms are `y ± (w, p, q)`, the digit being `part`.
    pub(crate) fn without_divisor(
        &mut self,
        terms: &[Term],
        part: &Part,
        whole: LinId,
        (by, k): (i64, i64),
    ) -> Option<LinId> {
        let mut sum = Sum::new(Terms::new(), k);
        for (at, t) in terms.iter().enumerate() {
            if at != part.at {
                sum.terms.push(t.times(part.a)?.times(by)?);
            }
        }
        self.accumulate(&mut sum, whole, part.coef * by)?;
        self.finish(&mut sum)
    }

    /// For the only quotient of that kind.
    pub(crate) fn div_out_of_sum(&mut self, d: &mut Digit) -> Option<Step> {
        let Some(part) = self.only_unit_digit(&d.terms, |p, _| p > 1) else {
            return Some(Same);
        };
        let p = part.a;
        let (Some(a), Some(b)) = (d.a.checked_mul(p), d.b.checked_mul(p)) else {
            return Some(Same);
        };
        // Overflow below only means that the digits stay apart. -(w floordiv p) = (-w + p - 1)
        // floordiv p
        let low = if part.coef < 0 { p - 1 } else { 0 };
        let k = d.k.checked_mul(p).and_then(|k| k.checked_add(low));
        let merged = k.and_then(|k| {
            let whole = self.digit(part.lin, 1, part.b)?;
            self.without_divisor(&d.terms, &part, whole, (1, k))
        });
        let Some(lin) = merged else { return Some(Same) };
        // If other digits of w are around, the sum is cut at them again: nothing is won.
        let expected = self.find_digit(part.lin, 1, part.b);
        let other = |t: &Term| self.is_digit_of(t.atom, part.lin) && Some(t.atom) != expected;
        if self.terms(lin).iter().any(other) {
            return Some(Same);
        }
        d.set(self, lin);
        (d.a, d.b) = (a, b);
        Some(Changed)
    }
}
