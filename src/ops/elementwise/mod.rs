//! Element-wise operations: element `i` of the result is made of element `i` of every operand.

pub mod maps;

use crate::registry::OpDef;

const fn elementwise(name: &'static str) -> OpDef {
    OpDef::new(
        name,
        "elementwise",
        maps::output_to_input,
        maps::input_to_output,
    )
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
    elementwise("cbrt"),
    elementwise("ceil"),
    elementwise("convert"),
    elementwise("cosine"),
    elementwise("count_leading_zeros"),
    elementwise("erf"),
    elementwise("exponential"),
    elementwise("exponential_minus_one"),
    elementwise("floor"),
    elementwise("imag"),
    elementwise("is_finite"),
    elementwise("log"),
    elementwise("log_plus_one"),
    elementwise("logistic"),
    elementwise("negate"),
    elementwise("not"),
    elementwise("popcnt"),
    elementwise("real"),
    elementwise("reduce_precision"),
    elementwise("round_nearest_afz"),
    elementwise("round_nearest_even"),
    elementwise("rsqrt"),
    elementwise("sign"),
    elementwise("sine"),
    elementwise("sqrt"),
    elementwise("tan"),
    elementwise("tanh"),
    elementwise("uniform_dequantize"),
    elementwise("uniform_quantize"),
    elementwise("copy"),
    elementwise("stochastic_convert"),
    elementwise("domain"),
    elementwise("add_dependency"),
    // unary, chlo
    elementwise("acos"),
    elementwise("acosh"),
    elementwise("asin"),
    elementwise("asin_acos_kernel"),
    elementwise("asinh"),
    elementwise("atan"),
    elementwise("atanh"),
    elementwise("bessel_i1e"),
    elementwise("conj"),
    elementwise("cosh"),
    elementwise("digamma"),
    elementwise("erf_inv"),
    elementwise("erfc"),
    elementwise("is_inf"),
    elementwise("is_neg_inf"),
    elementwise("is_pos_inf"),
    elementwise("lgamma"),
    elementwise("sinh"),
    elementwise("square"),
    // binary
    elementwise("add"),
    elementwise("and"),
    elementwise("atan2"),
    elementwise("compare"),
    elementwise("complex"),
    elementwise("divide"),
    elementwise("maximum"),
    elementwise("minimum"),
    elementwise("multiply"),
    elementwise("or"),
    elementwise("power"),
    elementwise("remainder"),
    elementwise("shift_left"),
    elementwise("shift_right_arithmetic"),
    elementwise("shift_right_logical"),
    elementwise("subtract"),
    elementwise("xor"),
    // binary, chlo
    elementwise("next_after"),
    elementwise("polygamma"),
    elementwise("zeta"),
    // with scalar operands that stand for whole tensors
    elementwise("clamp"),
    elementwise("select"),
    elementwise("constant_like"),
    // with a region
    elementwise("map"),
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
