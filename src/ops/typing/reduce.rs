//! Reductions, windows and sorts: operations with a region that combines elements.

use super::{check::*, results::sizes};
use crate::shape_function::types;
use mapwright_mlir::{Dim, ElementType, Op, TensorType, ValueType, attr};

/// Inputs and initial values of a variadic reduction, checked for number, shape and element types.
fn inputs_and_inits(
    op: Op<'_>,
    [count, shape, element]: [&'static str; 3],
) -> Check<(Vec<TensorType>, Vec<TensorType>)> {
    let types = operands(op)?;
    ensure!(
        !types.is_empty() && types.len() % 2 == 0,
        count,
        "needs as many initial values as inputs, and one input at least; has {} operands",
        types.len()
    );
    let (inputs, inits) = types.split_at(types.len() / 2);
    for (i, input) in inputs.iter().enumerate() {
        same_shape(shape, &format!("inputs #0 and #{i}"), &inputs[0], input)?;
        // `reduce_window` says itself which others it takes; older programs have vectors of one element.
        let scalar = inits[i].dims.iter().all(|dim| *dim == Dim::Static(1));
        ensure!(
            scalar || op.short_name() == "reduce_window",
            "i2",
            "initial value #{i} must be 0-dimensional, or have one element, is {}",
            inits[i]
        );
        ensure!(
            same_storage(&input.element, &inits[i].element),
            element,
            "input #{i} and its initial value must have the same element type, have {} and {}",
            input.element,
            inits[i].element
        );
    }
    Ok((inputs.to_vec(), inits.to_vec()))
}

/// Results of these elements, all of which have the sizes of the first.
fn reduced(op: Op<'_>, elements: Vec<ElementType>) -> Check<Inferred> {
    let dims = sizes(op, 0)?;
    let results = elements.into_iter().map(|element| TensorType {
        element,
        dims: dims.clone(),
    });
    many(results.collect())
}

/// `reduce`.
pub fn reduce(op: Op<'_>) -> Check<Inferred> {
    let (inputs, inits) = inputs_and_inits(op, ["c3", "c1", "c2"])?;
    let dimensions = required_ints(op, "dimensions")?;
    in_rank("c4", "dimensions", &dimensions, inputs[0].rank())?;
    unique("c5", "dimensions", &dimensions)?;
    reduced(op, reducer(op, 0, "c6", &inputs, &inits)?)
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

/// (I2) wants 0-dimensional initial values. Older programs also reduce slices of a window at a time: their initial values and the
/// region's arguments have some of the window's dimensions, in order and whole. Nothing else is taken.
fn slice_of_window(i: usize, init: &TensorType, window: &[i64]) -> Check {
    let mut sizes = window.iter();
    ensure!(
        init.dims
            .iter()
            .all(|dim| sizes.any(|size| dim.fixed() == Some(*size))),
        "i2",
        "initial value #{i} must be 0-dimensional, or have some of the window's dimensions {window:?}, is {init}"
    );
    Ok(())
}

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
    for (i, init) in inits.iter().enumerate() {
        slice_of_window(i, init, &window)?;
    }
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

/// `sort`.
pub fn sort(op: Op<'_>) -> Check<Inferred> {
    let types = operands(op)?;
    let Some(first) = types.first() else {
        return violation("c1", "needs an input");
    };
    for (i, ty) in types.iter().enumerate() {
        same_shape("c3", &format!("inputs #0 and #{i}"), first, ty)?;
    }
    let rank = first.rank() as i64;
    let dimension = op.int("dimension").unwrap_or(-1);
    ensure!(
        (-rank..rank.max(1)).contains(&dimension),
        "c4",
        "'dimension' {dimension} is not in [{}, {rank})",
        -rank
    );
    let comparator = region(op, 0)?;
    ensure!(
        comparator.arguments.len() == 2 * types.len(),
        "c5",
        "the comparator must take {} arguments, takes {}",
        2 * types.len(),
        comparator.arguments.len()
    );
    for (i, argument) in comparator.arguments.iter().enumerate() {
        let element = &types[i / 2].element;
        let fits = argument
            .tensor()
            .is_some_and(|ty| ty.rank() == 0 && same_storage(&ty.element, element));
        ensure!(
            fits,
            "c5",
            "argument #{i} of the comparator must be a 0-dimensional tensor of {element}, is {argument}"
        );
    }
    let boolean = matches!(
        comparator.results.as_slice(),
        [ValueType::Tensor(ty)] if ty.rank() == 0 && ty.element == ElementType::Bool
    );
    ensure!(
        boolean,
        "c5",
        "the comparator must return one 0-dimensional tensor of i1, returns {}",
        list(&comparator.results)
    );
    many(types)
}
