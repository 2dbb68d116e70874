//! Functions that are called by name and that depend on sizes: assertions are decided, calls that
//! are operations (see [`attrs::name`]) become these, and others lose the operands that are the
//! shapes of their results.

use super::{Outcome, constant::known, mlir_type};
use crate::called;
use crate::make::HloBuilder;
use crate::rewrite::{Result, fail, replace};
use mapwright_mlir::{Op, TensorType, attr, edit, melior::ir::ValueLike};
use mapwright_ops::{attrs, library};

/// Replaces the `custom_call` `op` by its static counterpart if all it needs is known.
pub(super) fn make_static<'c>(op: Op<'c>) -> Result<'c, Outcome<'c>> {
    let Some(b) = HloBuilder::before(op) else {
        return Ok(Outcome::Unchanged);
    };
    if let Err(violation) = library::verify(op) {
        return fail(op, violation.message);
    }
    match attrs::name(op) {
        "shape_assertion" => decide(op),
        "dynamic_reduce_window" => reduce_window(op, &b),
        "dynamic_rng_bit_generator" => random_bits(op, &b),
        "dynamic_top_k" => top_k(op, &b),
        _ => shapes_of_results(op, &b),
    }
}

/// An assertion that holds has no effect. One that does not fails at once, unless it may never be
/// reached.
fn decide<'c>(op: Op<'c>) -> Result<'c, Outcome<'c>> {
    let Some(asserted) = known(op, 0) else {
        return Ok(Outcome::Unchanged);
    };
    if asserted.iter().all(|holds| *holds != 0) {
        edit::erase_unused(op);
        return Ok(Outcome::Removed);
    }
    let always = op
        .parent()
        .is_some_and(|parent| parent.name() == "func.func");
    let message = match attrs::AssertionMessage::decode(op) {
        Ok(message) => message,
        Err(error) => return fail(op, error.to_string()),
    };
    let number = |i: usize| -> std::result::Result<i128, ()> {
        let value = known(op, i).and_then(|values| values.first().copied());
        value.map(i128::from).ok_or(())
    };
    match message.filled(number) {
        Ok(text) if always => fail(op, text),
        _ => Ok(Outcome::Unchanged),
    }
}

/// The type of result `i` with this shape; an error where it contradicts what is declared.
fn shaped<'c>(op: Op<'c>, i: usize, shape: &[i64]) -> Result<'c, TensorType> {
    let Some(declared) = TensorType::from_mlir(op.result(i).r#type()) else {
        return fail(op, format!("has no tensor as result #{i}"));
    };
    let agrees = declared.rank() == shape.len()
        && shape
            .iter()
            .zip(&declared.dims)
            .all(|(n, dim)| *n >= 0 && dim.fixed().is_none_or(|fixed| fixed == *n));
    if agrees {
        Ok(TensorType::new(declared.element, shape))
    } else {
        fail(
            op,
            format!("has result #{i} of type {declared}, its operands give the shape {shape:?}"),
        )
    }
}

fn made<'c>(op: Op<'c>, new: Op<'c>) -> Outcome<'c> {
    replace(op, &new.results());
    Outcome::Replaced(new)
}

fn reduce_window<'c>(op: Op<'c>, b: &HloBuilder<'c>) -> Result<'c, Outcome<'c>> {
    let count = match attrs::window_inputs(op) {
        Ok(count) => count,
        Err(error) => return fail(op, error.to_string()),
    };
    let numbers = (2 * count..op.num_operands()).map(|i| known(op, i));
    let Some(numbers) = numbers.collect::<Option<Vec<_>>>() else {
        return Ok(Outcome::Unchanged);
    };
    let Some(input) = op.operand_type(0).tensor().cloned() else {
        return Ok(Outcome::Unchanged);
    };
    let Some(sizes) = input.static_shape() else {
        return Ok(Outcome::Unchanged);
    };
    let window = match attrs::window_of_operands(&numbers, sizes.len()) {
        Ok(window) => window,
        Err(error) => return fail(op, error.to_string()),
    };
    let shape: Vec<i64> = sizes
        .iter()
        .enumerate()
        .map(|(d, n)| window.output_size(d, *n))
        .collect();
    let mut types = Vec::new();
    for i in 0..count {
        match mlir_type(op, &shaped(op, i, &shape)?) {
            Some(ty) => types.push(ty),
            None => return Ok(Outcome::Unchanged),
        }
    }
    if shape.contains(&0) {
        // Windows may have no elements here, which the operation does not allow.
        let none = b.i64_array(&[]);
        let empty: Vec<_> = (0..count)
            .map(|i| {
                let init = op.operand(count + i);
                let name = "stablehlo.broadcast_in_dim";
                b.op1(name, &[init], types[i], &[("broadcast_dimensions", none)])
            })
            .collect();
        replace(op, &empty);
        return Ok(Outcome::Removed);
    }
    let computation = match attrs::called_function(op) {
        Ok(function) => function,
        Err(error) => return fail(op, error.to_string()),
    };
    let region = called::region(b, computation, "stablehlo.return");
    let attributes = b.window_attributes(&window);
    let new = b.op_with_regions(
        "stablehlo.reduce_window",
        &op.operands()[..2 * count],
        &types,
        &attributes,
        vec![region],
    );
    Ok(made(op, new))
}

fn random_bits<'c>(op: Op<'c>, b: &HloBuilder<'c>) -> Result<'c, Outcome<'c>> {
    let Some(shape) = known(op, 1) else {
        return Ok(Outcome::Unchanged);
    };
    let (Some(ty), Some(algorithm)) = (
        mlir_type(op, &shaped(op, 1, &shape)?),
        op.attribute("rng_algorithm"),
    ) else {
        return Ok(Outcome::Unchanged);
    };
    let types = [op.result(0).r#type(), ty];
    let attributes = [("rng_algorithm", algorithm)];
    let name = "stablehlo.rng_bit_generator";
    Ok(made(op, b.op(name, &[op.operand(0)], &types, &attributes)))
}

fn top_k<'c>(op: Op<'c>, b: &HloBuilder<'c>) -> Result<'c, Outcome<'c>> {
    let operand = op.operand_type(0).tensor().cloned();
    let (Some(k), Some(mut shape)) = (
        known(op, 1),
        operand.and_then(|operand| operand.static_shape()),
    ) else {
        return Ok(Outcome::Unchanged);
    };
    let (Some(k), Some(last)) = (k.first().copied(), shape.last_mut()) else {
        return Ok(Outcome::Unchanged);
    };
    if !(0..=*last).contains(&k) {
        return fail(op, format!("finds {k} of {last} elements"));
    }
    *last = k;
    let (Some(values), Some(places)) = (
        mlir_type(op, &shaped(op, 0, &shape)?),
        mlir_type(op, &shaped(op, 1, &shape)?),
    ) else {
        return Ok(Outcome::Unchanged);
    };
    let attributes = [("k", b.i64_attr(k))];
    let types = [values, places];
    Ok(made(
        op,
        b.op("chlo.top_k", &[op.operand(0)], &types, &attributes),
    ))
}

/// The results get the shapes that operands give, and the call loses these operands.
fn shapes_of_results<'c>(op: Op<'c>, b: &HloBuilder<'c>) -> Result<'c, Outcome<'c>> {
    let shapes = match library::shape_operands(op) {
        Ok(shapes) => shapes,
        Err(violation) => return fail(op, violation.message),
    };
    if shapes.is_empty() {
        return Ok(Outcome::Unchanged);
    }
    let mut types = Vec::new();
    for (i, operand) in shapes.iter().enumerate() {
        let Some(shape) = known(op, *operand) else {
            return Ok(Outcome::Unchanged);
        };
        match mlir_type(op, &shaped(op, i, &shape)?) {
            Some(ty) => types.push(ty),
            None => return Ok(Outcome::Unchanged),
        }
    }
    let kept: Vec<usize> = (0..op.num_operands())
        .filter(|i| !shapes.contains(i))
        .collect();
    let operands: Vec<_> = kept.iter().map(|i| op.operand(*i)).collect();
    let mut attributes = op.attributes();
    attributes.retain(|(name, _)| *name != "indices_of_shape_operands");
    for (name, value) in &mut attributes {
        if *name == "operand_layouts"
            && let Some(layouts) = attr::array(*value)
        {
            let layouts: Vec<_> = kept
                .iter()
                .filter_map(|i| layouts.get(*i).copied())
                .collect();
            *value = b.array_attr(&layouts);
        }
    }
    Ok(made(op, b.op(op.name(), &operands, &types, &attributes)))
}
