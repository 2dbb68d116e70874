//! Places of a mixed-radix numeral: what lies above or below a digit is taken out of it.

use crate::linear::gcd;
use crate::linear::number::{divides, floor, nearest};
use crate::simplify::linear::{AtomKind, Forms, LinId, Sum, Term, Terms, UNBOUNDED};
use crate::simplify::operations::LONG;
use crate::simplify::rules::divide::Step::{Changed, Same};
use crate::simplify::rules::divide::{Digit, Step};
use crate::simplify::rules::join::fuse::Part;
use smallvec::SmallVec;

impl Forms {
    pub(crate) fn multiples_out_of_div(&mut self, d: &mut Digit) -> Option<Step> {
        let a = d.a;
        let mut kept = 0;
        for i in 0..d.terms.len() {
            let t = d.terms[i];
            // Small coefficients need no division.
            if t.coef.unsigned_abs() >= a.unsigned_abs() && t.coef % a == 0 {
                let whole = Term::new(t.atom, t.coef / a);
                d.out.terms.push(whole.times(d.scale)?);
            } else {
                d.terms[kept] = t;
                kept += 1;
            }
        }
        if kept == d.terms.len() {
            return Some(Same);
        }
        d.terms.truncate(kept);
        Some(Changed)
    }

    /// Inner remainders that the outer one makes needless.
    pub(crate) fn inner_mod_absorbed(&mut self, d: &mut Digit) -> Option<Step> {
        let b = d.b;
        let mut absorbed: SmallVec<[(LinId, i64); 2]> = SmallVec::new();
        // The digits of each form, once there is something to absorb: one that stands beside others
        // is cut at them again.
        let mut counted = None;
        for i in 0..d.terms.len() {
            let t = d.terms[i];
            if let AtomKind::Digit { lin, a: p, b: q } = self.atom(t.atom).kind
                && q != UNBOUNDED
                && divides(b, t.coef, q / p)
                && counted.get_or_insert_with(|| self.count_digits(&d.terms))[&lin] == 1
            {
                absorbed.push((self.digit(lin, p, UNBOUNDED)?, t.coef));
                d.terms[i].coef = 0;
            }
        }
        if absorbed.is_empty() {
            return Some(Same);
        }
        d.terms.retain(|t| t.coef != 0);
        let mut sum = d.take_sum();
        for (lin, coef) in absorbed {
            self.accumulate(&mut sum, lin, coef)?;
        }
        let lin = self.finish(&mut sum)?;
        d.set(self, lin);
        Some(Changed)
    }

    /// Coefficients modulo m, nearest to zero.
    pub(crate) fn multiples_out_of_mod(&mut self, d: &mut Digit) -> Option<Step> {
        let b = d.b;
        let mut changed = false;
        for t in &mut d.terms {
            let (stride, offset) = (self.atom(t.atom).stride, self.atom(t.atom).offset);
            // Mostly so, and a division takes its time.
            let small = t.coef.unsigned_abs() < b.unsigned_abs();
            let coef = if !(small && stride == 1) && divides(b, t.coef, stride) {
                // The term is c * offset modulo b.
                let r = (t.coef as i128 * offset as i128).rem_euclid(b as i128);
                d.k = ((d.k as i128 + r) % b as i128) as i64;
                0
            } else if t.coef.unsigned_abs() < b.unsigned_abs() / 2 {
                t.coef
            } else {
                nearest(t.coef, b)
            };
            changed |= coef != t.coef;
            t.coef = coef;
        }
        if changed {
            d.terms.retain(|t| t.coef != 0);
        }
        if self.align_modulo(&mut d.terms, b)? {
            let lin = self.finish(&mut d.take_sum())?;
            d.set(self, lin);
            changed = true;
        }
        Some(if changed { Changed } else { Same })
    }

    /// `c * (L, a, m) + c' * (L, m, b)` where `c' = c * (m / a)` modulo the modulus: makes the
    /// coefficients equal, so that the digits fuse, also where one of them is written as its
    /// complement. The coefficients are those nearest to zero.
    pub(crate) fn align_modulo(&mut self, terms: &mut Terms, modulus: i64) -> Option<bool> {
        let first = self.first_digit(terms);
        if first + 1 >= terms.len() {
            return Some(false);
        }
        for i in first..terms.len() {
            let Some(low) = self.part(terms, i).filter(|p| p.b != UNBOUNDED) else {
                continue;
            };
            let scaled = low.coef.checked_mul(low.b / low.a);
            let Some(scaled) = scaled.filter(|v| *v != i64::MIN) else {
                continue;
            };
            for coef in [scaled, -scaled] {
                let reduced = nearest(coef, modulus);
                // What is there already does not fit, or it would be put together.
                if reduced == coef {
                    continue;
                }
                for j in (first..terms.len()).filter(|j| *j != i) {
                    if terms[j].coef == reduced
                        && let Some(high) = self.part(terms, j)
                        && self.fused(low, Part { coef, ..high })?.is_some()
                    {
                        terms[j].coef = coef;
                        return Some(true);
                    }
                }
            }
        }
        Some(false)
    }

    /// The place of the first term that is no variable, in a sum that is not too long to look at
    /// pairs.
    pub(crate) fn first_digit(&self, terms: &Terms) -> usize {
        let first = terms.iter().position(|t| self.is_no_variable(t));
        first.filter(|_| terms.len() <= LONG).unwrap_or(terms.len())
    }

    pub(crate) fn common_factor(&mut self, d: &mut Digit) -> Option<Step> {
        if d.terms.iter().any(|t| t.coef.unsigned_abs() == 1) {
            return Some(Same);
        }
        let g = d.terms.iter().fold(d.modulus(), |g, t| gcd(g, t.coef));
        if g <= 1 {
            return Some(Same);
        }
        if d.a % g == 0 {
            d.divide(g);
        } else if g % d.a == 0 {
            let low = d.k.rem_euclid(g) / d.a;
            d.add_constant(low)?;
            d.scale = d.scale.checked_mul(g / d.a)?;
            d.a = g;
            d.divide(g);
        } else {
            match gcd(g, d.a) {
                1 => return Some(Same),
                g => d.divide(g),
            }
        }
        Some(Changed)
    }

    /// `(x + k) floordiv a` sees only the part of x + k above g, where `x + k = r` modulo g and
    /// `g | a`.
    pub(crate) fn constant_below_stride(&mut self, d: &mut Digit) -> Option<Step> {
        if d.a == 1 || d.terms.iter().all(|t| self.atom(t.atom).stride == 1) {
            return Some(Same);
        }
        let (g, r) = self.congruence(&d.terms, d.k, d.a);
        if g <= 1 {
            return Some(Same);
        }
        let low = d.k.checked_sub(r)?;
        let reaches_zero = low <= 0 && 0 < low.checked_add(g)?;
        let k = if reaches_zero { 0 } else { low };
        Some(if std::mem::replace(&mut d.k, k) == k {
            Same
        } else {
            Changed
        })
    }

    /// Positional decomposition; of a digit between the two cases of the rule likewise.
    pub(crate) fn low_digits(&mut self, d: &mut Digit) -> Option<Step> {
        self.split_off(d, &[0], |coef, g| if coef % g == 0 { 0 } else { coef })
    }

    /// As `low_digits`, where the low part is made of what is left of the coefficients:
    /// `(g * x + r * y) floordiv (g * m)` with `0 <= r * y < g`, and `c * y = g * q * y + r * y`.
    pub(crate) fn low_remainders(&mut self, d: &mut Digit) -> Option<Step> {
        // Without a lowest place of its own the form hides one in its coefficients: what is left of
        // one is nothing or the lowest place, most of the time.
        if d.terms.iter().any(|t| t.coef.unsigned_abs() == 1) {
            return Some(Same);
        }
        self.split_off(d, &[0, -1, 1], nearest)
    }

    /// Splits a low part off for a factor `g` that a coefficient has, or one of its neighbours: of
    /// each coefficient `low(c, g)`, which is `c` modulo `g`.
    fn split_off(
        &mut self,
        d: &mut Digit,
        neighbours: &[i64],
        low: fn(i64, i64) -> i64,
    ) -> Option<Step> {
        if d.terms.len() < 2 {
            return Some(Same);
        }
        let m = d.modulus();
        let mut candidates: SmallVec<[i64; 8]> = SmallVec::new();
        for t in &d.terms {
            for by in neighbours {
                let c = t.coef.saturating_add(*by);
                if c.unsigned_abs() == 1 {
                    continue;
                }
                let g = gcd(c, m);
                let fits = d.a % g == 0 || g % d.a == 0;
                if g > 1 && fits && !candidates.contains(&g) && candidates.len() < 24 {
                    candidates.push(g);
                }
            }
        }
        candidates.sort_unstable();
        for g in candidates {
            let parts = d.terms.iter().map(|t| Term::new(t.atom, low(t.coef, g)));
            let low: Terms = parts.filter(|t| t.coef != 0).collect();
            let Some((q, low_k)) = self.period_of_terms(&low, d.k, g) else {
                continue;
            };
            // Two digits of one variable are not simpler than one.
            let one = neighbours.len() > 1 && d.a == 1 && low.len() == 1;
            // a | g: the low part reaches into the digit.
            let reaches = d.a % g != 0;
            if one || reaches && low_k.is_none() {
                continue;
            }
            // Other coefficients: what stands side by side may be put together now.
            let mut high = Sum::new(Terms::new(), q);
            let mut rest = low.iter().peekable();
            for t in &d.terms {
                let low = rest.next_if(|r| r.atom == t.atom).map_or(0, |r| r.coef);
                match t.coef.checked_sub(low)? / g {
                    0 => {}
                    coef => high.terms.push(Term::new(t.atom, coef)),
                }
            }
            if reaches && let Some(low_k) = low_k {
                let form = self.finish(&mut Sum::new(low, low_k))?;
                let part = self.digit(form, d.a, UNBOUNDED)?;
                self.accumulate(&mut d.out, part, d.scale)?;
                d.scale = d.scale.checked_mul(g / d.a)?;
                d.a = g;
            }
            let high = self.finish(&mut high)?;
            d.set(self, high);
            d.a /= g;
            d.b /= g;
            return Some(Changed);
        }
        Some(Same)
    }

    /// The period of `m` in which all of `terms + k` lies, also beyond 64 bits, and what is left of
    /// k there if that fits.
    fn period_of_terms(&self, terms: &[Term], k: i64, m: i64) -> Option<(i64, Option<i64>)> {
        let (lower, upper) = self.wide_bounds(terms, k)?;
        if upper - lower >= m as i128 {
            return None;
        }
        let q = floor(lower, m);
        if q != floor(upper, m) {
            return None;
        }
        let rest = i64::try_from(k as i128 - q * m as i128).ok();
        Some((i64::try_from(q).ok()?, rest))
    }
}
