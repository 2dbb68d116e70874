//! A picture of a program: one self-contained page that draws it as a graph and shows, for an
//! element or tile of a result (or of an operand), which elements are read (or made), with the maps
//! and their domains. [`grids`] draws the maps of one element without a browser.

pub mod grids;
pub mod svg;

use mapwright_indexing::{Expr, ExprKind, IndexingMap, Interval, Op as Operator};
use mapwright_mlir::{Op, TensorType, Val, diagnostic::location_text, labels::Numbering, op};
use mapwright_ops::{Composer, operations, query};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};

/// The page for everything under `root` (a module or a function).
pub fn html(root: Op<'_>) -> String {
    // A script element ends at the first `</script`, also within a string.
    let data = document(root).to_string().replace("</", "<\\/");
    include_str!("page.html").replacen("@DATA@", &data, 1)
}

/// The functions at and below `root`, each with its arguments and operations, and the one that the
/// page begins with: `main`, or the first public one.
fn document(root: Op<'_>) -> Value {
    let composer = Composer::new();
    let mut functions = vec![root];
    functions.extend(root.descendants());
    functions.retain(|op| op.name().ends_with(".func") && op.body(0).is_some());
    let name = |function: &Op<'_>| function.string("sym_name").unwrap_or_default();
    let is_public = |function: &Op<'_>| {
        let visibility = function.string("sym_visibility");
        visibility.is_none_or(|text| text == "public")
    };
    let main = functions
        .iter()
        .position(|function| name(function) == "main");
    let first = main.or_else(|| functions.iter().position(is_public));
    let all = functions.iter().map(|function| {
        let ops = nodes(*function, &composer);
        json!({ "name": name(function), "ops": ops, "composed": composed(*function, &composer) })
    });
    json!({ "functions": all.collect::<Vec<_>>(), "first": first.unwrap_or(0) })
}

/// The arguments of a function, as operations without operands, and its operations. Values have the
/// names that MLIR prints.
fn nodes<'c>(function: Op<'c>, composer: &Composer<'c>) -> Vec<Value> {
    let _numbering = Numbering::for_op(function);
    let arguments = function.body(0).map(op::arguments).unwrap_or_default();
    let all = operations(function);
    let all = all
        .into_iter()
        .filter(|operation| operation.name() != "func.func");
    let all: Vec<Op<'c>> = all.collect();
    let mut number: HashMap<usize, usize> = HashMap::new();
    let values = arguments.iter().map(|argument| vec![*argument]);
    let values = values.chain(all.iter().map(|operation| operation.results()));
    for (i, values) in values.enumerate() {
        number.extend(values.iter().map(|value| (op::key(*value), i)));
    }
    let node = |name: &str,
                location: String,
                results: &[Val<'_>],
                operands: &[Val<'_>],
                maps: [Vec<Value>; 2]| {
        let uses = operands
            .iter()
            .filter_map(|value| number.get(&op::key(*value)));
        let uses: BTreeSet<usize> = uses.copied().collect();
        let [backward, forward] = maps;
        json!({
            "op": name,
            "location": location,
            "uses": uses,
            "results": results.iter().map(|value| tensor(*value)).collect::<Vec<_>>(),
            "operands": operands.iter().map(|value| tensor(*value)).collect::<Vec<_>>(),
            "output_to_input": backward,
            "input_to_output": forward,
        })
    };
    let place = location_text(function.location());
    let arguments = arguments.iter().map(|argument| {
        node(
            "argument",
            place.clone(),
            &[*argument],
            &[],
            [Vec::new(), Vec::new()],
        )
    });
    let operations = all.iter().map(|operation| {
        let of = |maps: &[IndexingMap]| maps.iter().map(map).collect::<Vec<_>>();
        let mut backward = Vec::new();
        for result in 0..operation.num_results() {
            for found in composer.output_to_input(*operation, result).iter() {
                backward.push(
                    json!({"result": result, "operand": found.operand, "maps": of(&found.maps)}),
                );
            }
        }
        let mut forward = Vec::new();
        for operand in 0..operation.num_operands() {
            for found in composer.input_to_output(*operation, operand).iter() {
                forward.push(
                    json!({"operand": operand, "result": found.result, "maps": of(&found.maps)}),
                );
            }
        }
        node(
            operation.name(),
            location_text(operation.location()),
            &operation.results(),
            &operation.operands(),
            [backward, forward],
        )
    });
    arguments.chain(operations).collect()
}

/// The function as one operation, from its arguments to its results; null if it gives nothing.
fn composed<'c>(function: Op<'c>, composer: &Composer<'c>) -> Option<Value> {
    let _numbering = Numbering::for_op(function);
    let arguments = function.body(0).map(op::arguments)?;
    let panels = grids::of_results(function, composer);
    let results: Vec<Val<'_>> = panels.iter().map(|(_, result, _)| *result).collect();
    if results.is_empty() {
        return None;
    }
    let mut backward = Vec::new();
    for (result, (_, _, reads)) in panels.iter().enumerate() {
        for (argument, maps) in reads {
            let operand = arguments.iter().position(|own| own == argument);
            let maps: Vec<Value> = maps.iter().map(map).collect();
            backward.push(json!({"result": result, "operand": operand, "maps": maps}));
        }
    }
    let mut forward = Vec::new();
    for (operand, argument) in arguments.iter().enumerate() {
        for (value, maps) in composer.forward(*argument).iter() {
            let own = |(_, result): &(usize, &Val<'_>)| **result == value;
            for (result, _) in results.iter().enumerate().filter(own) {
                let maps: Vec<Value> = maps.iter().map(map).collect();
                forward.push(json!({"operand": operand, "result": result, "maps": maps}));
            }
        }
    }
    Some(json!({
        "op": format!("@{}", function.string("sym_name").unwrap_or_default()),
        "location": location_text(function.location()),
        "results": results.iter().map(|value| tensor(*value)).collect::<Vec<_>>(),
        "operands": arguments.iter().map(|value| tensor(*value)).collect::<Vec<_>>(),
        "output_to_input": backward,
        "input_to_output": forward,
    }))
}

fn tensor(value: Val<'_>) -> Value {
    use mapwright_mlir::melior::ir::ValueLike;
    let ty = value.r#type();
    let shape = TensorType::from_mlir(ty)
        .map(|ty| query::sizes(&ty))
        .filter(|sizes| sizes.iter().all(|n| *n < query::UNBOUNDED));
    json!({"value": op::label(value), "type": ty.to_string(), "shape": shape})
}

fn interval(interval: Interval) -> Value {
    // What a number of JavaScript holds exactly.
    let end = |v: i64| v.clamp(-(1 << 53), 1 << 53);
    json!([end(interval.lower), end(interval.upper)])
}

fn map(map: &IndexingMap) -> Value {
    json!({
        "text": map.unknown_reason().map_or_else(|| map.to_string(), |reason| format!("unknown: {reason}")),
        "exact": map.is_exact(),
        "empty": map.is_known_empty(),
        "unknown": map.unknown_reason(),
        "dims": map.dims().iter().map(|v| interval(v.interval)).collect::<Vec<_>>(),
        "ranges": map.ranges().iter().map(|v| interval(v.interval)).collect::<Vec<_>>(),
        "runtime": map.runtime().iter().enumerate().map(|(i, v)| json!({
            "name": if v.name.is_empty() { format!("rt{i}") } else { v.name.clone() },
            "value": v.origin.value, "interval": interval(v.interval),
        })).collect::<Vec<_>>(),
        "results": map.results().iter().map(script).collect::<Vec<_>>(),
        "constraints": map.constraints().iter().map(|k| {
            let ends = interval(k.interval);
            json!([script(&k.expr), ends[0], ends[1]])
        }).collect::<Vec<_>>(),
    })
}

/// An expression in JavaScript over arrays `d`, `s`, `r`.
fn script(expr: &Expr) -> String {
    match expr.kind() {
        ExprKind::Constant(v) => format!("({v})"),
        ExprKind::Dim(k) => format!("d[{k}]"),
        ExprKind::Range(k) => format!("s[{k}]"),
        ExprKind::Runtime(k) => format!("r[{k}]"),
        ExprKind::Binary(operator, a, b) => {
            let (a, b) = (script(a), script(b));
            match operator {
                Operator::Add => format!("({a}+{b})"),
                Operator::Mul => format!("({a}*{b})"),
                Operator::FloorDiv => format!("fd({a},{b})"),
                Operator::CeilDiv => format!("cd({a},{b})"),
                Operator::Mod => format!("md({a},{b})"),
                Operator::Min => format!("Math.min({a},{b})"),
                Operator::Max => format!("Math.max({a},{b})"),
            }
        }
    }
}
