//! Recombination: digits of the same form that stand side by side in a sum become one.

use super::div_mod::MAX_DEPTH;
use super::linear::{AtomKind, Coefs, Forms, INF, LinId, Sum, Term, finite, gcd};
use smallvec::SmallVec;
use std::cmp::Ordering;

/// Steps after which it is watched whether rules go around in a circle.
const STRAIGHT: u32 = 16;

/// Digits in one sum beyond which not all pairs of them are compared.
const MANY: usize = 32;

/// A digit that occurs in a sum.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// Where in the sum.
    pub(super) at: usize,
    pub(super) coef: i64,
    pub(super) lin: LinId,
    pub(super) a: i64,
    pub(super) b: i64,
}

impl Forms {
    /// Applies the rules of this file until none does.
    pub(crate) fn recombine(&mut self, sum: &mut Sum) -> Option<()> {
        // Rules here and those of digits call each other; both count.
        if self.depth >= MAX_DEPTH {
            self.contextual = true;
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
            let mut parts: SmallVec<[Part; 8]> = SmallVec::new();
            for (at, t) in sum.terms.iter().enumerate() {
                if (t.atom as usize) >= self.variables
                    && let AtomKind::Digit { lin, a, b } = self.atom(t.atom).kind
                {
                    parts.push(Part {
                        at,
                        coef: t.coef,
                        lin,
                        a,
                        b,
                    });
                }
            }
            if !self.work(sum.terms.len())
                || parts.is_empty()
                || (sum.terms.len() < 2 && !self.strided)
            {
                break;
            }
            // In very long sums only neighbours are looked for: the other rules compare all pairs.
            let found = match parts.len() {
                ..=MANY => {
                    self.neighbours(sum, &parts)?
                        || self.cut(sum, &parts)?
                        || self.against_whole(sum, &parts)?
                }
                _ => self.many_neighbours(sum, &parts)?,
            };
            if !found {
                break;
            }
            self.merge(&mut sum.terms)?;
            if step < STRAIGHT {
                continue;
            }
            // What one rule makes another one undoes: of all that is met on the way around, the shortest.
            if let Some(first) = met
                .iter()
                .position(|m| m.k == sum.k && m.terms == sum.terms)
            {
                if let Some(best) = met.drain(first..).min_by(|x, y| self.order_sums(x, y)) {
                    *sum = best;
                }
                return Some(());
            }
            met.push(sum.clone());
        }
        self.contextual |= met.len() as u32 == 256 - STRAIGHT;
        Some(())
    }

    /// Shorter sums first, else an order that does not depend on which was met before.
    fn order_sums(&self, x: &Sum, y: &Sum) -> Ordering {
        let terms = || x.terms.iter().zip(&y.terms);
        self.size(&x.terms)
            .cmp(&self.size(&y.terms))
            .then(x.terms.len().cmp(&y.terms.len()))
            .then_with(|| {
                terms()
                    .map(|(s, t)| self.order(s.atom, t.atom).then(s.coef.cmp(&t.coef)))
                    .find(|o| o.is_ne())
                    .unwrap_or(x.k.cmp(&y.k))
            })
    }

    /// `c * (L, a, m) + c * (m / a) * (L, m, b) -> c * (L, a, b)`, of which `(x floordiv m) * m + x mod m -> x` is the
    /// simplest case.
    fn neighbours(&mut self, sum: &mut Sum, parts: &[Part]) -> Option<bool> {
        if parts.len() < 2 {
            return Some(false);
        }
        // By the size of the coefficient.
        let mut by_coef: SmallVec<[(u64, usize); 8]> = SmallVec::new();
        for (i, p) in parts.iter().enumerate() {
            by_coef.push((p.coef.unsigned_abs(), i));
        }
        by_coef.sort_unstable();
        for low in parts.iter().filter(|p| p.b != INF) {
            let Some(scaled) = low.coef.unsigned_abs().checked_mul((low.b / low.a) as u64) else {
                continue;
            };
            let from = by_coef.partition_point(|(c, _)| *c < scaled);
            for &(_, j) in by_coef[from..].iter().take_while(|(c, _)| *c == scaled) {
                if !self.work(0) {
                    return Some(false);
                }
                if parts[j].at == low.at {
                    continue;
                }
                if self.fuse(sum, *low, parts[j])? {
                    return Some(true);
                }
            }
        }
        Some(false)
    }

    pub(super) fn fuse(&mut self, sum: &mut Sum, low: Part, high: Part) -> Option<bool> {
        if self.fuse_as(sum, low, high, 0)? {
            return Some(true);
        }
        // A digit with two values, v and v + 1, is (x, a, 2a) + v = v + 1 - (x + a, a, 2a), where x = lin - v * a.
        let bounds = self.atom(sum.terms[high.at].atom).bounds;
        let v = if high.b == INF { bounds.lower } else { 0 };
        if (high.b != INF && high.b / high.a != 2) || bounds.upper.checked_sub(v) != Some(1) {
            return Some(false);
        }
        let Some(shift) = 1i64.checked_sub(v).and_then(|n| n.checked_mul(high.a)) else {
            return Some(false);
        };
        let other = Part {
            coef: high.coef.checked_neg()?,
            lin: self.scaled(high.lin, 1, shift)?,
            b: high.a.checked_mul(2)?,
            ..high
        };
        let k = high.coef.checked_mul(v.checked_add(1)?)?;
        self.fuse_as(sum, low, other, k)
    }

    /// Fuses the two if they fit, and adds `k`.
    fn fuse_as(&mut self, sum: &mut Sum, low: Part, high: Part, k: i64) -> Option<bool> {
        let n = low.b / low.a;
        let same_sign = (low.coef < 0) == (high.coef < 0);
        // A form of which the upper digit is `high` and the lower one is `low` or its complement.
        let mut aligned = self.align(low, high, !same_sign, 0)?;
        if aligned.is_none() && n == 2 {
            // (x, a, 2a) = (-x - 1 + a, a, 2a) = 1 - (x + a, a, 2a)
            aligned = self.align(low, high, same_sign, low.a)?;
        }
        let (lin, b, constant) = match aligned {
            Some((lin, b)) => (
                lin,
                b,
                if same_sign {
                    0
                } else {
                    low.coef.checked_mul(n - 1)?
                },
            ),
            None if high.a % n == 0 => {
                // The digit below `high` may be written in another scale.
                let below = self.digit(high.lin, high.a / n, high.a)?;
                let form = *self.lin(below);
                let [t] = *self.terms(below) else {
                    return Some(false);
                };
                let expected = if same_sign { 1 } else { -1 };
                if t.atom != sum.terms[low.at].atom || t.coef != expected {
                    return Some(false);
                }
                // low = t * (below - k)
                let k = low
                    .coef
                    .checked_mul(t.coef)?
                    .checked_mul(form.k)?
                    .checked_neg()?;
                (high.lin, high.b, k)
            }
            None => return Some(false),
        };
        let a = if aligned.is_some() { low.a } else { high.a / n };
        if self.open_digits.contains(&(lin, a, b)) {
            self.contextual = true;
            return Some(false);
        }
        let fused = self.digit(lin, a, b)?;
        self.fired("adjacent-digits-fused");
        let c = high.coef / n;
        sum.terms[low.at].coef = 0;
        sum.terms[high.at].coef = 0;
        sum.k = sum.k.checked_add(constant)?.checked_add(k)?;
        self.accumulate(sum, fused, c)?;
        Some(true)
    }

    /// A form `L` and an end `b` with `(L, low.b, b) = high` and `(L, low.a, low.b) = low` (or the complement of `low`).
    /// (`complement` negates the form of `low`, `shift` is added to it.) With `g = low.b / high.a` it is `g * H + T`, where `0 <= T < g` is what the upper digit does not see, and `low` knows
    /// all coefficients modulo `low.b` only.
    pub(super) fn align(
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
        let m = low.b as i128;
        let g = (low.b / high.a) as i128;
        // Remainders modulo the end of the lower digit.
        let small = |v: i128| match i64::try_from(v) {
            Ok(v) => v.rem_euclid(low.b) as i128,
            Err(_) => v.rem_euclid(m),
        };
        let sign: i128 = if complement { -1 } else { 1 };
        let b = if high.b == INF {
            INF
        } else {
            high.b.checked_mul(g as i64)?
        };
        let mut full = Sum::default();
        let mut rest: SmallVec<[Term; 8]> = SmallVec::new();
        let (p, q) = (self.terms(low.lin), self.terms(high.lin));
        let (low_k, high_k) = (self.lin(low.lin).k, self.lin(high.lin).k);
        let mut seen = 0;
        let (of_p, of_q) = (Coefs::of(p), Coefs::of(q));
        for t in q {
            full.terms.push(Term {
                atom: t.atom,
                coef: t.coef.checked_mul(g as i64)?,
            });
        }
        for t in p {
            let coef = t.coef as i128 * sign;
            match of_q.get(t.atom) {
                Some(u) => {
                    let difference = coef - u as i128 * g;
                    seen += 1;
                    // The part that the upper digit does not see is small.
                    let part = small(difference);
                    let part = if part > m >> 1 { part - m } else { part };
                    if part != 0 {
                        rest.push(Term {
                            atom: t.atom,
                            coef: part as i64,
                        });
                    }
                }
                None if small(coef) != 0 => rest.push(Term {
                    atom: t.atom,
                    coef: coef as i64,
                }),
                None => {}
            }
        }
        if seen < q.len() {
            for u in q.iter().filter(|u| of_p.get(u.atom).is_none()) {
                if small(u.coef as i128 * g) != 0 {
                    return Some(None);
                }
            }
        }
        if g == 1 && !rest.is_empty() {
            return Some(None);
        }
        let k = low_k as i128;
        let k = if complement { -k - 1 } else { k } + shift as i128;
        let h = high_k as i128 * g;
        // T = rest + small with 0 <= T < g, and g * H + T = low modulo m.
        let bounds = self.bounds_of_terms(&rest, 0);
        if !finite(bounds.lower) || !finite(bounds.upper) {
            return Some(None);
        }
        let least = -(bounds.lower as i128);
        let below = least + small(k - h - least);
        if bounds.upper as i128 + below >= g {
            return Some(None);
        }
        full.k = i64::try_from(h + below).ok()?;
        full.terms.extend(rest);
        Some(Some((self.finish(full)?, b)))
    }

    /// How long terms are, written out.
    pub(super) fn size(&self, terms: &[Term]) -> u64 {
        let one = |t: &Term| self.atom(t.atom).size as u64 + 1;
        terms.iter().map(one).sum()
    }

    /// Digits that overlap are cut where the shorter one ends, `c * (L, a, b) -> c * (L, a, m) + c * (m / a) * (L, m, b)` if
    /// `(L, a, m)` or `(L, m, b)` stands in the sum too; and `c * x` likewise, if a digit of `x` does. So
    /// `x - (x floordiv m) * m -> x mod m`, and equal sums of digits become equal forms. The writer puts them together again
    /// where that is shorter.
    fn cut(&mut self, sum: &mut Sum, parts: &[Part]) -> Option<bool> {
        let mut best: Option<(usize, LinId, i64, i64, i64)> = None;
        let mut choice = false;
        let mut offer = |at: usize, lin: LinId, a: i64, b: i64, m: i64| {
            choice |= best.is_some_and(|x| x.4 != m);
            if best.is_none_or(|x| (m, at) < (x.4, x.0)) {
                best = Some((at, lin, a, b, m));
            }
        };
        for p in parts {
            for q in parts {
                if p.lin == q.lin && p.at != q.at {
                    let m = if q.a == p.a && q.b != INF && (p.b == INF || q.b < p.b) {
                        q.b
                    } else if q.b == p.b && q.a > p.a {
                        q.a
                    } else {
                        continue;
                    };
                    if m % p.a == 0 && (p.b == INF || p.b % m == 0) {
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
                (a, INF) => a,
                (1, b) => b,
                _ => continue,
            };
            let [t] = *self.terms(p.lin) else { continue };
            if t.coef != 1 {
                continue;
            }
            // Digits of x + k and of x + k' do not meet: take those without a constant, or the only ones that there are.
            let k = self.lin(p.lin).k;
            let only = parts.iter().all(|q| match *self.terms(q.lin) {
                [u] if u.atom == t.atom && u.coef == 1 => q.lin == p.lin,
                _ => true,
            });
            self.again |= !only;
            if (k == 0 || only)
                && let Some(at) = sum.terms.iter().position(|u| u.atom == t.atom)
            {
                // A digit that would fall into what it is made of comes back from there, and so does one that becomes another
                // digit of the same: x mod m from (x + 1) mod m, and the other way round.
                let depth = self.atom(t.atom).depth;
                if depth > 0 {
                    let Some(low) = self.digit(p.lin, 1, m) else {
                        continue;
                    };
                    if self
                        .terms(low)
                        .iter()
                        .any(|u| self.atom(u.atom).depth <= depth)
                    {
                        continue;
                    }
                }
                offer(at, p.lin, 1, INF, m);
            }
        }
        let Some((at, lin, a, b, m)) = best else {
            return Some(false);
        };
        self.again |= choice;
        let coef = sum.terms[at].coef;
        let low = self.digit(lin, a, m)?;
        let high = self.digit(lin, m, b)?;
        self.fired("overlapping-digits-cut");
        sum.terms[at].coef = 0;
        if a == 1 && b == INF {
            // c * x = c * (x + k) - c * k
            sum.k = sum.k.checked_sub(coef.checked_mul(self.lin(lin).k)?)?;
        }
        self.accumulate(sum, low, coef)?;
        self.accumulate(sum, high, coef.checked_mul(m / a)?)?;
        Some(true)
    }

    /// `c * L - c * m * (L floordiv m) -> c * (L mod m)`, `c * L - c * (L mod m) -> c * m * (L floordiv m)`, and exact
    /// quotients `c * m * (L floordiv m) -> c * (L - r)` where `L = r` modulo m.
    fn against_whole(&mut self, sum: &mut Sum, parts: &[Part]) -> Option<bool> {
        for p in parts {
            if !self.work(0) {
                return Some(false);
            }
            if p.a > 1 && p.coef % p.a == 0 {
                let c = (p.coef / p.a).checked_neg()?;
                let form = *self.lin(p.lin);
                let (g, r) = self.congruence(self.terms(p.lin), form.k, p.a);
                if g == p.a {
                    // (L - r, a, b) * a = (L - r, 1, b)
                    let shifted = self.scaled(p.lin, 1, r.checked_neg()?)?;
                    let whole = self.digit(shifted, 1, p.b)?;
                    self.fired("exact-quotient");
                    sum.terms[p.at].coef = 0;
                    self.accumulate(sum, whole, c.checked_neg()?)?;
                    return Some(true);
                }
                if p.b == INF
                    && let Some(found) = self.find_multiple(sum, p.lin, c)
                {
                    let rest = self.digit(p.lin, 1, p.a)?;
                    self.fired("remainder-from-quotient");
                    self.again = true;
                    for (at, taken) in found {
                        sum.terms[at].coef -= taken;
                    }
                    sum.terms[p.at].coef = 0;
                    sum.k = sum.k.checked_sub(c.checked_mul(form.k)?)?;
                    self.accumulate(sum, rest, c)?;
                    return Some(true);
                }
            }
            if p.a == 1 && p.b != INF && self.quotient_from_remainder(sum, p)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Where `c * lin` stands in the sum, with what is to be subtracted there. A coefficient may be larger than needed.
    fn find_multiple(&self, sum: &Sum, lin: LinId, c: i64) -> Option<SmallVec<[(usize, i64); 8]>> {
        let mut found = SmallVec::new();
        for t in self.terms(lin) {
            let at = sum.terms.iter().position(|u| u.atom == t.atom)?;
            let need = t.coef.checked_mul(c)?;
            let have = sum.terms[at].coef;
            if (need < 0) != (have < 0) || need.unsigned_abs() > have.unsigned_abs() {
                return None;
            }
            found.push((at, need));
        }
        Some(found)
    }

    fn quotient_from_remainder(&mut self, sum: &mut Sum, p: &Part) -> Option<bool> {
        let c = p.coef.checked_neg()?;
        let Some(period) = c.checked_mul(p.b) else {
            return Some(false);
        };
        let mut whole = Sum::default();
        let mut places: SmallVec<[usize; 8]> = SmallVec::new();
        for t in self.terms(p.lin) {
            let Some(at) = sum.terms.iter().position(|u| u.atom == t.atom) else {
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
            whole.terms.push(Term { atom: t.atom, coef });
            places.push(at);
        }
        whole.k = self.lin(p.lin).k;
        let k = whole.k;
        if k != 0 && sum.k == 0 {
            // One constant would become two.
            return Some(false);
        }
        let whole = self.finish(whole)?;
        let quotient = self.digit(whole, p.b, INF)?;
        self.fired("quotient-from-remainder");
        self.again = true;
        for at in places {
            sum.terms[at].coef = 0;
        }
        sum.terms[p.at].coef = 0;
        // c * (L - k) - c * (L mod b) = c * b * (L floordiv b) - c * k
        sum.k = sum.k.checked_sub(c.checked_mul(k)?)?;
        self.accumulate(sum, quotient, period)?;
        Some(true)
    }

    /// Whether the terms of two forms agree modulo `m` (`Some(false)`) or up to the sign (`Some(true)`).
    pub(crate) fn congruent(&self, l: LinId, r: LinId, m: i64) -> Option<bool> {
        let (p, q) = (self.terms(l), self.terms(r));
        let (of_p, of_q) = (Coefs::of(p), Coefs::of(q));
        let coef = |of: &Coefs, atom| of.get(atom).map_or(0, i128::from);
        let agree = |sign: i128| {
            p.iter()
                .all(|t| (t.coef as i128 - sign * coef(&of_q, t.atom)) % m as i128 == 0)
                && q.iter()
                    .all(|t| (coef(&of_p, t.atom) - sign * t.coef as i128) % m as i128 == 0)
        };
        if agree(1) {
            Some(false)
        } else if agree(-1) {
            Some(true)
        } else {
            None
        }
    }

    /// The greatest common divisor of the coefficients.
    pub(crate) fn content(&self, lin: LinId) -> i64 {
        self.terms(lin).iter().fold(0, |g, t| gcd(g, t.coef))
    }
}
