//! Many updates of few elements (histograms, sums of segments): each part of the updates has results of its own, which are combined at the end.
//!
//! `scatter(x, i, u)` becomes `x ⊕ reduce(scatter(e, reshape i, reshape u))` where ⊕ is the operation of the updates, `e` as many times `x`'s
//! shape of its identity as there are parts, and the parts are a batching dimension. The order of updates is free (StableHLO, `scatter`).

use super::{LEAST, clone_body, fixed};
use crate::hlo::neutral_literal;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{
    Builder, ElementType, FloatKind, Op, Ty, Val, computation::single_op, edit, op,
};
use mapwright_ops::{attrs::ScatterDimensions, registry::lookup};

/// Parts, at most.
const PARTS: i64 = 8;

pub(super) fn split<'c>(b: &Builder<'c>, op: Op<'c>) -> Option<()> {
    let (operand, indices, updates) = (op.operand(0), op.operand(1), op.operand(2));
    let (ty, shape) = fixed(operand)?;
    let (_, places) = fixed(indices)?;
    let (all, given) = fixed(updates)?;
    let (elements, count) = (ty.num_elements()?, all.num_elements()?);
    let dims = ScatterDimensions::decode(op).ok()?;
    if count < LEAST || elements == 0 || elements > count / (4 * PARTS) {
        return None;
    }
    if !dims.input_batching_dims.is_empty() {
        return None;
    }
    // Types whose sums do not depend much on their order.
    let is_wide = match ty.element {
        ElementType::Float(kind) => matches!(kind, FloatKind::F32 | FloatKind::F64),
        ElementType::Int { width, .. } => width >= 8,
        _ => false,
    };
    let combine = lookup(single_op(op.body(0)?)?)?;
    let identity = neutral_literal(combine.combines.filter(|_| is_wide)?, &ty.element)?;
    // The outermost dimension that counts updates, in both.
    let from = (0..places.len()).find(|d| *d as i64 != dims.index_vector_dim)?;
    let of = (0..given.len()).find(|d| !dims.update_window_dims.contains(&(*d as i64)))?;
    let n = *places.get(from)?;
    let parts = (2..=PARTS).rev().find(|parts| n % parts == 0)?;

    b.set_location(op.location());
    let element: Ty<'c> = b.element_of(operand.r#type());
    let sized = |sizes: &[i64], element: Ty<'c>| {
        let sizes: Vec<String> = sizes.iter().map(|n| format!("{n}x")).collect();
        b.parse_type(&format!("tensor<{}{element}>", sizes.concat()))
    };
    let add = |name: &str, operands: &[Val<'c>], ty: Ty<'c>, attributes: &[_]| {
        let new = b.op(name, operands, &[ty], attributes);
        new.move_before(op);
        new.result(0)
    };
    let cut = |value: Val<'c>, sizes: &[i64], at: usize| {
        let mut sizes = sizes.to_vec();
        sizes[at] = parts;
        sizes.insert(at + 1, n / parts);
        let ty = sized(&sizes, b.element_of(value.r#type()));
        add("stablehlo.reshape", &[value], ty, &[])
    };
    let indices = cut(indices, &places, from);
    let updates = cut(updates, &given, of);
    let scalar = sized(&[], element);
    let value = b.parse_attr(&format!("dense<{identity}> : {scalar}"));
    let identity = add("stablehlo.constant", &[], scalar, &[("value", value)]);
    let mut sizes = vec![parts];
    sizes.extend(&shape);
    let several = sized(&sizes, element);
    let none = [("broadcast_dimensions", b.i64_array(&[]))];
    let start = add("stablehlo.broadcast_in_dim", &[identity], several, &none);

    let behind = |list: &[i64], at: i64| -> Vec<i64> {
        list.iter().map(|d| d + i64::from(*d >= at)).collect()
    };
    let (from, of) = (from as i64, of as i64);
    let numbers = format!(
        "#stablehlo.scatter<update_window_dims = {:?}, inserted_window_dims = {:?}, input_batching_dims = [0], \
         scatter_indices_batching_dims = [{from}], scatter_dims_to_operand_dims = {:?}, index_vector_dim = {}>",
        behind(&dims.update_window_dims, of + 1),
        behind(&dims.inserted_window_dims, 0),
        behind(&dims.scatter_dims_to_operand_dims, 0),
        dims.index_vector_dim + i64::from(dims.index_vector_dim > from),
    );
    let partial = b.op_with_regions(
        op.name(),
        &[start, indices, updates],
        &[several],
        &[("scatter_dimension_numbers", b.parse_attr(&numbers))],
        vec![clone_body(b, op)?],
    );
    partial.move_before(op);
    let whole = b.op_with_regions(
        "stablehlo.reduce",
        &[partial.result(0), identity],
        &[operand.r#type()],
        &[("dimensions", b.i64_array(&[0]))],
        vec![clone_body(b, op)?],
    );
    whole.move_before(op);
    let combine = format!("stablehlo.{}", combine.name);
    let found = add(&combine, &[operand, whole.result(0)], operand.r#type(), &[]);
    op::replace_all_uses(op.result(0), found);
    edit::erase_unused(op);
    Some(())
}
