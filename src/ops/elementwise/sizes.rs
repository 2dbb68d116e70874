//! The shape function of element-wise operations: operands and result have one shape.

use crate::shape_function::{Found, Shapes, Size, SizeError, full_operands};
use mapwright_mlir::Op;

/// The sizes of the operands, which must be equal; scalars may stand for whole tensors.
pub(crate) fn of_operands<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
    result: usize,
) -> Found<Vec<Size>> {
    let full = full_operands(op, result)?;
    let Some((first, rest)) = full.split_first() else {
        return Err(SizeError::Unknown(format!(
            "the run-time shape of '{}'",
            op.name()
        )));
    };
    let sizes = shapes.operand(op, *first)?;
    for i in rest {
        let others = shapes.operand(op, *i)?;
        shapes.require_equal(&sizes, &others)?;
    }
    Ok(sizes)
}

/// All operands but scalars have the same sizes.
pub(crate) fn operands_fit<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
) -> Found<Vec<(Size, Size)>> {
    let mut first: Option<Vec<Size>> = None;
    let mut pairs = Vec::new();
    for i in 0..op.num_operands() {
        let own = shapes.operand(op, i)?;
        match &first {
            _ if own.is_empty() => {}
            None => first = Some(own),
            Some(first) => pairs.extend(first.iter().copied().zip(own)),
        }
    }
    Ok(pairs)
}
