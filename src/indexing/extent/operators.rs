//! Arithmetic on extents by the operators, and extents from numbers.

use super::{Extent, Factor, Polynomial};
use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

impl From<Factor> for Extent {
    fn from(factor: Factor) -> Self {
        Self::factor(factor)
    }
}

impl From<i64> for Extent {
    fn from(value: i64) -> Self {
        Self::from_polynomial(Polynomial {
            terms: Vec::new(),
            constant: value,
        })
    }
}

/// Returns the number that stands for one beyond 64 bits: the one at that end, which is no size of
/// a tensor.
fn end(is_negative: bool) -> Extent {
    Extent::from(if is_negative { i64::MIN } else { i64::MAX })
}

impl<T: Into<Self>> Add<T> for Extent {
    type Output = Self;

    fn add(self, other: T) -> Self {
        (self.checked_add(other.into())).unwrap_or_else(|| end(self < 0))
    }
}

impl<T: Into<Self>> Sub<T> for Extent {
    type Output = Self;

    fn sub(self, other: T) -> Self {
        self + -other.into()
    }
}

impl<T: Into<Self>> Mul<T> for Extent {
    type Output = Self;

    fn mul(self, other: T) -> Self {
        let other = other.into();
        (self.checked_mul(other)).unwrap_or_else(|| end((self < 0) != (other < 0)))
    }
}

impl Neg for Extent {
    type Output = Self;

    fn neg(self) -> Self {
        self * -1
    }
}

impl<T: Into<Self>> AddAssign<T> for Extent {
    fn add_assign(&mut self, other: T) {
        *self = *self + other;
    }
}

impl<T: Into<Self>> SubAssign<T> for Extent {
    fn sub_assign(&mut self, other: T) {
        *self = *self - other;
    }
}

impl<T: Into<Self>> MulAssign<T> for Extent {
    fn mul_assign(&mut self, other: T) {
        *self = *self * other;
    }
}

impl Sum for Extent {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Add::add)
    }
}

impl Product for Extent {
    fn product<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ONE, Mul::mul)
    }
}

impl<'a> Product<&'a Self> for Extent {
    fn product<I: Iterator<Item = &'a Self>>(all: I) -> Self {
        all.copied().product()
    }
}

impl Default for Extent {
    fn default() -> Self {
        Self::ZERO
    }
}
