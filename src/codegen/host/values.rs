//! Values of a host function: how much memory they need and of which kind, and the operations that
//! hand them on.

use mapwright_mlir::{Op, TensorType, Val, ValueType, melior::ir::ValueLike};

/// Alignment of every tensor, and of the memory that operations work in.
pub(super) const ALIGN: i64 = 64;

/// Memory that a storage is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// At an offset of the arena.
    Arena(i64),
    /// On the stack.
    Stack,
    /// An argument of the function.
    Argument(usize),
    /// The memory of a result, given by the caller.
    Result(usize),
    /// At an offset of the memory of a result, before that is written.
    Within(usize, i64),
    /// Constant data.
    Constant(usize),
    /// Allocated during the call, because its size is known only then.
    Allocated,
}

/// Bytes of a tensor, of its bound where that is what is known; `None` when it has no bound.
pub(crate) fn bytes(tensor: &TensorType) -> Option<i64> {
    tensor
        .num_elements()?
        .checked_mul(tensor.element.byte_width()? as i64)
}

/// The tensor type of a value that has memory.
pub(crate) fn tensor(value: Val<'_>) -> Option<TensorType> {
    match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(tensor) => Some(tensor),
        _ => None,
    }
}

/// Tells whether it is a `while`.
pub(crate) fn is_while(op: Op<'_>) -> bool {
    op.is_hlo("while")
}

/// Tells whether `op` ends a region or function.
pub(crate) fn is_end(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        "func.return" | "stablehlo.return" | "mhlo.return"
    )
}

/// Results that are their operands under another name.
pub(crate) fn is_alias(op: Op<'_>) -> bool {
    op.is_hlo("optimization_barrier")
}
