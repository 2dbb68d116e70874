//! Operations of the `tarray` dialect: which kinds of operands they take, and what their shape
//! functions give.
//!
//! - [`shapes`]: operations on shapes; [`arrays`]: arrays made of tensors, and back; [`access`]:
//!   elements and layouts;
//! - [`loops`]: operations with a body; [`functions`]: functions of elements; [`legality`]:
//!   iterations that depend on each other, from their [`accesses`] and the [`indices`] of these.

pub(super) mod access;
mod accesses;
pub(super) mod arrays;
pub(super) mod functions;
mod indices;
mod legality;
pub(super) mod loops;
pub(super) mod shapes;

use crate::typing::check::*;
use mapwright_mlir::{
    Dim, ElementType, Op, TensorType, UNBOUNDED, Val, ValueType, attr, melior::ir::ValueLike, op,
};

/// The language's word for the kind of a value.
fn kind(ty: &ValueType) -> &'static str {
    match ty {
        ValueType::Array { .. } => "TensorArray",
        ValueType::Shape(_) => "TensorShape",
        _ => "Tensor",
    }
}

/// The operation is not defined for what it has as operand `i`.
fn undefined<T>(op: Op<'_>, i: usize) -> Check<T> {
    violation(
        "",
        format!(
            "is not defined for a {} (operand #{i})",
            kind(&op.operand_type(i))
        ),
    )
}

/// Type of operand `i`.
fn any(op: Op<'_>, i: usize) -> Check<ValueType> {
    ensure!(
        i < op.num_operands(),
        "",
        "needs an operand #{i}, has {}",
        op.num_operands()
    );
    Ok(op.operand_type(i))
}

/// Operand `i`, which is a Tensor: its elements and sizes.
fn tensor(op: Op<'_>, i: usize) -> Check<(ElementType, Vec<Dim>)> {
    match any(op, i)? {
        ValueType::Tensor(ty) => Ok((ty.element, ty.dims)),
        _ => undefined(op, i),
    }
}

/// Operand `i`, which is a TensorArray: type of the elements and greatest length.
fn array(op: Op<'_>, i: usize) -> Check<(ValueType, i64)> {
    match any(op, i)? {
        ValueType::Array { element, max } => Ok((*element, max)),
        _ => undefined(op, i),
    }
}

/// Operand `i`, which is a TensorShape: its rank.
fn shape(op: Op<'_>, i: usize) -> Check<usize> {
    match any(op, i)? {
        ValueType::Shape(rank) => Ok(rank),
        _ => undefined(op, i),
    }
}

/// Operand `i`, which is a TensorArray of Tensors: the leaves and the greatest length.
fn primary(op: Op<'_>, i: usize) -> Check<(ElementType, Vec<Dim>, i64)> {
    let (element, max) = array(op, i)?;
    match element {
        ValueType::Tensor(ty) => Ok((ty.element, ty.dims, max)),
        _ => violation(
            "",
            format!("is not defined for a nested TensorArray (operand #{i})"),
        ),
    }
}

/// Operand `i`, which is a scalar with this element type.
fn scalar_of(op: Op<'_>, i: usize, element: &ElementType) -> Check {
    let (own, shape) = tensor(op, i)?;
    ensure!(
        shape.is_empty() && own == *element,
        "",
        "operand #{i} must be a tensor<{element}>, is {}",
        op.operand_type(i)
    );
    Ok(())
}

/// Returns the number of indices that operand `i` holds, a vector or array of integers.
fn indices(op: Op<'_>, i: usize) -> Check<Dim> {
    let wrong = || {
        violation(
            "",
            format!(
                "operand #{i} must hold indices, a vector or an array of integers, is {}",
                op.operand_type(i)
            ),
        )
    };
    match any(op, i)? {
        ValueType::Tensor(ty) if ty.element.is_int() && ty.rank() == 1 => Ok(ty.dims[0]),
        ValueType::Array { element, max } => match *element {
            ValueType::Tensor(ty) if ty.element.is_int() && ty.rank() == 0 => Ok(Dim::Bounded(max)),
            _ => wrong(),
        },
        ValueType::Shape(_) => undefined(op, i),
        _ => wrong(),
    }
}

/// The dimension that attribute `name` names, of so many.
fn dim(op: Op<'_>, name: &str, rank: usize) -> Check<usize> {
    let value = required_int(op, name)?;
    match usize::try_from(value).ok().filter(|d| *d < rank) {
        Some(d) => Ok(d),
        None => violation(
            "",
            format!("'{name}' is {value}, which is no dimension of {rank}"),
        ),
    }
}

/// A greatest length from attribute `max`.
fn max(op: Op<'_>) -> Check<i64> {
    let max = required_int(op, "max")?;
    ensure!(max >= 0, "", "the maximum length {max} is negative");
    Ok(max)
}

/// The greatest length of an array with as many elements as a size says, whose bound `declared` is
/// where it has none.
fn most(size: Dim, declared: Option<i64>) -> i64 {
    declared.or(size.bound()).unwrap_or(UNBOUNDED)
}

/// The greatest length of an array, for an operation whose result has room for all that there may
/// be.
fn bounded(max: i64) -> Check<i64> {
    ensure!(
        max != UNBOUNDED,
        "",
        "needs an array with a maximum length, which says how many elements its result has"
    );
    Ok(max)
}

/// `sizes` without the one at `d`.
fn without(sizes: &[Dim], d: usize) -> Vec<Dim> {
    let mut sizes = sizes.to_vec();
    sizes.remove(d);
    sizes
}

/// `sizes` with another one at `d`.
fn replaced(sizes: &[Dim], d: usize, size: Dim) -> Vec<Dim> {
    let mut sizes = sizes.to_vec();
    sizes[d] = size;
    sizes
}

/// A size that is made of others, and is known as far as they are.
fn computed(sizes: &[Dim], by: impl FnOnce(&[i64]) -> Option<i64>) -> Check<Dim> {
    let Some(known) = sizes
        .iter()
        .map(|size| size.bound())
        .collect::<Option<Vec<_>>>()
    else {
        return Ok(Dim::Dynamic);
    };
    match by(&known) {
        None => violation("", "has a size that 64 bits cannot count"),
        Some(size) if sizes.iter().all(|size| size.fixed().is_some()) => Ok(Dim::Static(size)),
        Some(size) => Ok(Dim::Bounded(size)),
    }
}

/// The type of tensors of these sizes.
fn tensor_type(element: ElementType, sizes: &[Dim]) -> ValueType {
    ValueType::Tensor(TensorType {
        element,
        dims: sizes.to_vec(),
    })
}

/// The type of a part of a tensor in the body of a loop, which knows no bounds.
fn part_type(element: ElementType, sizes: &[Dim]) -> ValueType {
    let dims = sizes.iter().map(|size| match size {
        Dim::Static(size) => Dim::Static(*size),
        _ => Dim::Dynamic,
    });
    tensor_type(element, &dims.collect::<Vec<_>>())
}

/// The type of arrays; the elements are ones that arrays may have.
fn array_type(element: ValueType, max: i64) -> Check<ValueType> {
    match &element {
        ValueType::Tensor(_) | ValueType::Array { .. } => {}
        other => {
            return violation(
                "",
                format!("elements of a TensorArray are no {}s", kind(other)),
            );
        }
    }
    Ok(ValueType::Array {
        element: Box::new(element),
        max,
    })
}

/// A number, `tensor<i64>`.
fn number_type() -> ValueType {
    tensor_type(ElementType::int(64), &[])
}

/// One result.
fn gives(ty: ValueType) -> Check<Inferred> {
    Ok(Some(vec![ty]))
}

/// The numbers of a value that is constant: of a shape, or of a tensor.
fn constants(value: Val<'_>) -> Option<Vec<i64>> {
    let (source, _) = op::defining_op(value)?;
    match source.name() {
        "tarray.shape" => source.ints("sizes"),
        _ => source
            .is_hlo("constant")
            .then(|| source.attribute("value").and_then(attr::ints))?,
    }
}

/// The numbers of a shape; `None` for those that are not constant.
fn known_numbers(value: Val<'_>) -> Vec<Option<i64>> {
    let ValueType::Shape(rank) = ValueType::from_mlir(value.r#type()) else {
        let known = constants(value).unwrap_or_default();
        return known.into_iter().map(Some).collect();
    };
    let mut numbers = vec![None; rank];
    let source = op::defining_op(value).filter(|(source, _)| source.dialect() == "tarray");
    let Some((source, _)) = source else {
        return numbers;
    };
    let (short, pos) = (source.short_name(), source.int("pos"));
    let pos = pos.and_then(|pos| usize::try_from(pos).ok());
    match (short, pos) {
        ("shape", _) => {
            let sizes = source.ints("sizes").unwrap_or_default();
            numbers = sizes.into_iter().map(Some).collect();
        }
        ("insert" | "replace", Some(pos)) if pos < rank => {
            let mut others = known_numbers(source.operand(0)).into_iter();
            for (i, number) in numbers.iter_mut().enumerate() {
                if short == "replace" || i != pos {
                    *number = others.next().flatten();
                }
            }
            numbers[pos] = match constants(source.operand(1)).as_deref() {
                Some([one]) => Some(*one),
                _ => None,
            };
        }
        ("add", _) => {
            numbers = known_numbers(source.operand(0));
            numbers.extend(known_numbers(source.operand(1)));
        }
        _ => {}
    }
    numbers
}

/// Constant indices must be inside, as far as the size is known.
fn inside(op: Op<'_>, i: usize, size: Dim) -> Check {
    for index in constants(op.operand(i)).unwrap_or_default() {
        in_range(index, size, &format!("(operand #{i})"))?;
    }
    Ok(())
}

/// An index that is constant must be below the size.
fn in_range(index: i64, size: Dim, which: &str) -> Check {
    let size = size.bound();
    ensure!(
        (0..size.unwrap_or(i64::MAX)).contains(&index),
        "",
        "index {index} {which} is not in [0, {})",
        size.map_or("?".into(), |size| size.to_string())
    );
    Ok(())
}
