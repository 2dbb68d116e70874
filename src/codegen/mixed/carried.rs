//! Tensors that loops carry.
//!
//! Upstream's bufferization wants the next value of a carried tensor in the buffer of the one before. Where a kernel cannot put its result there, because
//! that buffer is still read, the result is copied.

use crate::inline;
use mapwright_mlir::{Builder, Op, Val, melior::ir::ValueLike, op};

/// Copies what bodies of `scf.for` yield where it is not in the buffer of the carried value.
pub(super) fn materialize(module: Op<'_>) {
    for op in inline::programs(module) {
        if op.name() != "scf.for" {
            continue;
        }
        let Some(body) = op.body(0) else { continue };
        let Some(end) = op::ops(body).last().copied() else {
            continue;
        };
        let carried: Vec<Val<'_>> = op::arguments(body).into_iter().skip(1).collect();
        for (i, argument) in carried.into_iter().enumerate() {
            let value = end.operand(i);
            if is_made_here(value)
                && !is_in_place(value, argument)
                && let Some(b) = Builder::before(end.context(), end)
            {
                let name = "bufferization.materialize_in_destination";
                let copy = b.op1(name, &[value, argument], value.r#type(), &[]);
                op::set_operand(end, i, copy);
            }
        }
    }
}

/// Is it the result of an operation that lowering StableHLO makes?
fn is_made_here(value: Val<'_>) -> bool {
    let names = [
        "arith.constant",
        "indexing.call_kernel",
        "tensor.from_elements",
    ];
    let is_tensor = value.r#type().to_string().starts_with("tensor<");
    let defined = op::defining_op(value);
    is_tensor && defined.is_some_and(|(op, _)| names.contains(&op.name()))
}

/// Will kernels write `value` into the buffer of `start`, one over the other?
fn is_in_place<'c>(value: Val<'c>, start: Val<'c>) -> bool {
    let mut value = value;
    while op::key(value) != op::key(start) {
        let Some((call, number)) = op::defining_op(value) else {
            return false;
        };
        if call.name() != "indexing.call_kernel" {
            return false;
        }
        let segments = call.ints("operandSegmentSizes").unwrap_or_default();
        let inputs = segments.first().copied().unwrap_or(0) as usize;
        let init = call.operand(inputs + number);
        if !is_last_reader(call, init, inputs, number) {
            return false;
        }
        value = init;
    }
    true
}

/// Does nothing read `init` when `call` writes initial value `number`, or later?
fn is_last_reader<'c>(call: Op<'c>, init: Val<'c>, inputs: usize, number: usize) -> bool {
    let pairs = call.ints("elementwise").unwrap_or_default();
    let paired = |operand: usize| {
        let mut pairs = pairs.chunks_exact(2);
        pairs.any(|pair| pair[0] as usize == number && pair[1] as usize == operand)
    };
    let order = call.block().map(op::ops).unwrap_or_default();
    let place = |op: Op<'c>| order.iter().position(|other| *other == op);
    let own = place(call);
    op::uses(init).into_iter().all(|(user, operand)| {
        if user == call {
            return operand == inputs + number || paired(operand);
        }
        // The operation of the block that the user is in.
        let mut around = Some(user);
        while let Some(op) = around
            && op.block() != call.block()
        {
            around = op.parent();
        }
        around.is_some_and(|op| place(op) < own)
    })
}
