//! Products of tensors with a scale for each slice: dequantized, multiplied, quantized again, as the specification defines them.

use super::make::{Make, tensor};
use crate::inline::Located;
use mapwright_mlir::{ElementType, Op, TensorType, Val};

/// The type with real numbers in place of quantized ones.
fn expressed(ty: &TensorType) -> TensorType {
    let mut ty = ty.clone();
    if let ElementType::Quantized(quantization) = &ty.element {
        ty.element = ElementType::Float(quantization.expressed);
    }
    ty
}

fn is_per_axis(ty: &TensorType) -> bool {
    matches!(&ty.element, ElementType::Quantized(q) if q.axis.is_some())
}

/// The new results of a `dot_general` or `convolution`, or nothing where no type has several scales.
pub(super) fn rewrite<'c>(
    make: &Make<'c>,
    op: Op<'c>,
) -> Result<Option<Vec<Val<'c>>>, Located<'c>> {
    let result = tensor(op, op.result(0))?;
    let mut types = vec![result.clone()];
    for operand in op.operands() {
        types.push(tensor(op, operand)?);
    }
    if !types.iter().any(is_per_axis) {
        return Ok(None);
    }
    let reals: Vec<Val<'c>> = op
        .operands()
        .into_iter()
        .zip(&types[1..])
        .map(|(value, ty)| match ty.element.is_quantized() {
            true => make.operation(
                "stablehlo.uniform_dequantize",
                &[value],
                &expressed(ty),
                &[],
            ),
            false => value,
        })
        .collect();
    let attributes = op.attributes();
    let attributes: Vec<_> = attributes
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    let real = make.operation(op.name(), &reals, &expressed(&result), &attributes);
    Ok(Some(vec![match result.element.is_quantized() {
        true => make.operation("stablehlo.uniform_quantize", &[real], &result, &[]),
        false => real,
    }]))
}
