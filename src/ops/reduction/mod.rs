//! `reduce`, and mhlo's and chlo's reductions of one dimension.

pub(crate) mod checks;
pub mod combination;
pub mod maps;
pub(crate) mod sizes;

use crate::definition::{Class, OpDef};

pub(crate) const OPS: &[OpDef] = &[OpDef::new(
    "reduce",
    "reduction",
    maps::output_to_input,
    maps::input_to_output,
)
.shaped(sizes::reduce)
.requires(sizes::inputs_fit)
.class(Class::Reduction)
.terms(crate::repeats::terms_of_reduction)
.runs_always()
.keyed(&["dimensions"])
.checked(checks::reduce)
.counted("c3")
.labelled(&[["c8", "c7"]])];
