//! Tensor arrays, evaluated straight from the language's definitions: an array is a list of values,
//! a shape a list of numbers.
//!
//! - [`shapes`]: operations on shapes; [`arrays`]: arrays made of tensors, and back; [`access`]:
//!   elements and layouts;
//! - [`loops`]: operations with a body.

mod access;
mod arrays;
mod loops;
mod shapes;

use crate::{
    Error, Machine, Result,
    value::{Scalar, Tensor, Value, zero},
};
use mapwright_mlir::{ElementType, Op, TensorType, ValueType};

/// The results of `op`, if it is of this dialect.
pub(crate) fn execute<'c>(machine: &mut Machine<'c>, op: Op<'c>) -> Result<Option<Vec<Value>>> {
    if op.dialect() != "tarray" {
        return Ok(None);
    }
    let inputs = machine.operands(op)?;
    if let Some(found) = shapes::execute(op, &inputs)? {
        return Ok(Some(found));
    }
    if let Some(found) = arrays::execute(op, &inputs)? {
        return Ok(Some(found));
    }
    if let Some(found) = access::execute(op, &inputs)? {
        return Ok(Some(vec![found]));
    }
    loops::execute(machine, op, inputs).map(Some)
}

/// A number, `tensor<i64>`.
fn number(value: i64) -> Value {
    Value::Tensor(Tensor::scalar(
        &ElementType::int(64),
        Scalar::Int(value.into()),
    ))
}

/// The number that a scalar holds.
fn int(value: &Value) -> Result<i64> {
    let ints = value.tensor()?.ints()?;
    ints.first()
        .copied()
        .ok_or_else(|| Error::plain("a number is expected"))
}

/// The indices in a vector or array of integers.
fn ints(value: &Value) -> Result<Vec<i64>> {
    match value {
        Value::Array(elements) => elements.iter().map(int).collect(),
        Value::Shape(sizes) => Ok(sizes.clone()),
        other => other.tensor()?.ints(),
    }
}

/// The zero of a type: zeros, or no elements.
fn zero_of(ty: &ValueType) -> Result<Value> {
    match ty {
        ValueType::Array { .. } => Ok(Value::Array(Vec::new())),
        ValueType::Tensor(ty) => {
            let shape = sizes_like(ty, None)?;
            Tensor::build(&ty.element, &shape, |_| Ok(zero(&ty.element))).map(Value::Tensor)
        }
        other => Err(Error::plain(format!("{other} has no zero"))),
    }
}

/// The sizes of a type; those that are known at run time only are those of a value like it.
fn sizes_like(ty: &TensorType, like: Option<&[i64]>) -> Result<Vec<i64>> {
    let sizes = ty.dims.iter().enumerate().map(|(k, dim)| {
        let known = dim.fixed().or_else(|| like?.get(k).copied());
        known.ok_or_else(|| Error::plain("the sizes of an element that is not there are not known"))
    });
    sizes.collect()
}

/// The slice at index `i` along dimension `d`, without that dimension.
fn slice(tensor: &Tensor, d: usize, i: i64) -> Result<Tensor> {
    let mut shape = tensor.shape.clone();
    shape.remove(d);
    Tensor::build(&tensor.element, &shape, |index| {
        let mut at = index.to_vec();
        at.insert(d, i);
        tensor.at(&at)
    })
}

/// The slices along dimension `d`.
fn slices(tensor: &Tensor, d: usize) -> Result<Vec<Tensor>> {
    let size = tensor.shape.get(d).copied().unwrap_or(0);
    (0..size).map(|i| slice(tensor, d, i)).collect()
}

/// The tensor that has these slices along the new dimension `d`; `like` is the type of a slice.
fn stack(element: &ElementType, like: &[i64], slices: &[Tensor], d: usize) -> Result<Tensor> {
    let mut shape = like.to_vec();
    shape.insert(d, slices.len() as i64);
    Tensor::build(element, &shape, |index| {
        let mut at = index.to_vec();
        let i = at.remove(d);
        slices[i as usize].at(&at)
    })
}

/// The dimension that attribute `name` names.
fn dim(op: Op<'_>, name: &str) -> Result<usize> {
    let value = mapwright_ops::attrs::int(op, name)?;
    usize::try_from(value).map_err(|_| Error::plain(format!("'{name}' is negative")))
}

/// `i`, or the nearest index of a list of so many elements.
fn nearest(i: i64, n: usize) -> usize {
    usize::try_from(i).unwrap_or(0).min(n.saturating_sub(1))
}
