//! Digits of a sum that belong to each other but are not of one form: a rotation written as a jump,
//! and a digit whose lower neighbour is inside of a quotient.

use crate::simplify::bounds::bounded;
use crate::simplify::linear::{AtomKind, Forms, LinId, Sum, Term, Terms, UNBOUNDED};
use crate::simplify::rules::join::fuse::Part;
use smallvec::SmallVec;

impl Forms {
    /// The value at which `L floordiv a` goes from `q` to `q + 1`, where it has these two values
    /// and no others; and `q`.
    fn jump(&self, lin: LinId, a: i64) -> Option<(i64, i64)> {
        let b = self.lin(lin).bounds;
        if !bounded(b) {
            return None;
        }
        let q = b.lower.div_euclid(a);
        let next = q.checked_add(1)?;
        (b.upper.div_euclid(a) == next).then_some((a.checked_mul(next)?, q))
    }

    /// `c * L - c * k * (L floordiv a) -> c * ((L - t) mod k) + c * (t - k * (q + 1))` where
    /// `L floordiv a` is `q` below `t` and `q + 1` from there, and `L - t` is in `[-k, k)`: what
    /// jumps back by `k` at `t` is a rotation. Only if `L` is `y mod k` plus a constant, which then
    /// is `(y - t) mod k`; else one is not simpler than the other.
    #[inline(never)]
    pub(crate) fn rotation(&mut self, sum: &mut Sum, parts: &[Part]) -> Option<bool> {
        for p in parts.iter().filter(|p| p.b == UNBOUNDED && p.a > 1) {
            if let [Term { atom, coef: 1 }] = *self.terms(p.lin)
                && let AtomKind::Digit { a: 1, b, .. } = self.atom(atom).kind
                && let Some((t, q)) = self.jump(p.lin, p.a)
                && let Some((c, k, whole)) = self.jumping(sum, parts, p)
            {
                let values = self.lin(p.lin).bounds;
                let fits = values.lower.checked_sub(t)? >= -k && values.upper.checked_sub(t)? < k;
                if k != b || k == p.a || !fits {
                    continue;
                }
                let shifted = self.scaled(p.lin, 1, t.checked_neg()?)?;
                let turned = self.digit(shifted, 1, k)?;
                let k = t.checked_sub(k.checked_mul(q.checked_add(1)?)?)?;
                let k = k.checked_sub(self.take(sum, p, whole))?.checked_mul(c)?;
                sum.k = sum.k.checked_add(k)?;
                self.accumulate(sum, turned, c)?;
                return Some(true);
            }
        }
        Some(false)
    }

    /// Takes a quotient and what stands beside it out of a sum. The constant of the form that is
    /// not in the sum.
    fn take(&self, sum: &mut Sum, p: &Part, beside: Beside) -> i64 {
        let mut remove = |at: usize| sum.terms[at].coef = 0;
        remove(p.at);
        match beside {
            Beside::Digit(at) => {
                remove(at);
                0
            }
            Beside::Terms(places) => {
                places.into_iter().for_each(remove);
                self.lin(p.lin).k
            }
        }
    }

    /// Finds what stands beside the digit `p = (L, a, UNBOUNDED)`: the terms of `c * L`, or
    /// `c * (L, 1, a)`. Returns it with `c` and `k` such that both together are
    /// `c * L - c * k * (L floordiv a)`.
    fn jumping(&self, sum: &Sum, parts: &[Part], p: &Part) -> Option<(i64, i64, Beside)> {
        let is_low = |l: &&Part| l.lin == p.lin && l.a == 1 && l.b == p.a;
        let low = parts.iter().find(is_low);
        if let Some(low) = low {
            // c * (L - a * h) + e * h
            let e = p.coef.checked_sub(low.coef.checked_mul(p.a)?)?;
            let k = (e % low.coef == 0).then(|| (e / low.coef).checked_neg())??;
            return Some((low.coef, k, Beside::Digit(low.at)));
        }
        let mut c = None;
        let mut places = SmallVec::new();
        for t in self.terms(p.lin) {
            let at = sum.position(t.atom)?;
            let have = sum.terms[at].coef;
            let this = (have % t.coef == 0).then_some(have / t.coef)?;
            if *c.get_or_insert(this) != this {
                return None;
            }
            places.push(at);
        }
        let c = c?;
        let k = (p.coef % c == 0).then(|| (p.coef / c).checked_neg())??;
        Some((c, k, Beside::Terms(places)))
    }

    /// `c * ((M, r, m) * g + y) floordiv a + c * f * (M, m, e) -> c * ((M, r,
    /// e) * g + y) floordiv a` where `f * a = g * (m / r)`: a multiple that was taken out of a
    /// quotient goes back to the digit below it.
    #[inline(never)]
    pub(crate) fn rejoin_quotient(&mut self, sum: &mut Sum, parts: &[Part]) -> Option<bool> {
        for p in parts.iter().filter(|p| p.b == UNBOUNDED && p.a > 1) {
            let Some((high, multiple)) = self.above_inner(parts, p) else {
                continue;
            };
            let mut whole = Sum::new(Terms::from_slice(self.terms(p.lin)), self.lin(p.lin).k);
            whole.terms.push(Term::new(high.atom, multiple));
            let whole = self.finish(&mut whole)?;
            let quotient = self.digit(whole, p.a, UNBOUNDED)?;
            sum.terms[p.at].coef = 0;
            sum.terms[high.at].coef = 0;
            self.accumulate(sum, quotient, p.coef)?;
            return Some(true);
        }
        Some(false)
    }

    /// The digit in a sum above one that stands inside of the quotient `p` of it, and how many
    /// times it belongs there.
    fn above_inner(&self, parts: &[Part], p: &Part) -> Option<(Part, i64)> {
        self.terms(p.lin).iter().find_map(|t| {
            let AtomKind::Digit { lin, a: r, b: m } = self.atom(t.atom).kind else {
                return None;
            };
            let of_number = |u: &&Part| u.lin == lin && u.a == m;
            let high = parts.iter().find(of_number).filter(|_| m != UNBOUNDED)?;
            let multiple = t.coef.checked_mul(m / r).filter(|v| v % p.a == 0)?;
            let coef = p.coef.checked_mul(multiple / p.a)?;
            (high.coef == coef).then_some((*high, multiple))
        })
    }
}

/// Neighbour of a quotient in a sum, and its position.
enum Beside {
    Digit(usize),
    /// The terms of a form, without its constant.
    Terms(SmallVec<[usize; 4]>),
}
