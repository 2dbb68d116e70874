//! What holds of sizes, whatever they are: each of them is a whole number and not negative.
//! Integers that are no sizes are whole numbers.

use super::{Extent, Factor};
use crate::linear::gcd;

/// Number of sums and factors that are looked at in one proof. Sizes of programs take a few.
const STEPS: usize = 48;

impl Extent {
    /// Whether it is at least `other` for all sizes. False where that is not known.
    pub fn is_at_least(self, other: impl Into<Self>) -> bool {
        let other = other.into();
        match (self.as_constant(), other.as_constant()) {
            (Some(a), Some(b)) => a >= b,
            _ => (self - other).is_not_negative(&mut { STEPS }),
        }
    }

    /// Tells whether it is known to be in `[0, by - 1]`, for every `by` of at least 1.
    pub(super) fn is_digit_of(self, by: Self) -> bool {
        let below = by - 1 - self;
        // Not negative is also what is at least `by - 1`.
        below.is_not_negative(&mut { STEPS })
            && [self, -below]
                .iter()
                .any(|x| x.is_not_negative(&mut { STEPS }))
    }

    fn is_not_negative(self, steps: &mut usize) -> bool {
        let Some(left) = steps.checked_sub(1) else {
            return false;
        };
        *steps = left;
        let (parts, constant) = self.parts();
        let common = parts.iter().fold(0, |all, (_, times)| gcd(all, *times));
        if common > 1 {
            // What is left is a whole number.
            let terms = (self - constant).divided_by(common.into());
            let least = constant.div_euclid(common);
            return terms.is_some_and(|terms| (terms + least).is_not_negative(steps));
        }
        let mut all = |factors: &[Factor]| factors.iter().all(|f| f.is_not_negative(steps));
        if constant >= 0 && (parts.iter()).all(|(factors, times)| *times > 0 && all(factors)) {
            return true;
        }
        // A factor is replaced by a bound of it that makes the whole smaller.
        for (factors, times) in parts {
            for (at, factor) in factors.iter().enumerate() {
                if matches!(factor, Factor::Name(_) | Factor::Integer(_)) {
                    continue;
                }
                let mut others = factors.to_vec();
                others.remove(at);
                if !others.iter().all(|other| other.is_not_negative(steps)) {
                    continue;
                }
                let others: Self = others.into_iter().map(Self::factor).product();
                let rest = self - others * Self::factor(*factor) * times;
                let mut with = |bound: Self, scale: Self| {
                    (rest * scale + others * bound * times).is_not_negative(steps)
                };
                // One quotient is at least a whole number where that, times the divisor, is at most
                // what is divided.
                let is_one = factors.len() == 1 && times.abs() == 1;
                let holds = match (*factor, times > 0) {
                    (Factor::Quotient(a, by), is_added) if by.is_positive() => {
                        with(if is_added == is_one { a } else { a - by + 1 }, by)
                    }
                    (Factor::Least(a, b), false) | (Factor::Greatest(a, b), true) => {
                        with(a, Self::ONE) || with(b, Self::ONE)
                    }
                    (Factor::Least(a, b), true) | (Factor::Greatest(a, b), false) => {
                        with(a, Self::ONE) && with(b, Self::ONE)
                    }
                    _ => false,
                };
                if holds {
                    return true;
                }
            }
        }
        false
    }

    /// Tells whether it is a known number of at least 1.
    fn is_positive(self) -> bool {
        self.as_constant().is_some_and(|n| n > 0)
    }
}

impl Factor {
    fn is_not_negative(self, steps: &mut usize) -> bool {
        match self {
            Self::Name(_) => true,
            Self::Integer(_) => false,
            Self::Quotient(a, _) => a.is_not_negative(steps),
            Self::Least(a, b) => a.is_not_negative(steps) && b.is_not_negative(steps),
            Self::Greatest(a, b) => a.is_not_negative(steps) || b.is_not_negative(steps),
        }
    }
}
