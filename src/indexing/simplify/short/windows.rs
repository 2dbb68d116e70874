//! Constraints on quotients and remainders of sums of variables.
//!
//! `x floordiv m in [l, u]` is `x in [l * m, u * m + m - 1]`, whatever the rules of digits make of the quotient, as long as they only take
//! out what is a multiple of m. `x mod m in [l, u]` is a window of x if none of them applies to the remainder.

use super::super::div_mod::one_period;
use super::super::known::{Empty, Outcome, inverse};
use super::super::linear::gcd;
use super::super::plans::nearest;
use super::super::windows::SWEEPS;
use super::Short;
use super::constraints::{Again, ceil_div};
use super::digits::{Digit, Left, SEVERAL, is_multiple};
use super::one::One;
use super::sum::Linear;
use super::window::Window;
use crate::expr::Op;
use crate::interval::Interval;

/// What is left of a remainder in an interval.
enum Reduced {
    Implied,
    /// The sum itself in an interval.
    Range(Linear, i64, i64),
    Window(Window),
}

impl Short {
    /// Adds what a constraint says of a quotient or remainder of a sum of variables.
    pub(super) fn add_divided(
        &mut self,
        op: Op,
        sum: &Linear,
        m: i64,
        ends: (i64, i64),
    ) -> Option<Outcome> {
        if let Some(one) = sum.one() {
            return self.add_divided_of_one(op, one, m, ends);
        }
        if op == Op::Mod {
            return self.add_remainder(sum, m, ends);
        }
        let mut sum = *sum;
        if op == Op::CeilDiv {
            sum.k += m - 1;
        }
        if ends.0 > ends.1 {
            return Some(Err(Empty));
        }
        let values = self.far_from_the_ends(&sum)?;
        let leave = match self.is_plain(&sum) {
            true => !has_two_quotients((values.lower, values.upper), m),
            false => self.only_multiples_leave(&sum, m),
        };
        if !leave {
            return None;
        }
        self.add_dividend(&sum, m, ends)
    }

    /// Whether no rule changes `sum floordiv m` but that multiples of m are taken out, and what lies below a factor.
    fn only_multiples_leave(&self, sum: &Linear, m: i64) -> bool {
        let (mut unit, mut large, mut far, mut few) = (false, false, false, false);
        let mut rest = *sum;
        for (v, c) in sum.terms() {
            let known = &self.values[v];
            if known.stride > 1 {
                return false;
            }
            let size = c.abs();
            if is_multiple(c, m) {
                rest.set(v, 0);
                continue;
            }
            let width = known.interval.upper - known.interval.lower;
            unit |= size == 1;
            large |= size * 2 > m;
            far |= width >= m;
            few |= width < SEVERAL;
        }
        if rest.used() == 0 {
            return true;
        }
        rest.k = rest.k.rem_euclid(m);
        // A smaller divisor may do, or a multiple of the variable.
        let two_values = has_two_quotients(rest.bounds(&self.values), m);
        let on_a_line = few && !rest.has_several();
        unit && (far || !large) && !two_values && !on_a_line
    }

    /// Adds `sum mod m in [lower, upper]`.
    fn add_remainder(
        &mut self,
        sum: &Linear,
        m: i64,
        (lower, upper): (i64, i64),
    ) -> Option<Outcome> {
        let (lower, upper) = (lower.max(0), upper.min(m - 1));
        if lower > upper {
            return Some(Err(Empty));
        }
        let values = self.far_from_the_ends(sum)?;
        if let Some(period) = one_period(values, m) {
            let shift = period * m;
            return self.add_range(sum, (lower + shift, upper + shift));
        }
        if let Some(one) = sum.one() {
            return self.add_wide_remainder(one, m, (lower, upper));
        }
        let unit =
            |(v, c): (usize, i64)| self.values[v].stride == 1 && (c == 1 || c == -1 && m > 2);
        if sum.terms().all(unit) {
            let reduced = self.reduced_of_units(sum, m, (lower, upper - lower), values);
            return self.add_reduced(reduced);
        }
        // What is a multiple of the modulus, but for a constant, leaves first.
        let leaves = |&(v, c): &(usize, i64)| is_multiple(c * self.values[v].stride, m);
        if sum.terms().any(|t| leaves(&t)) {
            let mut rest = *sum;
            for (v, c) in sum.terms().filter(leaves) {
                rest.k += (c * self.values[v].offset).rem_euclid(m);
                rest.set(v, 0);
            }
            if let Some(one) = rest.one() {
                return self.add_wide_remainder(one, m, (lower, upper));
            }
            return self.add_remainder_that_stays(&rest, m, (lower, upper));
        }
        self.add_remainder_that_stays(sum, m, (lower, upper))
    }

    /// `(y + x floordiv p) mod m in [l, u] -> (p * y + x) mod (p * m) in [l * p, u * p + p - 1]`, for the sum and the modulus of the second
    /// one. `None` if it may split.
    pub(super) fn add_remainder_of_quotient(
        &mut self,
        (sum, modulus): (&Linear, i64),
        p: i64,
        (lower, upper): (i64, i64),
    ) -> Option<Outcome> {
        let (lower, upper) = (lower.max(0), upper.min(modulus / p - 1));
        if lower > upper {
            return Some(Err(Empty));
        }
        let (lower, upper) = (lower * p, upper * p + p - 1);
        let values = self.far_from_the_ends(sum)?;
        if let Some(period) = one_period(values, modulus) {
            if !self.only_multiples_leave(sum, p) {
                return None;
            }
            let shift = period * modulus;
            return self.add_range(sum, (lower + shift, upper + shift));
        }
        if let Some(one) = sum.one() {
            let plain = one.u.abs() == 1 && self.values[one.variable].stride == 1;
            return match plain {
                true => self.add_wide_remainder(one, modulus, (lower, upper)),
                false => None,
            };
        }
        if !self.remainder_stays(sum, modulus) {
            return None;
        }
        match self.reduced(sum, modulus, (lower, upper - lower)) {
            // With other coefficients it is a quotient, of which more may be known.
            Ok(Reduced::Range(..)) => None,
            reduced => self.add_reduced(reduced),
        }
    }

    /// As [`Short::add_remainder`], where no multiple of the modulus is left.
    fn add_remainder_that_stays(
        &mut self,
        rest: &Linear,
        m: i64,
        (lower, upper): (i64, i64),
    ) -> Option<Outcome> {
        if !self.remainder_stays(rest, m) {
            return None;
        }
        let reduced = self.reduced(rest, m, (lower, upper - lower));
        self.add_reduced(reduced)
    }

    /// Adds what is left of a remainder in an interval.
    fn add_reduced(&mut self, reduced: Result<Reduced, Empty>) -> Option<Outcome> {
        match reduced {
            Err(Empty) => Some(Err(Empty)),
            Ok(Reduced::Implied) => Some(Ok(())),
            Ok(Reduced::Range(sum, lower, upper)) => self.add_range(&sum, (lower, upper)),
            Ok(Reduced::Window(w)) => match w.variable() {
                Some(v) if w.extra == 0 => self.add_congruence(v, w.m, w.lower),
                _ => self.push_window(w),
            },
        }
    }

    /// Adds `(u * x + k) mod m in [lower, upper]`, of values that do not lie in one period.
    pub(super) fn add_wide_remainder(
        &mut self,
        one: One,
        m: i64,
        (lower, upper): (i64, i64),
    ) -> Option<Outcome> {
        let One { variable, u, k } = one;
        let known = &self.values[variable];
        let (stride, bounds) = (known.stride, known.interval);
        let width = bounds.upper - bounds.lower;
        let several = width >= SEVERAL * stride;
        if u == 1 && lower == upper && several && stride == 1 && width >= m {
            return self.add_congruence(variable, m, (lower - k).rem_euclid(m));
        }
        let few = !several && (u * stride) % m != 0;
        if few {
            // The remainders of few values may lie on a line, as two always do.
            let value = |i: i64| (u * (bounds.lower + i * stride) + k).rem_euclid(m);
            let (first, rise) = (value(0), value(1) - value(0));
            if (rise / gcd(u, m)) % stride == 0
                && (2..=width / stride).all(|i| value(i) == first + i * rise)
            {
                let slope = rise / stride;
                let mut line = Linear::of(variable, slope);
                line.k = first - slope * bounds.lower;
                return self.add_range(&line, (lower, upper));
            }
            if stride > 1 {
                // They may say which step it is.
                return None;
            }
        }
        let reduced = self.reduced_of_one(one, m, (lower, upper - lower));
        if few && let Ok(Reduced::Window(w)) = &reduced {
            // With another constant they may lie on a line.
            let (shift, values) = w.unwrapped();
            let c = w.sum.coef(variable);
            if (c, shift, w.m) != (u, k, m) {
                let ends = (values.lower, values.upper);
                let one = One {
                    u: c,
                    k: shift,
                    ..one
                };
                return self.add_wide_remainder(one, w.m, ends);
            }
        }
        self.add_reduced(reduced)
    }

    /// As [`Short::reduced`] of a sum of one variable.
    fn reduced_of_one(
        &self,
        one: One,
        m: i64,
        (lower, extra): (i64, i64),
    ) -> Result<Reduced, Empty> {
        let One { variable, u, k } = one;
        let known = &self.values[variable];
        let (mut m, mut extra, mut c) = (m, extra, u % m);
        let mut lower = lower - k;
        if (c * known.stride) % m == 0 {
            lower -= c * known.offset % m;
            return if extra + 1 >= m || (-lower).rem_euclid(m) <= extra {
                Ok(Reduced::Implied)
            } else {
                Err(Empty)
            };
        }
        lower = lower.rem_euclid(m);
        // g * x mod (g * n) in [l, u] -> x mod n in [ceil(l / g), floor(u / g)]
        let g = gcd(m, c);
        if g > 1 {
            (m, c) = (m / g, c / g);
            let upper = (lower + extra).div_euclid(g);
            lower = ceil_div(lower, g);
            extra = upper - lower;
            if extra < 0 {
                return Err(Empty);
            }
        }
        if extra + 1 >= m {
            return Ok(Reduced::Implied);
        }
        c = nearest(c, m);
        if c < 0 && c * 2 != -m {
            c = -c;
            lower = -(lower + extra);
        }
        lower = lower.rem_euclid(m);
        // c * x = r modulo m -> x = r / c modulo m, where c has an inverse.
        if c != 1 && extra == 0 {
            let inverse = inverse(c.rem_euclid(m) as i128, m as i128) as i64;
            lower = (lower * inverse).rem_euclid(m);
            c = 1;
        }
        let b = known.interval;
        let (x, y) = (c * b.lower, c * b.upper);
        let sum = Linear::of(variable, c);
        in_one_period(sum, m, (lower, extra), (x.min(y), x.max(y)))
    }

    /// Whether no rule applies to the remainder of a sum of several variables modulo `m`, but that it is reduced: at no factor in common
    /// with the modulus it splits.
    fn remainder_stays(&self, sum: &Linear, m: i64) -> bool {
        let mut rest = *sum;
        let (mut unit, mut factor) = (false, false);
        for (v, c) in sum.terms() {
            // A unit has no factor in common with the modulus.
            let coef = if c.abs() == 1 { c } else { nearest(c, m) };
            rest.set(v, coef);
            if coef == 0 {
                continue;
            }
            if self.values[v].stride > 1 {
                return false;
            }
            unit |= coef.abs() == 1;
            factor |= coef.abs() > 1 && gcd(coef, m) > 1;
        }
        if !rest.has_several() {
            return !factor;
        }
        unit && (!factor || self.never_splits(&rest, m))
    }

    /// `sum mod m` in `[lower, lower + extra]`, as [`Forms::reduced_window`](super::super::linear::Forms::reduced_window) reduces it.
    fn reduced(&self, sum: &Linear, m: i64, (lower, extra): (i64, i64)) -> Result<Reduced, Empty> {
        let (mut m, mut extra) = (m, extra);
        let mut lower = lower - sum.k;
        let mut sum = sum.without_constant();
        let mut g = m;
        sum.change(|v, c| {
            let known = &self.values[v];
            if c.abs() == 1 && known.stride == 1 {
                g = 1;
                return c;
            }
            if (c * known.stride) % m == 0 {
                lower -= c * known.offset % m;
                return 0;
            }
            let c = c % m;
            g = gcd(g, c);
            c
        });
        // g * x mod (g * n) in [l, u] -> x mod n in [ceil(l / g), floor(u / g)]
        lower = lower.rem_euclid(m);
        if g > 1 {
            m /= g;
            sum.change(|_, c| c / g);
            let upper = (lower + extra).div_euclid(g);
            lower = ceil_div(lower, g);
            extra = upper - lower;
            if extra < 0 {
                return Err(Empty);
            }
        }
        if extra + 1 >= m {
            return Ok(Reduced::Implied);
        }
        if sum.used() == 0 {
            return if (-lower).rem_euclid(m) <= extra {
                Ok(Reduced::Implied)
            } else {
                Err(Empty)
            };
        }
        sum.change(|_, c| match c {
            1 => 1,
            _ => nearest(c, m),
        });
        if sum.positive(&self.values, m) == Some(false) {
            sum.change(|_, c| nearest(-c, m));
            lower = -(lower + extra);
        }
        lower = lower.rem_euclid(m);
        in_one_period(sum, m, (lower, extra), sum.bounds(&self.values))
    }

    /// As [`Short::reduced`] of a sum with these values, in which every variable stands once: nothing is reduced but its constant.
    fn reduced_of_units(
        &self,
        sum: &Linear,
        m: i64,
        (lower, extra): (i64, i64),
        values: Interval,
    ) -> Result<Reduced, Empty> {
        if extra + 1 >= m {
            return Ok(Reduced::Implied);
        }
        let mut lower = lower - sum.k;
        let (mut least, mut greatest) = (values.lower - sum.k, values.upper - sum.k);
        let mut sum = sum.without_constant();
        if sum.positive(&self.values, m) == Some(false) {
            sum.change(|_, c| -c);
            lower = -(lower + extra);
            (least, greatest) = (-greatest, -least);
        }
        in_one_period(sum, m, (lower.rem_euclid(m), extra), (least, greatest))
    }

    /// `x mod m in [lower, upper]`.
    pub(super) fn add_window_of(
        &mut self,
        v: usize,
        m: i64,
        (lower, upper): (i64, i64),
    ) -> Option<Outcome> {
        let Interval {
            lower: least,
            upper: greatest,
        } = self.values[v].interval;
        let window = (lower, upper - lower);
        self.add_reduced(in_one_period(
            Linear::of(v, 1),
            m,
            window,
            (least, greatest),
        ))
    }

    /// Adds a window, of which there must be no other one of its sum.
    fn push_window(&mut self, w: Window) -> Option<Outcome> {
        let windows = &mut self.round.windows;
        if windows.iter().any(|v| v.sum.has_terms_of(&w.sum)) {
            return None;
        }
        windows.push(w);
        Some(self.tighten(&w))
    }

    /// The ends of a variable move to values that its window allows.
    pub(super) fn tighten(&mut self, w: &Window) -> Outcome {
        let Some(v) = w.variable() else {
            return Ok(());
        };
        let Interval { lower, upper } = self.known[v].interval;
        self.intersect(v, (w.at_least(lower), w.at_most(upper)))
    }

    /// A window of the last round is read again: its remainder may have become something else.
    pub(super) fn add_window_again(&mut self, w: &Window, again: Again) -> Option<Outcome> {
        if again == Again::All && self.stays_apart_from_its_values(w) {
            let bounds = w.sum.bounds(&self.values);
            return self.add_reduced(in_one_period(w.sum, w.m, (w.lower, w.extra), bounds));
        }
        let mut sum = self.of_points(&w.sum);
        let (shift, values) = w.unwrapped();
        let ends = (values.lower, values.upper);
        if let Some(v) = w.variable()
            && shift == 0
            && let Some((_, 1)) = sum.single()
            && sum.k == 0
            && let Some(Left::Digit(digit)) = Digit::of(v).digit(&self.values, Op::Mod, w.m)
            && !digit.is_variable()
        {
            return self.add_digit(digit, 0, ends);
        }
        sum.k += shift;
        self.add_remainder(&sum, w.m, ends)
    }

    /// Whether only where its values lie decides what becomes of a window that is read again.
    fn stays_apart_from_its_values(&self, w: &Window) -> bool {
        let stays = |v: usize| {
            let known = &self.values[v];
            known.stride == 1 && known.interval.lower < known.interval.upper
        };
        let factor = |(_, c): (usize, i64)| c.abs() > 1 && gcd(c, w.m) > 1;
        w.sum.has_several()
            && w.sum.terms().all(|(v, _)| stays(v))
            && w.sum.positive(&self.values, w.m) != Some(false)
            && !w.sum.terms().any(factor)
    }

    /// As [`Constraints::combine`](super::super::constraints::Constraints::combine) for windows of which each has a sum of its own.
    pub(super) fn combine(&mut self) -> Option<Outcome> {
        let round = &mut self.round;
        for w in &round.windows {
            if round.sums.iter().any(|r| r.may_be_linear(w.m)) {
                return None;
            }
        }
        for w in &mut round.windows {
            let (g, r) = w.sum.congruence(&self.values, w.m);
            if g > 1 {
                let before = (w.lower, w.extra);
                if let Err(Empty) = w.shrink(g, r) {
                    return Some(Err(Empty));
                }
                if w.extra == 0 && w.variable().is_some() {
                    return None;
                }
                round.windows_changed |= (w.lower, w.extra) != before;
            }
        }
        round.changed |= round.windows_changed;
        let windows = &round.windows;
        round
            .sums
            .retain(|r| !windows.iter().any(|w| r.is_implied_by(w)));
        for r in &mut round.ranges {
            for _ in 0..SWEEPS {
                let before = (r.lower, r.upper);
                for w in &round.windows {
                    let Some(negative) = w.is_negated(&r.sum) else {
                        continue;
                    };
                    (r.lower, r.upper) = if negative {
                        (-w.at_most(-r.lower), -w.at_least(-r.upper))
                    } else {
                        (w.at_least(r.lower), w.at_most(r.upper))
                    };
                    if r.lower > r.upper {
                        return Some(Err(Empty));
                    }
                }
                if before == (r.lower, r.upper) {
                    break;
                }
                round.changed = true;
                if round.windows.len() == 1 {
                    break;
                }
            }
        }
        Some(Ok(()))
    }
}

/// Whether what is left of values is one of two quotients.
fn has_two_quotients((lower, upper): (i64, i64), m: i64) -> bool {
    upper.div_euclid(m) - lower.div_euclid(m) == 1
}

/// A window in whose period all values of the sum lie is a range.
#[inline(always)]
fn in_one_period(
    sum: Linear,
    m: i64,
    (lower, extra): (i64, i64),
    (least, greatest): (i64, i64),
) -> Result<Reduced, Empty> {
    let window = Window {
        sum,
        m,
        lower,
        extra,
    };
    // From the first value that is allowed to the last one.
    let (least, greatest) = (window.at_least(least), window.at_most(greatest));
    if least > greatest {
        return Err(Empty);
    }
    let q = (least - lower).div_euclid(m);
    if q == (greatest - lower).div_euclid(m) {
        let first = lower + q * m;
        return Ok(Reduced::Range(sum, first, first + extra));
    }
    Ok(Reduced::Window(window))
}
