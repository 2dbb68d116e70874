//! Shape functions of operations whose elements come from nowhere.

use crate::shape_function::{Found, ShapeQuery, Size, elements_of};

/// `dynamic_rng_bit_generator`: the state keeps its sizes, those of the bits are the elements of
/// the second operand.
pub(crate) fn dynamic_bits(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    match query.result {
        1 => elements_of::<1>(query),
        _ => query.operand(0),
    }
}
