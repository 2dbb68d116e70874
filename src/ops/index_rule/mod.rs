//! Index rules: which element of which operand an element of a result is, for operations that move
//! elements, each stated once, over any domain of indices.
//!
//! A rule is given the index of an element of a result, asks for sizes and for elements of integer
//! operands, and computes with what it gets ([`Indices`]). What an index is, an [`IndexDomain`]
//! says: an expression of a map's variables ([`maps`], [`inverses`]), or a value of MLIR's type
//! `index` (generated code). Rows of the registry name the rules ([`crate::definition::OpDef`]).
//!
//! A map may not exist where code does: products of two numbers that are known at run time only are
//! no affine expressions.

mod domain;
mod expressions;
mod symbolic;

pub use crate::number::{Arithmetic, NumberDomain};
pub use domain::{IndexDomain, evaluate};
pub(crate) use expressions::Expressions;
pub(crate) use symbolic::{input_to_output, inverses, maps, output_to_input};

use crate::number::{Compute, Number};
use mapwright_indexing::Interval;
use mapwright_mlir::Op;
use std::ops::{Deref, DerefMut};

/// An index, or a number that indices are computed from.
pub type Index = Number;

/// Result of rules; the error is a sentence.
pub type Found<T> = Result<T, String>;

/// The tensors that have sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tensor {
    /// The operand with this number.
    Operand(usize),
    /// The result that is asked about.
    Result,
}

/// An index along one dimension: `number / step`, where that is a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<I> {
    /// Dividend.
    pub number: I,
    /// Positive.
    pub step: I,
}

/// An element of an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read<I> {
    /// Number of the operand.
    pub operand: usize,
    /// A place in each dimension.
    pub at: Vec<Place<I>>,
}

/// Element of a result: of the `pieces` the one whose places are whole numbers within its operand,
/// at most one of them is; the element `elsewhere` where none is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reads<I = Index> {
    /// A single one always applies where there is nothing else.
    pub pieces: Vec<Read<I>>,
    /// Element that is read where no piece is.
    pub elsewhere: Option<Read<I>>,
}

impl Read<Index> {
    /// The element of `operand` at `at`.
    pub fn new(operand: usize, at: Vec<Index>) -> Self {
        let step = Index::Known(1);
        let at = at.into_iter().map(|number| Place { number, step });
        Self {
            operand,
            at: at.collect(),
        }
    }
}

impl Reads {
    /// Always the element of `operand` at `at`.
    pub fn one(operand: usize, at: Vec<Index>) -> Self {
        Self {
            pieces: vec![Read::new(operand, at)],
            elsewhere: None,
        }
    }
}

/// The rule of an operation: what the element of its result at this index is.
pub type IndexRule = fn(&mut IndexQuery<'_, '_>, &[Index]) -> Found<Reads>;

/// Domain of indices that an index rule computes with.
pub trait Indices: Compute<String> {
    /// The size of a tensor in dimension `k`.
    fn size(&mut self, of: Tensor, k: usize) -> Found<Index>;

    /// The element of an integer operand at `at`, which is in this interval in every valid program,
    /// or the result does not depend on by how much it is beyond.
    fn element(&mut self, operand: usize, at: &[Index], within: Interval) -> Found<Index>;

    /// The element of an integer operand at `at`, brought into `[0, last]`.
    fn clamped(&mut self, operand: usize, at: &[Index], last: Index) -> Found<Index>;

    /// `index`, or 0 where an operand has one element in a dimension. `dimensions`: that one, and
    /// the one of the result that `index` is of. `stated`: whether it has, where types do not say
    /// so but the operation does.
    fn stretched(
        &mut self,
        operand: usize,
        dimensions: (usize, usize),
        index: Index,
        stated: Option<bool>,
    ) -> Found<Index>;

    /// `index`, which is one of dimension `k` of operand `operand` in every valid program.
    fn within(&mut self, operand: usize, k: usize, index: Index) -> Found<Index>;
}

/// An operation whose reads are asked for, and what they are computed with.
pub struct IndexQuery<'a, 'c> {
    indices: &'a mut (dyn Indices + 'a),
    /// The operation.
    pub op: Op<'c>,
}

impl<'a> Deref for IndexQuery<'a, '_> {
    type Target = dyn Indices + 'a;

    fn deref(&self) -> &Self::Target {
        self.indices
    }
}

impl DerefMut for IndexQuery<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.indices
    }
}

impl<'a, 'c> IndexQuery<'a, 'c> {
    /// Asks for what an element of a result of `op` is.
    pub fn new(indices: &'a mut (dyn Indices + 'a), op: Op<'c>) -> Self {
        Self { indices, op }
    }

    /// The sizes of a tensor as its type says them: the bound of a bounded dimension,
    /// [`crate::query::UNBOUNDED`] for a dynamic one.
    pub fn bounds(&self, of: Tensor) -> Found<Vec<i64>> {
        let value = match of {
            Tensor::Operand(i) => self.op.operands().get(i).copied(),
            Tensor::Result => self.op.results().first().copied(),
        };
        match value.and_then(crate::shape_function::tensor) {
            Some(ty) => Ok(crate::query::sizes(&ty)),
            None => Err(format!("{of:?} is not a ranked tensor")),
        }
    }

    /// The rank of operand `i`.
    pub fn rank(&self, i: usize) -> Found<usize> {
        self.bounds(Tensor::Operand(i)).map(|sizes| sizes.len())
    }

    /// The sizes of a tensor of this rank.
    pub fn sizes(&mut self, of: Tensor, rank: usize) -> Found<Vec<Index>> {
        (0..rank).map(|k| self.size(of, k)).collect()
    }
}

/// The element of the first operand at the same index.
pub(crate) fn same(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
    let at = index
        .iter()
        .enumerate()
        .map(|(k, i)| query.within(0, k, *i));
    Ok(Reads::one(0, at.collect::<Found<_>>()?))
}
