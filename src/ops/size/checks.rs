//! Constraints and result types of operations on sizes.

use crate::typing::{check::*, results::sizes};
use mapwright_mlir::{ElementType, Op};

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

/// `set_dimension_size`: the dimension becomes bounded by its static size (or stays as it is where
/// the size is a constant).
pub fn set_dimension_size(op: Op<'_>) -> Check<Inferred> {
    let (operand, size) = (operand(op, 0)?, operand(op, 1)?);
    let dimension = required_int(op, "dimension")?;
    in_rank("c1", "dimension", &[dimension], operand.rank())?;
    ensure!(
        size.rank() == 0,
        "",
        "the size must be 0-dimensional, is {size}"
    );
    if let Some([n]) = constant_ints(op.operand(1)).as_deref() {
        let bound = operand.dims[dimension as usize].bound();
        ensure!(
            *n >= 0 && bound.is_none_or(|bound| *n <= bound),
            "",
            "the size {n} of dimension {dimension} is not in [0, {}]",
            bound.unwrap_or(i64::MAX)
        );
    }
    one(operand.element, sizes(op, 0)?)
}
