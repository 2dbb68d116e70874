//! The shape function of element-wise operations: operands and result have one shape.

use crate::shape_function::{Found, Pairs, ShapeQuery, Size};

/// The sizes of the operands, which must be equal; scalars may stand for whole tensors.
pub(crate) fn of_operands(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let full = query.full_operands()?;
    let Some((first, rest)) = full.split_first() else {
        return Err(query.unknown());
    };
    let sizes = query.operand(*first)?;
    for i in rest {
        let others = query.operand(*i)?;
        query.require_equal(&sizes, &others)?;
    }
    Ok(sizes)
}

/// All operands but scalars have the same sizes.
pub(crate) fn operands_fit(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let mut first: Option<Vec<Size>> = None;
    let mut pairs = Vec::new();
    for i in 0..query.op.num_operands() {
        let own = query.operand(i)?;
        match &first {
            _ if own.is_empty() => {}
            None => first = Some(own),
            Some(first) => pairs.extend(first.iter().copied().zip(own)),
        }
    }
    Ok(pairs)
}
