//! The layouts in memory that a program states, for `mapwright maps --physical`.

use crate::{
    mlir::{Op, TensorType, Val, melior::ir::ValueLike, op},
    ops::layout,
};

/// A layout and the sizes of the tensor that it is of.
pub(super) type Laid = (layout::Layout, Vec<i64>);

/// Returns the layouts of a result and an operand of an operation.
pub(super) fn layouts(op: Op<'_>, result: usize, operand: usize) -> Result<(Laid, Laid), String> {
    let result_sizes = fixed_sizes(op.result(result))?;
    let operand_sizes = fixed_sizes(op.operand(operand))?;
    Ok((
        (
            layout::of_result(op, result, result_sizes.len())?,
            result_sizes,
        ),
        (
            layout::of_operand(op, operand, operand_sizes.len())?,
            operand_sizes,
        ),
    ))
}

/// The layout that is known of a value.
pub(super) fn value_layout(value: Val<'_>) -> Result<Laid, String> {
    let sizes = fixed_sizes(value)?;
    Ok((layout::of_value(value, sizes.len())?, sizes))
}

/// The layout in which a function returns a value: what it says of its result, or what is known of
/// the value. Of the elements of a tuple a function says nothing.
pub(super) fn result_layout(
    function: Op<'_>,
    result: usize,
    value: Val<'_>,
) -> Result<Laid, String> {
    let sizes = fixed_sizes(value)?;
    let returned = function
        .body(0)
        .and_then(|body| op::ops(body).last().copied());
    let itself = returned.is_some_and(|end| end.operands().get(result) == Some(&value));
    if itself && let Some(layout) = layout::of_function_result(function, result, sizes.len())? {
        return Ok((layout, sizes));
    }
    value_layout(value)
}

fn fixed_sizes(value: Val<'_>) -> Result<Vec<i64>, String> {
    let ty = value.r#type();
    TensorType::from_mlir(ty)
        .and_then(|tensor| tensor.static_shape())
        .ok_or_else(|| format!("{ty} has no place in memory that is known before the program runs"))
}
