//! CHLO operations that are not element-wise: constants, `top_k`, `ragged_dot`.

use super::element_of;
use crate::{
    hlo::{Hlo, zero_literal},
    make::{HloBuilder, order_of},
    rewrite::{Result, fail, replace},
};
use mapwright_mlir::{ElementType, Op, TensorType, Ty, Val, melior::ir::ValueLike};
use mapwright_ops::attrs::{DotDimensions, RaggedDotDimensions, RaggedMode};

/// Rewrites `op` if it is one of these; `None` if it is not.
pub(super) fn rewrite<'c>(op: Op<'c>) -> Option<Result<'c>> {
    let b = HloBuilder::before(op)?;
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

fn constant<'c>(op: Op<'c>, b: &HloBuilder<'c>) -> Result<'c> {
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

/// `top_k`: a stable descending sort of values and positions along the last dimension, cut after
/// `k`. Floats are ordered totally, so that NaN comes first. Ascending where the attribute
/// `largest` is false, as `mhlo.topk` has it.
pub(crate) fn top_k<'c>(op: Op<'c>, b: &HloBuilder<'c>) -> Result<'c> {
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
    let positions = b.iota(&TensorType::new(index.clone(), &shape), last);
    let order = match &ty.element {
        ElementType::Float(_) => "TOTALORDER",
        other => order_of(other),
    };
    let direction = if op.boolean("largest").unwrap_or(true) {
        "GT"
    } else {
        "LT"
    };
    let scalar = |element: &ElementType| b.ty(&TensorType::new(element.clone(), &[]));
    let (own, place) = (scalar(&ty.element), scalar(&index));
    let comparator = b.region(&[own, own, place, place], |_, arguments| {
        let attributes = b.comparison(direction, order);
        let first = b.value("stablehlo.compare", &arguments[..2], &attributes);
        b.op("stablehlo.return", &[first], &[], &[]);
    });
    let sorted = b.sort(&[operand, positions], last, comparator);
    let mut limits = shape.clone();
    limits[last] = k;
    replace(op, &[0, 1].map(|i| b.first(sorted[i], &limits)));
    Ok(())
}

/// `ragged_dot`: group `g` takes the rows (or contracted elements) from the sum of the sizes before
/// it on. Each group sees the left side with everything outside of it set to zero; the products are
/// taken over all groups at once.
fn ragged_dot<'c>(op: Op<'c>, b: &HloBuilder<'c>) -> Result<'c> {
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
        let numbers = b.dot_numbers(batch, contract);
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
            let behind = b.ty(&behind);
            let value = dot(
                masked,
                [&batch, &rhs_batch],
                [&contract, &rhs_contract],
                behind,
            );
            let mut order: Vec<usize> = (0..result.rank()).collect();
            order[..=batch.len()].rotate_right(1);
            b.transpose(value, &order)
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

/// `lhs` once for each group (a new first dimension), zero outside of the group's part of dimension
/// `ragged`.
fn mask_by_group<'c>(
    b: &HloBuilder<'c>,
    lhs: Val<'c>,
    lhs_ty: &TensorType,
    shape: &[i64],
    sizes: Sizes<'_, 'c>,
    ragged: usize,
) -> Val<'c> {
    let groups = sizes.groups;
    let element = &sizes.ty.element;
    let full = [&[groups], shape].concat();
    let all = |element: &ElementType| TensorType::new(element.clone(), &full);
    let broadcast = |value: Val<'c>, element: &ElementType, dims: &[i64]| {
        b.broadcast(value, &all(element), dims)
    };
    // Sums of the sizes up to and including each group: a product with a triangle of ones.
    let square = TensorType::new(element.clone(), &[groups, groups]);
    let triangle = b.compare("GE", b.iota(&square, 0), b.iota(&square, 1));
    let triangle = b.convert(triangle, element);
    let contracting = [sizes.of.len()];
    let ends = b.dot(
        (sizes.value, triangle),
        (&[], &[]),
        (&contracting, &[1]),
        element,
    );
    let starts = b.binary("subtract", ends, sizes.value);
    // The prefix goes to its dimensions of lhs, the groups to the new one.
    let mut to: Vec<i64> = sizes.of.iter().map(|d| d + 1).collect();
    to.push(0);
    let position = b.iota(&all(element), ragged + 1);
    let after = b.compare("GE", position, broadcast(starts, element, &to));
    let before = b.compare("LT", position, broadcast(ends, element, &to));
    let inside = b.binary("and", after, before);
    let dims: Vec<i64> = (1..=shape.len() as i64).collect();
    let repeated = broadcast(lhs, &lhs_ty.element, &dims);
    let zero = b.constant(zero_literal(&lhs_ty.element), &all(&lhs_ty.element));
    b.choose(inside, repeated, zero)
}
