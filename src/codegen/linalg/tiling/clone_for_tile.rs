//! Operations made again for a tile of their results.

use super::tensor_slice::{TensorSlice, image_of_tile, image_of_tile_in_steps};
use crate::{
    error::{Result, unsupported},
    in_place::cast,
    index::Ix,
    linalg::{
        element::{extract, tensor, to_tensor},
        generic::mixed_sizes,
        maps::only_map,
    },
};
use mapwright_mlir::{Builder, Dim, ElementType, Op, TensorType, Ty, Val, edit, sizes::SIZES};
use mapwright_ops::attrs::{self, Pad};
use std::collections::HashMap;

/// Source of operands for tiles, which is told of the operations that are made.
pub(super) trait Tiler<'c> {
    /// A box of an operand.
    fn part(&mut self, b: &Builder<'c>, value: Val<'c>, part: &TensorSlice<'c>) -> Result<Val<'c>>;
    /// The size of a dimension of an operand.
    fn size(&mut self, b: &Builder<'c>, value: Val<'c>, k: usize) -> Result<Ix<'c>>;
    /// An operation that computes was made.
    fn made(&mut self, op: Op<'c>);
}

/// Emits the operation on the tiles of its operands.
pub(super) fn same<'c>(
    b: &Builder<'c>,
    tiler: &mut dyn Tiler<'c>,
    op: Op<'c>,
    tile: &TensorSlice<'c>,
) -> Result<Vec<Val<'c>>> {
    let broadcasts = matches!(
        op.short_name(),
        "broadcast_in_dim" | "dynamic_broadcast_in_dim"
    );
    let result = tile.first(tensor(op.result(0))?.rank());
    let is_static = result.sizes.iter().all(|size| size.known().is_some());
    let mut operands = Vec::new();
    for (i, value) in op.operands().into_iter().enumerate() {
        if broadcasts && i > 0 {
            // The sizes, which are those of the tile.
            break;
        }
        let map = only_map(op, 0, i)?;
        let part = image_of_tile(b, tiler, (op, i), &map, tile)?;
        operands.push(tiler.part(b, value, &part)?);
    }
    let results = op.results().into_iter();
    let types = results.map(|value| Ok(result.ty(b, &tensor(value)?.element)));
    let types: Vec<Ty<'c>> = types.collect::<Result<_>>()?;
    let mut attributes = op.attributes();
    // The tile has sizes of its own.
    attributes.retain(|(name, _)| *name != SIZES);
    let mut name = op.name();
    if broadcasts {
        attributes.retain(|(name, _)| *name == "broadcast_dimensions");
        name = "stablehlo.broadcast_in_dim";
        let known = operands.iter().map(|value| tensor(*value));
        let known = known.collect::<Result<Vec<_>>>()?;
        if !is_static || known.iter().any(|ty| ty.static_shape().is_none()) {
            // Only the dynamic form has results of run-time sizes.
            let shape = TensorType::new(ElementType::Index, &[result.sizes.len() as i64]);
            let shape = b.parse_type(&shape.to_string());
            let sizes: Vec<Val<'c>> = result.sizes.iter().map(|size| size.value(b)).collect();
            operands.push(b.op1("tensor.from_elements", &sizes, shape, &[]));
            name = "stablehlo.dynamic_broadcast_in_dim";
        }
    }
    let copy = edit::clone(op, &HashMap::new());
    let regions = edit::take_regions(copy);
    edit::erase_unused(copy);
    let made = b.op_with_regions(name, &operands, &types, &attributes, regions);
    tiler.made(made);
    Ok(made.results())
}

/// A slice of a slice.
pub(super) fn slice<'c>(
    b: &Builder<'c>,
    tiler: &mut dyn Tiler<'c>,
    op: Op<'c>,
    tile: &TensorSlice<'c>,
) -> Result<Vec<Val<'c>>> {
    let map = only_map(op, 0, 0)?;
    let (mut part, strides) = image_of_tile_in_steps(b, tiler, (op, 0), &map, tile)?;
    for (size, stride) in part.sizes.iter_mut().zip(&strides) {
        if *stride != 1 {
            // No element from before the first where there is none.
            let last = size.sub(b, Ix::Known(1)).mul(b, Ix::Known(*stride));
            *size = last.add(b, Ix::Known(1)).max(b, Ix::Known(0));
        }
    }
    let value = tiler.part(b, op.operand(0), &part)?;
    if strides.iter().all(|stride| *stride == 1) {
        return Ok(vec![value]);
    }
    let made = TensorSlice::all(tile.sizes.clone()).slice_of(b, value, &strides)?;
    tiler.made(made);
    Ok(made.results())
}

/// `[0, most]` around a number.
fn clamped<'c>(b: &Builder<'c>, number: Ix<'c>, most: Ix<'c>) -> Ix<'c> {
    number.max(b, Ix::Known(0)).min(b, most)
}

/// Intersects the `tile` along a dimension with `n` elements from `first` on: returns the first of
/// these elements that is in it, and how many are.
fn overlap<'c>(
    b: &Builder<'c>,
    (offset, size): (Ix<'c>, Ix<'c>),
    first: Ix<'c>,
    n: Ix<'c>,
) -> (Ix<'c>, Ix<'c>) {
    let begin = offset.sub(b, first);
    let from = clamped(b, begin, n);
    let to = clamped(b, begin.add(b, size), n);
    (from, to.sub(b, from))
}

/// Emits the tile of a padding: the part of the operand that lies in it, padded to its sizes.
pub(super) fn padded<'c>(
    b: &Builder<'c>,
    tiler: &mut dyn Tiler<'c>,
    op: Op<'c>,
    tile: &TensorSlice<'c>,
) -> Result<Vec<Val<'c>>> {
    let rank = tile.sizes.len();
    let pad = Pad::decode(op, rank)?;
    if pad.interior.iter().any(|n| *n != 0) || pad.low.iter().chain(&pad.high).any(|n| *n < 0) {
        return unsupported("padding between elements, or less than none");
    }
    let own = tensor(op.operand(0))?;
    let mut part = TensorSlice::all(Vec::new());
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for k in 0..rank {
        let along = (tile.offsets[k], tile.sizes[k]);
        let n = tiler.size(b, op.operand(0), k)?;
        let (from, size) = overlap(b, along, Ix::Known(pad.low[k]), n);
        let before = clamped(b, Ix::Known(pad.low[k]).sub(b, along.0), along.1);
        low.push(before);
        high.push(along.1.sub(b, before).sub(b, size));
        part.offsets.push(from);
        part.sizes.push(size);
    }
    let slice = tiler.part(b, op.operand(0), &part)?;
    let value = tiler.part(b, op.operand(1), &TensorSlice::all(Vec::new()))?;
    let value = extract(b, value, &[])?;
    let value = to_tensor(b, &own.element, value)?;
    let region = b.region(&vec![b.index(); rank], |b, _| {
        b.op("tensor.yield", &[value], &[], &[]);
    });
    let (static_low, low) = mixed_sizes(b, &low);
    let (static_high, high) = mixed_sizes(b, &high);
    let segments = [1, low.len() as i32, high.len() as i32];
    let attributes = [
        ("static_low", b.i64_array(&static_low)),
        ("static_high", b.i64_array(&static_high)),
        ("operandSegmentSizes", b.i32_array(&segments)),
    ];
    let operands = [vec![slice], low, high].concat();
    let results = [tile.ty(b, &own.element)];
    let made = b.op_with_regions("tensor.pad", &operands, &results, &attributes, vec![region]);
    tiler.made(made);
    Ok(made.results())
}

/// Emits the tile of a concatenation from the parts of the operands that lie in it.
pub(super) fn concatenated<'c>(
    b: &Builder<'c>,
    tiler: &mut dyn Tiler<'c>,
    op: Op<'c>,
    tile: &TensorSlice<'c>,
) -> Result<Vec<Val<'c>>> {
    let axis = attrs::int(op, "dimension")?;
    let axis = attrs::axis("dimension", axis, tile.sizes.len())?;
    let mut operands = Vec::new();
    let mut first = Ix::Known(0);
    for value in op.operands() {
        let n = tiler.size(b, value, axis)?;
        let along = (tile.offsets[axis], tile.sizes[axis]);
        let mut part = tile.clone();
        (part.offsets[axis], part.sizes[axis]) = overlap(b, along, first, n);
        first = first.add(b, n);
        operands.push(tiler.part(b, value, &part)?);
    }
    // How much of each there is, only the sum of all says.
    let element = tensor(op.result(0))?.element;
    let types = operands.iter().map(|value| tensor(*value));
    let types = types.collect::<Result<Vec<_>>>()?;
    let is_known = types.iter().all(|ty| ty.dims[axis].fixed().is_some());
    let mut joined = tensor(op.result(0))?;
    for (k, (dim, size)) in joined.dims.iter_mut().zip(&tile.sizes).enumerate() {
        *dim = match size.known().filter(|_| k != axis || is_known) {
            Some(n) => Dim::Static(n),
            None => Dim::Dynamic,
        };
    }
    let attributes = [("dimension", b.i64_attr(axis as i64))];
    let results = [b.parse_type(&joined.to_string())];
    let joined = b.op("stablehlo.concatenate", &operands, &results, &attributes);
    tiler.made(joined);
    Ok(vec![cast(b, joined.result(0), tile.ty(b, &element))])
}
