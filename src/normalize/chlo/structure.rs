//! CHLO operations that are not element-wise: constants, `top_k`, `ragged_dot`.

use super::element_of;
use crate::{
    hlo::{Hlo, zero_literal},
    rewrite::{Result, fail, replace},
};
use mapwright_mlir::{Attr, Builder, ElementType, Op, TensorType, Ty, Val, melior::ir::ValueLike};
use mapwright_ops::attrs::{DotDimensions, RaggedDotDimensions, RaggedMode};

/// Rewrites `op` if it is one of these; `None` if it is not.
pub(super) fn rewrite<'c>(op: Op<'c>) -> Option<Result<'c>> {
    let context = op.context();
    let b = Builder::before(context, op)?;
    Some(match op.short_name() {
        "constant" => constant(op, &b),
        "constant_like" => constant_like(op),
        "dynamic_reshape" => {
            let ty = op.result(0).r#type();
            let value = b.op1("stablehlo.dynamic_reshape", &op.operands(), ty, &[]);
            replace(op, &[value]);
            Ok(())
        }
        "top_k" => top_k(op, &b),
        "ragged_dot" => ragged_dot(op, &b),
        "scan" => super::scan::rewrite(op, &b),
        _ => return None,
    })
}

fn constant<'c>(op: Op<'c>, b: &Builder<'c>) -> Result<'c> {
    let Some(value) = op.attribute("value") else {
        return fail(op, "needs the attribute 'value'");
    };
    let value = b.op1(
        "stablehlo.constant",
        &[],
        op.result(0).r#type(),
        &[("value", value)],
    );
    replace(op, &[value]);
    Ok(())
}

fn constant_like<'c>(op: Op<'c>) -> Result<'c> {
    let (Some(hlo), Some(value)) = (Hlo::before(op, op.operand(0)), op.text("value")) else {
        return fail(op, "needs a ranked operand and the attribute 'value'");
    };
    // The attribute prints as `1.0 : f32`, a complex one as `#complex.number<:f32 1.0, 2.0>`.
    let literal = match value.split_once("<:") {
        Some((_, parts)) => {
            let parts = parts.split('>').next().unwrap_or_default();
            format!(
                "({})",
                parts.split_once(' ').map_or(parts, |(_, parts)| parts)
            )
        }
        None => value
            .split(':')
            .next()
            .unwrap_or_default()
            .trim()
            .to_string(),
    };
    let element = match element_of(op.result(0)) {
        Some(element) => element,
        None => return fail(op, "needs a tensor result"),
    };
    let value = hlo.literal(&literal, &element);
    replace(op, &[value.value]);
    Ok(())
}

/// `top_k`: a stable descending sort of values and positions along the last dimension, cut after `k`. Floats are ordered totally,
/// so that NaN comes first. Ascending where the attribute `largest` is false, as `mhlo.topk` has it.
pub(crate) fn top_k<'c>(op: Op<'c>, b: &Builder<'c>) -> Result<'c> {
    let operand = op.operand(0);
    let Some(ty) = TensorType::from_mlir(operand.r#type()) else {
        return fail(op, "needs an operand of known rank");
    };
    let (Some(shape), Some(k)) = (ty.static_shape(), op.int("k")) else {
        return fail(op, "needs an operand of static shape and the attribute 'k'");
    };
    let Some(last) = shape.len().checked_sub(1) else {
        return fail(op, "needs an operand with a dimension");
    };
    if !(0..=shape[last]).contains(&k) {
        return fail(op, format!("'k' {k} is not in [0, {}]", shape[last]));
    }
    let index = ElementType::int(32);
    let positions_ty = b.parse_type(&TensorType::new(index.clone(), &shape).to_string());
    let dimension = b.i64_attr(last as i64);
    let positions = b.op1(
        "stablehlo.iota",
        &[],
        positions_ty,
        &[("iota_dimension", dimension)],
    );
    let scalar = b.parse_type(&TensorType::new(ty.element.clone(), &[]).to_string());
    let scalar_index = b.parse_type("tensor<i32>");
    let kind = match &ty.element {
        ElementType::Float(_) => "TOTALORDER",
        ElementType::Int {
            unsigned: false, ..
        } => "SIGNED",
        _ => "UNSIGNED",
    };
    let direction = if op.boolean("largest").unwrap_or(true) {
        "GT"
    } else {
        "LT"
    };
    let comparator = b.region(
        &[scalar, scalar, scalar_index, scalar_index],
        |b, arguments| {
            let direction = b.parse_attr(&format!("#stablehlo<comparison_direction {direction}>"));
            let kind = b.parse_attr(&format!("#stablehlo<comparison_type {kind}>"));
            let first = b.op1(
                "stablehlo.compare",
                &arguments[..2],
                b.parse_type("tensor<i1>"),
                &[("comparison_direction", direction), ("compare_type", kind)],
            );
            b.op("stablehlo.return", &[first], &[], &[]);
        },
    );
    let sorted = b.op_with_regions(
        "stablehlo.sort",
        &[operand, positions],
        &[operand.r#type(), positions_ty],
        &[("dimension", dimension), ("is_stable", b.bool_attr(true))],
        vec![comparator],
    );
    let mut limits = shape.clone();
    limits[last] = k;
    let cut = |value: Val<'c>, element: &ElementType| {
        let to = b.parse_type(&TensorType::new(element.clone(), &limits).to_string());
        let attributes: [(&str, Attr<'c>); 3] = [
            ("start_indices", b.i64_array(&vec![0; shape.len()])),
            ("limit_indices", b.i64_array(&limits)),
            ("strides", b.i64_array(&vec![1; shape.len()])),
        ];
        b.op1("stablehlo.slice", &[value], to, &attributes)
    };
    let values = [
        cut(sorted.result(0), &ty.element),
        cut(sorted.result(1), &index),
    ];
    replace(op, &values);
    Ok(())
}

/// `ragged_dot`: group `g` takes the rows (or contracted elements) from the sum of the sizes before it on. Each group sees the left
/// side with everything outside of it set to zero; the products are taken over all groups at once.
fn ragged_dot<'c>(op: Op<'c>, b: &Builder<'c>) -> Result<'c> {
    let (lhs, rhs, sizes) = (op.operand(0), op.operand(1), op.operand(2));
    let types = [lhs, rhs, sizes].map(|value| TensorType::from_mlir(value.r#type()));
    let [Some(lhs_ty), Some(_), Some(sizes_ty)] = types else {
        return fail(op, "needs operands of known rank");
    };
    let (Some(shape), Some(groups)) = (lhs_ty.static_shape(), sizes_ty.static_shape()) else {
        return fail(op, "needs operands of static shape");
    };
    let Some((&groups, prefix)) = groups.split_last() else {
        return fail(op, "needs group sizes along a dimension");
    };
    let numbers = match RaggedDotDimensions::decode(op) {
        Ok(numbers) => numbers,
        Err(error) => return fail(op, error.to_string()),
    };
    let DotDimensions {
        lhs_batching: lhs_batch,
        rhs_batching: rhs_batch,
        lhs_contracting: lhs_contract,
        rhs_contracting: rhs_contract,
    } = numbers.dot.clone();
    let precision = op.text("precision_config").map(|text| {
        let text = text.replace("#chlo<", "#stablehlo<");
        ("precision_config", b.parse_attr(&text))
    });
    let dot = |lhs: Val<'c>, batch: [&[i64]; 2], contract: [&[i64]; 2], ty: Ty<'c>| {
        let numbers = b.parse_attr(&format!(
            "#stablehlo.dot<lhs_batching_dimensions = {:?}, rhs_batching_dimensions = {:?}, lhs_contracting_dimensions = {:?}, \
             rhs_contracting_dimensions = {:?}>",
            batch[0], batch[1], contract[0], contract[1]
        ));
        let mut attributes = vec![("dot_dimension_numbers", numbers)];
        attributes.extend(precision);
        b.op1("stablehlo.dot_general", &[lhs, rhs], ty, &attributes)
    };
    let mode = numbers.mode();
    if mode == RaggedMode::Batching {
        // Each batch element belongs to one group, and both sides have it.
        let value = dot(
            lhs,
            [&lhs_batch, &rhs_batch],
            [&lhs_contract, &rhs_contract],
            op.result(0).r#type(),
        );
        replace(op, &[value]);
        return Ok(());
    }
    let ragged = numbers.lhs_ragged;
    let mut of_sizes = numbers.with_own_sizes(shape.len());
    if prefix.is_empty() {
        of_sizes.clear();
    }
    let fits = of_sizes.len() == prefix.len()
        && of_sizes
            .iter()
            .zip(prefix)
            .all(|(d, size)| shape.get(*d as usize) == Some(size));
    if !fits {
        return fail(
            op,
            format!(
                "has group sizes of the shape {prefix:?} for the dimensions {of_sizes:?} of lhs"
            ),
        );
    }
    let masked = mask_by_group(
        b,
        lhs,
        &lhs_ty,
        &shape,
        Sizes {
            value: sizes,
            ty: &sizes_ty,
            groups,
            of: &of_sizes,
        },
        ragged as usize,
    );
    let shift = |dims: &[i64]| -> Vec<i64> { dims.iter().map(|d| d + 1).collect() };
    let (batch, mut contract) = (shift(&lhs_batch), shift(&lhs_contract));
    let ty = op.result(0).r#type();
    let value = match (mode, numbers.rhs_group) {
        (RaggedMode::Free, Some(group)) => {
            contract.insert(0, 0);
            let with_group = [vec![group], rhs_contract].concat();
            dot(masked, [&batch, &rhs_batch], [&contract, &with_group], ty)
        }
        (RaggedMode::Contracting, _) => {
            let Some(result) = TensorType::from_mlir(ty) else {
                return fail(op, "needs a result of known rank");
            };
            // A product has the dimensions of the batch first, here it is the groups.
            let mut behind = result.clone();
            behind.dims[..=batch.len()].rotate_left(1);
            let behind = b.parse_type(&behind.to_string());
            let value = dot(
                masked,
                [&batch, &rhs_batch],
                [&contract, &rhs_contract],
                behind,
            );
            let mut order: Vec<i64> = (0..result.rank() as i64).collect();
            order[..=batch.len()].rotate_right(1);
            let permutation = [("permutation", b.i64_array(&order))];
            match batch.is_empty() {
                true => value,
                false => b.op1("stablehlo.transpose", &[value], ty, &permutation),
            }
        }
        _ => return fail(op, "needs exactly one group dimension"),
    };
    replace(op, &[value]);
    Ok(())
}

/// The sizes of the groups: `[prefix…, groups]`.
struct Sizes<'a, 'c> {
    value: Val<'c>,
    ty: &'a TensorType,
    groups: i64,
    /// The dimensions of lhs that the prefix stands for.
    of: &'a [i64],
}

/// `lhs` once for each group (a new first dimension), zero outside of the group's part of dimension `ragged`.
fn mask_by_group<'c>(
    b: &Builder<'c>,
    lhs: Val<'c>,
    lhs_ty: &TensorType,
    shape: &[i64],
    sizes: Sizes<'_, 'c>,
    ragged: usize,
) -> Val<'c> {
    let groups = sizes.groups;
    let sizes_type = sizes.value.r#type();
    let ty = |element: &ElementType, shape: &[i64]| {
        b.parse_type(&TensorType::new(element.clone(), shape).to_string())
    };
    let element = &sizes.ty.element;
    let mut full = vec![groups];
    full.extend(shape);
    let broadcast = |value: Val<'c>, element: &ElementType, dims: &[i64]| {
        let attribute = b.i64_array(dims);
        b.op1(
            "stablehlo.broadcast_in_dim",
            &[value],
            ty(element, &full),
            &[("broadcast_dimensions", attribute)],
        )
    };
    // Sums of the sizes up to and including each group: a product with a triangle of ones.
    let square = ty(element, &[groups, groups]);
    let count = |dimension: i64| {
        let attribute = b.i64_attr(dimension);
        b.op1(
            "stablehlo.iota",
            &[],
            square,
            &[("iota_dimension", attribute)],
        )
    };
    let compare = |a: Val<'c>, c: Val<'c>, direction: &str, shape: &[i64]| {
        let direction = b.parse_attr(&format!("#stablehlo<comparison_direction {direction}>"));
        b.op1(
            "stablehlo.compare",
            &[a, c],
            ty(&ElementType::Bool, shape),
            &[("comparison_direction", direction)],
        )
    };
    let triangle = compare(count(0), count(1), "GE", &[groups, groups]);
    let triangle = b.op1("stablehlo.convert", &[triangle], square, &[]);
    let numbers = b.parse_attr(&format!(
        "#stablehlo.dot<lhs_contracting_dimensions = [{}], rhs_contracting_dimensions = [1]>",
        sizes.of.len()
    ));
    let ends = b.op1(
        "stablehlo.dot_general",
        &[sizes.value, triangle],
        sizes_type,
        &[("dot_dimension_numbers", numbers)],
    );
    let starts = b.op1("stablehlo.subtract", &[ends, sizes.value], sizes_type, &[]);
    // The prefix goes to its dimensions of lhs, the groups to the new one.
    let mut to: Vec<i64> = sizes.of.iter().map(|d| d + 1).collect();
    to.push(0);
    let dimension = b.i64_attr(ragged as i64 + 1);
    let position = b.op1(
        "stablehlo.iota",
        &[],
        ty(element, &full),
        &[("iota_dimension", dimension)],
    );
    let after = compare(position, broadcast(starts, element, &to), "GE", &full);
    let before = compare(position, broadcast(ends, element, &to), "LT", &full);
    let inside = b.op1(
        "stablehlo.and",
        &[after, before],
        ty(&ElementType::Bool, &full),
        &[],
    );
    let dims: Vec<i64> = (1..=shape.len() as i64).collect();
    let repeated = broadcast(lhs, &lhs_ty.element, &dims);
    let zero = zero_literal(&lhs_ty.element);
    let all = ty(&lhs_ty.element, &full);
    let value = b.parse_attr(&format!("dense<{zero}> : {all}"));
    let zero = b.op1("stablehlo.constant", &[], all, &[("value", value)]);
    b.op1("stablehlo.select", &[inside, repeated, zero], all, &[])
}
