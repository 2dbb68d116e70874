//! CHLO: element-wise functions, broadcasts, constants like another value, `top_k`.

use super::checks::common;
use crate::typing::check::*;
use mapwright_mlir::{Dim, ElementType, FloatKind, Op, TensorType, attr};

/// Functions of elements: the result has the type of the operands, which all have one.
pub fn function(op: Op<'_>) -> Check<Inferred> {
    if !ranked(op) {
        return Ok(None);
    }
    let all = common(op, "")?;
    for ty in operands(op)? {
        same_element("", "operands", &all, &ty)?;
    }
    one(all.element, all.dims)
}

/// `is_inf` and its kind.
pub fn predicate(op: Op<'_>) -> Check<Inferred> {
    if !ranked(op) {
        return Ok(None);
    }
    one(ElementType::Bool, operand(op, 0)?.dims)
}

/// `constant_like`: the shape of its operand, the type of its value.
pub fn constant_like(op: Op<'_>) -> Check<Inferred> {
    if !ranked(op) {
        return Ok(None);
    }
    let (operand, result) = (operand(op, 0)?, result(op, 0)?);
    let Some(value) = op.attribute("value") else {
        return violation("", "needs the attribute 'value'");
    };
    let own = attr::number_type(value);
    ensure!(
        own.as_ref() == Some(&result.element),
        "",
        "'value' must be a number of the type {} of the result, is {value}",
        result.element
    );
    one(result.element, operand.dims)
}

/// The dimensions of the result that those of an operand of rank `own` are: the last ones, or what
/// `broadcast_dimensions` says.
fn places(op: Op<'_>, own: usize, rank: usize) -> Check<Vec<usize>> {
    let explicit = match op.attribute("broadcast_dimensions") {
        Some(_) if own < rank => Some(required_ints(op, "broadcast_dimensions")?),
        _ => None,
    };
    let Some(dims) = explicit else {
        return Ok((rank - own..rank).collect());
    };
    size_is("", "broadcast_dimensions", &dims, own)?;
    in_rank("", "broadcast_dimensions", &dims, rank)?;
    unique("", "broadcast_dimensions", &dims)?;
    sorted("", "broadcast_dimensions", &dims)?;
    Ok(dims.into_iter().map(|d| d as usize).collect())
}

/// Returns the size that follows from those of two operands, where one of size 1 is stretched;
/// `None` where they do not agree.
fn stretched(a: Dim, b: Dim) -> Option<Dim> {
    match (a, b) {
        (Dim::Static(1), other) | (other, Dim::Static(1)) => Some(other),
        _ => sizes_agree(a, b).then(|| merge_sizes(a, b)),
    }
}

/// The shape that operands are broadcast to.
fn broadcast(op: Op<'_>, types: &[TensorType]) -> Check<Vec<Dim>> {
    let rank = types.iter().map(TensorType::rank).max().unwrap_or(0);
    let mut shape = vec![Dim::Static(1); rank];
    for (i, ty) in types.iter().enumerate() {
        for (d, at) in places(op, ty.rank(), rank)?.into_iter().enumerate() {
            let Some(size) = stretched(shape[at], ty.dims[d]) else {
                return violation(
                    "",
                    format!(
                        "operand #{i} has the size {} where those before it have {}, which cannot be broadcast",
                        shape_text(&[ty.dims[d]]),
                        shape_text(&[shape[at]])
                    ),
                );
            };
            shape[at] = size;
        }
    }
    Ok(shape)
}

/// `broadcast_…`: both operands have one element type.
pub fn broadcast_binary(op: Op<'_>) -> Check<Inferred> {
    if !ranked(op) {
        return Ok(None);
    }
    let (lhs, rhs) = (operand(op, 0)?, operand(op, 1)?);
    same_element("", "lhs and rhs", &lhs, &rhs)?;
    let shape = broadcast(op, &[lhs.clone(), rhs])?;
    let element = match op.short_name() {
        "broadcast_compare" => ElementType::Bool,
        "broadcast_complex" => match lhs.element {
            ElementType::Float(kind @ (FloatKind::F32 | FloatKind::F64)) => {
                ElementType::Complex(kind)
            }
            other => {
                return violation(
                    "",
                    format!("operands must be of type f32 or f64, are {other}"),
                );
            }
        },
        _ if lhs.element.is_quantized() => {
            // Scales and zero points are the result's own.
            let result = result(op, 0)?.element;
            ensure!(
                same_storage(&lhs.element, &result),
                "",
                "operands and result must have the same element type, have {} and {result}",
                lhs.element
            );
            result
        }
        _ => lhs.element,
    };
    one(element, shape)
}

/// `broadcast_select`.
pub fn broadcast_select(op: Op<'_>) -> Check<Inferred> {
    if !ranked(op) {
        return Ok(None);
    }
    let types = operands(op)?;
    let [pred, yes, no] = &types[..] else {
        return violation("", "needs three operands");
    };
    ensure!(
        pred.element == ElementType::Bool,
        "",
        "the predicate must be of i1, is {pred}"
    );
    same_element("", "on_true and on_false", yes, no)?;
    let shape = broadcast(op, &types)?;
    one(yes.element.clone(), shape)
}
