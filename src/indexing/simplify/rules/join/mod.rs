//! Recombination: digits of the same form that stand side by side in a sum become one.

mod adjacent;
pub(crate) mod fuse;
mod rejoin;

use crate::linear::gcd;
use crate::simplify::linear::{Coefs, Forms, LinId, Sum, Term, UNBOUNDED};
use crate::simplify::rules::divide::MAX_DEPTH;
use crate::simplify::rules::join::fuse::Part;
use crate::simplify::rules::{Apply, JOIN};
use smallvec::SmallVec;
use std::cmp::Ordering;

/// Digits of a sum, in its order.
type Parts = SmallVec<[Part; 8]>;

/// Steps after which it is watched whether rules go around in a circle.
const STRAIGHT: u32 = 16;

/// Digits in one sum beyond which not all pairs of them are compared.
const MANY: usize = 32;

impl Forms {
    /// Applies the rules of this file until none does. `None` if a number would not fit.
    pub(crate) fn recombine(&mut self, sum: &mut Sum) -> Option<()> {
        // Rules here and those of digits call each other; both count.
        if self.depth >= MAX_DEPTH {
            self.cache_unsafe = true;
            return Some(());
        }
        self.depth += 1;
        let done = self.recombine_all(sum);
        self.depth -= 1;
        done
    }

    fn recombine_all(&mut self, sum: &mut Sum) -> Option<()> {
        let mut met: Vec<Sum> = Vec::new();
        for step in 0..256 {
            let parts = self.parts(&sum.terms);
            if !self.work(sum.terms.len())
                || parts.is_empty()
                || (sum.terms.len() < 2 && !self.strided)
            {
                break;
            }
            if !self.recombine_once(sum, &parts)? {
                break;
            }
            if step < STRAIGHT {
                continue;
            }
            // What one rule makes another one undoes: of all that is met on the way around, the
            // shortest.
            if let Some(first) = met.iter().position(|m| m == sum) {
                if let Some(best) = met.drain(first..).min_by(|x, y| self.order_sums(x, y)) {
                    *sum = best;
                }
                return Some(());
            }
            met.push(sum.clone());
        }
        self.cache_unsafe |= met.len() as u32 == 256 - STRAIGHT;
        Some(())
    }

    /// Applies one rule; false if none does, `None` if a number would not fit.
    #[inline(always)]
    fn recombine_once(&mut self, sum: &mut Sum, parts: &[Part]) -> Option<bool> {
        let before = self.side(|forms| forms.side_of_sum(&sum.terms, sum.k));
        // In very long sums only neighbours are looked for: the other rules compare all pairs.
        for rule in if parts.len() > MANY { &JOIN[..1] } else { JOIN } {
            if let Apply::Sums(apply) = rule.apply
                && apply(self, sum, parts)?
            {
                self.merge(&mut sum.terms)?;
                self.fired_on(rule.name, before, |forms| {
                    forms.side_of_sum(&sum.terms, sum.k)
                });
                return Some(true);
            }
        }
        Some(false)
    }

    /// The digits of a sum.
    #[inline(always)]
    fn parts(&self, terms: &[Term]) -> Parts {
        let mut parts = Parts::new();
        for (at, t) in terms.iter().enumerate() {
            if self.is_no_variable(t) {
                parts.extend(self.part(terms, at));
            }
        }
        parts
    }

    /// Shorter sums first, else an order that does not depend on which was met before. Of the
    /// negations it is the same, as a sum may be met as either.
    fn order_sums(&self, x: &Sum, y: &Sum) -> Ordering {
        let length = |sum: &Sum| (self.size(&sum.terms), sum.terms.len());
        let terms = |key: fn(i64) -> i128| {
            let coef = |x: i64, y: i64| key(x).cmp(&key(y));
            let term =
                |(s, t): (&Term, &Term)| (self.order(s.atom, t.atom)).then(coef(s.coef, t.coef));
            let all = x.terms.iter().zip(&y.terms).map(term);
            all.fold(Ordering::Equal, Ordering::then)
                .then(coef(x.k, y.k))
        };
        (length(x).cmp(&length(y)))
            .then_with(|| terms(|v| v.unsigned_abs().into()))
            .then_with(|| terms(i128::from))
    }

    /// Of which `(x floordiv m) * m + x mod m -> x` is the simplest case.
    pub(crate) fn adjacent(&mut self, sum: &mut Sum, parts: &[Part]) -> Option<bool> {
        if parts.len() < 2 {
            return Some(false);
        }
        if parts.len() > MANY {
            return self.many_neighbours(sum, parts);
        }
        for low in parts.iter().filter(|p| p.b != UNBOUNDED) {
            let Some(scaled) = low.coef.unsigned_abs().checked_mul((low.b / low.a) as u64) else {
                continue;
            };
            for high in parts.iter().filter(|p| p.coef.unsigned_abs() == scaled) {
                if !self.work(0) {
                    return Some(false);
                }
                if high.at != low.at && self.fuse(sum, *low, *high)? {
                    return Some(true);
                }
            }
        }
        Some(false)
    }

    /// Returns the length of terms, written out.
    pub(crate) fn size(&self, terms: &[Term]) -> u64 {
        let one = |t: &Term| self.atom(t.atom).size as u64 + 1;
        terms.iter().map(one).sum()
    }

    /// Digits that overlap are cut where the shorter one ends; and `c * x` likewise, if a digit of
    /// `x` stands beside it. So `x - (x floordiv m) * m -> x mod m`, and equal sums of digits
    /// become equal forms. The writer puts them together again where that is shorter.
    pub(crate) fn cut(&mut self, sum: &mut Sum, parts: &[Part]) -> Option<bool> {
        let mut best: Option<(usize, LinId, i64, i64, i64)> = None;
        let mut offer = |at: usize, lin: LinId, a: i64, b: i64, m: i64| {
            if best.is_none_or(|x| (m, at) < (x.4, x.0)) {
                best = Some((at, lin, a, b, m));
            }
        };
        for p in parts {
            for q in parts {
                if p.lin == q.lin && p.at != q.at {
                    let m = if q.a == p.a && q.b != UNBOUNDED && (p.b == UNBOUNDED || q.b < p.b) {
                        q.b
                    } else if q.b == p.b && q.a > p.a {
                        q.a
                    } else {
                        continue;
                    };
                    if m % p.a == 0 && (p.b == UNBOUNDED || p.b % m == 0) {
                        offer(p.at, p.lin, p.a, p.b, m);
                    }
                }
            }
            if !self.work(parts.len()) {
                return Some(false);
            }
        }
        for p in parts {
            let m = match (p.a, p.b) {
                (a, UNBOUNDED) => a,
                (1, b) => b,
                _ => continue,
            };
            let [t] = *self.terms(p.lin) else { continue };
            if t.coef != 1 {
                continue;
            }
            // Digits of x + k and of x + k' do not meet: take those without a constant, or the only
            // ones that there are.
            let k = self.lin(p.lin).k;
            let only = parts.iter().all(|q| match *self.terms(q.lin) {
                [u] if u.atom == t.atom && u.coef == 1 => q.lin == p.lin,
                _ => true,
            });
            if (k == 0 || only)
                && let Some(at) = sum.position(t.atom)
            {
                // A digit that would fall into what it is made of comes back from there, and so
                // does one that becomes another digit of the same: x mod m from (x + 1) mod m, and
                // the other way round.
                let depth = self.atom(t.atom).depth;
                if depth > 0 {
                    let Some(low) = self.digit(p.lin, 1, m) else {
                        continue;
                    };
                    let comes_back = |u: &Term| self.atom(u.atom).depth <= depth;
                    if self.terms(low).iter().any(comes_back) {
                        continue;
                    }
                }
                offer(at, p.lin, 1, UNBOUNDED, m);
            }
        }
        let Some((at, lin, a, b, m)) = best else {
            return Some(false);
        };
        let coef = sum.terms[at].coef;
        let low = self.digit(lin, a, m)?;
        let high = self.digit(lin, m, b)?;
        sum.terms[at].coef = 0;
        if a == 1 && b == UNBOUNDED {
            // c * x = c * (x + k) - c * k
            sum.k = sum.k.checked_sub(coef.checked_mul(self.lin(lin).k)?)?;
        }
        self.accumulate(sum, low, coef)?;
        self.accumulate(sum, high, coef.checked_mul(m / a)?)?;
        Some(true)
    }

    pub(crate) fn exact_quotient(&mut self, sum: &mut Sum, parts: &[Part]) -> Option<bool> {
        for p in parts.iter().filter(|p| p.a > 1 && p.coef % p.a == 0) {
            let (g, r) = self.congruence(self.terms(p.lin), self.lin(p.lin).k, p.a);
            if g == p.a {
                // (L - r, a, b) * a = (L - r, 1, b)
                let shifted = self.scaled(p.lin, 1, r.checked_neg()?)?;
                let whole = self.digit(shifted, 1, p.b)?;
                sum.terms[p.at].coef = 0;
                self.accumulate(sum, whole, p.coef / p.a)?;
                return Some(true);
            }
        }
        Some(false)
    }

    pub(crate) fn remainder_from_quotient(
        &mut self,
        sum: &mut Sum,
        parts: &[Part],
    ) -> Option<bool> {
        let quotient = |p: &&Part| p.b == UNBOUNDED && p.a > 1 && p.coef % p.a == 0;
        for p in parts.iter().filter(quotient) {
            if !self.work(0) {
                return Some(false);
            }
            let c = (p.coef / p.a).checked_neg()?;
            let Some(found) = self.find_multiple(sum, p.lin, c) else {
                continue;
            };
            let rest = self.digit(p.lin, 1, p.a)?;
            for (at, taken) in found {
                sum.terms[at].coef -= taken;
            }
            sum.terms[p.at].coef = 0;
            sum.k = sum.k.checked_sub(c.checked_mul(self.lin(p.lin).k)?)?;
            self.accumulate(sum, rest, c)?;
            return Some(true);
        }
        Some(false)
    }

    pub(crate) fn quotient_from_remainder(
        &mut self,
        sum: &mut Sum,
        parts: &[Part],
    ) -> Option<bool> {
        for p in parts.iter().filter(|p| p.a == 1 && p.b != UNBOUNDED) {
            if !self.work(0) {
                return Some(false);
            }
            if self.quotient_of(sum, p)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Finds `c * lin` in the sum: the positions of its terms, with what is to be subtracted there.
    /// A coefficient may be larger than needed.
    fn find_multiple(&self, sum: &Sum, lin: LinId, c: i64) -> Option<SmallVec<[(usize, i64); 8]>> {
        let find = |t: &Term| {
            let (at, need) = (sum.position(t.atom)?, t.coef.checked_mul(c)?);
            let have = sum.terms[at].coef;
            let enough = (need < 0) == (have < 0) && need.unsigned_abs() <= have.unsigned_abs();
            enough.then_some((at, need))
        };
        self.terms(lin).iter().map(find).collect()
    }

    fn quotient_of(&mut self, sum: &mut Sum, p: &Part) -> Option<bool> {
        let c = p.coef.checked_neg()?;
        let Some(period) = c.checked_mul(p.b) else {
            return Some(false);
        };
        let mut whole = Sum::default();
        let mut places: SmallVec<[usize; 8]> = SmallVec::new();
        for t in self.terms(p.lin) {
            let Some(at) = sum.position(t.atom) else {
                return Some(false);
            };
            let have = sum.terms[at].coef as i128;
            if (have - t.coef as i128 * c as i128) % period as i128 != 0 {
                return Some(false);
            }
            let coef = i64::try_from(have / c as i128).ok()?;
            if (coef < 0) != (t.coef < 0) {
                return Some(false);
            }
            whole.terms.push(Term::new(t.atom, coef));
            places.push(at);
        }
        let k = self.lin(p.lin).k;
        whole.k = k;
        if k != 0 && sum.k == 0 {
            // One constant would become two.
            return Some(false);
        }
        let whole = self.finish(&mut whole)?;
        let quotient = self.digit(whole, p.b, UNBOUNDED)?;
        for at in places {
            sum.terms[at].coef = 0;
        }
        sum.terms[p.at].coef = 0;
        // c * (L - k) - c * (L mod b) = c * b * (L floordiv b) - c * k
        sum.k = sum.k.checked_sub(c.checked_mul(k)?)?;
        self.accumulate(sum, quotient, period)?;
        Some(true)
    }

    /// Whether the terms of two forms agree modulo `m` (`Some(false)`) or up to the sign
    /// (`Some(true)`).
    pub(crate) fn congruent(&self, l: LinId, r: LinId, m: i64) -> Option<bool> {
        let (p, q) = (self.terms(l), self.terms(r));
        let (of_p, of_q) = (Coefs::from_terms(p), Coefs::from_terms(q));
        let (mut same, mut opposite) = (true, true);
        let mut compare = |x: Option<i64>, y: Option<i64>| {
            let (x, y) = (x.unwrap_or(0).rem_euclid(m), y.unwrap_or(0).rem_euclid(m));
            same &= x == y;
            opposite &= x == (m - y) % m;
            same || opposite
        };
        let agree = p.iter().all(|t| compare(Some(t.coef), of_q.get(t.atom)))
            && q.iter().all(|t| compare(of_p.get(t.atom), Some(t.coef)));
        agree.then_some(!same)
    }

    /// The greatest common divisor of the coefficients.
    pub(crate) fn content(&self, lin: LinId) -> i64 {
        self.terms(lin).iter().fold(0, |g, t| gcd(g, t.coef))
    }
}
