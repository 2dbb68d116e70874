//! The JSON of `mapwright analyze`: one array, an object an operation, with `op`, `location` and the answer.
//!
//! - views: `"results": [{"result": 0, "storage": "view", "of": "%arg0", "offset": 0, "strides": […], "layout": "strided<…>"} |
//!   {"storage": "own"} | {"storage": "copy", "reason": "…"}]`;
//! - utilization: `"operands": [{"result": 0, "operand": 0, "elements": n, "used": n, "fraction": x, "reads": n,
//!   "reads_per_element": x, "exact": bool, "reason": null | "…"}]`;
//! - coalescing: `"accesses": [{"result": 0, "operand": 0, "map": "…", "loops": [stride | null, …], "ranges": […], "kind": "…",
//!   "bytes_touched": n, "bytes_used": n, "line_efficiency": x}]`, loops in the order of the result's dimensions, outermost first;
//! - tiles: for the first result of every function, the tile of every value upstream: `"tile": {"value": "%0", "offsets": ["o0"],
//!   "sizes": ["t0"], "strides": [1], "conditions": ["o0 mod 4 in [0, 0]"], "exact": bool} | {"value": "%0", "refused": "…"}`.

use crate::{coalescing, tiles, utilization, views};
use mapwright_indexing::IndexingMap;
use mapwright_mlir::{ElementType, Op, TensorType, Val, diagnostic::location_text, op};
use mapwright_ops::{Composer, compose, operations};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Which analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// [`crate::views`]
    Views,
    /// [`crate::utilization`]
    Utilization,
    /// [`crate::coalescing`]
    Coalescing,
    /// [`crate::tiles`]
    Tiles,
}

impl What {
    /// By the name on the command line.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "views" => Some(Self::Views),
            "utilization" => Some(Self::Utilization),
            "coalescing" => Some(Self::Coalescing),
            "tiles" => Some(Self::Tiles),
            _ => None,
        }
    }
}

fn tensor(value: Val<'_>) -> Option<TensorType> {
    use mapwright_mlir::melior::ir::ValueLike;
    TensorType::from_mlir(value.r#type())
}

fn with(operation: Op<'_>, key: &str, answer: Value) -> Value {
    json!({"op": operation.name(), "location": location_text(operation.location()), key: answer})
}

/// The answers for all operations under `root` (a module or a function). `width` is the vector width in elements, for coalescing.
pub fn analyze(root: Op<'_>, what: What, width: i64) -> Value {
    match what {
        What::Views => storage(root),
        What::Utilization => used(root),
        What::Coalescing => accesses(root, width),
        What::Tiles => tiled(root),
    }
}

fn storage(root: Op<'_>) -> Value {
    let mut all = views::Views::new();
    let mut answers = Vec::new();
    for operation in operations(root) {
        if operation.name().starts_with("func.") {
            continue;
        }
        let results: Vec<Value> = (0..operation.num_results())
            .map(|i| match all.storage(operation, i) {
                views::Storage::Own => json!({"result": i, "storage": "own"}),
                views::Storage::Copy { reason } => json!({"result": i, "storage": "copy", "reason": reason}),
                views::Storage::View { of, layout } => json!({
                    "result": i, "storage": "view", "of": op::label(of), "offset": layout.offset, "strides": layout.strides,
                    "layout": layout.layout(),
                }),
            })
            .collect();
        answers.push(with(operation, "results", results.into()));
    }
    answers.into()
}

/// Calls `f` for every result and operand with its maps.
fn each_pair<'c>(
    operation: Op<'c>,
    composer: &Composer<'c>,
    mut f: impl FnMut(usize, usize, &[IndexingMap]) -> Option<Value>,
) -> Value {
    let mut answers = Vec::new();
    for result in 0..operation.num_results() {
        for found in composer.output_to_input(operation, result).iter() {
            answers.extend(f(result, found.operand, &found.maps));
        }
    }
    answers.into()
}

fn used(root: Op<'_>) -> Value {
    let composer = Composer::new();
    let of = |operation| {
        each_pair(operation, &composer, |result, operand, maps| {
            let sizes = tensor(operation.operand(operand))?.bounding_shape()?;
            let found = utilization::utilization(maps, &sizes, None);
            let number = |n: u128| u64::try_from(n).unwrap_or(u64::MAX);
            Some(json!({
                "result": result, "operand": operand, "elements": number(found.elements), "used": number(found.used),
                "fraction": found.fraction(), "reads": number(found.reads), "reads_per_element": found.reads_per_element(),
                "exact": found.bound.is_none(), "reason": found.bound,
            }))
        })
    };
    in_functions(root)
        .into_iter()
        .map(|operation| with(operation, "operands", of(operation)))
        .collect()
}

fn accesses(root: Op<'_>, width: i64) -> Value {
    let composer = Composer::new();
    let of = |operation| {
        each_pair(operation, &composer, |result, operand, maps| {
            let ty = tensor(operation.operand(operand))?;
            let sizes = ty.bounding_shape()?;
            let bytes = byte_width(&ty.element);
            let rank = tensor(operation.result(result))?.rank();
            let order: Vec<usize> = (0..rank).collect();
            let found: Vec<Value> = maps
                .iter()
                .filter_map(|map| {
                    let access = coalescing::access(map, &sizes, bytes, &order, width)?;
                    let efficiency = match (access.bytes_used, access.bytes_touched) {
                        (Some(used), Some(touched)) if touched > 0 => Some(used as f64 / touched as f64),
                        _ => None,
                    };
                    Some(json!({
                        "result": result, "operand": operand, "map": map.to_string(), "loops": access.loops, "ranges": access.ranges,
                        "kind": access.kind.name(), "bytes_touched": access.bytes_touched, "bytes_used": access.bytes_used,
                        "line_efficiency": efficiency,
                    }))
                })
                .collect();
            Some(found.into())
        })
    };
    let flatten = |value: Value| -> Value {
        let Value::Array(lists) = value else {
            return value;
        };
        lists
            .into_iter()
            .flat_map(|list| match list {
                Value::Array(items) => items,
                other => vec![other],
            })
            .collect()
    };
    in_functions(root)
        .into_iter()
        .map(|operation| with(operation, "accesses", flatten(of(operation))))
        .collect()
}

fn byte_width(element: &ElementType) -> i64 {
    element.byte_width().map_or(1, |n| n as i64)
}

fn in_functions(root: Op<'_>) -> Vec<Op<'_>> {
    operations(root)
        .into_iter()
        .filter(|operation| !operation.name().starts_with("func."))
        .collect()
}

fn tiled(root: Op<'_>) -> Value {
    let mut answers = Vec::new();
    let functions: Vec<Op<'_>> = std::iter::once(root)
        .chain(root.descendants())
        .filter(|operation| operation.name() == "func.func")
        .collect();
    for function in functions {
        let Some(body) = function.body(0) else {
            continue;
        };
        let Some(returned) = op::ops(body)
            .last()
            .copied()
            .filter(|last| last.num_operands() > 0)
        else {
            continue;
        };
        let Some(value) = compose::leaves(returned.operand(0)).first().copied() else {
            continue;
        };
        answers.extend(upstream(value).into_iter().map(|(operation, value, tile)| {
            let answer = match tile {
                Ok(tile) => json!({
                    "value": op::label(value),
                    "offsets": tile.offsets.iter().map(tiles::text).collect::<Vec<_>>(),
                    "sizes": tile.sizes.iter().map(tiles::text).collect::<Vec<_>>(),
                    "strides": tile.strides,
                    "conditions": tile.conditions.iter().map(|k| format!("{} in {}", tiles::text(&k.expr), k.interval)).collect::<Vec<_>>(),
                    "exact": tile.exact,
                }),
                Err(reason) => json!({"value": op::label(value), "refused": reason}),
            };
            match operation {
                Some(operation) => with(operation, "tile", answer),
                None => json!({"op": null, "location": location_text(function.location()), "tile": answer}),
            }
        }));
    }
    answers.into()
}

/// A value upstream of a root: the operation that defines it (none for an argument), the value, its tile.
pub type Upstream<'c> = (Option<Op<'c>>, Val<'c>, Result<tiles::Tile, String>);

/// The tiles of everything that `root` is made of, for a tile of `root` with strides 1; `root` first, then upstream in reverse order.
/// A value that is read in several ways needs one tile that serves all: it is refused unless they agree.
pub fn upstream(root: Val<'_>) -> Vec<Upstream<'_>> {
    let mut found: Vec<Upstream<'_>> = Vec::new();
    let mut at: HashMap<usize, usize> = HashMap::new();
    let Some(ty) = tensor(root) else { return found };
    found.push((
        op::defining_op(root).map(|(def, _)| def),
        root,
        Ok(tiles::Tile::root(&vec![1; ty.rank()])),
    ));
    at.insert(op::key(root), 0);
    let Some((definition, _)) = op::defining_op(root) else {
        return found;
    };
    let Some(block) = definition.block() else {
        return found;
    };
    let operations = op::ops(block);
    let last = operations
        .iter()
        .position(|operation| *operation == definition)
        .unwrap_or(0);
    for operation in operations[..=last].iter().rev().copied() {
        for result in 0..operation.num_results() {
            let Some(i) = at.get(&op::key(operation.result(result))).copied() else {
                continue;
            };
            for source in mapwright_ops::output_to_input(operation, result) {
                let operand = operation.operand(source.operand);
                let next = found[i]
                    .2
                    .clone()
                    .and_then(|tile| step(&tile, operation, result, source.operand, &source.maps));
                let Some(next) = next.transpose() else {
                    continue;
                };
                match at.get(&op::key(operand)).copied() {
                    None => {
                        at.insert(op::key(operand), found.len());
                        found.push((op::defining_op(operand).map(|(def, _)| def), operand, next));
                    }
                    Some(other) => {
                        let both = match (&found[other].2, &next) {
                            (Ok(a), Ok(b)) if same_box(a, b) => Ok(join(a, b)),
                            (Ok(_), Ok(_)) => {
                                Err("it is read in several ways, with different tiles".into())
                            }
                            (Err(reason), _) | (_, Err(reason)) => Err(reason.clone()),
                        };
                        found[other].2 = both;
                    }
                }
            }
        }
    }
    found
}

fn step(
    tile: &tiles::Tile,
    operation: Op<'_>,
    result: usize,
    operand: usize,
    maps: &[IndexingMap],
) -> Result<Option<tiles::Tile>, String> {
    let sizes = |value: Val<'_>| {
        tensor(value)
            .and_then(|ty| ty.static_shape())
            .ok_or("a size is known at run time only")
    };
    let (from, to) = (
        sizes(operation.result(result))?,
        sizes(operation.operand(operand))?,
    );
    match maps {
        [map] if map.is_known_empty() => Ok(None),
        [map] => tile.through(map, &from, &to).map(Some),
        _ => Err(format!("it is read in {} pieces", maps.len())),
    }
}

fn same_box(a: &tiles::Tile, b: &tiles::Tile) -> bool {
    a.offsets == b.offsets && a.sizes == b.sizes && a.strides == b.strides
}

fn join(a: &tiles::Tile, b: &tiles::Tile) -> tiles::Tile {
    let mut both = a.clone();
    for condition in &b.conditions {
        if !both.conditions.contains(condition) {
            both.conditions.push(condition.clone());
        }
    }
    both.exact = a.exact || b.exact;
    both
}
