//! Parts of sums: what is reduced is cut into tiles, and what comes of them is reduced again.
//!
//! Tiles that run side by side give a value each. Of tiles that run one after another, element by
//! element is summed up by itself ([`summed`]), from what what changes nothing ([`begun`]).
//! StableHLO leaves the order of a reduction open, and how often its initial value is taken in.
//! Code that is not tiled takes it in once, and so do parts: they begin with what is [`neutral`],
//! and only what puts them together begins with the initial value.

use super::{
    Direct,
    clone_for_tile::Tiler,
    reduced,
    tensor_slice::{TensorSlice, image_of_tile},
};
use crate::{
    error::{Result, unsupported},
    index::Ix,
    linalg::{element::tensor, maps::only_map},
};
use mapwright_mlir::{
    Builder, ElementType, FloatKind, Op, TensorType, Ty, Val,
    attr::Dense,
    edit,
    melior::ir::{Region, ValueLike},
    op,
    tiling::Tiled,
};
use mapwright_normalize::{fold::computation, hlo::neutral_literal};
use mapwright_ops::{
    attrs::{self, DotDimensions},
    reduction::combination::Combination,
    registry,
};
use std::collections::HashMap;

/// Operations with loops that reduce.
pub(super) const REDUCE: [&str; 2] = ["dot_general", "reduce"];

/// The results of `op` from those of its parts, which have a dimension more at the end for each of
/// the loops (`count` of them) that were cut.
pub(super) fn merged<'c>(
    b: &Builder<'c>,
    op: Op<'c>,
    parts: &[Val<'c>],
    count: usize,
) -> Result<Tiled<'c>> {
    let rank = tensor(op.result(0))?.rank();
    let mut operands = parts.to_vec();
    operands.extend(initial(b, op)?);
    let region = match op.short_name() {
        "reduce" => regions(op),
        _ => {
            let element = tensor(op.result(0))?.element;
            let scalar = b.parse_type(&TensorType::new(element, &[]).to_string());
            vec![b.region(&[scalar, scalar], |b, arguments| {
                let sum = b.op("stablehlo.add", arguments, &[scalar], &[]);
                b.op("stablehlo.return", &sum.results(), &[], &[]);
            })]
        }
    };
    let types: Vec<_> = op.results().iter().map(|value| value.r#type()).collect();
    let dims: Vec<i64> = (rank..rank + count).map(|k| k as i64).collect();
    let attributes = [("dimensions", b.i64_array(&dims))];
    let made = b.op_with_regions("stablehlo.reduce", &operands, &types, &attributes, region);
    Ok(Tiled {
        results: made.results(),
        ops: vec![made],
        slices: Vec::new(),
    })
}

/// A copy of the computation of a reduction.
fn regions<'c>(op: Op<'c>) -> Vec<Region<'c>> {
    let copy = edit::clone(op, &HashMap::new());
    let regions = edit::take_regions(copy);
    edit::erase_unused(copy);
    regions
}

/// The scalars that the results begin with.
fn initial<'c>(b: &Builder<'c>, op: Op<'c>) -> Result<Vec<Val<'c>>> {
    match op.short_name() {
        "reduce" => Ok(op.operands()[op.num_results()..].to_vec()),
        _ => Ok(vec![zero(b, &tensor(op.result(0))?.element)?]),
    }
}

/// The scalars that parts of the results begin with: they change nothing, or the initial values no
/// more often than once.
///
/// # Errors
/// A computation of which that is not known.
pub(super) fn neutral<'c>(b: &Builder<'c>, op: Op<'c>) -> Result<Vec<Val<'c>>> {
    let initial = initial(b, op)?;
    let Some(body) = attrs::computation(op, 0).filter(|_| op.short_name() == "reduce") else {
        return Ok(initial);
    };
    if let (Some(what), [value]) = (registry::combination(body), &initial[..]) {
        let element = tensor(*value)?.element;
        if let Some(literal) = neutral_literal(what, &element) {
            return Ok(vec![constant(b, &element, &literal)]);
        }
        if let (Combination::Sum, ElementType::Complex(_)) = (what, &element) {
            return Ok(vec![zero(b, &element)?]);
        }
    }
    // What gives itself when it is combined with itself may be taken in as often as there are
    // parts.
    let held = |value: &Val<'c>| {
        let (made, _) = op::defining_op(*value)?;
        Dense::from_mlir(made.attribute("value")?)
    };
    let known: Option<Vec<Dense>> = initial.iter().map(held).collect();
    let is_idempotent = known.is_some_and(|known| {
        let twice = [known.as_slice(), known.as_slice()].concat();
        computation(body, &twice).is_some_and(|given| {
            let data = |all: &[Dense]| all.iter().map(|one| one.data.clone()).collect::<Vec<_>>();
            data(&given) == data(&known)
        })
    });
    if is_idempotent {
        Ok(initial)
    } else {
        unsupported("parts of a reduction of which no neutral element is known")
    }
}

/// Emits the zero with which a sum begins. Narrow numbers are refused: they would be rounded once
/// more for each part.
fn zero<'c>(b: &Builder<'c>, element: &ElementType) -> Result<Val<'c>> {
    let literal = match element {
        ElementType::Int { .. } => "0",
        ElementType::Float(FloatKind::F32 | FloatKind::F64) => "0.0",
        ElementType::Complex(_) => "(0.0, 0.0)",
        _ => return unsupported(format!("parts of a sum of elements of type {element}")),
    };
    Ok(constant(b, element, literal))
}

fn constant<'c>(b: &Builder<'c>, element: &ElementType, literal: &str) -> Val<'c> {
    let ty = b.parse_type(&TensorType::new(element.clone(), &[]).to_string());
    let value = b.parse_attr(&format!("dense<{literal}> : {ty}"));
    b.op1("stablehlo.constant", &[], ty, &[("value", value)])
}

/// Tensors of these sizes for the results, full of what changes nothing.
pub(super) fn begun<'c>(b: &Builder<'c>, op: Op<'c>, sizes: Vec<Ix<'c>>) -> Result<Tiled<'c>> {
    let all = TensorSlice::all(sizes);
    let mut tiled = Tiled::default();
    for value in neutral(b, op)? {
        let ty = all.ty(b, &tensor(value)?.element);
        let mut operands = vec![value];
        let mut name = "stablehlo.broadcast_in_dim";
        if all.sizes.iter().any(|size| size.known().is_none()) {
            let shape = TensorType::new(ElementType::Index, &[all.sizes.len() as i64]);
            let sizes: Vec<Val<'c>> = all.sizes.iter().map(|size| size.value(b)).collect();
            let shape = b.parse_type(&shape.to_string());
            operands.push(b.op1("tensor.from_elements", &sizes, shape, &[]));
            name = "stablehlo.dynamic_broadcast_in_dim";
        }
        let nowhere = [("broadcast_dimensions", b.i64_array(&[]))];
        let made = b.op(name, &operands, &[ty], &nowhere);
        tiled.results.push(made.result(0));
        tiled.ops.push(made);
    }
    Ok(tiled)
}

/// `sums` with the elements of `tile`: each element of the loops `cut` is summed up by itself, in a
/// dimension at the end, the rest of what is reduced whole.
pub(super) fn summed<'c>(
    b: &Builder<'c>,
    op: Op<'c>,
    tile: &TensorSlice<'c>,
    sums: &[Val<'c>],
    cut: &[usize],
) -> Result<Tiled<'c>> {
    let rank = tensor(op.result(0))?.rank();
    let mut direct = Direct::default();
    let mut parts = Vec::new();
    let data = match op.short_name() {
        "reduce" => op.num_results(),
        _ => op.num_operands(),
    };
    for i in 0..data {
        let map = only_map(op, 0, i)?;
        let part = image_of_tile(b, &mut direct, (op, i), &map, tile)?;
        parts.push((direct.part(b, op.operand(i), &part)?, part));
    }
    let mut shape = tile.first(rank);
    for number in cut {
        shape.offsets.push(Ix::Known(0));
        shape.sizes.push(tile.sizes[*number]);
    }
    // Dimensions of the first operand.
    let reduced = reduced(op)?;
    let cut: Vec<usize> = cut
        .iter()
        .filter_map(|n| reduced.get(n - rank).copied())
        .collect();
    let values = match op.short_name() {
        "reduce" => whole_but(b, &mut direct, op, &parts, &reduced, &cut)?,
        _ => vec![side_by_side(b, &mut direct, op, &parts, &cut, &shape)?],
    };
    let combine = combination(op)?;
    for (sum, value) in sums.iter().zip(values) {
        let operands = if combine.1 {
            [value, *sum]
        } else {
            [*sum, value]
        };
        let ty = shape.ty(b, &tensor(value)?.element);
        let made = b.op(combine.0, &operands, &[ty], &[]);
        direct.made(made);
        direct.0.results.push(made.result(0));
    }
    Ok(direct.0)
}

/// The operation that a reduction sums up with, and whether it takes the next value first.
fn combination(op: Op<'_>) -> Result<(&'static str, bool)> {
    const KNOWN: [&str; 7] = [
        "stablehlo.add",
        "stablehlo.and",
        "stablehlo.maximum",
        "stablehlo.minimum",
        "stablehlo.multiply",
        "stablehlo.or",
        "stablehlo.xor",
    ];
    if op.short_name() != "reduce" {
        return Ok((KNOWN[0], false));
    }
    let found = attrs::computation(op, 0).and_then(|block| {
        let (arguments, ops) = (op::arguments(block), op::ops(block));
        let ([x, y], [only, end]) = (&arguments[..], &ops[..]) else {
            return None;
        };
        let name = KNOWN.into_iter().find(|name| *name == only.name())?;
        let takes = |a, b| {
            let operands = only.operands();
            op::key(operands[0]) == op::key(a) && op::key(operands[1]) == op::key(b)
        };
        let ends = op::key(end.operand(0)) == op::key(only.result(0));
        (ends && (takes(*x, *y) || takes(*y, *x))).then(|| (name, takes(*y, *x)))
    });
    match found {
        Some(found) => Ok(found),
        None => unsupported("a sum of elements one by one by a computation of several operations"),
    }
}

/// The operands of a `reduce` in which nothing but the dimensions `cut` is left of what is reduced;
/// these come last.
fn whole_but<'c>(
    b: &Builder<'c>,
    direct: &mut Direct<'c>,
    op: Op<'c>,
    parts: &[(Val<'c>, TensorSlice<'c>)],
    reduced: &[usize],
    cut: &[usize],
) -> Result<Vec<Val<'c>>> {
    let rank = parts[0].1.sizes.len();
    let gone = |d: &usize| reduced.contains(d) && !cut.contains(d);
    let left: Vec<usize> = (0..rank).filter(|d| !gone(d)).collect();
    let mut values: Vec<Val<'c>> = parts.iter().map(|(value, _)| *value).collect();
    let ty = |b: &Builder<'c>, part: &TensorSlice<'c>, dims: &[usize], value: Val<'c>| {
        let sizes = dims.iter().map(|d| part.sizes[*d]).collect();
        Ok(TensorSlice::all(sizes).ty(b, &tensor(value)?.element))
    };
    if left.len() < rank {
        let mut operands = values.clone();
        operands.extend(neutral(b, op)?);
        let types = parts.iter().map(|(value, part)| ty(b, part, &left, *value));
        let types: Vec<Ty<'c>> = types.collect::<Result<_>>()?;
        let dims: Vec<i64> = (0..rank).filter(gone).map(|d| d as i64).collect();
        let attributes = [("dimensions", b.i64_array(&dims))];
        let made = b.op_with_regions(
            "stablehlo.reduce",
            &operands,
            &types,
            &attributes,
            regions(op),
        );
        direct.made(made);
        values = made.results();
    }
    let kept = left.iter().copied().filter(|d| !cut.contains(d));
    let order: Vec<usize> = kept.chain(cut.iter().copied()).collect();
    let places = order
        .iter()
        .filter_map(|d| left.iter().position(|l| l == d));
    let permutation: Vec<usize> = places.collect();
    let mut found = Vec::new();
    for (value, (_, part)) in values.into_iter().zip(parts) {
        let ty = ty(b, part, &order, value)?;
        found.push(transposed(b, direct, value, &permutation, ty));
    }
    Ok(found)
}

/// `value` with the dimensions in this order, of type `ty`.
fn transposed<'c>(
    b: &Builder<'c>,
    direct: &mut Direct<'c>,
    value: Val<'c>,
    order: &[usize],
    ty: Ty<'c>,
) -> Val<'c> {
    if order.is_sorted() {
        return value;
    }
    let order: Vec<i64> = order.iter().map(|d| *d as i64).collect();
    let attributes = [("permutation", b.i64_array(&order))];
    let made = b.op("stablehlo.transpose", &[value], &[ty], &attributes);
    direct.made(made);
    made.result(0)
}

/// The product of the operands of a `dot_general` in which the contracted dimensions `cut` of the
/// left one are not summed up; in the order of `shape`, where they are last.
fn side_by_side<'c>(
    b: &Builder<'c>,
    direct: &mut Direct<'c>,
    op: Op<'c>,
    parts: &[(Val<'c>, TensorSlice<'c>)],
    cut: &[usize],
    shape: &TensorSlice<'c>,
) -> Result<Val<'c>> {
    let mut dims = DotDimensions::decode(op)?;
    let batch = dims.lhs_batching.len();
    for d in cut {
        let at = dims.lhs_contracting.iter().position(|l| *l == *d as i64);
        let Some(at) = at else {
            return unsupported("a loop over no dimension");
        };
        dims.lhs_batching.push(dims.lhs_contracting.remove(at));
        dims.rhs_batching.push(dims.rhs_contracting.remove(at));
    }
    let text = format!(
        "#stablehlo.dot<lhs_batching_dimensions = {:?}, rhs_batching_dimensions = {:?}, \
         lhs_contracting_dimensions = {:?}, rhs_contracting_dimensions = {:?}>",
        dims.lhs_batching, dims.rhs_batching, dims.lhs_contracting, dims.rhs_contracting
    );
    let mut attributes = op.attributes();
    attributes.retain(|(name, _)| *name != "dot_dimension_numbers");
    attributes.push(("dot_dimension_numbers", b.parse_attr(&text)));
    // Of the product: what was batched, what is cut, all others.
    let (rank, count) = (shape.sizes.len(), cut.len());
    let (own, last) = (0..batch, rank - count..rank);
    let order: Vec<usize> = own.chain(last).chain(batch..rank - count).collect();
    let element = tensor(op.result(0))?.element;
    let ty = TensorSlice::all(order.iter().map(|d| shape.sizes[*d]).collect()).ty(b, &element);
    let operands: Vec<Val<'c>> = parts.iter().map(|(value, _)| *value).collect();
    let made = b.op(op.name(), &operands, &[ty], &attributes);
    direct.made(made);
    // Where each dimension of the shape is.
    let places = (0..rank).filter_map(|d| order.iter().position(|o| *o == d));
    let places: Vec<usize> = places.collect();
    let ty = shape.ty(b, &element);
    Ok(transposed(b, direct, made.result(0), &places, ty))
}
