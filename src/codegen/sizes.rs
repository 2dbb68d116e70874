//! Sizes as values of MLIR's type `index`: shape functions ([`mapwright_ops::shape_function`]) in
//! generated code.
//!
//! The caller answers two questions, "what are the sizes of this operand" and "what is this element
//! of this integer operand", so that the same rules serve kernels (which compute elements) and the
//! host function (which loads them).

pub(crate) mod launched;

use crate::{Unsupported, error::Result, index::Ix};
use mapwright_mlir::{Builder, ElementType, Op, Val};
use mapwright_ops::shape_function::{
    self, Arithmetic, Found, NumberDomain, Shapes, Size, SizeDomain, SizeError,
};

/// Question of a shape function.
pub enum SizeQuery<'c> {
    /// The sizes of a value.
    Sizes(Val<'c>),
    /// An element of an integer value, as an index (a list of one).
    Element(Val<'c>, Vec<Ix<'c>>),
    /// Not a question: these sizes must be equal, or the call fails. The answer is empty.
    Equal(Vec<Ix<'c>>, Vec<Ix<'c>>),
    /// Not a question either: the first must not exceed the second.
    AtMost(Ix<'c>, Ix<'c>),
}

/// Answers questions.
pub type SizeOracle<'a, 'c> = &'a mut dyn FnMut(&Builder<'c>, SizeQuery<'c>) -> Result<Vec<Ix<'c>>>;

/// An integer value as an `index`.
pub fn to_index<'c>(b: &Builder<'c>, value: Val<'c>, element: &ElementType) -> Val<'c> {
    let name = if element.is_unsigned() || *element == ElementType::Bool {
        "arith.index_castui"
    } else {
        "arith.index_cast"
    };
    b.cast(name, value, b.index())
}

/// Sizes of result `result` of `op`. Dimensions whose size the type tells may come out as values;
/// the caller knows better.
///
/// # Errors
/// An operation without a shape function, and what the caller does not answer.
pub fn of_result<'c>(
    b: &Builder<'c>,
    op: Op<'c>,
    result: usize,
    ask: SizeOracle<'_, 'c>,
) -> Result<Vec<Ix<'c>>> {
    evaluate(b, ask, |shapes| {
        shape_function::of_result(shapes, op, result)
    })
}

/// Asks for what the sizes of the operands of `op` must satisfy where they are known at run time
/// only ([`SizeQuery::Equal`], [`SizeQuery::AtMost`]).
///
/// # Errors
/// Attributes that cannot be read, and sizes that cannot be found.
pub fn require<'c>(b: &Builder<'c>, op: Op<'c>, ask: SizeOracle<'_, 'c>) -> Result<()> {
    evaluate(b, ask, |shapes| {
        shape_function::preconditions(shapes, op)?;
        Ok(Vec::new())
    })
    .map(|_| ())
}

/// Runs what gives sizes in generated code.
pub(crate) fn evaluate<'c>(
    b: &Builder<'c>,
    ask: SizeOracle<'_, 'c>,
    function: impl FnOnce(&mut dyn Shapes<'c>) -> Found<Vec<Size>>,
) -> Result<Vec<Ix<'c>>> {
    let mut values = Values { b, ask };
    shape_function::evaluate(&mut values, function).map_err(|error| Unsupported(error.to_string()))
}

/// The domain of values.
struct Values<'a, 'b, 'c> {
    b: &'b Builder<'c>,
    ask: SizeOracle<'a, 'c>,
}

impl<'c> Values<'_, '_, 'c> {
    fn ask(&mut self, question: SizeQuery<'c>) -> Found<Vec<Ix<'c>>> {
        (self.ask)(self.b, question).map_err(|Unsupported(reason)| SizeError::Unknown(reason))
    }
}

impl<'c> NumberDomain for Values<'_, '_, 'c> {
    type Value = Ix<'c>;
    type Error = SizeError;

    fn constant(&mut self, n: i64) -> Ix<'c> {
        Ix::Known(n)
    }

    fn known(&self, size: &Ix<'c>) -> Option<i64> {
        size.known()
    }

    fn arithmetic(&mut self, what: Arithmetic, x: Ix<'c>, y: Ix<'c>) -> Found<Ix<'c>> {
        Ok(x.computed(self.b, what, y))
    }
}

impl<'c> SizeDomain<'c> for Values<'_, '_, 'c> {
    fn sizes(&mut self, value: Val<'c>) -> Found<Vec<Ix<'c>>> {
        self.ask(SizeQuery::Sizes(value))
    }

    fn element(&mut self, value: Val<'c>, index: &[i64]) -> Found<Ix<'c>> {
        let index = index.iter().map(|i| Ix::Known(*i)).collect();
        let found = self.ask(SizeQuery::Element(value, index))?;
        let none = || SizeError::Unknown("a number that is not known".into());
        found.first().copied().ok_or_else(none)
    }

    /// Whether they are equal is required elsewhere.
    fn merge(&mut self, x: Ix<'c>, _: Ix<'c>) -> Ix<'c> {
        x
    }

    fn not_negative(&mut self, n: Ix<'c>) -> Found<Ix<'c>> {
        self.ask(SizeQuery::AtMost(Ix::Known(0), n))?;
        Ok(n.max(self.b, Ix::Known(0)))
    }

    fn below(&mut self, size: Ix<'c>, limit: i64) -> Ix<'c> {
        size.min(self.b, Ix::Known(limit))
    }

    fn require_equal(&mut self, x: Vec<Ix<'c>>, y: Vec<Ix<'c>>) -> Found<()> {
        self.ask(SizeQuery::Equal(x, y)).map(|_| ())
    }

    fn require_at_most(&mut self, x: Ix<'c>, y: Ix<'c>) -> Found<()> {
        self.ask(SizeQuery::AtMost(x, y)).map(|_| ())
    }
}
