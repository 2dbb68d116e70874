//! What sums are made with.

use super::gcd;
use crate::Extent;
use std::fmt::Debug;
use std::hash::Hash;

/// A coefficient, an end of a range, or where a digit begins: a number, or a size that may be known
/// at run time only.
pub trait Coefficient: Copy + Ord + Hash + Debug + Default + From<i64> + 'static {
    /// The number zero.
    const ZERO: Self;
    /// The number one.
    const ONE: Self;

    /// The number, where it is known.
    fn as_constant(self) -> Option<i64>;
    /// The sum; `None` where a number leaves 64 bits.
    fn checked_add(self, other: Self) -> Option<Self>;
    /// The product; `None` where a number leaves 64 bits.
    fn checked_mul(self, other: Self) -> Option<Self>;
    /// The quotient, where there is no remainder whatever the sizes are.
    fn divided_by(self, by: Self) -> Option<Self>;
    /// See [`Extent::split`].
    fn split(self, by: Self) -> (Self, Self);
    /// The quotient by what is at least 1, rounded down.
    fn floor_div(self, by: Self) -> Self;
    /// Common divisor of both, which is not negative.
    fn common_factor(self, other: Self) -> Self;
    /// Tells whether it is known to be at least the other one, whatever the sizes are.
    fn is_at_least(self, other: Self) -> bool;

    /// The number with its sign turned; `None` where it leaves 64 bits.
    fn negated(self) -> Option<Self> {
        self.checked_mul(Self::from(-1))
    }

    /// The difference; `None` where a number leaves 64 bits.
    fn minus(self, other: Self) -> Option<Self> {
        self.checked_add(other.negated()?)
    }
}

impl Coefficient for i64 {
    const ZERO: Self = 0;
    const ONE: Self = 1;

    fn as_constant(self) -> Option<i64> {
        Some(self)
    }

    fn checked_add(self, other: Self) -> Option<Self> {
        self.checked_add(other)
    }

    fn checked_mul(self, other: Self) -> Option<Self> {
        self.checked_mul(other)
    }

    fn divided_by(self, by: Self) -> Option<Self> {
        (self.checked_rem(by)? == 0).then(|| self / by)
    }

    fn split(self, by: Self) -> (Self, Self) {
        (self.div_euclid(by), self.rem_euclid(by))
    }

    fn floor_div(self, by: Self) -> Self {
        self.div_euclid(by)
    }

    fn common_factor(self, other: Self) -> Self {
        gcd(self, other)
    }

    fn is_at_least(self, other: Self) -> bool {
        self >= other
    }
}

impl Coefficient for Extent {
    const ZERO: Self = Self::ZERO;
    const ONE: Self = Self::ONE;

    fn as_constant(self) -> Option<i64> {
        self.as_constant()
    }

    fn checked_add(self, other: Self) -> Option<Self> {
        self.checked_add(other)
    }

    fn checked_mul(self, other: Self) -> Option<Self> {
        self.checked_mul(other)
    }

    fn divided_by(self, by: Self) -> Option<Self> {
        self.divided_by(by)
    }

    fn split(self, by: Self) -> (Self, Self) {
        self.split(by)
    }

    fn floor_div(self, by: Self) -> Self {
        self.floor_div(by)
    }

    fn common_factor(self, other: Self) -> Self {
        self.common_factor(other)
    }

    fn is_at_least(self, other: Self) -> bool {
        self.is_at_least(other)
    }
}
