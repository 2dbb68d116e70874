//! Bounds of a sum in which several digits of one number stand: they do not reach their ends
//! together.
//!
//! `6 * x + x floordiv 3` is `19 * (x floordiv 3) + 6 * (x mod 3)` in digits. For `x` in `[0, 3]`
//! each digit by itself reaches its end, which gives 31, but not both at once: the sum is at
//! most 19.

/// A digit of a number `x` with its factor, `coef * ((x floordiv low) mod (high / low))`. The
/// leading digit has no end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScaledDigit {
    pub(crate) low: i64,
    pub(crate) high: Option<i64>,
    pub(crate) coef: i64,
}

/// The greatest sums of the digits below a place, in a walk from the lowest one upward.
#[derive(Clone, Copy, Default)]
struct Greatest {
    /// Of all numbers below the place.
    all: i128,
    /// Of those from the lower end on, of those up to the upper one, and of those between the two.
    from: i128,
    to: i128,
    between: i128,
}

impl Greatest {
    /// With the next digit, of this base, whose values at the two ends are given.
    fn with(self, coef: i128, base: i128, (low, high): (i128, i128)) -> Self {
        // All digits below are free where this one is between its own ends.
        let inside = |first: i128, last: i128| {
            if first <= last {
                (coef * first).max(coef * last) + self.all
            } else {
                i128::MIN
            }
        };
        let (at_low, at_high) = (coef * low + self.from, coef * high + self.to);
        Self {
            all: inside(0, base - 1),
            from: at_low.max(inside(low + 1, base - 1)),
            to: at_high.max(inside(0, high - 1)),
            between: if low == high {
                coef * low + self.between
            } else {
                at_low.max(at_high).max(inside(low + 1, high - 1))
            },
        }
    }
}

/// The ends of the sum of digits of one number in `values`. `None` if digits overlap, or cut across
/// each other, or if the leading one has no end and the values are not known.
pub(crate) fn ends_of_digits(
    digits: &mut [ScaledDigit],
    values: Option<(i64, i64)>,
) -> Option<(i128, i128)> {
    digits.sort_unstable_by_key(|d| d.low);
    let apart = |w: &[ScaledDigit]| w[0].high.is_some_and(|end| w[1].low % end == 0);
    if !digits.windows(2).all(apart) {
        return None;
    }
    let (first, last) = (digits.first()?, digits.last()?);
    let ends = match (last.high, values) {
        (None, values) => values?,
        (Some(period), Some((low, high))) if low.div_euclid(period) == high.div_euclid(period) => {
            (low.rem_euclid(period), high.rem_euclid(period))
        }
        (Some(period), _) => (0, period - 1),
    };
    // Counted in steps of the lowest digit; the leading one takes what is left.
    let (low, high) = (ends.0.div_euclid(first.low), ends.1.div_euclid(first.low));
    let greatest = |sign: i128| {
        let mut found = Greatest::default();
        let (mut low, mut high) = (i128::from(low), i128::from(high));
        let mut step = |coef: i128, base: i64| {
            let base = i128::from(base);
            let at = (low.rem_euclid(base), high.rem_euclid(base));
            found = found.with(coef, base, at);
            (low, high) = (low.div_euclid(base), high.div_euclid(base));
        };
        for pair in digits.windows(2) {
            let end = pair[0].high.unwrap_or(pair[1].low);
            step(sign * i128::from(pair[0].coef), end / pair[0].low);
            // Places between that do not stand in the sum do not count.
            if end != pair[1].low {
                step(0, pair[1].low / end);
            }
        }
        let coef = sign * i128::from(last.coef);
        found.with(coef, 1, (low, high)).between
    };
    Some((-greatest(-1), greatest(1)))
}
