//! Functions of elements, applied to all of them.

use super::*;
use crate::tarray::taken::{Taken, is_list_of};
use crate::typing::{find_function, signature};
use mapwright_indexing::counted;

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
        "@{name} takes {}, the operands are {}",
        counted(takes.len(), "value"),
        types.len()
    );
    let mut maxima: Vec<i64> = Vec::new();
    let mut front: Vec<Vec<Dim>> = Vec::new();
    for (i, (ty, element)) in types.iter().zip(&takes).enumerate() {
        match (Taken::from_types(ty, element), ty) {
            (Some(Taken::Part(n)), _) => front.push(tensor(op, i)?.1[..n].to_vec()),
            (Some(Taken::Element | Taken::List), ValueType::Array { max, .. }) => {
                maxima.push(*max);
            }
            (Some(_), _) => {}
            (None, ValueType::Tensor(_)) => {
                return violation(
                    "",
                    format!("operand #{i} must have dimensions in front of {element}, is {ty}"),
                );
            }
            (None, ValueType::Array { .. }) => {
                return violation(
                    "",
                    format!("operand #{i} must be an array of {element}, is {ty}"),
                );
            }
            (None, _) => return undefined(op, i),
        }
    }
    ensure!(
        maxima.is_empty() || front.is_empty(),
        "",
        "takes Tensors or TensorArrays, not both"
    );
    if let Some(max) = maxima.iter().min() {
        // A Tensor with as many slices as there are in each call is a list of them, where the
        // result is said to be one of lists.
        let lists =
            |(i, ty): (usize, ValueType)| match (i < op.num_results()).then(|| op.result_type(i)) {
                Some(ValueType::Array { element, .. }) if is_list_of(&element, &ty) => {
                    array_type(*element, *max)
                }
                _ => array_type(ty, *max),
            };
        let types = gives.into_iter().enumerate().map(lists);
        return types.collect::<Check<Vec<_>>>().map(Some);
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
    let Some(front) = front.first() else {
        return Ok(Some(gives));
    };
    gives
        .iter()
        .map(|ty| match ty {
            ValueType::Tensor(ty) => {
                let sizes: Vec<Dim> = front.iter().chain(&ty.dims).copied().collect();
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
