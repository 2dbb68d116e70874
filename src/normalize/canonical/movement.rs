//! Operations that move elements: those that move none, and those that follow each other.

use super::known::{defined_by, same_type, tensor};
use mapwright_mlir::{Attr, Builder, Op, TensorType, Val, attr, melior::ir::ValueLike, op};

/// The value that `op` gives, or that a simpler operation gives.
pub fn simplify<'c>(op: Op<'c>) -> Option<Val<'c>> {
    match op.short_name() {
        "reshape" => reshape(op),
        "transpose" => transpose(op),
        "broadcast_in_dim" => broadcast_in_dim(op),
        "slice" => slice(op),
        "dynamic_slice" => dynamic_slice(op),
        "dynamic_update_slice" => dynamic_update_slice(op),
        "pad" => pad(op),
        "concatenate" => concatenate(op),
        "reverse" => reverse(op),
        _ => None,
    }
}

/// An operation of the type of `op`'s result in front of `op`.
fn make<'c>(
    op: Op<'c>,
    short: &str,
    operands: &[Val<'c>],
    attributes: impl FnOnce(&Builder<'c>) -> Vec<(&'static str, Attr<'c>)>,
) -> Option<Val<'c>> {
    let b = Builder::before(op.context(), op)?;
    let attributes = attributes(&b);
    Some(b.op1(
        &format!("stablehlo.{short}"),
        operands,
        op.result(0).r#type(),
        &attributes,
    ))
}

/// The operand, where it has the type of the result.
fn operand_of_same_type<'c>(op: Op<'c>) -> Option<Val<'c>> {
    let operand = op.operand(0);
    same_type(operand, op.result(0)).then_some(operand)
}

/// A reshape to the same shape; a reshape of a reshape.
fn reshape<'c>(op: Op<'c>) -> Option<Val<'c>> {
    if let Some(operand) = operand_of_same_type(op) {
        return Some(operand);
    }
    let inner = defined_by(op.operand(0), "reshape")?;
    let source = inner.operand(0);
    // Between types that are quantized along an axis every step has its own constraints.
    if tensor(source)?.element != tensor(op.result(0))?.element {
        return None;
    }
    if same_type(source, op.result(0)) {
        return Some(source);
    }
    make(op, "reshape", &[source], |_| Vec::new())
}

/// A transpose that keeps the order; a transpose of a transpose.
fn transpose<'c>(op: Op<'c>) -> Option<Val<'c>> {
    let permutation = op.ints("permutation")?;
    if permutation.iter().copied().eq(0..permutation.len() as i64) {
        return operand_of_same_type(op);
    }
    let inner = defined_by(op.operand(0), "transpose")?;
    let first = inner.ints("permutation")?;
    let both: Vec<i64> = permutation
        .iter()
        .map(|d| first.get(usize::try_from(*d).ok()?).copied())
        .collect::<Option<_>>()?;
    make(op, "transpose", &[inner.operand(0)], |b| {
        vec![("permutation", b.i64_array(&both))]
    })
}

/// A broadcast to the same type; a broadcast of a broadcast.
fn broadcast_in_dim<'c>(op: Op<'c>) -> Option<Val<'c>> {
    let dims = op.ints("broadcast_dimensions")?;
    if dims.iter().copied().eq(0..dims.len() as i64)
        && let Some(operand) = operand_of_same_type(op)
        && tensor(operand)?.static_shape().is_some()
    {
        return Some(operand);
    }
    let inner = defined_by(op.operand(0), "broadcast_in_dim")?;
    let first = inner.ints("broadcast_dimensions")?;
    let source = inner.operand(0);
    let plain = [source, op.operand(0), op.result(0)].iter().all(|value| {
        tensor(*value).is_some_and(|ty| ty.static_shape().is_some() && !ty.element.is_quantized())
    });
    if !plain {
        return None;
    }
    let both: Vec<i64> = first
        .iter()
        .map(|d| dims.get(usize::try_from(*d).ok()?).copied())
        .collect::<Option<_>>()?;
    make(op, "broadcast_in_dim", &[source], |b| {
        vec![("broadcast_dimensions", b.i64_array(&both))]
    })
}

/// Starts, limits and strides of a slice.
fn ranges(op: Op<'_>) -> Option<[Vec<i64>; 3]> {
    Some([
        op.ints("start_indices")?,
        op.ints("limit_indices")?,
        op.ints("strides")?,
    ])
}

fn make_slice<'c>(op: Op<'c>, source: Val<'c>, ranges: [&[i64]; 3]) -> Option<Val<'c>> {
    make(op, "slice", &[source], |b| {
        vec![
            ("start_indices", b.i64_array(ranges[0])),
            ("limit_indices", b.i64_array(ranges[1])),
            ("strides", b.i64_array(ranges[2])),
        ]
    })
}

/// A slice of everything; a slice of a slice.
fn slice<'c>(op: Op<'c>) -> Option<Val<'c>> {
    let [starts, _, strides] = ranges(op)?;
    let result = tensor(op.result(0))?.static_shape()?;
    if tensor(op.operand(0))?.static_shape().as_ref() == Some(&result)
        && let Some(operand) = operand_of_same_type(op)
    {
        // As many elements as there are: all of them in order, however large the steps along sizes
        // of 0 and 1 may be.
        return Some(operand);
    }
    let inner = defined_by(op.operand(0), "slice")?;
    let [first_starts, _, first_strides] = ranges(inner)?;
    let (mut start, mut limit, mut stride) = (Vec::new(), Vec::new(), Vec::new());
    for d in 0..result.len() {
        let by = strides[d].checked_mul(first_strides[d])?;
        let from = starts[d]
            .checked_mul(first_strides[d])?
            .checked_add(first_starts[d])?;
        // The last element taken, and one more. An empty slice has no last element, and its start
        // may be anywhere.
        let last = result[d].checked_sub(1).filter(|n| *n >= 0)?;
        let end = last.checked_mul(by)?.checked_add(from)?.checked_add(1)?;
        start.push(from);
        limit.push(end);
        stride.push(by);
    }
    make_slice(op, inner.operand(0), [&start, &limit, &stride])
}

/// The integer of a 0-dimensional constant; unsigned ones beyond `i64` count as the largest.
fn scalar(value: Val<'_>) -> Option<i64> {
    let (source, _) = op::defining_op(value)?;
    if !source.is_hlo("constant") {
        return None;
    }
    let values = source.attribute("value").and_then(attr::ints)?;
    let [value] = values[..] else { return None };
    let unsigned = tensor(source.result(0))?.element.is_unsigned();
    Some(if unsigned && value < 0 {
        i64::MAX
    } else {
        value
    })
}

/// A slice of everything (starts are clamped to zero); a slice with known starts.
fn dynamic_slice<'c>(op: Op<'c>) -> Option<Val<'c>> {
    if let Some(operand) = operand_of_same_type(op)
        && tensor(operand)?.static_shape().is_some()
    {
        return Some(operand);
    }
    let sizes = op.ints("slice_sizes")?;
    let shape = tensor(op.operand(0))?.static_shape()?;
    let mut starts = Vec::new();
    for (d, start) in op.operands().into_iter().skip(1).enumerate() {
        let room = shape.get(d)?.checked_sub(*sizes.get(d)?)?;
        starts.push(scalar(start)?.clamp(0, room.max(0)));
    }
    let limits: Vec<i64> = starts.iter().zip(&sizes).map(|(a, b)| a + b).collect();
    make_slice(
        op,
        op.operand(0),
        [&starts, &limits, &vec![1; starts.len()]],
    )
}

/// An update of everything; an update by nothing.
fn dynamic_update_slice<'c>(op: Op<'c>) -> Option<Val<'c>> {
    let (operand, update) = (op.operand(0), op.operand(1));
    let shape = tensor(update)?.static_shape()?;
    if same_type(update, op.result(0)) {
        return Some(update);
    }
    (shape.contains(&0) && same_type(operand, op.result(0))).then_some(operand)
}

/// A pad by nothing.
fn pad<'c>(op: Op<'c>) -> Option<Val<'c>> {
    let nothing = ["edge_padding_low", "edge_padding_high", "interior_padding"]
        .iter()
        .all(|name| {
            op.ints(name)
                .is_some_and(|amounts| amounts.iter().all(|n| *n == 0))
        });
    if nothing {
        operand_of_same_type(op)
    } else {
        None
    }
}

/// A concatenation of one; empty operands.
fn concatenate<'c>(op: Op<'c>) -> Option<Val<'c>> {
    let dimension = usize::try_from(op.int("dimension")?).ok()?;
    if op.num_operands() == 1 {
        return operand_of_same_type(op);
    }
    let size = |value: &Val<'c>| -> Option<i64> {
        let ty: TensorType = tensor(*value)?;
        ty.dims.get(dimension)?.fixed()
    };
    let kept: Vec<Val<'c>> = op
        .operands()
        .into_iter()
        .filter(|value| size(value) != Some(0))
        .collect();
    if kept.is_empty() || kept.len() == op.num_operands() {
        return None;
    }
    if let [one] = kept[..] {
        return same_type(one, op.result(0)).then_some(one);
    }
    make(op, "concatenate", &kept, |b| {
        vec![("dimension", b.i64_attr(dimension as i64))]
    })
}

/// A reverse along sizes of 1 alone; a reverse of a reverse.
fn reverse<'c>(op: Op<'c>) -> Option<Val<'c>> {
    let dims = op.ints("dimensions")?;
    let ty = tensor(op.operand(0))?;
    let moves = |d: &i64| {
        let size = usize::try_from(*d)
            .ok()
            .and_then(|d| ty.dims.get(d)?.fixed());
        size.is_none_or(|n| n > 1)
    };
    if !dims.iter().any(moves) {
        return operand_of_same_type(op);
    }
    let inner = defined_by(op.operand(0), "reverse")?;
    let mut first = inner.ints("dimensions")?;
    let mut dims = dims;
    first.sort_unstable();
    dims.sort_unstable();
    (first == dims && same_type(inner.operand(0), op.result(0))).then(|| inner.operand(0))
}
