//! Operations on quantized numbers that are none on single elements with one scale: dequantized, done, quantized again, as the specification
//! defines them.

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

/// The new results, and the operation on real numbers that they are made of; nothing where there is none to be made.
#[allow(clippy::type_complexity)]
pub(super) fn rewrite<'c>(
    make: &Make<'c>,
    op: Op<'c>,
) -> Result<Option<(Vec<Val<'c>>, Op<'c>)>, Located<'c>> {
    // Products, for which there are kernels of real numbers and none of scaled ones; those with a scale for each slice, but for movements; and
    // those whose own definition is one of other operations.
    let per_axis = match op.short_name() {
        "add" => true,
        "convolution" | "dot" | "dot_general" | "dynamic_conv" => false,
        "batch_norm_inference"
        | "batch_norm_training"
        | "batch_norm_grad"
        | "iota"
        | "dynamic_iota"
        | "reduce_precision" => false,
        _ => return Ok(None),
    };
    let mut types = Vec::new();
    for value in op.results().into_iter().chain(op.operands()) {
        match tensor(op, value) {
            Ok(ty) => types.push(ty),
            Err(_) => return Ok(None),
        }
    }
    if !types.iter().any(|ty| match per_axis {
        true => is_per_axis(ty),
        false => ty.element.is_quantized(),
    }) {
        return Ok(None);
    }
    let (results, operands) = types.split_at(op.num_results());
    let reals: Vec<Val<'c>> = op
        .operands()
        .into_iter()
        .zip(operands)
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
    let to: Vec<TensorType> = results.iter().map(expressed).collect();
    let real = make.several(op.name(), &reals, &to, &attributes);
    let values = real.results().into_iter().zip(results);
    let values = values
        .map(|(value, ty)| match ty.element.is_quantized() {
            true => make.operation("stablehlo.uniform_quantize", &[value], ty, &[]),
            false => value,
        })
        .collect();
    Ok(Some((values, real)))
}
