//! Element-wise operations: element `i` of the result is made of element `i` of every operand.

pub mod maps;
pub mod quotient;
mod sizes;

use crate::registry::{Class, OpDef};
use crate::repeats;
use crate::shape_function::like;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Op, Val, ValueType};

/// With the cost of an element, in simple operations.
const fn costly(name: &'static str, cost: f64) -> OpDef {
    unfused(name).class(Class::Elementwise).cost(cost)
}

const fn elementwise(name: &'static str) -> OpDef {
    costly(name, 1.0)
}

/// One that is in no region: it is rewritten before, or no code is made for it there.
const fn unfused(name: &'static str) -> OpDef {
    OpDef::new(
        name,
        "elementwise",
        maps::output_to_input,
        maps::input_to_output,
    )
    .shaped(sizes::of_operands)
    .requires(sizes::operands_fit)
    .keyed(&[])
}

const fn broadcasting(name: &'static str) -> OpDef {
    OpDef::new(
        name,
        "elementwise",
        maps::broadcasting_output_to_input,
        maps::broadcasting_input_to_output,
    )
    .keyed(&["broadcast_dimensions"])
}

pub(crate) const OPS: &[OpDef] = &[
    // unary
    elementwise("abs"),
    costly("cbrt", 24.0),
    elementwise("ceil"),
    costly("convert", 0.5),
    costly("cosine", 24.0),
    elementwise("count_leading_zeros"),
    costly("erf", 24.0),
    costly("exponential", 14.0),
    costly("exponential_minus_one", 14.0),
    elementwise("floor"),
    elementwise("imag"),
    elementwise("is_finite"),
    costly("log", 14.0),
    costly("log_plus_one", 14.0),
    costly("logistic", 14.0),
    elementwise("negate"),
    elementwise("not"),
    elementwise("popcnt"),
    elementwise("real"),
    elementwise("reduce_precision"),
    elementwise("round_nearest_afz"),
    elementwise("round_nearest_even"),
    costly("rsqrt", 6.0),
    elementwise("sign"),
    costly("sine", 24.0),
    costly("sqrt", 6.0),
    costly("tan", 24.0),
    costly("tanh", 14.0),
    elementwise("uniform_dequantize"),
    elementwise("uniform_quantize"),
    unfused("copy").class(Class::Movement).cost(0.0),
    unfused("stochastic_convert"),
    unfused("domain"),
    unfused("add_dependency"),
    // unary, chlo
    costly("acos", 24.0),
    costly("acosh", 24.0),
    costly("asin", 24.0),
    unfused("_asin_acos_kernel"),
    unfused("asin_acos_kernel"),
    costly("asinh", 24.0),
    costly("atan", 24.0),
    costly("atanh", 24.0),
    costly("bessel_i1e", 100.0),
    elementwise("conj"),
    costly("cosh", 24.0),
    costly("digamma", 100.0),
    costly("erf_inv", 24.0),
    costly("erfc", 24.0),
    elementwise("is_inf"),
    elementwise("is_neg_inf"),
    elementwise("is_pos_inf"),
    costly("lgamma", 100.0),
    costly("sinh", 24.0),
    elementwise("square"),
    // binary
    elementwise("add").combines(),
    elementwise("and").combines(),
    costly("atan2", 24.0),
    elementwise("compare"),
    elementwise("complex"),
    costly("divide", 6.0),
    elementwise("maximum").combines(),
    elementwise("minimum").combines(),
    elementwise("multiply").combines(),
    elementwise("or").combines(),
    costly("power", 24.0),
    costly("remainder", 6.0),
    elementwise("shift_left"),
    elementwise("shift_right_arithmetic"),
    elementwise("shift_right_logical"),
    elementwise("subtract"),
    elementwise("xor").combines(),
    // binary, chlo
    unfused("mulhi"),
    elementwise("next_after"),
    costly("polygamma", 100.0),
    costly("zeta", 100.0),
    // with scalar operands that stand for whole tensors
    elementwise("clamp")
        .shaped(like::<1>)
        .repeats(repeats::stretched),
    elementwise("select")
        .shaped(like::<1>)
        .repeats(repeats::stretched),
    unfused("constant_like"),
    // with a region
    unfused("map").class(Class::Assembly).runs_always(),
    // chlo operations that broadcast as NumPy does
    broadcasting("broadcast_add"),
    broadcasting("broadcast_and"),
    broadcasting("broadcast_atan2"),
    broadcasting("broadcast_compare"),
    broadcasting("broadcast_complex"),
    broadcasting("broadcast_divide"),
    broadcasting("broadcast_maximum"),
    broadcasting("broadcast_minimum"),
    broadcasting("broadcast_multiply"),
    broadcasting("broadcast_next_after"),
    broadcasting("broadcast_or"),
    broadcasting("broadcast_polygamma"),
    broadcasting("broadcast_power"),
    broadcasting("broadcast_remainder"),
    broadcasting("broadcast_select"),
    broadcasting("broadcast_shift_left"),
    broadcasting("broadcast_shift_right_arithmetic"),
    broadcasting("broadcast_shift_right_logical"),
    broadcasting("broadcast_subtract"),
    broadcasting("broadcast_xor"),
    broadcasting("broadcast_zeta"),
];

/// Is it a conversion to elements that are at least as wide?
pub fn widens(op: Op<'_>) -> bool {
    let width = |value: Val<'_>| match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(ty) => ty.element.bit_width(),
        _ => None,
    };
    op.is_hlo("convert") && width(op.operand(0)) <= width(op.result(0))
}

/// What `op` divides by, if it is a division (without remainder).
pub fn divisor(op: Op<'_>) -> Option<Val<'_>> {
    op.is_hlo("divide").then(|| op.operand(1))
}
