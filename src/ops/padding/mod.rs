//! Tensors put together: `pad`, `dynamic_pad`, `concatenate`.

pub mod concatenate;
pub mod pad;

use crate::registry::{Class, OpDef};

pub(crate) const OPS: &[OpDef] = &[
    OpDef::new("pad", "padding", pad::output_to_input, pad::input_to_output)
        .class(Class::Assembly)
        .cost(0.5)
        .keyed(&["edge_padding_low", "edge_padding_high", "interior_padding"]),
    OpDef::new(
        "dynamic_pad",
        "padding",
        pad::output_to_input,
        pad::input_to_output,
    )
    .made_of(2)
    .class(Class::Assembly)
    .sized_by(2, 4),
    OpDef::new(
        "concatenate",
        "padding",
        concatenate::output_to_input,
        concatenate::input_to_output,
    )
    .class(Class::Assembly)
    .cost(0.5)
    .keyed(&["dimension"]),
];
