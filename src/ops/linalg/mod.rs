//! Transforms and factorisations: `fft`, `triangular_solve`, `cholesky`.

pub(crate) mod checks;
pub mod maps;
mod sizes;

use crate::definition::OpDef;
use crate::shape_function::{like, like_first};

pub(crate) const OPS: &[OpDef] = &[
    OpDef::new(
        "fft",
        "linalg",
        maps::fft_output_to_input,
        maps::fft_input_to_output,
    )
    .shaped(sizes::fft)
    .declares_sizes()
    .requires(sizes::fft_fits)
    .checked(checks::fft)
    .labelled(&[["c2", "c5"]]),
    OpDef::new(
        "triangular_solve",
        "linalg",
        maps::solve_output_to_input,
        maps::solve_input_to_output,
    )
    .shaped(like::<1>)
    .requires(sizes::solve_fits)
    .checked(checks::triangular_solve)
    .labelled(&[["c4", "c4"]]),
    OpDef::new(
        "cholesky",
        "linalg",
        maps::cholesky_output_to_input,
        maps::cholesky_input_to_output,
    )
    .shaped(like_first)
    .requires(sizes::cholesky_fits)
    .checked(checks::cholesky)
    .labelled(&[["c1", "c1"]]),
];
