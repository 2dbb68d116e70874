//! Operations that rearrange elements: broadcast, reshape, transpose, and their dynamic forms;
//! sizes; constants.

use crate::typing::{check::*, results::sizes};
use mapwright_mlir::{Dim, ElementType, Op, TensorType};

/// `broadcast_in_dim`.
pub fn broadcast_in_dim(op: Op<'_>) -> Check<Inferred> {
    let (operand, result) = (operand(op, 0)?, result(op, 0)?);
    broadcast_dimensions(op, &operand, &result)?;
    sizes_are_known(&result)?;
    one(result.element.clone(), result.dims)
}

/// Sizes that no operand says must be static, but for one that has a bound.
fn sizes_are_known(result: &TensorType) -> Check {
    let count = |fits: fn(&Dim) -> bool| result.dims.iter().filter(|dim| fits(dim)).count();
    ensure!(
        count(|dim| *dim == Dim::Dynamic) == 0 && count(|dim| matches!(dim, Dim::Bounded(_))) <= 1,
        "",
        "the result must have static sizes, but for one that may be bounded, is {result}"
    );
    Ok(())
}

/// Checks `broadcast_dimensions` as both kinds of broadcast require it (c1 to c6).
fn broadcast_dimensions(op: Op<'_>, operand: &TensorType, result: &TensorType) -> Check {
    let dims = required_ints(op, "broadcast_dimensions")?;
    ensure!(
        same_storage(&operand.element, &result.element),
        "c1",
        "operand and result must have the same element type, have {} and {}",
        operand.element,
        result.element
    );
    size_is("c2", "broadcast_dimensions", &dims, operand.rank())?;
    in_rank("c3", "broadcast_dimensions", &dims, result.rank())?;
    unique("c4", "broadcast_dimensions", &dims)?;
    for (from, &to) in dims.iter().enumerate() {
        let (have, want) = (operand.dims[from], result.dims[to as usize]);
        ensure!(
            have == Dim::Static(1) || sizes_agree(have, want),
            "c5",
            "dimension {from} of the operand must have size 1 or that of dimension {to} of the result: {} against {}",
            shape_text(&[have]),
            shape_text(&[want])
        );
    }
    broadcast_quantization(operand, result, &dims)
}

/// A per-axis quantized operand keeps its parameters along the dimension that its axis goes to.
fn broadcast_quantization(operand: &TensorType, result: &TensorType, dims: &[i64]) -> Check {
    let (ElementType::Quantized(from), ElementType::Quantized(to)) =
        (&operand.element, &result.element)
    else {
        return Ok(());
    };
    match (from.axis, to.axis) {
        (None, None) => ensure!(
            from.scales == to.scales && from.zero_points == to.zero_points,
            "c1",
            "operand and result must have the same quantization parameters"
        ),
        (Some(axis), Some(target)) => {
            ensure!(
                dims.get(axis) == Some(&(target as i64)),
                "c6",
                "the quantized dimension {axis} of the operand goes to dimension {} of the result, which is quantized along \
                 {target}",
                number(dims.get(axis))
            );
            let repeated = operand.dims[axis] == Dim::Static(1);
            let same = if repeated {
                to.scales.iter().all(|scale| *scale == from.scales[0])
                    && to
                        .zero_points
                        .iter()
                        .all(|zero| *zero == from.zero_points[0])
            } else {
                from.scales == to.scales && from.zero_points == to.zero_points
            };
            ensure!(
                same,
                "c6",
                "operand and result must have the same scales and zero points along the quantized dimension"
            );
        }
        _ => {
            return violation(
                "c1",
                "operand and result must be quantized alike, per tensor or per axis",
            );
        }
    }
    Ok(())
}

/// `dynamic_broadcast_in_dim`.
pub fn dynamic_broadcast_in_dim(op: Op<'_>) -> Check<Inferred> {
    let (operand, shape, result) = (operand(op, 0)?, operand(op, 1)?, result(op, 0)?);
    broadcast_dimensions(op, &operand, &result)?;
    ensure!(
        shape.dims == [Dim::Static(result.rank() as i64)],
        "c7",
        "'output_dimensions' must have {} values, has the shape {}",
        result.rank(),
        shape_text(&shape.dims)
    );
    shape_operand("c7", op, 1, result.rank())?;
    if let Some(sizes) = constant_ints(op.operand(1)) {
        let places = required_ints(op, "broadcast_dimensions")?;
        for (d, (size, place)) in operand.dims.iter().zip(places).enumerate() {
            let to = sizes.get(place as usize).copied().unwrap_or_default();
            ensure!(
                *size == Dim::Static(1) || sizes_agree(*size, Dim::Static(to)),
                "c5",
                "dimension {d} of the operand has the size {}, which is neither 1 nor the size {to} that operand #1 gives",
                size_text(*size)
            );
        }
    }
    let expanding = optional_ints(op, "known_expanding_dimensions")?;
    let nonexpanding = optional_ints(op, "known_nonexpanding_dimensions")?;
    let both: Vec<i64> = expanding.iter().chain(&nonexpanding).copied().collect();
    unique(
        "c8",
        "known_expanding_dimensions and known_nonexpanding_dimensions",
        &both,
    )?;
    in_rank(
        "c9",
        "known_expanding_dimensions",
        &expanding,
        operand.rank(),
    )?;
    in_rank(
        "c10",
        "known_nonexpanding_dimensions",
        &nonexpanding,
        operand.rank(),
    )?;
    one(
        result.element,
        agree_with("c7", "output_dimensions", sizes(op, 0)?, result.dims)?,
    )
}

fn optional_ints(op: Op<'_>, name: &str) -> Check<Vec<i64>> {
    ints_or(op, name, 0, 0)
}

/// `reshape`.
pub fn reshape(op: Op<'_>) -> Check<Inferred> {
    let (operand, result) = (operand(op, 0)?, result(op, 0)?);
    ensure!(
        same_storage(&operand.element, &result.element),
        "c1",
        "operand and result must have the same element type, have {} and {}",
        operand.element,
        result.element
    );
    reshape_quantization(&operand, &result)?;
    sizes_are_known(&result)?;
    let static_both = operand.static_shape().is_some() && result.static_shape().is_some();
    if static_both {
        ensure!(
            operand.num_elements() == result.num_elements(),
            "c2",
            "operand and result must have the same number of elements, have the shapes {} and {}",
            shape_text(&operand.dims),
            shape_text(&result.dims)
        );
    }
    one(result.element, result.dims)
}

fn reshape_quantization(operand: &TensorType, result: &TensorType) -> Check {
    if let (ElementType::Quantized(from), ElementType::Quantized(to)) =
        (&operand.element, &result.element)
    {
        ensure!(
            from.scales == to.scales && from.zero_points == to.zero_points,
            "c1",
            "operand and result must have the same scales and zero points"
        );
        if let (Some(a), Some(b)) = (from.axis, to.axis) {
            let sizes = |ty: &TensorType, axis: usize| -> (Option<i64>, Option<i64>) {
                let product = |dims: &[Dim]| {
                    dims.iter()
                        .try_fold(1i64, |n, dim| n.checked_mul(dim.fixed()?))
                };
                (product(&ty.dims[..axis]), ty.dims[axis].fixed())
            };
            let ((before_a, size_a), (before_b, size_b)) = (sizes(operand, a), sizes(result, b));
            ensure!(
                size_a == size_b || size_a.is_none() || size_b.is_none(),
                "c3",
                "the quantized dimension must keep its size, has {} and {}",
                number(size_a),
                number(size_b)
            );
            ensure!(
                before_a == before_b || before_a.is_none() || before_b.is_none(),
                "c3",
                "the quantized dimension must keep its place among the elements"
            );
        }
    }
    Ok(())
}

/// `dynamic_reshape`.
pub fn dynamic_reshape(op: Op<'_>) -> Check<Inferred> {
    let (operand, shape, result) = (operand(op, 0)?, operand(op, 1)?, result(op, 0)?);
    ensure!(
        same_storage(&operand.element, &result.element),
        "c1",
        "operand and result must have the same element type, have {} and {}",
        operand.element,
        result.element
    );
    reshape_quantization(&operand, &result)?;
    ensure!(
        shape.rank() == 1 && sizes_agree(shape.dims[0], Dim::Static(result.rank() as i64)),
        "c4",
        "'output_shape' must have {} values, has the shape {}",
        result.rank(),
        shape_text(&shape.dims)
    );
    shape_operand("c4", op, 1, result.rank())?;
    let dims = agree_with("c4", "output_shape", sizes(op, 0)?, result.dims)?;
    let to = TensorType {
        element: result.element,
        dims,
    };
    if to.static_shape().is_some() && operand.static_shape().is_some() {
        ensure!(
            operand.num_elements() == to.num_elements(),
            "c2",
            "operand and result must have the same number of elements, have the shapes {} and {}",
            shape_text(&operand.dims),
            shape_text(&to.dims)
        );
    }
    one(to.element, to.dims)
}

/// `transpose`.
pub fn transpose(op: Op<'_>) -> Check<Inferred> {
    let operand = operand(op, 0)?;
    let permutation = required_ints(op, "permutation")?;
    let mut sorted = permutation.clone();
    sorted.sort_unstable();
    ensure!(
        sorted.iter().copied().eq(0..operand.rank() as i64),
        "c2",
        "'permutation' {permutation:?} is not a permutation of [0, {})",
        operand.rank()
    );
    let dims = sizes(op, 0)?;
    let result = result(op, 0)?;
    if let (ElementType::Quantized(from), ElementType::Quantized(to)) =
        (&operand.element, &result.element)
    {
        ensure!(
            from.scales == to.scales && from.zero_points == to.zero_points,
            "c1",
            "operand and result must have the same scales and zero points"
        );
        if let (Some(a), Some(b)) = (from.axis, to.axis) {
            ensure!(
                permutation.get(b) == Some(&(a as i64)),
                "c4",
                "dimension {b} of the result, the quantized one, comes from dimension {} of the operand, which is quantized \
                 along {a}",
                number(permutation.get(b))
            );
        }
        return one(result.element, dims);
    }
    one(operand.element, dims)
}

/// `reverse`.
pub fn reverse(op: Op<'_>) -> Check<Inferred> {
    let operand = operand(op, 0)?;
    let dimensions = required_ints(op, "dimensions")?;
    unique("c2", "dimensions", &dimensions)?;
    in_rank("c3", "dimensions", &dimensions, operand.rank())?;
    one(operand.element, operand.dims)
}

/// `bitcast_convert`.
pub fn bitcast_convert(op: Op<'_>) -> Check<Inferred> {
    let (operand, result) = (operand(op, 0)?, result(op, 0)?);
    ensure!(
        operand.element.is_complex() == result.element.is_complex(),
        "c2",
        "cannot convert between complex and other types: {} to {}",
        operand.element,
        result.element
    );
    let (Some(from), Some(to)) = (operand.element.bit_width(), result.element.bit_width()) else {
        return one(result.element, result.dims);
    };
    let (from, to) = (i64::from(from), i64::from(to));
    if to < from {
        ensure!(
            from % to == 0,
            "c1",
            "the widths {from} and {to} are no multiples of each other"
        );
    } else if to > from {
        ensure!(
            to % from == 0,
            "c1",
            "the widths {from} and {to} are no multiples of each other"
        );
        let Some(last) = operand.dims.last() else {
            return violation(
                "c1",
                format!("a 0-dimensional operand of {from} bits cannot become {to} bits wide"),
            );
        };
        ensure!(
            sizes_agree(*last, Dim::Static(to / from)),
            "c1",
            "the last dimension of the operand must have size {}, has {}",
            to / from,
            shape_text(&[*last])
        );
    }
    let dims = sizes(op, 0)?;
    ensure!(
        shapes_agree(&dims, &result.dims),
        "c1",
        "the result must have the shape {}, has {}",
        shape_text(&dims),
        shape_text(&result.dims)
    );
    one(result.element, merge_shapes(&dims, &result.dims))
}

/// `broadcast` (not in HLO): new dimensions go in front.
pub fn broadcast(op: Op<'_>) -> Check<Inferred> {
    let operand = operand(op, 0)?;
    for size in required_ints(op, "broadcast_sizes")? {
        ensure!(
            size >= 0,
            "",
            "'broadcast_sizes' has the negative value {size}"
        );
    }
    one(operand.element, sizes(op, 0)?)
}
