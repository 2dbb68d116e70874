//! Tensors that loops carry.
//!
//! Upstream's bufferization wants the next value of a carried tensor in the buffer of the present
//! one. Kernels that can put it there do; any other next value is copied there at the end of the
//! iteration, when nothing reads the present one any more. A tensor that may be of another size in
//! the next iteration ([`carried_sizes`](super::carried_sizes)) has a buffer of its own in each:
//! upstream's bufferization allocates them.

use super::{carried_sizes, is_hlo, regions};
use crate::index::Ix;
use mapwright_mlir::{Blk, Builder, Op, Steps, Val, melior::ir::ValueLike, op};
use mapwright_normalize::inline;
use std::collections::HashSet;

/// Notes on loops that StableHLO is in, before the normal form takes it out of them.
const MARK: &str = "indexing.of_hlo";

fn holds_hlo(op: Op<'_>) -> bool {
    let is_inside = |op: &Op<'_>| is_hlo(*op) || op.name() == "indexing.fusion";
    matches!(op.name(), "scf.for" | "scf.while") && op.descendants().iter().any(is_inside)
}

/// Marks the loops in `module` that StableHLO is in, for [`loops_of_hlo`].
pub fn mark_loops(module: Op<'_>) {
    for op in module.descendants() {
        if holds_hlo(op)
            && let Some(b) = Builder::before(op.context(), op)
        {
            op.set_attribute(MARK, b.unit_attr());
        }
    }
}

/// The loops that StableHLO is in, or was before the normal form.
pub(crate) fn loops_of_hlo<'c>(module: Op<'c>) -> Vec<Op<'c>> {
    let mut found = inline::programs(module);
    found.retain(|op| op.remove_attribute(MARK) || holds_hlo(*op));
    found
}

/// Lets `loops`, each after those around it, carry every tensor in one buffer.
pub(crate) fn settle(loops: &[Op<'_>]) {
    // Those inside first: what is around asks where their results are.
    for op in loops.iter().rev() {
        match op.name() {
            "scf.for" => {
                let begun = op.operands().into_iter().skip(3).map(Some);
                settle_block(op.body(0), 1, 0, &begun.collect::<Vec<_>>());
            }
            _ => {
                let begun: Vec<Option<Val<'_>>> = op.operands().into_iter().map(Some).collect();
                let passed = carried_sizes::passed(*op, &begun);
                settle_block(op.body(0), 0, 1, &begun);
                settle_block(op.body(1), 0, 0, &passed);
            }
        }
    }
}

/// Place of the next value of a carried tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the buffer of the present one.
    There,
    Elsewhere,
    /// Buffer that operations of other dialects choose.
    Unknown,
}

/// The block of a loop whose arguments from `first` on are carried, and whose terminator gives the
/// next values from operand `from` on. `begun` has what they are in the first iteration, as far as
/// that is known.
fn settle_block<'c>(block: Option<Blk<'c>>, first: usize, from: usize, begun: &[Option<Val<'c>>]) {
    let Some(block) = block else { return };
    let Some(end) = op::ops(block).last().copied() else {
        return;
    };
    let carried = op::arguments(block);
    let next = end.operands();
    let pairs = carried
        .into_iter()
        .skip(first)
        .zip(next.into_iter().skip(from));
    let mut moved = Vec::new();
    let mut kept = Vec::new();
    for (i, (present, next)) in pairs.enumerate() {
        let is_tensor = next.r#type().to_string().starts_with("tensor<");
        if !is_tensor || next.r#type() != present.r#type() {
            continue;
        }
        let begun = begun.get(i).copied().flatten();
        match place(next, present, &Steps::default()) {
            Place::Elsewhere if !carried_sizes::are_kept(next, present, begun) => {
                kept.push(op::key(next));
            }
            Place::Elsewhere => moved.push((from + i, present, next)),
            _ => kept.push(op::key(next)),
        }
    }
    let Some(b) = Builder::before(end.context(), end) else {
        return;
    };
    // Everything is read before anything is written over.
    for (_, _, next) in &mut moved {
        if kept.contains(&op::key(*next)) || !is_made_anew(*next, &mut HashSet::new()) {
            *next = super::values::copy(&b, *next);
        }
    }
    for (number, present, next) in moved {
        let name = "bufferization.materialize_in_destination";
        let there = b.op1(name, &[next, present], next.r#type(), &[]);
        op::set_operand(end, number, there);
    }
}

/// Tells whether `value` is in a buffer of its own. A kernel that would have shared that of an
/// operand does not do so from here on. Values that branches give are copied in them where they
/// have to be: upstream's bufferization takes all that they may give to be in one place.
fn is_made_anew(value: Val<'_>, seen: &mut HashSet<usize>) -> bool {
    let Some((call, number)) = op::defining_op(value) else {
        return false;
    };
    if matches!(call.name(), "scf.if" | "scf.index_switch") {
        // It was seen to on another way.
        let known = !seen.insert(op::key(value));
        for r in 0..if known { 0 } else { call.num_regions() } {
            let end = call.body(r).and_then(|body| op::ops(body).last().copied());
            if let Some(end) = end.filter(|end| number < end.num_operands())
                && !is_made_anew(end.operand(number), seen)
                && let Some(b) = Builder::before(end.context(), end)
            {
                let copy = super::values::copy(&b, end.operand(number));
                op::set_operand(end, number, copy);
            }
        }
        return true;
    }
    if call.dialect() == "linalg" {
        let mut init = tied(call, number);
        while let Some((fill, number)) = op::defining_op(init)
            && fill.name() == "linalg.fill"
        {
            init = tied(fill, number);
        }
        return op::defining_op(init).is_some_and(|(made, _)| made.name() == "tensor.empty");
    }
    if !is_kernel(call) {
        return false;
    }
    let updates = call.ints("updates").unwrap_or_default();
    if updates.contains(&(number as i64)) {
        return false;
    }
    let (init, operand) = initial(call, number);
    if op::defining_op(init).is_some_and(|(made, _)| made.name() == "tensor.empty") {
        return true;
    }
    let Some(b) = Builder::before(call.context(), call) else {
        return false;
    };
    let shape = b.shape_of(init.r#type());
    let sizes = shape.iter().enumerate().map(|(d, n)| {
        if *n >= 0 {
            Ix::Known(*n)
        } else {
            Ix::Value(b.op1("tensor.dim", &[init, b.cidx(d as i64)], b.index(), &[]))
        }
    });
    let sizes: Vec<Ix<'_>> = sizes.collect();
    let new = regions::empty(&b, init.r#type(), &sizes);
    op::set_operand(call, operand, new);
    true
}

pub(super) fn is_kernel(op: Op<'_>) -> bool {
    op.name() == "indexing.call_kernel"
}

/// Initial value `number` of a kernel, and which operand that is.
pub(super) fn initial<'c>(call: Op<'c>, number: usize) -> (Val<'c>, usize) {
    let segments = call.ints("operandSegmentSizes").unwrap_or_default();
    let inputs = segments.first().copied().unwrap_or(0) as usize;
    (call.operand(inputs + number), inputs + number)
}

/// The operand that result `number` of an operation of linalg is written over.
pub(super) fn tied<'c>(op: Op<'c>, number: usize) -> Val<'c> {
    op.operand(op.num_operands() - op.num_results() + number)
}

/// Returns the place of `value`, if `start` may be written over.
fn place<'c>(value: Val<'c>, start: Val<'c>, steps: &Steps) -> Place {
    if op::key(value) == op::key(start) {
        return Place::There;
    }
    let Some((made, number)) = op::defining_op(value) else {
        // The argument of another block, or another one of this.
        return Place::Elsewhere;
    };
    if steps.take().is_none() {
        return Place::Elsewhere;
    }
    let over = |operand: usize| {
        if is_last_reader(made, number, operand) {
            place(made.operand(operand), start, steps)
        } else {
            Place::Elsewhere
        }
    };
    match made.name() {
        "indexing.call_kernel" => over(initial(made, number).1),
        "tensor.cast" => place(made.operand(0), start, steps),
        "bufferization.materialize_in_destination" => place(made.operand(1), start, steps),
        "arith.constant"
        | "bufferization.alloc_tensor"
        | "tensor.collapse_shape"
        | "tensor.empty"
        | "tensor.expand_shape"
        | "tensor.extract_slice"
        | "tensor.from_elements"
        | "tensor.pad" => Place::Elsewhere,
        "tensor.insert" | "tensor.insert_slice" => over(1),
        _ if made.dialect() == "linalg" => {
            // Upstream knows which of its operations may read what they write over.
            let init = tied(made, number);
            let reads = op::uses(init).into_iter().filter(|(user, _)| *user == made);
            match reads.count() {
                1 => over(made.num_operands() - made.num_results() + number),
                _ => Place::Unknown,
            }
        }
        "scf.if" | "scf.index_switch" => of_branches(made, number, start, steps),
        "scf.for" => over(number + 3),
        "scf.while" if number < made.num_operands() => over(number),
        "func.call" => of_call(made, number, steps, &over),
        _ => Place::Unknown,
    }
}

/// The result of branches.
fn of_branches<'c>(op: Op<'c>, number: usize, start: Val<'c>, steps: &Steps) -> Place {
    let mut all = (0..op.num_regions()).map(|r| {
        let end = op.body(r).and_then(|body| op::ops(body).last().copied());
        end.filter(|end| number < end.num_operands())
            .map_or(Place::Unknown, |end| {
                place(end.operand(number), start, steps)
            })
    });
    let mut found = Place::There;
    for one in all.by_ref() {
        match one {
            Place::Elsewhere => return one,
            Place::Unknown => found = one,
            Place::There => {}
        }
    }
    found
}

/// The result of a function: in the buffer of an argument, if it is there within the function.
fn of_call(call: Op<'_>, number: usize, steps: &Steps, over: &dyn Fn(usize) -> Place) -> Place {
    let mut around = call.parent();
    while let Some(op) = around
        && !inline::has_symbols(op)
    {
        around = op.parent();
    }
    let name = call.symbol("callee");
    let all = around.and_then(|op| op.body(0)).map(op::ops);
    let mut all = all.unwrap_or_default().into_iter();
    let body = all
        .find(|op| op.name() == "func.func" && op.string("sym_name") == name)
        .and_then(|function| function.body(0));
    let Some(body) = body else {
        return Place::Unknown;
    };
    let Some(end) = op::ops(body)
        .last()
        .copied()
        .filter(|e| number < e.num_operands())
    else {
        return Place::Unknown;
    };
    let result = end.operand(number);
    let arguments = op::arguments(body).into_iter().enumerate();
    let mut found = Place::Elsewhere;
    for (i, argument) in arguments.filter(|(_, a)| a.r#type() == result.r#type()) {
        match place(result, argument, steps) {
            Place::There => return over(i),
            Place::Unknown => found = Place::Unknown,
            Place::Elsewhere => {}
        }
    }
    found
}

/// Tells whether nothing reads operand `operand` of `user` after `user` has written its result
/// `number` there.
fn is_last_reader(user: Op<'_>, number: usize, operand: usize) -> bool {
    let pairs = if is_kernel(user) {
        user.ints("elementwise").unwrap_or_default()
    } else {
        Vec::new()
    };
    let paired = |other: usize| {
        let mut pairs = pairs.chunks_exact(2);
        pairs.any(|pair| pair[0] as usize == number && pair[1] as usize == other)
    };
    op::uses(user.operand(operand))
        .into_iter()
        .all(|(other, at)| {
            if other == user {
                at == operand || paired(at)
            } else {
                is_over_before(other, user)
            }
        })
}

/// Tells whether `other` is always done when `op` begins, or is never run together with it.
fn is_over_before(other: Op<'_>, op: Op<'_>) -> bool {
    let mut own = op;
    loop {
        // The operation around `other` that is in the block of `own`.
        let mut around = Some(other);
        while let Some(op) = around
            && op.block() != own.block()
        {
            around = op.parent();
        }
        if let Some(around) = around {
            // Both are within one operation: in different branches.
            return if around == own {
                matches!(own.name(), "scf.if" | "scf.index_switch")
            } else {
                op::is_before(around, own)
            };
        }
        match own.parent() {
            Some(parent) => own = parent,
            None => return false,
        }
    }
}
