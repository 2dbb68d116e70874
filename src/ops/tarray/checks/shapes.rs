//! Operations on shapes.

use super::*;

/// `shape`: a tuple of sizes.
pub(crate) fn shape(op: Op<'_>) -> Check<Inferred> {
    let sizes = required_ints(op, "sizes")?;
    if let Some(size) = sizes.iter().find(|size| **size < 0) {
        return violation("", format!("the size {size} is negative"));
    }
    gives(ValueType::Shape(sizes.len()))
}

/// `size(A)` and `size(A, dim)`.
pub(crate) fn size(op: Op<'_>) -> Check<Inferred> {
    let ValueType::Tensor(ty) = any(op, 0)? else {
        return undefined(op, 0);
    };
    match op.attribute("dim") {
        None => gives(ValueType::Shape(ty.rank())),
        Some(_) => {
            dim(op, "dim", ty.rank())?;
            gives(number_type())
        }
    }
}

/// `length`.
pub(crate) fn length(op: Op<'_>) -> Check<Inferred> {
    array(op, 0)?;
    gives(number_type())
}

/// `numel`, `ndims`.
pub(crate) fn number_of(op: Op<'_>) -> Check<Inferred> {
    super::shape(op, 0)?;
    gives(number_type())
}

/// `add`: one behind the other.
pub(crate) fn add(op: Op<'_>) -> Check<Inferred> {
    gives(ValueType::Shape(
        super::shape(op, 0)? + super::shape(op, 1)?,
    ))
}

/// `insert`.
pub(crate) fn insert(op: Op<'_>) -> Check<Inferred> {
    let rank = super::shape(op, 0)?;
    position(op, rank + 1)?;
    gives(ValueType::Shape(rank + 1))
}

/// `del`.
pub(crate) fn del(op: Op<'_>) -> Check<Inferred> {
    let rank = super::shape(op, 0)?;
    position(op, rank)?;
    gives(ValueType::Shape(rank - 1))
}

/// `replace`.
pub(crate) fn replace(op: Op<'_>) -> Check<Inferred> {
    let rank = super::shape(op, 0)?;
    position(op, rank)?;
    gives(ValueType::Shape(rank))
}

/// Attribute `pos` is one of so many positions.
fn position(op: Op<'_>, positions: usize) -> Check {
    let pos = required_int(op, "pos")?;
    let known = usize::try_from(pos).is_ok_and(|pos| pos < positions);
    ensure!(known, "", "position {pos} is not in [0, {positions})");
    Ok(())
}

/// Ranks of all operands, which are shapes.
fn ranks(op: Op<'_>) -> Check<Vec<i64>> {
    ensure!(op.num_operands() > 0, "", "needs an operand");
    (0..op.num_operands())
        .map(|i| Ok(super::shape(op, i)? as i64))
        .collect()
}

/// `cartesian_product`: a row for each tuple.
pub(crate) fn cartesian_product(op: Op<'_>) -> Check<Inferred> {
    let ranks = ranks(op)?;
    let rows = ranks
        .iter()
        .try_fold(1i64, |rows, rank| rows.checked_mul(*rank));
    match rows {
        Some(rows) => gives(tensor_type(
            ElementType::int(64),
            &[rows, ranks.len() as i64].map(Dim::Static),
        )),
        None => violation("", "has more tuples than 64 bits can count"),
    }
}

/// `meshgrid`: a grid for each operand.
pub(crate) fn meshgrid(op: Op<'_>) -> Check<Inferred> {
    let mut sizes = ranks(op)?;
    if crate::attrs::is_xy(op) && sizes.len() > 1 {
        sizes.swap(0, 1);
    }
    let grid = ValueType::Tensor(TensorType::new(ElementType::int(64), &sizes));
    Ok(Some(vec![grid; sizes.len()]))
}

/// `arange`.
pub(crate) fn arange(op: Op<'_>) -> Check<Inferred> {
    let max = match op.attribute("max") {
        Some(_) => max(op)?,
        None => UNBOUNDED,
    };
    gives(array_type(number_type(), max)?)
}
