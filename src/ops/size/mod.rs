//! Sizes: the two ways between them and data, and what is computed from shapes.

pub(crate) mod checks;
pub mod maps;
mod sizes;

use crate::definition::{Class, OpDef};

pub(crate) const OPS: &[OpDef] = &[
    OpDef::new(
        "get_dimension_size",
        "size",
        maps::get_output_to_input,
        maps::get_input_to_output,
    )
    .declares_sizes()
    .class(Class::Movement)
    .checked(checks::get_dimension_size),
    // It hands on the elements within the new size, which is a constraint as that of every run-time
    // size is. Whether an element is there depends on the operand that says the size.
    OpDef::of_rule("set_dimension_size", "size", crate::index_rule::same)
        .shaped(sizes::set_dimension_size)
        .requires(sizes::resized_fits)
        .made_of(1)
        .class(Class::Movement)
        .sized_by(1, 1)
        .checked(checks::set_dimension_size),
    OpDef::new(
        "minimum_broadcast_shapes",
        "size",
        maps::shapes_output_to_input,
        maps::shapes_input_to_output,
    ),
];
