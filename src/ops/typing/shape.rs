//! Operations that rearrange elements: broadcast, reshape, transpose, slice, pad, concatenate, and their dynamic forms.

use super::check::*;
use mapwright_mlir::{Dim, ElementType, Op, TensorType, attr};

/// `broadcast_in_dim`.
pub fn broadcast_in_dim(op: Op<'_>) -> Check<Inferred> {
    let (operand, result) = (operand(op, 0)?, result(op, 0)?);
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
    broadcast_quantization(&operand, &result, &dims)?;
    one(result.element.clone(), result.dims)
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
    broadcast_quantization(&operand, &result, &dims)?;
    ensure!(
        shape.dims == [Dim::Static(result.rank() as i64)],
        "c7",
        "'output_dimensions' must have {} values, has the shape {}",
        result.rank(),
        shape_text(&shape.dims)
    );
    let known = shape_operand("c7", op, 1, result.rank())?;
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
        agree_with("c7", "output_dimensions", known, result.dims)?,
    )
}

fn optional_ints(op: Op<'_>, name: &str) -> Check<Vec<i64>> {
    ints_or(op, name, 0, 0)
}

/// The constant shape operand `i` as sizes; a negative size is a violation; unknown where it is not constant.
fn shape_operand(label: &'static str, op: Op<'_>, i: usize, rank: usize) -> Check<Vec<Dim>> {
    let Some(values) = constant_ints(op.operand(i)) else {
        return Ok(vec![Dim::Dynamic; rank]);
    };
    ensure!(
        values.len() == rank,
        label,
        "operand #{i} gives {} sizes for a result of rank {rank}",
        values.len()
    );
    for value in &values {
        ensure!(
            *value >= 0,
            label,
            "operand #{i} gives the negative size {value}"
        );
    }
    Ok(values.into_iter().map(Dim::Static).collect())
}

/// Merges what an operand says of the result's sizes with the declared ones.
fn agree_with(
    label: &'static str,
    name: &str,
    known: Vec<Dim>,
    declared: Vec<Dim>,
) -> Check<Vec<Dim>> {
    ensure!(
        shapes_agree(&known, &declared),
        label,
        "'{name}' gives the shape {}, the result has {}",
        shape_text(&known),
        shape_text(&declared)
    );
    Ok(merge_shapes(&known, &declared))
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
    let known = shape_operand("c4", op, 1, result.rank())?;
    let dims = agree_with("c4", "output_shape", known, result.dims)?;
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
    let dims: Vec<Dim> = permutation
        .iter()
        .map(|&from| operand.dims[from as usize])
        .collect();
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

/// `slice`.
pub fn slice(op: Op<'_>) -> Check<Inferred> {
    let operand = operand(op, 0)?;
    let starts = required_ints(op, "start_indices")?;
    let limits = required_ints(op, "limit_indices")?;
    let strides = required_ints(op, "strides")?;
    for (name, values) in [
        ("start_indices", &starts),
        ("limit_indices", &limits),
        ("strides", &strides),
    ] {
        size_is("c2", name, values, operand.rank())?;
    }
    let mut dims = Vec::with_capacity(operand.rank());
    for (d, size) in operand.dims.iter().enumerate() {
        let (start, limit, stride) = (starts[d], limits[d], strides[d]);
        ensure!(
            start >= 0,
            "c3",
            "'start_indices' has the negative value {start} in dimension {d}"
        );
        ensure!(
            start <= limit,
            "c3",
            "the start {start} of dimension {d} is beyond its limit {limit}"
        );
        if let Some(bound) = size.bound() {
            ensure!(
                limit <= bound,
                "c3",
                "the limit {limit} of dimension {d} is beyond the operand's size {bound}"
            );
        }
        ensure!(
            stride > 0,
            "c4",
            "'strides' must be positive, is {stride} in dimension {d}"
        );
        dims.push(Dim::Static((limit - start + stride - 1) / stride));
    }
    one(operand.element, dims)
}

/// `real_dynamic_slice`: starts, limits and strides are operands.
pub fn real_dynamic_slice(op: Op<'_>) -> Check<Inferred> {
    let (operand, result) = (operand(op, 0)?, result(op, 0)?);
    for i in 1..4 {
        let indices = super::check::operand(op, i)?;
        ensure!(
            indices.rank() == 1 && sizes_agree(indices.dims[0], Dim::Static(operand.rank() as i64)),
            "c2",
            "operand #{i} must have {} values, has the shape {}",
            operand.rank(),
            shape_text(&indices.dims)
        );
    }
    ensure!(
        result.rank() == operand.rank(),
        "c1",
        "operand and result must have the same rank, have {} and {}",
        operand.rank(),
        result.rank()
    );
    let known = [1, 2, 3].map(|i| constant_ints(op.operand(i)));
    let dims = match known {
        [Some(starts), Some(limits), Some(strides)] => {
            let mut dims = Vec::new();
            for d in 0..operand.rank() {
                let (start, limit, stride) = (starts[d], limits[d], strides[d]);
                ensure!(
                    stride > 0,
                    "c4",
                    "the stride of dimension {d} must be positive, is {stride}"
                );
                ensure!(
                    0 <= start && start <= limit,
                    "c3",
                    "the start {start} of dimension {d} is not in [0, {limit}]"
                );
                dims.push(Dim::Static((limit - start + stride - 1) / stride));
            }
            agree_with("c5", "the slice", dims, result.dims)?
        }
        _ => result.dims,
    };
    one(operand.element, dims)
}

/// `dynamic_slice`.
pub fn dynamic_slice(op: Op<'_>) -> Check<Inferred> {
    let operand = operand(op, 0)?;
    let sizes = required_ints(op, "slice_sizes")?;
    ensure!(
        op.num_operands() == 1 + operand.rank(),
        "c2",
        "needs {} start indices, has {}",
        operand.rank(),
        op.num_operands() - 1
    );
    size_is("c2", "slice_sizes", &sizes, operand.rank())?;
    start_indices(op, 1, "c3")?;
    for (d, &size) in sizes.iter().enumerate() {
        ensure!(
            size >= 0,
            "c4",
            "'slice_sizes' has the negative value {size} in dimension {d}"
        );
        if let Some(bound) = operand.dims[d].bound() {
            ensure!(
                size <= bound,
                "c4",
                "'slice_sizes' has {size} in dimension {d}, beyond the operand's size {bound}"
            );
        }
    }
    one(
        operand.element,
        sizes.into_iter().map(Dim::Static).collect(),
    )
}

/// All start indices, operands from `first` on, are 0-dimensional and of one type.
fn start_indices(op: Op<'_>, first: usize, label: &'static str) -> Check {
    let mut element: Option<ElementType> = None;
    for i in first..op.num_operands() {
        let start = operand(op, i)?;
        ensure!(
            start.rank() == 0,
            label,
            "start index, operand #{i}, must be 0-dimensional, is {start}"
        );
        if let Some(element) = &element {
            ensure!(
                *element == start.element,
                label,
                "start indices must have one type, have {element} and {}",
                start.element
            );
        }
        element = Some(start.element);
    }
    Ok(())
}

/// `dynamic_update_slice`.
pub fn dynamic_update_slice(op: Op<'_>) -> Check<Inferred> {
    let (operand, update) = (operand(op, 0)?, operand(op, 1)?);
    same_element("c2", "operand and update", &operand, &update)?;
    ensure!(
        operand.rank() == update.rank(),
        "c3",
        "operand and update must have the same rank, have {} and {}",
        operand.rank(),
        update.rank()
    );
    ensure!(
        op.num_operands() == 2 + operand.rank(),
        "c4",
        "needs {} start indices, has {}",
        operand.rank(),
        op.num_operands() - 2
    );
    start_indices(op, 2, "c5")?;
    for d in 0..operand.rank() {
        if let (Some(size), Some(bound)) = (update.dims[d].fixed(), operand.dims[d].bound()) {
            ensure!(
                size <= bound,
                "c6",
                "the update has size {size} in dimension {d}, beyond the operand's size {bound}"
            );
        }
    }
    one(operand.element, operand.dims)
}

/// `pad`; padding may be negative, interior padding may not.
pub fn pad(op: Op<'_>) -> Check<Inferred> {
    let (operand, value) = (operand(op, 0)?, operand(op, 1)?);
    same_element("c1", "operand and padding value", &operand, &value)?;
    ensure!(
        value.rank() == 0,
        "i2",
        "the padding value must be 0-dimensional, is {value}"
    );
    let low = required_ints(op, "edge_padding_low")?;
    let high = required_ints(op, "edge_padding_high")?;
    let interior = required_ints(op, "interior_padding")?;
    for (name, values) in [
        ("edge_padding_low", &low),
        ("edge_padding_high", &high),
        ("interior_padding", &interior),
    ] {
        size_is("c2", name, values, operand.rank())?;
    }
    let mut dims = Vec::with_capacity(operand.rank());
    for (d, size) in operand.dims.iter().enumerate() {
        ensure!(
            interior[d] >= 0,
            "c3",
            "'interior_padding' has the negative value {} in dimension {d}",
            interior[d]
        );
        let padded = |n: i64| -> Check<i64> {
            let total = (n - 1).max(0).checked_mul(interior[d]).and_then(|inner| {
                inner
                    .checked_add(n)?
                    .checked_add(low[d])?
                    .checked_add(high[d])
            });
            match total {
                Some(total) if total >= 0 => Ok(total),
                Some(total) => violation(
                    "c4",
                    format!("padding gives dimension {d} the negative size {total}"),
                ),
                None => violation("c4", format!("padding takes dimension {d} beyond 64 bits")),
            }
        };
        dims.push(match *size {
            Dim::Static(n) => Dim::Static(padded(n)?),
            Dim::Bounded(n) => Dim::Bounded(padded(n)?),
            Dim::Dynamic => Dim::Dynamic,
        });
    }
    one(operand.element, dims)
}

/// `dynamic_pad`: amounts are operands.
pub fn dynamic_pad(op: Op<'_>) -> Check<Inferred> {
    let (operand, value, result) = (operand(op, 0)?, operand(op, 1)?, result(op, 0)?);
    same_element("c1", "operand and padding value", &operand, &value)?;
    for i in 2..5 {
        let amounts = super::check::operand(op, i)?;
        ensure!(
            amounts.rank() == 1 && sizes_agree(amounts.dims[0], Dim::Static(operand.rank() as i64)),
            "c2",
            "operand #{i} must have {} values, has the shape {}",
            operand.rank(),
            shape_text(&amounts.dims)
        );
    }
    ensure!(
        result.rank() == operand.rank(),
        "c1",
        "operand and result must have the same rank, have {} and {}",
        operand.rank(),
        result.rank()
    );
    let [low, high, interior] = [2, 3, 4].map(|i| constant_ints(op.operand(i)));
    if let Some(interior) = &interior {
        ensure!(
            interior.iter().all(|amount| *amount >= 0),
            "c3",
            "interior padding must not be negative, is {interior:?}"
        );
    }
    if let (Some(low), Some(high), Some(interior)) = (low, high, interior) {
        for d in 0..operand.rank() {
            if let (Some(n), Some(want)) = (operand.dims[d].fixed(), result.dims[d].fixed()) {
                let padded = n + low[d] + high[d] + (n - 1).max(0) * interior[d];
                ensure!(
                    padded == want,
                    "c4",
                    "padding gives dimension {d} the size {padded}, the result has {want}"
                );
            }
        }
    }
    one(operand.element, result.dims)
}

/// `concatenate`.
pub fn concatenate(op: Op<'_>) -> Check<Inferred> {
    let types = operands(op)?;
    let dimension = required_int(op, "dimension")?;
    let Some((first, rest)) = types.split_first() else {
        return violation("c3", "needs an input");
    };
    ensure!(
        (0..first.rank() as i64).contains(&dimension),
        "c4",
        "'dimension' {dimension} is not in [0, {})",
        first.rank()
    );
    let dimension = dimension as usize;
    let mut dims = first.dims.clone();
    for (i, ty) in rest.iter().enumerate() {
        same_element("c1", &format!("inputs #0 and #{}", i + 1), first, ty)?;
        ensure!(
            ty.rank() == first.rank(),
            "c2",
            "inputs must have the same rank, input #{} has {}, input #0 {}",
            i + 1,
            ty.rank(),
            first.rank()
        );
        for d in 0..dims.len() {
            if d == dimension {
                dims[d] = match (dims[d], ty.dims[d]) {
                    (Dim::Static(a), Dim::Static(b)) => match a.checked_add(b) {
                        Some(sum) => Dim::Static(sum),
                        None => {
                            return violation(
                                "c6",
                                format!("dimension {d} of the result is beyond 64 bits"),
                            );
                        }
                    },
                    (a, b) => match (a.bound(), b.bound()) {
                        (Some(a), Some(b)) => Dim::Bounded(a.saturating_add(b)),
                        _ => Dim::Dynamic,
                    },
                };
            } else {
                ensure!(
                    sizes_agree(dims[d], ty.dims[d]),
                    "c2",
                    "inputs must have the same shape outside dimension {dimension}; dimension {d} has {} and {}",
                    shape_text(&[dims[d]]),
                    shape_text(&[ty.dims[d]])
                );
                dims[d] = merge_sizes(dims[d], ty.dims[d]);
            }
        }
    }
    one(first.element.clone(), dims)
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
    let mut dims = operand.dims.clone();
    if to < from {
        ensure!(
            from % to == 0,
            "c1",
            "the widths {from} and {to} are no multiples of each other"
        );
        dims.push(Dim::Static(from / to));
    } else if to > from {
        ensure!(
            to % from == 0,
            "c1",
            "the widths {from} and {to} are no multiples of each other"
        );
        let Some(last) = dims.pop() else {
            return violation(
                "c1",
                format!("a 0-dimensional operand of {from} bits cannot become {to} bits wide"),
            );
        };
        ensure!(
            sizes_agree(last, Dim::Static(to / from)),
            "c1",
            "the last dimension of the operand must have size {}, has {}",
            to / from,
            shape_text(&[last])
        );
    }
    ensure!(
        shapes_agree(&dims, &result.dims),
        "c1",
        "the result must have the shape {}, has {}",
        shape_text(&dims),
        shape_text(&result.dims)
    );
    one(result.element, merge_shapes(&dims, &result.dims))
}

/// `iota`.
pub fn iota(op: Op<'_>) -> Check<Inferred> {
    let result = result(op, 0)?;
    let dimension = required_int(op, "iota_dimension")?;
    ensure!(
        result.rank() > 0,
        "",
        "the result must have a dimension to count along"
    );
    in_rank("c1", "iota_dimension", &[dimension], result.rank())?;
    one(result.element, result.dims)
}

/// `dynamic_iota`.
pub fn dynamic_iota(op: Op<'_>) -> Check<Inferred> {
    let (shape, result) = (operand(op, 0)?, result(op, 0)?);
    let dimension = required_int(op, "iota_dimension")?;
    in_rank("c1", "iota_dimension", &[dimension], result.rank())?;
    ensure!(
        shape.rank() == 1 && sizes_agree(shape.dims[0], Dim::Static(result.rank() as i64)),
        "c2",
        "'output_shape' must have {} values, has the shape {}",
        result.rank(),
        shape_text(&shape.dims)
    );
    let known = shape_operand("c2", op, 0, result.rank())?;
    one(
        result.element,
        agree_with("c2", "output_shape", known, result.dims)?,
    )
}

/// `constant`: the value's type is the result's.
pub fn constant(op: Op<'_>) -> Check<Inferred> {
    let result = result(op, 0)?;
    if let Some(value) = op.attribute("value").and_then(attr::tensor_type) {
        // A quantized constant has a value of the storage type.
        let element = match &result.element {
            ElementType::Quantized(q) if !value.element.is_quantized() => &q.storage,
            other => other,
        };
        ensure!(
            value.dims == result.dims && same_baseline(&value.element, element),
            "c1",
            "the value has the type {value}, the result {result}"
        );
    }
    one(result.element, result.dims)
}

/// `broadcast` (not in HLO): new dimensions go in front.
pub fn broadcast(op: Op<'_>) -> Check<Inferred> {
    let operand = operand(op, 0)?;
    let sizes = required_ints(op, "broadcast_sizes")?;
    for size in &sizes {
        ensure!(
            *size >= 0,
            "",
            "'broadcast_sizes' has the negative value {size}"
        );
    }
    let mut dims: Vec<Dim> = sizes.into_iter().map(Dim::Static).collect();
    dims.extend(operand.dims);
    one(operand.element, dims)
}

/// `get_dimension_size`.
pub fn get_dimension_size(op: Op<'_>) -> Check<Inferred> {
    let operand = operand(op, 0)?;
    in_rank(
        "c1",
        "dimension",
        &[required_int(op, "dimension")?],
        operand.rank(),
    )?;
    one(ElementType::int(32), Vec::new())
}

/// `set_dimension_size`: the dimension becomes bounded by its static size (or stays as it is where the size is a constant).
pub fn set_dimension_size(op: Op<'_>) -> Check<Inferred> {
    let (operand, size) = (operand(op, 0)?, operand(op, 1)?);
    let dimension = required_int(op, "dimension")?;
    in_rank("c1", "dimension", &[dimension], operand.rank())?;
    ensure!(
        size.rank() == 0,
        "",
        "the size must be 0-dimensional, is {size}"
    );
    let mut dims = operand.dims;
    let at = dimension as usize;
    dims[at] = match (constant_ints(op.operand(1)).as_deref(), dims[at].bound()) {
        (Some([n]), bound) => {
            ensure!(
                *n >= 0 && bound.is_none_or(|bound| *n <= bound),
                "",
                "the size {n} of dimension {dimension} is not in [0, {}]",
                bound.unwrap_or(i64::MAX)
            );
            // A size that equals the static one changes nothing; a smaller one is still laid out for the bound.
            match bound {
                Some(bound) if bound != *n => Dim::Bounded(bound),
                _ => Dim::Static(*n),
            }
        }
        (_, Some(bound)) => Dim::Bounded(bound),
        _ => Dim::Dynamic,
    };
    one(operand.element, dims)
}
