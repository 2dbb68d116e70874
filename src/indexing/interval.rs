//! Closed intervals of 64-bit integers with saturating arithmetic.

use std::fmt;

/// A closed interval `[lower, upper]` of `i64`. It is empty if `lower > upper`.
///
/// Arithmetic saturates: a bound that would leave `i64` stays at the end of `i64`, so the ends
/// stand for "this or beyond". [`Interval::FULL`] therefore means "nothing is known".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Interval {
    /// The least value.
    pub lower: i64,
    /// The greatest value.
    pub upper: i64,
}

/// Rounds the quotient toward minus infinity.
#[inline]
pub(crate) fn floor_div(a: i128, b: i128) -> i128 {
    if let (Ok(a), Ok(b @ 1..)) = (i64::try_from(a), i64::try_from(b)) {
        // Mostly so, and a division of 128 bits takes its time.
        return if b == 1 { a } else { a.div_euclid(b) } as i128;
    }
    let q = a / b;
    if a % b != 0 && ((a < 0) != (b < 0)) {
        q - 1
    } else {
        q
    }
}

/// Rounds the quotient toward plus infinity.
#[inline]
pub(crate) fn ceil_div(a: i128, b: i128) -> i128 {
    match a.checked_neg() {
        Some(negative) => -floor_div(negative, b),
        // The least number has no negation.
        None => floor_div(a, b) + i128::from(a % b != 0),
    }
}

fn saturate(x: i128) -> i64 {
    x.clamp(i64::MIN as i128, i64::MAX as i128) as i64
}

/// A bound as a mathematical number: the ends of `i64` are infinite.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum End {
    Minus,
    At(i128),
    Plus,
}

impl Interval {
    /// Every `i64`: nothing is known.
    pub const FULL: Interval = Interval {
        lower: i64::MIN,
        upper: i64::MAX,
    };
    /// The canonical empty interval, `[0, -1]`.
    pub const EMPTY: Interval = Interval {
        lower: 0,
        upper: -1,
    };

    /// `[lower, upper]`.
    pub const fn new(lower: i64, upper: i64) -> Self {
        Interval { lower, upper }
    }

    /// `[value, value]`.
    pub const fn point(value: i64) -> Self {
        Interval {
            lower: value,
            upper: value,
        }
    }

    /// `[0, size - 1]`, the indices of a dimension of `size` elements; empty for a size of zero or
    /// less.
    pub const fn of_size(size: i64) -> Self {
        if size <= 0 {
            Interval::EMPTY
        } else {
            Interval {
                lower: 0,
                upper: size - 1,
            }
        }
    }

    /// True if no integer is in the interval.
    pub const fn is_empty(self) -> bool {
        self.lower > self.upper
    }

    /// The value, if there is exactly one.
    pub const fn as_point(self) -> Option<i64> {
        if self.lower == self.upper {
            Some(self.lower)
        } else {
            None
        }
    }

    /// True if `value` is in the interval.
    pub const fn contains(self, value: i64) -> bool {
        self.lower <= value && value <= self.upper
    }

    /// True if every value of `other` is in this interval.
    pub const fn contains_interval(self, other: Interval) -> bool {
        other.is_empty() || (self.lower <= other.lower && other.upper <= self.upper)
    }

    /// The number of values.
    pub fn len(self) -> u128 {
        if self.is_empty() {
            0
        } else {
            (self.upper as i128 - self.lower as i128 + 1) as u128
        }
    }

    /// The values that are in both.
    pub fn intersect(self, other: Interval) -> Interval {
        Interval {
            lower: self.lower.max(other.lower),
            upper: self.upper.min(other.upper),
        }
    }

    /// The least interval that holds both.
    pub fn hull(self, other: Interval) -> Interval {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        Interval {
            lower: self.lower.min(other.lower),
            upper: self.upper.max(other.upper),
        }
    }

    /// `true` if every value here is less than every value of `other`, `false` if none is, `None`
    /// if it depends. Comparisons with an empty interval are `None`.
    pub fn less(self, other: Interval) -> Option<bool> {
        if self.is_empty() || other.is_empty() {
            return None;
        }
        if self.upper < other.lower {
            Some(true)
        } else if self.lower >= other.upper {
            Some(false)
        } else {
            None
        }
    }

    /// Three-valued `<=`; see [`Interval::less`].
    pub fn less_equal(self, other: Interval) -> Option<bool> {
        other.less(self).map(|x| !x)
    }

    /// Three-valued `==`; see [`Interval::less`].
    pub fn equal(self, other: Interval) -> Option<bool> {
        if self.is_empty() || other.is_empty() {
            return None;
        }
        if self.as_point().is_some() && self == other {
            Some(true)
        } else if self.intersect(other).is_empty() {
            Some(false)
        } else {
            None
        }
    }

    fn ends(self) -> (End, End) {
        let lower = if self.lower == i64::MIN {
            End::Minus
        } else {
            End::At(self.lower as i128)
        };
        let upper = if self.upper == i64::MAX {
            End::Plus
        } else {
            End::At(self.upper as i128)
        };
        (lower, upper)
    }

    fn from_ends(lower: End, upper: End) -> Interval {
        let value = |e| match e {
            End::Minus => i64::MIN,
            End::At(x) => saturate(x),
            End::Plus => i64::MAX,
        };
        Interval {
            lower: value(lower),
            upper: value(upper),
        }
    }

    /// The sums of a value of each.
    pub fn plus(self, other: Interval) -> Interval {
        if self.is_empty() || other.is_empty() {
            return Interval::EMPTY;
        }
        let add = |a, b| match (a, b) {
            (End::At(x), End::At(y)) => End::At(x + y),
            (End::At(_), e) => e,
            (e, _) => e,
        };
        let ((a, b), (c, d)) = (self.ends(), other.ends());
        Interval::from_ends(add(a, c), add(b, d))
    }

    /// The negated values.
    pub fn negated(self) -> Interval {
        self.times_constant(-1)
    }

    /// The values multiplied by a constant.
    pub fn times_constant(self, c: i64) -> Interval {
        self.times(Interval::point(c))
    }

    /// The products of a value of each.
    pub fn times(self, other: Interval) -> Interval {
        if self.is_empty() || other.is_empty() {
            return Interval::EMPTY;
        }
        let mul = |a: End, b: End| -> End {
            let sign = |e: End| match e {
                End::Minus => -1,
                End::At(x) => x.signum(),
                End::Plus => 1,
            };
            match (a, b) {
                (End::At(x), End::At(y)) => End::At(x * y),
                _ => match sign(a) * sign(b) {
                    0 => End::At(0),
                    1 => End::Plus,
                    _ => End::Minus,
                },
            }
        };
        let ((a, b), (c, d)) = (self.ends(), other.ends());
        let all = [mul(a, c), mul(a, d), mul(b, c), mul(b, d)];
        let mut lower = all[0];
        let mut upper = all[0];
        for e in all {
            if e < lower {
                lower = e;
            }
            if e > upper {
                upper = e;
            }
        }
        Interval::from_ends(lower, upper)
    }

    /// The values divided by a constant, rounded toward minus infinity; [`Interval::FULL`] for a
    /// divisor of zero.
    pub fn floor_div_constant(self, c: i64) -> Interval {
        if self.is_empty() {
            return Interval::EMPTY;
        }
        if c == 0 {
            return Interval::FULL;
        }
        let div = |e: End| match e {
            // Division of 64 bits is much faster; only the negation of i64::MIN would not fit.
            End::At(x) => match i64::try_from(x) {
                Ok(x) if c > 0 => End::At(x.div_euclid(c) as i128),
                _ => End::At(floor_div(x, c as i128)),
            },
            End::Minus if c > 0 => End::Minus,
            End::Plus if c < 0 => End::Minus,
            _ => End::Plus,
        };
        let (a, b) = self.ends();
        if c > 0 {
            Interval::from_ends(div(a), div(b))
        } else {
            Interval::from_ends(div(b), div(a))
        }
    }

    /// The remainders by a constant, which are never negative; [`Interval::FULL`] for a divisor of
    /// zero.
    pub fn modulo_constant(self, c: i64) -> Interval {
        if self.is_empty() {
            return Interval::EMPTY;
        }
        if c == 0 {
            return Interval::FULL;
        }
        let m = (c as i128).abs();
        if let (Ok(m), true) = (
            i64::try_from(m),
            self.lower != i64::MIN && self.upper != i64::MAX,
        ) {
            return if self.lower.div_euclid(m) == self.upper.div_euclid(m) {
                Interval::new(self.lower.rem_euclid(m), self.upper.rem_euclid(m))
            } else {
                Interval::new(0, m - 1)
            };
        }
        if let (End::At(a), End::At(b)) = self.ends()
            && floor_div(a, m) == floor_div(b, m)
        {
            return Interval::from_ends(End::At(a.rem_euclid(m)), End::At(b.rem_euclid(m)));
        }
        Interval::from_ends(End::At(0), End::At(m - 1))
    }

    /// The lesser of a value of each.
    pub fn min(self, other: Interval) -> Interval {
        if self.is_empty() || other.is_empty() {
            return Interval::EMPTY;
        }
        Interval {
            lower: self.lower.min(other.lower),
            upper: self.upper.min(other.upper),
        }
    }

    /// The greater of a value of each.
    pub fn max(self, other: Interval) -> Interval {
        if self.is_empty() || other.is_empty() {
            return Interval::EMPTY;
        }
        Interval {
            lower: self.lower.max(other.lower),
            upper: self.upper.max(other.upper),
        }
    }

    /// The values in ascending order. Meant for tests: the interval may be long.
    pub fn values(self) -> impl Iterator<Item = i64> {
        self.lower..=self.upper
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The ends of 64 bits stand for no end, but where one of them is the only value.
        match self.lower {
            i64::MIN if self.upper != i64::MIN => f.write_str("[-inf, ")?,
            lower => write!(f, "[{lower}, ")?,
        }
        match self.upper {
            i64::MAX if self.lower != i64::MAX => f.write_str("inf]"),
            upper => write!(f, "{upper}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisions_at_the_end_of_128_bits() {
        let least = i128::MIN;
        assert_eq!(
            (floor_div(least, 2), ceil_div(least, 2)),
            (least / 2, least / 2)
        );
        assert_eq!(
            (floor_div(least, 3), ceil_div(least, 3)),
            (least / 3 - 1, least / 3)
        );
        assert_eq!(
            (floor_div(least, -3), ceil_div(least, -3)),
            (least / -3, least / -3 + 1)
        );
        assert_eq!(
            (
                floor_div(-least.wrapping_add(1), 3),
                ceil_div(i128::MAX, -3)
            ),
            (i128::MAX / 3, i128::MAX / -3)
        );
    }

    #[test]
    fn arithmetic_against_enumeration() {
        let bounds = [-4i64, -3, -1, 0, 1, 2, 5];
        for &a in &bounds {
            for &b in bounds.iter().filter(|b| **b >= a) {
                let x = Interval::new(a, b);
                for c in [-5i64, -3, -2, -1, 1, 2, 3, 7] {
                    let check = |name: &str, got: Interval, f: &dyn Fn(i64) -> i64| {
                        let all: Vec<i64> = x.values().map(f).collect();
                        assert_eq!(got.lower, *all.iter().min().unwrap(), "{name} {x} {c}");
                        assert_eq!(got.upper, *all.iter().max().unwrap(), "{name} {x} {c}");
                    };
                    check("floordiv", x.floor_div_constant(c), &|v| {
                        floor_div(v as i128, c as i128) as i64
                    });
                    check("times", x.times_constant(c), &|v| v * c);
                    let rem = x.modulo_constant(c);
                    assert!(x.values().all(|v| rem.contains(v.rem_euclid(c))));
                }
            }
        }
    }

    #[test]
    fn the_ends_of_i64_are_infinite() {
        let half = Interval::new(0, i64::MAX);
        assert_eq!(half.plus(Interval::point(-5)), Interval::new(-5, i64::MAX));
        assert_eq!(half.times_constant(-1), Interval::new(i64::MIN, 0));
        assert_eq!(
            Interval::new(5, i64::MAX - 1).times_constant(2),
            Interval::new(10, i64::MAX)
        );
        assert_eq!(Interval::FULL.floor_div_constant(i64::MIN), Interval::FULL);
        assert_eq!(
            Interval::point(i64::MIN + 1).modulo_constant(i64::MIN),
            Interval::point(1)
        );
    }

    #[test]
    fn comparisons_have_three_values() {
        let i = Interval::new;
        assert_eq!(i(0, 3).less(i(4, 5)), Some(true));
        assert_eq!(i(4, 5).less(i(0, 4)), Some(false));
        assert_eq!(i(0, 4).less(i(4, 5)), None);
        assert_eq!(i(0, 4).less_equal(i(4, 5)), Some(true));
        assert_eq!(i(2, 2).equal(i(2, 2)), Some(true));
        assert_eq!(i(2, 3).equal(i(4, 4)), Some(false));
        assert_eq!(i(2, 3).equal(i(2, 3)), None);
        assert_eq!(Interval::EMPTY.equal(i(2, 3)), None);
    }
}
