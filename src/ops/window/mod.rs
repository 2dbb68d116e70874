//! Windows: `reduce_window`, `select_and_scatter`, and the relation that they share with `convolution`.

pub mod maps;
pub mod relation;

use crate::control::sized_at_run_time;
use crate::registry::{Class, OpDef};
use crate::repeats;

pub(crate) const OPS: &[OpDef] = &[
    OpDef::new(
        "reduce_window",
        "window",
        maps::output_to_input,
        maps::input_to_output,
    )
    .repeats(repeats::windows)
    .class(Class::Window)
    .keyed(&[
        "window_dimensions",
        "window_strides",
        "base_dilations",
        "window_dilations",
        "padding",
    ]),
    // Its window is known at run time only.
    sized_at_run_time("dynamic_reduce_window", "window")
        .repeats(repeats::often)
        .class(Class::Window)
        .sized_by_last(5),
    OpDef::new(
        "select_and_scatter",
        "window",
        maps::scatter_output_to_input,
        maps::scatter_input_to_output,
    )
    .repeats(repeats::windows)
    .class(Class::Update),
];
