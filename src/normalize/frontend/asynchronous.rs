//! Computations that are started and waited for: `async_start`, `async_update` and `async_done`.
//!
//! One device has nothing else to do meanwhile, so that a computation runs where it is started. Of
//! StableHLO the computation is a region, of MHLO a function that is called. A future or bundle
//! that goes another way than from its start to its end stays.

use crate::rewrite::{Result, fail, replace};
use mapwright_mlir::{Builder, Op, Ty, Val, edit, melior::ir::ValueLike, op};

/// Rewrites everything inside `module`. Returns how many computations there were.
///
/// # Errors
/// Regions that do not take or give what they are started with or waited for.
pub(super) fn legalize<'c>(module: Op<'c>) -> Result<'c, usize> {
    let ends = module.descendants();
    let ends = ends.into_iter().filter(|op| op.is_hlo("async_done"));
    let mut count = 0;
    for done in ends {
        let mut states = Vec::new();
        let mut state = op::defining_op(done.operand(0));
        while let Some((update, _)) = state
            && update.is_hlo("async_update")
        {
            states.push(update);
            state = op::defining_op(update.operand(0));
        }
        let Some((start, _)) = state.filter(|(op, _)| op.is_hlo("async_start")) else {
            continue;
        };
        let values = match start.num_regions() {
            0 => called(start, done)?,
            _ => computed(start, done)?,
        };
        replace(done, &values);
        for op in states {
            edit::erase_unused(op);
        }
        edit::erase_unused(start);
        count += 1;
    }
    Ok(count)
}

/// The results of the region of `start`, whose operations go before it.
fn computed<'c>(start: Op<'c>, done: Op<'c>) -> Result<'c, Vec<Val<'c>>> {
    let Some(block) = start.body(0) else {
        return fail(start, "has no body");
    };
    let arguments = op::arguments(block);
    let inner = op::ops(block);
    let Some((end, rest)) = inner.split_last() else {
        return fail(start, "has an empty body");
    };
    same_types(start, "takes", &arguments, &start.operands())?;
    same_types(start, "returns", &end.operands(), &done.results())?;
    for (argument, operand) in arguments.into_iter().zip(start.operands()) {
        op::replace_all_uses(argument, operand);
    }
    for op in rest {
        op.move_before(start);
    }
    Ok(end.operands())
}

/// The results of a call of the function that `start` names, in its place.
fn called<'c>(start: Op<'c>, done: Op<'c>) -> Result<'c, Vec<Val<'c>>> {
    let Some(callee) = start.attribute("called_computation") else {
        return fail(start, "needs the attribute 'called_computation'");
    };
    let Some(b) = Builder::before(start.context(), start) else {
        return fail(start, "is in no block");
    };
    let types: Vec<Ty<'c>> = done.results().iter().map(|value| value.r#type()).collect();
    let call = b.op(
        "func.call",
        &start.operands(),
        &types,
        &[("callee", callee)],
    );
    Ok(call.results())
}

fn same_types<'c>(op: Op<'c>, does: &str, a: &[Val<'c>], b: &[Val<'c>]) -> Result<'c> {
    let same = a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.r#type() == b.r#type());
    if same {
        Ok(())
    } else {
        fail(op, format!("has a body that {does} other types than it"))
    }
}
