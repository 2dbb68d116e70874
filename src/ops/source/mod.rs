//! Operations whose results come from nowhere: constants, iota, random numbers, process numbers.

pub(crate) mod checks;
pub mod maps;
mod sizes;

use crate::control::sized_at_run_time;
use crate::definition::{Class, Effect, OpDef};
use crate::shape_function::elements_of;

const fn source(name: &'static str) -> OpDef {
    OpDef::new(name, "source", maps::output_to_input, maps::input_to_output)
}

pub(crate) const OPS: &[OpDef] = &[
    source("constant")
        .class(Class::Source)
        .checked(checks::constant)
        .labelled(&[["c1", "c1"]]),
    source("iota").class(Class::Source).checked(checks::iota),
    source("create_token").checked(crate::control::checks::token),
    source("partition_id").checked(checks::device_id),
    source("replica_id").checked(checks::device_id),
    source("dynamic_iota")
        .shaped(elements_of::<0>)
        .class(Class::Movement)
        .sized_by(0, 0)
        .checked(checks::dynamic_iota),
    source("rng")
        .does(Effect::Acts)
        .shaped(elements_of::<2>)
        .sized_by(2, 2)
        .checked(checks::rng)
        .labelled(&[["c1", "c3"]]),
    source("rng_uniform").does(Effect::Acts),
    source("rng_normal").does(Effect::Acts),
    source("rng_bit_generator")
        .declares_sizes()
        .checked(checks::rng_bit_generator)
        .labelled(&[["c1", "c1"]]),
    sized_at_run_time("dynamic_rng_bit_generator", "source")
        .shaped(sizes::dynamic_bits)
        .sized_by(1, 1),
];
