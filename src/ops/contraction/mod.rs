//! Contractions: `dot`, `dot_general`, `convolution`, `einsum`, `ragged_dot`.

pub(crate) mod checks;
pub mod convolution;
pub(crate) mod convolution_checks;
pub mod dot;
pub mod ragged;
pub(crate) mod ragged_checks;
mod sizes;

use crate::attrs::{ConvDimensions, DotDimensions};
use crate::definition::{Class, OpDef};
use crate::repeats;
use mapwright_mlir::{Op, TensorType, Val, melior::ir::ValueLike};

pub(crate) const OPS: &[OpDef] = &[
    OpDef::new(
        "dot",
        "contraction",
        dot::output_to_input,
        dot::input_to_output,
    )
    .shaped(sizes::dot)
    .requires(sizes::dot_fits)
    .repeats(repeats::often)
    .terms(repeats::terms_of_product)
    .class(Class::Contraction)
    .keyed(&[])
    .checked(checks::dot),
    OpDef::new(
        "dot_general",
        "contraction",
        dot::output_to_input,
        dot::input_to_output,
    )
    .shaped(sizes::dot)
    .requires(sizes::dot_fits)
    .repeats(repeats::often)
    .terms(repeats::terms_of_product)
    .class(Class::Contraction)
    .keyed(&["dot_dimension_numbers"])
    .checked(checks::dot_general)
    .labelled(&[["", "c12"]]),
    OpDef::new(
        "einsum",
        "contraction",
        dot::output_to_input,
        dot::input_to_output,
    )
    .checked(checks::einsum),
    OpDef::new(
        "unary_einsum",
        "contraction",
        dot::output_to_input,
        dot::input_to_output,
    )
    .checked(checks::einsum),
    OpDef::new(
        "convolution",
        "contraction",
        convolution::output_to_input,
        convolution::input_to_output,
    )
    .shaped(sizes::convolution)
    .requires(sizes::convolution_fits)
    .repeats(repeats::often)
    .terms(repeats::terms_of_convolution)
    .class(Class::Contraction)
    .checked(convolution_checks::convolution),
    OpDef::new(
        "dynamic_conv",
        "contraction",
        convolution::output_to_input,
        convolution::input_to_output,
    )
    .shaped(sizes::convolution)
    .requires(sizes::convolution_fits)
    .repeats(repeats::often)
    .terms(repeats::terms_of_convolution)
    .class(Class::Contraction)
    .sized_by(2, 2)
    .checked(convolution_checks::dynamic_conv),
    OpDef::new(
        "ragged_dot",
        "contraction",
        ragged::output_to_input,
        ragged::input_to_output,
    )
    .checked(ragged_checks::ragged_dot),
];

/// Number of dimensions of the result, from the first, that both factors have; `None` if the
/// product is a convolution.
///
/// # Errors
/// A sentence, where the dimension numbers are malformed.
pub fn shared_dimensions(op: Op<'_>) -> Result<Option<usize>, String> {
    match op.short_name() {
        "dot" => Ok(Some(0)),
        "dot_general" => Ok(Some(DotDimensions::decode(op)?.lhs_batching.len())),
        _ => Ok(None),
    }
}

/// Multiplications and additions of the products of a contraction: two for each product. `None` for
/// other operations and run-time sizes.
pub fn flops(op: Op<'_>) -> Option<f64> {
    let of = |value: Val<'_>| TensorType::from_mlir(value.r#type())?.static_shape();
    let shape = |i: usize| of(op.operand(i));
    let count = |shape: &[i64]| shape.iter().map(|n| *n as f64).product::<f64>();
    let results = count(&of(op.results().first().copied()?)?);
    let each = match op.short_name() {
        "dot_general" => {
            let (left, dims) = (shape(0)?, DotDimensions::decode(op).ok()?);
            let sizes = dims.lhs_contracting.iter();
            sizes
                .map(|d| left.get(*d as usize).copied().unwrap_or(1) as f64)
                .product()
        }
        "dot" => *shape(0)?.last()? as f64,
        "convolution" => {
            let (kernel, dims) = (shape(1)?, ConvDimensions::decode(op).ok()?);
            count(&kernel) / *kernel.get(dims.kernel_output_feature as usize)? as f64
        }
        _ => return None,
    };
    Some(2.0 * results * each)
}
