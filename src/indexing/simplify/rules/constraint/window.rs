//! What one remainder in an interval says of the sum whose remainder it is.

use crate::interval::{Interval, ceil_div, floor_div};
use crate::linear::gcd;
use crate::linear::number::{chinese, divides, floor, inverse, nearest, remainder};
use crate::simplify::known::{Empty, Known, Outcome, representable};
use crate::simplify::linear::{Forms, LinId, Terms};
use crate::simplify::rules::constraint::range::RangeOf;

/// `lin mod m` in `[lower, lower + extra]`, `0 <= lower < m`, `extra < m - 1`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Window {
    pub(crate) lin: LinId,
    pub(crate) m: i64,
    pub(crate) lower: i64,
    pub(crate) extra: i64,
}

impl Window {
    pub(crate) fn new(lin: LinId, m: i64, lower: i64, extra: i64) -> Self {
        Window {
            lin,
            m,
            lower,
            extra,
        }
    }

    /// Returns by how much a value exceeds the last allowed one below it; 0 if it is allowed.
    fn beyond(&self, value: i128) -> i128 {
        let over = remainder(value - self.lower as i128, self.m);
        (over - self.extra as i128).max(0)
    }

    /// The least allowed value that is not below `value`.
    pub(crate) fn at_least(&self, value: i128) -> i128 {
        match self.beyond(value) {
            0 => value,
            beyond => value + self.m as i128 - self.extra as i128 - beyond,
        }
    }

    /// The greatest allowed value that is not above `value`.
    pub(crate) fn at_most(&self, value: i128) -> i128 {
        value - self.beyond(value)
    }

    /// Returns the shift of the form by which the window does not wrap, and the values then: a
    /// window that wraps is moved to start at zero.
    pub(crate) fn unwrapped(&self) -> (i64, Interval) {
        let wraps = self.lower as i128 + self.extra as i128 >= self.m as i128;
        let (shift, lower) = match wraps {
            true if self.lower > self.m / 2 => (self.m - self.lower, 0),
            true => (-self.lower, 0),
            false => (0, self.lower),
        };
        (shift, Interval::new(lower, lower + self.extra))
    }

    /// The window of the negated form.
    pub(crate) fn negated(&self) -> Window {
        let first = -(self.lower as i128 + self.extra as i128);
        let lower = remainder(first, self.m) as i64;
        Window { lower, ..*self }
    }

    /// Whether a form that may as well be negated is written so: without a constant if that can be,
    /// then with the lower values.
    pub(crate) fn is_written_negated(&self, forms: &Forms) -> bool {
        let key = |w: &Window| (w.unwrapped().0 != 0, w.lower);
        let sign = || forms.sign_of(forms.terms(self.lin), self.m);
        key(&self.negated()) < key(self) && sign().is_some_and(|sign| !sign.decided)
    }

    /// One window that says what this one and another of the same form say, if there is one.
    pub(crate) fn and(&self, v: &Window) -> Outcome<Option<Window>> {
        let both = |m, lower, extra| Ok(Some(Window::new(self.lin, m, lower, extra)));
        if self.extra == 0 && v.extra == 0 {
            return match chinese((self.m, self.lower), (v.m, v.lower)) {
                Ok(Some((m, lower))) => both(m, lower, 0),
                Ok(None) => Err(Empty),
                Err(()) => Ok(None),
            };
        }
        if self.extra == 0 || v.extra == 0 || self.m % v.m != 0 {
            return Ok(None);
        }
        // The values that this one allows: are they all allowed by the other, or only a part?
        let (own, other) = (self.extra, v.extra);
        let offset = remainder(self.lower as i128 - v.lower as i128, v.m) as i64;
        if offset <= other - own {
            return Ok(Some(*self));
        }
        // No value of it in the one period of the other in which they lie?
        if offset > other && offset < v.m - own {
            return Err(Empty);
        }
        if self.m != v.m {
            return Ok(None);
        }
        // Circular intersection, when it is one piece.
        let back = remainder(v.lower as i128 - self.lower as i128, v.m) as i64;
        match (back <= own, offset <= other) {
            (false, false) => Err(Empty),
            (true, false) => both(self.m, v.lower, (own - back).min(other)),
            (false, true) => both(self.m, self.lower, (other - offset).min(own)),
            (true, true) => Ok(None),
        }
    }

    /// Only values that are `r` modulo `g` count: moves the ends there. `g` divides the modulus.
    pub(crate) fn shrink(&mut self, g: i64, r: i64) -> Outcome {
        if g <= 1 {
            return Ok(());
        }
        let (m, g, r) = (self.m as i128, g as i128, r as i128);
        let lower = self.lower as i128;
        let upper = lower + self.extra as i128;
        let first = lower + (r - lower).rem_euclid(g);
        let last = upper - (upper - r).rem_euclid(g);
        if first > last {
            return Err(Empty);
        }
        self.lower = first.rem_euclid(m) as i64;
        self.extra = (last - first) as i64;
        Ok(())
    }
}

impl Known {
    /// The ends move to values that a window on the variable allows; true if one does.
    pub(crate) fn meets(&mut self, w: &Window) -> Outcome<bool> {
        let Interval { lower, upper } = self.interval;
        self.intersect(w.at_least(lower as i128), w.at_most(upper as i128))
    }
}

/// Rest of a remainder in an interval, on forms without a constant.
pub(crate) enum Reduced {
    Implied,
    /// The sum itself in an interval.
    Range(RangeOf),
    Window(Window),
}

impl Forms {
    /// A window with what does not matter modulo m and the factor in common left out, in one of the
    /// two ways that differ by the sign.
    pub(crate) fn reduced_window(&mut self, given: Window) -> Outcome<Reduced> {
        let mut terms = Terms::from_slice(self.terms(given.lin));
        let mut m = given.m;
        let mut lower = given.lower as i128 - self.lin(given.lin).k as i128;
        let mut extra = given.extra as i128;
        let mut g = m;
        let atoms = &self.atoms;
        terms.retain(|t| {
            let atom = &atoms[t.atom as usize];
            if divides(m, t.coef, atom.stride) {
                lower -= t.coef as i128 * atom.offset as i128 % m as i128;
                return false;
            }
            t.coef %= m;
            g = gcd(g, t.coef);
            true
        });
        // g * x mod (g * n) in [l, u] -> x mod n in [ceil(l / g), floor(u / g)]
        lower = remainder(lower, m);
        if g > 1 {
            self.fired("factor-out-of-congruence");
            m /= g;
            for t in &mut terms {
                t.coef /= g;
            }
            let g = g as i128;
            let upper = floor_div(lower + extra, g);
            lower = ceil_div(lower, g);
            extra = upper - lower;
            if extra < 0 {
                return Err(Empty);
            }
        }
        if extra + 1 >= m as i128 {
            return Ok(Reduced::Implied);
        }
        if terms.is_empty() {
            return if remainder(-lower, m) <= extra {
                Ok(Reduced::Implied)
            } else {
                Err(Empty)
            };
        }
        for t in &mut terms {
            t.coef = nearest(t.coef, m);
        }
        if self.sign_of(&terms, m).is_some_and(|sign| !sign.positive) {
            for t in &mut terms {
                t.coef = nearest(-t.coef, m);
            }
            lower = -(lower + extra);
        }
        lower = remainder(lower, m);
        // c * x = r modulo m -> x = r / c modulo m, where c has an inverse.
        if let [t] = &mut terms[..]
            && t.coef != 1
            && extra == 0
            && gcd(t.coef, m) == 1
        {
            self.fired("congruence-solved");
            let wide = m as i128;
            let inverse = inverse((t.coef as i128).rem_euclid(wide), wide);
            lower = remainder(lower * inverse, m);
            t.coef = 1;
        }
        let bounds = self.wide_bounds(&terms, 0);
        let window = Window::new(self.intern(&terms, 0), m, lower as i64, extra as i64);
        // A window in whose period all values lie is a range, from the first value that is allowed
        // to the last one.
        if let Some((least, greatest)) = bounds {
            let (least, greatest) = (window.at_least(least), window.at_most(greatest));
            if least > greatest {
                return Err(Empty);
            }
            let q = floor(least - lower, m);
            let first = lower + q * m as i128;
            // What no interval can say stays a window.
            let written = representable(first) && representable(first + extra);
            if written && q == floor(greatest - lower, m) {
                self.fired("congruence-in-one-period");
                let range = RangeOf::new(window.lin, first, first + extra);
                return Ok(Reduced::Range(range));
            }
        }
        Ok(Reduced::Window(window))
    }
}
