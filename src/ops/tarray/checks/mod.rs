//! Operations of the `tarray` dialect: which kinds of operands they take, and what their shape functions give.
//!
//! - [`shapes`]: operations on shapes; [`arrays`]: arrays made of tensors, and back; [`access`]: elements and layouts;
//! - [`loops`]: operations with a body; [`functions`]: functions of elements; [`legality`]: iterations that
//!   depend on each other, from their [`accesses`] and the [`indices`] of these.

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
    Dim, ElementType, Op, TensorType, Val, ValueType, attr, melior::ir::ValueLike, op,
};

/// A size that is known at run time only, among sizes.
const RUN_TIME: i64 = i64::MIN;

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

/// Element type and sizes of a tensor of static shape.
fn fixed(what: &str, ty: &TensorType) -> Check<(ElementType, Vec<i64>)> {
    match ty.static_shape() {
        Some(shape) => Ok((ty.element.clone(), shape)),
        None => violation("", format!("{what} must have a static shape, is {ty}")),
    }
}

/// Operand `i`, which is a Tensor of static shape.
fn tensor(op: Op<'_>, i: usize) -> Check<(ElementType, Vec<i64>)> {
    match any(op, i)? {
        ValueType::Tensor(ty) => fixed(&format!("operand #{i}"), &ty),
        _ => undefined(op, i),
    }
}

/// Operand `i`, which is a Tensor: its sizes, those known at run time only as [`RUN_TIME`].
fn sizes(op: Op<'_>, i: usize) -> Check<(ElementType, Vec<i64>)> {
    match any(op, i)? {
        ValueType::Tensor(ty) => {
            let sizes = ty.dims.iter().map(|dim| match dim {
                Dim::Static(size) => Some(*size),
                Dim::Dynamic => Some(RUN_TIME),
                Dim::Bounded(_) => None,
            });
            match sizes.collect() {
                Some(sizes) => Ok((ty.element, sizes)),
                None => violation("", format!("operand #{i} must have no bounds, is {ty}")),
            }
        }
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
fn primary(op: Op<'_>, i: usize) -> Check<(ElementType, Vec<i64>, i64)> {
    let (element, max) = array(op, i)?;
    match element {
        ValueType::Tensor(ty) => {
            let (element, shape) = fixed("an element", &ty)?;
            Ok((element, shape, max))
        }
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

/// The greatest number of indices that operand `i` holds, a vector or array of integers.
fn indices(op: Op<'_>, i: usize) -> Check<i64> {
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
        ValueType::Tensor(ty) if ty.element.is_int() && ty.rank() == 1 => {
            Ok(fixed(&format!("operand #{i}"), &ty)?.1[0])
        }
        ValueType::Array { element, max } => match *element {
            ValueType::Tensor(ty) if ty.element.is_int() && ty.rank() == 0 => Ok(max),
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

/// `sizes` without the one at `d`.
fn without(sizes: &[i64], d: usize) -> Vec<i64> {
    let mut sizes = sizes.to_vec();
    sizes.remove(d);
    sizes
}

/// `sizes` with another one at `d`.
fn replaced(sizes: &[i64], d: usize, size: i64) -> Vec<i64> {
    let mut sizes = sizes.to_vec();
    sizes[d] = size;
    sizes
}

/// The type of tensors of these sizes.
fn tensor_type(element: ElementType, sizes: &[i64]) -> ValueType {
    let dims = sizes.iter().map(|size| match *size {
        RUN_TIME => Dim::Dynamic,
        size => Dim::Static(size),
    });
    ValueType::Tensor(TensorType {
        element,
        dims: dims.collect(),
    })
}

/// The type of arrays; the elements are ones that arrays may have.
fn array_type(element: ValueType, max: i64) -> Check<ValueType> {
    match &element {
        ValueType::Tensor(ty) => {
            fixed("an element of a TensorArray", ty)?;
        }
        ValueType::Array { .. } => {}
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
        return Vec::new();
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

/// Constant indices must be inside.
fn inside(op: Op<'_>, i: usize, size: i64) -> Check {
    for index in constants(op.operand(i)).unwrap_or_default() {
        ensure!(
            (0..size).contains(&index),
            "",
            "index {index} (operand #{i}) is not in [0, {size})"
        );
    }
    Ok(())
}
