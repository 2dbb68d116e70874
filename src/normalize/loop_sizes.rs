//! Sizes in loops: what shapes, starts and limits in the body of a loop follow from is computed once, in front of the loop, where it is the same in
//! every round, and is a constant where it is made of constants.
//!
//! `jax.export` writes the arithmetic of sizes anew wherever a size is needed. A list of sizes has to be in memory when what is made of it is
//! launched, so in a loop each list would be a launch in every round. Programs of static sizes have no such lists.

use crate::{canonical::remove_unused, fold};
use mapwright_mlir::{Blk, ElementType, Op, TensorType, Val, edit, melior::ir::ValueLike, op};
use mapwright_ops::registry::{self, Class};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Elements of a list of sizes, at most.
const LONGEST: i64 = 16;

/// Moves lists of sizes that are the same in every round in front of the loops of `root`. Returns how many operations were moved or became constants.
pub fn hoist(root: Op<'_>) -> usize {
    let all = root.descendants();
    let mut holders: Vec<Op<'_>> = all.into_iter().filter(|op| is_in_loop(*op)).collect();
    if holders.is_empty() {
        return 0;
    }
    let sizes = follow(root);
    if sizes.is_empty() {
        return 0;
    }
    // The innermost first: what leaves a branch may leave the loop around it.
    holders.sort_by_key(|op| std::cmp::Reverse(around(*op).count()));
    let mut moved = 0;
    for around in holders {
        for r in 0..around.num_regions() {
            for block in op::blocks(around.region(r)) {
                moved += in_block(around, block, &sizes);
            }
        }
    }
    moved
}

/// Is it a loop, or a choice in one?
fn is_in_loop(op: Op<'_>) -> bool {
    let is_loop = |op: Op<'_>| op.is_hlo("while");
    let is_choice = op.is_hlo("if") || op.is_hlo("case");
    is_loop(op) || is_choice && around(op).any(is_loop)
}

/// The operations around `op`, the nearest first.
fn around<'c>(op: Op<'c>) -> impl Iterator<Item = Op<'c>> {
    std::iter::successors(op.parent(), |around| around.parent())
}

/// The operations that sizes of `root` follow from.
fn follow<'c>(root: Op<'c>) -> HashSet<Op<'c>> {
    let mut pending: Vec<Val<'c>> = Vec::new();
    for op in root.descendants() {
        if let Some(def) = registry::lookup(op) {
            let operands = (0..op.num_operands()).filter(|i| def.is_size_operand(op, *i));
            pending.extend(operands.map(|i| op.operand(i)));
        }
    }
    let mut found = HashSet::new();
    while let Some(value) = pending.pop() {
        if let Some((op, _)) = op::defining_op(value)
            && is_arithmetic(op)
            && found.insert(op)
        {
            pending.extend(op.operands());
        }
    }
    found
}

/// Is it a short list of integers, or one integer, that is computed of such and of the sizes of tensors?
fn is_arithmetic(op: Op<'_>) -> bool {
    let Some(def) = registry::lookup(op) else {
        return false;
    };
    let short = |value: Val<'_>| {
        TensorType::from_mlir(value.r#type()).is_some_and(|ty| {
            let count = ty.num_elements();
            let plain = ty.element.is_int() || matches!(ty.element, ElementType::Bool);
            plain && ty.rank() <= 1 && count.is_some_and(|n| n <= LONGEST)
        })
    };
    let class = match def.class {
        Class::Elementwise | Class::Movement | Class::Assembly => true,
        Class::Source => op.is_hlo("constant"),
        _ => false,
    };
    let of_shape = op.is_hlo("get_dimension_size");
    (class || of_shape)
        && op.num_regions() == 0
        && op.num_results() == 1
        && registry::is_pure(op)
        && short(op.result(0))
        && (of_shape || op.operands().into_iter().all(short))
}

fn in_block<'c>(around: Op<'c>, block: Blk<'c>, sizes: &HashSet<Op<'c>>) -> usize {
    let mut moved = 0;
    let mut copies = BTreeMap::new();
    for op in op::ops(block) {
        if !sizes.contains(&op) || op::is_constant(op.result(0)) {
            continue;
        }
        if fold::fold_one(op, LONGEST as usize).is_some() {
            moved += 1;
            continue;
        }
        let known = |value: Val<'c>| op::is_constant(value) || is_outside(value, around);
        if !op.operands().into_iter().all(known) {
            continue;
        }
        for (i, value) in op.operands().into_iter().enumerate() {
            if is_outside(value, around) {
                continue;
            }
            let Some((constant, _)) = op::defining_op(value) else {
                continue;
            };
            // Others in the loop keep theirs: a region is made of its constants, and reads what comes from outside.
            let copy = *copies.entry(op::key(value)).or_insert_with(|| {
                let copy = edit::clone(constant, &HashMap::new());
                edit::insert_before(around, copy);
                copy.result(0)
            });
            edit::set_operand(op, i, copy);
        }
        op.move_before(around);
        moved += 1;
    }
    remove_unused(block);
    moved
}

/// Is a value there before the loop is?
fn is_outside<'c>(value: Val<'c>, around: Op<'c>) -> bool {
    let mut block = match op::defining_op(value) {
        Some((op, _)) => op.block(),
        None => op::block_argument(value).map(|(block, _)| block),
    };
    while let Some(inner) = block {
        let parent = op::parent_of_block(inner);
        if parent == Some(around) {
            return false;
        }
        block = parent.and_then(Op::block);
    }
    true
}
