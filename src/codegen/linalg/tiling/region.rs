//! A tile of a region: the tiles of its members, from the results back to the operands.
//! `indexing-fuse` makes regions of them again.

use super::{clone_for_tile::Tiler, dimension, made, tensor_slice::TensorSlice};
use crate::{
    error::{Result, unsupported},
    index::Ix,
    linalg::element::tensor,
    sizes::{self, SizeQuery},
};
use mapwright_mlir::{Builder, Op, Val, melior::ir::ValueLike, op, tiling::Tiled};
use std::collections::HashMap;

/// Key of a box of a tensor.
type Key = Vec<(bool, i64)>;

/// The tiles of members, remembered.
struct Members<'c> {
    fusion: Op<'c>,
    made: Tiled<'c>,
    tiles: HashMap<(usize, Key), Vec<Val<'c>>>,
    sizes: HashMap<(usize, usize), Ix<'c>>,
}

/// The tile of a region, whose results all have the shape of the first.
pub(super) fn tiled<'c>(
    b: &Builder<'c>,
    fusion: Op<'c>,
    tile: &TensorSlice<'c>,
) -> Result<Tiled<'c>> {
    let first = tensor(fusion.result(0))?;
    for result in fusion.results() {
        if tensor(result)?.dims != first.dims {
            return unsupported("a region whose results have different shapes");
        }
    }
    let Some(end) = fusion
        .body(0)
        .and_then(|body| op::ops(body).last().copied())
    else {
        return unsupported("a region without a body");
    };
    let mut members = Members {
        fusion,
        made: Tiled::default(),
        tiles: HashMap::new(),
        sizes: HashMap::new(),
    };
    let results = end.operands().into_iter();
    let results = results.map(|value| members.part(b, value, tile));
    let results = results.collect::<Result<Vec<_>>>()?;
    members.made.results = results;
    Ok(members.made)
}

fn key(part: &TensorSlice<'_>) -> Key {
    let numbers = part.offsets.iter().chain(&part.sizes);
    numbers.map(|number| number.key()).collect()
}

impl<'c> Members<'c> {
    /// A value outside of the region in the tile.
    fn outside(
        &mut self,
        b: &Builder<'c>,
        value: Val<'c>,
        part: &TensorSlice<'c>,
    ) -> Result<Val<'c>> {
        if part.is_all(value)? {
            return Ok(value);
        }
        let slice = part.slice_of(b, value, &vec![1; part.sizes.len()])?;
        self.made.slices.push(slice);
        Ok(slice.result(0))
    }
}

impl<'c> Tiler<'c> for Members<'c> {
    fn part(&mut self, b: &Builder<'c>, value: Val<'c>, part: &TensorSlice<'c>) -> Result<Val<'c>> {
        let Some((member, number)) = op::defining_op(value) else {
            let argument = op::block_argument(value).map(|(_, number)| number);
            let Some(number) = argument.filter(|number| *number < self.fusion.num_operands())
            else {
                return unsupported("a value from elsewhere");
            };
            return self.outside(b, self.fusion.operand(number), part);
        };
        let place = (member.to_raw().ptr as usize, key(part));
        if let Some(known) = self.tiles.get(&place) {
            return Ok(known[number]);
        }
        let results = if member.num_operands() == 0 {
            // A constant, or what is made of its index: of it the tile is cut out.
            let attributes = member.attributes();
            let types: Vec<_> = member
                .results()
                .iter()
                .map(|value| value.r#type())
                .collect();
            let copy = b.op(member.name(), &[], &types, &attributes);
            self.made.ops.push(copy);
            let values = copy.results().into_iter();
            let values = values.map(|value| self.outside(b, value, part));
            values.collect::<Result<Vec<_>>>()?
        } else {
            if uses_the_region(member) {
                return unsupported("a computation that reads values of the region");
            }
            made(b, self, member, part)?
        };
        self.tiles.insert(place, results.clone());
        Ok(results[number])
    }

    fn size(&mut self, b: &Builder<'c>, value: Val<'c>, k: usize) -> Result<Ix<'c>> {
        if let Some(size) = tensor(value)?.dims[k].fixed() {
            return Ok(Ix::Known(size));
        }
        let place = (op::key(value), k);
        if let Some(known) = self.sizes.get(&place) {
            return Ok(*known);
        }
        let size = match op::defining_op(value) {
            None => match op::block_argument(value) {
                Some((_, number)) => dimension(b, self.fusion.operand(number), k)?,
                None => return unsupported("a value from elsewhere"),
            },
            Some((member, number)) => {
                let all = sizes::of_result(b, member, number, &mut |_, question| match question {
                    SizeQuery::Sizes(value) => {
                        let rank = tensor(value)?.rank();
                        (0..rank).map(|k| self.size(b, value, k)).collect()
                    }
                    // The sizes are asked for; what they must satisfy is checked where the region
                    // runs.
                    SizeQuery::Equal(..) | SizeQuery::AtMost(..) => Ok(Vec::new()),
                    SizeQuery::Element(..) => unsupported("a size that is read at run time"),
                })?;
                all[k]
            }
        };
        self.sizes.insert(place, size);
        Ok(size)
    }

    fn made(&mut self, op: Op<'c>) {
        self.made.ops.push(op);
    }
}

/// Tells whether the body of a member reads values from outside of it.
fn uses_the_region(member: Op<'_>) -> bool {
    let inside = |value: Val<'_>| {
        let owner = match op::defining_op(value) {
            Some((op, _)) => op.parent(),
            None => op::block_argument(value).and_then(|(block, _)| op::parent_of_block(block)),
        };
        let mut scope = owner;
        while let Some(op) = scope {
            if op == member {
                return true;
            }
            scope = op.parent();
        }
        false
    };
    member
        .descendants()
        .into_iter()
        .flat_map(Op::operands)
        .any(|value| !inside(value))
}
