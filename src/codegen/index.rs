//! Index arithmetic with constants folded: an index is a known number or an SSA value of type
//! `index`.

use mapwright_mlir::{Builder, CmpI, Val, op};
use mapwright_ops::number::{Arithmetic, NumberDomain};
use mapwright_ops::shape::reshape;
use std::convert::Infallible;

/// `a / b` rounded up; `b` is positive.
pub(crate) fn ceil(a: i64, b: i64) -> i64 {
    -((-a).div_euclid(b))
}

/// An index or a size.
#[derive(Clone, Copy, Debug)]
pub enum Ix<'c> {
    /// Known at compile time.
    Known(i64),
    /// Of type `index`.
    Value(Val<'c>),
}

impl<'c> Ix<'c> {
    /// As an SSA value.
    pub fn value(self, b: &Builder<'c>) -> Val<'c> {
        match self {
            Self::Known(n) => b.cidx(n),
            Self::Value(v) => v,
        }
    }

    /// The number, if known.
    pub fn known(self) -> Option<i64> {
        match self {
            Self::Known(n) => Some(n),
            Self::Value(_) => None,
        }
    }

    /// Identity, for use as a key: equal keys mean equal numbers.
    pub fn key(self) -> (bool, i64) {
        match self {
            Self::Known(n) => (false, n),
            Self::Value(v) => (true, op::key(v) as i64),
        }
    }

    fn both(self, other: Self) -> Option<(i64, i64)> {
        Some((self.known()?, other.known()?))
    }

    /// Sum.
    pub fn add(self, b: &Builder<'c>, other: Self) -> Self {
        match (self, other) {
            (Self::Known(x), Self::Known(y)) => Self::Known(x.wrapping_add(y)),
            (x, Self::Known(0)) | (Self::Known(0), x) => x,
            (x, y) => Self::Value(b.addi(x.value(b), y.value(b))),
        }
    }

    /// Difference.
    pub fn sub(self, b: &Builder<'c>, other: Self) -> Self {
        match (self, other) {
            (Self::Known(x), Self::Known(y)) => Self::Known(x.wrapping_sub(y)),
            (x, Self::Known(0)) => x,
            (x, y) => Self::Value(b.subi(x.value(b), y.value(b))),
        }
    }

    /// Product.
    pub fn mul(self, b: &Builder<'c>, other: Self) -> Self {
        match (self, other) {
            (Self::Known(x), Self::Known(y)) => Self::Known(x.wrapping_mul(y)),
            (_, Self::Known(0)) | (Self::Known(0), _) => Self::Known(0),
            (x, Self::Known(1)) | (Self::Known(1), x) => x,
            (x, y) => Self::Value(b.muli(x.value(b), y.value(b))),
        }
    }

    /// Quotient of numbers that are not negative; the divisor is positive.
    pub fn div(self, b: &Builder<'c>, other: Self) -> Self {
        match (self, other) {
            (Self::Known(x), Self::Known(y)) if y != 0 => Self::Known(x.div_euclid(y)),
            (x, Self::Known(1)) => x,
            (x, y) => Self::Value(b.divui(x.value(b), y.value(b))),
        }
    }

    /// Remainder of numbers that are not negative; the divisor is positive.
    pub fn rem(self, b: &Builder<'c>, other: Self) -> Self {
        match (self, other) {
            (Self::Known(x), Self::Known(y)) if y != 0 => Self::Known(x.rem_euclid(y)),
            (_, Self::Known(1)) => Self::Known(0),
            (x, y) => Self::Value(b.remui(x.value(b), y.value(b))),
        }
    }

    /// The smaller one (signed).
    pub fn min(self, b: &Builder<'c>, other: Self) -> Self {
        match self.both(other) {
            Some((x, y)) => Self::Known(x.min(y)),
            None => Self::Value(b.minsi(self.value(b), other.value(b))),
        }
    }

    /// The larger one (signed).
    pub fn max(self, b: &Builder<'c>, other: Self) -> Self {
        match self.both(other) {
            Some((x, y)) => Self::Known(x.max(y)),
            None => Self::Value(b.maxsi(self.value(b), other.value(b))),
        }
    }

    /// Result of an operation of statements about numbers.
    pub fn computed(self, b: &Builder<'c>, what: Arithmetic, other: Self) -> Self {
        match what {
            Arithmetic::Add => self.add(b, other),
            Arithmetic::Sub => self.sub(b, other),
            Arithmetic::Mul => self.mul(b, other),
            Arithmetic::Div => self.div(b, other),
            Arithmetic::Rem => self.rem(b, other),
            Arithmetic::Min => self.min(b, other),
            Arithmetic::Max => self.max(b, other),
        }
    }

    /// Comparison, as a known answer or an `i1`.
    pub fn compare(self, b: &Builder<'c>, predicate: CmpI, other: Self) -> Truth<'c> {
        if let Some((x, y)) = self.both(other) {
            let known = match predicate {
                CmpI::Eq => Some(x == y),
                CmpI::Ne => Some(x != y),
                CmpI::Slt => Some(x < y),
                CmpI::Sle => Some(x <= y),
                CmpI::Sgt => Some(x > y),
                CmpI::Sge => Some(x >= y),
                _ => None,
            };
            if let Some(known) = known {
                return Truth::Known(known);
            }
        }
        Truth::Value(b.cmpi(predicate, self.value(b), other.value(b)))
    }
}

/// A condition, known or an `i1`.
#[derive(Clone, Copy, Debug)]
pub enum Truth<'c> {
    /// Known at compile time.
    Known(bool),
    /// An `i1`.
    Value(Val<'c>),
}

impl<'c> Truth<'c> {
    /// Both.
    pub fn and(self, b: &Builder<'c>, other: Self) -> Self {
        match (self, other) {
            (Self::Known(false), _) | (_, Self::Known(false)) => Self::Known(false),
            (Self::Known(true), x) | (x, Self::Known(true)) => x,
            (Self::Value(x), Self::Value(y)) => Self::Value(b.andi(x, y)),
        }
    }
}

/// Product of sizes.
pub fn product<'c>(b: &Builder<'c>, sizes: &[Ix<'c>]) -> Ix<'c> {
    sizes
        .iter()
        .fold(Ix::Known(1), |total, size| total.mul(b, *size))
}

/// Position of `index` in a dense row-major tensor of `sizes`.
pub fn linear<'c>(b: &Builder<'c>, index: &[Ix<'c>], sizes: &[Ix<'c>]) -> Ix<'c> {
    index
        .iter()
        .zip(sizes)
        .fold(Ix::Known(0), |at, (i, size)| at.mul(b, *size).add(b, *i))
}

/// The inverse of [`linear`].
pub fn delinear<'c>(b: &Builder<'c>, at: Ix<'c>, sizes: &[Ix<'c>]) -> Vec<Ix<'c>> {
    let Ok(index) = reshape::index_at(&mut Indices(b), at, sizes);
    index
}

/// The domain of indices.
struct Indices<'a, 'c>(&'a Builder<'c>);

impl<'c> NumberDomain for Indices<'_, 'c> {
    type Value = Ix<'c>;
    type Error = Infallible;

    fn constant(&mut self, n: i64) -> Ix<'c> {
        Ix::Known(n)
    }

    fn known(&self, index: &Ix<'c>) -> Option<i64> {
        index.known()
    }

    fn arithmetic(&mut self, what: Arithmetic, x: Ix<'c>, y: Ix<'c>) -> Result<Ix<'c>, Infallible> {
        Ok(x.computed(self.0, what, y))
    }
}
