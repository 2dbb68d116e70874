//! Regions of several stages: one kernel where an emitter makes one of them, else each stage is a
//! region of its own.

use super::Kernels;
use crate::error::Located;
use mapwright_mlir::{Op, Val, edit, op};
use mapwright_ops::schedules;
use std::collections::HashMap;

/// Tells whether the members of a region are regions themselves.
pub(crate) fn is_staged(fusion: Op<'_>) -> bool {
    let first = fusion.body(0).and_then(op::first);
    first.is_some_and(|op| op.name() == "indexing.fusion")
}

/// Tells whether a region is a stage of another one.
pub(crate) fn is_stage(fusion: Op<'_>) -> bool {
    fusion
        .parent()
        .is_some_and(|parent| parent.name() == "indexing.fusion")
}

/// Makes the kernels of regions of several stages; those that no emitter takes fall apart.
///
/// # Errors
/// A schedule that is stated for a region and does not fit it.
pub(crate) fn unfold<'c>(kernels: &Kernels<'_, 'c>, function: Op<'c>) -> Result<(), Located<'c>> {
    let staged: Vec<Op<'c>> = function
        .descendants()
        .into_iter()
        .filter(|op| op.name() == "indexing.fusion" && is_staged(*op))
        .collect();
    for fusion in staged {
        if let Err(why) = kernels.get(fusion) {
            if fusion.attribute(schedules::SCHEDULE).is_some() {
                return Err(why);
            }
            for stage in take_apart(fusion) {
                let reason = why
                    .message
                    .trim_start_matches("cannot be compiled: ")
                    .to_string();
                kernels.declined_stages.borrow_mut().insert(stage, reason);
            }
        }
    }
    Ok(())
}

/// Puts the members of a region (or its stages) where the region is, and removes it.
pub(crate) fn take_apart<'c>(fusion: Op<'c>) -> Vec<Op<'c>> {
    let Some(body) = fusion.body(0) else {
        return Vec::new();
    };
    let outside: HashMap<usize, Val<'c>> = op::arguments(body)
        .into_iter()
        .map(op::key)
        .zip(fusion.operands())
        .collect();
    let mut stages = op::ops(body);
    let Some(end) = stages.pop() else {
        return stages;
    };
    for stage in &stages {
        stage.move_before(fusion);
        edit::remap(*stage, &outside);
    }
    for (result, value) in fusion.results().into_iter().zip(end.operands()) {
        let value = outside.get(&op::key(value)).copied().unwrap_or(value);
        op::replace_all_uses(result, value);
    }
    edit::erase_unused(fusion);
    stages
}
