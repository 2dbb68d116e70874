//! Constraints and result types of padding and concatenation.

use crate::typing::{check::*, results};
use mapwright_mlir::{Dim, Op};

/// `pad`; padding may be negative, interior padding may not.
pub fn pad(op: Op<'_>) -> Check<Inferred> {
    let (operand, value) = (operand(op, 0)?, operand(op, 1)?);
    same_element("c1", "operand and padding value", &operand, &value)?;
    ensure!(
        value.rank() == 0,
        "i2",
        "the padding value must be 0-dimensional, is {value}"
    );
    let names = ["edge_padding_low", "edge_padding_high", "interior_padding"];
    let [_, _, interior] = of_dimensions(op, names, operand.rank())?;
    for (d, interior) in interior.into_iter().enumerate() {
        ensure!(
            interior >= 0,
            "c3",
            "'interior_padding' has the negative value {interior} in dimension {d}"
        );
    }
    one(operand.element, results::sizes(op, 0)?)
}

/// `dynamic_pad`: amounts are operands.
pub fn dynamic_pad(op: Op<'_>) -> Check<Inferred> {
    let (operand, value, result) = (operand(op, 0)?, operand(op, 1)?, result(op, 0)?);
    same_element("c1", "operand and padding value", &operand, &value)?;
    for i in 2..5 {
        let amounts = crate::typing::check::operand(op, i)?;
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
    if let Some(interior) = constant_ints(op.operand(4)) {
        ensure!(
            interior.iter().all(|amount| *amount >= 0),
            "c3",
            "interior padding must not be negative, is {interior:?}"
        );
    }
    let dims = agree_with("c4", "the padding", results::sizes(op, 0)?, result.dims)?;
    one(operand.element, dims)
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
    // What is known of the sizes of all inputs before.
    let mut known = first.dims.clone();
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
        for (d, size) in known.iter_mut().enumerate() {
            ensure!(
                d == dimension || sizes_agree(*size, ty.dims[d]),
                "c2",
                "inputs must have the same shape outside dimension {dimension}; dimension {d} has {} and {}",
                shape_text(&[*size]),
                shape_text(&[ty.dims[d]])
            );
            *size = merge_sizes(*size, ty.dims[d]);
        }
    }
    one(first.element.clone(), results::sizes(op, 0)?)
}
