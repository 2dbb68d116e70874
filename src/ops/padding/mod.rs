//! Tensors put together: `pad`, `dynamic_pad`, `concatenate`.

pub mod concatenate;
pub mod pad;

use crate::registry::OpDef;

pub(crate) const OPS: &[OpDef] = &[
    OpDef::new("pad", "padding", pad::output_to_input, pad::input_to_output).keyed(&[
        "edge_padding_low",
        "edge_padding_high",
        "interior_padding",
    ]),
    OpDef::new(
        "dynamic_pad",
        "padding",
        pad::output_to_input,
        pad::input_to_output,
    ),
    OpDef::new(
        "concatenate",
        "padding",
        concatenate::output_to_input,
        concatenate::input_to_output,
    )
    .keyed(&["dimension"]),
];
