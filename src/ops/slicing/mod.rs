//! Slices: `slice`, `dynamic_slice`, `dynamic_update_slice`, `real_dynamic_slice`.

pub(crate) mod checks;
pub mod dynamic;
pub mod maps;
mod sizes;

use crate::definition::{Class, OpDef};
use crate::shape_function::like_first;

pub(crate) const OPS: &[OpDef] = &[
    OpDef::of_rule("slice", "slicing", maps::sliced)
        .shaped(sizes::slice)
        .class(Class::Movement)
        .view()
        .keyed(&["start_indices", "limit_indices", "strides"])
        .checked(checks::slice)
        .labelled(&[["c1", "c5"]]),
    OpDef::new(
        "dynamic_slice",
        "slicing",
        dynamic::slice_output_to_input,
        dynamic::slice_input_to_output,
    )
    .moving(dynamic::sliced)
    .shaped(sizes::dynamic_slice)
    .requires(sizes::dynamic_slice_fits)
    .made_of(1)
    .class(Class::Assembly)
    .cost(0.5)
    .view()
    .checked(checks::dynamic_slice)
    .labelled(&[["c1", "c5"]]),
    OpDef::new(
        "dynamic_update_slice",
        "slicing",
        dynamic::update_output_to_input,
        dynamic::update_input_to_output,
    )
    .moving(dynamic::updated)
    .shaped(like_first)
    .requires(sizes::update_fits)
    .made_of(2)
    .class(Class::Assembly)
    .updates()
    .checked(checks::dynamic_update_slice)
    .labelled(&[["c1", "c1"]]),
    OpDef::of_rule("real_dynamic_slice", "slicing", dynamic::really_sliced)
        .shaped(sizes::real_dynamic_slice)
        .made_of(1)
        .class(Class::Movement)
        .sized_by(1, 3)
        .checked(checks::real_dynamic_slice),
];
