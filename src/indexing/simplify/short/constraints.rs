//! Constraints: sums of variables in an interval, and what they say of variables. They are settled as in `settle.rs`, round after round
//! by the same rules.

use super::super::known::{Empty, Known, Outcome, chinese};
use super::super::linear::INF;
use super::Short;
use super::decompose::{Splits, decomposed, find_splits, pinned};
use super::digits::Digit;
use super::one::One;
use super::parts::RangeOfParts;
use super::sum::{Bits, FAR, Linear, MOST_VARIABLES, SMALL, Sum, VARIABLES, small};
use super::window::Window;
use crate::interval::Interval;

/// Rounds after which a map takes the long way.
const ROUNDS: usize = 4;

/// `sum in [lower, upper]`, for several variables and no constant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) sum: Linear,
    pub(super) lower: i64,
    pub(super) upper: i64,
}

/// The constraints of a round.
#[derive(Clone, Debug, Default)]
pub(super) struct Round {
    pub(super) ranges: Vec<Range>,
    /// On sums with digits and quotients, at most one on each.
    pub(super) sums: Vec<RangeOfParts>,
    /// At most one of each sum.
    pub(super) windows: Vec<Window>,
    /// What is left may say more when it is read again: two of it became one, or one moved the ends of another.
    pub(super) changed: bool,
    /// The ends of a window moved.
    pub(super) windows_changed: bool,
}

impl Round {
    /// Whether it may say more when it is read again, though no more is known of the variables: of a range whose ends moved, only if it
    /// splits.
    fn says_more(&self) -> bool {
        let mut ranges = self.ranges.iter();
        let splits = |r: &Range| r.sum.terms().any(|(_, c)| c.abs() > 1);
        self.windows_changed || (self.changed && (ranges.any(splits) || !self.sums.is_empty()))
    }

    /// Whether nothing is left but bounds and congruences of variables.
    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty() && self.windows.is_empty() && self.sums.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.ranges.clear();
        self.sums.clear();
        self.windows.clear();
        (self.changed, self.windows_changed) = (false, false);
    }
}

/// What is read again of the constraints of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Again {
    /// Only the ranges: windows stay as they are.
    Ranges,
    All,
    /// All of it, as it speaks of other variables than before.
    OfOtherVariables,
}

/// What a constraint says of something whose values are known.
pub(super) enum Cut {
    Implied,
    Excluded,
    /// The ends, not beyond those values, and which of them are free: not cut.
    To(i64, i64, (bool, bool)),
}

#[inline(always)]
pub(super) fn cut((least, greatest): (i64, i64), (lower, upper): (i64, i64)) -> Cut {
    if greatest < lower || least > upper {
        return Cut::Excluded;
    }
    let free = (least >= lower, greatest <= upper);
    if free == (true, true) {
        return Cut::Implied;
    }
    Cut::To(lower.max(least), upper.min(greatest), free)
}

/// Rounded toward plus infinity.
#[inline(always)]
pub(super) fn ceil_div(a: i64, b: i64) -> i64 {
    -(-a).div_euclid(b)
}

/// `g * x in [l, u]` -> `x in [ceil(l / g), floor(u / g)]`, and the other way round for a negative g.
pub(super) fn divided((lower, upper): (i64, i64), g: i64) -> (i64, i64) {
    match g {
        1 => (lower, upper),
        -1 => (-upper, -lower),
        2.. => (ceil_div(lower, g), upper.div_euclid(g)),
        _ => (ceil_div(-upper, -g), (-lower).div_euclid(-g)),
    }
}

impl Short {
    /// Goes through rounds until nothing changes, from constraints that were added to the first; `None` if that takes too many.
    pub(super) fn rounds(&mut self) -> Option<Outcome> {
        for _ in 0..ROUNDS {
            if (!self.round.windows.is_empty() && self.combine()?.is_err())
                || self.propagate().is_err()
            {
                return Some(Err(Empty));
            }
            let same = self.values[..self.count] == self.known[..self.count];
            if !same {
                self.begin_round();
            }
            // What is left says the same again if no more is known of the variables.
            let nothing = self.round.is_empty();
            if nothing || (same && !self.round.says_more()) {
                return Some(Ok(()));
            }
            // Windows say what they said of variables of which no more is known.
            let again = if same && !self.round.windows_changed {
                Again::Ranges
            } else {
                Again::All
            };
            if let Err(Empty) = self.add_again(again)? {
                return Some(Err(Empty));
            }
        }
        None
    }

    /// Reads the constraints of the last round again.
    pub(super) fn add_again(&mut self, again: Again) -> Option<Outcome> {
        std::mem::swap(&mut self.round, &mut self.last);
        self.round.clear();
        for i in 0..self.last.ranges.len() {
            let Range { sum, lower, upper } = self.last.ranges[i];
            let point = |(v, _): (usize, i64)| self.values[v].interval.as_point().is_some();
            let added = if again == Again::OfOtherVariables || sum.terms().any(point) {
                self.add_range(&self.of_points(&sum), (lower, upper))
            } else {
                self.add_reduced_range(&sum, (lower, upper))
            };
            if let Err(Empty) = added? {
                return Some(Err(Empty));
            }
        }
        if again == Again::Ranges {
            std::mem::swap(&mut self.round.windows, &mut self.last.windows);
            std::mem::swap(&mut self.round.sums, &mut self.last.sums);
            return Some(Ok(()));
        }
        if again == Again::OfOtherVariables && !self.last.sums.is_empty() {
            return None;
        }
        if !self.last.sums.is_empty()
            && let Err(Empty) = self.add_sums_again()?
        {
            return Some(Err(Empty));
        }
        for i in 0..self.last.windows.len() {
            let window = self.last.windows[i];
            if let Err(Empty) = self.add_window_again(&window, again)? {
                return Some(Err(Empty));
            }
        }
        Some(Ok(()))
    }

    /// Variables that have a single value are that value.
    pub(super) fn of_points(&self, sum: &Linear) -> Linear {
        let mut sum = *sum;
        for v in Bits(sum.used()) {
            if let Some(value) = self.values[v].interval.as_point() {
                sum.k += value * sum.coef(v);
                sum.set(v, 0);
            }
        }
        sum
    }

    /// Adds what a constraint says.
    pub(super) fn add_constraint(&mut self, sum: &Sum, ends: (i64, i64)) -> Option<Outcome> {
        match (&sum.quotients[..], &sum.digits[..]) {
            _ if sum.remainder.is_some() => None,
            ([q], []) if q.coef.abs() == 1 => {
                self.add_beside(&q.sum, q.m, q.coef, &sum.linear, ends)
            }
            ([], []) => self.add_range(&sum.linear, ends),
            ([], [d]) if sum.linear.used() == 0 => self.add_digit(*d, sum.linear.k, ends),
            ([], [d]) if d.b == INF && d.coef.abs() == 1 => {
                self.add_beside(&Linear::of(d.variable, 1), d.a, d.coef, &sum.linear, ends)
            }
            _ => self.add_sum(sum, ends),
        }
    }

    /// The ends of a variable.
    #[inline(always)]
    pub(super) fn intersect(&mut self, v: usize, (lower, upper): (i64, i64)) -> Outcome {
        let known = &mut self.known[v];
        let before = known.interval;
        if lower <= before.lower && upper >= before.upper {
            return Ok(());
        }
        known.interval = Interval {
            lower: lower.max(before.lower),
            upper: upper.min(before.upper),
        };
        tighten(known)
    }

    /// `variable = r` modulo `m`; `None` if it is too large together with what is known.
    pub(super) fn add_congruence(&mut self, v: usize, m: i64, r: i64) -> Option<Outcome> {
        let known = &mut self.known[v];
        (known.stride, known.offset) = match known.stride {
            1 => (m, r),
            _ => match chinese((known.stride, known.offset), (m, r)) {
                Ok(Some(both)) if both.0 <= SMALL => both,
                Ok(None) => return Some(Err(Empty)),
                _ => return None,
            },
        };
        Some(tighten(known))
    }

    /// Adds `sum in [lower, upper]` and what follows from it alone. As
    /// [`Constraints::step`](super::super::constraints::Constraints::step).
    pub(super) fn add_range(
        &mut self,
        sum: &Linear,
        (lower, upper): (i64, i64),
    ) -> Option<Outcome> {
        if lower > upper {
            return Some(Err(Empty));
        }
        if let Some(one) = sum.one() {
            return Some(self.add_range_of_one(one, (lower, upper)));
        }
        let (mut lower, mut upper, free) = match cut(sum.bounds(&self.values), (lower, upper)) {
            Cut::Implied => return Some(Ok(())),
            Cut::Excluded => return Some(Err(Empty)),
            Cut::To(lower, upper, free) => (lower - sum.k, upper - sum.k, free),
        };
        let mut sum = sum.without_constant();
        let (_, first) = sum.first()?;
        let mut g = sum.content();
        if first < 0 {
            g = -g;
        }
        let (mut low_free, mut high_free) = free;
        if g != 1 {
            sum.change(|_, c| if g == -1 { -c } else { c / g });
            (lower, upper) = divided((lower, upper), g);
            if lower > upper {
                return Some(Err(Empty));
            }
        }
        if g < 0 {
            (low_free, high_free) = (high_free, low_free);
        }
        self.add_parts(sum, (lower, upper), (low_free, high_free))
    }

    /// As [`Short::add_range`] of a sum without a constant, whose coefficients have no factor in common and of which the first is positive.
    fn add_reduced_range(&mut self, sum: &Linear, ends: (i64, i64)) -> Option<Outcome> {
        match cut(sum.bounds(&self.values), ends) {
            Cut::Implied => Some(Ok(())),
            Cut::Excluded => Some(Err(Empty)),
            Cut::To(lower, upper, free) => self.add_parts(*sum, (lower, upper), free),
        }
    }

    /// As [`Short::add_reduced_range`], and nothing beyond the ends of its values, of which some are free.
    fn add_parts(
        &mut self,
        sum: Linear,
        (lower, upper): (i64, i64),
        (low_free, high_free): (bool, bool),
    ) -> Option<Outcome> {
        if sum.terms().any(|(_, c)| c.abs() > 1) {
            let mut splits = Splits::new();
            find_splits(&self.values, &sum, &mut splits);
            if let Some((split, value)) = pinned(&splits, lower, upper) {
                // One part can have one value only.
                let moved = split.g * value;
                let low = (lower - moved, upper - moved);
                if let (Some((v, c)), Some((w, d))) =
                    (sum.single_of(!split.high), sum.single_of(split.high))
                {
                    let one = |variable, u| One { variable, u, k: 0 };
                    let outcome = self.add_range_of_one(one(v, c), low);
                    let high = one(w, d / split.g);
                    return Some(
                        outcome.and_then(|()| self.add_range_of_one(high, (value, value))),
                    );
                }
                let (high, rest) = split.parts(&sum);
                if let Err(Empty) = self.add_range(&rest, low)? {
                    return Some(Err(Empty));
                }
                return self.add_range(&high, (value, value));
            }
            if let Some((split, lower, upper)) =
                decomposed(&mut splits, (lower, low_free), (upper, high_free))
            {
                let (high, _) = split.parts(&sum);
                let (least, greatest) = high.bounds(&self.values);
                return self.add_range(&high, (lower.unwrap_or(least), upper.unwrap_or(greatest)));
            }
        }
        let round = &mut self.round;
        if let Some(r) = round.ranges.iter_mut().find(|r| r.sum.has_terms_of(&sum)) {
            round.changed = true;
            r.lower = r.lower.max(lower);
            r.upper = r.upper.min(upper);
            return Some(if r.lower > r.upper {
                Err(Empty)
            } else {
                Ok(())
            });
        }
        round.ranges.push(Range { sum, lower, upper });
        Some(Ok(()))
    }

    /// `c * (x floordiv a) + k` or `c * ((x floordiv a) mod n) + k` in an interval.
    pub(super) fn add_digit(&mut self, digit: Digit, k: i64, ends: (i64, i64)) -> Option<Outcome> {
        let Digit {
            variable,
            a,
            b,
            coef,
        } = digit;
        if ends.0 > ends.1 {
            return Some(Err(Empty));
        }
        let values = digit.values(&self.values);
        let (x, y) = (coef * values.lower, coef * values.upper);
        let (lower, upper) = match cut((x.min(y) + k, x.max(y) + k), ends) {
            Cut::Implied => return Some(Ok(())),
            Cut::Excluded => return Some(Err(Empty)),
            Cut::To(lower, upper, _) => divided((lower - k, upper - k), coef),
        };
        if lower > upper {
            return Some(Err(Empty));
        }
        if b == INF {
            // x floordiv a in [l, u] -> x in [l * a, u * a + a - 1]
            return Some(self.intersect(variable, (lower * a, upper * a + a - 1)));
        }
        // (x floordiv a) mod n in [l, u] -> x mod (a * n) in [l * a, u * a + a - 1]
        let n = b / a;
        let (l, u) = (lower.max(0), upper.min(n - 1));
        if l > u {
            return Some(Err(Empty));
        }
        self.add_window_of(variable, b, (l * a, u * a + a - 1))
    }

    /// `y + sign * ((x + k) floordiv p) in [l, u] -> p * y + sign * x in [p * l, p * u + p - 1]`, for sums y of other variables; the
    /// constant of the first argument is k.
    fn add_beside(
        &mut self,
        x: &Linear,
        p: i64,
        sign: i64,
        y: &Linear,
        ends: (i64, i64),
    ) -> Option<Outcome> {
        if x.used() & y.used() != 0 {
            return None;
        }
        let values = x.bounds(&self.values);
        let (low, high) = (sign * values.0.div_euclid(p), sign * values.1.div_euclid(p));
        let others = y.bounds(&self.values);
        let values = (others.0 + low.min(high), others.1 + low.max(high));
        let mut sum = *x;
        for (v, coef) in y.terms() {
            sum.add(v, small(coef * p)? * sign)?;
        }
        let (lower, upper) = match cut(values, ends) {
            Cut::Implied => return Some(Ok(())),
            Cut::Excluded => return Some(Err(Empty)),
            Cut::To(lower, upper, _) => (lower - y.k, upper - y.k),
        };
        let ends = match sign {
            1 => (lower, upper),
            _ => (-upper, -lower),
        };
        self.add_dividend(&sum, p, ends)
    }

    /// `sum floordiv m in [l, u] -> sum in [m * l, m * u + m - 1]`
    pub(super) fn add_dividend(
        &mut self,
        sum: &Linear,
        m: i64,
        (lower, upper): (i64, i64),
    ) -> Option<Outcome> {
        let far = |v: i64| v.clamp(-FAR, FAR);
        let upper = far(upper.saturating_mul(m)).saturating_add(m - 1);
        self.add_range(sum, (far(lower.saturating_mul(m)), far(upper)))
    }

    /// What the constraints of the round say of single variables.
    fn propagate(&mut self) -> Outcome {
        for i in 0..self.round.ranges.len() {
            let range = self.round.ranges[i];
            self.derive(&range)?;
        }
        if !self.round.sums.is_empty() {
            self.derive_from_sums()?;
        }
        for i in 0..self.round.windows.len() {
            let window = self.round.windows[i];
            self.tighten(&window)?;
        }
        Ok(())
    }

    /// What `sum in [lower, upper]` implies for each of its variables.
    #[inline(always)]
    pub(super) fn derive(&mut self, r: &Range) -> Outcome {
        let (least, greatest) = r.sum.bounds(&self.values);
        // What the others leave: from `lower - greatest` on, up to `upper - least`.
        let (down, up) = (r.lower - greatest, r.upper - least);
        for (v, c) in r.sum.terms() {
            let Interval { lower, upper } = self.values[v].interval;
            let (x, y) = (c * lower, c * upper);
            let (low, high) = (down + x.max(y), up + x.min(y));
            if low <= x.min(y) && high >= x.max(y) {
                // Its own values say as much, and a division takes its time.
                continue;
            }
            let (low, high) = divided((low, high), c);
            if low > high {
                return Err(Empty);
            }
            self.intersect(v, (low, high))?;
        }
        Ok(())
    }
}

/// As [`Known::tighten`] where numbers are small.
fn tighten(known: &mut Known) -> Outcome {
    let Interval { lower, upper } = &mut known.interval;
    if known.stride > 1 && lower <= upper {
        let (m, r) = (known.stride, known.offset);
        *lower += (r - *lower).rem_euclid(m);
        *upper -= (*upper - r).rem_euclid(m);
    }
    if lower > upper {
        return Err(Empty);
    }
    if lower == upper {
        (known.stride, known.offset) = (1, 0);
    }
    Ok(())
}

const _: () = assert!(MOST_VARIABLES <= VARIABLES && VARIABLES <= 32);
