//! Result types: their sizes by the shape function, and which constraint a wrong one violates.

use super::check::{Check, Violation, list, same_storage, shapes_agree, types_agree, violation};
use crate::definition::OpDef;
use crate::registry::by_name;
use crate::shape_function::types;
use mapwright_mlir::{Dim, Op, ValueType};

/// Sizes of result `i` by the shape function of the operation, as far as types tell sizes.
pub fn sizes(op: Op<'_>, i: usize) -> Check<Vec<Dim>> {
    types::sizes(op, i).map_err(|error| Violation {
        label: by_name(op.short_name()).map_or("", |def| def.labels_of_result(i)[1]),
        message: error.to_string(),
    })
}

/// The declared types must be those that follow, as far as sizes are known.
pub fn ensure(definition: Option<&OpDef>, inferred: &[ValueType], declared: &[ValueType]) -> Check {
    let label = if inferred.len() == declared.len() {
        let mut pairs = inferred.iter().zip(declared).enumerate();
        match pairs.find(|(_, (a, b))| !types_agree(a, b)) {
            None => return Ok(()),
            Some((i, (a, b))) => {
                let labels = definition.map(|def| def.labels_of_result(i));
                mismatch_label(labels.unwrap_or_default(), a, b)
            }
        }
    } else {
        definition.map_or("", |def| def.count_label)
    };
    violation(
        label,
        format!(
            "the results must be of the types {}, are {}",
            list(inferred),
            list(declared)
        ),
    )
}

/// The constraint that the declared type of a result violates, given what follows from the
/// operands.
fn mismatch_label(
    [element, shape]: [&'static str; 2],
    inferred: &ValueType,
    declared: &ValueType,
) -> &'static str {
    match (inferred.tensor(), declared.tensor()) {
        (Some(a), Some(b)) if same_storage(&a.element, &b.element) => {
            debug_assert!(!shapes_agree(&a.dims, &b.dims));
            shape
        }
        _ => element,
    }
}
