//! Arithmetic on shapes, evaluated: small tensors of integers.

use crate::fold::{
    self,
    tensor::{Tensor, ints},
};
use mapwright_mlir::{
    Builder, ElementType, Op, TensorType, Val, attr::Dense, melior::ir::ValueLike, op,
};
use mapwright_ops::{registry::DIALECTS, typing};

/// Larger tensors are data, not shapes.
const MAX_ELEMENTS: usize = 64;

/// A tensor of this type without data, if it is a small one of integers.
fn place(ty: &TensorType) -> Option<Tensor> {
    use ElementType::{Bool, Index, Int};
    let integers = matches!(ty.element, Int { .. } | Bool | Index);
    Tensor::of_type(ty, MAX_ELEMENTS).filter(|_| integers)
}

/// The constant that `value` is; `None` if it is not one, or not a small one of integers.
pub(super) fn known_value(value: Val<'_>) -> Option<Tensor> {
    let (source, _) = op::defining_op(value)?;
    if source.short_name() != "constant" && source.name() != "shape.const_shape" {
        return None;
    }
    let tensor = place(&TensorType::from_mlir(value.r#type())?)?;
    let data = Dense::from_mlir(source.attribute_of(&["value", "shape"])?)?.expanded()?;
    (data.len() == tensor.count() * tensor.width).then(|| tensor.with(data))
}

/// The elements of operand `i`, where they are known.
pub(super) fn known(op: Op<'_>, i: usize) -> Option<Vec<i64>> {
    ints(&known_value(*op.operands().get(i)?)?)
}

/// Appends it as an operation.
pub(super) fn build<'c>(b: &Builder<'c>, tensor: &Tensor) -> Option<Val<'c>> {
    let dense = tensor.to_dense();
    let ty = b.parse_type(&dense.ty.to_string());
    let value = dense.to_mlir(b.context())?;
    Some(b.op1("stablehlo.constant", &[], ty, &[("value", value)]))
}

/// The value of `op`'s one result, if it is an integer operation on known operands (or asks for a
/// known size).
pub(super) fn evaluate(op: Op<'_>) -> Option<Tensor> {
    if op.num_results() != 1 || op.num_regions() != 0 || op.short_name() == "constant" {
        return None;
    }
    if op.name() == "shape.shape_of" {
        let sizes = TensorType::from_mlir(op.operand(0).r#type())?.static_shape()?;
        let element = TensorType::from_mlir(op.result(0).r#type())?.element;
        let result = place(&TensorType::new(element, &[sizes.len() as i64]))?;
        return result.of_ints(&sizes);
    }
    if !DIALECTS.contains(&op.dialect()) && !matches!(op.dialect(), "shape" | "tensor" | "arith") {
        return None;
    }
    let declared = TensorType::from_mlir(op.result(0).r#type())?;
    let result = place(&declared).or_else(|| {
        // The declared size was unknown and follows from the operands.
        let inferred = typing::infer(op).ok()??;
        place(inferred.first()?.tensor()?)
    });
    fold::of_constants(op, &result?, known_value)
}
