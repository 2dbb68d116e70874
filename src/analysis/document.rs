//! The answers of the analyses as JSON, for `mapwright analyze` and the attributes of
//! `indexing-analyze`.
//!
//! An object an operation, with `op`, `location` and the answer:
//!
//! - views: `"results": [{"result": 0, "storage": "view", "of": "%arg0", "offset":
//!   0, "strides": […], "layout": "strided<…>"} | {"storage": "own"} |
//!   {"storage": "copy", "reason": "…"}]`; where the offset is known at run time only, also
//!   `"runtime_offset": [{"stride": n, "value": "%arg1", "index": "…", "clamp": [a, b]}]`, which is
//!   added to `offset`;
//! - utilization: `"operands": [{"result": 0, "operand": 0, "elements": n, "used": n,
//!   "fraction": x, "reads": n | null, "reads_per_element": x | null,
//!   "exact": bool, "reason": null | "…"}]`; with a tile, also
//!   `"tile": {"offsets", "sizes", "used", …}`;
//! - coalescing: `"accesses": [{"result": 0, "operand": 0, "map": "…", "order": […],
//!   "loops": [stride | null, …], "ranges": […], "kind": "…",
//!   "bytes_touched": n, "bytes_used": n, "line_efficiency": x}]`, loops in the given order,
//!   outermost first;
//! - tiles: for a result of every function, the tiles of every value upstream:
//!   `"tile": {"value": "%0", "tiles": [{"offsets": ["o0"], "sizes":
//!   ["t0"], "strides": [1], "conditions": ["o0 mod 4 in [0, 0]"], "exact":
//!   bool, "when": […], "runtime": […]}]} | {"value": "%0", "refused": "…"}`. The members of an
//!   only tile also stand beside `tiles`. `when` and `runtime` are left out where they are empty.

pub use crate::request::{Request, What, check};
use crate::{
    coalescing,
    request::{functions, returned, root_tile, tensor},
    tiles::{self, Tile, Upstream},
    utilization, views,
};
use mapwright_indexing::{IndexingMap, Interval, RuntimeVariable};
use mapwright_mlir::{ElementType, Op, diagnostic::location_text, labels::Numbering, op};
use mapwright_ops::{Composer, operations, query};
use serde_json::{Value, json};

/// Findings about one operation, or about the arguments of a function.
#[derive(Clone, Debug)]
pub struct Answer<'c> {
    /// The operation; the function, for its arguments.
    pub operation: Op<'c>,
    /// Whether it is about an argument.
    pub argument: bool,
    /// The findings: a list, or for tiles an object.
    pub found: Value,
}

/// The answers for all operations under `root` (a module or a function), in the order of the
/// program.
pub fn answers<'c>(root: Op<'c>, what: What, request: &Request) -> Vec<Answer<'c>> {
    let _names = Numbering::for_op(root);
    match what {
        What::Views => storage(root),
        What::Utilization => used(root, request),
        What::Coalescing => accesses(root, request),
        What::Tiles => tiled(root, request),
    }
}

/// The answers as one array.
pub fn analyze(root: Op<'_>, what: What, request: &Request) -> Value {
    answers(root, what, request)
        .into_iter()
        .map(|answer| {
            let name = (!answer.argument).then(|| answer.operation.name());
            let location = location_text(answer.operation.location());
            json!({"op": name, "location": location, what.key(): answer.found})
        })
        .collect()
}

fn about(operation: Op<'_>, found: Value) -> Answer<'_> {
    Answer {
        operation,
        argument: false,
        found,
    }
}

fn runtime(variable: &RuntimeVariable) -> Value {
    let clamp = variable.clamp();
    json!({
        "value": variable.origin.value,
        "index": variable.origin.index.as_ref().map(ToString::to_string),
        "clamp": [clamp.lower, clamp.upper],
    })
}

fn storage(root: Op<'_>) -> Vec<Answer<'_>> {
    let mut all = views::Views::new();
    operations(root)
        .into_iter()
        .map(|operation| {
            let results = (0..operation.num_results())
                .map(|i| match all.storage(operation, i) {
                    views::Storage::Own => json!({"result": i, "storage": "own"}),
                    views::Storage::Copy { reason } => {
                        json!({"result": i, "storage": "copy", "reason": reason})
                    }
                    views::Storage::View { of, layout } => {
                        let mut view = json!({
                            "result": i, "storage": "view", "of": op::label(of), "offset": layout.known.offset,
                            "strides": layout.known.strides, "layout": layout.layout(),
                        });
                        if !layout.added.is_empty() {
                            let added = layout.added.iter().map(|(stride, variable)| {
                                let mut part = json!({"stride": stride});
                                merge(&mut part, runtime(variable));
                                part
                            });
                            view["runtime_offset"] = added.collect();
                        }
                        view
                    }
                })
                .collect();
            about(operation, results)
        })
        .collect()
}

/// Adds the members of an object.
fn merge(into: &mut Value, from: Value) {
    if let (Some(into), Value::Object(from)) = (into.as_object_mut(), from) {
        into.extend(from);
    }
}

/// Calls `f` for every result and operand with its maps.
fn each_pair<'c>(
    root: Op<'c>,
    mut f: impl FnMut(Op<'c>, usize, usize, &[IndexingMap]) -> Vec<Value>,
) -> Vec<Answer<'c>> {
    let composer = Composer::new();
    operations(root)
        .into_iter()
        .map(|operation| {
            let mut found = Vec::new();
            for result in 0..operation.num_results() {
                for source in composer.output_to_input(operation, result).iter() {
                    found.extend(f(operation, result, source.operand, &source.maps));
                }
            }
            about(operation, found.into())
        })
        .collect()
}

fn used<'c>(root: Op<'c>, request: &Request) -> Vec<Answer<'c>> {
    let number = |n: u128| u64::try_from(n).unwrap_or(u64::MAX);
    let numbers = |found: &utilization::Utilization| {
        json!({
            "used": number(found.used), "fraction": found.fraction(), "reads": found.reads.map(number),
            "reads_per_element": found.reads_per_element(), "exact": found.bound.is_none(), "reason": found.bound,
        })
    };
    each_pair(root, |operation, result, operand, maps| {
        let Some(sizes) = tensor(operation.operand(operand)).and_then(|ty| ty.bounding_shape())
        else {
            return Vec::new();
        };
        let found = utilization::utilization(maps, &sizes, None);
        let mut answer =
            json!({"result": result, "operand": operand, "elements": number(found.elements)});
        merge(&mut answer, numbers(&found));
        let rank = tensor(operation.result(result)).map(|ty| ty.rank());
        if let Some(tile) = interval_tile(request).filter(|tile| Some(tile.len()) == rank) {
            let lower: Vec<i64> = tile.iter().map(|i| i.lower).collect();
            let mut part = json!({"offsets": lower, "sizes": request.tile_sizes});
            merge(
                &mut part,
                numbers(&utilization::utilization(maps, &sizes, Some(&tile))),
            );
            answer["tile"] = part;
        }
        vec![answer]
    })
}

/// The indices of the tile that is asked for.
fn interval_tile(request: &Request) -> Option<Vec<Interval>> {
    if request.tile_sizes.is_empty() {
        return None;
    }
    let offset = |k: usize| request.tile_offsets.get(k).copied().unwrap_or(0);
    Some(
        (request.tile_sizes.iter().enumerate())
            .map(|(k, size)| {
                let last = offset(k).saturating_add(size.saturating_sub(1));
                Interval::new(offset(k), last)
            })
            .collect(),
    )
}

fn accesses<'c>(root: Op<'c>, request: &Request) -> Vec<Answer<'c>> {
    each_pair(root, |operation, result, operand, maps| {
        let (Some(ty), Some(to)) = (
            tensor(operation.operand(operand)),
            tensor(operation.result(result)),
        ) else {
            return Vec::new();
        };
        let Some(sizes) = ty.bounding_shape() else {
            return Vec::new();
        };
        let bytes = byte_width(&ty.element);
        let order = order(request, to.rank());
        maps.iter()
            .filter_map(|map| {
                let access = coalescing::access(map, &sizes, bytes, &order, request.width)?;
                let efficiency = match (access.bytes_touched, access.bytes_used) {
                    (Some(touched), Some(used)) if touched > 0 => Some(used as f64 / touched as f64),
                    _ => None,
                };
                Some(json!({
                    "result": result, "operand": operand, "map": map.to_string(), "order": order, "loops": access.loops,
                    "ranges": access.ranges, "kind": access.kind.name(), "bytes_touched": access.bytes_touched,
                    "bytes_used": access.bytes_used, "line_efficiency": efficiency,
                }))
            })
            .collect()
    })
}

/// The loop order that is asked for, if it is one for this rank; otherwise the order of the
/// dimensions.
fn order(request: &Request, rank: usize) -> Vec<usize> {
    let mut sorted = request.order.clone();
    sorted.sort_unstable();
    if sorted.iter().copied().eq(0..rank) {
        request.order.clone()
    } else {
        (0..rank).collect()
    }
}

fn byte_width(element: &ElementType) -> i64 {
    element.byte_width().map_or(1, |n| n as i64)
}

fn tiled<'c>(root: Op<'c>, request: &Request) -> Vec<Answer<'c>> {
    let mut found = Vec::new();
    for function in functions(root) {
        let value = returned(function).into_iter().nth(request.result);
        let Some((value, ty)) = value.and_then(|value| Some((value, tensor(value)?))) else {
            continue;
        };
        let all = match root_tile(&query::sizes(&ty), request) {
            Ok(tile) => tiles::upstream(value, tile),
            Err(reason) => vec![Upstream {
                operation: op::defining_op(value).map(|(definition, _)| definition),
                value,
                tiles: Err(reason),
            }],
        };
        found.extend(all.into_iter().map(|upstream| Answer {
            operation: upstream.operation.unwrap_or(function),
            argument: upstream.operation.is_none(),
            found: tile_answer(&upstream),
        }));
    }
    found
}

fn tile_answer(upstream: &Upstream<'_>) -> Value {
    let mut answer = json!({"value": op::label(upstream.value)});
    match &upstream.tiles {
        Err(reason) => answer["refused"] = json!(reason),
        Ok(tiles) => {
            let all: Vec<Value> = tiles.iter().map(tile_json).collect();
            if let [only] = all.as_slice() {
                merge(&mut answer, only.clone());
            }
            answer["tiles"] = all.into();
        }
    }
    answer
}

fn tile_json(tile: &Tile) -> Value {
    let texts = |exprs: &[mapwright_indexing::Expr]| -> Vec<String> {
        exprs.iter().map(tiles::text).collect()
    };
    let mut answer = json!({
        "offsets": texts(&tile.offsets), "sizes": texts(&tile.sizes), "strides": tile.strides,
        "conditions": tile.conditions().map(tiles::Condition::text).collect::<Vec<_>>(), "exact": tile.exact,
    });
    let presence: Vec<String> = tile.presence().map(tiles::Condition::text).collect();
    if !presence.is_empty() {
        answer["when"] = presence.into();
    }
    if !tile.runtime.is_empty() {
        let variables = tile.runtime.iter().enumerate().map(|(k, variable)| {
            let mut entry = json!({"name": format!("rt{k}")});
            merge(&mut entry, runtime(variable));
            entry
        });
        answer["runtime"] = variables.collect();
    }
    answer
}
