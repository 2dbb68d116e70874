//! Calls become what they call.

use super::elementwise::OF_CHLO;
use crate::{
    canonical::known::splat,
    rewrite::{Result, fail, replace},
};
use mapwright_mlir::{Attr, Blk, Builder, Op, Val, attr, edit, melior::ir::ValueLike, op};
use mapwright_ops::{control::regions::callee, typing::find_function};
use std::collections::HashMap;

/// Deepest nesting of calls.
const MOST_DEPTH: usize = 64;

/// An attribute of maxima and minima with a constant that hand nothing on where both are equal.
pub(super) const NONE_OF_EQUAL: &str = "indexing.none_of_equal";

/// Functions of JAX whose derivative is zero where they have a corner. A program that was traced
/// has no text of such rules, only the names.
const FLAT_AT_CORNERS: [&str; 2] = ["relu", "relu6"];

/// Tells whether a function has the name, perhaps with a number behind it, of one whose derivative
/// is zero at corners.
fn is_flat_at_corners(name: &str) -> bool {
    FLAT_AT_CORNERS.iter().any(|known| {
        let rest = name.strip_prefix(known);
        let number = rest.and_then(|rest| rest.strip_prefix('_'));
        rest == Some("")
            || number.is_some_and(|n| !n.is_empty() && n.bytes().all(|c| c.is_ascii_digit()))
    })
}

/// Copies the operations of a block, the last one too; `put` gets each. `new` has what values of
/// the block are in the copy, and gets the others.
pub(super) fn copy<'c>(block: Blk<'c>, new: &mut HashMap<usize, Val<'c>>, put: &dyn Fn(Op<'c>)) {
    for op in op::ops(block) {
        put(edit::copy(op, new));
    }
}

/// Expands all calls and composites inside `function`, and in what they call.
pub(super) fn expand<'c>(function: Op<'c>) -> Result<'c> {
    within(function, 0)
}

fn within<'c>(of: Op<'c>, depth: usize) -> Result<'c> {
    for i in 0..of.num_regions() {
        for block in op::blocks(of.region(i)) {
            for inner in op::ops(block) {
                one(inner, depth)?;
            }
        }
    }
    Ok(())
}

/// The operation of CHLO that a composite stands for, if it has a derivative of its own, and not
/// that of its approximation.
fn of_chlo<'c>(op: Op<'c>) -> Option<Vec<Val<'c>>> {
    let name = (op.name() == "stablehlo.composite").then(|| op.string("name"))??;
    let known = name.strip_prefix("chlo.")?;
    let has = op
        .attribute("composite_attributes")
        .and_then(attr::dictionary)
        .unwrap_or_default();
    let (results, options): (usize, &[&str]) = match known {
        "top_k" => (2, &["k"]),
        _ => (1, &[]),
    };
    let same = has.iter().map(|(option, _)| option).eq(options);
    if !OF_CHLO.contains(&known) || !same || op.num_results() != results || op.num_operands() > 2 {
        return None;
    }
    let b = Builder::before(op.context(), op)?;
    let types: Vec<_> = op.results().into_iter().map(|v| v.r#type()).collect();
    let made = b.op(&name, &op.operands(), &types, &has);
    Some(made.results())
}

fn one<'c>(op: Op<'c>, depth: usize) -> Result<'c> {
    if !matches!(op.name(), "func.call" | "stablehlo.composite") {
        return within(op, depth);
    }
    if let Some(values) = of_chlo(op) {
        replace(op, &values);
        return Ok(());
    }
    let block = match callee(op, find_function) {
        Ok(block) => block,
        Err(why) => return fail(op, why),
    };
    if depth >= MOST_DEPTH {
        let name = op.symbol("callee").unwrap_or_default();
        return fail(
            find_function(op, &name).unwrap_or(op),
            "is called too deeply, or calls itself",
        );
    }
    let arguments = op::arguments(block);
    if arguments.len() != op.num_operands() {
        return fail(op, "has other operands than what it calls has arguments");
    }
    let flat = op
        .symbol("callee")
        .is_some_and(|name| is_flat_at_corners(&name));
    let mut new: HashMap<usize, Val<'c>> = HashMap::new();
    for (old, value) in arguments.into_iter().zip(op.operands()) {
        new.insert(op::key(old), value);
    }
    let copied = std::cell::RefCell::new(Vec::new());
    copy(block, &mut new, &|copy| {
        edit::insert_before(op, copy);
        let is_extreme = copy.is_hlo("maximum") || copy.is_hlo("minimum");
        if flat && is_extreme && copy.operands().into_iter().any(|v| splat(v).is_some()) {
            copy.set_attribute(NONE_OF_EQUAL, Attr::unit(copy.context()));
        }
        copied.borrow_mut().push(copy);
    });
    let mut copied = copied.into_inner();
    let Some(end) = copied.pop() else {
        return fail(op, "calls what has an empty body");
    };
    let values = end.operands();
    edit::erase_unused(end);
    if values.len() != op.num_results() {
        return fail(op, "has other results than what it calls");
    }
    replace(op, &values);
    copied.into_iter().try_for_each(|op| one(op, depth + 1))
}
