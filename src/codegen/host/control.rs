//! `while`, `if` and `case` over buffers.

use super::emit::Host;
use crate::{index::Ix, inline::Located};
use mapwright_mlir::builder::CmpI;
use mapwright_mlir::{Op, Val, op};

/// A carried value that waits for its place.
struct Saved<'c> {
    data: Val<'c>,
    bytes: Val<'c>,
    sizes: Vec<Ix<'c>>,
}

/// The carried values live in the memory of the results. Every iteration computes the condition from them, then the body, whose results
/// become the next values.
pub(crate) fn while_loop<'c>(host: &Host<'_, 'c>, op: Op<'c>) -> Result<(), Located<'c>> {
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
    host.block(condition)?;
    let verdict = end_of(op, 0)?;
    let go_on = truth(host, op, verdict.operand(0))?;
    f.jump_if(go_on, next, done);
    f.b.set_block(next);
    host.block(body)?;
    let values = end_of(op, 1)?.operands();
    // A value that is another carried value's memory has to be saved before that is overwritten.
    let results = op.results();
    let mut saved: Vec<(usize, Saved<'c>)> = Vec::new();
    for (i, value) in values.iter().enumerate() {
        let moves = !host.same_storage(*value, results[i])
            && results
                .iter()
                .take(i)
                .any(|other| host.same_storage(*value, *other));
        let Some(source) = host.pointer(*value).filter(|_| moves) else {
            continue;
        };
        // Sizes change with what they are the sizes of.
        let (sizes, bytes) = (host.sizes(*value), host.bytes(*value));
        if let Some(data) = f.call("mw_alloc", &[host.context, bytes], "ptr") {
            f.leave_if(f.is_null(data), host.exit);
            f.copy(data, source, bytes);
            saved.push((i, Saved { data, bytes, sizes }));
        }
    }
    for (i, (value, result)) in values.iter().zip(&results).enumerate() {
        match saved.iter().find(|(k, _)| *k == i) {
            Some((_, saved)) => {
                host.define(*result, &saved.sizes);
                if let Some(target) = host.pointer(*result) {
                    f.copy(target, saved.data, saved.bytes);
                }
                let freed = [host.context, saved.data, saved.bytes];
                f.call("mw_free", &freed, "void");
            }
            None => host.transfer(*value, *result),
        }
    }
    f.jump(head);
    f.b.set_block(done);
    Ok(())
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

/// `if` and `case`: the chosen branch writes the results. An index out of range takes the last branch.
pub(crate) fn branches<'c>(host: &Host<'_, 'c>, op: Op<'c>) -> Result<(), Located<'c>> {
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
            host.block(block)?;
            for (value, result) in end_of(op, r)?.operands().into_iter().zip(op.results()) {
                host.transfer(value, result);
            }
        }
        f.jump(done);
        f.b.set_block(otherwise);
    }
    // Only reached after a last branch without a condition: nothing jumps here.
    f.jump(done);
    f.b.set_block(done);
    Ok(())
}
