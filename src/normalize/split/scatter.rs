//! Many updates of few elements (histograms, sums of segments): each part of the updates has
//! results of its own, which are combined at the end.
//!
//! `scatter(x, i, u)` becomes `x ⊕ reduce(scatter(e, reshape i, reshape u))` where ⊕ is the
//! operation of the updates, `e` as many times `x`'s shape of its identity as there are parts, and
//! the parts are a batching dimension. The order of updates is free (StableHLO, `scatter`).

use super::{LEAST, clone_body, fixed};
use crate::{hlo::neutral_literal, make::HloBuilder};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{
    ElementType, FloatKind, Op, TensorType, Val, computation::single_op, edit, op,
};
use mapwright_ops::{attrs::ScatterDimensions, registry::lookup};

/// Parts, at most.
const PARTS: i64 = 8;

pub(super) fn split<'c>(op: Op<'c>) -> Option<()> {
    let b = HloBuilder::before(op)?;
    let (operand, indices, updates) = (op.operand(0), op.operand(1), op.operand(2));
    let (ty, shape) = fixed(operand)?;
    let (at, places) = fixed(indices)?;
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

    let cut = |value: Val<'c>, element: ElementType, sizes: &[i64], at: usize| {
        let mut sizes = sizes.to_vec();
        sizes.splice(at..=at, [parts, n / parts]);
        b.reshape(value, &TensorType::new(element, &sizes))
    };
    let indices = cut(indices, at.element, &places, from);
    let updates = cut(updates, all.element, &given, of);
    let identity = b.constant(&identity, &TensorType::new(ty.element.clone(), &[]));
    let several = TensorType::new(ty.element, &[&[parts], &shape[..]].concat());
    let start = b.broadcast(identity, &several, &[]);

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
        &[b.ty(&several)],
        &[("scatter_dimension_numbers", b.parse_attr(&numbers))],
        vec![clone_body(&b, op)?],
    );
    let whole = b.op_with_regions(
        "stablehlo.reduce",
        &[partial.result(0), identity],
        &[operand.r#type()],
        &[("dimensions", b.i64_array(&[0]))],
        vec![clone_body(&b, op)?],
    );
    let found = b.binary(combine.name, operand, whole.result(0));
    op::replace_all_uses(op.result(0), found);
    edit::erase_unused(op);
    Some(())
}
