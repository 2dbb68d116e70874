//! What a value of the language is made of: tensors.
//!
//! - A Tensor is itself, a TensorShape of rank `r` a `tensor<rxi64>`.
//! - A TensorArray is the buffer of its leaves, its length, and for each level below the outermost
//!   the offsets of the lists of that level: list `i` has the elements `offsets[i]` to
//!   `offsets[i + 1]` of the level below. There may be room for more leaves and lists than there
//!   are; offsets behind the last list are equal to the last, and what the buffer holds behind the
//!   last leaf means nothing and is never looked at.
//!
//! How much room there is says [`Packing::room`]: as much as the maxima allow where that is little,
//! since code for known sizes is made more quickly, and otherwise none but for what is there.

use super::Packing;
use mapwright_indexing::Extent;
use mapwright_mlir::{Dim, ElementType, TensorType, UNBOUNDED, Val, ValueType};

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

/// Arrays whose maxima allow fewer numbers than this have room for all of them.
const LARGE: i64 = 4096;

impl Packing {
    /// The room of each level, from the outermost, of arrays of a type for which as much is made as
    /// their maxima allow.
    pub(super) fn room(self, ty: &ValueType) -> Option<Vec<Extent>> {
        let (max, leaf) = levels(ty);
        let mut all = 1i64;
        let rooms: Vec<Extent> = (max.iter())
            .map(|max| {
                all = all.saturating_mul(*max);
                all.into()
            })
            .collect();
        let sizes = leaf?.dims.into_iter().filter_map(|dim| dim.fixed());
        let numbers = sizes.fold(all, |all, size| all.saturating_mul(size.max(1)));
        let has_room = match self {
            Self::Large => numbers < LARGE,
            Self::Always => false,
            Self::Never | Self::Fixed => !max.contains(&UNBOUNDED),
        };
        (has_room && !max.is_empty()).then_some(rooms)
    }

    /// Returns the packing of arrays at the border of a function: only the elements that are there,
    /// unless all sizes are to be known.
    pub(super) fn at_border(self) -> Self {
        match self {
            Self::Fixed => Self::Fixed,
            _ => Self::Always,
        }
    }
}

/// Types of the tensors that a value is made of; `None` where it is made of none.
pub(super) fn parts_of(ty: &ValueType, packing: Packing) -> Option<Vec<TensorType>> {
    match ty {
        ValueType::Tensor(ty) => Some(vec![ty.clone()]),
        ValueType::Shape(rank) => Some(vec![TensorType::new(number(), &[*rank as i64])]),
        ValueType::Array { .. } => {
            let (max, leaf) = levels(ty);
            let room = packing.room(ty);
            let sized = |level: usize, more: i64, ty: &TensorType| {
                let mut ty = ty.clone();
                let size = room.as_ref().and_then(|room| room[level].as_constant());
                let size = size.map_or(Dim::Dynamic, |size| Dim::Static(size + more));
                ty.dims.insert(0, size);
                ty
            };
            let scalar = TensorType::new(number(), &[]);
            let mut parts = vec![sized(max.len() - 1, 0, &leaf?), scalar.clone()];
            parts.extend((1..max.len()).map(|level| sized(level - 1, 1, &scalar)));
            Some(parts)
        }
        _ => None,
    }
}

/// Types of what crosses the border of a function: the parts, with offsets (0 and the length) in
/// the place of an array's length.
pub(super) fn border(ty: &ValueType, packing: Packing) -> Option<Vec<TensorType>> {
    let mut parts = parts_of(ty, packing.at_border())?;
    if matches!(ty, ValueType::Array { .. }) {
        parts[1] = TensorType::new(number(), &[2]);
    }
    Some(parts)
}

/// Tells whether the type is one of tensor arrays alone, which StableHLO does not have.
pub(super) fn is_special(ty: &ValueType) -> bool {
    matches!(ty, ValueType::Array { .. } | ValueType::Shape(_))
}
