//! Convolutions whose result does not end in its features: the same with a result that does, then a transpose. Vectors run along the features.

use super::make::{Make, tensor};
use crate::inline::Located;
use mapwright_mlir::{ElementType, Op, Val};
use mapwright_ops::attrs::ConvDimensions;

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

/// The new results, or nothing where the convolution is fine as it is (or not one that vector code knows).
pub(super) fn rewrite<'c>(
    make: &Make<'c>,
    op: Op<'c>,
) -> Result<Option<Vec<Val<'c>>>, Located<'c>> {
    let result = tensor(op, op.result(0))?;
    let plain = matches!(
        result.element,
        ElementType::Float(_) | ElementType::Int { .. }
    );
    let (Some(shape), Ok(dims)) = (result.static_shape(), ConvDimensions::decode(op)) else {
        return Ok(None);
    };
    let rank = shape.len();
    let n = dims.output_spatial.len();
    if !plain || rank != n + 2 || dims.output_feature == rank as i64 - 1 {
        return Ok(None);
    }
    // Dimensions of the old result in the order of the new one.
    let mut order = vec![dims.output_batch];
    order.extend(&dims.output_spatial);
    order.push(dims.output_feature);
    let mut sizes = Vec::new();
    for d in &order {
        match usize::try_from(*d).ok().and_then(|d| shape.get(d)) {
            Some(size) => sizes.push(*size),
            None => return Ok(None),
        }
    }
    let spatial: Vec<i64> = (1..=n as i64).collect();
    let text = format!(
        "#stablehlo.conv<{}x{}->{}>",
        labels(
            ("b", dims.input_batch),
            ("f", dims.input_feature),
            &dims.input_spatial
        ),
        labels(
            ("o", dims.kernel_output_feature),
            ("i", dims.kernel_input_feature),
            &dims.kernel_spatial
        ),
        labels(("b", 0), ("f", n as i64 + 1), &spatial),
    );
    let mut attributes: Vec<_> = KEPT
        .iter()
        .filter_map(|name| Some((*name, op.attribute(name)?)))
        .collect();
    let numbers = make.attribute(&text);
    attributes.push(("dimension_numbers", numbers));
    let mut ty = result.clone();
    ty.dims = sizes.into_iter().map(mapwright_mlir::Dim::Static).collect();
    let new = make.operation(op.name(), &op.operands(), &ty, &attributes);
    let permutation: Vec<usize> = (0..rank as i64)
        .map(|d| order.iter().position(|o| *o == d).unwrap_or(0))
        .collect();
    Ok(Some(vec![make.transpose(op, new, &permutation)?]))
}
