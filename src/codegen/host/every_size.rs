//! Code for every size.
//!
//! Emitters see stand-ins in the place of sizes that are known at run time only ([`stand_ins`]). That no stand-in is left in what they made, as a
//! number or as a decision, is seen by making it again with others: it must be the same, to the letter.

use crate::emitter::{Declined, EmitContext, Emitter, Kernel};
use mapwright_mlir::{Op, edit, op, stand_ins};
use mapwright_normalize::sizes::rename;

/// The kernel of a region by `emitter`, which declines what it would make of some sizes only. Sizes of one name must be compared before it is
/// launched ([`crate::sizes::launched::require_names`]).
pub(super) fn emit<'c>(
    emitter: &dyn Emitter,
    cx: &EmitContext<'_, 'c>,
    fusion: Op<'c>,
    name: &str,
) -> Result<Kernel, Declined> {
    if !is_named(fusion) || emitter.name() == "general" {
        return emitter.emit(cx, fusion, name);
    }
    let before = op::ops(cx.module.block()).len();
    let kernel = emitter.emit(cx, fusion, name)?;
    let made = op::ops(cx.module.block()).split_off(before);
    let names = stand_ins::NAMES;
    rename(cx.module, fusion, &mut |name| name + names);
    let again = emitter.emit(cx, fusion, name);
    rename(cx.module, fusion, &mut |name| name - names);
    let others = op::ops(cx.module.block()).split_off(before + made.len());
    let text =
        |ops: &[Op<'c>]| -> String { ops.iter().map(|op| edit::canonical_text(*op)).collect() };
    let why = match again {
        Err(why) => Some(why.reason),
        Ok(again) if !launched_alike(&kernel, &again) => Some("its launch differs".into()),
        Ok(_) => {
            let (one, other) = (text(&made), text(&others));
            let mut lines = one.lines().zip(other.lines());
            let differ = lines.find(|(a, b)| a != b);
            let differ = differ.map(|(a, b)| format!("'{}' and '{}'", a.trim(), b.trim()));
            differ.or_else(|| (one != other).then(|| "more of it".into()))
        }
    };
    for op in others {
        edit::erase_unused(op);
    }
    let Some(why) = why else {
        return Ok(kernel);
    };
    for op in made {
        edit::erase_unused(op);
    }
    let what = "code that depends on what run-time sizes are";
    Err(Declined::new(format!("{what}: {why}")))
}

/// Has a tensor of the region a size with a name?
fn is_named(fusion: Op<'_>) -> bool {
    let named = |op: &Op<'_>| {
        let lists = [stand_ins::ARGUMENTS, stand_ins::SIZES].map(|name| op.ints(name));
        lists.into_iter().flatten().flatten().any(|size| size < 0)
    };
    named(&fusion) || fusion.descendants().iter().any(named)
}

/// Estimates apart, is one kernel launched as the other one is?
fn launched_alike(a: &Kernel, b: &Kernel) -> bool {
    let phases = |kernel: &Kernel| -> Vec<_> {
        let phases = kernel.phases.iter();
        phases
            .map(|p| (p.name.clone(), p.tiles.clone(), p.kept, p.rounds))
            .collect()
    };
    a.tiles == b.tiles
        && a.scratch_bytes == b.scratch_bytes
        && a.kept_bytes == b.kept_bytes
        && a.in_place == b.in_place
        && a.inner_sizes == b.inner_sizes
        && phases(a) == phases(b)
}
