//! Operations between processes. Their maps relate `(replica, index…)` to `(replica, index…)`.

pub(crate) mod checks;
pub mod groups;
pub mod maps;
mod sizes;

use crate::attrs;
use crate::definition::{Effect, OpDef};
use crate::shape_function::like_same;
use mapwright_mlir::Op;

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

/// Pattern in which the members of a group exchange what they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// All get all.
    AllGather,
    /// Each gets a part of each.
    AllToAll,
    /// All get what is combined.
    AllReduce,
    /// Each gets a part of what is combined.
    ReduceScatter,
    /// Each gets what one other has, by pairs.
    Permute,
    /// All get what the first one has.
    Broadcast,
}

/// Tells whether an operation is a collective.
pub fn is_exchange(op: Op<'_>) -> bool {
    OPS.iter().any(|def| op.is_hlo(def.name))
}

/// The exchange that an operation is, and how many devices a group has. `None` for other
/// operations, and groups that are not known.
pub fn exchange(op: Op<'_>) -> Option<(Exchange, i64)> {
    let exchange = match op.short_name() {
        "all_gather" => Exchange::AllGather,
        "all_to_all" => Exchange::AllToAll,
        "all_reduce" => Exchange::AllReduce,
        "reduce_scatter" => Exchange::ReduceScatter,
        "collective_permute" => return Some((Exchange::Permute, 2)),
        "collective_broadcast" => Exchange::Broadcast,
        _ => return None,
    };
    Some((exchange, attrs::members(op)?))
}
