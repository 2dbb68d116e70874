//! What part an operation can take in a region, and what an element of it costs.

use mapwright_mlir::{ElementType, FloatKind, Op, ValueType, attr::Dense};

/// The part an operation can take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Costs nothing (a splat constant, an iota): made again in every region that uses it.
    Free,
    /// Moves elements: another index, no arithmetic. Made again wherever it is used.
    Movement,
    /// Arithmetic on single elements, or reading at an index known at run time.
    Compute,
    /// `reduce`.
    Reduce,
    /// `reduce_window`.
    Window,
    /// A product over contracted dimensions.
    Contraction,
    /// An update of parts of an operand; always the root of its region.
    Update,
    /// In no region: control flow, library functions, large constants, communication.
    Outside,
}

/// The part that `op` can take.
pub fn role(op: Op<'_>) -> Role {
    if !matches!(op.dialect(), "stablehlo" | "mhlo" | "chlo") {
        return Role::Outside;
    }
    let tensors = (0..op.num_results())
        .map(|i| op.result_type(i))
        .chain((0..op.num_operands()).map(|i| op.operand_type(i)))
        .all(|ty| matches!(ty, ValueType::Tensor(_)));
    if !tensors || op.num_results() == 0 {
        return Role::Outside;
    }
    match op.short_name() {
        "constant" => match op.attribute("value").and_then(Dense::from_mlir) {
            Some(dense) if dense.splat || dense.ty.num_elements() == Some(1) => Role::Free,
            _ => Role::Outside,
        },
        "iota" => Role::Free,
        "broadcast_in_dim"
        | "dynamic_broadcast_in_dim"
        | "broadcast"
        | "reshape"
        | "dynamic_reshape"
        | "transpose"
        | "reverse"
        | "slice"
        | "real_dynamic_slice"
        | "get_dimension_size"
        | "set_dimension_size"
        | "dynamic_iota"
        | "copy" => Role::Movement,
        "pad"
        | "dynamic_pad"
        | "concatenate"
        | "dynamic_slice"
        | "gather"
        | "dynamic_gather"
        | "torch_index_select"
        | "map"
        | "dynamic_update_slice" => Role::Compute,
        "reduce" => Role::Reduce,
        "reduce_window" => Role::Window,
        "dot_general" | "dot" | "convolution" | "dynamic_conv" => Role::Contraction,
        "scatter" | "select_and_scatter" => Role::Update,
        // Everything else that works element by element; the emitters' list decides, so a name they lack stays outside.
        name if is_elementwise(name) => Role::Compute,
        _ => Role::Outside,
    }
}

/// Is the operation of this name (without its dialect) computed element by element, all operands at the index of the result?
pub fn is_elementwise(name: &str) -> bool {
    ELEMENTWISE.contains(&name)
}

/// Element-wise operations that code generation knows.
const ELEMENTWISE: &[&str] = &[
    "abs",
    "add",
    "and",
    "atan2",
    "bitcast_convert",
    "cbrt",
    "ceil",
    "clamp",
    "compare",
    "complex",
    "convert",
    "cosine",
    "count_leading_zeros",
    "divide",
    "exponential",
    "exponential_minus_one",
    "floor",
    "imag",
    "is_finite",
    "log",
    "log_plus_one",
    "logistic",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "not",
    "or",
    "popcnt",
    "power",
    "real",
    "reduce_precision",
    "remainder",
    "round_nearest_afz",
    "round_nearest_even",
    "rsqrt",
    "select",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "sign",
    "sine",
    "sqrt",
    "subtract",
    "tan",
    "tanh",
    "xor",
    "uniform_quantize",
    "uniform_dequantize",
    "erf",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "bessel_i1e",
    "conj",
    "cosh",
    "digamma",
    "erf_inv",
    "erfc",
    "is_inf",
    "is_neg_inf",
    "is_pos_inf",
    "lgamma",
    "next_after",
    "polygamma",
    "sinh",
    "square",
    "zeta",
];

/// Cost of one element, in simple operations.
pub fn weight(op: Op<'_>) -> f64 {
    match op.short_name() {
        "exponential" | "logistic" | "tanh" | "log" | "exponential_minus_one" | "log_plus_one" => {
            14.0
        }
        "sine" | "cosine" | "tan" | "erf" | "erfc" | "erf_inv" | "atan2" | "power" | "cbrt"
        | "acos" | "acosh" | "asin" | "asinh" | "atan" | "atanh" | "cosh" | "sinh" => 24.0,
        "divide" | "sqrt" | "rsqrt" | "remainder" => 6.0,
        "lgamma" | "digamma" | "polygamma" | "zeta" | "bessel_i1e" => 100.0,
        "concatenate" | "pad" | "gather" | "dynamic_slice" | "convert" => 0.5,
        _ if role(op) == Role::Movement || role(op) == Role::Free => 0.0,
        _ => 1.0,
    }
}

/// Can vector code hold elements of this type?
pub fn is_plain(element: &ElementType) -> bool {
    match element {
        ElementType::Bool => true,
        ElementType::Int { width, .. } => *width >= 8,
        ElementType::Float(kind) => kind.width() >= 16 && *kind != FloatKind::TF32,
        _ => false,
    }
}

/// Is operand `i` of `op` a shape or an amount that the sizes of its result follow from? Such operands have to be tensors in memory (or
/// constants) when a region is launched, so what computes them is in a region of its own.
pub fn is_shape_operand(op: Op<'_>, i: usize) -> bool {
    match op.short_name() {
        "dynamic_iota" => i == 0,
        "dynamic_broadcast_in_dim" | "dynamic_reshape" | "set_dimension_size" => i == 1,
        "real_dynamic_slice" => i >= 1,
        "dynamic_pad" => i >= 2,
        "dynamic_gather" | "dynamic_conv" => i == 2,
        _ => false,
    }
}
