//! Inlining of calls and composites, so that fusion sees through them. StableHLO has no recursion, so everything can be inlined.

use crate::error::Unsupported;
use mapwright_mlir::{Blk, Builder, Op, Val, attr, edit, op};
use std::collections::HashMap;

/// Depth of nested calls that is taken for a recursion.
const DEEPEST: usize = 512;

/// What cannot be compiled, and where.
#[derive(Clone, Debug)]
pub struct Located<'c> {
    /// The operation.
    pub op: Op<'c>,
    /// The reason.
    pub why: Unsupported,
}

impl<'c> Located<'c> {
    /// With a reason.
    pub fn new(op: Op<'c>, why: impl Into<String>) -> Self {
        Self {
            op,
            why: Unsupported(why.into()),
        }
    }
}

/// The functions of a module by name.
pub fn functions<'c>(module: Op<'c>) -> HashMap<String, Op<'c>> {
    let mut found = HashMap::new();
    for block in module.body(0).into_iter() {
        for op in op::ops(block) {
            if op.name() == "func.func"
                && let Some(name) = op.string("sym_name")
            {
                found.insert(name, op);
            }
        }
    }
    found
}

/// The function that `op` calls, if it is a call, a composite (its decomposition) or `chlo`'s and `mhlo`'s relatives.
fn callee(op: Op<'_>) -> Option<String> {
    match op.name() {
        "func.call" => op.symbol("callee"),
        "stablehlo.composite" | "mhlo.composite" => op.symbol("decomposition"),
        _ => None,
    }
}

/// Inlines every call in `function`, also those in regions.
pub fn inline_calls<'c>(module: Op<'c>, function: Op<'c>) -> Result<(), Located<'c>> {
    let functions = functions(module);
    for r in 0..function.num_regions() {
        for block in op::blocks(function.region(r)) {
            inline_block(&functions, block, 0)?;
        }
    }
    Ok(())
}

fn inline_block<'c>(
    functions: &HashMap<String, Op<'c>>,
    block: Blk<'c>,
    depth: usize,
) -> Result<(), Located<'c>> {
    for op in op::ops(block) {
        inline_op(functions, op, depth)?;
    }
    Ok(())
}

/// Inlines `copy` if it is a call, and the calls inside of it.
fn inline_op<'c>(
    functions: &HashMap<String, Op<'c>>,
    copy: Op<'c>,
    depth: usize,
) -> Result<(), Located<'c>> {
    if callee(copy).is_none() {
        for r in 0..copy.num_regions() {
            for inner in op::blocks(copy.region(r)) {
                inline_block(functions, inner, depth)?;
            }
        }
        return Ok(());
    }
    let Some(name) = callee(copy) else {
        return Ok(());
    };
    if depth > DEEPEST {
        return Err(Located::new(
            copy,
            format!("calls @{name}, which calls itself"),
        ));
    }
    let Some(target) = functions.get(&name) else {
        return Err(Located::new(
            copy,
            format!("calls @{name}, which does not exist"),
        ));
    };
    let Some(body) = target.body(0) else {
        return Err(Located::new(
            copy,
            format!("calls @{name}, which has no body"),
        ));
    };
    let arguments = op::arguments(body);
    if arguments.len() != copy.num_operands() {
        return Err(Located::new(
            copy,
            format!("calls @{name} with {} operands", copy.num_operands()),
        ));
    }
    let mut map: HashMap<usize, Val<'c>> = arguments
        .into_iter()
        .map(op::key)
        .zip(copy.operands())
        .collect();
    let mut copies = Vec::new();
    for member in op::ops(body) {
        if member.short_name() == "return" {
            for (result, value) in copy.results().into_iter().zip(member.operands()) {
                let value = map.get(&op::key(value)).copied().unwrap_or(value);
                op::replace_all_uses(result, value);
            }
            continue;
        }
        let inner = edit::clone(member, &map);
        edit::insert_before(copy, inner);
        for (old, new) in member.results().into_iter().zip(inner.results()) {
            map.insert(op::key(old), new);
        }
        copies.push(inner);
    }
    edit::erase_unused(copy);
    for inner in copies {
        inline_op(functions, inner, depth + 1)?;
    }
    Ok(())
}

/// Removes operations without effect whose results nobody uses, in `block` and in the blocks inside.
pub fn remove_unused<'c>(block: Blk<'c>) {
    for op in op::ops(block).into_iter().rev() {
        for r in 0..op.num_regions() {
            for inner in op::blocks(op.region(r)) {
                remove_unused(inner);
            }
        }
        let pure = crate::can_fuse(op)
            || matches!(
                op.short_name(),
                "sort"
                    | "fft"
                    | "cholesky"
                    | "triangular_solve"
                    | "top_k"
                    | "tuple"
                    | "get_tuple_element"
            );
        if pure && op.num_results() > 0 {
            edit::erase_unused(op);
        }
    }
}

/// Replaces tuples by their elements where both ends are in sight: `get_tuple_element` of `tuple`.
pub fn flatten_tuples<'c>(_b: &Builder<'c>, block: Blk<'c>) {
    for op in op::ops(block) {
        for r in 0..op.num_regions() {
            for inner in op::blocks(op.region(r)) {
                flatten_tuples(_b, inner);
            }
        }
        if op.short_name() == "get_tuple_element"
            && let Some((tuple, 0)) = op::defining_op(op.operand(0))
            && tuple.short_name() == "tuple"
            && let Some(i) = op.attribute("index").and_then(attr::int)
            && let Ok(i) = usize::try_from(i)
            && i < tuple.num_operands()
        {
            op::replace_all_uses(op.result(0), tuple.operand(i));
        }
    }
}
