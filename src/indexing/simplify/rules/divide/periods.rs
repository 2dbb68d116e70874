//! Digits whose values lie in one period of the divisor, on a line, or in one period of something
//! inside.

use crate::linear::gcd;
use crate::linear::number::{floor, remainder};
use crate::simplify::bounds::bounded;
use crate::simplify::linear::{AtomKind, Forms, LinId, Term, Terms, UNBOUNDED};
use crate::simplify::rules::divide::Step::{Changed, Same};
use crate::simplify::rules::divide::{Digit, Step};

impl Forms {
    /// The ends of what is divided, if they are known and less than a period of `m` apart.
    fn ends_within(&self, d: &mut Digit, m: i64) -> Option<(i128, i128)> {
        let (lower, upper) = match d.ends.take() {
            Some((k, b)) if k == d.k && bounded(b) => {
                // Mostly too wide.
                if b.upper.checked_sub(b.lower).is_none_or(|w| w >= m) {
                    return None;
                }
                (b.lower as i128, b.upper as i128)
            }
            _ => self.wide_bounds(&d.terms, d.k)?,
        };
        (upper - lower < m as i128).then_some((lower, upper))
    }

    /// Also in a negative period.
    pub(crate) fn mod_in_one_period(&mut self, d: &mut Digit) -> Option<Step> {
        let Some((lower, upper)) = self.ends_within(d, d.b) else {
            return Some(Same);
        };
        let q = floor(lower, d.b);
        if q == floor(upper, d.b) {
            d.k = d.k.checked_sub(i64::try_from(q).ok()?.checked_mul(d.b)?)?;
            d.b = UNBOUNDED;
            return Some(Changed);
        }
        // (x, a, n * a) = -(n - 1) * (x floordiv a) if x is in [-a, a): the last value of the
        // digit, then the first.
        let q = floor(lower + d.a as i128, d.b);
        if upper - q * (d.b as i128) >= d.a as i128 {
            return Some(Same);
        }
        d.k = d.k.checked_sub(i64::try_from(q).ok()?.checked_mul(d.b)?)?;
        d.scale = d.scale.checked_mul(1 - d.b / d.a)?;
        d.b = UNBOUNDED;
        Some(Changed)
    }

    pub(crate) fn div_in_one_period(&mut self, d: &mut Digit) -> Option<Step> {
        let Some((lower, upper)) = self.ends_within(d, d.a) else {
            return Some(Same);
        };
        let q = floor(lower, d.a);
        if q != floor(upper, d.a) {
            return Some(Same);
        }
        d.add_constant(i64::try_from(q).ok()?)?;
        d.taken_out()
    }

    /// `x floordiv a -> x floordiv m` if x is in [-m, m) and in [-a, a): the sign is the same for
    /// every divisor that is large enough, of which m is the least one that has the factor of x.
    /// The constant of x stays below it. Of a form that might as well be negated,
    /// `x floordiv a -> (x - a + m) floordiv m` if x - a is in [-m, m), which is the same of the
    /// negation.
    pub(crate) fn least_divisor(&mut self, d: &mut Digit) -> Option<Step> {
        let Some((lower, upper)) = self.wide_bounds(&d.terms, d.k) else {
            return Some(Same);
        };
        let a = d.a as i128;
        let (least, shift) = if lower >= -a && lower < 0 && (0..a).contains(&upper) {
            ((-lower).max(upper + 1), 0)
        } else if (0..a).contains(&lower)
            && (a..2 * a).contains(&upper)
            && self
                .sign_of(&d.terms, UNBOUNDED)
                .is_some_and(|sign| !sign.decided)
        {
            ((a - lower).max(upper - a + 1), a)
        } else {
            return Some(Same);
        };
        // The constant as it is, or that of the negation.
        let k = match shift {
            0 => d.k as i128,
            _ => a - 1 - d.k as i128,
        };
        if least <= k {
            return Some(Same);
        }
        let factor = match k {
            0 => d.terms.iter().fold(0, |g, t| gcd(g, t.coef)).max(1) as i128,
            _ => 1,
        };
        let least = (least + factor - 1) / factor * factor;
        match i64::try_from(least) {
            Ok(least) if least != d.a => {
                if shift != 0 {
                    d.k = least - 1 - k as i64;
                }
                d.a = least;
                Some(Changed)
            }
            _ => Some(Same),
        }
    }

    /// `(c * x + k, a, b) -> v + w * x` if x has so few values that they lie on a line; two always
    /// do. Where x has a stride s, of which the divisor is no factor, and the digit rises or falls
    /// by one, `v + w * (x floordiv s)`.
    pub(crate) fn few_values(&mut self, d: &mut Digit) -> Option<Step> {
        const FEW: i128 = 4;
        if d.terms.len() != 1 {
            return Some(Same);
        }
        let t = d.terms[0];
        let x = *self.atom(t.atom);
        let wide = |w: i64| w > x.stride.saturating_mul(FEW as i64 + 1);
        if !bounded(x.bounds) || x.bounds.upper.checked_sub(x.bounds.lower).is_none_or(wide) {
            return Some(Same);
        }
        // The values that the congruence allows.
        let step = x.stride as i128;
        let (lower, offset) = (x.bounds.lower as i128, x.offset as i128);
        let lower = lower + remainder(offset - lower, x.stride);
        let count = floor(x.bounds.upper as i128 - lower, x.stride) + 1;
        if !(2..=FEW).contains(&count) {
            return Some(Same);
        }
        let value = |i: i128| {
            let v = t.coef as i128 * (lower + i * step) + d.k as i128;
            let digit = if d.b == UNBOUNDED {
                v
            } else {
                remainder(v, d.b)
            };
            floor(digit, d.a)
        };
        let (first, rise) = (value(0), value(1) - value(0));
        let on_steps = rise % step == 0;
        // The number of the step is a digit of its own.
        let is_number = || rise.abs() == 1 && x.stride % d.modulus() != 0;
        if (!on_steps && !is_number()) || (2..count).any(|i| value(i) != first + i * rise) {
            return Some(Same);
        }
        if !on_steps {
            let at_zero = first - rise * lower.div_euclid(step);
            d.add_constant(i64::try_from(at_zero).ok()?)?;
            let variable = self.atom_form(t.atom);
            let number = self.digit(variable, x.stride, UNBOUNDED)?;
            let scale = d.scale.checked_mul(rise as i64)?;
            self.accumulate(&mut d.out, number, scale)?;
            return d.taken_out();
        }
        let slope = i64::try_from(rise / step).ok()?;
        let at_zero = first - slope as i128 * lower;
        d.add_constant(i64::try_from(at_zero).ok()?)?;
        d.out.terms.push(Term::new(t.atom, slope).times(d.scale)?);
        d.taken_out()
    }

    /// `(c * (x mod q) + y) floordiv a -> ((c * x + y) floordiv a) mod (c * q / a)` if the sum is
    /// in `[0, c * q)`: one of the two has to be chosen, and this one has the simpler form inside.
    pub(crate) fn mod_outward(&mut self, d: &mut Digit) -> Option<Step> {
        if d.terms.len() < 2 {
            return Some(Same);
        }
        let Some((lower, upper)) = self.wide_bounds(&d.terms, d.k) else {
            return Some(Same);
        };
        // A multiple of a moves the sum to where it starts at zero.
        let shift = -floor(lower, d.a) * d.a as i128;
        let upper = upper + shift;
        let mut best: Option<(i64, usize, LinId, i64)> = None;
        for (i, t) in d.terms.iter().enumerate() {
            if let AtomKind::Digit {
                lin,
                a: p,
                b: q @ 1..,
            } = self.atom(t.atom).kind
                && let Some(period) = t.coef.checked_mul(q / p).and_then(i64::checked_abs)
                && period % d.a == 0
                && upper < period as i128
                && best.is_none_or(|b| b.0 < period)
                && !self.is_beside(&d.terms, t.atom, lin)
            {
                best = Some((period, i, lin, p));
            }
        }
        let Some((period, i, lin, p)) = best else {
            return Some(Same);
        };
        let coef = d.terms[i].coef;
        let whole = self.digit(lin, p, UNBOUNDED)?;
        let mut sum = d.take_sum();
        sum.terms[i].coef = 0;
        let shift = i64::try_from(shift).ok()?;
        sum.k = sum.k.checked_add(shift)?;
        self.accumulate(&mut sum, whole, coef)?;
        let lin = self.finish(&mut sum)?;
        d.add_constant((shift / d.a).checked_neg()?)?;
        d.set(self, lin);
        d.b = period;
        Some(Changed)
    }

    pub(crate) fn near_multiples(&mut self, d: &mut Digit) -> Option<Step> {
        let large = |t: &Term| t.coef.unsigned_abs() > d.a as u64 / 2;
        if !d.terms.iter().any(large) {
            return Some(Same);
        }
        // One value more than a period has is too many, whatever the factor.
        let wide = |t: &Term| self.atom(t.atom).bounds.len() > d.a as u128;
        if d.terms.iter().any(wide) {
            return Some(Same);
        }
        // What is left is never smaller than with the nearest multiple: if that is too wide, so are
        // the others.
        let mut least = 0u128;
        for t in &d.terms {
            let r = t.coef.rem_euclid(d.a);
            let steps = self.atom(t.atom).bounds.len().saturating_sub(1);
            least = least.saturating_add(r.min(d.a - r) as u128 * steps);
        }
        if least >= d.a as u128 {
            return Some(Same);
        }
        for limit in [d.a / 2, d.a, 0] {
            // Nearest to zero, not negative, not positive.
            let rest = |c: i64| {
                let r = c.rem_euclid(d.a);
                if r > limit { r - d.a } else { r }
            };
            let reduced = d.terms.iter().map(|t| Term::new(t.atom, rest(t.coef)));
            let reduced: Terms = reduced.collect();
            let Some((lower, upper)) = self.wide_bounds(&reduced, d.k) else {
                continue;
            };
            let q = floor(lower, d.a);
            if q != floor(upper, d.a) {
                continue;
            }
            for (t, r) in d.terms.iter().zip(&reduced) {
                let coef = i64::try_from((t.coef as i128 - r.coef as i128) / d.a as i128).ok()?;
                d.out.terms.push(Term::new(t.atom, coef).times(d.scale)?);
            }
            d.add_constant(i64::try_from(q).ok()?)?;
            return d.taken_out();
        }
        Some(Same)
    }
}
