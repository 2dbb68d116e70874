//! Values and their slices.

use super::sites::shape;
use mapwright_mlir::{TensorType, Val, melior::ir::ValueLike};
use mapwright_sharding::propagate::Sharding;

/// The layout of a value that every device has as a whole.
pub(super) fn whole(value: Val<'_>) -> Sharding {
    Sharding::replicated(shape(value).map_or(0, |shape| shape.len()))
}

/// The bytes of an element of a tensor.
pub(super) fn element_bytes(value: Val<'_>) -> i64 {
    let width = TensorType::from_mlir(value.r#type()).and_then(|ty| ty.element.byte_width());
    width.map_or(1, |width| width as i64)
}

/// The type of a slice of a value.
pub(super) fn slice_type(value: Val<'_>, sharding: &Sharding) -> Option<TensorType> {
    let ty = TensorType::from_mlir(value.r#type())?;
    let sizes = ty.static_shape()?;
    let sizes = sizes.iter().zip(sharding.parts());
    let sizes: Vec<i64> = sizes.map(|(size, parts)| size / parts).collect();
    Some(TensorType::new(ty.element, &sizes))
}
