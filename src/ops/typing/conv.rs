//! `convolution` and `dynamic_conv`.

use super::check::*;
use super::contract::{expressed_alike, hybrid, precision, quantized_product};
use super::reduce::{Window, padding};
use mapwright_mlir::{Dim, ElementType, Op, text};

/// Dimension numbers of one of the three tensors.
struct Side {
    first: i64,
    second: i64,
    spatial: Vec<i64>,
}

/// Reads `[b, 0, 1, f]` with the two letters that stand for the non-spatial dimensions.
fn side(list: &str, first: &str, second: &str) -> Option<Side> {
    let items: Vec<&str> = list
        .trim()
        .trim_start_matches('[')
        .trim_end_matches(']')
        .split(',')
        .map(str::trim)
        .collect();
    let at = |name: &str| {
        items
            .iter()
            .position(|item| *item == name)
            .map(|i| i as i64)
    };
    let mut spatial: Vec<(i64, i64)> = items
        .iter()
        .enumerate()
        .filter_map(|(d, item)| Some((item.parse::<i64>().ok()?, d as i64)))
        .collect();
    spatial.sort_unstable();
    Some(Side {
        first: at(first)?,
        second: at(second)?,
        spatial: spatial.into_iter().map(|(_, d)| d).collect(),
    })
}

/// The three sides of `dimension_numbers`: input (batch, feature), kernel (input feature, output feature), output (batch,
/// feature), in the short form `[b, 0, f]x[0, i, o]->[b, 0, f]` or the long one with named fields.
fn numbers(text: &str) -> Option<[Side; 3]> {
    if text.contains("input_batch_dimension") {
        let one = |name: &str| text::integer_list(text, name).first().copied();
        let long = |first: &str, second: &str, spatial: &str| {
            Some(Side {
                first: one(first)?,
                second: one(second)?,
                spatial: text::integer_list(text, spatial),
            })
        };
        return Some([
            long(
                "input_batch_dimension",
                "input_feature_dimension",
                "input_spatial_dimensions",
            )?,
            long(
                "kernel_input_feature_dimension",
                "kernel_output_feature_dimension",
                "kernel_spatial_dimensions",
            )?,
            long(
                "output_batch_dimension",
                "output_feature_dimension",
                "output_spatial_dimensions",
            )?,
        ]);
    }
    let start = text.find('[')?;
    let (inputs, output) = text[start..].split_once("->")?;
    let (input, kernel) = inputs.split_once('x')?;
    let output = output.trim_end_matches('>');
    Some([
        side(input, "b", "f")?,
        side(kernel, "i", "o")?,
        side(output, "b", "f")?,
    ])
}

fn all_positive(label: &'static str, name: &str, values: &[i64]) -> Check {
    match values.iter().find(|value| **value <= 0) {
        None => Ok(()),
        Some(value) => violation(label, format!("'{name}' must be positive, has {value}")),
    }
}

/// `convolution`.
pub fn convolution(op: Op<'_>) -> Check<Inferred> {
    let rank = operand(op, 0)?.rank();
    let padding = padding(op, "c4", rank.saturating_sub(2))?;
    check_convolution(op, Some(padding))
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
    let known = constant_ints(op.operand(2)).map(|values| {
        values
            .chunks_exact(2)
            .map(|pair| (pair[0], pair[1]))
            .collect()
    });
    check_convolution(op, known)
}

fn check_convolution(op: Op<'_>, padding: Option<Vec<(i64, i64)>>) -> Check<Inferred> {
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
    // (C2) wants one stride for each spatial dimension. JAX repeats the stride of a one-dimensional convolution when it prints
    // `dynamic_conv`; strides that all are the same mean the same however many of them count.
    if op.short_name() == "dynamic_conv" && spatial > 0 && strides.windows(2).all(|w| w[0] == w[1])
    {
        strides.truncate(spatial);
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
    let Some([input, kernel, output]) = op.text("dimension_numbers").as_deref().and_then(numbers)
    else {
        return violation(
            "",
            "needs the attribute 'dimension_numbers' in a known form",
        );
    };
    for (sizes, valid, name, side) in [
        ("c12", "c13", "input dimensions", &input),
        ("c17", "c18", "kernel dimensions", &kernel),
        ("c19", "c20", "output dimensions", &output),
    ] {
        size_is(sizes, name, &side.spatial, spatial)?;
        let mut all = side.spatial.clone();
        all.extend([side.first, side.second]);
        unique(valid, name, &all)?;
        in_rank(valid, name, &all, rank)?;
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
    let (batch, features) = (at(&lhs.dims, input.first), at(&lhs.dims, input.second));
    let (kernel_in, kernel_out) = (at(&rhs.dims, kernel.first), at(&rhs.dims, kernel.second));
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
    let mut dims = vec![Dim::Dynamic; rank];
    dims[output.first as usize] = match batch {
        Dim::Static(n) => Dim::Static(n / batch_groups),
        Dim::Bounded(n) => Dim::Bounded(n / batch_groups),
        Dim::Dynamic => Dim::Dynamic,
    };
    dims[output.second as usize] = kernel_out;
    if let Some(padding) = padding {
        let window = Window {
            size: kernel
                .spatial
                .iter()
                .map(|&d| at(&rhs.dims, d).fixed().unwrap_or(0))
                .collect(),
            strides,
            base_dilations: lhs_dilation,
            window_dilations: rhs_dilation,
            padding,
        };
        for s in 0..spatial {
            if at(&rhs.dims, kernel.spatial[s]).fixed().is_some() {
                dims[output.spatial[s] as usize] =
                    window.positions(s, at(&lhs.dims, input.spatial[s]))?;
            }
        }
    }
    ensure!(
        shapes_agree(&dims, &result.dims),
        "c25",
        "the result must have the shape {}, has {}",
        shape_text(&dims),
        shape_text(&result.dims)
    );
    if [&lhs, &rhs, &result]
        .iter()
        .any(|ty| ty.element.is_quantized())
    {
        let mut contracting = kernel.spatial.clone();
        contracting.push(kernel.first);
        quantized_product(&lhs, &rhs, &result, &contracting, ["c28", "c29", "c31"])?;
        match lhs.element.is_quantized() {
            true => expressed_alike(&lhs, &rhs, &result, "c32")?,
            false => hybrid(&lhs, &rhs, &result, "c34")?,
        }
        per_axis_result(&rhs.element, &result.element, &output)?;
    }
    one(result.element.clone(), merge_shapes(&dims, &result.dims))
}

/// (C30), (C33): a per-axis result is quantized along the output features and needs a per-axis kernel.
fn per_axis_result(kernel: &ElementType, result: &ElementType, output: &Side) -> Check {
    if let (ElementType::Quantized(kernel), ElementType::Quantized(result)) = (kernel, result) {
        if let Some(axis) = result.axis {
            ensure!(
                axis as i64 == output.second,
                "c30",
                "the result may be quantized along its feature dimension {} only, is along {axis}",
                output.second
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
