//! Regions that compute whole numbers from others and from sizes, as programs of run-time sizes do
//! with shapes.
//!
//! They are so small that each element is straight code, and a part of the function that launches
//! kernels.

use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{ElementType, Op, Val, ValueType, op};
use mapwright_ops::reads_elements;

/// Operations of a region, at most.
const MOST_OPERATIONS: usize = 64;

/// Entries of a tensor, at most: those of a shape, or of the paddings of one.
const MOST_ENTRIES: i64 = 12;

/// Tells whether a region computes a few integers or booleans, scalars or as many as a shape has,
/// each from others or from the sizes of tensors.
pub(crate) fn computes_numbers(fusion: Op<'_>) -> bool {
    let members = fusion.body(0).map(op::ops).unwrap_or_default();
    let results = || members.iter().flat_map(|op| op.results());
    let is_number = |value: Val<'_>| {
        let ValueType::Tensor(ty) = ValueType::from_mlir(value.r#type()) else {
            return false;
        };
        let entries = ty.static_shape().map(|shape| shape.iter().product());
        let is_size = match ty.element {
            ElementType::Int { width, .. } => width >= 32,
            ElementType::Bool | ElementType::Index => true,
            _ => false,
        };
        is_size && entries.is_some_and(|n: i64| n <= MOST_ENTRIES)
    };
    let given = fusion.operands();
    members.len() <= MOST_OPERATIONS
        && results().all(is_number)
        && (given.iter()).all(|value| is_number(*value) || reads_sizes_only(fusion, *value))
}

/// Tells whether a region that is given a value reads only its sizes.
fn reads_sizes_only<'c>(fusion: Op<'c>, given: Val<'c>) -> bool {
    let arguments = fusion.body(0).map(op::arguments).unwrap_or_default();
    let places = fusion.operands().into_iter().zip(arguments);
    let inside = places.filter(|(operand, _)| op::key(*operand) == op::key(given));
    let mut uses = inside.flat_map(|(_, argument)| op::uses(argument));
    uses.all(|(user, number)| !reads_elements(user, number))
}
