//! `chlo.scan`.

use crate::typing::check::*;
use mapwright_mlir::{Dim, Op, TensorType, ValueType};

/// `scan`: the region takes a slice of each input and the carried values, and returns a slice of
/// each output and what is carried on.
pub fn scan(op: Op<'_>) -> Check<Inferred> {
    let segments = |name: &str| match op.ints(name).as_deref() {
        Some([first, _]) => usize::try_from(*first).ok(),
        _ => None,
    };
    let (Some(inputs), Some(outputs)) = (
        segments("operandSegmentSizes"),
        segments("resultSegmentSizes"),
    ) else {
        return violation("", "needs the numbers of its inputs and outputs");
    };
    let (operands, results) = (operands(op)?, results(op)?);
    ensure!(
        inputs <= operands.len() && outputs <= results.len(),
        "",
        "has more inputs or outputs than operands or results"
    );
    let (inputs, inits) = operands.split_at(inputs);
    let (outputs, carries) = results.split_at(outputs);
    let dimension = required_int(op, "dimension")?;
    let mut rounds = match op.int("scan_dim_size") {
        Some(size) => Dim::Static(size),
        None => Dim::Dynamic,
    };
    let mut cut = |what: &str, types: &[TensorType]| -> Check<Vec<ValueType>> {
        let mut slices = Vec::new();
        for (i, ty) in types.iter().enumerate() {
            let at = usize::try_from(dimension).ok().filter(|d| *d < ty.rank());
            let Some(at) = at else {
                return violation(
                    "",
                    format!(
                        "'dimension' {dimension} is not a dimension of {what} #{i}, which is {ty}"
                    ),
                );
            };
            let mut slice = ty.clone();
            let size = slice.dims.remove(at);
            ensure!(
                sizes_agree(rounds, size),
                "",
                "{what} #{i} must have the size {} in dimension {dimension}, is {ty}",
                shape_text(&[rounds])
            );
            rounds = merge_sizes(rounds, size);
            slices.push(ValueType::Tensor(slice));
        }
        Ok(slices)
    };
    let mut arguments = cut("input", inputs)?;
    let mut returned = cut("output", outputs)?;
    let tensors = |types: &[TensorType]| -> Vec<ValueType> {
        types.iter().cloned().map(ValueType::Tensor).collect()
    };
    arguments.extend(tensors(inits));
    returned.extend(tensors(carries));
    ensure!(
        all_agree(&tensors(inits), &tensors(carries)),
        "",
        "must carry values of the types of its initial values {}, carries {}",
        list(&tensors(inits)),
        list(&tensors(carries))
    );
    let body = region(op, 0)?;
    ensure!(
        all_agree(&body.arguments, &arguments),
        "",
        "the region must take the slices and the initial values {}, takes {}",
        list(&arguments),
        list(&body.arguments)
    );
    ensure!(
        all_agree(&body.results, &returned),
        "",
        "the region must return the slices and the carried values {}, returns {}",
        list(&returned),
        list(&body.results)
    );
    Ok(None)
}
