//! Functions of elements, applied to all of them.

use super::*;
use crate::typing::{find_function, signature};

/// `vectorize`: a function of elements, for all of them.
pub(crate) fn vectorize(op: Op<'_>) -> Check<Inferred> {
    let name = op.symbol("callee").unwrap_or_default();
    let Some((takes, gives)) = find_function(op, &name).and_then(signature) else {
        return violation("", format!("@{name} is not a function of the module"));
    };
    let types: Vec<ValueType> = (0..op.num_operands()).map(|i| op.operand_type(i)).collect();
    ensure!(
        !types.is_empty() && takes.len() == types.len(),
        "",
        "@{name} takes {} values, the operands are {}",
        takes.len(),
        types.len()
    );
    let mut maxima: Vec<i64> = Vec::new();
    let mut front: Vec<Vec<Dim>> = Vec::new();
    for (i, (ty, element)) in types.iter().zip(&takes).enumerate() {
        match ty {
            ValueType::Array { element: own, max } if **own == *element => maxima.push(*max),
            ValueType::Tensor(_) => {
                let (own, shape) = tensor(op, i)?;
                let wanted = element.tensor().and_then(|ty| {
                    let before = shape.len().checked_sub(ty.rank())?;
                    (own == ty.element && shape[before..] == ty.dims[..])
                        .then(|| shape[..before].to_vec())
                });
                match wanted {
                    Some(before) => front.push(before),
                    None => {
                        return violation(
                            "",
                            format!(
                                "operand #{i} must have dimensions in front of {element}, is {ty}"
                            ),
                        );
                    }
                }
            }
            ValueType::Array { .. } => {
                return violation(
                    "",
                    format!("operand #{i} must be an array of {element}, is {ty}"),
                );
            }
            _ => return undefined(op, i),
        }
    }
    ensure!(
        maxima.is_empty() || front.is_empty(),
        "",
        "takes Tensors or TensorArrays, not both"
    );
    if let Some(max) = maxima.iter().min() {
        return gives
            .into_iter()
            .map(|ty| array_type(ty, *max))
            .collect::<Check<Vec<_>>>()
            .map(Some);
    }
    ensure!(
        front.windows(2).all(|pair| pair[0] == pair[1]),
        "",
        "has operands with different dimensions in front: {}",
        (front
            .iter()
            .map(|dims| shape_text(dims))
            .collect::<Vec<_>>())
        .join(", ")
    );
    gives
        .iter()
        .map(|ty| match ty {
            ValueType::Tensor(ty) => {
                let sizes: Vec<Dim> = front[0].iter().chain(&ty.dims).copied().collect();
                Ok(tensor_type(ty.element.clone(), &sizes))
            }
            other => violation(
                "",
                format!(
                    "of Tensors gives Tensors, but @{name} gives a {}",
                    kind(other)
                ),
            ),
        })
        .collect::<Check<Vec<_>>>()
        .map(Some)
}
