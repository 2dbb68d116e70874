//! Types of operations: verification and inference, one implementation for both.
//!
//! A rule takes an operation and checks the specification's constraints on its operands, attributes and regions, each under
//! the constraint's label; what it returns are the result types that follow. [`verify`] compares these with the declared ones;
//! [`infer`] gives them to shape inference. Element types that the operation's definition rules out altogether are the business
//! of the dialect's ODS constraints.

pub mod check;
mod chlo;
mod collective;
mod contract;
pub(crate) mod control;
mod conv;
mod elementwise;
mod gather;
mod interpreter;
mod linalg;
mod mhlo;
mod quantized;
mod ragged;
mod reduce;
mod results;
mod scan;
mod shape;
mod slicing;
mod tarray;

pub use crate::symbols::find_function;
pub use check::{Check, Inferred, Violation};
pub use control::signature;

use check::{list, types_agree};
use mapwright_mlir::{Op, ValueType};

/// A rule: checks an operation and infers its result types.
pub type Rule = fn(Op<'_>) -> Check<Inferred>;

/// The rule of the operation `short` (its name without the dialect); `None` for operations that have none.
pub fn rule(short: &str) -> Option<Rule> {
    let rule: Rule = match short {
        short if is_same_type(short) => elementwise::same_type,
        "abs" => elementwise::abs,
        "real" | "imag" => elementwise::real_imag,
        "complex" => elementwise::complex,
        "is_finite" => elementwise::is_finite,
        "compare" => elementwise::compare,
        "convert" => elementwise::convert,
        "clamp" => elementwise::clamp,
        "select" => elementwise::select,
        "reduce_precision" => elementwise::reduce_precision,
        "uniform_quantize" => elementwise::uniform_quantize,
        "uniform_dequantize" => elementwise::uniform_dequantize,
        "map" => elementwise::map,
        "broadcast_in_dim" => shape::broadcast_in_dim,
        "dynamic_broadcast_in_dim" => shape::dynamic_broadcast_in_dim,
        "broadcast" => shape::broadcast,
        "reshape" => shape::reshape,
        "dynamic_reshape" => shape::dynamic_reshape,
        "transpose" => shape::transpose,
        "reverse" => shape::reverse,
        "slice" => slicing::slice,
        "real_dynamic_slice" => slicing::real_dynamic_slice,
        "dynamic_slice" => slicing::dynamic_slice,
        "dynamic_update_slice" => slicing::dynamic_update_slice,
        "pad" => slicing::pad,
        "dynamic_pad" => slicing::dynamic_pad,
        "concatenate" => slicing::concatenate,
        "bitcast_convert" => shape::bitcast_convert,
        "iota" => shape::iota,
        "dynamic_iota" => shape::dynamic_iota,
        "constant" => shape::constant,
        "get_dimension_size" => shape::get_dimension_size,
        "set_dimension_size" => shape::set_dimension_size,
        "reduce" => reduce::reduce,
        "reduce_window" => reduce::reduce_window,
        "select_and_scatter" => reduce::select_and_scatter,
        "sort" => reduce::sort,
        "dot_general" => contract::dot_general,
        "dot" => contract::dot,
        "convolution" => conv::convolution,
        "dynamic_conv" => conv::dynamic_conv,
        "gather" => gather::gather,
        "dynamic_gather" => gather::dynamic_gather,
        "scatter" => gather::scatter,
        "torch_index_select" => gather::torch_index_select,
        "if" => control::if_op,
        "case" => control::case,
        "while" => control::while_op,
        "acos" | "acosh" | "asin" | "asinh" | "_asin_acos_kernel" | "atan" | "atanh"
        | "bessel_i1e" | "conj" | "cosh" | "digamma" | "erf" | "erf_inv" | "erfc" | "lgamma"
        | "mulhi" | "next_after" | "polygamma" | "sinh" | "square" | "zeta" => chlo::function,
        "is_inf" | "is_neg_inf" | "is_pos_inf" => chlo::predicate,
        "constant_like" => chlo::constant_like,
        "top_k" | "topk" => chlo::top_k,
        "broadcast_select" => chlo::broadcast_select,
        short if short.starts_with("broadcast_") && short != "broadcast_in_dim" => {
            chlo::broadcast_binary
        }
        "einsum" | "unary_einsum" => contract::einsum,
        "copy" | "domain" | "add_dependency" => mhlo::first,
        "bitcast" => mhlo::bitcast,
        "stochastic_convert" => elementwise::convert,
        "fusion" => mhlo::fusion,
        "optimization_barrier" => control::optimization_barrier,
        "after_all" | "create_token" => control::token,
        "tuple" => control::tuple,
        "get_tuple_element" => control::get_tuple_element,
        "composite" => control::composite,
        "custom_call" => control::custom_call,
        "infeed" => control::infeed,
        "recv" => control::recv,
        "send" | "outfeed" => control::sends,
        "partition_id" | "replica_id" => control::device_id,
        "all_gather" => collective::all_gather,
        "all_reduce" => collective::all_reduce,
        "reduce_scatter" => collective::reduce_scatter,
        "all_to_all" => collective::all_to_all,
        "collective_permute" => collective::collective_permute,
        "collective_broadcast" => collective::collective_broadcast,
        "cross-replica-sum" => collective::cross_replica_sum,
        "cholesky" => linalg::cholesky,
        "triangular_solve" => linalg::triangular_solve,
        "fft" => linalg::fft,
        "batch_norm_inference" => linalg::batch_norm_inference,
        "batch_norm_training" => linalg::batch_norm_training,
        "batch_norm_grad" => linalg::batch_norm_grad,
        "ragged_dot" => ragged::ragged_dot,
        "scan" => scan::scan,
        "rng" => linalg::rng,
        "rng_bit_generator" => linalg::rng_bit_generator,
        "run_parallel" => interpreter::run_parallel,
        _ => return None,
    };
    Some(rule)
}

/// Operations whose result has the type of their operands.
fn is_same_type(short: &str) -> bool {
    matches!(
        short,
        "add"
            | "and"
            | "atan2"
            | "cbrt"
            | "ceil"
            | "cosine"
            | "count_leading_zeros"
            | "divide"
            | "exponential"
            | "exponential_minus_one"
            | "floor"
            | "log"
            | "log_plus_one"
            | "logistic"
            | "maximum"
            | "minimum"
            | "multiply"
            | "negate"
            | "not"
            | "or"
            | "popcnt"
            | "power"
            | "remainder"
            | "round_nearest_afz"
            | "round_nearest_even"
            | "rsqrt"
            | "shift_left"
            | "shift_right_arithmetic"
            | "shift_right_logical"
            | "sign"
            | "sine"
            | "sqrt"
            | "subtract"
            | "tan"
            | "tanh"
            | "xor"
    )
}

/// Result types that follow from operands, attributes and regions; `None` where the specification leaves them open.
pub fn infer(op: Op<'_>) -> Check<Inferred> {
    // Operations of tensor arrays share names with those of StableHLO.
    let rule = match op.dialect() {
        "tarray" => tarray::rule(op.short_name()),
        _ => rule(op.short_name()),
    };
    match rule {
        Some(rule) => rule(op),
        None => Ok(None),
    }
}

/// Checks all constraints of an operation, its result types included.
pub fn verify(op: Op<'_>) -> Check {
    quantized::verify(op)?;
    let Some(inferred) = infer(op)? else {
        return Ok(());
    };
    let declared: Vec<ValueType> = (0..op.num_results()).map(|i| op.result_type(i)).collect();
    ensure_results(op.short_name(), &inferred, &declared)
}

/// The declared types must be those that follow, as far as sizes are known.
fn ensure_results(short: &str, inferred: &[ValueType], declared: &[ValueType]) -> Check {
    let label = if inferred.len() == declared.len() {
        let wrong = inferred
            .iter()
            .zip(declared)
            .enumerate()
            .find(|(_, (a, b))| !types_agree(a, b));
        match wrong {
            None => return Ok(()),
            Some((i, (a, b))) => results::mismatch_label(short, i, a, b),
        }
    } else {
        results::count_label(short)
    };
    check::violation(
        label,
        format!(
            "the results must be of the types {}, are {}",
            list(inferred),
            list(declared)
        ),
    )
}

/// Verifies and emits a diagnostic at the operation if a constraint does not hold.
pub fn verify_and_report(op: Op<'_>) -> bool {
    match verify(op) {
        Ok(()) => true,
        Err(violation) => {
            report(op, &violation);
            false
        }
    }
}

/// The result types that follow; `None`, and a diagnostic at the operation, if a constraint does not hold.
pub fn infer_and_report(op: Op<'_>) -> Option<Vec<ValueType>> {
    match infer(op) {
        Ok(Some(types)) => Some(types),
        Ok(None) => {
            op.emit_error("has results whose types do not follow from its operands");
            None
        }
        Err(violation) => {
            report(op, &violation);
            None
        }
    }
}

fn report(op: Op<'_>, violation: &Violation) {
    let label = match violation.label {
        "" => String::new(),
        label => format!(" ({}_{label})", op.short_name()),
    };
    op.emit_error(&format!("{}{label}", violation.message));
}
