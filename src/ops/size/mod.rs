//! Run-time sizes: the two ways between sizes and data.

pub mod maps;

use crate::registry::OpDef;

pub(crate) const OPS: &[OpDef] = &[
    OpDef::new(
        "get_dimension_size",
        "size",
        maps::get_output_to_input,
        maps::get_input_to_output,
    ),
    OpDef::new(
        "set_dimension_size",
        "size",
        maps::set_output_to_input,
        maps::set_input_to_output,
    ),
];
