//! `convolution` and `dynamic_conv`.

use super::checks::{expressed_alike, hybrid, precision, quantized_product};
use crate::attrs::ConvDimensions;
use crate::typing::{check::*, results::sizes};
use crate::window::checks::{all_positive, padding};
use mapwright_mlir::{Dim, ElementType, Op};

/// `convolution`.
pub fn convolution(op: Op<'_>) -> Check<Inferred> {
    let rank = operand(op, 0)?.rank();
    padding(op, "c4", rank.saturating_sub(2))?;
    check_convolution(op)
}

/// `dynamic_conv`: the padding is an operand.
pub fn dynamic_conv(op: Op<'_>) -> Check<Inferred> {
    let spatial = operand(op, 0)?.rank().saturating_sub(2);
    let amounts = operand(op, 2)?;
    let shape = [Dim::Static(spatial as i64), Dim::Static(2)];
    ensure!(
        shapes_agree(&amounts.dims, &shape),
        "c4",
        "'padding' must have the shape {}, has {}",
        shape_text(&shape),
        shape_text(&amounts.dims)
    );
    check_convolution(op)
}

fn check_convolution(op: Op<'_>) -> Check<Inferred> {
    let (lhs, rhs) = (operand(op, 0)?, operand(op, 1)?);
    let rank = lhs.rank();
    ensure!(
        rank == rhs.rank() && rank >= 2,
        "c1",
        "lhs and rhs must have the same rank, at least 2; have {} and {}",
        rank,
        rhs.rank()
    );
    let spatial = rank - 2;
    if !lhs.element.is_quantized() && !rhs.element.is_quantized() {
        same_element("c27", "lhs and rhs", &lhs, &rhs)?;
    }
    let mut strides = ints_or(op, "window_strides", spatial, 1)?;
    if op.short_name() == "dynamic_conv" {
        strides = crate::attrs::repeated_strides(strides, spatial);
    }
    size_is("c2", "window_strides", &strides, spatial)?;
    all_positive("c3", "window_strides", &strides)?;
    let lhs_dilation = ints_or(op, "lhs_dilation", spatial, 1)?;
    size_is("c5", "lhs_dilation", &lhs_dilation, spatial)?;
    all_positive("c6", "lhs_dilation", &lhs_dilation)?;
    let rhs_dilation = ints_or(op, "rhs_dilation", spatial, 1)?;
    size_is("c7", "rhs_dilation", &rhs_dilation, spatial)?;
    all_positive("c8", "rhs_dilation", &rhs_dilation)?;
    let reversal = ints_or(op, "window_reversal", spatial, 0)?;
    size_is("c9", "window_reversal", &reversal, spatial)?;
    let feature_groups = op.int("feature_group_count").unwrap_or(1);
    let batch_groups = op.int("batch_group_count").unwrap_or(1);
    let Ok(dims) = ConvDimensions::read(op) else {
        return violation(
            "",
            "needs the attribute 'dimension_numbers' in a known form",
        );
    };
    for (labels, name, first, second, places) in [
        (
            ["c12", "c13"],
            "input dimensions",
            dims.input_batch,
            dims.input_feature,
            &dims.input_spatial,
        ),
        (
            ["c17", "c18"],
            "kernel dimensions",
            dims.kernel_input_feature,
            dims.kernel_output_feature,
            &dims.kernel_spatial,
        ),
        (
            ["c19", "c20"],
            "output dimensions",
            dims.output_batch,
            dims.output_feature,
            &dims.output_spatial,
        ),
    ] {
        size_is(labels[0], name, places, spatial)?;
        let all = [&places[..], &[first, second]].concat();
        unique(labels[1], name, &all)?;
        in_rank(labels[1], name, &all, rank)?;
    }
    ensure!(
        feature_groups > 0,
        "c21",
        "'feature_group_count' must be positive, is {feature_groups}"
    );
    ensure!(
        batch_groups > 0,
        "c22",
        "'batch_group_count' must be positive, is {batch_groups}"
    );
    ensure!(
        feature_groups == 1 || batch_groups == 1,
        "c23",
        "one of 'feature_group_count' and 'batch_group_count' must be 1, are {feature_groups} and {batch_groups}"
    );
    precision("c24", op)?;
    let at = |dims: &[Dim], d: i64| dims[d as usize];
    let divides = |label: &'static str, what: &str, size: Dim, groups: i64| -> Check {
        if let Some(n) = size.fixed() {
            ensure!(
                n % groups == 0,
                label,
                "{what} {n} must be a multiple of the group count {groups}"
            );
        }
        Ok(())
    };
    let (batch, features) = (
        at(&lhs.dims, dims.input_batch),
        at(&lhs.dims, dims.input_feature),
    );
    let (kernel_in, kernel_out) = (
        at(&rhs.dims, dims.kernel_input_feature),
        at(&rhs.dims, dims.kernel_output_feature),
    );
    divides("c10", "the input's batch size", batch, batch_groups)?;
    divides("c11", "the input's feature count", features, feature_groups)?;
    if let (Some(inside), Some(all)) = (kernel_in.fixed(), features.fixed()) {
        ensure!(
            inside.checked_mul(feature_groups) == Some(all),
            "c14",
            "the kernel's input feature count {inside} times {feature_groups} groups must be the input's {all}"
        );
    }
    divides(
        "c15",
        "the kernel's output feature count",
        kernel_out,
        batch_groups,
    )?;
    divides(
        "c16",
        "the kernel's output feature count",
        kernel_out,
        feature_groups,
    )?;
    let result = result(op, 0)?;
    ensure!(
        result.rank() == rank,
        "c26",
        "the result must have the rank {rank}, has {}",
        result.rank()
    );
    let found = sizes(op, 0)?;
    ensure!(
        shapes_agree(&found, &result.dims),
        "c25",
        "the result must have the shape {}, has {}",
        shape_text(&found),
        shape_text(&result.dims)
    );
    if [&lhs, &rhs, &result]
        .iter()
        .any(|ty| ty.element.is_quantized())
    {
        let mut contracting = dims.kernel_spatial.clone();
        contracting.push(dims.kernel_input_feature);
        quantized_product(&lhs, &rhs, &result, &contracting, ["c28", "c29", "c31"])?;
        if lhs.element.is_quantized() {
            expressed_alike(&lhs, &rhs, &result, "c32")?
        } else {
            hybrid(&lhs, &rhs, &result, "c34")?
        }
        per_axis_result(&rhs.element, &result.element, dims.output_feature)?;
    }
    one(result.element.clone(), merge_shapes(&found, &result.dims))
}

/// (C30), (C33): a per-axis result is quantized along the output features and needs a per-axis
/// kernel.
fn per_axis_result(kernel: &ElementType, result: &ElementType, feature: i64) -> Check {
    if let (ElementType::Quantized(kernel), ElementType::Quantized(result)) = (kernel, result) {
        if let Some(axis) = result.axis {
            ensure!(
                axis as i64 == feature,
                "c30",
                "the result may be quantized along its feature dimension {feature} only, is along {axis}"
            );
        }
        ensure!(
            kernel.axis.is_some() || result.axis.is_none(),
            "c33",
            "the result must be quantized per tensor where rhs is"
        );
    }
    Ok(())
}
