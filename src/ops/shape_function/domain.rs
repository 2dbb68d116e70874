//! What a size may be, and shape functions run with it.

use super::{Found, Shapes, Size};
use mapwright_mlir::Val;

/// Arithmetic of shape functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient, rounded down; the divisor is positive, and what it divides is not negative.
    Div,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
}

/// An abstract domain of sizes. Methods are those of [`Shapes`], on sizes of the domain.
pub trait SizeDomain<'c> {
    /// A size.
    type Size: Clone;

    /// A number.
    fn constant(&mut self, n: i64) -> Self::Size;

    /// The number, where it is known.
    fn known(&self, size: &Self::Size) -> Option<i64>;

    /// See [`Shapes::sizes`].
    ///
    /// # Errors
    /// A value whose sizes are not known.
    fn sizes(&mut self, value: Val<'c>) -> Found<Vec<Self::Size>>;

    /// See [`Shapes::element`].
    ///
    /// # Errors
    /// A value of which no element is known here.
    fn element(&mut self, value: Val<'c>, index: &[i64]) -> Found<Self::Size>;

    /// See [`Shapes::arithmetic`].
    ///
    /// # Errors
    /// A number beyond 64 bits.
    fn arithmetic(&mut self, what: Arithmetic, a: Self::Size, b: Self::Size) -> Found<Self::Size>;

    /// See [`Shapes::merge`].
    fn merge(&mut self, a: Self::Size, b: Self::Size) -> Self::Size;

    /// See [`Shapes::not_negative`].
    ///
    /// # Errors
    /// A number that is known to be negative.
    fn not_negative(&mut self, n: Self::Size) -> Found<Self::Size>;

    /// See [`Shapes::below`].
    fn below(&mut self, size: Self::Size, limit: i64) -> Self::Size;

    /// See [`Shapes::resized`].
    fn resized(&mut self, _old: Self::Size, n: Self::Size) -> Self::Size {
        n
    }

    /// See [`Shapes::require_equal`].
    ///
    /// # Errors
    /// Sizes that cannot be compared.
    fn require_equal(&mut self, a: Vec<Self::Size>, b: Vec<Self::Size>) -> Found<()>;

    /// See [`Shapes::require_at_most`].
    ///
    /// # Errors
    /// Sizes that cannot be compared.
    fn require_at_most(&mut self, a: Self::Size, b: Self::Size) -> Found<()>;
}

/// Sizes of a domain behind the numbers that shape functions know them by.
struct Evaluation<'a, 'c, D: SizeDomain<'c>> {
    domain: &'a mut D,
    values: Vec<D::Size>,
}

impl<'c, D: SizeDomain<'c>> Evaluation<'_, 'c, D> {
    fn read(&mut self, size: Size) -> D::Size {
        match size {
            Size::Known(n) => self.domain.constant(n),
            Size::Value(at) => self.values[at].clone(),
        }
    }

    fn number(&mut self, size: D::Size) -> Size {
        match self.domain.known(&size) {
            Some(n) => Size::Known(n),
            None => {
                self.values.push(size);
                Size::Value(self.values.len() - 1)
            }
        }
    }

    fn read_all(&mut self, sizes: &[Size]) -> Vec<D::Size> {
        sizes.iter().map(|size| self.read(*size)).collect()
    }
}

impl<'c, D: SizeDomain<'c>> Shapes<'c> for Evaluation<'_, 'c, D> {
    fn sizes(&mut self, value: Val<'c>) -> Found<Vec<Size>> {
        let sizes = self.domain.sizes(value)?;
        Ok(sizes.into_iter().map(|size| self.number(size)).collect())
    }

    fn element(&mut self, value: Val<'c>, index: &[i64]) -> Found<Size> {
        let element = self.domain.element(value, index)?;
        Ok(self.number(element))
    }

    fn arithmetic(&mut self, what: Arithmetic, a: Size, b: Size) -> Found<Size> {
        let (a, b) = (self.read(a), self.read(b));
        let found = self.domain.arithmetic(what, a, b)?;
        Ok(self.number(found))
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
) -> Found<Vec<D::Size>> {
    let mut evaluation = Evaluation {
        domain,
        values: Vec::new(),
    };
    let sizes = function(&mut evaluation)?;
    Ok(evaluation.read_all(&sizes))
}
