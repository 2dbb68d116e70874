//! `reduce`, and mhlo's and chlo's reductions of one dimension.

pub mod maps;

use crate::registry::{Class, OpDef};

pub(crate) const OPS: &[OpDef] = &[OpDef::new(
    "reduce",
    "reduction",
    maps::output_to_input,
    maps::input_to_output,
)
.class(Class::Reduction)
.runs_always()
.keyed(&["dimensions"])];
