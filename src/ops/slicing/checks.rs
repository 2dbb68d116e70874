//! Parts of tensors, and tensors put together: slices, updates, padding, concatenation, and their
//! dynamic forms.

use crate::typing::{check::*, results};
use mapwright_mlir::{Dim, ElementType, Op};

/// `slice`.
pub fn slice(op: Op<'_>) -> Check<Inferred> {
    let operand = operand(op, 0)?;
    let names = ["start_indices", "limit_indices", "strides"];
    let [starts, limits, strides] = of_dimensions(op, names, operand.rank())?;
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
    }
    one(operand.element, results::sizes(op, 0)?)
}

/// `real_dynamic_slice`: starts, limits and strides are operands.
pub fn real_dynamic_slice(op: Op<'_>) -> Check<Inferred> {
    let (operand, result) = (operand(op, 0)?, result(op, 0)?);
    for i in 1..4 {
        let indices = crate::typing::check::operand(op, i)?;
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
    if let [Some(starts), Some(limits), Some(strides)] = known {
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
        }
    }
    let dims = agree_with("c5", "the slice", results::sizes(op, 0)?, result.dims)?;
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
    one(operand.element, results::sizes(op, 0)?)
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
