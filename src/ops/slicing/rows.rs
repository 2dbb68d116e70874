//! What operations take of their first operand as it lies in memory, in row-major order.

use crate::{attrs::Slice, typing::check::constant_ints};
use mapwright_mlir::{Op, TensorType, Val, melior::ir::ValueLike};

/// The elements of a result, in the order in which the operand has them.
#[derive(Clone, Copy, Debug)]
pub enum Part<'c> {
    /// All of them, in another shape.
    All,
    /// Those of one row of the first dimension after the other, or a part of each row.
    Rows(First<'c>),
}

/// The first row of the operand's first dimension that a result has.
#[derive(Clone, Copy, Debug)]
pub enum First<'c> {
    /// Row number `0`, `1`, …
    At(i64),
    /// The row whose number is the first element of this vector.
    Told(Val<'c>),
    /// The row whose number is this scalar, moved so that all of so many rows are there.
    Clamped(Val<'c>, i64),
}

/// What the only result of `op` is of its first operand. `None` of other operations, and where elements are left out between rows.
///
/// The definitions are those of `reshape`, `dynamic_reshape`, `slice`, `dynamic_slice` and `real_dynamic_slice` in the specification of StableHLO.
pub fn part(op: Op<'_>) -> Option<Part<'_>> {
    let name = ["stablehlo", "mhlo"]
        .contains(&op.dialect())
        .then(|| op.short_name())?;
    if matches!(name, "reshape" | "dynamic_reshape") {
        return Some(Part::All);
    }
    let ones = |values: &[i64]| values.iter().all(|n| *n == 1);
    let sizes = |value: Val<'_>| TensorType::from_mlir(value.r#type()).map(|ty| ty.dims);
    let first = match name {
        "slice" => {
            let slice = Slice::decode(op, sizes(op.operand(0))?.len()).ok()?;
            let first = slice.start.first().filter(|_| ones(&slice.stride))?;
            First::At(*first)
        }
        "dynamic_slice" if op.num_operands() > 1 => {
            First::Clamped(op.operand(1), sizes(op.result(0))?.first()?.fixed()?)
        }
        "real_dynamic_slice" => {
            let strides = constant_ints(op.operand(3))?;
            sizes(op.operand(0))?.first()?;
            ones(&strides).then(|| First::Told(op.operand(1)))?
        }
        _ => return None,
    };
    Some(Part::Rows(first))
}
