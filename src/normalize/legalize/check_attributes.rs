//! `check.expect_serialized_eq`: a value against what a probe of that name showed.
//!
//! A value does not change, so that what the probe saw is its operand: the check is a comparison of
//! two values of the program.

use crate::rewrite::Error;
use mapwright_mlir::{Blk, Builder, Op, Val, edit, op};
use std::collections::BTreeMap;

/// Rewrites the checks of `block` (not of regions in it) to `check.expect_eq`.
///
/// # Errors
/// A check of a probe that is not in front of it in this block, or of another pass over it than the
/// first.
pub(super) fn rewrite<'c>(block: Blk<'c>) -> Result<(), Error<'c>> {
    let mut seen: BTreeMap<String, Val<'c>> = BTreeMap::new();
    for op in op::ops(block) {
        match op.name() {
            "interpreter.probe" => {
                if let Some(id) = op.string("probe_id") {
                    seen.entry(id).or_insert(op.operand(0));
                }
            }
            "check.expect_serialized_eq" => compare(op, &seen)?,
            _ => {}
        }
    }
    Ok(())
}

fn compare<'c>(op: Op<'c>, seen: &BTreeMap<String, Val<'c>>) -> Result<(), Error<'c>> {
    let id = op.string("probe_id").unwrap_or_default();
    if op.int("iteration").unwrap_or(0) != 0 {
        return Err(Error::new(
            op,
            "asks for a later pass over a probe, but a probe here is passed once",
        ));
    }
    let Some(shown) = seen.get(&id) else {
        return Err(Error::new(
            op,
            format!("asks for the probe \"{id}\", which is not in front of it"),
        ));
    };
    if let Some(b) = Builder::before(op.context(), op) {
        b.op("check.expect_eq", &[op.operand(0), *shown], &[], &[]);
    }
    edit::erase_unused(op);
    Ok(())
}
