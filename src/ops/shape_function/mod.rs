//! Shape functions: how the sizes of an operation's results follow from its operands, each stated once, over any domain of sizes.
//!
//! A shape function asks for sizes of operands and for elements of integer operands, and computes with what it gets ([`Shapes`]). What a size is, a
//! [`SizeDomain`] says: what types tell of it ([`types`], for inference), a sum of symbols (the names that fusion gives to equal sizes), a value of
//! MLIR's type `index` (generated code). Rows of the registry name the functions ([`crate::registry::OpDef`]); each family has its own in its `sizes.rs`.
//!
//! The preconditions of an operation are beside its shape function: which sizes have to be equal, and which must not exceed others.

mod domain;
pub mod elements;
mod registered;
pub mod types;

pub use domain::{Arithmetic, SizeDomain, evaluate};
pub use registered::{has_preconditions, of_result, preconditions};

use crate::attrs::{self, AttrError};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Op, TensorType, Val};

/// A size, or a number that sizes are computed from: known, or the value of this number in the domain that the function runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// The number itself.
    Known(i64),
    /// What the domain knows of it.
    Value(usize),
}

impl Size {
    /// The number where it is known.
    pub fn known(self) -> Option<i64> {
        match self {
            Self::Known(n) => Some(n),
            Self::Value(_) => None,
        }
    }
}

/// Why sizes do not follow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// A sentence.
    #[error("{0}")]
    Unknown(String),
    /// A number that is no size.
    #[error("{}", number_text(*dimension, problem))]
    Number {
        /// The dimension of the result.
        dimension: Option<usize>,
        /// What is wrong with its size, as a phrase.
        problem: String,
    },
}

fn number_text(dimension: Option<usize>, problem: &str) -> String {
    match dimension {
        Some(d) => format!("dimension {d} of the result {problem}"),
        None => format!("a size {problem}"),
    }
}

impl SizeError {
    /// A number with this problem.
    pub fn number(problem: impl Into<String>) -> Self {
        Self::Number {
            dimension: None,
            problem: problem.into(),
        }
    }

    fn at(self, d: usize) -> Self {
        match self {
            Self::Number {
                dimension: None,
                problem,
            } => Self::Number {
                dimension: Some(d),
                problem,
            },
            other => other,
        }
    }
}

impl From<AttrError> for SizeError {
    fn from(error: AttrError) -> Self {
        Self::Unknown(error.to_string())
    }
}

/// What shape functions give.
pub type Found<T> = Result<T, SizeError>;

/// Sizes of result `result` of an operation. Where the type of the result says a size, that one counts.
pub type ShapeFunction = for<'c> fn(&mut dyn Shapes<'c>, Op<'c>, usize) -> Found<Vec<Size>>;

/// Requires what does not follow from types ([`Shapes::require_at_most`]), and gives pairs of sizes that must be equal.
pub type Preconditions = for<'c> fn(&mut dyn Shapes<'c>, Op<'c>) -> Found<Vec<(Size, Size)>>;

/// What a shape function computes with.
pub trait Shapes<'c> {
    /// The sizes of a ranked tensor.
    fn sizes(&mut self, value: Val<'c>) -> Found<Vec<Size>>;

    /// An element of an integer tensor.
    fn element(&mut self, value: Val<'c>, index: &[i64]) -> Found<Size>;

    /// Arithmetic on whole numbers; divisors are positive, and what they divide is not negative.
    fn arithmetic(&mut self, what: Arithmetic, a: Size, b: Size) -> Found<Size>;

    /// One of two sizes that are equal: what is known of either.
    fn merge(&mut self, a: Size, b: Size) -> Size;

    /// A number as the size that it is in every valid program. A negative one is an error: of the program where it is known, and
    /// where code computes it, of the call.
    fn not_negative(&mut self, n: Size) -> Found<Size>;

    /// As much of `size` as is below `limit`. A type says the limit: what a run-time size has less, the type does not tell.
    fn below(&mut self, size: Size, limit: i64) -> Size;

    /// The size `n` in a dimension that had the size `old`, whose memory stays.
    fn resized(&mut self, old: Size, n: Size) -> Size;

    /// These must be equal, pair by pair.
    fn require_equal(&mut self, a: &[Size], b: &[Size]) -> Found<()>;

    /// `a` must not exceed `b`.
    fn require_at_most(&mut self, a: Size, b: Size) -> Found<()>;
}

/// Shorthands.
impl<'c> dyn Shapes<'c> + '_ {
    /// Sum.
    pub fn add(&mut self, a: Size, b: Size) -> Found<Size> {
        self.arithmetic(Arithmetic::Add, a, b)
    }

    /// Difference.
    pub fn sub(&mut self, a: Size, b: Size) -> Found<Size> {
        self.arithmetic(Arithmetic::Sub, a, b)
    }

    /// Product.
    pub fn mul(&mut self, a: Size, b: Size) -> Found<Size> {
        self.arithmetic(Arithmetic::Mul, a, b)
    }

    /// Quotient, rounded down.
    pub fn div(&mut self, a: Size, b: Size) -> Found<Size> {
        self.arithmetic(Arithmetic::Div, a, b)
    }

    /// The larger one.
    pub fn max(&mut self, a: Size, b: Size) -> Found<Size> {
        self.arithmetic(Arithmetic::Max, a, b)
    }

    /// Product of all.
    pub fn product(&mut self, sizes: &[Size]) -> Found<Size> {
        let mut total = Size::Known(1);
        for size in sizes {
            total = self.mul(total, *size)?;
        }
        Ok(total)
    }

    /// The sizes of operand `i`.
    pub fn operand(&mut self, op: Op<'c>, i: usize) -> Found<Vec<Size>> {
        match op.operands().get(i) {
            Some(value) => self.sizes(*value),
            None => Err(missing(i)),
        }
    }

    /// An element of operand `i`.
    pub fn element_of(&mut self, op: Op<'c>, i: usize, index: &[i64]) -> Found<Size> {
        match op.operands().get(i) {
            Some(value) => self.element(*value, index),
            None => Err(missing(i)),
        }
    }

    /// The first `count` elements of operand `i`, a vector.
    pub fn elements(&mut self, op: Op<'c>, i: usize, count: usize) -> Found<Vec<Size>> {
        (0..count as i64)
            .map(|d| self.element_of(op, i, &[d]))
            .collect()
    }

    /// The sizes that all these operands have, which are not compared.
    pub fn common(&mut self, op: Op<'c>, operands: &[usize]) -> Found<Vec<Size>> {
        let Some((first, rest)) = operands.split_first() else {
            return Err(SizeError::Unknown("there is no operand".into()));
        };
        let mut sizes = self.operand(op, *first)?;
        for i in rest {
            let others = self.operand(op, *i)?;
            for (size, other) in sizes.iter_mut().zip(others) {
                *size = self.merge(*size, other);
            }
        }
        Ok(sizes)
    }
}

fn missing(i: usize) -> SizeError {
    SizeError::Unknown(format!("operand {i} is missing"))
}

/// A size for each of `count` dimensions; errors say in which.
pub fn each(count: usize, mut size: impl FnMut(usize) -> Found<Size>) -> Found<Vec<Size>> {
    (0..count)
        .map(|d| size(d).map_err(|error| error.at(d)))
        .collect()
}

/// The ranked tensor type of a value.
pub fn tensor(value: Val<'_>) -> Option<TensorType> {
    TensorType::from_mlir(value.r#type())
}

/// The rank of result `result`.
pub(crate) fn result_rank(op: Op<'_>, result: usize) -> Found<usize> {
    let ty = op.results().get(result).and_then(|value| tensor(*value));
    match ty {
        Some(ty) => Ok(ty.rank()),
        None => Err(SizeError::Unknown(format!(
            "result {result} of '{}' is not a ranked tensor",
            op.name()
        ))),
    }
}

/// The sizes of the operand with the number of the result.
pub(crate) fn like_same<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
    result: usize,
) -> Found<Vec<Size>> {
    shapes.operand(op, result)
}

/// The sizes of the second operand.
pub(crate) fn like_second<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
    _: usize,
) -> Found<Vec<Size>> {
    shapes.operand(op, 1)
}

/// The operands that have the rank of the result.
pub(crate) fn full_operands(op: Op<'_>, result: usize) -> Found<Vec<usize>> {
    let rank = result_rank(op, result)?;
    let operands = op.operands().into_iter().enumerate();
    Ok(operands
        .filter(|(_, value)| tensor(*value).is_some_and(|ty| ty.rank() == rank))
        .map(|(i, _)| i)
        .collect())
}

/// The sizes of the first operand that has the rank of the result.
pub(crate) fn like_first<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
    result: usize,
) -> Found<Vec<Size>> {
    match full_operands(op, result)?.first() {
        Some(first) => shapes.operand(op, *first),
        None => Err(SizeError::Unknown(format!(
            "the run-time shape of '{}'",
            op.name()
        ))),
    }
}

/// The first `count` operands have the same sizes.
pub(crate) fn same_sizes<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
    count: usize,
) -> Found<Vec<(Size, Size)>> {
    let first = shapes.operand(op, 0)?;
    let mut pairs = Vec::new();
    for i in 1..count {
        let others = shapes.operand(op, i)?;
        pairs.extend(first.iter().copied().zip(others));
    }
    Ok(pairs)
}

/// A dimension that an attribute names, of a tensor with these sizes.
pub(crate) fn axis(op: Op<'_>, name: &str, sizes: &[Size]) -> Found<usize> {
    Ok(attrs::axis(name, attrs::int(op, name)?, sizes.len())?)
}
