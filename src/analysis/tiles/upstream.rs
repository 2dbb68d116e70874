//! The tiles of everything that a value is made of.

use super::Tile;
use mapwright_indexing::IndexingMap;
use mapwright_mlir::{Op, TensorType, Val, op};
use mapwright_ops::{Composer, control::regions, query};
use std::collections::HashMap;

/// The most tiles that one value has.
const LIMIT: usize = 16;

/// A value upstream of a root.
#[derive(Clone, Debug)]
pub struct Upstream<'c> {
    /// The operation that defines it; none for an argument.
    pub operation: Option<Op<'c>>,
    /// The value.
    pub value: Val<'c>,
    /// Together they hold what is read of it.
    ///
    /// # Errors
    /// Why that is no union of boxes.
    pub tiles: Result<Vec<Tile>, String>,
}

/// The tiles of everything that `root` is made of, for the given tile of `root`; `root` first, then
/// upstream in reverse order.
pub fn upstream<'c>(root: Val<'c>, tile: Tile) -> Vec<Upstream<'c>> {
    let mut walk = Walk::default();
    walk.add(root, Ok(vec![tile]));
    let Some((definition, _)) = op::defining_op(root) else {
        return walk.found;
    };
    let Some(block) = definition.block() else {
        return walk.found;
    };
    let operations = op::ops(block);
    let last = operations
        .iter()
        .position(|operation| *operation == definition)
        .unwrap_or(0);
    let composer = Composer::new();
    for operation in operations[..=last].iter().rev().copied() {
        for result in 0..operation.num_results() {
            let value = operation.result(result);
            let Some(tiles) = walk.tiles(value) else {
                continue;
            };
            for source in composer.output_to_input(operation, result).iter() {
                let operand = operation.operand(source.operand);
                walk.add(operand, step(&tiles, value, operand, &source.maps));
            }
            if regions::has_regions(operation) {
                for (operand, maps) in regions::captured(&composer, operation, result) {
                    walk.add(operand, step(&tiles, value, operand, &maps));
                }
            }
        }
    }
    walk.found
}

/// The tiles of `operand`, which is read through a union of maps; none if nothing is read.
fn step(
    tiles: &Result<Vec<Tile>, String>,
    result: Val<'_>,
    operand: Val<'_>,
    maps: &[IndexingMap],
) -> Result<Vec<Tile>, String> {
    let maps = maps.iter().filter(|map| !map.is_known_empty());
    let mut found = Vec::new();
    for map in maps {
        for tile in tiles.as_ref().map_err(Clone::clone)? {
            let tile = tile.through(map, &shape(result)?, &shape(operand)?)?;
            if !tile.is_never() {
                found.push(tile);
            }
        }
    }
    Ok(found)
}

/// Sizes as the maps have them: bounds for those that are known at run time only.
fn shape(value: Val<'_>) -> Result<Vec<i64>, String> {
    use mapwright_mlir::melior::ir::ValueLike;
    let ty = value.r#type();
    TensorType::from_mlir(ty)
        .map(|ty| query::sizes(&ty))
        .ok_or_else(|| format!("{ty} is not a ranked tensor"))
}

#[derive(Default)]
struct Walk<'c> {
    found: Vec<Upstream<'c>>,
    at: HashMap<usize, usize>,
}

impl<'c> Walk<'c> {
    fn tiles(&self, value: Val<'c>) -> Option<Result<Vec<Tile>, String>> {
        let at = self.at.get(&op::key(value))?;
        Some(self.found[*at].tiles.clone())
    }

    /// The value is read on one more way.
    fn add(&mut self, value: Val<'c>, tiles: Result<Vec<Tile>, String>) {
        if tiles.as_ref().is_ok_and(Vec::is_empty) {
            return;
        }
        let at = *self.at.entry(op::key(value)).or_insert_with(|| {
            self.found.push(Upstream {
                operation: op::defining_op(value).map(|(definition, _)| definition),
                value,
                tiles: Ok(Vec::new()),
            });
            self.found.len() - 1
        });
        let known = &mut self.found[at].tiles;
        match (known.as_mut(), tiles) {
            (Err(_), _) => {}
            (Ok(_), Err(reason)) => *known = Err(reason),
            (Ok(all), Ok(tiles)) => {
                for mut tile in tiles {
                    if let Some(other) = all.iter_mut().find(|other| other.covers(&tile)) {
                        other.join(&tile);
                        continue;
                    }
                    all.retain(|other| {
                        let covered = tile.covers(other);
                        if covered {
                            tile.join(other);
                        }
                        !covered
                    });
                    all.push(tile);
                }
                if all.len() > LIMIT {
                    *known = Err(format!("it is read in more than {LIMIT} ways"));
                }
            }
        }
    }
}
