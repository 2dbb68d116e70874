//! Replacing operations in place.

use mapwright_indexing::counted;
use mapwright_mlir::{Builder, Op, Ty, Val, edit, melior::ir::ValueLike, op};

/// Error of an operation that could not be rewritten.
#[derive(Clone, Debug)]
pub struct Error<'c> {
    /// The operation.
    pub op: Op<'c>,
    /// Reason: it says what is wrong or missing.
    pub message: String,
}

impl<'c> Error<'c> {
    /// At `op`.
    pub fn new(op: Op<'c>, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { op, message }
    }
}

/// Result of a rewrite.
pub type Result<'c, T = ()> = std::result::Result<T, Error<'c>>;

/// An error at `op`.
pub fn fail<'c, T>(op: Op<'c>, message: impl Into<String>) -> Result<'c, T> {
    Err(Error::new(op, message))
}

/// Replaces the results of `old` by `values` and erases it.
///
/// `old` and everything inside must not be looked at afterwards.
pub fn replace<'c>(old: Op<'c>, values: &[Val<'c>]) {
    debug_assert_eq!(old.num_results(), values.len());
    for (i, value) in values.iter().enumerate() {
        op::replace_all_uses(old.result(i), *value);
    }
    edit::erase_unused(old);
}

/// Operands of `op` that are not of these types are cast to them before it.
pub fn cast_operands<'c>(op: Op<'c>, types: &[Ty<'c>]) {
    let Some(b) = Builder::before(op.context(), op) else {
        return;
    };
    for (i, ty) in types.iter().enumerate() {
        if op.operand(i).r#type() != *ty {
            op::set_operand(op, i, b.op1("tensor.cast", &[op.operand(i)], *ty, &[]));
        }
    }
}

/// Puts the operations of the only block of `op` before it, with `operands` for the block's
/// arguments.
pub fn inline_body<'c>(op: Op<'c>, operands: &[Val<'c>]) -> Result<'c> {
    let Some(block) = op.body(0) else {
        return fail(op, "has no body");
    };
    let arguments = op::arguments(block);
    let inner = op::ops(block);
    let Some((end, rest)) = inner.split_last() else {
        return fail(op, "has an empty body");
    };
    let values = end.operands();
    if arguments.len() != operands.len() || values.len() != op.num_results() {
        return fail(
            op,
            format!(
                "has {} and {}, and a body with {} and {}",
                counted(operands.len(), "operand"),
                counted(op.num_results(), "result"),
                arguments.len(),
                values.len()
            ),
        );
    }
    let pairs = arguments.iter().zip(operands);
    let results = op.results();
    let mut pairs = pairs.chain(values.iter().zip(&results));
    if let Some((inside, outside)) = pairs.find(|(a, b)| a.r#type() != b.r#type()) {
        return fail(
            op,
            format!(
                "has a body of {} where it is of {}",
                inside.r#type(),
                outside.r#type()
            ),
        );
    }
    for (argument, operand) in arguments.into_iter().zip(operands) {
        op::replace_all_uses(argument, *operand);
    }
    for inside in rest {
        inside.move_before(op);
    }
    // An argument that is a result has become an operand.
    replace(op, &end.operands());
    Ok(())
}

/// Tells whether a scatter writes its updates as they are over what is there.
pub(crate) fn replaces(scatter: Op<'_>) -> bool {
    scatter.body(0).is_some_and(|block| {
        let end = op::ops(block).last().map(|end| end.operands());
        let update = op::arguments(block).get(1).copied();
        update.is_some()
            && end.is_some_and(|values| values.len() == 1 && values.first().copied() == update)
    })
}
