//! Digits of digits.

use crate::simplify::linear::{AtomKind, Forms, INF, Sum, Term, Terms};
use crate::simplify::rules::divide::{
    Digit, Step,
    Step::{Changed, Done, Same},
};

impl Forms {
    /// `(a * z + r, a, b) -> (z + r floordiv a, 1, b / a)`, but only where the rule that goes the other way ([`Forms::div_out_of_sum`])
    /// would not: if there is not exactly one quotient that it could take, or other digits of the same form stand
    /// beside it.
    pub(crate) fn multiples_out_of_digit(&mut self, d: &mut Digit) -> Option<Step> {
        if d.a == 1 || !d.terms.iter().any(|t| t.coef % d.a == 0) {
            return Some(Same);
        }
        let a = d.a;
        let mut sum = Sum::default();
        let mut rest = Terms::new();
        for t in &d.terms {
            if t.coef % a == 0 {
                sum.terms.push(Term {
                    atom: t.atom,
                    coef: t.coef / a,
                });
            } else {
                rest.push(*t);
            }
        }
        let rest = self.intern(&rest, d.k);
        let quotient = self.digit(rest, a, INF)?;
        self.accumulate(&mut sum, quotient, 1)?;
        let pulled = self.finish_mut(&mut sum)?;
        let mut taken = self
            .terms(pulled)
            .iter()
            .filter_map(|t| match self.atom(t.atom).kind {
                AtomKind::Digit { lin, a: p, .. } if p > 1 && t.coef.abs() == 1 => {
                    Some((t.atom, lin))
                }
                _ => None,
            });
        if let (Some((atom, lin)), None) = (taken.next(), taken.next())
            && !self.is_beside(self.terms(pulled), atom, lin)
        {
            return Some(Same);
        }
        d.terms = Terms::from_slice(self.terms(pulled));
        d.k = self.lin(pulled).k;
        d.b /= a;
        d.a = 1;
        Some(Changed)
    }

    /// `(x floordiv p) floordiv a -> x floordiv (p * a)`, `(x mod q) mod b -> x mod b` if `b | q`.
    pub(crate) fn nested_digits(&mut self, d: &mut Digit) -> Option<Step> {
        if let [t] = d.terms[..]
            && t.coef == 1
            && d.k == 0
            && let AtomKind::Digit { lin, a: p, b: q } = self.atom(t.atom).kind
        {
            let a = p.checked_mul(d.a);
            let b = if d.b == INF {
                Some(INF)
            } else {
                p.checked_mul(d.b)
            };
            if let (Some(a), Some(b)) = (a, b) {
                let inner = match (q == INF, b == INF) {
                    (true, _) => Some((a, b)),
                    (false, false) if q % b == 0 => Some((a, b)),
                    (false, true) if q % a == 0 => Some((a, q)),
                    _ => None,
                };
                if let Some((a, b)) = inner {
                    let r = self.digit(lin, a, b)?;
                    self.accumulate(&mut d.out, r, d.scale)?;
                    d.terms.clear();
                    return Some(Done);
                }
            }
        }
        Some(Same)
    }

    /// `(y + x floordiv p) floordiv a -> (p * y + x) floordiv (p * a)`, for the only such part.
    pub(crate) fn div_out_of_sum(&mut self, d: &mut Digit) -> Option<Step> {
        let mut found = None;
        for (i, t) in d.terms.iter().enumerate() {
            if t.coef.abs() == 1
                && let AtomKind::Digit { lin, a: p, b: q } = self.atom(t.atom).kind
                && p > 1
            {
                if found.is_some() {
                    return Some(Same);
                }
                found = Some((i, lin, p, q, t.coef));
            }
        }
        let Some((i, inner, p, q, coef)) = found else {
            return Some(Same);
        };
        let (Some(a), Some(b)) = (d.a.checked_mul(p), d.b.checked_mul(p)) else {
            return Some(Same);
        };
        // Overflow below only means that the digits stay apart.
        let mut sum = Sum::default();
        let merged = (|| {
            for (j, t) in d.terms.iter().enumerate() {
                if j != i {
                    sum.terms.push(Term {
                        atom: t.atom,
                        coef: t.coef.checked_mul(p)?,
                    });
                }
            }
            sum.k = d.k.checked_mul(p)?;
            let whole = self.digit(inner, 1, q)?;
            if coef < 0 {
                // -(w floordiv p) = (-w + p - 1) floordiv p
                sum.k = sum.k.checked_add(p - 1)?;
            }
            self.accumulate(&mut sum, whole, coef)?;
            self.finish(sum)
        })();
        let Some(lin) = merged else { return Some(Same) };
        // If other digits of w are around, the sum is cut at them again: nothing is won.
        let expected = self.find_digit(inner, 1, q);
        if self
            .terms(lin)
            .iter()
            .any(|t| self.is_digit_of(t.atom, inner) && Some(t.atom) != expected)
        {
            return Some(Same);
        }
        d.terms = Terms::from_slice(self.terms(lin));
        d.k = self.lin(lin).k;
        d.a = a;
        d.b = b;
        Some(Changed)
    }
}
