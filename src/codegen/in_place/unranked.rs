//! Tensors without a rank that functions from outside of the module are given.
//!
//! Upstream's bufferization takes it that a function without a body writes to what it is given,
//! unless it says `bufferization.access = "read"`, and it cannot copy a tensor without a rank. What
//! is read after such a call, by a region that was formed around a later operation for instance, is
//! given to it as a copy.

use super::values::copied;
use mapwright_mlir::{Blk, Op, Val, attr, melior::ir::ValueLike, op};
use std::collections::{HashMap, HashSet};

/// Operations whose result is a part of the memory of their first operand.
const VIEWS: [&str; 5] = [
    "tensor.cast",
    "tensor.collapse_shape",
    "tensor.expand_shape",
    "tensor.extract_slice",
    "tensor.reshape",
];

/// Copies what is read after a function from outside got it without its rank.
pub(super) fn copy_what_is_read_later(module: Op<'_>) {
    let all = module.descendants();
    let is_unranked = |value: Val<'_>| value.r#type().to_string().starts_with("tensor<*");
    let casts = all.iter().copied();
    let casts = casts.filter(|op| op.name() == "tensor.cast" && is_unranked(op.result(0)));
    let mut functions: Option<HashMap<String, Op<'_>>> = None;
    for cast in casts {
        let functions = functions.get_or_insert_with(|| {
            let all = all.iter().filter(|op| op.name() == "func.func");
            all.filter_map(|op| Some((op.string("sym_name")?, *op)))
                .collect()
        });
        let is_written = op::uses(cast.result(0)).into_iter().any(|(user, k)| {
            let callee = user.symbol("callee").filter(|_| user.name() == "func.call");
            let function = callee.and_then(|name| functions.get(&name).copied());
            function.is_some_and(|function| writes(function, k))
        });
        if is_written && !is_unranked(cast.operand(0)) && is_read_later(cast) {
            op::set_operand(cast, 0, copied(cast, cast.operand(0)));
        }
    }
}

/// Tells whether a function, of which nothing else is known, may write to its argument `k`.
fn writes(function: Op<'_>, k: usize) -> bool {
    if !op::blocks(function.region(0)).is_empty() {
        return false;
    }
    let attributes = function.attribute("arg_attrs").and_then(attr::array);
    let own = attributes.and_then(|all| all.get(k).copied());
    let access = own.and_then(|own| attr::entry(own, "bufferization.access"));
    let access = access.and_then(attr::string);
    !matches!(access.as_deref(), Some("read" | "none"))
}

/// Tells whether an operation after `cast` reads the value that it casts: directly, as a part, or
/// as something that control flow hands on.
fn is_read_later(cast: Op<'_>) -> bool {
    let (mut open, mut seen) = (vec![cast.operand(0)], HashSet::new());
    while let Some(value) = open.pop() {
        if !seen.insert(op::key(value)) {
            continue;
        }
        let made = op::defining_op(value);
        let block = match made {
            Some((made, _)) => made.block(),
            None => op::block_argument(value).map(|(block, _)| block),
        };
        // An iteration comes after the one before it.
        if block != cast.block() && is_around(block, cast) {
            return true;
        }
        if let Some((made, number)) = made {
            open.extend(values_passed_on(made, number));
        }
        for (user, k) in op::uses(value) {
            if user == cast {
                continue;
            }
            let around = user.parent().filter(|_| user.name() == "scf.yield");
            if let Some(around) = around.filter(|around| k < around.num_results()) {
                open.push(around.result(k));
            } else if is_view(user) {
                open.push(user.result(0));
            } else if is_after(user, cast) {
                return true;
            } else if let Some(r) = k.checked_sub(3).filter(|_| user.name() == "scf.for") {
                open.push(user.result(r));
            }
        }
    }
    false
}

/// The values in whose memory a result may be.
fn values_passed_on<'c>(made: Op<'c>, number: usize) -> Vec<Val<'c>> {
    if is_view(made) {
        return vec![made.operand(0)];
    }
    let branches = || (0..made.num_regions()).filter_map(|r| made.body(r));
    let yielded = branches().filter_map(|block| {
        let end = op::ops(block).last().copied()?;
        (number < end.num_operands()).then(|| end.operand(number))
    });
    match made.name() {
        "scf.if" | "scf.index_switch" => yielded.collect(),
        "scf.for" => yielded.chain([made.operand(number + 3)]).collect(),
        "scf.while" if number < made.num_operands() => vec![made.operand(number)],
        _ => Vec::new(),
    }
}

/// Tells whether `cast` is inside of an operation of `block`.
fn is_around(block: Option<Blk<'_>>, cast: Op<'_>) -> bool {
    let mut ancestors = std::iter::successors(cast.parent(), |op| op.parent());
    block.is_some() && ancestors.any(|op| op.block() == block)
}

fn is_view(op: Op<'_>) -> bool {
    VIEWS.contains(&op.name())
}

/// Tells whether `op`, or an operation around it, comes after `other` in the block of that.
fn is_after<'c>(op: Op<'c>, other: Op<'c>) -> bool {
    let mut around = Some(op);
    while let Some(op) = around {
        if op.block() == other.block() {
            return op::is_before(other, op);
        }
        around = op.parent();
    }
    true
}
