//! Operations on quantized numbers: dequantized, done, quantized again, as the specification
//! defines them. Products of bytes are products of the stored integers
//! ([`super::quantized_product`]).

use super::{quantized_elements, quantized_product};
use crate::make::{HloBuilder, tensor};
use mapwright_mlir::{ElementType, Op, TensorType, Val, melior::ir::ValueLike};
use mapwright_ops::registry::is_elementwise;

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

/// The new results, and the operation on real numbers that they are made of; nothing where there is
/// none to be made.
#[allow(clippy::type_complexity)]
pub(super) fn rewrite<'c>(make: &HloBuilder<'c>, op: Op<'c>) -> Option<(Vec<Val<'c>>, Op<'c>)> {
    if let Some((value, product)) = quantized_product::rewrite(make, op) {
        return Some((vec![value], product));
    }
    // Products, for which there are kernels of real numbers and none of scaled ones; those with a
    // scale for each slice, but for movements; and those whose own definition is one of other
    // operations. What is computed element by element has lanes of real numbers.
    let per_axis = match op.short_name() {
        "add" if !is_plain(op) => true,
        "convolution" | "dot" | "dot_general" | "dynamic_conv" => false,
        "batch_norm_inference"
        | "batch_norm_training"
        | "batch_norm_grad"
        | "iota"
        | "dynamic_iota"
        | "reduce_precision" => false,
        _ if op.num_results() == 1 && is_plain(op) => false,
        _ => return None,
    };
    let values = op.results().into_iter().chain(op.operands());
    let types: Vec<TensorType> = values.map(tensor).collect::<Option<_>>()?;
    if !types.iter().any(|ty| {
        if per_axis {
            is_per_axis(ty)
        } else {
            ty.element.is_quantized()
        }
    }) {
        return None;
    }
    dequantized(make, op, &has_lanes)
}

/// The operation on real numbers, and its results quantized again; `lanes` are the types whose
/// numbers are written out as arithmetic.
#[allow(clippy::type_complexity)]
fn dequantized<'c>(
    make: &HloBuilder<'c>,
    op: Op<'c>,
    lanes: &dyn Fn(&TensorType) -> bool,
) -> Option<(Vec<Val<'c>>, Op<'c>)> {
    let reals = op.operands().into_iter().map(|value| {
        let ty = tensor(value)?;
        match ty.element.is_quantized() {
            true if lanes(&ty) => quantized_elements::real(make, value),
            true => {
                let name = "stablehlo.uniform_dequantize";
                Some(make.operation(name, &[value], &expressed(&ty), &[]))
            }
            false => Some(value),
        }
    });
    let reals = reals.collect::<Option<Vec<Val<'c>>>>()?;
    let results = op.results().into_iter();
    let to: Vec<TensorType> = results
        .map(|value| Some(expressed(&tensor(value)?)))
        .collect::<Option<_>>()?;
    let real = make.several(op.name(), &reals, &to, &op.attributes());
    let values = real.results().into_iter().zip(op.results());
    let values = values
        .map(|(value, old)| {
            let (ty, to) = (tensor(old)?, old.r#type());
            match ty.element.is_quantized() {
                true if lanes(&ty) => quantized_elements::quantized(make, value, to),
                true => Some(make.op1("stablehlo.uniform_quantize", &[value], to, &[])),
                false => Some(value),
            }
        })
        .collect::<Option<_>>()?;
    Some((values, real))
}

/// Writes out what is computed element by element with quantized numbers in `op` and everything
/// inside, whatever the sizes and the storage.
pub(super) fn write_out<'c>(op: Op<'c>) {
    for op in op.descendants() {
        let computes = match op.short_name() {
            "uniform_quantize" | "uniform_dequantize" => true,
            "bitcast_convert" | "select" | "constant" | "iota" => false,
            _ => op.dialect() == "stablehlo" && is_elementwise(op) && op.num_regions() == 0,
        };
        let Some(make) = HloBuilder::before(op).filter(|_| computes) else {
            continue;
        };
        let values = op.operands().into_iter().chain(op.results());
        let types: Vec<_> = values.filter_map(tensor).collect();
        let is_known = |ty: &TensorType| {
            !ty.element.is_quantized() || quantized_elements::written_out(&ty.element).is_some()
        };
        if !types.iter().any(|ty| ty.element.is_quantized()) || !types.iter().all(is_known) {
            continue;
        }
        let made = match op.short_name() {
            "uniform_quantize" | "uniform_dequantize" => {
                quantized_elements::between(&make, op).map(|value| vec![value])
            }
            _ => dequantized(&make, op, &|_| true).map(|(values, _)| values),
        };
        if let Some(values) = made {
            super::exchange(op, values);
        }
    }
}

/// Tells whether vectors compute with the numbers of a type.
fn has_lanes(ty: &TensorType) -> bool {
    quantized_elements::quantization(&ty.element).is_some() && ty.static_shape().is_some()
}

/// Tells whether `op` is computed element by element, by its definition on the real numbers, on
/// types that vectors compute with.
fn is_plain(op: Op<'_>) -> bool {
    let moves = matches!(
        op.short_name(),
        "uniform_quantize"
            | "uniform_dequantize"
            | "bitcast_convert"
            | "compare"
            | "convert"
            | "select"
    );
    let values = op.operands().into_iter().chain(op.results());
    let mut types = values.map(tensor);
    is_elementwise(op)
        && !moves
        && op.num_regions() == 0
        && types.all(|ty| ty.is_some_and(|ty| !ty.element.is_quantized() || has_lanes(&ty)))
}
