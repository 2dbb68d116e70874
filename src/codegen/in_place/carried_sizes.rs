//! Which tensors that loops carry keep their sizes.

use super::carried::{initial, is_kernel, tied};
use mapwright_mlir::{Op, Steps, TensorType, Val, melior::ir::ValueLike, op};

/// Size, as far as it can be told apart from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    Known(i64),
    /// Size of a dimension of a value, by its key.
    Of(usize, i64),
    /// A number that is computed, by its key.
    Number(usize),
}

/// Tells whether `next` has the sizes of `present` for certain, both of one type. Those of `begun`,
/// the first value that is carried, will do: then the present ones are these, too.
pub(super) fn are_kept<'c>(next: Val<'c>, present: Val<'c>, begun: Option<Val<'c>>) -> bool {
    let Some(ty) = TensorType::from_mlir(next.r#type()) else {
        return false;
    };
    let mut open = (0i64..)
        .zip(&ty.dims)
        .filter(|(_, dim)| dim.fixed().is_none());
    open.all(|(d, _)| {
        let of = |value| of_dimension(value, d, &Steps::default());
        let size = of(next);
        let same = [Some(present), begun];
        let mut same = same.into_iter().flatten();
        size.is_some() && same.any(|value| of(value) == size)
    })
}

/// Returns the first values that the body of a `scf.while` is given, where its condition hands on
/// carried ones; `begun` are the first of these.
pub(super) fn passed<'c>(op: Op<'c>, begun: &[Option<Val<'c>>]) -> Vec<Option<Val<'c>>> {
    let Some(condition) = op.body(0) else {
        return Vec::new();
    };
    let carried = op::arguments(condition);
    let end = op::ops(condition).last().copied();
    let given = end.map(|end| end.operands()).unwrap_or_default();
    let place = |value: Val<'c>| {
        carried
            .iter()
            .position(|other| op::key(*other) == op::key(value))
    };
    let first = |value: Val<'c>| begun.get(place(value)?).copied().flatten();
    given.into_iter().skip(1).map(first).collect()
}

/// The size of dimension `d` of a tensor.
fn of_dimension(value: Val<'_>, d: i64, steps: &Steps) -> Option<Size> {
    steps.take()?;
    let itself = Some(Size::Of(op::key(value), d));
    let Some((made, number)) = op::defining_op(value) else {
        return itself;
    };
    let through = |value: Val<'_>| of_dimension(value, d, steps);
    match made.name() {
        "tensor.cast" => through(made.operand(0)),
        "bufferization.materialize_in_destination" | "tensor.insert" | "tensor.insert_slice" => {
            through(made.operand(1))
        }
        "bufferization.alloc_tensor" if made.num_operands() == 1 => {
            if made.operand(0).r#type() == value.r#type() {
                through(made.operand(0))
            } else {
                of_operands(made, value, d, steps)
            }
        }
        "tensor.empty" => of_operands(made, value, d, steps),
        "scf.if" | "scf.index_switch" => {
            let ends = (0..made.num_regions()).map(|r| {
                let end = op::ops(made.body(r)?).last().copied()?;
                let given = end.operands().get(number).copied()?;
                of_dimension(given, d, steps)
            });
            let all: Option<Vec<Size>> = ends.collect();
            let all = all?;
            let first = all.first().copied()?;
            all.iter().all(|size| *size == first).then_some(first)
        }
        "scf.for" => {
            let body = made.body(0)?;
            let next = op::ops(body).last()?.operands().get(number).copied()?;
            let present = op::arguments(body).get(number + 1).copied()?;
            let is_kept = of_dimension(next, d, &steps.half()) == of_dimension(present, d, steps);
            if is_kept {
                of_dimension(made.operand(number + 3), d, steps)
            } else {
                itself
            }
        }
        _ if is_kernel(made) => through(initial(made, number).0),
        _ if made.dialect() == "linalg" && made.num_operands() >= made.num_results() => {
            through(tied(made, number))
        }
        _ => itself,
    }
}

/// The size of a tensor that is made of the sizes that are open.
fn of_operands(made: Op<'_>, value: Val<'_>, d: i64, steps: &Steps) -> Option<Size> {
    let shape = TensorType::from_mlir(value.r#type())?;
    let d = usize::try_from(d).ok()?;
    let is_open = |d: &usize| shape.dims.get(*d).is_some_and(|dim| dim.fixed().is_none());
    match shape.dims.get(d)?.fixed() {
        Some(size) => Some(Size::Known(size)),
        None => number(
            made.operands()
                .get((0..d).filter(is_open).count())
                .copied()?,
            steps,
        ),
    }
}

/// A number that a tensor is made with.
fn number(value: Val<'_>, steps: &Steps) -> Option<Size> {
    let itself = Some(Size::Number(op::key(value)));
    let Some((made, _)) = op::defining_op(value) else {
        return itself;
    };
    let constant = |value: Val<'_>| {
        let (made, _) = op::defining_op(value)?;
        (made.name() == "arith.constant")
            .then(|| made.int("value"))
            .flatten()
    };
    if let Some(known) = constant(value) {
        return Some(Size::Known(known));
    }
    if made.name() == "tensor.dim"
        && let Some(d) = constant(made.operand(1))
    {
        return of_dimension(made.operand(0), d, steps);
    }
    itself
}
