//! Operations between processes. Their maps relate `(replica, index…)` to `(replica, index…)`.

pub(crate) mod checks;
pub mod groups;
pub mod maps;
mod sizes;

use crate::definition::{Effect, OpDef};
use crate::shape_function::like_same;

const fn collective(name: &'static str) -> OpDef {
    OpDef::new(
        name,
        "collective",
        maps::output_to_input,
        maps::input_to_output,
    )
    .does(Effect::Acts)
    .replicas()
}

pub(crate) const OPS: &[OpDef] = &[
    collective("all_gather")
        .shaped(sizes::exchanged)
        .checked(checks::all_gather)
        .labelled(&[["c6", "c6"]]),
    collective("all_reduce")
        .shaped(like_same)
        .checked(checks::all_reduce)
        .labelled(&[["c7", "c6"]]),
    collective("all_to_all")
        .shaped(sizes::exchanged)
        .checked(checks::all_to_all)
        .labelled(&[["c9", "c9"]]),
    collective("collective_broadcast")
        .shaped(like_same)
        .checked(checks::collective_broadcast)
        .labelled(&[["c3", "c3"]]),
    collective("collective_reduce")
        .shaped(like_same)
        .checked(checks::collective_reduce)
        .labelled(&[["c3", "c3"]]),
    collective("collective_permute")
        .shaped(like_same)
        .checked(checks::collective_permute)
        .labelled(&[["c5", "c5"]]),
    collective("cross-replica-sum")
        .shaped(like_same)
        .checked(checks::cross_replica_sum),
    collective("reduce_scatter")
        .shaped(sizes::exchanged)
        .checked(checks::reduce_scatter)
        .labelled(&[["c9", "c8"]]),
];
