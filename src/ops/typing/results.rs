//! Which constraint a wrong result type violates.

use super::check::{Check, Violation, same_storage, shapes_agree};
use crate::shape_function::types;
use mapwright_mlir::{Dim, Op, ValueType};

/// Sizes of result `i` by the shape function of the operation, as far as types tell sizes.
pub fn sizes(op: Op<'_>, i: usize) -> Check<Vec<Dim>> {
    types::sizes(op, i).map_err(|error| Violation {
        label: labels(op.short_name(), i)[1],
        message: error.to_string(),
    })
}

/// Labels of the constraints on result `i` of the operation `short`: on its element type and on its shape. Empty where the
/// specification has none, or where the rule itself checks it.
fn labels(short: &str, i: usize) -> [&'static str; 2] {
    match (short, i) {
        ("abs" | "complex" | "real" | "imag" | "uniform_quantize" | "uniform_dequantize", _) => {
            match short {
                "complex" => ["c3", "c2"],
                _ => ["c2", "c1"],
            }
        }
        ("all_gather", _) => ["c6", "c6"],
        ("all_reduce", _) => ["c7", "c6"],
        ("all_to_all", _) => ["c9", "c9"],
        ("reduce_scatter", _) => ["c9", "c8"],
        ("collective_broadcast", _) => ["c3", "c3"],
        ("collective_permute", _) => ["c5", "c5"],
        ("batch_norm_grad", 0) => ["c2", "c3"],
        ("batch_norm_grad", _) => ["c2", "c4"],
        ("batch_norm_inference", _) | ("batch_norm_training", 0) => ["c2", "c7"],
        ("batch_norm_training", 1) => ["c2", "c5"],
        ("batch_norm_training", _) => ["c2", "c6"],
        ("cholesky" | "is_finite" | "reduce_precision" | "reverse" | "constant" | "tuple", _) => {
            ["c1", "c1"]
        }
        ("optimization_barrier" | "dynamic_update_slice" | "rng_bit_generator", _) => ["c1", "c1"],
        ("clamp" | "triangular_solve", _) => ["c4", "c4"],
        ("compare", _) => ["", "c2"],
        ("concatenate", _) => ["c5", "c6"],
        ("dot_general", _) => ["", "c12"],
        ("slice" | "dynamic_slice", _) => ["c1", "c5"],
        ("pad" | "dynamic_pad", _) => ["c1", "c4"],
        ("fft", _) => ["c2", "c5"],
        ("get_tuple_element" | "select" | "sort", _) => ["c2", "c2"],
        ("map", _) => ["c4", "c1"],
        ("reduce", _) => ["c8", "c7"],
        ("reduce_window", 0) => ["c16", "c15"],
        // (C14): all results have the shape of the first.
        ("reduce_window", _) => ["c16", "c14"],
        ("rng", _) => ["c1", "c3"],
        ("scatter", _) => ["c25", "c24"],
        ("select_and_scatter", _) => ["c12", "c11"],
        ("transpose", _) => ["c1", "c3"],
        (short, _) if super::is_same_type(short) => ["c1", "c1"],
        _ => ["", ""],
    }
}

/// The constraint on how many results there are.
pub fn count_label(short: &str) -> &'static str {
    match short {
        "reduce" => "c3",
        "reduce_window" => "c1",
        "scatter" => "c5",
        "sort" => "c2",
        "optimization_barrier" => "c1",
        _ => "",
    }
}

/// The constraint that the declared type of result `i` violates, given what follows from the operands.
pub fn mismatch_label(
    short: &str,
    i: usize,
    inferred: &ValueType,
    declared: &ValueType,
) -> &'static str {
    let [element, shape] = labels(short, i);
    match (inferred.tensor(), declared.tensor()) {
        (Some(a), Some(b)) if same_storage(&a.element, &b.element) => {
            debug_assert!(!shapes_agree(&a.dims, &b.dims));
            shape
        }
        _ => element,
    }
}
