//! Convolutions in the form that vector code knows.
//!
//! - A result that does not end in its features: the same with a result that does, then a
//!   transpose. Vectors run along the features, and where each feature is by itself, in the
//!   operands too, which nobody packs: they are transposed as well.
//! - An operand that is dilated (a transposed convolution, the gradient of one with strides) in
//!   more ways than `phases` takes apart: the operand padded between its elements, as the
//!   specification defines it, and a convolution that is not.

use crate::make::{HloBuilder, accumulator, tensor};
use mapwright_mlir::{ElementType, Op, TensorType, Val};
use mapwright_ops::attrs::{ConvDimensions, Convolution};
use mapwright_ops::contraction::convolution::is_depthwise;

/// Attributes that stay as they are.
const KEPT: &[&str] = &[
    "window_strides",
    "padding",
    "lhs_dilation",
    "rhs_dilation",
    "window_reversal",
    "feature_group_count",
    "batch_group_count",
    "precision_config",
];

/// A convolution with a known kernel whose products a product of vectors takes.
pub(super) struct Known {
    pub(super) conv: Convolution,
    /// Sizes of the kernel.
    pub(super) kernel: Vec<i64>,
    pub(super) kernel_type: TensorType,
    pub(super) result: TensorType,
    /// Type that products are added up in.
    pub(super) sum: ElementType,
}

impl Known {
    /// Reads `op`; `None` where it is no such convolution.
    pub(super) fn from_op<'c>(op: Op<'c>) -> Option<Self> {
        let (operand_type, kernel_type) = (tensor(op.operand(0))?, tensor(op.operand(1))?);
        let result = tensor(op.result(0))?;
        let types = [&operand_type, &kernel_type, &result].map(|t| &t.element);
        let sum = accumulator(types[0], types[1], types[2]);
        let (kernel, sum) = (kernel_type.static_shape()?, sum?);
        Some(Self {
            conv: Convolution::decode(op, &kernel).ok()?,
            kernel,
            kernel_type,
            result,
            sum,
        })
    }
}

/// `[b, 0, 1, f]`
fn labels(batch: (&str, i64), feature: (&str, i64), spatial: &[i64]) -> String {
    let mut names = vec![String::new(); spatial.len() + 2];
    let mut put = |at: i64, name: String| {
        if let Some(place) = usize::try_from(at).ok().and_then(|i| names.get_mut(i)) {
            *place = name;
        }
    };
    put(batch.1, batch.0.to_string());
    put(feature.1, feature.0.to_string());
    for (i, at) in spatial.iter().enumerate() {
        put(*at, i.to_string());
    }
    format!("[{}]", names.join(", "))
}

/// The new results, or nothing where the convolution is fine as it is (or not one that vector code
/// knows).
pub(super) fn rewrite<'c>(make: &HloBuilder<'c>, op: Op<'c>) -> Option<Vec<Val<'c>>> {
    rewritten(make, op, true).map(|(values, _)| values)
}

/// Puts the dimensions of a convolution in order and nothing else: its operand is dilated as
/// before. Returns the new convolution, too.
pub(super) fn reordered<'c>(make: &HloBuilder<'c>, op: Op<'c>) -> Made<'c> {
    rewritten(make, op, false)
}

/// The new results and the convolution that they are made of, if any.
type Made<'c> = Option<(Vec<Val<'c>>, Op<'c>)>;

/// `fill`: the operand gets its zeros.
fn rewritten<'c>(make: &HloBuilder<'c>, op: Op<'c>, fill: bool) -> Made<'c> {
    let result = tensor(op.result(0))?;
    let plain = matches!(
        result.element,
        ElementType::Float(_) | ElementType::Int { .. }
    );
    let dims = ConvDimensions::decode(op).ok()?;
    let rank = result.rank();
    let n = dims.output_spatial.len();
    if !plain || rank != n + 2 {
        return None;
    }
    let filled = if fill { filled(make, op, &dims) } else { None };
    let mut operands = op.operands();
    let mut attributes: Vec<_> = KEPT
        .iter()
        .filter_map(|name| Some((*name, op.attribute(name)?)))
        .collect();
    if let Some(filled) = filled {
        operands[0] = filled;
        attributes.retain(|(name, _)| *name != "lhs_dilation");
    }
    if dims.output_feature == rank as i64 - 1 {
        let numbers = op
            .attribute("dimension_numbers")
            .filter(|_| filled.is_some())?;
        attributes.push(("dimension_numbers", numbers));
        let new = make.several(op.name(), &operands, &[result], &attributes);
        return Some((new.results(), new));
    }
    // Dimensions of the old result in the order of the new one.
    let mut order = vec![dims.output_batch];
    order.extend(&dims.output_spatial);
    order.push(dims.output_feature);
    let mut sizes = Vec::new();
    for d in &order {
        sizes.push(*result.dims.get(usize::try_from(*d).ok()?)?);
    }
    let spatial: Vec<i64> = (1..=n as i64).collect();
    let last = n as i64 + 1;
    let result_labels = labels(("b", 0), ("f", last), &spatial);
    let (image, kernel) = if is_depthwise(op) {
        let (first, feature) = (dims.input_batch, dims.input_feature);
        operands[0] = features_last(make, operands[0], first, &dims.input_spatial, feature);
        let (first, feature) = (dims.kernel_input_feature, dims.kernel_output_feature);
        operands[1] = features_last(make, operands[1], first, &dims.kernel_spatial, feature);
        (
            result_labels.clone(),
            labels(("i", 0), ("o", last), &spatial),
        )
    } else {
        (
            labels(
                ("b", dims.input_batch),
                ("f", dims.input_feature),
                &dims.input_spatial,
            ),
            labels(
                ("o", dims.kernel_output_feature),
                ("i", dims.kernel_input_feature),
                &dims.kernel_spatial,
            ),
        )
    };
    let text = format!("#stablehlo.conv<{image}x{kernel}->{result_labels}>");
    let numbers = make.parse_attr(&text);
    attributes.push(("dimension_numbers", numbers));
    let mut ty = result.clone();
    ty.dims = sizes;
    let new = make.several(op.name(), &operands, &[ty], &attributes);
    let permutation: Vec<usize> = (0..rank as i64)
        .map(|d| order.iter().position(|o| *o == d).unwrap_or(0))
        .collect();
    let value = make.transpose(new.result(0), &permutation);
    Some((vec![value], new))
}

/// The operand with `first`, the spatial dimensions and `feature` in this order.
pub(super) fn features_last<'c>(
    make: &HloBuilder<'c>,
    operand: Val<'c>,
    first: i64,
    spatial: &[i64],
    feature: i64,
) -> Val<'c> {
    let mut order = vec![first];
    order.extend(spatial);
    order.push(feature);
    // The verifier saw that they are dimensions.
    let order: Vec<usize> = order
        .iter()
        .filter_map(|d| usize::try_from(*d).ok())
        .collect();
    make.transpose(operand, &order)
}

/// The operand with zeros between its elements, where the convolution dilates it.
fn filled<'c>(make: &HloBuilder<'c>, op: Op<'c>, dims: &ConvDimensions) -> Option<Val<'c>> {
    let input = tensor(op.operand(0))?;
    let (dilation, shape) = (op.ints("lhs_dilation")?, input.static_shape()?);
    if dilation.iter().all(|n| *n == 1)
        || dilation.iter().any(|n| *n < 1)
        || op.int("batch_group_count").unwrap_or(1) != 1
    {
        return None;
    }
    let mut interior = vec![0; shape.len()];
    for (at, n) in dims.input_spatial.iter().zip(&dilation) {
        let d = usize::try_from(*at).ok().filter(|d| *d < shape.len())?;
        interior[d] = n - 1;
    }
    let none = vec![0; interior.len()];
    make.pad(op.operand(0), [&none, &none, &interior])
}
