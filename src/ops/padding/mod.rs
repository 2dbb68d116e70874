//! Tensors put together: `pad`, `dynamic_pad`, `concatenate`.

pub(crate) mod checks;
pub mod concatenate;
pub mod pad;
mod sizes;

use crate::definition::{Class, OpDef};

pub(crate) const OPS: &[OpDef] = &[
    OpDef::new("pad", "padding", pad::output_to_input, pad::input_to_output)
        .moving(pad::padded)
        .shaped(sizes::pad)
        .class(Class::Assembly)
        .cost(0.5)
        .keyed(&["edge_padding_low", "edge_padding_high", "interior_padding"])
        .checked(checks::pad)
        .labelled(&[["c1", "c4"]]),
    OpDef::new(
        "dynamic_pad",
        "padding",
        pad::output_to_input,
        pad::input_to_output,
    )
    .moving(pad::dynamically_padded)
    .shaped(sizes::dynamic_pad)
    .requires(sizes::dynamic_pad_grows)
    .made_of(2)
    .class(Class::Assembly)
    .sized_by(2, 4)
    .checked(checks::dynamic_pad)
    .labelled(&[["c1", "c4"]]),
    OpDef::of_rule("concatenate", "padding", concatenate::concatenated)
        .shaped(sizes::concatenate)
        .requires(sizes::concatenate_fits)
        .class(Class::Assembly)
        .cost(0.5)
        .keyed(&["dimension"])
        .checked(checks::concatenate)
        .labelled(&[["c5", "c6"]]),
];
