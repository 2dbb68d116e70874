//! Operations that order elements: `sort`, `top_k`.

pub(crate) mod checks;
pub mod maps;
mod sizes;

use crate::control::sized_at_run_time;
use crate::definition::OpDef;
use crate::shape_function::like_same;

pub(crate) const OPS: &[OpDef] = &[
    OpDef::new(
        "sort",
        "ordering",
        maps::output_to_input,
        maps::input_to_output,
    )
    .shaped(like_same)
    .requires(sizes::sort_fits)
    .checked(checks::sort)
    .counted("c2")
    .labelled(&[["c2", "c2"]]),
    OpDef::new(
        "top_k",
        "ordering",
        maps::output_to_input,
        maps::input_to_output,
    )
    .shaped(sizes::top_k)
    .requires(sizes::top_k_fits)
    .checked(checks::top_k),
    OpDef::new(
        "topk",
        "ordering",
        maps::output_to_input,
        maps::input_to_output,
    )
    .shaped(sizes::top_k)
    .requires(sizes::top_k_fits)
    .checked(checks::top_k),
    sized_at_run_time("dynamic_top_k", "ordering")
        .shaped(sizes::top_k)
        .requires(sizes::top_k_fits)
        .sized_by(1, 1),
    sized_at_run_time("dynamic_approx_top_k", "ordering").sized_by_named(),
];
