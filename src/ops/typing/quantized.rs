//! Constraints on quantized types themselves, and which operations take types that are quantized
//! along an axis.

use super::check::*;
use mapwright_mlir::{ElementType, Op, TensorType, ValueType};

/// Operations with operands that may be quantized along an axis. Contractions take it on the right
/// only.
const PER_AXIS: &[&str] = &[
    "add",
    "bitcast_convert",
    "broadcast_in_dim",
    "case",
    "composite",
    "constant",
    "convolution",
    "custom_call",
    "dot",
    "dot_general",
    "dynamic_broadcast_in_dim",
    "dynamic_conv",
    "dynamic_reshape",
    "get_dimension_size",
    "get_tuple_element",
    "if",
    "outfeed",
    "reshape",
    "return",
    "send",
    "transpose",
    "tuple",
    "uniform_dequantize",
    "uniform_quantize",
    "while",
];

/// Checks the quantized types of operands and results.
pub fn verify(op: Op<'_>) -> Check {
    if !matches!(op.dialect(), "stablehlo" | "mhlo") {
        return Ok(());
    }
    let short = op.short_name();
    for i in 0..op.num_operands() {
        let ValueType::Tensor(ty) = op.operand_type(i) else {
            continue;
        };
        parameters(&format!("operand #{i}"), &ty)?;
        let left = i == 0 && matches!(short, "dot_general" | "convolution" | "dynamic_conv");
        if let ElementType::Quantized(q) = &ty.element
            && q.axis.is_some()
        {
            ensure!(
                PER_AXIS.contains(&short) && !left,
                "",
                "operand #{i} must not be quantized along an axis, is {ty}"
            );
        }
    }
    for i in 0..op.num_results() {
        if let ValueType::Tensor(ty) = op.result_type(i) {
            parameters(&format!("result #{i}"), &ty)?;
            let along = matches!(&ty.element, ElementType::Quantized(q) if q.axis.is_some());
            ensure!(
                !along || PER_AXIS.contains(&short) || matches!(short, "infeed" | "recv"),
                "",
                "result #{i} must not be quantized along an axis, is {ty}"
            );
        }
    }
    Ok(())
}

/// Constraints on quantized element types (of the specification's section on types) that MLIR's own
/// dialect does not check.
///
/// (C1) wants the storage type narrower than the expressed type; programs accumulate in `i32` of
/// `f32`, so the same width is taken as well.
fn parameters(what: &str, ty: &TensorType) -> Check {
    let ElementType::Quantized(q) = &ty.element else {
        return Ok(());
    };
    ensure!(
        q.storage.bit_width() <= Some(q.expressed.width()),
        "",
        "{what} has a storage type that is wider than the expressed type, is {ty}"
    );
    ensure!(
        q.scales
            .iter()
            .all(|scale| *scale > 0.0 && scale.is_finite()),
        "",
        "{what} must have positive finite scales, is {ty}"
    );
    for zero in &q.zero_points {
        ensure!(
            (q.storage_min..=q.storage_max).contains(zero),
            "",
            "{what} has the zero point {zero}, which is not in [{}, {}]",
            q.storage_min,
            q.storage_max
        );
    }
    // A scalar stands for an element of such a tensor in a region.
    if let Some(axis) = q.axis
        && ty.rank() > 0
    {
        ensure!(
            axis < ty.rank(),
            "",
            "{what} is quantized along dimension {axis}, which is not in [0, {})",
            ty.rank()
        );
        ensure!(
            ty.dims[axis]
                .fixed()
                .is_none_or(|size| size == q.scales.len() as i64),
            "",
            "{what} must have one scale for each slice along dimension {axis}, has {}, is {ty}",
            q.scales.len()
        );
    }
    Ok(())
}
