//! Element-wise operations: element `i` of the result is made of element `i` of every operand.

pub(crate) mod checks;
pub(crate) mod chlo_checks;
pub mod maps;
pub mod quotient;
mod sizes;

use crate::definition::{Class, OpDef};
use crate::reduction::combination::Combination;
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
    .checked(checks::same_type)
    .labelled(&[["c1", "c1"]])
    .keyed(&[])
}

const fn broadcasting(name: &'static str) -> OpDef {
    OpDef::new(
        name,
        "elementwise",
        maps::broadcasting_output_to_input,
        maps::broadcasting_input_to_output,
    )
    .checked(chlo_checks::broadcast_binary)
    .keyed(&["broadcast_dimensions"])
}

pub(crate) const OPS: &[OpDef] = &[
    // unary
    elementwise("abs")
        .checked(checks::abs)
        .labelled(&[["c2", "c1"]]),
    costly("cbrt", 24.0),
    elementwise("ceil"),
    costly("convert", 0.5).checked(checks::convert),
    costly("cosine", 24.0),
    elementwise("count_leading_zeros"),
    costly("erf", 24.0).checked(chlo_checks::function),
    costly("exponential", 14.0),
    costly("exponential_minus_one", 14.0),
    elementwise("floor"),
    elementwise("imag")
        .checked(checks::real_imag)
        .labelled(&[["c2", "c1"]]),
    elementwise("is_finite")
        .checked(checks::is_finite)
        .labelled(&[["c1", "c1"]]),
    costly("log", 14.0),
    costly("log_plus_one", 14.0),
    costly("logistic", 14.0),
    elementwise("negate").additive(),
    elementwise("not"),
    elementwise("popcnt"),
    elementwise("real")
        .checked(checks::real_imag)
        .labelled(&[["c2", "c1"]]),
    elementwise("reduce_precision")
        .checked(checks::reduce_precision)
        .labelled(&[["c1", "c1"]]),
    elementwise("round_nearest_afz"),
    elementwise("round_nearest_even"),
    costly("rsqrt", 6.0),
    elementwise("sign"),
    costly("sine", 24.0),
    costly("sqrt", 6.0),
    costly("tan", 24.0),
    costly("tanh", 14.0),
    elementwise("uniform_dequantize")
        .checked(checks::uniform_dequantize)
        .labelled(&[["c2", "c1"]]),
    elementwise("uniform_quantize")
        .checked(checks::uniform_quantize)
        .labelled(&[["c2", "c1"]]),
    unfused("copy")
        .moving(crate::index_rule::same)
        .class(Class::Movement)
        .cost(0.0)
        .checked(crate::typing::mhlo::first),
    unfused("stochastic_convert").checked(crate::typing::mhlo::stochastic_convert),
    unfused("domain").checked(crate::typing::mhlo::first),
    unfused("add_dependency").checked(crate::typing::mhlo::first),
    // unary, chlo
    costly("acos", 24.0).checked(chlo_checks::function),
    costly("acosh", 24.0).checked(chlo_checks::function),
    costly("asin", 24.0).checked(chlo_checks::function),
    unfused("_asin_acos_kernel").checked(chlo_checks::function),
    unfused("asin_acos_kernel").unchecked(),
    costly("asinh", 24.0).checked(chlo_checks::function),
    costly("atan", 24.0).checked(chlo_checks::function),
    costly("atanh", 24.0).checked(chlo_checks::function),
    costly("bessel_i1e", 100.0).checked(chlo_checks::function),
    elementwise("conj").checked(chlo_checks::function),
    costly("cosh", 24.0).checked(chlo_checks::function),
    costly("digamma", 100.0).checked(chlo_checks::function),
    costly("erf_inv", 24.0).checked(chlo_checks::function),
    costly("erfc", 24.0).checked(chlo_checks::function),
    elementwise("is_inf").checked(chlo_checks::predicate),
    elementwise("is_neg_inf").checked(chlo_checks::predicate),
    elementwise("is_pos_inf").checked(chlo_checks::predicate),
    costly("lgamma", 100.0).checked(chlo_checks::function),
    costly("sinh", 24.0).checked(chlo_checks::function),
    elementwise("square").checked(chlo_checks::function),
    // binary
    elementwise("add").combines(Combination::Sum).additive(),
    elementwise("and").combines(Combination::And),
    costly("atan2", 24.0),
    elementwise("compare")
        .checked(checks::compare)
        .labelled(&[["", "c2"]]),
    elementwise("complex")
        .checked(checks::complex)
        .labelled(&[["c3", "c2"]]),
    costly("divide", 6.0),
    elementwise("maximum").combines(Combination::Maximum),
    elementwise("minimum").combines(Combination::Minimum),
    elementwise("multiply").combines(Combination::Product),
    elementwise("or").combines(Combination::Or),
    costly("power", 24.0),
    costly("remainder", 6.0),
    elementwise("shift_left"),
    elementwise("shift_right_arithmetic"),
    elementwise("shift_right_logical"),
    elementwise("subtract").additive(),
    elementwise("xor").combines(Combination::Xor),
    // binary, chlo
    unfused("mulhi").checked(chlo_checks::function),
    elementwise("next_after").checked(chlo_checks::function),
    costly("polygamma", 100.0).checked(chlo_checks::function),
    costly("zeta", 100.0).checked(chlo_checks::function),
    // with scalar operands that stand for whole tensors
    elementwise("clamp")
        .shaped(like::<1>)
        .repeats(repeats::stretched)
        .checked(checks::clamp)
        .labelled(&[["c4", "c4"]]),
    elementwise("select")
        .shaped(like::<1>)
        .repeats(repeats::stretched)
        .checked(checks::select)
        .labelled(&[["c2", "c2"]]),
    unfused("constant_like").checked(chlo_checks::constant_like),
    // with a region
    unfused("map")
        .class(Class::Assembly)
        .runs_always()
        .checked(checks::map)
        .labelled(&[["c4", "c1"]]),
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
    broadcasting("broadcast_select").checked(chlo_checks::broadcast_select),
    broadcasting("broadcast_shift_left"),
    broadcasting("broadcast_shift_right_arithmetic"),
    broadcasting("broadcast_shift_right_logical"),
    broadcasting("broadcast_subtract"),
    broadcasting("broadcast_xor"),
    broadcasting("broadcast_zeta"),
];

/// Whether it is a conversion to elements that are at least as wide.
pub fn widens(op: Op<'_>) -> bool {
    let width = |value: Val<'_>| match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(ty) => ty.element.bit_width(),
        _ => None,
    };
    op.is_hlo("convert") && width(op.operand(0)) <= width(op.result(0))
}

/// Divisor of `op`, if it is a division (without remainder).
pub fn divisor(op: Op<'_>) -> Option<Val<'_>> {
    op.is_hlo("divide").then(|| op.operand(1))
}
