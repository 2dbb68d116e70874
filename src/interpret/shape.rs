//! Operations that move elements without looking at them, and those that make them from indices.

use crate::{
    Error, Result, result,
    value::{Scalar, Tensor, bits, fit, from_bits, indices},
};
use mapwright_mlir::{
    ElementType, Op, TensorType,
    attr::{self, Dense},
};
use mapwright_ops::attrs::{self, Pad, Slice};

/// The result of `op`, if it is of this family.
pub(crate) fn execute(op: Op<'_>, name: &str, inputs: &[Tensor]) -> Result<Option<Tensor>> {
    let ty = match name {
        "constant"
        | "iota"
        | "dynamic_iota"
        | "broadcast_in_dim"
        | "dynamic_broadcast_in_dim"
        | "broadcast"
        | "reshape"
        | "dynamic_reshape"
        | "transpose"
        | "reverse"
        | "slice"
        | "real_dynamic_slice"
        | "pad"
        | "dynamic_pad"
        | "concatenate"
        | "get_dimension_size"
        | "set_dimension_size"
        | "partition_id"
        | "replica_id" => result(op, 0)?,
        _ => return Ok(None),
    };
    let element = &ty.element;
    let declared = || {
        ty.static_shape()
            .ok_or_else(|| Error::plain("its result has no static shape"))
    };
    let x = inputs.first();
    let operand = || x.ok_or_else(|| Error::plain("has no operand"));
    let found = match name {
        "constant" => {
            let dense = op
                .attribute("value")
                .and_then(Dense::from_mlir)
                .and_then(|dense| dense.expanded())
                .ok_or_else(|| Error::plain(attr::why_unreadable(op.attribute("value"))))?;
            Tensor::from_bytes(element, &declared()?, &dense)?
        }
        "partition_id" | "replica_id" => Tensor::scalar(element, Scalar::Int(0)),
        "iota" => iota(op, element, &declared()?)?,
        "dynamic_iota" => iota(op, element, &operand()?.ints()?)?,
        "broadcast" => {
            let front = attrs::ints(op, "broadcast_sizes")?;
            let x = operand()?;
            let shape: Vec<i64> = front.iter().chain(&x.shape).copied().collect();
            Tensor::build(element, &shape, |i| x.at(&i[front.len()..]))?
        }
        "broadcast_in_dim" | "dynamic_broadcast_in_dim" => {
            let x = operand()?;
            let shape = match inputs.get(1) {
                Some(shape) => shape.ints()?,
                None => bounded(&ty, x, op)?,
            };
            let dims = attrs::broadcast_dimensions(op, x.rank(), shape.len())?;
            for (d, n) in dims.iter().zip(&x.shape) {
                if *n != 1 && *n != shape[*d] {
                    return Err(Error::plain(format!(
                        "a dimension of size {n} does not become one of size {}",
                        shape[*d]
                    )));
                }
            }
            Tensor::build(element, &shape, |i| {
                let at: Vec<i64> = dims
                    .iter()
                    .zip(&x.shape)
                    .map(|(d, n)| if *n == 1 { 0 } else { i[*d] })
                    .collect();
                x.at(&at)
            })?
        }
        "reshape" | "dynamic_reshape" => {
            let x = operand()?;
            let shape = match inputs.get(1) {
                Some(shape) => shape.ints()?,
                None => match ty.static_shape() {
                    Some(shape) => shape,
                    None => one_unknown(&ty, x)?,
                },
            };
            crate::limit(&shape)?;
            if shape.iter().product::<i64>() != x.data.len() as i64 {
                return Err(Error::plain(format!(
                    "{} elements do not become {shape:?}",
                    x.data.len()
                )));
            }
            Tensor {
                element: element.clone(),
                shape,
                data: x.data.clone(),
            }
        }
        "transpose" => {
            let x = operand()?;
            let permutation = attrs::permutation(op, x.rank())?;
            let shape: Vec<i64> = permutation.iter().map(|d| x.shape[*d]).collect();
            Tensor::build(element, &shape, |i| {
                let mut at = vec![0; i.len()];
                for (k, d) in permutation.iter().enumerate() {
                    at[*d] = i[k];
                }
                x.at(&at)
            })?
        }
        "reverse" => {
            let x = operand()?;
            let dims = attrs::dimensions(op, x.rank())?;
            Tensor::build(element, &x.shape, |i| {
                let mut at = i.to_vec();
                for d in &dims {
                    at[*d] = x.shape[*d] - 1 - at[*d];
                }
                x.at(&at)
            })?
        }
        "slice" => {
            let x = operand()?;
            let slice = Slice::decode(op, x.rank())?;
            strided(element, x, &slice.start, &slice.limit, &slice.stride)?
        }
        "real_dynamic_slice" => {
            let x = operand()?;
            let limit = inputs[2].ints()?;
            if let Some((limit, size)) = limit.iter().zip(&x.shape).find(|(n, size)| n > size) {
                return Err(Error::plain(format!(
                    "a limit of {limit} where there are {size} elements"
                )));
            }
            let (start, stride) = (inputs[1].ints()?, inputs[3].ints()?);
            strided(element, x, &start, &limit, &stride)?
        }
        "pad" => {
            let x = operand()?;
            let pad = Pad::decode(op, x.rank())?;
            padded(
                element,
                x,
                inputs[1].only()?,
                &pad.low,
                &pad.high,
                &pad.interior,
            )?
        }
        "dynamic_pad" => padded(
            element,
            operand()?,
            inputs[1].only()?,
            &inputs[2].ints()?,
            &inputs[3].ints()?,
            &inputs[4].ints()?,
        )?,
        "concatenate" => {
            let x = operand()?;
            let axis = attrs::axis("dimension", attrs::int(op, "dimension")?, x.rank())?;
            let mut shape = x.shape.clone();
            let others = |t: &Tensor| [&t.shape[..axis], &t.shape[axis + 1..]].concat();
            if inputs
                .iter()
                .any(|t| t.rank() != x.rank() || others(t) != others(x))
            {
                let shapes: Vec<&Vec<i64>> = inputs.iter().map(|t| &t.shape).collect();
                return Err(Error::plain(format!("operands of the shapes {shapes:?}")));
            }
            shape[axis] = inputs.iter().map(|t| t.shape[axis]).sum();
            Tensor::build(element, &shape, |i| {
                let mut at = i.to_vec();
                for t in inputs {
                    if at[axis] < t.shape[axis] {
                        return t.at(&at);
                    }
                    at[axis] -= t.shape[axis];
                }
                Err(Error::plain("an index beyond all operands"))
            })?
        }
        "get_dimension_size" => {
            let x = operand()?;
            let axis = attrs::axis("dimension", attrs::int(op, "dimension")?, x.rank())?;
            Tensor::scalar(element, Scalar::Int(x.shape[axis].into()))
        }
        _ => {
            let x = operand()?;
            let axis = attrs::axis("dimension", attrs::int(op, "dimension")?, x.rank())?;
            let mut shape = x.shape.clone();
            shape[axis] = inputs[1].ints()?.first().copied().unwrap_or(-1);
            if shape[axis] > x.shape[axis] {
                return Err(Error::plain(format!(
                    "a size of {} where there are {} elements",
                    shape[axis], x.shape[axis]
                )));
            }
            Tensor::build(element, &shape, |i| x.at(i))?
        }
    };
    Ok(Some(found))
}

/// The shape of a `broadcast_in_dim` whose type has bounded dimensions: they have the size of the
/// operand's.
fn bounded(ty: &TensorType, x: &Tensor, op: Op<'_>) -> Result<Vec<i64>> {
    let dims = attrs::broadcast_dimensions(op, x.rank(), ty.rank())?;
    ty.dims
        .iter()
        .enumerate()
        .map(|(d, dim)| {
            let of_operand = dims.iter().position(|k| *k == d).map(|k| x.shape[k]);
            dim.fixed()
                .or(of_operand)
                .ok_or_else(|| Error::plain("a size that nothing tells"))
        })
        .collect()
}

/// A shape with one size that follows from the number of elements.
fn one_unknown(ty: &TensorType, x: &Tensor) -> Result<Vec<i64>> {
    let known: i64 = ty.dims.iter().filter_map(|d| d.fixed()).product();
    if ty.dims.iter().filter(|d| d.fixed().is_none()).count() != 1 || known == 0 {
        return Err(Error::plain(
            "a shape that the number of elements does not tell",
        ));
    }
    Ok(ty
        .dims
        .iter()
        .map(|d| d.fixed().unwrap_or(x.data.len() as i64 / known))
        .collect())
}

fn iota(op: Op<'_>, element: &ElementType, shape: &[i64]) -> Result<Tensor> {
    let axis = attrs::axis(
        "iota_dimension",
        attrs::int(op, "iota_dimension")?,
        shape.len(),
    )?;
    let (real, quantized) = match element {
        ElementType::Quantized(q) => (ElementType::Float(q.expressed), true),
        other => (other.clone(), false),
    };
    let counted = Tensor::build(&real, shape, |i| {
        crate::elementwise::convert(&ElementType::int(64), &real, Scalar::Int(i[axis].into()))
            .map(|x| fit(&real, x))
    })?;
    if quantized {
        crate::quantized::quantize(&counted, element)
    } else {
        Ok(counted)
    }
}

fn strided(
    element: &ElementType,
    x: &Tensor,
    start: &[i64],
    limit: &[i64],
    stride: &[i64],
) -> Result<Tensor> {
    let mut shape = Vec::new();
    for (d, size) in x.shape.iter().enumerate() {
        // A bounded operand may be shorter than the limit says.
        let limit = limit[d].min(*size);
        if start[d] < 0 || stride[d] < 1 || start[d] > limit.max(*size) {
            return Err(Error::plain(format!(
                "start {}, limit {limit} and stride {} for a dimension of size {size}",
                start[d], stride[d]
            )));
        }
        shape.push(((limit - start[d]).max(0) + stride[d] - 1) / stride[d]);
    }
    Tensor::build(element, &shape, |i| {
        let at: Vec<i64> = (0..i.len()).map(|d| start[d] + i[d] * stride[d]).collect();
        x.at(&at)
    })
}

fn padded(
    element: &ElementType,
    x: &Tensor,
    value: Scalar,
    low: &[i64],
    high: &[i64],
    interior: &[i64],
) -> Result<Tensor> {
    let shape: Vec<i64> = (0..x.rank())
        .map(|d| low[d] + x.shape[d] + (x.shape[d] - 1).max(0) * interior[d] + high[d])
        .collect();
    crate::limit(&shape)?;
    let mut found = Tensor::build(element, &shape, |_| Ok(value))?;
    for i in indices(&x.shape) {
        let at: Vec<i64> = (0..i.len())
            .map(|d| low[d] + i[d] * (interior[d] + 1))
            .collect();
        if let Some(at) = found.position(&at) {
            found.data[at] = x.at(&i)?;
        }
    }
    Ok(found)
}

/// `bitcast_convert`: the bits of elements, the lowest first, under another type.
pub(crate) fn bitcast(x: &Tensor, ty: &TensorType) -> Result<Tensor> {
    let width = |e: &ElementType| {
        e.bit_width()
            .ok_or_else(|| Error::plain(format!("elements of type {e} have no bits")))
    };
    let (from, to) = (width(&x.element)?, width(&ty.element)?);
    let mask = |n: u32| {
        if n >= 128 {
            u128::MAX
        } else {
            (1u128 << n) - 1
        }
    };
    let pattern = |v: Scalar| bits(&x.element, v) & mask(from);
    match from.cmp(&to) {
        std::cmp::Ordering::Equal => Tensor::build(&ty.element, &x.shape, |i| {
            Ok(from_bits(&ty.element, pattern(x.at(i)?)))
        }),
        std::cmp::Ordering::Greater => {
            let parts = from / to;
            let mut shape = x.shape.clone();
            shape.push(parts.into());
            Tensor::build(&ty.element, &shape, |i| {
                let (part, outer) = (i[i.len() - 1], &i[..i.len() - 1]);
                let shifted = pattern(x.at(outer)?) >> (part as u32 * to);
                Ok(from_bits(&ty.element, shifted & mask(to)))
            })
        }
        std::cmp::Ordering::Less => {
            let parts = i64::from(to / from);
            if x.shape.last() != Some(&parts) {
                return Err(Error::plain(format!(
                    "elements of {to} bits are not made of the last dimension of {:?}, whose elements have {from}",
                    x.shape
                )));
            }
            let shape = x.shape[..x.rank().saturating_sub(1)].to_vec();
            Tensor::build(&ty.element, &shape, |i| {
                let mut whole = 0u128;
                for part in 0..parts {
                    let mut at = i.to_vec();
                    at.push(part);
                    whole |= pattern(x.at(&at)?) << (part as u32 * from);
                }
                Ok(from_bits(&ty.element, whole))
            })
        }
    }
}
