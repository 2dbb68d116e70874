//! Operations that order elements: `sort`, `top_k`.

pub mod maps;

use crate::control::sized_at_run_time;
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
    sized_at_run_time("dynamic_top_k", "ordering").sized_by(1, 1),
    sized_at_run_time("dynamic_approx_top_k", "ordering").sized_by_named(),
];
