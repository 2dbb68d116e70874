//! `vector.transfer_read` and `vector.transfer_write`: accesses that the ranges prove to be inside,
//! and plain permutation maps.

use super::ranges::Ranges;
use mapwright_mlir::{
    Op,
    affine::{AffineMap, AffineNode},
    attr,
    melior::ir::attribute::{ArrayAttribute, BoolAttribute},
    op,
};

/// Sets `in_bounds` for the vector dimensions whose accesses, the first one included, lie inside of
/// the source, and turns the permutation map into the minor identity where only dimensions of one
/// element stand in the way.
pub(super) fn simplify(transfer: Op<'_>, ranges: &mut Ranges) -> Option<()> {
    let read = transfer.name() == "vector.transfer_read";
    let map = AffineMap::from_mlir(transfer.attribute("permutation_map")?)?;
    let old: Vec<bool> = attr::array(transfer.attribute("in_bounds")?)?
        .into_iter()
        .map(attr::boolean)
        .collect::<Option<_>>()?;
    // The vector that is written comes first, then the source and its indices.
    let base = usize::from(!read);
    let vector = if read {
        transfer.result(0)
    } else {
        transfer.operand(0)
    };
    let vector = op::static_shape(vector)?;
    let source = op::static_shape(transfer.operand(base))?;
    // An element of the source may itself be a vector: the trailing dimensions are its.
    if map.results.len() != old.len()
        || vector.len() < old.len()
        || map.dims != source.len()
        || transfer.num_operands() < base + 1 + source.len()
    {
        return None;
    }
    let mut inside = old.clone();
    for ((inside, e), size) in inside.iter_mut().zip(&map.results).zip(&vector) {
        if let (AffineNode::Dim(at), Some(size)) = (e, size)
            && let Some(Some(length)) = source.get(*at)
        {
            let start = ranges.range_of(transfer.operand(base + 1 + at)).interval;
            *inside |= !start.is_empty()
                && start.lower >= 0
                && start
                    .upper
                    .checked_add(*size)
                    .is_some_and(|end| end <= *length);
        }
    }
    let context = transfer.context();
    // A mask has the shape of what is read before it is permuted: with one, the map stays.
    let masked = transfer.num_operands() > base + 1 + source.len() + usize::from(read)
        || transfer.parent().is_some_and(|p| p.name() == "vector.mask");
    if !masked && let Some(plain) = minor_identity(&map, &inside, &vector) {
        transfer.set_attribute("permutation_map", plain.to_mlir(context));
    }
    if inside != old {
        let inside: Vec<_> = inside
            .into_iter()
            .map(|b| BoolAttribute::new(context, b).into())
            .collect();
        transfer.set_attribute("in_bounds", ArrayAttribute::new(context, &inside).into());
    }
    Some(())
}

/// `(d0, …) -> (the last dimensions, in order)`, if that is another map and transfers the same
/// elements. A vector dimension of one element that lies inside stands at the index itself,
/// whichever dimension it is said to run along; so does one that is broadcast.
fn minor_identity(map: &AffineMap, inside: &[bool], vector: &[Option<i64>]) -> Option<AffineMap> {
    let first = map.dims.checked_sub(map.results.len())?;
    let plain = AffineMap {
        results: (first..map.dims).map(AffineNode::Dim).collect(),
        ..map.clone()
    };
    let same = (plain
        .results
        .iter()
        .zip(&map.results)
        .zip(inside)
        .zip(vector))
    .all(|(((new, old), inside), size)| new == old || (*inside && *size == Some(1)));
    (plain != *map && same).then_some(plain)
}
