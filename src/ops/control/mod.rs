//! Control flow, calls, and operations about which nothing is known.

mod asynchronous;
pub(crate) mod checks;
pub(crate) mod loops;
pub mod maps;
pub mod reads;
pub mod regions;
mod scan;
pub(crate) mod scan_checks;
pub(crate) mod scope;
mod sizes;

pub use loops::{Steady, known_trips};

use crate::definition::{DIALECTS, Effect, OpDef};
use crate::shape_function::{like_first, like_same};
use mapwright_mlir::{Op, ValueType};

/// Flow of control into the regions of an operation, and out of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Each region begins with the values that are carried, one for each operand; the last one ends
    /// in the next of them, the results are the last of them.
    Loop,
    /// One of the regions is run, which begins with nothing and ends in the results.
    Branches,
}

/// The flow of control of `op`, a loop or a choice of StableHLO's.
pub fn flow(op: Op<'_>) -> Option<Flow> {
    if !DIALECTS.contains(&op.dialect()) {
        return None;
    }
    match op.short_name() {
        "while" if op.num_operands() == op.num_results() => Some(Flow::Loop),
        "if" | "case" => Some(Flow::Branches),
        _ => None,
    }
}

/// Types of what the infeeds inside `module` take, tokens left out; tuples as they are.
pub fn infeed_types(module: Op<'_>) -> Vec<ValueType> {
    let infeeds = module.descendants().into_iter();
    let infeeds = infeeds.filter(|op| op.is_hlo("infeed"));
    let types = infeeds.flat_map(|op| (0..op.num_results()).map(move |i| op.result_type(i)));
    types.filter(|ty| *ty != ValueType::Token).collect()
}

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
}

/// An operation of which every execution counts.
const fn acting(name: &'static str) -> OpDef {
    opaque(name).does(Effect::Acts)
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
    regions("call").does(Effect::Callee),
    regions("composite")
        .does(Effect::Callee)
        .checked(checks::composite),
    regions("while")
        .does(Effect::Endless)
        .checked(checks::while_op),
    regions("if").checked(checks::if_op),
    regions("case").checked(checks::case),
    regions("scan")
        .shaped(like_first)
        .checked(scan_checks::scan),
    OpDef::new(
        "optimization_barrier",
        "control",
        maps::barrier_output_to_input,
        maps::barrier_input_to_output,
    )
    .shaped(like_same)
    .declares_sizes()
    .view()
    .checked(checks::optimization_barrier)
    .counted("c1")
    .labelled(&[["c1", "c1"]]),
    OpDef::new(
        "custom_call",
        "control",
        maps::custom_output_to_input,
        maps::custom_input_to_output,
    )
    .does(Effect::Callee)
    .shaped(sizes::called)
    .declares_sizes()
    .sized_by_named()
    .checked(checks::custom_call),
    acting("shape_assertion").declares_sizes(),
    acting("async_start").checked(asynchronous::start),
    acting("async_update").checked(asynchronous::update),
    acting("async_done")
        .checked(asynchronous::done)
        .labelled(&[["c1", "c1"]]),
    acting("after_all").checked(checks::token),
    regions("fusion").checked(crate::typing::mhlo::fusion),
    opaque("get_tuple_element")
        .checked(checks::get_tuple_element)
        .labelled(&[["c2", "c2"]]),
    acting("infeed").checked(checks::infeed),
    acting("outfeed").checked(checks::sends),
    acting("recv").checked(checks::recv),
    acting("send").checked(checks::sends),
    acting("trace"),
    opaque("tuple")
        .checked(checks::tuple)
        .labelled(&[["c1", "c1"]]),
    acting("xla.rng_get_and_update_state"),
];
