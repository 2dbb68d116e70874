//! Functions of arrays: their derivatives take and give arrays, too, around those of the buffers
//! that arrays are made of.

use super::{calls, function_named, is_number};
use crate::{
    rewrite::{Result, fail},
    tarray::levels,
};
use mapwright_mlir::{Builder, Op, Ty, UNBOUNDED, Val, ValueType, edit, melior::ir::ValueLike, op};
use mapwright_ops::tarray::parts;
use std::collections::HashMap;

/// Adds `{of}_vjp` to the module `written`, with what the function of that name in `module` does
/// for the buffers and offsets of the arrays among the types that `of` takes and gives.
pub(super) fn in_arrays<'c>(
    module: Op<'c>,
    written: Op<'c>,
    of: &str,
    wrt: &[i64],
    (takes, gives): (Vec<ValueType>, Vec<ValueType>),
) -> Result<'c> {
    let name = format!("{of}_vjp");
    let body = function_named(module, &name).and_then(|made| made.body(0));
    let place = function_named(written, of);
    let builder = place.and_then(|function| Builder::before(module.context(), function));
    let (Some(body), Some(b)) = (body, builder) else {
        return fail(module, format!("has no function @{of} with a body"));
    };
    let has_cotangent = |ty: &&ValueType| levels(ty).1.is_some_and(|leaf| is_number(&leaf.element));
    let inputs: Vec<&ValueType> = takes
        .iter()
        .chain(gives.iter().filter(has_cotangent))
        .collect();
    let types: Vec<Ty<'c>> = inputs
        .iter()
        .map(|ty| b.parse_type(&ty.to_string()))
        .collect();
    let mut outputs = Vec::new();
    let region = b.region(&types, |b, arguments| {
        let mut new: HashMap<usize, Val<'c>> = HashMap::new();
        let mut tensors = op::arguments(body).into_iter();
        let mut parts = Vec::new();
        for (i, (ty, value)) in inputs.iter().zip(arguments).enumerate() {
            let own = parts_of(b, ty, *value);
            // A cotangent has the lengths of what it belongs to.
            let read = if i < takes.len() { own.len() } else { 1 };
            for (tensor, part) in tensors.by_ref().take(read).zip(&own) {
                let ty = tensor.r#type();
                let part = if part.r#type() == ty {
                    *part
                } else {
                    b.op1("tensor.cast", &[*part], ty, &[])
                };
                new.insert(op::key(tensor), part);
            }
            parts.push(own);
        }
        calls::copy(body, &mut new, &|copy| edit::append(b.block(), copy));
        let Some(end) = op::ops(b.block()).last().copied() else {
            return;
        };
        let cotangents = end.operands();
        edit::erase_unused(end);
        let results: Vec<Val<'c>> = wrt
            .iter()
            .zip(cotangents)
            .map(|(number, value)| {
                let number = *number as usize;
                array_of(b, &takes[number], value, &parts[number][1..])
            })
            .collect();
        outputs = results.iter().map(|value| value.r#type()).collect();
        b.op("func.return", &results, &[], &[]);
    });
    let ty = b.type_attr(b.function_type(&types, &outputs));
    b.op_with_regions(
        "func.func",
        &[],
        &[],
        &[("sym_name", b.str_attr(&name)), ("function_type", ty)],
        vec![region],
    );
    Ok(())
}

/// The buffer and the offsets of an array; other values are themselves.
fn parts_of<'c>(b: &Builder<'c>, ty: &ValueType, value: Val<'c>) -> Vec<Val<'c>> {
    let Some(parts) = parts(ty) else {
        return vec![value];
    };
    let types: Vec<Ty<'c>> = parts
        .iter()
        .map(|ty| b.parse_type(&ty.to_string()))
        .collect();
    b.op("tarray.to_offsets", &[value], &types, &[]).results()
}

/// An array of this type of a buffer and offsets; other values are themselves.
fn array_of<'c>(b: &Builder<'c>, ty: &ValueType, values: Val<'c>, offsets: &[Val<'c>]) -> Val<'c> {
    let (max, _) = levels(ty);
    if max.is_empty() {
        return values;
    }
    let max = max
        .iter()
        .map(|max| if *max == UNBOUNDED { -1 } else { *max });
    let max: Vec<i64> = max.collect();
    b.op1(
        "tarray.from_offsets",
        &[&[values], offsets].concat(),
        b.parse_type(&ty.to_string()),
        &[("max", b.i64_array(&max))],
    )
}
