//! Operands in shapes that older programs give them: initial values of reductions that are vectors
//! of one element, and predicates of `mhlo.select` that are broadcast to the values. What loops
//! carry gets one type, where regions know less of it than operands, or more.

use crate::rewrite::{Result, cast_operands, fail};
use mapwright_mlir::{
    Builder, Dim, ElementType, Op, TensorType, Ty, Val, melior::ir::ValueLike, op,
};

/// Rewrites such operands inside `module`. Returns how many there were.
///
/// # Errors
/// A loop that carries a tensor whose bound one side knows alone.
pub(super) fn legalize<'c>(module: Op<'c>) -> Result<'c, usize> {
    let mut count = 0;
    for op in module.descendants() {
        if op.is_hlo("reduce") || op.is_hlo("reduce_window") {
            count += initial_values(op)?;
        } else if op.name() == "mhlo.select" && op.num_operands() == 3 {
            count += usize::from(predicate(op));
        } else if op.is_hlo("while") {
            count += usize::from(carried(op)?);
        }
    }
    Ok(count)
}

/// Initial values become scalars.
fn initial_values<'c>(op: Op<'c>) -> Result<'c, usize> {
    let Some(b) = Builder::before(op.context(), op) else {
        return Ok(0);
    };
    let arguments = op.body(0).map(op::arguments).unwrap_or_default();
    for ty in arguments.into_iter().map(|argument| argument.r#type()) {
        if TensorType::from_mlir(ty).is_none_or(|ty| ty.rank() > 0) {
            return fail(
                op,
                format!("reduces slices, of the type {ty}: only single elements are reduced"),
            );
        }
    }
    let mut count = 0;
    for i in op.num_operands() / 2..op.num_operands() {
        let value = op.operand(i);
        let Some(ty) = TensorType::from_mlir(value.r#type()) else {
            continue;
        };
        let one = ty.rank() > 0 && ty.static_shape().is_some_and(|s| s.iter().all(|n| *n == 1));
        if one {
            let scalar = b.parse_type(&TensorType::new(ty.element, &[]).to_string());
            let value = b.op1("stablehlo.reshape", &[value], scalar, &[]);
            op::set_operand(op, i, value);
            count += 1;
        }
    }
    Ok(count)
}

/// The dimensions of values of `shape` that those of a predicate of `own` stand for, the last ones;
/// `None` where they do not fit.
fn places(own: &[i64], shape: &[i64]) -> Option<Vec<i64>> {
    let before = shape.len().checked_sub(own.len())?;
    let mut pairs = own.iter().zip(&shape[before..]);
    pairs
        .all(|(a, b)| *a == 1 || a == b)
        .then(|| (before..shape.len()).map(|d| d as i64).collect())
}

/// A predicate that is neither a scalar nor of the values' shape becomes one of it.
fn predicate<'c>(op: Op<'c>) -> bool {
    let shape = |value: Val<'c>| TensorType::from_mlir(value.r#type())?.static_shape();
    let (Some(own), Some(values), Some(b)) = (
        shape(op.operand(0)),
        shape(op.operand(1)),
        Builder::before(op.context(), op),
    ) else {
        return false;
    };
    if own.is_empty() || own == values {
        return false;
    }
    let Some(places) = places(&own, &values) else {
        return false;
    };
    let ty = b.parse_type(&TensorType::new(ElementType::Bool, &values).to_string());
    let spread = b.op1(
        "stablehlo.broadcast_in_dim",
        &[op.operand(0)],
        ty,
        &[("broadcast_dimensions", b.i64_array(&places))],
    );
    op::set_operand(op, 0, spread);
    true
}

/// Gives the values that a loop carries the types of the arguments of its body: operands, results,
/// what the condition takes and what the body returns are cast.
fn carried<'c>(op: Op<'c>) -> Result<'c, bool> {
    let (Some(condition), Some(body)) = (op.body(0), op.body(1)) else {
        return Ok(false);
    };
    let types: Vec<Ty<'c>> = op::arguments(body).iter().map(|a| a.r#type()).collect();
    let Some(end) = op::ops(body).pop() else {
        return Ok(false);
    };
    let same = |values: &[Val<'c>]| values.iter().zip(&types).all(|(v, ty)| v.r#type() == *ty);
    let conditions = op::arguments(condition);
    let groups = [op.operands(), op.results(), conditions, end.operands()];
    if groups.iter().any(|values| values.len() != types.len())
        || groups.iter().all(|values| same(values))
    {
        return Ok(false);
    }
    let unbounded = |value: &Val<'c>| match TensorType::from_mlir(value.r#type()) {
        Some(ty) => !ty.dims.iter().any(|dim| matches!(dim, Dim::Bounded(_))),
        None => true,
    };
    if !groups.iter().flatten().all(unbounded) {
        return fail(
            op,
            "carries a tensor of another type than its body takes, with a bound",
        );
    }
    cast_operands(op, &types);
    cast_operands(end, &types);
    cast_values(&op::arguments(condition), op::first(condition), &types);
    cast_values(&op.results(), op::next(op), &types);
    Ok(true)
}

/// Values that are not of these types become so; their users see the old types, through casts
/// before `anchor`, the first place that sees the values.
pub(super) fn cast_values<'c>(values: &[Val<'c>], anchor: Option<Op<'c>>, types: &[Ty<'c>]) {
    let Some(b) = anchor.and_then(|anchor| Builder::before(anchor.context(), anchor)) else {
        return;
    };
    for (value, ty) in values.iter().zip(types) {
        let old = value.r#type();
        if old == *ty {
            continue;
        }
        let users = op::uses(*value);
        value.set_type(*ty);
        let cast = b.op1("tensor.cast", &[*value], old, &[]);
        for (user, i) in users {
            op::set_operand(user, i, cast);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_predicate_stands_for_the_last_dimensions() {
        assert_eq!(places(&[2], &[3, 2]), Some(vec![1]));
        assert_eq!(places(&[3, 1], &[3, 2]), Some(vec![0, 1]));
        assert_eq!(places(&[3], &[3, 2]), None);
        assert_eq!(places(&[1, 1, 1], &[3, 2]), None);
    }
}
