//! Division and remainder: the normal form of a digit `(L, a, b) = (L floordiv a) mod (b / a)`.
//!
//! One loop strips the form `L`, scales and splits the digit until nothing applies; what is left becomes an atom. The
//! invariant is `value = out + scale * (terms + k, a, b)` with `a >= 1` and `a | b` (or `b = INF`).

use super::linear::{AtomKind, Forms, INF, LinId, Sum, Term, Terms, finite, gcd};
use crate::interval::Interval;
use smallvec::SmallVec;

/// Nested calls after which a digit is left as it is.
pub(super) const MAX_DEPTH: u32 = 48;
/// Rewrites of one digit after which it is left as it is.
const MAX_STEPS: u32 = 64;

/// The state of the loop.
pub(super) struct Digit {
    pub(super) out: Sum,
    pub(super) scale: i64,
    pub(super) terms: Terms,
    pub(super) k: i64,
    pub(super) a: i64,
    pub(super) b: i64,
    /// No rule applies any more.
    settled: bool,
}

/// What a rule did.
pub(super) enum Step {
    /// It does not apply.
    Same,
    /// It changed the digit: start again.
    Changed,
    /// The value is `out + scale * (terms + k)`, or nothing is left.
    Done,
}

use Step::{Changed, Done, Same};

impl Digit {
    pub(super) fn new(forms: &Forms, lin: LinId, a: i64, b: i64) -> Self {
        Digit {
            out: Sum::default(),
            scale: 1,
            terms: Terms::from_slice(forms.terms(lin)),
            k: forms.lin(lin).k,
            a,
            b,
            settled: false,
        }
    }

    /// The modulus that decides which multiples matter.
    fn modulus(&self) -> i64 {
        if self.b == INF { self.a } else { self.b }
    }

    /// `(g * L + k, g * a, g * b) -> (L + k floordiv g, a, b)` where `g | terms`.
    fn divide(&mut self, g: i64) {
        for t in &mut self.terms {
            t.coef /= g;
        }
        self.k = self.k.div_euclid(g);
        self.a /= g;
        if self.b != INF {
            self.b /= g;
        }
    }

    fn add_constant(&mut self, v: i64) -> Option<()> {
        self.out.k = self.out.k.checked_add(self.scale.checked_mul(v)?)?;
        Some(())
    }
}

/// True if `m` divides `x * y`.
fn divides(m: i64, x: i64, y: i64) -> bool {
    match x.checked_mul(y) {
        Some(v) => v % m == 0,
        None => (x as i128 * y as i128) % m as i128 == 0,
    }
}

/// `floor(x / m)`, for a positive m.
fn floor(x: i128, m: i64) -> i128 {
    match i64::try_from(x) {
        Ok(x) => x.div_euclid(m) as i128,
        Err(_) => x.div_euclid(m as i128),
    }
}

/// `floor(lower / m)`, if it is the same for `upper`: the whole interval lies in one period of `m`.
fn one_period(b: Interval, m: i64) -> Option<i64> {
    if !finite(b.lower) || !finite(b.upper) {
        return None;
    }
    let q = b.lower.div_euclid(m);
    (q == b.upper.div_euclid(m)).then_some(q)
}

impl Forms {
    /// The normal form of `(lin, a, b)`; `None` if a number would not fit.
    pub(crate) fn digit(&mut self, lin: LinId, a: i64, b: i64) -> Option<LinId> {
        if b == INF && a == 1 {
            return Some(lin);
        }
        if a == b {
            return Some(self.constant(0));
        }
        if let Some(known) = self.digits.get(lin, a, b) {
            return Some(known);
        }
        self.open_digits.push((lin, a, b));
        let normal = self.new_digit(lin, a, b);
        self.open_digits.pop();
        let normal = normal?;
        if self.depth < MAX_DEPTH && self.budget > 0 {
            self.digits.insert(lin, a, b, normal);
            if self.thorough && self.has_digits(lin) {
                self.note_origin(lin, a, b, normal);
            }
        }
        Some(normal)
    }

    fn new_digit(&mut self, lin: LinId, a: i64, b: i64) -> Option<LinId> {
        let n = self.terms(lin).len();
        let mut digit = Digit::new(self, lin, a, b);
        if self.depth < MAX_DEPTH && self.work(n) {
            self.depth += 1;
            let done = self.reduce(&mut digit);
            self.depth -= 1;
            if done? {
                return self.finish_mut(&mut digit.out);
            }
        }
        let Digit {
            out,
            scale,
            terms,
            k,
            a,
            b,
            settled,
        } = &mut digit;
        let (scale, k, a, b) = (*scale, *k, *a, *b);
        let form = self.intern(terms, k);
        let r = self.digit_atom(form, a, b);
        if *settled {
            // No rule applies to what is left: reading it gives it again.
            self.digits.insert(form, a, b, r);
        }
        if out.terms.is_empty() && out.k == 0 && scale == 1 {
            return Some(r);
        }
        self.accumulate(out, r, scale)?;
        self.finish_mut(out)
    }

    /// The digit as an atom.
    fn digit_atom(&mut self, lin: LinId, a: i64, b: i64) -> LinId {
        let l = self.lin(lin).bounds;
        let mut bounds = if b == INF {
            l.floor_div_constant(a)
        } else {
            Interval::new(0, b / a - 1)
        };
        if b != INF
            && let Some(window) = self.window_fact(lin, b)
        {
            bounds = window.floor_div_constant(a);
        }
        let (mut stride, mut offset) = (1, 0);
        if a == 1 && b != INF {
            let (s, o) = self.congruence(self.terms(lin), self.lin(lin).k, b);
            (stride, offset) = (s.max(1), o);
        }
        let atom = self.intern_atom(AtomKind::Digit { lin, a, b }, bounds, stride, offset);
        self.atom_form(atom)
    }

    /// `(g, r)` with `terms + k = r` modulo `g`, `g | m`.
    pub(crate) fn congruence(&self, terms: &[Term], k: i64, m: i64) -> (i64, i64) {
        let mut g = m;
        for t in terms {
            let step = match t.coef.checked_mul(self.atom(t.atom).stride) {
                Some(v) => v % g,
                None => (t.coef as i128 * self.atom(t.atom).stride as i128 % g as i128) as i64,
            };
            g = gcd(g, step);
            if g == 1 {
                return (1, 0);
            }
        }
        let g = g as i128;
        let mut r = k as i128 % g;
        for t in terms {
            r = (r + (t.coef as i128 * self.atom(t.atom).offset as i128) % g) % g;
        }
        (g as i64, r.rem_euclid(g) as i64)
    }

    pub(super) fn is_digit_of(&self, atom: u32, form: LinId) -> bool {
        matches!(self.atom(atom).kind, AtomKind::Digit { lin, .. } if lin == form)
    }

    /// Applies the rules until none does. True if nothing is left of the digit: the value is `out`.
    fn reduce(&mut self, digit: &mut Digit) -> Option<bool> {
        for _ in 0..MAX_STEPS {
            let mut step = self.in_one_period(digit)?;
            if matches!(step, Same) {
                step = self.multiples(digit)?;
            }
            if matches!(step, Same) {
                step = self.common_factor(digit)?;
            }
            if matches!(step, Same) && digit.terms.len() > 1 {
                step = self.low_part(digit)?;
            }
            // Without a lowest place of its own the form hides one in its coefficients.
            let hidden = |t: &Term| t.coef.unsigned_abs() > 1;
            if matches!(step, Same)
                && digit.terms.len() > 1
                && (self.thorough || digit.terms.iter().all(hidden))
            {
                step = self.low_remainders(digit)?;
            }
            if matches!(step, Same) && digit.terms.len() == 1 {
                step = self.few_values(digit)?;
            }
            if matches!(step, Same) {
                step = self.sign(digit)?;
            }
            if matches!(step, Same) {
                step = self.parity(digit)?;
            }
            if matches!(step, Same) {
                step = self.nested(digit)?;
            }
            let large = |t: &Term| t.coef.unsigned_abs() > digit.a as u64 / 2;
            if matches!(step, Same) && digit.b == INF && digit.terms.iter().any(large) {
                step = self.whole_multiples(digit)?;
            }
            if matches!(step, Same) && digit.b == INF && digit.terms.len() > 1 {
                step = self.mod_outward(digit)?;
            }
            if matches!(step, Done) || (digit.a == 1 && digit.b == INF) {
                let Digit {
                    out,
                    scale,
                    terms,
                    k,
                    ..
                } = digit;
                for t in terms.iter() {
                    out.terms.push(Term {
                        atom: t.atom,
                        coef: t.coef.checked_mul(*scale)?,
                    });
                }
                out.k = out.k.checked_add(k.checked_mul(*scale)?)?;
                return Some(true);
            }
            if matches!(step, Same) {
                digit.settled = true;
                break;
            }
            if !self.work(digit.terms.len()) {
                break;
            }
        }
        Some(false)
    }

    /// Takes out of a digit what lies cleanly above or below it, and nothing that holds only modulo its end.
    pub(super) fn split_cleanly(&mut self, d: &mut Digit) -> Option<()> {
        for _ in 0..MAX_STEPS {
            let mut step = self.in_one_period(d)?;
            if matches!(step, Same) {
                let modulus = d.modulus();
                if d.terms.iter().any(|t| t.coef % modulus == 0) {
                    if d.b == INF {
                        for t in d.terms.iter().filter(|t| t.coef % modulus == 0) {
                            let coef = (t.coef / modulus).checked_mul(d.scale)?;
                            d.out.terms.push(Term { coef, ..*t });
                        }
                    }
                    d.terms.retain(|t| t.coef % modulus != 0);
                    step = Changed;
                }
            }
            if matches!(step, Same) {
                step = self.common_factor(d)?;
            }
            if matches!(step, Same) && d.terms.len() > 1 {
                step = self.low_part(d)?;
            }
            if matches!(step, Same) && d.terms.len() > 1 {
                step = self.low_remainders(d)?;
            }
            if !matches!(step, Changed) || d.terms.is_empty() || !self.work(d.terms.len()) {
                break;
            }
        }
        Some(())
    }

    /// `x mod m -> x - q * m` and `x floordiv m -> q` if all of x lies in the period q, also a negative one.
    fn in_one_period(&mut self, d: &mut Digit) -> Option<Step> {
        // First the constant, so that bounds near the ends of 64 bits stay known.
        if d.b != INF {
            d.k = d.k.rem_euclid(d.b);
        } else {
            let q = d.k.div_euclid(d.a);
            if q != 0 {
                d.add_constant(q)?;
                // k - q * a, without the product, which may leave 64 bits.
                d.k = d.k.rem_euclid(d.a);
            }
        }
        let Some((lower, upper)) = self.wide_bounds(&d.terms, d.k) else {
            return Some(Same);
        };
        let period = |shift: i64, m: i64| {
            let q = floor(lower + shift as i128, m);
            (q == floor(upper + shift as i128, m))
                .then(|| i64::try_from(q).ok())
                .flatten()
        };
        if d.b != INF {
            if let Some(q) = period(0, d.b) {
                self.fired("mod-in-one-period");
                d.k = d.k.checked_sub(q.checked_mul(d.b)?)?;
                d.b = INF;
                return Some(Changed);
            }
            // (x, a, 2 * a) = 1 - (x + a, a, 2 * a)
            if d.b / d.a == 2
                && let Some(q) = period(d.a, d.b)
            {
                self.fired("mod-in-one-period");
                d.k = d.k.checked_add(d.a)?.checked_sub(q.checked_mul(d.b)?)?;
                d.b = INF;
                d.add_constant(1)?;
                d.scale = d.scale.checked_neg()?;
                return Some(Changed);
            }
        } else if let Some(q) = period(0, d.a) {
            self.fired("div-in-one-period");
            d.add_constant(q)?;
            d.terms.clear();
            d.k = 0;
            return Some(Done);
        }
        Some(Same)
    }

    /// `(c * x + k, a, b) -> v + w * x` if x has so few values that they lie on a line; two always do.
    fn few_values(&mut self, d: &mut Digit) -> Option<Step> {
        const FEW: i128 = 4;
        let t = d.terms[0];
        let x = *self.atom(t.atom);
        if !finite(x.bounds.lower) || !finite(x.bounds.upper) {
            return Some(Same);
        }
        // The values that the congruence allows.
        let step = x.stride as i128;
        let (lower, offset) = (x.bounds.lower as i128, x.offset as i128);
        let lower = lower + (offset - lower).rem_euclid(step);
        let count = (x.bounds.upper as i128 - lower).div_euclid(step) + 1;
        if !(2..=FEW).contains(&count) {
            return Some(Same);
        }
        let value = |i: i128| {
            let v = t.coef as i128 * (lower + i * step) + d.k as i128;
            let v = if d.b == INF {
                v
            } else {
                v.rem_euclid(d.b as i128)
            };
            v.div_euclid(d.a as i128)
        };
        let (first, rise) = (value(0), value(1) - value(0));
        if rise % step != 0 || (2..count).any(|i| value(i) != first + i * rise) {
            return Some(Same);
        }
        self.fired("few-values-on-a-line");
        let slope = i64::try_from(rise / step).ok()?;
        let at_zero = first - slope as i128 * lower;
        d.add_constant(i64::try_from(at_zero).ok()?)?;
        d.out.terms.push(Term {
            atom: t.atom,
            coef: slope.checked_mul(d.scale)?,
        });
        d.terms.clear();
        d.k = 0;
        Some(Done)
    }

    /// `(c * (x mod q) + y) floordiv a -> ((c * x + y) floordiv a) mod (c * q / a)` if the sum is in `[0, c * q)`: one of the
    /// two has to be chosen, and this one has the simpler form inside.
    fn mod_outward(&mut self, d: &mut Digit) -> Option<Step> {
        let Some((lower, upper)) = self.wide_bounds(&d.terms, d.k) else {
            return Some(Same);
        };
        // A multiple of a moves the sum to where it starts at zero.
        let shift = -floor(lower, d.a) * d.a as i128;
        let upper = upper + shift;
        let mut best: Option<(i64, usize, LinId, i64)> = None;
        for (i, t) in d.terms.iter().enumerate() {
            let AtomKind::Digit { lin, a: p, b: q } = self.atom(t.atom).kind else {
                continue;
            };
            if q == INF {
                continue;
            }
            let Some(period) = t.coef.checked_mul(q / p).map(i64::abs) else {
                continue;
            };
            if period % d.a != 0
                || upper >= period as i128
                || best.is_some_and(|b| b.0 >= period)
                || d.terms
                    .iter()
                    .any(|u| u.atom != t.atom && self.is_digit_of(u.atom, lin))
            {
                continue;
            }
            best = Some((period, i, lin, p));
        }
        let Some((period, i, lin, p)) = best else {
            return Some(Same);
        };
        self.fired("mod-outward");
        let coef = d.terms[i].coef;
        let whole = self.digit(lin, p, INF)?;
        let mut sum = Sum::default();
        sum.terms.extend(d.terms.iter().copied());
        sum.terms[i].coef = 0;
        let shift = i64::try_from(shift).ok()?;
        sum.k = d.k.checked_add(shift)?;
        self.accumulate(&mut sum, whole, coef)?;
        let lin = self.finish(sum)?;
        d.add_constant((shift / d.a).checked_neg()?)?;
        d.terms = Terms::from_slice(self.terms(lin));
        d.k = self.lin(lin).k;
        d.b = period;
        Some(Changed)
    }

    /// `((m * q + r) * x) floordiv m -> q * x` if all of `r * x` lies in one period.
    fn whole_multiples(&mut self, d: &mut Digit) -> Option<Step> {
        // One value more than a period has is too many, whatever the factor.
        let wide = |t: &Term| self.atom(t.atom).bounds.len() > d.a as u128;
        if d.terms.iter().any(wide) {
            return Some(Same);
        }
        for limit in [d.a / 2, d.a, 0] {
            // Nearest to zero, not negative, not positive.
            let rest = |c: i64| {
                let r = c.rem_euclid(d.a);
                if r > limit { r - d.a } else { r }
            };
            let reduced: Terms = d
                .terms
                .iter()
                .map(|t| Term {
                    atom: t.atom,
                    coef: rest(t.coef),
                })
                .collect();
            let Some((lower, upper)) = self.wide_bounds(&reduced, d.k) else {
                continue;
            };
            let q = floor(lower, d.a);
            if q != floor(upper, d.a) {
                continue;
            }
            self.fired("multiples-out-of-div");
            for (t, r) in d.terms.iter().zip(&reduced) {
                let coef = (t.coef as i128 - r.coef as i128) / d.a as i128;
                d.out.terms.push(Term {
                    atom: t.atom,
                    coef: i64::try_from(coef).ok()?.checked_mul(d.scale)?,
                });
            }
            d.add_constant(i64::try_from(q).ok()?)?;
            d.terms.clear();
            d.k = 0;
            return Some(Done);
        }
        Some(Same)
    }

    /// `(m * x + y) mod m -> y mod m`, `(m * x + y) floordiv m -> x + y floordiv m`, coefficients modulo m, and inner mods
    /// that the outer one makes needless: `c * (x mod q) mod m -> c * x mod m` if `m | c * q`.
    fn multiples(&mut self, d: &mut Digit) -> Option<Step> {
        let mut changed = false;
        let (a, b) = (d.a, d.b);
        if b == INF {
            if d.terms.iter().any(|t| t.coef % a == 0) {
                self.fired("multiples-out-of-div");
                changed = true;
                let mut kept = Terms::new();
                for t in &d.terms {
                    if t.coef % a == 0 {
                        d.out.terms.push(Term {
                            atom: t.atom,
                            coef: (t.coef / a).checked_mul(d.scale)?,
                        });
                    } else {
                        kept.push(*t);
                    }
                }
                d.terms = kept;
            }
        } else {
            let mut absorbed: SmallVec<[(LinId, i64); 2]> = SmallVec::new();
            let mut out = 0;
            for i in 0..d.terms.len() {
                let t = d.terms[i];
                let atom = *self.atom(t.atom);
                if divides(b, t.coef, atom.stride) {
                    // The term is c * offset modulo b.
                    let r = (t.coef as i128 * atom.offset as i128).rem_euclid(b as i128);
                    d.k = ((d.k as i128 + r) % b as i128) as i64;
                    changed = true;
                    continue;
                }
                if let AtomKind::Digit { lin, a: p, b: q } = atom.kind
                    && q != INF
                    && divides(b, t.coef, q / p)
                    && !d
                        .terms
                        .iter()
                        .any(|u| u.atom != t.atom && self.is_digit_of(u.atom, lin))
                {
                    absorbed.push((self.digit(lin, p, INF)?, t.coef));
                    continue;
                }
                let mut coef = t.coef % b;
                if coef > b / 2 {
                    coef -= b;
                } else if coef < -(b / 2) || (b % 2 == 0 && coef == -(b / 2)) {
                    coef += b;
                }
                changed |= coef != t.coef;
                d.terms[out] = Term { atom: t.atom, coef };
                out += 1;
            }
            d.terms.truncate(out);
            if changed {
                self.fired("multiples-out-of-mod");
            }
            if self.align_modulo(&mut d.terms, b) {
                let sum = Sum {
                    terms: d.terms.clone(),
                    k: d.k,
                };
                let lin = self.finish(sum)?;
                d.terms = Terms::from_slice(self.terms(lin));
                d.k = self.lin(lin).k;
                changed = true;
            }
            if !absorbed.is_empty() {
                self.fired("inner-mod-absorbed");
                let mut sum = Sum {
                    terms: d.terms.clone(),
                    k: d.k,
                };
                for (lin, coef) in absorbed {
                    self.accumulate(&mut sum, lin, coef)?;
                }
                let lin = self.finish(sum)?;
                d.terms = Terms::from_slice(self.terms(lin));
                d.k = self.lin(lin).k;
                changed = true;
            }
        }
        if d.terms.is_empty() {
            d.k = d.k.div_euclid(a);
            return Some(Done);
        }
        Some(if changed { Changed } else { Same })
    }

    /// `c * (L, a, m) + c' * (L, m, b)` where `c' = c * (m / a)` modulo the modulus: makes the coefficients equal, so that the
    /// digits fuse.
    fn align_modulo(&self, terms: &mut Terms, modulus: i64) -> bool {
        for i in self.first_digit(terms)..terms.len() {
            let AtomKind::Digit { lin, a, b: m } = self.atom(terms[i].atom).kind else {
                continue;
            };
            if m == INF {
                continue;
            }
            for j in 0..terms.len() {
                let AtomKind::Digit {
                    lin: other,
                    a: start,
                    ..
                } = self.atom(terms[j].atom).kind
                else {
                    continue;
                };
                if other != lin || start != m {
                    continue;
                }
                let wanted = terms[i].coef as i128 * (m / a) as i128;
                if (wanted - terms[j].coef as i128) % modulus as i128 == 0
                    && let Ok(wanted) = i64::try_from(wanted)
                    && wanted != i64::MIN
                {
                    terms[j].coef = wanted;
                    return true;
                }
            }
        }
        false
    }

    /// The place of the first term that is no variable, in a sum that is not too long to look at pairs.
    fn first_digit(&self, terms: &Terms) -> usize {
        if terms.len() > 64 {
            return terms.len();
        }
        terms
            .iter()
            .position(|t| t.atom as usize >= self.variables)
            .unwrap_or(terms.len())
    }

    /// `(g * x + k) floordiv (g * m) -> (x + k floordiv g) floordiv m`;
    /// `(g * x + k) mod (g * m) -> g * ((x + k floordiv g) mod m) + k mod g`.
    fn common_factor(&mut self, d: &mut Digit) -> Option<Step> {
        let mut g = d.modulus();
        for t in &d.terms {
            g = gcd(g, t.coef);
            if g == 1 {
                break;
            }
        }
        if g > 1 {
            if d.a % g == 0 {
                d.divide(g);
            } else if g % d.a == 0 {
                let low = d.k.rem_euclid(g) / d.a;
                d.add_constant(low)?;
                d.scale = d.scale.checked_mul(g / d.a)?;
                let a = d.a;
                d.a = g;
                d.divide(g);
                debug_assert!(a >= 1);
            } else if gcd(g, d.a) > 1 {
                let g = gcd(g, d.a);
                d.divide(g);
            } else {
                return Some(Same);
            }
            self.fired("common-factor");
            return Some(Changed);
        }
        // Congruences: (x + k) floordiv a sees only the part of x + k above g, where x = r modulo g and g | a.
        if d.a > 1 && d.terms.iter().any(|t| self.atom(t.atom).stride > 1) {
            let (g, r) = self.congruence(&d.terms, d.k, d.a);
            if g > 1 {
                let low = d.k.checked_sub(r)?;
                let k = if low <= 0 && 0 < low.checked_add(g)? {
                    0
                } else {
                    low
                };
                if k != d.k {
                    d.k = k;
                    self.fired("constant-below-stride");
                    return Some(Changed);
                }
            }
        }
        Some(Same)
    }

    /// Positional decomposition. With `0 <= t < g`: `(g * x + t) floordiv (g * m) -> x floordiv m`,
    /// `(g * x + t) mod (g * m) -> g * (x mod m) + t`, and in between for a digit.
    fn low_part(&mut self, d: &mut Digit) -> Option<Step> {
        let m = d.modulus();
        let mut candidates: SmallVec<[i64; 8]> = SmallVec::new();
        for t in &d.terms {
            let g = gcd(t.coef, m);
            if g > 1 && !candidates.contains(&g) && (d.a % g == 0 || g % d.a == 0) {
                candidates.push(g);
                if candidates.len() >= 24 {
                    break;
                }
            }
        }
        candidates.sort_unstable();
        for g in candidates {
            let mut low: Terms = SmallVec::new();
            for t in d.terms.iter().filter(|t| t.coef % g != 0) {
                low.push(*t);
            }
            let Some(q) = one_period(self.bounds_of_terms(&low, d.k), g) else {
                continue;
            };
            self.fired("low-digits-split-off");
            let low_k = d.k.checked_sub(q.checked_mul(g)?)?;
            d.terms.retain(|t| t.coef % g == 0);
            d.k = q.checked_mul(g)?;
            if d.a % g != 0 {
                // a | g: the low part reaches into the digit.
                let form = self.intern(&low, low_k);
                let part = self.digit(form, d.a, INF)?;
                self.accumulate(&mut d.out, part, d.scale)?;
                d.scale = d.scale.checked_mul(g / d.a)?;
                d.a = g;
            }
            d.divide(g);
            return Some(Changed);
        }
        Some(Same)
    }

    /// As `low_part`, where the low part is made of what is left of the coefficients: `(g * x + r * y) floordiv (g * m)` with
    /// `0 <= r * y < g`, and `c * y = g * q * y + r * y`.
    fn low_remainders(&mut self, d: &mut Digit) -> Option<Step> {
        let m = d.modulus();
        let mut candidates: SmallVec<[i64; 8]> = SmallVec::new();
        for t in &d.terms {
            // What is left of a coefficient is nothing or the lowest place, most of the time.
            for c in [t.coef, t.coef.saturating_sub(1), t.coef.saturating_add(1)] {
                let g = gcd(c, m);
                let fits = d.a % g == 0 || g % d.a == 0;
                if g > 1 && fits && !candidates.contains(&g) && candidates.len() < 24 {
                    candidates.push(g);
                }
            }
        }
        candidates.sort_unstable();
        for g in candidates {
            let mut low: Terms = SmallVec::new();
            for t in &d.terms {
                let r = t.coef.rem_euclid(g);
                let r = if r > g / 2 { r - g } else { r };
                if r != 0 {
                    low.push(Term { coef: r, ..*t });
                }
            }
            let Some(q) = one_period(self.bounds_of_terms(&low, d.k), g) else {
                continue;
            };
            if d.a == 1 && low.len() == 1 {
                // Two digits of one variable are not simpler than one.
                continue;
            }
            self.fired("low-digits-split-off");
            let low_k = d.k.checked_sub(q.checked_mul(g)?)?;
            // Other coefficients: what stands side by side may be put together now.
            let mut high = Sum::default();
            high.k = q;
            for t in &d.terms {
                let r = t.coef.rem_euclid(g);
                let rest = t.coef.checked_sub(if r > g / 2 { r - g } else { r })?;
                if rest != 0 {
                    high.terms.push(Term {
                        coef: rest / g,
                        ..*t
                    });
                }
            }
            if d.a % g != 0 {
                let low = Sum {
                    terms: low,
                    k: low_k,
                };
                let form = self.finish(low)?;
                let part = self.digit(form, d.a, INF)?;
                self.accumulate(&mut d.out, part, d.scale)?;
                d.scale = d.scale.checked_mul(g / d.a)?;
                d.a = g;
            }
            let high = self.finish(high)?;
            d.terms = Terms::from_slice(self.terms(high));
            d.k = self.lin(high).k;
            d.a /= g;
            if d.b != INF {
                d.b /= g;
            }
            return Some(if d.terms.is_empty() { Done } else { Changed });
        }
        Some(Same)
    }

    /// `-x floordiv m -> -((x - 1) floordiv m) - 1`, `-x mod m -> (m - 1) - (x - 1) mod m`: the first term is positive. (Half
    /// the modulus is its own negation and decides nothing.)
    fn sign(&mut self, d: &mut Digit) -> Option<Step> {
        let half = |c: i64| d.b != INF && c.checked_mul(2) == Some(d.b);
        let positive = match d.terms.iter().find(|t| !half(t.coef)) {
            Some(t) => t.coef > 0,
            None => d.k <= d.b - 1 - d.k,
        };
        if positive {
            return Some(Same);
        }
        self.fired("sign-out-of-div");
        for t in &mut d.terms {
            t.coef = t.coef.checked_neg()?;
        }
        d.k = d.k.checked_neg()?.checked_sub(1)?;
        d.add_constant(if d.b == INF { -1 } else { d.b / d.a - 1 })?;
        d.scale = d.scale.checked_neg()?;
        Some(Changed)
    }

    /// A digit of base 2 has a neighbour: `(x + a, a, 2 * a) -> 1 - (x, a, 2 * a)`, so that the constant is less than a.
    fn parity(&mut self, d: &mut Digit) -> Option<Step> {
        if d.b == INF || d.b / d.a != 2 || d.k < d.a {
            return Some(Same);
        }
        self.fired("base-two-complement");
        d.k -= d.a;
        d.add_constant(1)?;
        d.scale = d.scale.checked_neg()?;
        Some(Changed)
    }

    /// `(a * z + r, a, b) -> (z + r floordiv a, 1, b / a)`, but only where the rule that goes the other way (the last one of
    /// `nested`) would not: if there is not exactly one quotient that it could take, or other digits of the same form stand
    /// beside it.
    fn pulled_out(&mut self, d: &mut Digit) -> Option<bool> {
        if d.a == 1 || d.b == INF || !d.terms.iter().any(|t| t.coef % d.a == 0) {
            return Some(false);
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
        let mut takes = 0;
        for t in self.terms(pulled) {
            if let AtomKind::Digit { lin, a: p, .. } = self.atom(t.atom).kind
                && p > 1
                && t.coef.abs() == 1
            {
                takes += 1;
                if self
                    .terms(pulled)
                    .iter()
                    .any(|u| u.atom != t.atom && self.is_digit_of(u.atom, lin))
                {
                    takes = 2;
                }
            }
        }
        if takes == 1 {
            return Some(false);
        }
        self.fired("multiples-out-of-digit");
        d.terms = Terms::from_slice(self.terms(pulled));
        d.k = self.lin(pulled).k;
        d.b /= a;
        d.a = 1;
        if d.terms.is_empty() {
            d.k = d.k.rem_euclid(d.b);
            d.b = INF;
        }
        Some(true)
    }

    /// Nested digits: `(x floordiv p) floordiv a -> x floordiv (p * a)`, `(x mod q) mod b -> x mod b` if `b | q`, and
    /// `(y + x floordiv p) floordiv a -> (p * y + x) floordiv (p * a)`.
    pub(super) fn nested(&mut self, d: &mut Digit) -> Option<Step> {
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
                    self.fired("nested-digits");
                    let r = self.digit(lin, a, b)?;
                    self.accumulate(&mut d.out, r, d.scale)?;
                    d.terms.clear();
                    return Some(Done);
                }
            }
        }
        if self.pulled_out(d)? {
            return Some(Changed);
        }
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
        self.fired("div-out-of-sum-in-div");
        self.again = true;
        d.terms = Terms::from_slice(self.terms(lin));
        d.k = self.lin(lin).k;
        d.a = a;
        d.b = b;
        if d.terms.is_empty() {
            // A constant: the next round decides.
            d.k = if b == INF {
                d.k.div_euclid(a)
            } else {
                d.k.rem_euclid(b) / a
            };
            return Some(Done);
        }
        Some(Changed)
    }
}
