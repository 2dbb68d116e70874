//! What a value of the language is made of: tensors of static shape.
//!
//! - A Tensor is itself, a TensorShape of rank `r` a `tensor<rxi64>`.
//! - A TensorArray is the buffer of its leaves (with room for as many as its maxima allow), its length, and for each level below the outermost
//!   the offsets of the lists of that level: list `i` has the elements `offsets[i]` to `offsets[i + 1]` of the level below. There are as many
//!   offsets as lists are possible, and one; those behind the last list are equal to the last.
//!
//! What the buffer holds behind the last leaf means nothing and is never looked at.

use mapwright_mlir::{Dim, ElementType, TensorType, Val, ValueType};

/// A value of the language.
#[derive(Clone, Debug)]
pub(super) struct Form<'c> {
    /// Its type.
    pub(super) ty: ValueType,
    /// The tensors that it is made of; of other types than those of the language the value itself.
    pub(super) parts: Vec<Val<'c>>,
}

/// The maxima of the levels of an array, from the outermost, and the type of the leaves.
pub fn levels(ty: &ValueType) -> (Vec<i64>, Option<TensorType>) {
    let mut max = Vec::new();
    let mut at = ty;
    while let ValueType::Array {
        element,
        max: greatest,
    } = at
    {
        max.push(*greatest);
        at = element;
    }
    (max, at.tensor().cloned())
}

/// The integers that lengths, offsets and sizes are.
pub(super) fn number() -> ElementType {
    ElementType::int(64)
}

/// The product of sizes.
pub(super) fn product(sizes: &[i64]) -> i64 {
    sizes.iter().product()
}

/// A type with dimensions in front of its own.
pub(super) fn in_front(dims: &[i64], ty: &TensorType) -> TensorType {
    TensorType {
        element: ty.element.clone(),
        dims: dims
            .iter()
            .map(|size| Dim::Static(*size))
            .chain(ty.dims.iter().copied())
            .collect(),
    }
}

/// Types of the tensors that a value is made of; `None` where it is made of none.
pub(super) fn parts_of(ty: &ValueType) -> Option<Vec<TensorType>> {
    match ty {
        ValueType::Tensor(ty) => Some(vec![ty.clone()]),
        ValueType::Shape(rank) => Some(vec![TensorType::new(number(), &[*rank as i64])]),
        ValueType::Array { .. } => {
            let (max, leaf) = levels(ty);
            let mut parts = vec![
                in_front(&[product(&max)], &leaf?),
                TensorType::new(number(), &[]),
            ];
            for level in 1..max.len() {
                parts.push(TensorType::new(number(), &[product(&max[..level]) + 1]));
            }
            Some(parts)
        }
        _ => None,
    }
}

/// Types of what crosses the border of a function: the parts, with offsets (0 and the length) in the place of an array's length.
pub(super) fn border(ty: &ValueType) -> Option<Vec<TensorType>> {
    let mut parts = parts_of(ty)?;
    if matches!(ty, ValueType::Array { .. }) {
        parts[1] = TensorType::new(number(), &[2]);
    }
    Some(parts)
}

/// Is the type one of the language alone, which StableHLO does not have?
pub(super) fn is_special(ty: &ValueType) -> bool {
    matches!(ty, ValueType::Array { .. } | ValueType::Shape(_))
}
