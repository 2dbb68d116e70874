//! Calls become what they call.

use crate::rewrite::{Result, fail, replace};
use mapwright_mlir::{Blk, Op, Val, edit, op};
use mapwright_ops::{control::regions::callee, typing::find_function};
use std::collections::HashMap;

/// Deepest nesting of calls.
const MOST_DEPTH: usize = 64;

/// Copies the operations of a block, the last one too; `put` gets each. `new` has what values of the block are in the copy, and gets the others.
pub(super) fn copy<'c>(block: Blk<'c>, new: &mut HashMap<usize, Val<'c>>, put: &dyn Fn(Op<'c>)) {
    for op in op::ops(block) {
        let copy = edit::clone(op, new);
        put(copy);
        for (old, value) in op.results().into_iter().zip(copy.results()) {
            new.insert(op::key(old), value);
        }
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

fn one<'c>(op: Op<'c>, depth: usize) -> Result<'c> {
    if !matches!(op.name(), "func.call" | "stablehlo.composite") {
        return within(op, depth);
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
    let mut new: HashMap<usize, Val<'c>> = HashMap::new();
    for (old, value) in arguments.into_iter().zip(op.operands()) {
        new.insert(op::key(old), value);
    }
    let copied = std::cell::RefCell::new(Vec::new());
    copy(block, &mut new, &|copy| {
        edit::insert_before(op, copy);
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
