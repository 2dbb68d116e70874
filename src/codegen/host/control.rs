//! `while`, `if` and `case` over buffers, given how the operations of their blocks are emitted.

use super::emit::Host;
use crate::{error::Located, index::Ix};
use mapwright_mlir::builder::CmpI;
use mapwright_mlir::{Blk, Op, Val, op};

/// Emits the operations of a block.
type Block<'e, 'c> = &'e dyn Fn(Blk<'c>) -> Result<(), Located<'c>>;

/// A carried value that waits for its place.
struct Saved<'c> {
    data: Val<'c>,
    /// Its bytes, where it was allocated.
    freed: Option<Val<'c>>,
    sizes: Vec<Ix<'c>>,
}

/// The carried values live in the memory of the results, and so does what the loop is given and
/// what its body makes of them where the plan lets them share it. Every iteration computes the
/// condition from them, then the body, whose results become the next values.
pub(super) fn while_loop<'c>(
    host: &Host<'_, 'c>,
    op: Op<'c>,
    emit: Block<'_, 'c>,
) -> Result<(), Located<'c>> {
    let f = host.f;
    let (Some(condition), Some(body)) = (op.body(0), op.body(1)) else {
        return Err(Located::new(op, "has no regions"));
    };
    for (operand, result) in op.operands().into_iter().zip(op.results()) {
        host.transfer(operand, result);
    }
    for block in [condition, body] {
        for (argument, result) in op::arguments(block).into_iter().zip(op.results()) {
            host.alias_sizes(argument, result);
        }
    }
    let (head, next, done) = (f.block(), f.block(), f.block());
    f.jump(head);
    f.b.set_block(head);
    emit(condition)?;
    let verdict = end_of(op, 0)?;
    let go_on = truth(host, op, verdict.operand(0))?;
    f.jump_if(go_on, next, done);
    f.b.set_block(next);
    emit(body)?;
    let values = end_of(op, 1)?.operands();
    let (rotated, others): (Vec<_>, Vec<_>) = (values.into_iter().zip(op.results()))
        .partition(|(value, result)| host.is_rotated(op, *value, *result));
    // What is carried has the sizes of what was made once it has its memory, and not before: they
    // may be those of the memory of another.
    let sizes: Vec<Vec<Ix<'c>>> = rotated
        .iter()
        .map(|(value, _)| host.sizes(*value))
        .collect();
    let (values, results): (Vec<_>, Vec<_>) = others.into_iter().unzip();
    hand_over(host, &values, &results);
    host.rotate(op);
    for ((_, result), sizes) in rotated.iter().zip(&sizes) {
        host.define(*result, sizes);
    }
    f.jump(head);
    f.b.set_block(done);
    Ok(())
}

/// Every result becomes the value at its place, all at once: a value that is in the memory of
/// another result is saved before that is overwritten.
fn hand_over<'c>(host: &Host<'_, 'c>, values: &[Val<'c>], results: &[Val<'c>]) {
    let f = host.f;
    let mut saved: Vec<(usize, Saved<'c>)> = Vec::new();
    for (i, value) in values.iter().enumerate() {
        let moves = !host.same_storage(*value, results[i])
            && results.iter().take(i).zip(values).any(|(other, own)| {
                host.same_storage(*value, *other) && !host.same_storage(*own, *other)
            });
        let Some(source) = host.pointer(*value).filter(|_| moves) else {
            continue;
        };
        // Sizes change with what they are the sizes of.
        let (sizes, bytes) = (host.sizes(*value), host.bytes(*value));
        let few = host.few_bytes(*value);
        let data = match few {
            Some(n) => f.alloca(n),
            None => match f.call("mw_alloc", &[host.context, bytes], "ptr") {
                Some(data) => {
                    f.leave_if(f.is_null(data), host.exit);
                    data
                }
                None => continue,
            },
        };
        host.copy(*value, data, source);
        let freed = few.is_none().then_some(bytes);
        saved.push((i, Saved { data, freed, sizes }));
    }
    for (i, (value, result)) in values.iter().zip(results).enumerate() {
        match saved.iter().find(|(k, _)| *k == i) {
            Some((_, saved)) => {
                host.define(*result, &saved.sizes);
                if let Some(target) = host.pointer(*result) {
                    host.copy(*result, target, saved.data);
                }
                if let Some(bytes) = saved.freed {
                    f.call("mw_free", &[host.context, saved.data, bytes], "void");
                }
            }
            None => host.transfer(*value, *result),
        }
    }
}

fn end_of<'c>(op: Op<'c>, region: usize) -> Result<Op<'c>, Located<'c>> {
    op.body(region)
        .and_then(|block| op::ops(block).last().copied())
        .ok_or_else(|| Located::new(op, "has a region without a terminator"))
}

/// A boolean of rank 0 in memory as an `i1`.
fn truth<'c>(host: &Host<'_, 'c>, op: Op<'c>, value: Val<'c>) -> Result<Val<'c>, Located<'c>> {
    let f = host.f;
    let byte = f.load(host.address(op, value)?, f.b.int(8));
    Ok(f.b.cmpi(CmpI::Ne, byte, f.b.cint(0, f.b.int(8))))
}

/// `if` and `case`: the chosen branch writes the results. An index out of range takes the last
/// branch.
pub(super) fn branches<'c>(
    host: &Host<'_, 'c>,
    op: Op<'c>,
    emit: Block<'_, 'c>,
) -> Result<(), Located<'c>> {
    let f = host.f;
    let done = f.block();
    let count = op.num_regions();
    let index = match op.short_name() {
        "if" => None,
        _ => Some(f.load(host.address(op, op.operand(0))?, f.b.int(32))),
    };
    for r in 0..count {
        let (here, otherwise) = (f.block(), f.block());
        let chosen = match index {
            _ if r + 1 == count => None,
            None => Some(truth(host, op, op.operand(0))?),
            Some(index) => Some(f.b.cmpi(CmpI::Eq, index, f.i32(r as i64))),
        };
        match chosen {
            Some(chosen) => f.jump_if(chosen, here, otherwise),
            None => f.jump(here),
        }
        f.b.set_block(here);
        if let Some(block) = op.body(r) {
            emit(block)?;
            hand_over(host, &end_of(op, r)?.operands(), &op.results());
        }
        f.jump(done);
        f.b.set_block(otherwise);
    }
    // Only reached after a last branch without a condition: nothing jumps here.
    f.jump(done);
    f.b.set_block(done);
    Ok(())
}
