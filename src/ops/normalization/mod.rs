//! Batch normalisation.

pub mod maps;

use crate::registry::OpDef;

pub(crate) const OPS: &[OpDef] = &[
    OpDef::new(
        "batch_norm_grad",
        "normalization",
        maps::output_to_input,
        maps::input_to_output,
    )
    .keyed(&["feature_index"]),
    OpDef::new(
        "batch_norm_inference",
        "normalization",
        maps::output_to_input,
        maps::input_to_output,
    )
    .keyed(&["feature_index"]),
    OpDef::new(
        "batch_norm_training",
        "normalization",
        maps::output_to_input,
        maps::input_to_output,
    )
    .keyed(&["feature_index"]),
];
