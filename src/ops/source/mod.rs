//! Operations whose results come from nowhere: constants, iota, random numbers, process numbers.

pub mod maps;
mod sizes;

use crate::control::sized_at_run_time;
use crate::registry::{Class, OpDef};
use crate::shape_function::elements_of;

const fn source(name: &'static str) -> OpDef {
    OpDef::new(name, "source", maps::output_to_input, maps::input_to_output)
}

pub(crate) const OPS: &[OpDef] = &[
    source("constant").class(Class::Source),
    source("iota").class(Class::Source),
    source("create_token"),
    source("partition_id"),
    source("replica_id"),
    source("dynamic_iota")
        .shaped(elements_of::<0>)
        .class(Class::Movement)
        .sized_by(0, 0),
    source("rng").declares_sizes(),
    source("rng_uniform"),
    source("rng_normal"),
    source("rng_bit_generator").declares_sizes(),
    sized_at_run_time("dynamic_rng_bit_generator", "source")
        .shaped(sizes::dynamic_bits)
        .sized_by(1, 1),
];
