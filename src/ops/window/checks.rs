//! Constraints and result types of windows.

use crate::reduction::checks::{initial_values, inputs_and_inits, reduced};
use crate::shape_function::types;
use crate::typing::check::*;
use mapwright_mlir::{Dim, ElementType, Op, ValueType, attr};

/// `reduce_window`.
pub fn reduce_window(op: Op<'_>) -> Check<Inferred> {
    let (inputs, inits) = inputs_and_inits(op, ["c1", "c2", "c3"])?;
    let rank = inputs[0].rank();
    let window = required_ints(op, "window_dimensions")?;
    padding(op, "c12", rank)?;
    for (size_label, value_label, name, values) in [
        ("c4", "c5", "window_dimensions", &window),
        (
            "c6",
            "c7",
            "window_strides",
            &ints_or(op, "window_strides", rank, 1)?,
        ),
        (
            "c8",
            "c9",
            "base_dilations",
            &ints_or(op, "base_dilations", rank, 1)?,
        ),
        (
            "c10",
            "c11",
            "window_dilations",
            &ints_or(op, "window_dilations", rank, 1)?,
        ),
    ] {
        size_is(size_label, name, values, rank)?;
        all_positive(value_label, name, values)?;
    }
    let window: Vec<Dim> = window.into_iter().map(Dim::Static).collect();
    initial_values(&inits, &window)?;
    reduced(op, reducer(op, 0, "c13", &inputs, &inits)?)
}

/// `select_and_scatter`.
pub fn select_and_scatter(op: Op<'_>) -> Check<Inferred> {
    let (operand, source, init) = (operand(op, 0)?, operand(op, 1)?, operand(op, 2)?);
    same_element("c1", "operand and source", &operand, &source)?;
    ensure!(
        init.rank() == 0,
        "i3",
        "the initial value must be 0-dimensional, is {init}"
    );
    ensure!(
        same_storage(&operand.element, &init.element),
        "c3",
        "operand and initial value must have the same element type, have {} and {}",
        operand.element,
        init.element
    );
    let rank = operand.rank();
    padding(op, "c8", rank)?;
    for (size_label, value_label, name, default) in [
        ("c4", "c5", "window_dimensions", 0),
        ("c6", "c7", "window_strides", rank),
    ] {
        let values = ints_or(op, name, default, 1)?;
        size_is(size_label, name, &values, rank)?;
        all_positive(value_label, name, &values)?;
    }
    let expected = types::of_source(op).map_err(|error| Violation {
        label: "c2",
        message: error.to_string(),
    })?;
    ensure!(
        shapes_agree(&expected, &source.dims),
        "c2",
        "the source must have the shape {} of the windows, has {}",
        shape_text(&expected),
        shape_text(&source.dims)
    );
    let scalar = |ty: &ValueType| ty.tensor().filter(|tensor| tensor.rank() == 0).cloned();
    let select = region(op, 0)?;
    let takes_two = select.arguments.len() == 2
        && select
            .arguments
            .iter()
            .all(|ty| scalar(ty).is_some_and(|ty| same_storage(&ty.element, &operand.element)));
    ensure!(
        takes_two,
        "c9",
        "the select region must take two 0-dimensional tensors of {}, takes {}",
        operand.element,
        list(&select.arguments)
    );
    let boolean = select.results.len() == 1
        && scalar(&select.results[0]).is_some_and(|ty| ty.element == ElementType::Bool);
    ensure!(
        boolean,
        "c9",
        "the select region must return a 0-dimensional tensor of i1, returns {}",
        list(&select.results)
    );
    let element = reducer(op, 1, "c10", std::slice::from_ref(&operand), &[init])?.remove(0);
    one(element, operand.dims)
}

/// Checks padding: a `rank x 2` tensor of integers, zero where it is left out.
pub fn padding(op: Op<'_>, label: &'static str, rank: usize) -> Check {
    let Some(attribute) = op.attribute("padding") else {
        return Ok(());
    };
    let shape = attr::Dense::from_mlir(attribute).map(|dense| dense.ty.static_shape());
    let values = attr::ints(attribute).unwrap_or_default();
    ensure!(
        (shape == Some(Some(vec![rank as i64, 2])) || (rank == 0 && shape.is_some()))
            && values.len() == 2 * rank,
        label,
        "'padding' must have the shape [{rank}, 2]"
    );
    Ok(())
}

/// Checks that all values are positive.
pub fn all_positive(label: &'static str, name: &str, values: &[i64]) -> Check {
    match values.iter().find(|value| **value <= 0) {
        None => Ok(()),
        Some(value) => violation(label, format!("'{name}' must be positive, has {value}")),
    }
}
