//! An element of any operation: which function computes it.

use super::{
    apply_map,
    body::{Body, tensor},
    contraction, reduce, region, shape,
};
use crate::{
    error::{Result, unsupported},
    index::Ix,
    scalar,
    storage::Elem,
};
use mapwright_mlir::{Builder, Op};
use mapwright_ops::{attrs, registry};

/// Elements of all results of `op` at `index`.
pub(crate) fn of_operation<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    index: &[Ix<'c>],
) -> Result<Vec<Elem<'c>>> {
    if let Some(rule) = registry::lookup(op).and_then(|def| def.index_rule) {
        return Ok(vec![apply_map::element(b, body, op, rule, index)?]);
    }
    Ok(vec![match attrs::name(op) {
        "constant" => shape::constant(b, op)?,
        "iota" | "dynamic_iota" => shape::iota(b, op, index)?,
        "get_dimension_size" => shape::dimension_size(b, body, op)?,
        "bitcast_convert" if tensor(op.operand(0))?.rank() != index.len() => {
            shape::regrouped(b, body, op, index)?
        }
        "map" => region::map(b, body, op, index)?,
        "dot" | "dot_general" => contraction::dot(b, body, op, index)?,
        "convolution" | "dynamic_conv" => contraction::convolution(b, body, op, index)?,
        "reduce" => return reduce::reduce(b, body, op, index),
        "reduce_window" | "dynamic_reduce_window" => {
            return reduce::reduce_window(b, body, op, index);
        }
        "optimization_barrier" => {
            let operands = op.operands().into_iter();
            return operands.map(|v| body.element(b, v, index)).collect();
        }
        _ if scalar::is_elementwise(op) => elementwise(b, body, op, index)?,
        _ => return unsupported("not in a fused region"),
    }])
}

fn elementwise<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    index: &[Ix<'c>],
) -> Result<Elem<'c>> {
    let mut args = Vec::new();
    for operand in op.operands() {
        // `select` and `clamp` allow operands of rank 0.
        let rank = tensor(operand)?.rank();
        let at = if rank < index.len() { &[] } else { index };
        args.push(body.element(b, operand, at)?);
    }
    match shape::per_axis(b, op, index, &args)? {
        Some(element) => Ok(element),
        None => scalar::apply(b, op, &args),
    }
}
