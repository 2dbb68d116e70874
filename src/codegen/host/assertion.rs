//! Assertions about shapes.

use super::{
    emit::Host,
    marshal::{Outcome, bad, list, why},
};
use mapwright_mlir::{Op, builder::CmpI};
use mapwright_ops::attrs;

/// Ends the call with a message unless the first operand holds.
pub(crate) fn shape_assertion<'c>(host: &Host<'_, 'c>, op: Op<'c>) -> Outcome<'c> {
    let f = host.f;
    let message = attrs::AssertionMessage::decode(op).map_err(bad(op))?;
    let byte = f.load(host.address(op, op.operand(0))?, f.b.int(8));
    let holds = f.b.cmpi(CmpI::Ne, byte, f.b.cint(0, f.b.int(8)));
    let (fails, next) = (f.block(), f.block());
    f.jump_if(holds, next, fails);
    f.b.set_block(fails);
    let mut numbers = Vec::new();
    for operand in &message.operands {
        let number = host
            .element(op.operand(*operand), &[])
            .map_err(why(op))?
            .value(&f.b);
        numbers.push(f.b.index_cast(number, f.b.i64()));
    }
    let args = [
        host.context,
        f.texts(&message.texts),
        list(host, &numbers),
        f.i64(numbers.len() as i64),
    ];
    f.call("mw_shape_assertion", &args, "i32");
    f.jump(host.exit);
    f.b.set_block(next);
    Ok(())
}
