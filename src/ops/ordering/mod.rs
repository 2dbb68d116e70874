//! Operations that order elements: `sort`, `top_k`.

pub mod maps;

use crate::registry::OpDef;

pub(crate) const OPS: &[OpDef] = &[
    OpDef::new(
        "sort",
        "ordering",
        maps::output_to_input,
        maps::input_to_output,
    ),
    OpDef::new(
        "top_k",
        "ordering",
        maps::output_to_input,
        maps::input_to_output,
    ),
    OpDef::new(
        "topk",
        "ordering",
        maps::output_to_input,
        maps::input_to_output,
    ),
    OpDef::new(
        "dynamic_top_k",
        "ordering",
        maps::output_to_input,
        maps::input_to_output,
    )
    .made_of(1)
    .sized_by(1, 1),
    OpDef::new(
        "dynamic_approx_top_k",
        "ordering",
        maps::approximate,
        maps::approximate,
    )
    .sized_by_named(),
];
