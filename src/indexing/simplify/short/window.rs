//! What one remainder in an interval says of a sum of variables, as `../window.rs` of the long way.

use super::super::known::{Empty, Outcome};
use super::super::plans::nearest;
use super::super::window::unwrapped;
use super::sum::{Bits, Linear, Values};
use crate::interval::Interval;

/// `sum mod m` in `[lower, lower + extra]`, `0 <= lower < m`, `extra < m - 1`, for a sum without a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Window {
    pub(super) sum: Linear,
    pub(super) m: i64,
    pub(super) lower: i64,
    pub(super) extra: i64,
}

impl Window {
    /// The least allowed value that is not below `value`, and the greatest that is not above.
    pub(super) fn at_least(&self, value: i64) -> i64 {
        let over = (value - self.lower).rem_euclid(self.m);
        if over <= self.extra {
            value
        } else {
            value + self.m - over
        }
    }

    pub(super) fn at_most(&self, value: i64) -> i64 {
        let over = (value - self.lower).rem_euclid(self.m);
        if over <= self.extra {
            value
        } else {
            value - (over - self.extra)
        }
    }

    /// What is added to the sum, so that the window does not wrap, and the values then: one that wraps is moved to start at zero.
    pub(super) fn unwrapped(&self) -> (i64, Interval) {
        unwrapped(self.m, self.lower, self.extra)
    }

    /// What is written instead, the window of the negated sum, as
    /// [`Window::is_written_negated`](super::super::window::Window::is_written_negated) says.
    pub(super) fn negated(&self, values: &Values) -> Option<Window> {
        if self.sum.terms().all(|t| t.1 > 0) {
            return None;
        }
        let negated = Window {
            lower: (-(self.lower + self.extra)).rem_euclid(self.m),
            ..*self
        };
        let key = |w: &Window| (w.unwrapped().0 != 0, w.lower);
        if key(&negated) >= key(self) || !self.sum.takes_either_sign(values, self.m) {
            return None;
        }
        let mut sum = self.sum;
        sum.change(|_, c| nearest(-c, self.m));
        Some(Window { sum, ..negated })
    }

    /// Only values that are `r` modulo `g` count: moves the ends there. `g` divides the modulus.
    pub(super) fn shrink(&mut self, g: i64, r: i64) -> Outcome {
        let upper = self.lower + self.extra;
        let first = self.lower + (r - self.lower).rem_euclid(g);
        let last = upper - (upper - r).rem_euclid(g);
        if first > last {
            return Err(Empty);
        }
        self.lower = first.rem_euclid(self.m);
        self.extra = last - first;
        Ok(())
    }

    /// The variable, if it is a window of one.
    pub(super) fn variable(&self) -> Option<usize> {
        match self.sum.single() {
            Some((v, 1)) => Some(v),
            _ => None,
        }
    }

    /// Whether `sum` is the one of the window modulo its modulus, or its negation: then it says true.
    pub(super) fn is_negated(&self, sum: &Linear) -> Option<bool> {
        if sum.has_terms_of(&self.sum) {
            return Some(false);
        }
        let (mut same, mut opposite) = (true, true);
        for v in Bits(sum.used() | self.sum.used()) {
            let (x, y) = (sum.coef(v), self.sum.coef(v));
            same &= (x - y) % self.m == 0;
            opposite &= (x + y) % self.m == 0;
        }
        (same || opposite).then_some(!same)
    }
}
