//! Operations between processes. Their maps relate `(replica, index…)` to `(replica, index…)`.

pub mod groups;
pub mod maps;
mod sizes;

use crate::registry::OpDef;
use crate::shape_function::like_same;

const fn collective(name: &'static str) -> OpDef {
    OpDef::new(
        name,
        "collective",
        maps::output_to_input,
        maps::input_to_output,
    )
    .side_effects()
    .replicas()
}

pub(crate) const OPS: &[OpDef] = &[
    collective("all_gather").shaped(sizes::exchanged),
    collective("all_reduce").shaped(like_same),
    collective("all_to_all").shaped(sizes::exchanged),
    collective("collective_broadcast").shaped(like_same),
    collective("collective_permute").shaped(like_same),
    collective("cross-replica-sum").shaped(like_same),
    collective("reduce_scatter").shaped(sizes::exchanged),
];
