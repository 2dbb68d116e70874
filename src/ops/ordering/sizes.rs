//! Shape functions of operations that order elements.

use crate::attrs;
use crate::shape_function::{Found, Shapes, Size, same_sizes};
use mapwright_mlir::Op;

/// How many elements are found: an attribute, or a scalar operand.
fn k<'c>(shapes: &mut dyn Shapes<'c>, op: Op<'c>) -> Found<Size> {
    match attrs::name(op) {
        "dynamic_top_k" => shapes.element_of(op, 1, &[]),
        _ => Ok(Size::Known(attrs::int(op, "k")?)),
    }
}

/// `top_k`: the last dimension has as many elements as are found.
pub(crate) fn top_k<'c>(shapes: &mut dyn Shapes<'c>, op: Op<'c>, _: usize) -> Found<Vec<Size>> {
    let mut sizes = shapes.operand(op, 0)?;
    let k = k(shapes, op)?;
    if let Some(last) = sizes.last_mut() {
        *last = k;
    }
    Ok(sizes)
}

/// No more elements are found than are there.
pub(crate) fn top_k_fits<'c>(shapes: &mut dyn Shapes<'c>, op: Op<'c>) -> Found<Vec<(Size, Size)>> {
    let own = shapes.operand(op, 0)?;
    let k = k(shapes, op)?;
    if k.known().is_none() {
        shapes.require_at_most(Size::Known(0), k)?;
    }
    if let Some(last) = own.last() {
        shapes.require_at_most(k, *last)?;
    }
    Ok(Vec::new())
}

/// `sort`: all operands have the same sizes.
pub(crate) fn sort_fits<'c>(shapes: &mut dyn Shapes<'c>, op: Op<'c>) -> Found<Vec<(Size, Size)>> {
    same_sizes(shapes, op, op.num_operands())
}
