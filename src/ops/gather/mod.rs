//! `gather`, `scatter` and their relatives: places that are read from a tensor.

pub(crate) mod checks;
pub mod maps;
pub mod scatter;
mod sizes;

use crate::definition::{Class, OpDef};
use crate::repeats;
use crate::shape_function::like_same;

pub(crate) const OPS: &[OpDef] = &[
    OpDef::new(
        "gather",
        "gather",
        maps::output_to_input,
        maps::input_to_output,
    )
    .moving(maps::gathered)
    .shaped(sizes::gather)
    .requires(sizes::gather_fits)
    .made_of(1)
    .repeats(repeats::often)
    .class(Class::Assembly)
    .cost(0.5)
    .checked(checks::gather),
    OpDef::new(
        "dynamic_gather",
        "gather",
        maps::output_to_input,
        maps::input_to_output,
    )
    .moving(maps::gathered)
    .shaped(sizes::gather)
    .requires(sizes::gather_fits)
    .made_of(1)
    .repeats(repeats::often)
    .class(Class::Assembly)
    .sized_by(2, 2)
    .checked(checks::dynamic_gather),
    OpDef::new(
        "torch_index_select",
        "gather",
        maps::output_to_input,
        maps::input_to_output,
    )
    .moving(maps::gathered)
    .shaped(sizes::torch_index_select)
    .requires(sizes::torch_index_select_fits)
    .made_of(1)
    .repeats(repeats::often)
    .class(Class::Assembly)
    .checked(checks::torch_index_select),
    OpDef::new(
        "scatter",
        "gather",
        scatter::output_to_input,
        scatter::input_to_output,
    )
    .shaped(like_same)
    .requires(sizes::scatter_fits)
    .repeats(repeats::updates)
    .class(Class::Update)
    .updates()
    .checked(checks::scatter)
    .counted("c5")
    .labelled(&[["c25", "c24"]]),
];
