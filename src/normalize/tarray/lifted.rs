//! What a value in the body of a loop over lists is in all rounds of the loop.

use super::form::Form;
use mapwright_indexing::Extent;
use mapwright_mlir::{Op, Val, ValueType, melior::ir::ValueLike};

/// A value in all rounds.
#[derive(Clone, Debug)]
pub(super) enum Lifted<'c> {
    /// A Tensor: one behind the other.
    Rows(Form<'c>),
    /// A TensorArray: the array of all of them.
    Nest(Form<'c>),
    /// A Tensor with a slice for each element of a list.
    Stacked(Stacked<'c>),
    /// As [`Lifted::Stacked`], what an operation that moves elements gives and is not done yet.
    Deferred(Op<'c>, Level<'c>),
}

/// The rounds of a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level<'c> {
    /// The most that there may be.
    pub(super) most: i64,
    /// Number of rounds, as a scalar of the program.
    pub(super) count: Val<'c>,
    /// Number of rounds, as a size.
    pub(super) size: Extent,
}

/// The slices of all rounds.
#[derive(Clone, Debug)]
pub(super) struct Stacked<'c> {
    /// One behind the other along dimension `dim`.
    pub(super) all: Val<'c>,
    pub(super) dim: usize,
    /// Offsets at which the slices of each round begin.
    pub(super) offsets: Val<'c>,
    /// The most that a round has.
    pub(super) most: i64,
    /// The rounds.
    pub(super) level: Level<'c>,
}

impl<'c> Stacked<'c> {
    /// The array of arrays of slices, without what a slice is made of.
    pub(super) fn as_lists(&self) -> Form<'c> {
        let slice = ValueType::from_mlir(self.all.r#type());
        let list = ValueType::Array {
            element: Box::new(slice),
            max: self.most,
        };
        Form {
            ty: ValueType::Array {
                element: Box::new(list),
                max: self.level.most,
            },
            parts: vec![self.all, self.level.count, self.offsets],
        }
    }
}
