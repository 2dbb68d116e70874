//! Reductions, windows and sorts: operations with a region that combines elements.

use crate::typing::{check::*, results::sizes};
use mapwright_mlir::{Dim, ElementType, Op, TensorType};

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
    let (inputs, inits) = inputs_and_inits(op, ["c3", "c1", "c2"])?;
    let dimensions = required_ints(op, "dimensions")?;
    in_rank("c4", "dimensions", &dimensions, inputs[0].rank())?;
    unique("c5", "dimensions", &dimensions)?;
    reduced(op, reducer(op, 0, "c6", &inputs, &inits)?)
}
