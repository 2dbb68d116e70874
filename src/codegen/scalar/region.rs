//! Regions of scalar code (bodies of `reduce`, `reduce_window`, `map`, `scatter`, comparators)
//! computed inline.

use super::{apply, is_elementwise, select};
use crate::{
    error::{Result, unsupported},
    storage::{self, Elem},
};
use mapwright_mlir::{
    Blk, Builder, Op, Val,
    attr::{self, Dense},
    op,
};
use mapwright_ops::registry::{Class, lookup};
use std::collections::HashMap;

/// Checks that [`apply_region`] can compute `block`. On failure the reason.
pub fn region_supported(block: Blk<'_>) -> std::result::Result<(), String> {
    for op in op::ops(block) {
        let known = is_elementwise(op)
            || is_return(op)
            || is_movement(op)
            || matches!(
                op.short_name(),
                "constant" | "if" | "case" | "tuple" | "get_tuple_element" | "iota"
            );
        if !known {
            return Err(format!("'{}' in a scalar region", op.name()));
        }
    }
    Ok(())
}

/// All elements of a tensor are one number here, wherever they are moved.
fn is_movement(op: Op<'_>) -> bool {
    lookup(op).is_some_and(|def| def.class == Class::Movement && def.data_operands.is_none())
}

fn is_return(op: Op<'_>) -> bool {
    matches!(op.short_name(), "return" | "yield")
}

/// The values that `block` returns for the arguments `args`. `lanes` is the vector shape of the
/// arguments (empty for scalars); `outer` gives values that are defined outside the region.
pub fn apply_region<'c>(
    b: &Builder<'c>,
    block: Blk<'c>,
    args: &[Elem<'c>],
    lanes: &[i64],
    outer: &dyn Fn(Val<'c>) -> Option<Elem<'c>>,
) -> Result<Vec<Elem<'c>>> {
    let mut known: HashMap<usize, Elem<'c>> = op::arguments(block)
        .into_iter()
        .map(op::key)
        .zip(args.iter().copied())
        .collect();
    for op in op::ops(block) {
        let find = |value: Val<'c>| {
            known
                .get(&op::key(value))
                .copied()
                .or_else(|| outer(value))
                .ok_or_else(|| {
                    crate::Unsupported(format!(
                        "a value from outside the region, used by '{}'",
                        op.name()
                    ))
                })
        };
        let operands: Vec<Elem<'c>> = op.operands().into_iter().map(find).collect::<Result<_>>()?;
        if is_return(op) {
            return Ok(operands);
        }
        let results = match op.short_name() {
            "constant" => {
                let dense = op.attribute("value").and_then(Dense::from_mlir);
                let Some(dense) = dense else {
                    return unsupported(attr::why_unreadable(op.attribute("value")));
                };
                vec![storage::constant(b, &dense.ty.element, &dense.data, lanes)?]
            }
            "optimization_barrier" => operands,
            "if" => branches(b, op, operands[0], lanes, &|v| {
                known.get(&op::key(v)).copied().or_else(|| outer(v))
            })?,
            "tuple" | "get_tuple_element" | "case" | "iota" => {
                return unsupported(format!("'{}' in a scalar region", op.name()));
            }
            _ if is_elementwise(op) => vec![apply(b, op, &operands)?],
            _ if is_movement(op) => vec![operands[0]],
            _ => return unsupported(format!("'{}' in a scalar region", op.name())),
        };
        for (value, result) in op.results().into_iter().zip(results) {
            known.insert(op::key(value), result);
        }
    }
    unsupported("a region without a terminator")
}

/// `if`: both branches are pure scalar code, so both are computed and one is chosen, which works
/// for vectors as well.
fn branches<'c>(
    b: &Builder<'c>,
    op: Op<'c>,
    condition: Elem<'c>,
    lanes: &[i64],
    outer: &dyn Fn(Val<'c>) -> Option<Elem<'c>>,
) -> Result<Vec<Elem<'c>>> {
    let (Some(yes), Some(no)) = (op.body(0), op.body(1)) else {
        return unsupported("'if' without branches");
    };
    let yes = apply_region(b, yes, &[], lanes, outer)?;
    let no = apply_region(b, no, &[], lanes, outer)?;
    Ok(yes
        .into_iter()
        .zip(no)
        .map(|(yes, no)| select(b, condition, yes, no))
        .collect())
}
