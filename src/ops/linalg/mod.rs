//! Transforms and factorisations: `fft`, `triangular_solve`, `cholesky`.

pub mod maps;

use crate::registry::OpDef;

pub(crate) const OPS: &[OpDef] = &[
    OpDef::new(
        "fft",
        "linalg",
        maps::fft_output_to_input,
        maps::fft_input_to_output,
    ),
    OpDef::new(
        "triangular_solve",
        "linalg",
        maps::solve_output_to_input,
        maps::solve_input_to_output,
    ),
    OpDef::new(
        "cholesky",
        "linalg",
        maps::cholesky_output_to_input,
        maps::cholesky_input_to_output,
    ),
];
