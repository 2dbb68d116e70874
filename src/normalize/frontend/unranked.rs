//! Tensors of unknown rank, which operations of CHLO take: a cast makes them of others, whose rank
//! is known.

use super::operands::cast_values;
use crate::rewrite::{Result, fail};
use mapwright_mlir::{Builder, Op, Ty, Val, ValueType, edit, melior::ir::ValueLike, op};
use mapwright_ops::typing;

/// Gives operations of CHLO inside `module` the tensors that their operands are cast from, and
/// results of known rank. Returns how many there were.
///
/// # Errors
/// An operation on a tensor that nothing says the rank of, and one that these tensors do not fit.
pub(super) fn legalize<'c>(module: Op<'c>) -> Result<'c, usize> {
    let mut count = 0;
    for op in module.descendants() {
        let own = op.dialect() == "chlo";
        if !own && op.name() != "tensor.cast" {
            continue;
        }
        let mut values = op.operands().into_iter().chain(op.results());
        if !values.any(|value| is_unranked(value)) {
            continue;
        }
        for (i, value) in op.operands().into_iter().enumerate() {
            match op::defining_op(value).map(|(made, _)| made) {
                _ if !is_unranked(value) => {}
                Some(cast) if cast.name() == "tensor.cast" && !is_unranked(cast.operand(0)) => {
                    op::set_operand(op, i, cast.operand(0));
                }
                _ if own => {
                    return fail(
                        op,
                        format!(
                            "operand #{i} is {}, and no cast says what its shape is",
                            value.r#type()
                        ),
                    );
                }
                _ => {}
            }
        }
        if own {
            count += 1;
            results(op)?;
        }
    }
    for op in module.descendants().into_iter().rev() {
        if op.name() == "tensor.cast" && is_unranked(op.result(0)) {
            edit::erase_unused(op);
        }
    }
    Ok(count)
}

fn is_unranked(value: Val<'_>) -> bool {
    matches!(
        ValueType::from_mlir(value.r#type()),
        ValueType::UnrankedTensor(_)
    )
}

/// The results get the types that follow; their users see the old ones.
fn results<'c>(op: Op<'c>) -> Result<'c> {
    let inferred = match typing::infer(op) {
        Ok(Some(inferred)) => inferred,
        Ok(None) => {
            return fail(
                op,
                "has results whose types do not follow from its operands",
            );
        }
        Err(violation) => return fail(op, violation.message),
    };
    let Some(b) = Builder::before(op.context(), op) else {
        return Ok(());
    };
    let types: Vec<Ty<'c>> = (op.results().iter().zip(&inferred))
        .map(|(result, ty)| {
            if is_unranked(*result) {
                b.parse_type(&ty.to_string())
            } else {
                result.r#type()
            }
        })
        .collect();
    cast_values(&op.results(), op::next(op), &types);
    Ok(())
}
