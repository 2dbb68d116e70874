//! Canonical form of StableHLO: operations that change nothing, or that undo or repeat each other,
//! are taken out.
//!
//! Every rewrite gives exactly the values that executing the operation gives, bit for bit but for
//! the payload of a NaN: `x + 0.0` stays (it turns -0.0 into 0.0), `x + -0.0` goes. Nothing is
//! evaluated here; that is [`crate::fold`].

mod control;
mod elementwise;
pub(crate) mod known;
mod movement;

use known::same_type;

use crate::rewrite::replace;
use mapwright_mlir::{Blk, Op, Val, edit, op};
use mapwright_ops::registry;

/// Counts of the changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Operations replaced by simpler ones or by values that are there already.
    pub simplified: usize,
    /// Operations removed because nobody uses their results.
    pub removed: usize,
}

/// Sweeps over a program until one changes nothing, this often at most. Each sweep takes out at
/// least one operation or makes one simpler, and programs are done after a few.
const MAX_SWEEPS: usize = 64;

/// Brings everything inside of `root` into canonical form.
pub fn canonicalize(root: Op<'_>) -> Counts {
    let mut total = Counts::default();
    for _ in 0..MAX_SWEEPS {
        let mut counts = Counts::default();
        for i in 0..root.num_regions() {
            for block in op::blocks(root.region(i)) {
                sweep(block, &mut counts);
            }
        }
        total.simplified += counts.simplified;
        total.removed += counts.removed;
        if counts == Counts::default() {
            break;
        }
    }
    total
}

/// Takes out what hands its only operand on as it is: conversions to the type that is there
/// already, mostly, which JAX writes for numbers without a type of their own. Returns how many.
pub fn drop_identities(root: Op<'_>) -> usize {
    let mut dropped = 0;
    for op in root.descendants() {
        let [operand] = op.operands()[..] else {
            continue;
        };
        let handed_on = op.num_results() == 1
            && op.num_regions() == 0
            && same_type(operand, op.result(0))
            && registry::is_pure(op)
            && simplified(op).is_some_and(|values| values == [operand]);
        if handed_on {
            replace(op, &[operand]);
            dropped += 1;
        }
    }
    dropped
}

/// One sweep in program order, then one backwards for what became unused.
fn sweep(block: Blk<'_>, counts: &mut Counts) {
    for op in op::ops(block) {
        for i in 0..op.num_regions() {
            for inner in op::blocks(op.region(i)) {
                sweep(inner, counts);
            }
        }
        if let Some(values) = simplified(op) {
            replace(op, &values);
            counts.simplified += 1;
        }
    }
    counts.removed += remove_unused(block);
}

/// Removes operations without effect whose results nobody uses, in `block` and in the blocks
/// inside.
pub fn remove_unused_inside(block: Blk<'_>) {
    for op in op::ops(block).into_iter().rev() {
        for r in 0..op.num_regions() {
            for inner in op::blocks(op.region(r)) {
                remove_unused_inside(inner);
            }
        }
    }
    remove_unused(block);
}

/// Removes operations of `block` whose results nobody uses; returns how many.
pub(crate) fn remove_unused(block: Blk<'_>) -> usize {
    let mut removed = 0;
    for op in op::ops(block).into_iter().rev() {
        let unused = op.num_results() > 0
            && op
                .results()
                .into_iter()
                .all(|result| op::uses(result).is_empty());
        if unused && registry::is_pure(op) {
            edit::erase_unused(op);
            removed += 1;
        }
    }
    removed
}

/// Returns the values that replace the results of `op`; `None` where it is as simple as we know to
/// make it. At the top of a module, where operations have no order, one may use its own results: it
/// is kept.
fn simplified<'c>(op: Op<'c>) -> Option<Vec<Val<'c>>> {
    simpler(op).filter(|values| !values.iter().any(|value| op.results().contains(value)))
}

fn simpler<'c>(op: Op<'c>) -> Option<Vec<Val<'c>>> {
    if op.dialect() != "stablehlo" {
        return None;
    }
    if let Some(values) = control::simplify(op) {
        return Some(values);
    }
    let [_] = op.results()[..] else { return None };
    let value = elementwise::simplify(op).or_else(|| movement::simplify(op))?;
    Some(vec![value])
}
