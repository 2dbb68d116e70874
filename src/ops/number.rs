//! Numbers that operations are stated over: sizes of shape functions ([`crate::shape_function`]),
//! indices of index rules ([`crate::index_rule`]).
//!
//! A statement computes with [`Number`]s, which are known or not, through a trait of its own that
//! has [`Compute`] for arithmetic. What an unknown number is, a [`NumberDomain`] says: [`Numbered`]
//! keeps its values behind the numbers that statements know them by.

/// A number: known, or the value with this number in the domain that a statement runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// The number itself.
    Known(i64),
    /// Value of this number in the domain, known when the statement runs.
    Value(usize),
}

impl Number {
    /// The number where it is known.
    pub fn known(self) -> Option<i64> {
        match self {
            Self::Known(n) => Some(n),
            Self::Value(_) => None,
        }
    }
}

/// Arithmetic on whole numbers.
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
    /// Remainder of [`Arithmetic::Div`].
    Rem,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
}

impl Arithmetic {
    /// Of two 64-bit numbers: rounded down and a remainder that is not negative. `None` beyond 64
    /// bits, and where the divisor is not positive.
    pub fn apply(self, a: i64, b: i64) -> Option<i64> {
        match self {
            Self::Add => a.checked_add(b),
            Self::Sub => a.checked_sub(b),
            Self::Mul => a.checked_mul(b),
            Self::Div | Self::Rem if b <= 0 => None,
            Self::Div => Some(a.div_euclid(b)),
            Self::Rem => Some(a.rem_euclid(b)),
            Self::Min => Some(a.min(b)),
            Self::Max => Some(a.max(b)),
        }
    }
}

/// Arithmetic that statements compute with; `E` is their error.
pub trait Compute<E> {
    /// Arithmetic on whole numbers.
    ///
    /// # Errors
    /// A number that the domain cannot hold.
    fn arithmetic(&mut self, what: Arithmetic, a: Number, b: Number) -> Result<Number, E>;

    /// Sum.
    ///
    /// # Errors
    /// See [`Compute::arithmetic`].
    fn add(&mut self, a: Number, b: Number) -> Result<Number, E> {
        self.arithmetic(Arithmetic::Add, a, b)
    }

    /// Difference.
    ///
    /// # Errors
    /// See [`Compute::arithmetic`].
    fn sub(&mut self, a: Number, b: Number) -> Result<Number, E> {
        self.arithmetic(Arithmetic::Sub, a, b)
    }

    /// Product.
    ///
    /// # Errors
    /// See [`Compute::arithmetic`].
    fn mul(&mut self, a: Number, b: Number) -> Result<Number, E> {
        self.arithmetic(Arithmetic::Mul, a, b)
    }

    /// Quotient, rounded down.
    ///
    /// # Errors
    /// See [`Compute::arithmetic`].
    fn div(&mut self, a: Number, b: Number) -> Result<Number, E> {
        self.arithmetic(Arithmetic::Div, a, b)
    }

    /// Remainder of the quotient.
    ///
    /// # Errors
    /// See [`Compute::arithmetic`].
    fn rem(&mut self, a: Number, b: Number) -> Result<Number, E> {
        self.arithmetic(Arithmetic::Rem, a, b)
    }

    /// The larger one.
    ///
    /// # Errors
    /// See [`Compute::arithmetic`].
    fn max(&mut self, a: Number, b: Number) -> Result<Number, E> {
        self.arithmetic(Arithmetic::Max, a, b)
    }

    /// Product of all.
    ///
    /// # Errors
    /// See [`Compute::arithmetic`].
    fn product(&mut self, all: &[Number]) -> Result<Number, E> {
        let mut total = Number::Known(1);
        for number in all {
            total = self.mul(total, *number)?;
        }
        Ok(total)
    }
}

/// An abstract domain of whole numbers.
pub trait NumberDomain {
    /// A number.
    type Value: Clone;
    /// Why one is not found.
    type Error;

    /// This number.
    fn constant(&mut self, n: i64) -> Self::Value;

    /// The number, where it is known.
    fn known(&self, value: &Self::Value) -> Option<i64>;

    /// Arithmetic on whole numbers.
    ///
    /// # Errors
    /// A number that the domain cannot hold.
    fn arithmetic(
        &mut self,
        what: Arithmetic,
        a: Self::Value,
        b: Self::Value,
    ) -> Result<Self::Value, Self::Error>;
}

/// Values of a domain behind the numbers that statements know them by.
pub(crate) struct Numbered<'a, D: NumberDomain> {
    pub(crate) domain: &'a mut D,
    values: Vec<D::Value>,
}

impl<'a, D: NumberDomain> Numbered<'a, D> {
    pub(crate) fn new(domain: &'a mut D) -> Self {
        Self {
            domain,
            values: Vec::new(),
        }
    }

    pub(crate) fn read(&mut self, number: Number) -> D::Value {
        match number {
            Number::Known(n) => self.domain.constant(n),
            Number::Value(at) => self.values[at].clone(),
        }
    }

    pub(crate) fn read_all(&mut self, numbers: &[Number]) -> Vec<D::Value> {
        numbers.iter().map(|number| self.read(*number)).collect()
    }

    pub(crate) fn number(&mut self, value: D::Value) -> Number {
        match self.domain.known(&value) {
            Some(n) => Number::Known(n),
            None => {
                self.values.push(value);
                Number::Value(self.values.len() - 1)
            }
        }
    }

    pub(crate) fn number_all(&mut self, values: Vec<D::Value>) -> Vec<Number> {
        values.into_iter().map(|value| self.number(value)).collect()
    }
}

impl<D: NumberDomain> Compute<D::Error> for Numbered<'_, D> {
    fn arithmetic(&mut self, what: Arithmetic, a: Number, b: Number) -> Result<Number, D::Error> {
        let (a, b) = (self.read(a), self.read(b));
        let found = self.domain.arithmetic(what, a, b)?;
        Ok(self.number(found))
    }
}
