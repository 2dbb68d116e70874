//! Control flow whose way is known.

use super::known::splat;
use mapwright_mlir::{Op, Val, op};

/// The values that the branch gives that is taken, moved in front of `op`; the operands of a loop
/// that runs no round.
pub fn simplify<'c>(op: Op<'c>) -> Option<Vec<Val<'c>>> {
    let branch = match op.short_name() {
        "if" => usize::from(splat(op.operand(0))?.int()? == 0),
        "case" => {
            let last = op.num_regions().checked_sub(1)?;
            let index = splat(op.operand(0))?.int()?;
            usize::try_from(index)
                .ok()
                .filter(|index| *index <= last)
                .unwrap_or(last)
        }
        "while" => return no_round(op),
        _ => return None,
    };
    let blocks = op::blocks(op.region(branch));
    let [block] = blocks[..] else { return None };
    let inner = op::ops(block);
    let (ret, body) = inner.split_last()?;
    let values = ret.operands();
    let fits = values.len() == op.num_results()
        && values
            .iter()
            .zip(op.results())
            .all(|(value, result)| super::same_type(*value, result));
    if !fits {
        return None;
    }
    for inner in body {
        inner.move_before(op);
    }
    Some(values)
}

/// A loop whose condition is false whatever its arguments are.
fn no_round<'c>(op: Op<'c>) -> Option<Vec<Val<'c>>> {
    let blocks = op::blocks(op.region(0));
    let [condition] = blocks[..] else { return None };
    let inner = op::ops(condition);
    let ret = inner.last()?;
    if splat(ret.operands().first().copied()?)?.int()? != 0 {
        return None;
    }
    // What the condition does besides stays done once.
    let pure = inner[..inner.len() - 1]
        .iter()
        .all(|op| mapwright_ops::registry::is_pure(*op));
    let same = op
        .operands()
        .into_iter()
        .zip(op.results())
        .all(|(operand, result)| super::same_type(operand, result));
    (pure && same).then(|| op.operands())
}
