//! Batch normalisation.

pub(crate) mod checks;
pub mod maps;

use crate::definition::OpDef;

pub(crate) const OPS: &[OpDef] = &[
    OpDef::new(
        "batch_norm_grad",
        "normalization",
        maps::output_to_input,
        maps::input_to_output,
    )
    .keyed(&["feature_index"])
    .checked(checks::batch_norm_grad)
    .labelled(&[["c2", "c3"], ["c2", "c4"]]),
    OpDef::new(
        "batch_norm_inference",
        "normalization",
        maps::output_to_input,
        maps::input_to_output,
    )
    .keyed(&["feature_index"])
    .checked(checks::batch_norm_inference)
    .labelled(&[["c2", "c7"]]),
    OpDef::new(
        "batch_norm_training",
        "normalization",
        maps::output_to_input,
        maps::input_to_output,
    )
    .keyed(&["feature_index"])
    .checked(checks::batch_norm_training)
    .labelled(&[["c2", "c7"], ["c2", "c5"], ["c2", "c6"]]),
];
