//! Collectives that may run beside what follows them: each where its operands are there, and a
//! barrier where a result of it is read first, or where its block ends.
//!
//! A barrier hands the results on and reads the operands, too: memory is planned by what reads
//! values, so that it stays as it is until then.

use mapwright_mlir::{Blk, Builder, Op, TensorType, Val, melior::ir::ValueLike, op};
use mapwright_ops::{collective::is_exchange, registry::acts};

/// The operation of a region that is one kernel.
const FUSION: &str = "indexing.fusion";

/// The blocks of an operation whose operations run one after the other.
fn blocks<'c>(op: Op<'c>) -> impl Iterator<Item = Blk<'c>> {
    let regions = if op.name() == FUSION {
        0
    } else {
        op.num_regions()
    };
    (0..regions).flat_map(move |region| op::blocks(op.region(region)))
}

/// Moves the collectives of a function to where their operands are there, unless the processes that
/// run it may run others of its module meanwhile: they meet in the order in which these are
/// written.
pub fn hoist(function: Op<'_>) {
    let module = function.parent().unwrap_or(function);
    let mut all = module.descendants().into_iter();
    if !all.any(|op| op.name() == "interpreter.run_parallel") {
        blocks(function).for_each(hoist_in);
    }
}

fn hoist_in(block: Blk<'_>) {
    let ops = op::ops(block);
    let has_exchanges = ops.iter().any(|op| is_exchange(*op));
    let mut fence = None;
    for op in ops {
        blocks(op).for_each(hoist_in);
        if !is_exchange(op) {
            if has_exchanges && is_fence(op) {
                fence = Some(op);
            }
            continue;
        }
        let operands = op.operands().into_iter().filter_map(op::defining_op);
        let made = operands.map(|(made, _)| made).chain(fence);
        let last = made
            .filter(|made| made.block() == Some(block))
            .reduce(|a, b| if op::is_before(a, b) { b } else { a });
        let mut next = match last {
            Some(last) => op::next(last),
            None => op::first(block),
        };
        while let Some(other) = next.filter(|other| is_exchange(*other)) {
            next = op::next(other);
        }
        if let Some(next) = next.filter(|next| op::is_before(*next, op)) {
            op.move_before(next);
        }
    }
}

/// Tells whether an operation, or one inside of it, has an effect beside collectives: it comes
/// behind those in front of it, and in front of those behind it.
fn is_fence(op: Op<'_>) -> bool {
    let all = std::iter::once(op).chain(op.descendants());
    acts(all.filter(|op| op.name() != FUSION && !is_exchange(*op)))
}

/// Tells whether an operation is the last of its block.
pub fn is_last(op: Op<'_>) -> bool {
    op::next(op).is_none()
}

/// Tells whether an operation, or one inside of it, reads a result of another one of its block.
pub fn reads(op: Op<'_>, other: Op<'_>) -> bool {
    let around =
        |user: Op<'_>| std::iter::successors(Some(user), |op| op.parent()).any(|at| at == op);
    let uses = other.results().into_iter().flat_map(op::uses);
    uses.into_iter().any(|(user, _)| around(user))
}

/// Tells whether an operation hands its operands on.
fn is_barrier(op: Op<'_>) -> bool {
    op.is_hlo("optimization_barrier")
}

/// Tells whether an operation takes time that a collective may run in.
fn computes(op: Op<'_>) -> bool {
    !(op.is_hlo("constant") || is_barrier(op) || is_exchange(op))
}

/// Puts barriers into a function where there is something to compute between a collective and what
/// reads it; each collective with its barrier.
pub fn separate<'c>(function: Op<'c>) -> Vec<(Op<'c>, Op<'c>)> {
    let mut found = Vec::new();
    for block in blocks(function) {
        separate_in(block, &mut found);
    }
    found
}

fn separate_in<'c>(block: Blk<'c>, found: &mut Vec<(Op<'c>, Op<'c>)>) {
    let ops = op::ops(block);
    let mut fences: Option<Vec<bool>> = None;
    for (i, op) in ops.iter().enumerate() {
        for inner in blocks(*op) {
            separate_in(inner, found);
        }
        if !is_exchange(*op) {
            continue;
        }
        let behind = &ops[i + 1..];
        let fences = fences.get_or_insert_with(|| ops.iter().map(|op| is_fence(*op)).collect());
        let mut others = behind.iter().zip(&fences[i + 1..]);
        let waits = |(other, is_fence): (&Op<'c>, &bool)| {
            *is_fence || is_last(*other) || reads(*other, *op)
        };
        if let Some(first) = others.position(waits)
            && behind[..first].iter().any(|op| computes(*op))
            && let Some(barrier) = barrier(*op, behind[first])
        {
            found.push((*op, barrier));
        }
    }
}

/// A barrier in front of `reader`, which hands on the results of a collective.
fn barrier<'c>(collective: Op<'c>, reader: Op<'c>) -> Option<Op<'c>> {
    let b = Builder::before(collective.context(), reader)?;
    let results = collective.results();
    let operands = collective.operands().into_iter();
    let read = operands.filter(|value| TensorType::from_mlir(value.r#type()).is_some());
    let handed: Vec<Val<'c>> = results.iter().copied().chain(read).collect();
    let types: Vec<_> = handed.iter().map(|value| value.r#type()).collect();
    let barrier = b.op("stablehlo.optimization_barrier", &handed, &types, &[]);
    for (i, result) in results.iter().enumerate() {
        for (user, operand) in op::uses(*result) {
            if user != barrier {
                op::set_operand(user, operand, barrier.result(i));
            }
        }
    }
    Some(barrier)
}
