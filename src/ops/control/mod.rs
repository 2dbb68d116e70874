//! Control flow, calls, and operations about which nothing is known.

pub(crate) mod loops;
pub mod maps;
pub mod regions;
mod scan;
pub(crate) mod scope;
mod sizes;

pub use loops::{Steady, known_trips};

use crate::registry::OpDef;
use crate::shape_function::{like_first, like_same};

const fn regions(name: &'static str) -> OpDef {
    OpDef::new(
        name,
        "control",
        maps::output_to_input,
        maps::input_to_output,
    )
    .runs_regions()
}

const fn opaque(name: &'static str) -> OpDef {
    OpDef::new(
        name,
        "control",
        maps::opaque_output_to_input,
        maps::opaque_input_to_output,
    )
    .side_effects()
}

/// An operation that is called by name where sizes are known at run time only.
pub(crate) const fn sized_at_run_time(name: &'static str, family: &'static str) -> OpDef {
    OpDef::new(
        name,
        family,
        maps::sized_at_run_time,
        maps::sized_at_run_time,
    )
}

pub(crate) const OPS: &[OpDef] = &[
    regions("call"),
    regions("composite"),
    regions("while"),
    regions("if"),
    regions("case"),
    regions("scan").shaped(like_first),
    OpDef::new(
        "optimization_barrier",
        "control",
        maps::barrier_output_to_input,
        maps::barrier_input_to_output,
    )
    .shaped(like_same)
    .declares_sizes()
    .view(),
    OpDef::new(
        "custom_call",
        "control",
        maps::custom_output_to_input,
        maps::custom_input_to_output,
    )
    .shaped(sizes::called)
    .declares_sizes()
    .sized_by_named(),
    opaque("shape_assertion").declares_sizes(),
    opaque("async_start"),
    opaque("async_update"),
    opaque("async_done"),
    opaque("after_all"),
    opaque("fusion"),
    opaque("get_tuple_element"),
    opaque("infeed"),
    opaque("outfeed"),
    opaque("recv"),
    opaque("send"),
    opaque("trace"),
    opaque("tuple"),
    opaque("xla.rng_get_and_update_state"),
];
