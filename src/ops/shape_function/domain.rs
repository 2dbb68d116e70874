//! What a size may be, and shape functions run with it.

use super::{Found, Shapes, Size, SizeError};
use crate::number::{NumberDomain, Numbered};
use mapwright_mlir::Val;

/// An abstract domain of sizes. Methods are those of [`Shapes`], on sizes of the domain.
pub trait SizeDomain<'c>: NumberDomain<Error = SizeError> {
    /// See [`Shapes::sizes`].
    ///
    /// # Errors
    /// A value whose sizes are not known.
    fn sizes(&mut self, value: Val<'c>) -> Found<Vec<Self::Value>>;

    /// See [`Shapes::element`].
    ///
    /// # Errors
    /// A value of which no element is known here.
    fn element(&mut self, value: Val<'c>, index: &[i64]) -> Found<Self::Value>;

    /// See [`Shapes::merge`].
    fn merge(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;

    /// See [`Shapes::not_negative`].
    ///
    /// # Errors
    /// A number that is known to be negative.
    fn not_negative(&mut self, n: Self::Value) -> Found<Self::Value>;

    /// See [`Shapes::below`].
    fn below(&mut self, size: Self::Value, limit: i64) -> Self::Value;

    /// See [`Shapes::resized`].
    fn resized(&mut self, _old: Self::Value, n: Self::Value) -> Self::Value {
        n
    }

    /// See [`Shapes::require_equal`].
    ///
    /// # Errors
    /// Sizes that cannot be compared.
    fn require_equal(&mut self, a: Vec<Self::Value>, b: Vec<Self::Value>) -> Found<()>;

    /// See [`Shapes::require_at_most`].
    ///
    /// # Errors
    /// Sizes that cannot be compared.
    fn require_at_most(&mut self, a: Self::Value, b: Self::Value) -> Found<()>;
}

impl<'c, D: SizeDomain<'c>> Shapes<'c> for Numbered<'_, D> {
    fn sizes(&mut self, value: Val<'c>) -> Found<Vec<Size>> {
        let sizes = self.domain.sizes(value)?;
        Ok(self.number_all(sizes))
    }

    fn element(&mut self, value: Val<'c>, index: &[i64]) -> Found<Size> {
        let element = self.domain.element(value, index)?;
        Ok(self.number(element))
    }

    fn merge(&mut self, a: Size, b: Size) -> Size {
        let (a, b) = (self.read(a), self.read(b));
        let found = self.domain.merge(a, b);
        self.number(found)
    }

    fn not_negative(&mut self, n: Size) -> Found<Size> {
        let n = self.read(n);
        let found = self.domain.not_negative(n)?;
        Ok(self.number(found))
    }

    fn below(&mut self, size: Size, limit: i64) -> Size {
        let size = self.read(size);
        let found = self.domain.below(size, limit);
        self.number(found)
    }

    fn resized(&mut self, old: Size, n: Size) -> Size {
        let (old, n) = (self.read(old), self.read(n));
        let found = self.domain.resized(old, n);
        self.number(found)
    }

    fn require_equal(&mut self, a: &[Size], b: &[Size]) -> Found<()> {
        let (a, b) = (self.read_all(a), self.read_all(b));
        self.domain.require_equal(a, b)
    }

    fn require_at_most(&mut self, a: Size, b: Size) -> Found<()> {
        let (a, b) = (self.read(a), self.read(b));
        self.domain.require_at_most(a, b)
    }
}

/// Runs a shape function, or what else gives sizes, in a domain.
///
/// # Errors
/// Those of the function.
pub fn evaluate<'c, D: SizeDomain<'c>>(
    domain: &mut D,
    function: impl FnOnce(&mut dyn Shapes<'c>) -> Found<Vec<Size>>,
) -> Found<Vec<D::Value>> {
    let mut numbered = Numbered::new(domain);
    let sizes = function(&mut numbered)?;
    Ok(numbered.read_all(&sizes))
}
