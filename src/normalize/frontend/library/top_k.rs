//! `TopK`: a sort of elements and places, cut.

use crate::{
    called,
    make::HloBuilder,
    rewrite::{Result, fail, replace},
};
use mapwright_mlir::{
    ElementType, Op, TensorType, Ty, edit,
    melior::ir::{RegionLike, ValueLike},
    op,
};

/// The first elements of the last dimension in the order of the function that compares, or the
/// largest ones, and where they are. The function takes two elements, and may take two indices
/// after them.
pub(super) fn rewrite<'c>(op: Op<'c>) -> Result<'c> {
    let operand = (op.num_operands() == 1 && op.num_results() == 2).then(|| op.operand(0));
    let ty = operand.and_then(|operand| TensorType::from_mlir(operand.r#type()));
    let shape = ty.as_ref().and_then(TensorType::static_shape);
    let (Some(operand), Some(ty), Some(shape)) = (operand, ty, shape) else {
        return fail(op, "needs one tensor of static shape, and two results");
    };
    let Some(b) = HloBuilder::before(op) else {
        return fail(op, "is not inside a block");
    };
    let types = [0, 1].map(|i| TensorType::from_mlir(op.result(i).r#type()));
    let [Some(values), Some(indices)] = types else {
        return fail(op, "needs tensors as results");
    };
    let first = values.static_shape().unwrap_or_default();
    let Some((last, before)) = shape.split_last() else {
        return fail(op, "needs a dimension to select along");
    };
    let fits = values.element == ty.element
        && indices.element.is_int()
        && indices.static_shape().as_deref() == Some(&first[..])
        && first
            .split_last()
            .is_some_and(|(k, outer)| k <= last && outer == before);
    if !fits {
        return fail(
            op,
            "needs results that are smaller in the last dimension alone, one of the operand's elements, one of integers",
        );
    }
    let computations = called::computations(op)?;
    let [compares] = computations[..] else {
        if !computations.is_empty() {
            return fail(op, "needs one function in 'called_computations'");
        }
        let k = b.i64_attr(first[before.len()]);
        let int = TensorType::new(ElementType::int(32), &first);
        let found = b.several("chlo.top_k", &[operand], &[values, int], &[("k", k)]);
        let places = b.convert(found.result(1), &indices.element);
        replace(op, &[found.result(0), places]);
        return Ok(());
    };
    let of_places = TensorType::new(indices.element.clone(), &shape);
    let places = b.iota(&of_places, before.len());
    let region = called::region(&b, compares, "stablehlo.return");
    let scalars = [&ty.element, &ty.element, &indices.element, &indices.element]
        .map(|element| b.ty(&TensorType::new(element.clone(), &[])));
    let Some(block) = region
        .first_block()
        .map(|block| mapwright_mlir::block(&block))
    else {
        return fail(op, "compares by a function without a body");
    };
    for (i, scalar) in scalars.iter().enumerate().skip(op::arguments(block).len()) {
        edit::insert_argument(block, i, *scalar, op.location());
    }
    let is: Vec<Ty<'c>> = op::arguments(block).iter().map(|v| v.r#type()).collect();
    if is != scalars {
        return fail(
            op,
            "compares by a function of other arguments than its elements",
        );
    }
    let sorted = b.sort(&[operand, places], before.len(), region);
    replace(op, &[0, 1].map(|i| b.first(sorted[i], &first)));
    Ok(())
}
