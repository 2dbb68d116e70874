//! Operations that move elements.

use super::tensor::{Tensor, attribute, ints};
use mapwright_mlir::{Dim, ElementType, Op, TensorType, melior::ir::ValueLike};

/// The size of a dimension that is static.
pub fn dimension_size(op: Op<'_>, result: Tensor) -> Option<Tensor> {
    let operand = TensorType::from_mlir(op.operand(0).r#type())?;
    let dimension = usize::try_from(op.int("dimension")?).ok()?;
    let Dim::Static(size) = *operand.dims.get(dimension)? else {
        return None;
    };
    let size = i32::try_from(size).ok()?;
    (result.element == ElementType::int(32)).then(|| result.with(size.to_le_bytes().to_vec()))
}

/// The result of an operation that moves elements.
pub fn evaluate(op: Op<'_>, operands: &[Tensor], result: &Tensor) -> Option<Tensor> {
    let first = operands.first()?;
    match op.short_name() {
        "reshape" => Some(result.with(first.data.clone())),
        "dynamic_reshape" => {
            (ints(operands.get(1)?)? == result.shape).then(|| result.with(first.data.clone()))
        }
        "dynamic_iota" => {
            let d = usize::try_from(op.int("iota_dimension")?).ok()?;
            (ints(first)? == result.shape).then(|| result.positions(d))?
        }
        // Bytes in memory order; narrower elements take a byte each, which does not.
        "bitcast_convert" => {
            let whole = |tensor: &Tensor| {
                tensor.element.bit_width() == u32::try_from(8 * tensor.width).ok()
            };
            (whole(first) && whole(result)).then(|| result.with(first.data.clone()))
        }
        "broadcast_in_dim" | "dynamic_broadcast_in_dim" => {
            if operands.len() > 1 && ints(&operands[1])? != result.shape {
                return None;
            }
            let dims = attribute(op, "broadcast_dimensions")?;
            from_operand(result, first, |index| {
                dims.iter()
                    .zip(&first.shape)
                    .map(|(d, size)| if *size == 1 { 0 } else { index[*d as usize] })
                    .collect()
            })
        }
        "transpose" => {
            let permutation = attribute(op, "permutation")?;
            from_operand(result, first, |index| {
                let mut from = vec![0; index.len()];
                for (to, d) in permutation.iter().enumerate() {
                    from[*d as usize] = index[to];
                }
                from
            })
        }
        "reverse" => {
            let dims = attribute(op, "dimensions")?;
            from_operand(result, first, |index| {
                let mut from = index.to_vec();
                for d in &dims {
                    let d = *d as usize;
                    from[d] = first.shape[d] - 1 - index[d];
                }
                from
            })
        }
        "slice" | "real_dynamic_slice" => {
            let list = |name: &str, i: usize| match op.short_name() {
                "slice" => attribute(op, name),
                _ => ints(operands.get(i)?),
            };
            let starts = list("start_indices", 1)?;
            let limits = list("limit_indices", 2)?;
            let strides = list("strides", 3)?;
            // What the operands say must be what the type says, and inside of the tensor.
            let fits = (0..first.shape.len()).all(|d| {
                let (start, limit, stride) = (starts[d], limits[d], strides[d]);
                (0..=limit).contains(&start)
                    && limit <= first.shape[d]
                    && stride > 0
                    && result.shape[d] == (limit - start + stride - 1) / stride
            });
            if !fits {
                return None;
            }
            from_operand(result, first, |index| {
                (0..index.len())
                    .map(|d| starts[d] + index[d] * strides[d])
                    .collect()
            })
        }
        "dynamic_slice" => {
            let starts = starts(&operands[1..], &first.shape, &result.shape)?;
            from_operand(result, first, |index| {
                index.iter().zip(&starts).map(|(i, s)| i + s).collect()
            })
        }
        "dynamic_update_slice" => {
            let update = operands.get(1)?;
            let starts = starts(&operands[2..], &first.shape, &update.shape)?;
            let mut data = first.data.clone();
            for i in 0..update.count() {
                let index: Vec<i64> = update
                    .index(i)
                    .iter()
                    .zip(&starts)
                    .map(|(i, s)| i + s)
                    .collect();
                put(&mut data, first.position(&index), update.at(i));
            }
            Some(result.with(data))
        }
        "concatenate" => {
            let d = usize::try_from(op.int("dimension")?).ok()?;
            let mut data = vec![0; result.count() * result.width];
            let mut offset = 0;
            for operand in operands {
                for i in 0..operand.count() {
                    let mut index = operand.index(i);
                    index[d] += offset;
                    put(&mut data, result.position(&index), operand.at(i));
                }
                offset += operand.shape[d];
            }
            Some(result.with(data))
        }
        "pad" | "dynamic_pad" => {
            let value = operands.get(1)?;
            let list = |name: &str, i: usize| match op.short_name() {
                "pad" => attribute(op, name),
                _ => ints(operands.get(i)?),
            };
            let low = list("edge_padding_low", 2)?;
            let high = list("edge_padding_high", 3)?;
            let interior = list("interior_padding", 4)?;
            let fits = (0..first.shape.len()).all(|d| {
                let between = (first.shape[d] - 1).max(0).checked_mul(interior[d]);
                let size = between.and_then(|n| n.checked_add(first.shape[d]));
                let size = size.and_then(|n| n.checked_add(low[d])?.checked_add(high[d]));
                interior[d] >= 0 && size == Some(result.shape[d])
            });
            if !fits {
                return None;
            }
            let mut data = value.at(0).repeat(result.count());
            for i in 0..first.count() {
                let index: Vec<i64> = first
                    .index(i)
                    .iter()
                    .enumerate()
                    .map(|(d, i)| low[d] + i * (interior[d] + 1))
                    .collect();
                // Negative padding cuts off.
                let inside = index
                    .iter()
                    .zip(&result.shape)
                    .all(|(i, size)| (0..*size).contains(i));
                if inside {
                    put(&mut data, result.position(&index), first.at(i));
                }
            }
            Some(result.with(data))
        }
        _ => None,
    }
}

/// Every element of the result is the operand's at `index_of` its index.
fn from_operand(
    result: &Tensor,
    operand: &Tensor,
    index_of: impl Fn(&[i64]) -> Vec<i64>,
) -> Option<Tensor> {
    let mut data = Vec::with_capacity(result.count() * result.width);
    for i in 0..result.count() {
        let from = index_of(&result.index(i));
        data.extend_from_slice(operand.at(operand.position(&from)));
    }
    Some(result.with(data))
}

/// Writes element `i`.
fn put(data: &mut [u8], i: usize, element: &[u8]) {
    let width = element.len();
    data[i * width..(i + 1) * width].copy_from_slice(element);
}

/// Start indices, moved so that a slice of `sizes` is inside of `shape`.
fn starts(operands: &[Tensor], shape: &[i64], sizes: &[i64]) -> Option<Vec<i64>> {
    operands
        .iter()
        .zip(shape.iter().zip(sizes))
        .map(|(start, (size, slice))| {
            let start = *ints(start)?.first()?;
            Some(start.clamp(0, size - slice))
        })
        .collect()
}
