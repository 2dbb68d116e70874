//! An operation for a tile of its result, from its maps: upstream's `TilingInterface` and
//! `PartialReductionOpInterface`.
//!
//! The tile of an operand is the box that the map goes to from the tile of the result ([`part`]).
//! The loops are the dimensions of the first result, and what `reduce` and `dot_general` sum up: a
//! tile of these gives a part of the sum, and [`partial`] puts parts together. What leaves the
//! operand (around the border of a `pad`, between the operands of a `concatenate`) is cut off, and
//! may be empty ([`again`]). A tile of a region is the tiles of its members ([`region`]).

mod clone_for_tile;
mod partial;
mod region;
mod tensor_slice;

use super::{
    element::{check, tensor},
    maps::only_map,
};
use crate::{
    error::{Result, unsupported},
    in_place::sizes::of_results,
    index::Ix,
    scalar,
};
use clone_for_tile::Tiler;
use mapwright_indexing::{ExprKind, IndexingMap};
use mapwright_mlir::{
    Builder, Op, Val, op,
    tiling::{Hooks, Number, Tile, Tiled, install},
};
use mapwright_ops::{attrs::DotDimensions, registry};
use tensor_slice::TensorSlice;

/// The name of a region.
const REGION: &str = "indexing.fusion";
/// Operations that are made again for a tile as they are, but for the slices of their operands.
const SAME: [&str; 5] = [
    "broadcast_in_dim",
    "dot_general",
    "reduce",
    "reverse",
    "transpose",
];
/// Operations that become others.
const OTHERS: [&str; 4] = ["concatenate", "dynamic_broadcast_in_dim", "pad", "slice"];

/// Before the first program is read. May be called more than once.
pub fn install_hooks() {
    install(Hooks {
        tiles,
        reduces: |name| partial::REDUCE.contains(&name.strip_prefix("stablehlo.").unwrap_or(name)),
        loops: |op| reduced(op).map(|reduced| reduced.len()).unwrap_or(0),
        sizes: |b, op, number| answered(sizes(b, op, number)),
        tiled: |b, op, tile| tiled(b, op, tile).ok(),
        merged: |b, op, parts, loops| partial::merged(b, op, parts, loops).ok(),
        begun: |b, op, sizes| partial::begun(b, op, numbers(sizes)).ok(),
        summed: |b, op, tile, sums, cut| partial::summed(b, op, &part(tile), sums, cut).ok(),
    });
}

fn tiles(name: &str) -> bool {
    let short = name.strip_prefix("stablehlo.").unwrap_or_default();
    let elementwise = registry::by_name(short).is_some_and(|def| {
        def.class == registry::Class::Elementwise && def.family == "elementwise"
    });
    elementwise || SAME.contains(&short) || OTHERS.contains(&short) || name == REGION
}

fn answered<'c>(sizes: Result<Vec<Ix<'c>>>) -> Option<Vec<Number<'c>>> {
    let number = |size: Ix<'c>| match size {
        Ix::Known(n) => Number::Known(n),
        Ix::Value(value) => Number::Value(value),
    };
    Some(sizes.ok()?.into_iter().map(number).collect())
}

fn numbers<'c>(numbers: &[Number<'c>]) -> Vec<Ix<'c>> {
    let number = |number: &Number<'c>| match number {
        Number::Known(n) => Ix::Known(*n),
        Number::Value(value) => Ix::Value(*value),
    };
    numbers.iter().map(number).collect()
}

fn part<'c>(tile: &Tile<'c>) -> TensorSlice<'c> {
    TensorSlice {
        offsets: numbers(&tile.offsets),
        sizes: numbers(&tile.sizes),
    }
}

/// For each loop that the operation reduces, the dimension of operand 0 that it runs over.
fn reduced(op: Op<'_>) -> Result<Vec<usize>> {
    if !partial::REDUCE.contains(&op.short_name()) || op.dialect() != "stablehlo" {
        return Ok(Vec::new());
    }
    let map = only_map(op, 0, 0)?;
    let places = (0..map.ranges().len()).map(|i| {
        let place = map
            .results()
            .iter()
            .position(|expr| *expr.kind() == ExprKind::Range(i));
        place.ok_or_else(|| crate::Unsupported("a loop over no dimension".into()))
    });
    places.collect()
}

/// For each range variable of the map to operand `operand`, which of the loops that are reduced it
/// is.
fn loops_of(op: Op<'_>, operand: usize, map: &IndexingMap) -> Result<Vec<usize>> {
    if op.short_name() != "dot_general" || operand == 0 {
        return Ok((0..map.ranges().len()).collect());
    }
    let dims = DotDimensions::decode(op)?;
    let reduced = reduced(op)?;
    let partner = |k: usize| {
        let pair = dims.rhs_contracting.iter().position(|r| *r == k as i64)?;
        let left = *dims.lhs_contracting.get(pair)?;
        reduced.iter().position(|k| *k as i64 == left)
    };
    let loops = (0..map.ranges().len()).map(|i| {
        let place = map
            .results()
            .iter()
            .position(|expr| *expr.kind() == ExprKind::Range(i));
        place
            .and_then(partner)
            .ok_or_else(|| crate::Unsupported("a loop over no dimension".into()))
    });
    loops.collect()
}

/// The size of dimension `k` of a tensor.
fn dimension<'c>(b: &Builder<'c>, value: Val<'c>, k: usize) -> Result<Ix<'c>> {
    let ty = tensor(value)?;
    Ok(match ty.dims.get(k).and_then(|dim| dim.fixed()) {
        Some(size) => Ix::Known(size),
        None => {
            let number = b.cidx(k as i64);
            Ix::Value(b.op1("tensor.dim", &[value, number], b.index(), &[]))
        }
    })
}

/// The sizes of result `number` of `op`; without a number, of its loops.
fn sizes<'c>(b: &Builder<'c>, op: Op<'c>, number: Option<usize>) -> Result<Vec<Ix<'c>>> {
    for value in op.operands().into_iter().chain(op.results()) {
        check(value)?;
    }
    let result = op.result(number.unwrap_or(0));
    let mut sizes = match tensor(result)?.static_shape() {
        Some(shape) => shape.into_iter().map(Ix::Known).collect(),
        None => {
            let all = of_results(b, op)?;
            all[number.unwrap_or(0)].clone()
        }
    };
    if number.is_none() {
        for k in reduced(op)? {
            sizes.push(dimension(b, op.operand(0), k)?);
        }
    }
    Ok(sizes)
}

/// The operation for a tile of its results.
///
/// # Errors
/// Why there is none.
fn tiled<'c>(b: &Builder<'c>, op: Op<'c>, tile: &Tile<'c>) -> Result<Tiled<'c>> {
    let is_part = tile.is_part;
    let tile = part(tile);
    match op.name() {
        REGION => region::tiled(b, op, &tile),
        _ => {
            let mut direct = Direct::default();
            let begun = if is_part && op.short_name() == "reduce" {
                partial::neutral(b, op)?
            } else {
                Vec::new()
            };
            let results = made(b, &mut direct, op, &tile)?;
            if let Some(made) = direct.0.ops.last() {
                for (i, value) in begun.into_iter().enumerate() {
                    op::set_operand(*made, made.num_results() + i, value);
                }
            }
            direct.0.results = results;
            Ok(direct.0)
        }
    }
}

/// The values of the results of one operation in a tile.
fn made<'c>(
    b: &Builder<'c>,
    tiler: &mut dyn Tiler<'c>,
    op: Op<'c>,
    tile: &TensorSlice<'c>,
) -> Result<Vec<Val<'c>>> {
    for value in op.operands().into_iter().chain(op.results()) {
        check(value)?;
    }
    match op.short_name() {
        "slice" => clone_for_tile::slice(b, tiler, op, tile),
        "pad" => clone_for_tile::padded(b, tiler, op, tile),
        "concatenate" => clone_for_tile::concatenated(b, tiler, op, tile),
        name if SAME.contains(&name)
            || name == "dynamic_broadcast_in_dim"
            || scalar::is_elementwise(op) =>
        {
            clone_for_tile::same(b, tiler, op, tile)
        }
        name => unsupported(format!("'{name}' has no tiles")),
    }
}

/// Operands of an operation that stands alone: slices of them.
#[derive(Default)]
struct Direct<'c>(Tiled<'c>);

impl<'c> Tiler<'c> for Direct<'c> {
    fn part(&mut self, b: &Builder<'c>, value: Val<'c>, part: &TensorSlice<'c>) -> Result<Val<'c>> {
        if part.is_all(value)? {
            return Ok(value);
        }
        let slice = part.slice_of(b, value, &vec![1; part.sizes.len()])?;
        self.0.slices.push(slice);
        Ok(slice.result(0))
    }

    fn size(&mut self, b: &Builder<'c>, value: Val<'c>, k: usize) -> Result<Ix<'c>> {
        dimension(b, value, k)
    }

    fn made(&mut self, op: Op<'c>) {
        self.0.ops.push(op);
    }
}
