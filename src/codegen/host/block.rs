//! The operations of a host function.

use super::{
    control,
    emit::Host,
    library,
    marshal::Outcome,
    timed::part,
    values::{is_alias, is_end, is_while},
};
use mapwright_mlir::{Blk, op};

/// Emits the operations of a block, its terminator not included.
pub(super) fn operations<'c>(host: &Host<'_, 'c>, block: Blk<'c>) -> Outcome<'c> {
    let inner = |block: Blk<'c>| operations(host, block);
    for op in op::ops(block) {
        host.b().set_location(op.location());
        if is_end(op) || op.is_hlo("constant") {
            continue;
        }
        if is_alias(op) {
            for (result, operand) in op.results().into_iter().zip(op.operands()) {
                host.alias_sizes(result, operand);
            }
            if let Some(under_way) = host.overlaps.waits_for(op) {
                let args = [host.context, host.f.i64(under_way as i64)];
                host.f.try_call("mw_collective_wait", &args, host.exit);
            }
            continue;
        }
        if let Some(view) = host.views.made_by(op) {
            host.view(op, view)?;
            continue;
        }
        let nested = is_while(op) || op.is_hlo("if") || op.is_hlo("case");
        let start = if host.kernels.options.profile && !nested {
            host.f.call("mw_profile_now", &[], "i64")
        } else {
            None
        };
        match op.name() {
            "indexing.fusion" => host.fusion(op)?,
            _ if is_while(op) => control::while_loop(host, op, &inner)?,
            _ if op.is_hlo("if") || op.is_hlo("case") => control::branches(host, op, &inner)?,
            _ => library::operation(host, op)?,
        }
        if let Some(start) = start {
            let mut parts = host.kernels.parts.borrow_mut();
            let number = host.f.i64(parts.len() as i64);
            parts.push(part(host.kernels, op));
            let ended = [host.context, number, start, host.moved(op)];
            host.f.try_call("mw_profile_add", &ended, host.exit);
        }
    }
    Ok(())
}
