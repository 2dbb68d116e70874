//! Operations that take sizes as operands, rewritten to those that take them as attributes.

use super::{constant, mismatch, mlir_type, sizes};
use crate::make::HloBuilder;
use crate::rewrite::{Result, replace};
use mapwright_mlir::{Attr, Dim, ElementType, Op, TensorType, melior::ir::ValueLike};

/// Outcome of refining an operation.
pub(super) enum Outcome<'c> {
    /// It is still there.
    Unchanged,
    /// This one took its place.
    Replaced(Op<'c>),
    /// One of its operands took its place.
    Removed,
}

/// Replaces `op` by its static counterpart if all it needs is known.
pub(super) fn make_static<'c>(op: Op<'c>) -> Result<'c, Outcome<'c>> {
    if !matches!(op.dialect(), "stablehlo" | "mhlo") || op.num_results() != 1 {
        return Ok(Outcome::Unchanged);
    }
    let Some(result) = TensorType::from_mlir(op.result(0).r#type()) else {
        return Ok(Outcome::Unchanged);
    };
    let known = |i: usize| constant::known(op, i);
    let prefix = op.dialect();
    let Some(b) = HloBuilder::before(op) else {
        return Ok(Outcome::Unchanged);
    };
    // The result's shape where an operand gives it.
    let shaped = |shape: Option<Vec<i64>>| -> Result<'c, Option<TensorType>> {
        let Some(shape) = shape else { return Ok(None) };
        let agrees = shape.len() == result.rank()
            && shape
                .iter()
                .zip(&result.dims)
                .all(|(size, dim)| *size >= 0 && dim.fixed().is_none_or(|fixed| fixed == *size));
        if !agrees {
            return Err(mismatch(
                op,
                format!("is declared {result}, its operand gives the shape {shape:?}"),
            ));
        }
        Ok(Some(TensorType::new(result.element.clone(), &shape)))
    };
    let make = |name: &str,
                operands: usize,
                ty: &TensorType,
                attributes: &[(&str, Attr<'c>)]|
     -> Option<Op<'c>> {
        let ty = mlir_type(op, ty)?;
        let operands: Vec<_> = op.operands().into_iter().take(operands).collect();
        let new = b.op(&format!("{prefix}.{name}"), &operands, &[ty], attributes);
        replace(op, &new.results());
        Some(new)
    };
    let list = |values: &[i64]| -> Attr<'c> { b.i64_array(values) };
    let replaced = match op.short_name() {
        "dynamic_reshape" => shaped(known(1))?.and_then(|ty| make("reshape", 1, &ty, &[])),
        "dynamic_broadcast_in_dim" => match (shaped(known(1))?, op.ints("broadcast_dimensions")) {
            (Some(ty), Some(dims)) => {
                // A dimension of unknown size may turn out to be 1 or the whole one: it must be
                // known first.
                let operand = TensorType::from_mlir(op.operand(0).r#type());
                if operand.is_some_and(|operand| operand.static_shape().is_some()) {
                    make(
                        "broadcast_in_dim",
                        1,
                        &ty,
                        &[("broadcast_dimensions", list(&dims))],
                    )
                } else {
                    None
                }
            }
            _ => None,
        },
        "dynamic_iota" => match (shaped(known(0))?, op.int("iota_dimension")) {
            (Some(ty), Some(dimension)) => {
                make("iota", 0, &ty, &[("iota_dimension", b.i64_attr(dimension))])
            }
            _ => None,
        },
        "real_dynamic_slice" => match (known(1), known(2), known(3)) {
            (Some(starts), Some(limits), Some(strides)) => {
                let shape = starts
                    .iter()
                    .zip(&limits)
                    .zip(&strides)
                    .map(|((start, limit), stride)| {
                        (*stride > 0 && limit >= start)
                            .then(|| (limit - start + stride - 1) / stride)
                    })
                    .collect();
                let attributes = [
                    ("start_indices", list(&starts)),
                    ("limit_indices", list(&limits)),
                    ("strides", list(&strides)),
                ];
                shaped(shape)?.and_then(|ty| make("slice", 1, &ty, &attributes))
            }
            _ => None,
        },
        "dynamic_pad" => match (known(2), known(3), known(4)) {
            (Some(low), Some(high), Some(interior)) => {
                let operand = TensorType::from_mlir(op.operand(0).r#type());
                let shape = operand.and_then(|operand| {
                    let sizes = sizes(&operand.dims)?;
                    sizes
                        .iter()
                        .enumerate()
                        .map(|(d, n)| {
                            Some(
                                n + low.get(d)?
                                    + high.get(d)?
                                    + (n - 1).max(0) * interior.get(d)?,
                            )
                        })
                        .collect()
                });
                let attributes = [
                    ("edge_padding_low", list(&low)),
                    ("edge_padding_high", list(&high)),
                    ("interior_padding", list(&interior)),
                ];
                shaped(shape)?.and_then(|ty| make("pad", 2, &ty, &attributes))
            }
            _ => None,
        },
        "dynamic_gather" => match (known(2), op.attribute("dimension_numbers")) {
            (Some(slice_sizes), Some(numbers)) => {
                let mut attributes = vec![
                    ("dimension_numbers", numbers),
                    ("slice_sizes", list(&slice_sizes)),
                ];
                if let Some(sorted) = op.attribute("indices_are_sorted") {
                    attributes.push(("indices_are_sorted", sorted));
                }
                make("gather", 2, &result, &attributes)
            }
            _ => None,
        },
        "dynamic_conv" => match known(2) {
            Some(padding) if padding.len() % 2 == 0 => {
                let count = padding.len() / 2;
                let mut attributes = op.attributes();
                attributes.retain(|(name, _)| *name != "padding");
                let pairs = padding.chunks_exact(2).map(|pair| (pair[0], pair[1]));
                attributes.push(("padding", b.pairs(pairs)));
                // Repeated strides beyond the spatial dimensions are for `dynamic_conv` alone.
                for (name, value) in &mut attributes {
                    if *name == "window_strides"
                        && let Some(strides) = op.ints("window_strides")
                        && strides.len() > count
                    {
                        *value = list(&strides[..count]);
                    }
                }
                make("convolution", 2, &result, &attributes)
            }
            _ => None,
        },
        // A size set to the whole dimension changes nothing.
        "set_dimension_size" => {
            let operand = TensorType::from_mlir(op.operand(0).r#type());
            let dimension = op.int("dimension").and_then(|d| usize::try_from(d).ok());
            match (operand, dimension, known(1).as_deref()) {
                (Some(operand), Some(d), Some([size]))
                    if operand.dims.get(d) == Some(&Dim::Static(*size))
                        && result.element != ElementType::Index =>
                {
                    replace(op, &[op.operand(0)]);
                    return Ok(Outcome::Removed);
                }
                _ => None,
            }
        }
        _ => None,
    };
    Ok(replaced.map_or(Outcome::Unchanged, Outcome::Replaced))
}
