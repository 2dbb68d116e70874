//! Two digits that stand side by side in a sum become one:
//! `c * (L, a, m) + c * (m / a) * (L, m, b) -> c * (L, a, b)`, of which
//! `(x floordiv m) * m + x mod m -> x` is the simplest case.

use crate::linear::number::{nearest, remainder};
use crate::simplify::bounds::bounded;
use crate::simplify::linear::{AtomId, AtomKind, Coefs, Forms, LinId, Sum, Term, UNBOUNDED};
use smallvec::SmallVec;

/// A digit that occurs in a sum.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// Position in the sum.
    pub(crate) at: usize,
    pub(crate) atom: AtomId,
    pub(crate) coef: i64,
    pub(crate) lin: LinId,
    pub(crate) a: i64,
    pub(crate) b: i64,
}

/// Sum of two digits: `coef * (lin, a, b) + constant`.
pub(crate) struct Fused {
    coef: i64,
    lin: LinId,
    a: i64,
    b: i64,
    constant: i64,
}

impl Forms {
    /// The digit that a term is.
    pub(crate) fn part(&self, terms: &[Term], at: usize) -> Option<Part> {
        let Term { atom, coef } = terms[at];
        let AtomKind::Digit { lin, a, b } = self.atom(atom).kind else {
            return None;
        };
        Some(Part {
            at,
            atom,
            coef,
            lin,
            a,
            b,
        })
    }

    /// Puts two digits of a sum together, if they fit.
    pub(crate) fn fuse(&mut self, sum: &mut Sum, low: Part, high: Part) -> Option<bool> {
        let Some(f) = self.fused(low, high)? else {
            return Some(false);
        };
        let digit = self.digit(f.lin, f.a, f.b)?;
        sum.terms[low.at].coef = 0;
        sum.terms[high.at].coef = 0;
        sum.k = sum.k.checked_add(f.constant)?;
        self.accumulate(sum, digit, f.coef)?;
        Some(true)
    }

    /// Fuses two digits, of which the upper one has the coefficient of the lower one times its
    /// base, with any sign.
    pub(crate) fn fused(&mut self, low: Part, high: Part) -> Option<Option<Fused>> {
        if !self.admits_sum(self.terms(low.lin).len() + self.terms(high.lin).len()) {
            return Some(None);
        }
        if let Some(fused) = self.fused_as(low, high, 0)? {
            return Some(Some(fused));
        }
        // A digit with two values, v and v + 1, is (x, a, 2a) + v = v + 1 - (x + a, a, 2a), where
        // x = lin - v * a.
        let bounds = self.atom(high.atom).bounds;
        let v = if high.b == UNBOUNDED { bounds.lower } else { 0 };
        if (high.b != UNBOUNDED && high.b / high.a != 2) || bounds.upper.checked_sub(v) != Some(1) {
            return Some(None);
        }
        let Some(shift) = 1i64.checked_sub(v).and_then(|n| n.checked_mul(high.a)) else {
            return Some(None);
        };
        let other = Part {
            coef: high.coef.checked_neg()?,
            lin: self.scaled(high.lin, 1, shift)?,
            b: high.a.checked_mul(2)?,
            ..high
        };
        let k = high.coef.checked_mul(v.checked_add(1)?)?;
        self.fused_as(low, other, k)
    }

    /// Fuses the two digits, if they fit, and adds `k`.
    fn fused_as(&mut self, low: Part, high: Part, k: i64) -> Option<Option<Fused>> {
        let n = low.b / low.a;
        let same_sign = (low.coef < 0) == (high.coef < 0);
        // A form of which the upper digit is `high` and the lower one is `low` or its complement.
        let mut aligned = self.align(low, high, !same_sign, 0)?;
        if aligned.is_none() && n == 2 {
            // (x, a, 2a) = (-x - 1 + a, a, 2a) = 1 - (x + a, a, 2a)
            aligned = self.align(low, high, same_sign, low.a)?;
        }
        let (lin, a, b, constant) = match aligned {
            Some((lin, b)) if same_sign => (lin, low.a, b, 0),
            Some((lin, b)) => (lin, low.a, b, low.coef.checked_mul(n - 1)?),
            None if high.a % n == 0 => {
                // The digit below `high` may be written in another scale.
                let below = self.digit(high.lin, high.a / n, high.a)?;
                let form = *self.lin(below);
                let [t] = *self.terms(below) else {
                    return Some(None);
                };
                let expected = if same_sign { 1 } else { -1 };
                if t.atom != low.atom || t.coef != expected {
                    return Some(None);
                }
                // low = t * (below - k)
                let constant = low.coef.checked_mul(t.coef)?.checked_mul(form.k)?;
                let constant = constant.checked_neg()?;
                (high.lin, high.a / n, high.b, constant)
            }
            None => return Some(None),
        };
        if self.open_digits.contains(&(lin, a, b)) {
            self.cache_unsafe = true;
            return Some(None);
        }
        let (coef, constant) = (high.coef / n, constant.checked_add(k)?);
        Some(Some(Fused {
            coef,
            lin,
            a,
            b,
            constant,
        }))
    }

    /// A form `L` and an end `b` with `(L, low.b, b) = high` and `(L, low.a, low.b) = low` (or the
    /// complement of `low`). (`complement` negates the form of `low`, `shift` is added to it.) With
    /// `g = low.b / high.a` it is `g * H + T`, where `0 <= T < g` is what the upper digit does not
    /// see, and `low` knows all coefficients modulo `low.b` only.
    pub(crate) fn align(
        &mut self,
        low: Part,
        high: Part,
        complement: bool,
        shift: i64,
    ) -> Option<Option<(LinId, i64)>> {
        if !complement && shift == 0 && low.lin == high.lin && low.b == high.a {
            return Some(Some((high.lin, high.b)));
        }
        if low.b % high.a != 0 {
            return Some(None);
        }
        let g = (low.b / high.a) as i128;
        // Remainders modulo the end of the lower digit.
        let small = |v: i128| remainder(v, low.b);
        let sign: i128 = if complement { -1 } else { 1 };
        // (No end stays none.)
        let b = high.b.checked_mul(g as i64)?;
        let mut full = Sum::default();
        let mut rest: SmallVec<[Term; 8]> = SmallVec::new();
        let (p, q) = (self.terms(low.lin), self.terms(high.lin));
        let (low_k, high_k) = (self.lin(low.lin).k, self.lin(high.lin).k);
        let mut seen = 0;
        let (of_p, of_q) = (Coefs::from_terms(p), Coefs::from_terms(q));
        for t in q {
            full.terms.push(t.times(g as i64)?);
        }
        for t in p {
            let coef = t.coef as i128 * sign;
            match of_q.get(t.atom) {
                Some(u) => {
                    let difference = coef - u as i128 * g;
                    seen += 1;
                    // The part that the upper digit does not see is small.
                    let part = nearest(small(difference) as i64, low.b);
                    if part != 0 {
                        rest.push(Term::new(t.atom, part));
                    }
                }
                None if small(coef) != 0 => rest.push(Term::new(t.atom, coef as i64)),
                None => {}
            }
        }
        let alone = |u: &&Term| of_p.get(u.atom).is_none();
        let matters = |u: &Term| small(u.coef as i128 * g) != 0;
        if (seen < q.len() && q.iter().filter(alone).any(matters)) || (g == 1 && !rest.is_empty()) {
            return Some(None);
        }
        let k = low_k as i128;
        let k = if complement { -k - 1 } else { k } + shift as i128;
        let h = high_k as i128 * g;
        // T = rest + small with 0 <= T < g, and g * H + T = low modulo m.
        let bounds = self.bounds_of_terms(&rest, 0);
        if !bounded(bounds) {
            return Some(None);
        }
        let least = -(bounds.lower as i128);
        let below = least + small(k - h - least);
        if bounds.upper as i128 + below >= g {
            return Some(None);
        }
        full.k = i64::try_from(h + below).ok()?;
        full.terms.extend(rest);
        Some(Some((self.finish(&mut full)?, b)))
    }
}
