//! Functions that JAX calls by name where sizes are known at run time only, and that are operations
//! all the same: see [`attrs::name`].

use crate::attrs;
use crate::typing::{
    check::{Check, ensure, list, operand, operands, result, shapes_agree, violation},
    signature,
};
use mapwright_indexing::counted;
use mapwright_mlir::{Dim, ElementType, Op, TensorType, Val, ValueType, op};

/// Checks a call.
///
/// # Errors
/// Operands, results or attributes that the operation does not have.
pub fn verify(op: Op<'_>) -> Check {
    match attrs::name(op) {
        "dynamic_reduce_window" => reduce_window(op),
        "dynamic_rng_bit_generator" => rng_bit_generator(op),
        "dynamic_top_k" => top_k(op),
        "shape_assertion" => shape_assertion(op),
        _ => Ok(()),
    }
}

/// Operand `i` must be a tensor of integers of this shape, as far as sizes are known.
fn integers(op: Op<'_>, i: usize, what: &str, shape: &[i64]) -> Check {
    let ty = operand(op, i)?;
    let dims: Vec<Dim> = shape.iter().map(|n| Dim::Static(*n)).collect();
    ensure!(
        matches!(ty.element, ElementType::Int { .. } | ElementType::Index)
            && shapes_agree(&ty.dims, &dims),
        "",
        "operand #{i}, {what}, must be a tensor of integers of the shape {shape:?}, is {ty}"
    );
    Ok(())
}

/// Numbers of operands and results.
fn arity(op: Op<'_>, operands: usize, results: usize) -> Check {
    ensure!(
        op.num_operands() == operands && op.num_results() == results,
        "",
        "needs {} and {}, has {} and {}",
        counted(operands, "operand"),
        counted(results, "result"),
        op.num_operands(),
        op.num_results()
    );
    Ok(())
}

fn decoded<T>(decoded: attrs::Decoded<T>) -> Check<T> {
    match decoded {
        Ok(value) => Ok(value),
        Err(error) => violation("", error.to_string()),
    }
}

fn reduce_window(op: Op<'_>) -> Check {
    let count = decoded(attrs::window_inputs(op))?;
    ensure!(
        op.num_results() == count,
        "",
        "has {} and {}",
        counted(count, "input"),
        counted(op.num_results(), "result")
    );
    let (inputs, inits): (Vec<TensorType>, Vec<TensorType>) = {
        let mut inputs = operands(op)?;
        let inits = inputs.split_off(count).into_iter().take(count).collect();
        (inputs, inits)
    };
    let rank = inputs[0].rank();
    for (i, (input, init)) in inputs.iter().zip(&inits).enumerate() {
        let found = result(op, i)?;
        ensure!(
            shapes_agree(&input.dims, &inputs[0].dims) && found.rank() == rank,
            "",
            "inputs must have one shape and results its rank, input #{i} is {input} and result #{i} {found}"
        );
        ensure!(
            init.rank() == 0 && init.element == input.element,
            "",
            "initial value #{i} must be a 0-dimensional tensor of {}, is {init}",
            input.element
        );
    }
    reducer(op, &inputs)?;
    let n = rank as i64;
    let names = [
        "the window dimensions",
        "the window strides",
        "the base dilations",
        "the window dilations",
    ];
    for (k, name) in names.iter().enumerate() {
        integers(op, 2 * count + k, name, &[n])?;
    }
    integers(op, 2 * count + names.len(), "the padding", &[n, 2])
}

/// The function that reduces must take two scalars for each input, and return one.
fn reducer(op: Op<'_>, inputs: &[TensorType]) -> Check {
    let function = decoded(attrs::called_function(op))?;
    ensure!(
        function.body(0).is_some(),
        "",
        "reduces by a function without a body"
    );
    let scalars: Vec<ValueType> = inputs
        .iter()
        .map(|input| ValueType::Tensor(TensorType::new(input.element.clone(), &[])))
        .collect();
    let twice = [scalars.clone(), scalars.clone()].concat();
    let (arguments, results) = signature(function).unwrap_or_default();
    ensure!(
        arguments == twice && results == scalars,
        "",
        "reduces by a function that takes {} and returns {}, expected {} and {}",
        list(&arguments),
        list(&results),
        list(&twice),
        list(&scalars)
    );
    Ok(())
}

fn rng_bit_generator(op: Op<'_>) -> Check {
    arity(op, 2, 2)?;
    let (state, next, bits) = (operand(op, 0)?, result(op, 0)?, result(op, 1)?);
    ensure!(
        state.element == next.element && shapes_agree(&state.dims, &next.dims),
        "",
        "the state must keep its type {state}, becomes {next}"
    );
    integers(op, 1, "the shape of the bits", &[bits.rank() as i64])
}

fn top_k(op: Op<'_>) -> Check {
    arity(op, 2, 2)?;
    integers(op, 1, "how many are found", &[])?;
    let (from, [values, places]) = (operand(op, 0)?, [result(op, 0)?, result(op, 1)?]);
    let Some(last) = from.rank().checked_sub(1) else {
        return violation("", "needs an operand with a dimension");
    };
    for (i, (found, element)) in [(&values, &from.element), (&places, &ElementType::int(32))]
        .into_iter()
        .enumerate()
    {
        ensure!(
            found.rank() == from.rank()
                && shapes_agree(&found.dims[..last], &from.dims[..last])
                && found.element == *element,
            "",
            "result #{i} must be a tensor of {element} with the shape of {from} but for the last dimension, is {found}"
        );
    }
    Ok(())
}

/// The two numbers that a `shape_assertion` compares, and how, if that is what it says.
pub fn asserted_comparison<'c>(call: Op<'c>) -> Option<(attrs::ComparisonDirection, [Val<'c>; 2])> {
    if attrs::name(call) != "shape_assertion" || call.num_operands() == 0 {
        return None;
    }
    let (compare, _) = op::defining_op(call.operand(0))?;
    let direction = attrs::comparison_direction(compare).ok()?;
    let unsigned = compare
        .attribute("compare_type")
        .is_some_and(|kind| kind.to_string().contains("UNSIGNED"));
    let alike = direction == attrs::ComparisonDirection::Eq || !unsigned;
    let numbers = || (direction, [compare.operand(0), compare.operand(1)]);
    (compare.is_hlo("compare") && alike).then(numbers)
}

fn shape_assertion(op: Op<'_>) -> Check {
    ensure!(
        op.num_operands() > 0 && op.num_results() == 0,
        "",
        "needs what it asserts as its first operand, and no results"
    );
    let asserted = operand(op, 0)?;
    ensure!(
        asserted.rank() == 0 && asserted.element == ElementType::Bool,
        "",
        "operand #0, what it asserts, must be a 0-dimensional tensor of i1, is {asserted}"
    );
    for i in 1..op.num_operands() {
        integers(op, i, "a number of the message", &[])?;
    }
    ensure!(
        op.string("error_message").is_some(),
        "",
        "needs the message 'error_message' as a string"
    );
    Ok(())
}
