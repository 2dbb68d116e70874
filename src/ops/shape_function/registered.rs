//! The shape functions and preconditions that rows of the registry name.

use super::{Found, ShapeQuery, Shapes, Size, tensor};
use crate::{
    library::{self, Meaning},
    registry::{self, DIALECTS},
};
use mapwright_mlir::{Op, Val};

/// Sizes of result `result` of `op`.
///
/// # Errors
/// An operation without a shape function, attributes that cannot be read, sizes that are not known.
pub fn of_result<'c>(shapes: &mut dyn Shapes<'c>, op: Op<'c>, result: usize) -> Found<Vec<Size>> {
    let mut query = ShapeQuery::new(shapes, op, result);
    match registry::lookup(op).and_then(|def| def.shape_function) {
        Some(function) => function(&mut query),
        None => Err(query.unknown()),
    }
}

/// Tells whether the sizes of the operands may be wrong when `op` runs.
pub fn has_preconditions(op: Op<'_>) -> bool {
    let says_sizes = registry::lookup(op).is_some_and(|def| def.size_operands.is_some());
    let dynamic = |value: &Val<'_>| tensor(*value).is_some_and(|t| t.static_shape().is_none());
    let known = DIALECTS.contains(&op.dialect()) || is_comparison(op);
    known && (says_sizes || op.operands().iter().any(dynamic))
}

/// Tells whether `op` compares two tensors of a test.
fn is_comparison(op: Op<'_>) -> bool {
    library::meaning(op) == Some(Meaning::Comparison)
}

/// Requires everything that the verifier of `op` says about static sizes, as far as code would
/// otherwise reach outside of an operand.
///
/// # Errors
/// Attributes that cannot be read, and sizes that cannot be found.
pub fn preconditions<'c>(shapes: &mut dyn Shapes<'c>, op: Op<'c>) -> Found<()> {
    if !has_preconditions(op) {
        return Ok(());
    }
    let def = registry::lookup(op);
    let mut query = ShapeQuery::new(shapes, op, 0);
    let mut pairs = match def.and_then(|def| def.preconditions) {
        _ if is_comparison(op) => {
            let (a, b) = (query.operand(0)?, query.operand(1)?);
            a.into_iter().zip(b).collect()
        }
        Some(rule) => rule(&mut query)?,
        None => Vec::new(),
    };
    // What the type of a result says must be what follows.
    if !is_comparison(op) && def.is_none_or(|def| !def.declares_sizes) {
        for (i, value) in op.results().into_iter().enumerate() {
            let Some(tensor) = tensor(value) else {
                continue;
            };
            if tensor.dims.iter().all(|dim| dim.fixed().is_none()) {
                continue;
            }
            let sizes = of_result(shapes, op, i)?;
            let fixed = sizes.into_iter().zip(&tensor.dims);
            pairs.extend(fixed.filter_map(|(n, dim)| Some((n, Size::Known(dim.fixed()?)))));
        }
    }
    let (a, b): (Vec<Size>, Vec<Size>) = pairs.into_iter().unzip();
    shapes.require_equal(&a, &b)
}
