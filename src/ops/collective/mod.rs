//! Operations between processes. Their maps relate `(replica, index…)` to `(replica, index…)`.

pub mod groups;
pub mod maps;

use crate::registry::OpDef;

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
    collective("all_gather"),
    collective("all_reduce"),
    collective("all_to_all"),
    collective("collective_broadcast"),
    collective("collective_permute"),
    collective("cross-replica-sum"),
    collective("reduce_scatter"),
];
