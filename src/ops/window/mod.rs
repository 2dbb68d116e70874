//! Windows: `reduce_window`, `select_and_scatter`, and the relation that they share with
//! `convolution`.

pub(crate) mod checks;
pub mod maps;
pub mod prefix;
pub mod relation;
pub(crate) mod sizes;

pub use sizes::window_of_operands;

/// The most elements of a window that the loop over windows writes out; longer windows are loops,
/// an element at a time. Each is a load and an operation for every vector of results: the code of a
/// loop grows with them, and has to stay in the cache of decoded instructions.
pub const WRITTEN_OUT: i64 = 64;

use crate::control::sized_at_run_time;
use crate::definition::{Class, OpDef};
use crate::repeats;
use crate::shape_function::like_first;

pub(crate) const OPS: &[OpDef] = &[
    OpDef::new(
        "reduce_window",
        "window",
        maps::output_to_input,
        maps::input_to_output,
    )
    .shaped(sizes::reduce_window)
    .requires(crate::reduction::sizes::inputs_fit)
    .repeats(repeats::windows)
    .terms(repeats::terms_of_window)
    .class(Class::Window)
    .keyed(&[
        "window_dimensions",
        "window_strides",
        "base_dilations",
        "window_dilations",
        "padding",
    ])
    .checked(checks::reduce_window)
    .counted("c1")
    .labelled(&[["c16", "c15"], ["c16", "c14"]]),
    // Its window is known at run time only.
    sized_at_run_time("dynamic_reduce_window", "window")
        .shaped(sizes::dynamic_reduce_window)
        .requires(sizes::dynamic_window_fits)
        .repeats(repeats::often)
        .class(Class::Window)
        .sized_by_last(5),
    OpDef::new(
        "select_and_scatter",
        "window",
        maps::scatter_output_to_input,
        maps::scatter_input_to_output,
    )
    .shaped(like_first)
    .requires(sizes::source_fits)
    .repeats(repeats::windows)
    .class(Class::Update)
    .checked(checks::select_and_scatter)
    .labelled(&[["c12", "c11"]]),
];
