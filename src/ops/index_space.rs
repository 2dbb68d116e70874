//! The index spaces of values.

use mapwright_mlir::{Dim, ElementType, TensorType, Ty, Val, ValueType, melior::ir::ValueLike};

/// The index space of values of a type: that of a ranked tensor, or of an array or shape of the
/// `tarray` dialect. A number has one index.
pub(crate) fn index_space(ty: Ty<'_>) -> Option<TensorType> {
    if let Some(tensor) = TensorType::from_mlir(ty) {
        return Some(tensor);
    }
    match ValueType::from_mlir(ty) {
        ValueType::Other(_) => match ElementType::from_mlir(ty) {
            ElementType::Other(_) | ElementType::Quantized(_) => None,
            number => Some(TensorType::new(number, &[])),
        },
        other => of_array(&other),
    }
}

/// The index space of a shape or of an array as a type of tensors; `None` for other types.
fn of_array(ty: &ValueType) -> Option<TensorType> {
    match ty {
        ValueType::Shape(rank) => Some(TensorType::new(ElementType::int(64), &[*rank as i64])),
        ValueType::Array { element, max } => {
            let mut inner = match &**element {
                ValueType::Tensor(leaf) => leaf.clone(),
                other => of_array(other)?,
            };
            inner.dims.insert(0, Dim::of_level(*max));
            Some(inner)
        }
        _ => None,
    }
}

/// The maxima of the levels of an array; none of another value.
pub(crate) fn levels(value: Val<'_>) -> Vec<i64> {
    let mut ty = ValueType::from_mlir(value.r#type());
    let mut max = Vec::new();
    while let ValueType::Array {
        element,
        max: greatest,
    } = ty
    {
        max.push(greatest);
        ty = *element;
    }
    max
}
