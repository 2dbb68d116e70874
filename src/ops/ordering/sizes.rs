//! Shape functions of operations that order elements.

use crate::attrs;
use crate::shape_function::{Found, Pairs, ShapeQuery, Size, same_sizes};

/// Returns the number of elements that are found: an attribute, or a scalar operand.
fn k(query: &mut ShapeQuery<'_, '_>) -> Found<Size> {
    match attrs::name(query.op) {
        "dynamic_top_k" => query.element_of(1, &[]),
        _ => Ok(Size::Known(attrs::int(query.op, "k")?)),
    }
}

/// `top_k`: the last dimension has as many elements as are found.
pub(crate) fn top_k(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let mut sizes = query.operand(0)?;
    let k = k(query)?;
    if let Some(last) = sizes.last_mut() {
        *last = k;
    }
    Ok(sizes)
}

/// No more elements are found than are there.
pub(crate) fn top_k_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let own = query.operand(0)?;
    let k = k(query)?;
    if k.known().is_none() {
        query.require_at_most(Size::Known(0), k)?;
    }
    if let Some(last) = own.last() {
        query.require_at_most(k, *last)?;
    }
    Ok(Vec::new())
}

/// `sort`: all operands have the same sizes.
pub(crate) fn sort_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    same_sizes(query, query.op.num_operands())
}
