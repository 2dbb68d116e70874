//! Constant folding: operations on constants become constants, up to a size.
//!
//! Folded is only what has one result whoever computes it: integer arithmetic, the operations of
//! IEEE 754 that are correctly rounded, comparisons, and everything that moves elements, the
//! dynamic operations too. A folded program gives the same bits as the program
//! (`src/interpret/tests/folding.rs` compares them). Exponentials and their like are therefore left
//! to run time, whose approximations are its own; so are products of complex numbers, reductions of
//! floating-point numbers, whose order is open, two updates of one element, and what the
//! specification does not define (division by zero, a conversion that is out of range).

mod computation;
mod elementwise;
mod movement;
pub(crate) mod number;
mod reduction;
mod scatter;
mod source;
pub(crate) mod tensor;

use crate::{canonical::remove_unused, rewrite::replace};
use mapwright_mlir::{Blk, Builder, Op, Val, melior::ir::ValueLike, op};
use mapwright_ops::registry::lookup;
use std::collections::HashSet;
use tensor::Tensor;

pub use computation::computation;

/// Counts of the changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Operations that became constants.
    pub folded: usize,
    /// Operations removed because nobody uses their results any more.
    pub removed: usize,
}

/// Folds what is constant inside of `root`; results (and operands that are not all one value) of
/// more than `max_elements` elements stay.
pub fn fold(root: Op<'_>, max_elements: usize) -> Counts {
    let mut counts = Counts::default();
    for i in 0..root.num_regions() {
        for block in op::blocks(root.region(i)) {
            sweep(block, max_elements, &mut counts);
        }
    }
    counts
}

/// Folds what shapes and amounts are made of inside of `root`, from which sizes of results follow:
/// frontends compute strides and bounds from constants there.
pub fn fold_shapes(root: Op<'_>) {
    /// Entries of a list, at most: one has a few for each dimension.
    const ENTRIES: usize = 64;
    let ops = root.descendants();
    let mut wanted: HashSet<Op<'_>> = HashSet::new();
    let mut values: Vec<Val<'_>> = Vec::new();
    for op in &ops {
        let says_sizes = |i: &usize| lookup(*op).is_some_and(|def| def.is_size_operand(*op, *i));
        values.extend(
            (0..op.num_operands())
                .filter(says_sizes)
                .map(|i| op.operand(i)),
        );
    }
    while let Some(value) = values.pop() {
        if let Some((op, _)) = op::defining_op(value)
            && Tensor::place(value, ENTRIES).is_some()
            && wanted.insert(op)
        {
            values.extend(op.operands());
        }
    }
    // Operands come before their uses.
    for op in ops.into_iter().filter(|op| wanted.contains(op)) {
        fold_one(op, ENTRIES);
    }
}

/// Operands come before their uses, so once in order is enough.
fn sweep(block: Blk<'_>, max_elements: usize, counts: &mut Counts) {
    for op in op::ops(block) {
        for i in 0..op.num_regions() {
            for inner in op::blocks(op.region(i)) {
                sweep(inner, max_elements, counts);
            }
        }
        if fold_one(op, max_elements).is_some() {
            counts.folded += 1;
        }
    }
    counts.removed += remove_unused(block);
}

/// Replaces `op` by a constant; `None` where it stays.
fn fold_one(op: Op<'_>, max_elements: usize) -> Option<()> {
    if op.dialect() != "stablehlo" || op.num_results() != 1 || op.is_hlo("constant") {
        return None;
    }
    let value = evaluate(op, max_elements)?;
    let attribute = value.to_dense().to_mlir(op.context())?;
    let b = Builder::before(op.context(), op)?;
    let ty = op.result(0).r#type();
    let constant = b.op1("stablehlo.constant", &[], ty, &[("value", attribute)]);
    replace(op, &[constant]);
    Some(())
}

/// The value of `op`'s result.
fn evaluate(op: Op<'_>, max_elements: usize) -> Option<Tensor> {
    let result = Tensor::place(op.result(0), max_elements)?;
    of_constants(op, &result, |value| {
        Tensor::from_constant(value, max_elements)
    })
}

/// The value of `op`'s result, which has the type of `result`, of operands that are `known`.
pub(crate) fn of_constants<'c>(
    op: Op<'c>,
    result: &Tensor,
    known: impl Fn(Val<'c>) -> Option<Tensor>,
) -> Option<Tensor> {
    if op.is_hlo("get_dimension_size") {
        return source::dimension_size(op, result);
    }
    let operands = op.operands().into_iter().map(known);
    let operands: Vec<Tensor> = operands.collect::<Option<_>>()?;
    if operands.is_empty() {
        return None;
    }
    movement::evaluate(op, &operands, result)
        .or_else(|| source::evaluate(op, &operands, result))
        .or_else(|| scatter::evaluate(op, &operands))
        .or_else(|| reduction::evaluate(op, &operands, result))
        .or_else(|| elementwise::evaluate(op, &operands, result))
}
