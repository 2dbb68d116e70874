//! Shape functions: how the sizes of an operation's results follow from its operands, each stated
//! once, over any domain of sizes.
//!
//! A shape function asks for sizes of operands and for elements of integer operands, and computes
//! with what it gets ([`Shapes`]). What a size is, a [`SizeDomain`] says: what types tell of it
//! ([`types`], for inference), a sum of symbols (the names that fusion gives to equal sizes), a
//! value of MLIR's type `index` (generated code). Rows of the registry name the functions
//! ([`crate::definition::OpDef`]); each family has its own in its `sizes.rs`.
//!
//! The preconditions of an operation are beside its shape function: which sizes have to be equal,
//! and which must not exceed others.

mod domain;
pub mod elements;
mod quotient;
mod registered;
pub mod types;

pub use crate::number::{Arithmetic, NumberDomain};
pub use domain::{SizeDomain, evaluate};
pub use registered::{has_preconditions, of_result, preconditions};

use crate::attrs::{self, AttrError};
use crate::number::{Compute, Number};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Op, TensorType, Val};
use std::ops::{Deref, DerefMut};

/// A size, or a number that sizes are computed from.
pub type Size = Number;

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
        /// Phrase that says what is wrong with the size.
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

/// Result of shape functions.
pub type Found<T> = Result<T, SizeError>;

/// Pairs of sizes that must be equal.
pub type Pairs = Vec<(Size, Size)>;

/// Sizes of a result of an operation. Where the type of the result says a size, that one counts.
pub type ShapeFunction = fn(&mut ShapeQuery<'_, '_>) -> Found<Vec<Size>>;

/// Requires what does not follow from types ([`Shapes::require_at_most`]), and gives pairs of sizes
/// that must be equal.
pub type Preconditions = fn(&mut ShapeQuery<'_, '_>) -> Found<Pairs>;

/// Domain of sizes that a shape function computes with.
pub trait Shapes<'c>: Compute<SizeError> {
    /// The sizes of a ranked tensor.
    fn sizes(&mut self, value: Val<'c>) -> Found<Vec<Size>>;

    /// An element of an integer tensor.
    fn element(&mut self, value: Val<'c>, index: &[i64]) -> Found<Size>;

    /// One of two sizes that are equal: what is known of either.
    fn merge(&mut self, a: Size, b: Size) -> Size;

    /// A number as the size that it is in every valid program. A negative one is an error: of the
    /// program where it is known, and where code computes it, of the call.
    fn not_negative(&mut self, n: Size) -> Found<Size>;

    /// As much of `size` as is below `limit`. A type says the limit: what a run-time size has less,
    /// the type does not tell.
    fn below(&mut self, size: Size, limit: i64) -> Size;

    /// The size `n` in a dimension that had the size `old`, whose memory stays.
    fn resized(&mut self, old: Size, n: Size) -> Size;

    /// These must be equal, pair by pair.
    fn require_equal(&mut self, a: &[Size], b: &[Size]) -> Found<()>;

    /// `a` must not exceed `b`.
    fn require_at_most(&mut self, a: Size, b: Size) -> Found<()>;
}

/// An operation whose sizes are asked for, and what they are computed with.
pub struct ShapeQuery<'a, 'c> {
    shapes: &'a mut (dyn Shapes<'c> + 'a),
    /// The operation.
    pub op: Op<'c>,
    /// The number of its result.
    pub result: usize,
}

impl<'a, 'c> Deref for ShapeQuery<'a, 'c> {
    type Target = dyn Shapes<'c> + 'a;

    fn deref(&self) -> &Self::Target {
        self.shapes
    }
}

impl DerefMut for ShapeQuery<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.shapes
    }
}

impl<'a, 'c> ShapeQuery<'a, 'c> {
    /// Asks for the sizes of result `result` of `op`.
    pub fn new(shapes: &'a mut (dyn Shapes<'c> + 'a), op: Op<'c>, result: usize) -> Self {
        Self { shapes, op, result }
    }

    fn value(&self, i: usize) -> Found<Val<'c>> {
        let missing = || SizeError::Unknown(format!("operand {i} is missing"));
        self.op.operands().get(i).copied().ok_or_else(missing)
    }

    /// The sizes of operand `i`.
    pub fn operand(&mut self, i: usize) -> Found<Vec<Size>> {
        let value = self.value(i)?;
        self.sizes(value)
    }

    /// An element of operand `i`.
    pub fn element_of(&mut self, i: usize, index: &[i64]) -> Found<Size> {
        let value = self.value(i)?;
        self.element(value, index)
    }

    /// The first `count` elements of operand `i`, a vector.
    pub fn elements(&mut self, i: usize, count: usize) -> Found<Vec<Size>> {
        (0..count as i64)
            .map(|d| self.element_of(i, &[d]))
            .collect()
    }

    /// The sizes that all these operands have, which are not compared.
    pub fn common(&mut self, operands: &[usize]) -> Found<Vec<Size>> {
        let Some((first, rest)) = operands.split_first() else {
            return Err(SizeError::Unknown("there is no operand".into()));
        };
        let mut sizes = self.operand(*first)?;
        for i in rest {
            let others = self.operand(*i)?;
            for (size, other) in sizes.iter_mut().zip(others) {
                *size = self.merge(*size, other);
            }
        }
        Ok(sizes)
    }

    /// The rank of the result.
    pub fn rank(&self) -> Found<usize> {
        let value = self.op.results().get(self.result).copied();
        match value.and_then(tensor) {
            Some(ty) => Ok(ty.rank()),
            None => Err(SizeError::Unknown(format!(
                "result {} of '{}' is not a ranked tensor",
                self.result,
                self.op.name()
            ))),
        }
    }

    /// Why the sizes of an operation do not follow.
    pub fn unknown(&self) -> SizeError {
        SizeError::Unknown(format!("the run-time shape of '{}'", self.op.name()))
    }

    /// The operands that have the rank of the result.
    pub(crate) fn full_operands(&self) -> Found<Vec<usize>> {
        let rank = self.rank()?;
        let operands = self.op.operands().into_iter().enumerate();
        Ok(operands
            .filter(|(_, value)| tensor(*value).is_some_and(|ty| ty.rank() == rank))
            .map(|(i, _)| i)
            .collect())
    }
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

/// The sizes of operand `K`.
pub(crate) fn like<const K: usize>(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    query.operand(K)
}

/// The sizes of the operand with the number of the result.
pub(crate) fn like_same(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    query.operand(query.result)
}

/// The sizes of the first operand that has the rank of the result.
pub(crate) fn like_first(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    match query.full_operands()?.first() {
        Some(first) => query.operand(*first),
        None => Err(query.unknown()),
    }
}

/// The elements of operand `K`.
pub(crate) fn elements_of<const K: usize>(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    query.elements(K, query.rank()?)
}

/// The first `count` operands have the same sizes.
pub(crate) fn same_sizes(query: &mut ShapeQuery<'_, '_>, count: usize) -> Found<Pairs> {
    let first = query.operand(0)?;
    let mut pairs = Vec::new();
    for i in 1..count {
        let others = query.operand(i)?;
        pairs.extend(first.iter().copied().zip(others));
    }
    Ok(pairs)
}

/// A dimension that an attribute names, of a tensor with these sizes.
pub(crate) fn axis(op: Op<'_>, name: &str, sizes: &[Size]) -> Found<usize> {
    Ok(attrs::axis(name, attrs::int(op, name)?, sizes.len())?)
}
