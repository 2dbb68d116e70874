//! What part an operation can take in a region, and what an element of it costs.

use crate::node::tensor;
use mapwright_indexing::Extent;
use mapwright_mlir::{Attr, Op, ValueType, attr::Dense};
use mapwright_normalize::size_annotations;
use mapwright_ops::registry::{self, Class};

/// The part an operation can take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Costs nothing (a splat constant, an iota): made again in every region that uses it.
    Free,
    /// Moves elements: another index, no arithmetic. Made again wherever it is used.
    Movement,
    /// Arithmetic on single elements, or reading at an index known at run time.
    Compute,
    /// `reduce`.
    Reduce,
    /// `reduce_window`.
    Window,
    /// A product over contracted dimensions.
    Contraction,
    /// An update of parts of an operand; always the root of its region.
    Update,
    /// In no region: control flow, library functions, large constants, communication.
    Outside,
}

/// The part that `op` can take.
pub fn role(op: Op<'_>) -> Role {
    if !matches!(op.dialect(), "stablehlo" | "mhlo" | "chlo") {
        return Role::Outside;
    }
    let tensors = (0..op.num_results())
        .map(|i| op.result_type(i))
        .chain((0..op.num_operands()).map(|i| op.operand_type(i)))
        .all(|ty| matches!(ty, ValueType::Tensor(_)));
    if !tensors || op.num_results() == 0 {
        return Role::Outside;
    }
    if size_annotations::slice(op).is_some() {
        return Role::Movement;
    }
    match class(op) {
        // A constant that is not the same everywhere has to be read.
        Class::Source if op.attribute("value").is_some_and(|value| !is_splat(value)) => {
            Role::Outside
        }
        Class::Source => Role::Free,
        Class::Movement => Role::Movement,
        Class::Elementwise | Class::Assembly => Role::Compute,
        Class::Reduction => Role::Reduce,
        Class::Window => Role::Window,
        Class::Contraction => Role::Contraction,
        Class::Update => Role::Update,
        Class::Other => Role::Outside,
    }
}

fn is_splat(value: Attr<'_>) -> bool {
    Dense::from_mlir(value).is_some_and(|dense| dense.splat || dense.ty.num_elements() == Some(1))
}

fn class(op: Op<'_>) -> Class {
    registry::lookup(op).map_or(Class::Other, |def| def.class)
}

/// Cost of one element, in simple operations.
pub fn weight(op: Op<'_>) -> f64 {
    let moved =
        size_annotations::slice(op).is_some() || size_annotations::padding_range(op).is_some();
    let def = if moved {
        // It takes what a slice at places that are known takes.
        registry::by_name("slice")
    } else {
        registry::lookup(op)
    };
    // A constant that has to be read is worth what any reading is.
    match (def, class(op)) {
        (Some(def), class) if class != Class::Source || role(op) == Role::Free => def.cost,
        _ => 1.0,
    }
}

/// Whether operand `i` of `op` is a shape or an amount that the sizes of its result follow from.
/// Such operands have to be tensors in memory (or constants) when a region is launched, so what
/// computes them is in a region of its own.
pub fn is_shape_operand(op: Op<'_>, i: usize) -> bool {
    registry::lookup(op).is_some_and(|def| def.is_size_operand(op, i))
}

/// Returns how often an element of operand `i` of `user` is computed for each time the user is,
/// where only types are known.
pub(crate) fn repeats(user: Op<'_>, i: usize) -> f64 {
    registry::lookup(user).map_or(1.0, |def| (def.repeats)(user, i))
}

/// Whether a tensor of these sizes has elements, and few enough to count with, so far as that is
/// known.
pub fn is_countable(sizes: &[Extent]) -> bool {
    let mut known = sizes.iter().filter_map(|size| size.as_constant());
    let elements = known.try_fold(1_i64, i64::checked_mul);
    elements.is_some_and(|n| 0 < n && n <= 1 << 40)
}

/// Checks that all types of `op` are static tensors of plain elements.
pub fn is_plain_op(op: Op<'_>) -> Result<(), String> {
    for value in op.results().into_iter().chain(op.operands()) {
        let (ty, sizes) = tensor(value).map_err(|r| r.0)?;
        if !ty.element.fits_lanes() {
            return Err(format!("elements of type {}", ty.element));
        }
        if !is_countable(&sizes) {
            return Err(format!("a tensor of type {ty}"));
        }
    }
    Ok(())
}
