//! `tensor`: elements taken out of tensors and put together, sizes, and changes of shape.

use super::{Rewriter, known_integer};
use crate::hlo::zero_literal;
use mapwright_mlir::{Dim, ElementType, TensorType, Val, melior::ir::ValueLike};

pub(super) fn rewrite<'c>(to: &Rewriter<'c>) -> Option<Val<'c>> {
    match to.op.short_name() {
        "bitcast" => Some(to.b.op1("stablehlo.bitcast_convert", &[to.operand(0)?], to.ty(), &[])),
        "cast" => cast(to),
        "collapse_shape" | "expand_shape" => shaped(to),
        "concat" => {
            let dimension = [("dimension", to.b.i64_attr(to.op.int("dim")?))];
            Some(to.b.op1(
                "stablehlo.concatenate",
                &to.operands()?,
                to.ty(),
                &dimension,
            ))
        }
        "dim" => to.size(
            to.operand(0)?,
            usize::try_from(known_integer(to.operand(1)?)?).ok()?,
        ),
        "empty" => {
            // What is in it is not defined; it is zero here.
            let ty = TensorType::from_mlir(to.ty())?;
            let shape = ty.static_shape()?;
            let plain = ty.element.is_int() || ty.element.is_float() || ty.element.is_complex();
            let defined = plain || ty.element == ElementType::Bool;
            defined.then(|| {
                to.b.constant(
                    zero_literal(&ty.element),
                    &TensorType::new(ty.element, &shape),
                )
            })
        }
        "extract" => extract(to),
        "extract_slice" => extract_slice(to),
        "from_elements" => {
            let element = TensorType::from_mlir(to.ty())?.element;
            Some(to.reshape(to.vector(&to.operands()?, &element), to.ty()))
        }
        "insert" => insert(to),
        "rank" => {
            let rank = TensorType::from_mlir(to.operand(0)?.r#type())?.rank();
            Some(to.number(&rank.to_string(), &ElementType::int(64)))
        }
        "reshape" => Some(to.b.op1("stablehlo.dynamic_reshape", &to.operands()?, to.ty(), &[])),
        "splat" => {
            TensorType::from_mlir(to.ty())?.static_shape()?;
            let dimensions = to.b.i64_array(&[]);
            Some(to.b.op1(
                "stablehlo.broadcast_in_dim",
                &[to.operand(0)?],
                to.ty(),
                &[("broadcast_dimensions", dimensions)],
            ))
        }
        _ => None,
    }
}

/// Returns the operand under a type that knows more or fewer of the sizes. StableHLO's operation
/// states the sizes: those that the type of the result knows, and the operand's for the others.
fn cast<'c>(to: &Rewriter<'c>) -> Option<Val<'c>> {
    let operand = to.operand(0)?;
    if operand.r#type() == to.ty() {
        return Some(operand);
    }
    let dims = TensorType::from_mlir(to.ty())?.dims;
    let int = ElementType::int(64);
    let sizes: Option<Vec<Val<'c>>> = (dims.iter().enumerate())
        .map(|(d, dim)| match dim {
            Dim::Static(n) => Some(to.number(&n.to_string(), &int)),
            _ => to.size(operand, d),
        })
        .collect();
    let shape = to.vector(&sizes?, &int);
    Some(to.b.op1("stablehlo.dynamic_reshape", &[operand, shape], to.ty(), &[]))
}

/// The elements in their order under another static shape.
fn shaped<'c>(to: &Rewriter<'c>) -> Option<Val<'c>> {
    let operand = to.operand(0)?;
    TensorType::from_mlir(operand.r#type())?.static_shape()?;
    TensorType::from_mlir(to.ty())?.static_shape()?;
    Some(to.reshape(operand, to.ty()))
}

/// The element at some indices, as a tensor of rank 0.
fn extract<'c>(to: &Rewriter<'c>) -> Option<Val<'c>> {
    let operand = to.operand(0)?;
    let indices = &to.operands()?[1..];
    let ty = TensorType::from_mlir(operand.r#type())?;
    if indices.len() != ty.rank() {
        return None;
    }
    if indices.is_empty() {
        return Some(operand);
    }
    let ones = vec![1; indices.len()];
    let known: Option<Vec<i64>> = indices.iter().map(|i| known_integer(*i)).collect();
    let fits = |known: &Vec<i64>| {
        let mut pairs = known.iter().zip(&ty.dims);
        pairs.all(|(i, dim)| dim.fixed().is_some_and(|n| (0..n).contains(i)))
    };
    let element = match known.filter(fits) {
        Some(known) => {
            let limits: Vec<i64> = known.iter().map(|i| i + 1).collect();
            to.b.slice(operand, [&known, &limits, &ones])
        }
        None => to.b.slice_at(operand, indices, &ones),
    };
    Some(to.reshape(element, to.ty()))
}

/// A tensor with another element at some indices.
fn insert<'c>(to: &Rewriter<'c>) -> Option<Val<'c>> {
    let operands = to.operands()?;
    let [element, tensor, indices @ ..] = operands.as_slice() else {
        return None;
    };
    let ty = TensorType::from_mlir(tensor.r#type())?;
    if indices.len() != ty.rank() {
        return None;
    }
    let one = to.tensor(&ty.element, &vec![1; indices.len()]);
    let mut all = vec![*tensor, to.reshape(*element, one)];
    all.extend(indices);
    Some(to.b.op1("stablehlo.dynamic_update_slice", &all, to.ty(), &[]))
}

/// A slice whose offsets, sizes and strides are all static, and whose rank may be lower by
/// dimensions of size 1.
fn extract_slice<'c>(to: &Rewriter<'c>) -> Option<Val<'c>> {
    let operand = to.operand(0)?;
    let ty = TensorType::from_mlir(operand.r#type())?;
    let (offsets, sizes, strides) = (
        to.op.ints("static_offsets")?,
        to.op.ints("static_sizes")?,
        to.op.ints("static_strides")?,
    );
    let ranks = [offsets.len(), sizes.len(), strides.len()];
    if to.op.num_operands() != 1 || ranks != [ty.rank(); 3] {
        return None;
    }
    // The limit is one beyond the last element that is taken.
    let limits: Vec<i64> = (0..offsets.len())
        .map(|d| match sizes[d] {
            0 => offsets[d],
            n => offsets[d] + (n - 1) * strides[d] + 1,
        })
        .collect();
    let lists = [
        ("start_indices", to.b.i64_array(&offsets)),
        ("limit_indices", to.b.i64_array(&limits)),
        ("strides", to.b.i64_array(&strides)),
    ];
    let found = to.b.op1(
        "stablehlo.slice",
        &[operand],
        to.tensor(&ty.element, &sizes),
        &lists,
    );
    Some(to.reshape(found, to.ty()))
}
