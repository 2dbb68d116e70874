//! Reductions, windows and sorts: operations with a region that combines elements.

use crate::typing::{check::*, results::sizes};
use mapwright_mlir::{Dim, ElementType, Op, TensorType, ValueType};

/// Inputs and initial values of a variadic reduction, checked for number, shape and element types.
pub(crate) fn inputs_and_inits(
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

/// (I2) wants 0-dimensional initial values. Older programs also reduce slices at a time: their
/// initial values and the arguments of the region have some of the dimensions `allowed`, in order
/// and whole.
pub(crate) fn initial_values(inits: &[TensorType], allowed: &[Dim]) -> Check {
    for (i, init) in inits.iter().enumerate() {
        let mut sizes = allowed.iter();
        let is_slice = init
            .dims
            .iter()
            .all(|dim| sizes.any(|size| sizes_agree(*size, *dim)));
        ensure!(
            is_slice,
            "i2",
            "initial value #{i} must be 0-dimensional, or have some of the dimensions {}, is {init}",
            shape_text(allowed)
        );
    }
    Ok(())
}

/// Results of these elements, all of which have the sizes of the first.
pub(crate) fn reduced(op: Op<'_>, elements: Vec<ElementType>) -> Check<Inferred> {
    let dims = sizes(op, 0)?;
    let results = elements.into_iter().map(|element| TensorType {
        element,
        dims: dims.clone(),
    });
    many(results.collect())
}

/// `reduce`.
pub fn reduce(op: Op<'_>) -> Check<Inferred> {
    let (inputs, mut inits) = inputs_and_inits(op, ["c3", "c1", "c2"])?;
    let dimensions = required_ints(op, "dimensions")?;
    in_rank("c4", "dimensions", &dimensions, inputs[0].rank())?;
    unique("c5", "dimensions", &dimensions)?;
    let kept = (0..inputs[0].rank()).filter(|d| !dimensions.contains(&(*d as i64)));
    let kept: Vec<Dim> = kept.map(|d| inputs[0].dims[d]).collect();
    // Older programs have tensors of one element for a computation on scalars.
    let arguments = region(op, 0)?.arguments;
    let scalar = |ty: &ValueType| ty.tensor().is_some_and(|tensor| tensor.rank() == 0);
    for (init, argument) in inits.iter_mut().zip(&arguments) {
        if scalar(argument) && init.dims.iter().all(|dim| *dim == Dim::Static(1)) {
            init.dims.clear();
        }
    }
    initial_values(&inits, &kept)?;
    reduced(op, reducer(op, 0, "c6", &inputs, &inits)?)
}
