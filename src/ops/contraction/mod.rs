//! Contractions: `dot`, `dot_general`, `convolution`, `einsum`.

pub mod convolution;
pub mod dot;

use crate::registry::OpDef;

pub(crate) const OPS: &[OpDef] = &[
    OpDef::new(
        "dot",
        "contraction",
        dot::output_to_input,
        dot::input_to_output,
    )
    .keyed(&[]),
    OpDef::new(
        "dot_general",
        "contraction",
        dot::output_to_input,
        dot::input_to_output,
    )
    .keyed(&["dot_dimension_numbers"]),
    OpDef::new(
        "einsum",
        "contraction",
        dot::output_to_input,
        dot::input_to_output,
    ),
    OpDef::new(
        "unary_einsum",
        "contraction",
        dot::output_to_input,
        dot::input_to_output,
    ),
    OpDef::new(
        "convolution",
        "contraction",
        convolution::output_to_input,
        convolution::input_to_output,
    ),
    OpDef::new(
        "dynamic_conv",
        "contraction",
        convolution::output_to_input,
        convolution::input_to_output,
    ),
    OpDef::new(
        "ragged_dot",
        "contraction",
        dot::ragged_output_to_input,
        dot::ragged_input_to_output,
    ),
];
