//! Carried values that make a difference to what comes out of a loop, and loops that carry no
//! others.

use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Blk, Builder, Op, Ty, Val, edit, op};
use mapwright_ops::registry;
use std::collections::HashSet;

/// The loop without the carried values of which nobody reads anything: neither its results, nor its
/// condition, nor what it does besides.
pub(super) fn rewrite<'c>(op: Op<'c>) -> Op<'c> {
    if !op.is_hlo("while") || op.dialect() != "stablehlo" {
        return op;
    }
    let (Some(condition), Some(body)) = (op.body(0), op.body(1)) else {
        return op;
    };
    let live = live(op, condition, body);
    if live.iter().all(|live| *live) || !live.contains(&true) {
        op
    } else {
        keep(op, condition, body, &live).unwrap_or(op)
    }
}

/// Tells for each of the carried values whether it is read.
fn live<'c>(op: Op<'c>, condition: Blk<'c>, body: Blk<'c>) -> Vec<bool> {
    let next = op::ops(body)
        .last()
        .map(|end| end.operands())
        .unwrap_or_default();
    let arguments = [op::arguments(condition), op::arguments(body)];
    let mut live: Vec<bool> = op.results().into_iter().map(edit::is_used).collect();
    if next.len() != live.len() || arguments.iter().any(|list| list.len() != live.len()) {
        return vec![true; live.len()];
    }
    let mut seen = HashSet::new();
    let mut pending: Vec<Val<'c>> = Vec::new();
    // The condition, and what has an effect of its own.
    for block in [condition, body] {
        let ops = op::ops(block);
        let (end, rest) = match ops.split_last() {
            Some((end, rest)) => (*end, rest),
            None => return vec![true; live.len()],
        };
        if block == condition {
            pending.extend(end.operands());
        }
        for op in rest.iter().filter(|op| !registry::is_pure(**op)) {
            pending.extend(read(*op));
        }
    }
    for (i, is_live) in live.iter().enumerate() {
        if *is_live {
            pending.push(next[i]);
        }
    }
    while let Some(value) = pending.pop() {
        if !seen.insert(op::key(value)) {
            continue;
        }
        if let Some((made, _)) = op::defining_op(value) {
            let inside = [Some(condition), Some(body)].contains(&made.block());
            if inside {
                pending.extend(read(made));
            }
            continue;
        }
        for list in &arguments {
            if let Some(i) = list.iter().position(|a| op::key(*a) == op::key(value))
                && !live[i]
            {
                live[i] = true;
                pending.push(next[i]);
            }
        }
    }
    live
}

/// Returns the values that an operation reads, in its regions too.
fn read<'c>(op: Op<'c>) -> Vec<Val<'c>> {
    let mut all = op.operands();
    if op.num_regions() > 0 {
        for inner in op.descendants() {
            all.extend(inner.operands());
        }
    }
    all
}

/// The loop with some of its carried values.
fn keep<'c>(op: Op<'c>, condition: Blk<'c>, body: Blk<'c>, live: &[bool]) -> Option<Op<'c>> {
    let kept = |values: Vec<Val<'c>>| -> Vec<Val<'c>> {
        let pairs = values.into_iter().zip(live);
        pairs.filter_map(|(v, live)| live.then_some(v)).collect()
    };
    let end = op::ops(body).last().copied()?;
    let returned = kept(end.operands());
    let b = Builder::before(op.context(), end)?;
    b.op(end.name(), &returned, &[], &[]);
    edit::erase_unused(end);
    for block in [condition, body] {
        sweep(block);
        for i in (0..live.len()).rev().filter(|i| !live[*i]) {
            edit::erase_argument(block, i);
        }
    }
    Some(carrying(op, &kept(op.operands()), &kept(op.results())))
}

/// Removes what nobody uses.
fn sweep(block: Blk<'_>) {
    for op in op::ops(block).into_iter().rev() {
        if op.num_results() > 0 && registry::is_pure(op) {
            edit::erase_unused(op);
        }
    }
}

/// A loop with the regions of `op`, which begins with `operands`, one for each argument of the
/// regions; its first results take the places of `results`.
pub(super) fn carrying<'c>(op: Op<'c>, operands: &[Val<'c>], results: &[Val<'c>]) -> Op<'c> {
    let types: Vec<Ty<'c>> = operands.iter().map(|value| value.r#type()).collect();
    let regions = edit::take_regions(op);
    let Some(b) = Builder::before(op.context(), op) else {
        unreachable!("a loop is in a block");
    };
    let new = b.op_with_regions(op.name(), operands, &types, &op.attributes(), regions);
    for (old, new) in results.iter().zip(new.results()) {
        op::replace_all_uses(*old, new);
    }
    edit::erase_unused(op);
    new
}
