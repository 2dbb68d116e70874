//! A picture of a program: one self-contained page that draws it as a graph and shows, for an element or tile of a result (or of an
//! operand), which elements are read (or made), with the maps and their domains. [`grids`] draws the
//! maps of one element without a browser.

pub mod grids;
pub mod svg;

use mapwright_indexing::{Expr, ExprKind, IndexingMap, Interval, Op as Operator};
use mapwright_mlir::{Op, TensorType, Val, diagnostic::location_text, op};
use mapwright_ops::{Composer, operations, query};
use serde_json::{Value, json};
use std::collections::HashMap;

/// The page for everything under `root` (a module or a function).
pub fn html(root: Op<'_>) -> String {
    // A script element ends at the first `</script`, also within a string.
    let data = document(root).to_string().replace("</", "<\\/");
    include_str!("page.html").replacen("@DATA@", &data, 1)
}

fn document(root: Op<'_>) -> Value {
    let composer = Composer::new();
    let all: Vec<Op<'_>> = operations(root)
        .into_iter()
        .filter(|operation| !operation.name().starts_with("func."))
        .collect();
    let mut number: HashMap<usize, usize> = HashMap::new();
    for (i, operation) in all.iter().enumerate() {
        for result in operation.results() {
            number.insert(op::key(result), i);
        }
    }
    let mut names = Names::default();
    let ops: Vec<Value> = all
        .iter()
        .map(|operation| {
            let mut uses: Vec<usize> = operation.operands().iter().filter_map(|value| number.get(&op::key(*value)).copied()).collect();
            uses.sort_unstable();
            uses.dedup();
            let backward: Vec<Value> = (0..operation.num_results())
                .flat_map(|result| {
                    let found = composer.output_to_input(*operation, result);
                    let of = |maps: &[IndexingMap]| maps.iter().map(map).collect::<Vec<_>>();
                    found.iter().map(|f| json!({"result": result, "operand": f.operand, "maps": of(&f.maps)})).collect::<Vec<_>>()
                })
                .collect();
            let forward: Vec<Value> = (0..operation.num_operands())
                .flat_map(|operand| {
                    let found = composer.input_to_output(*operation, operand);
                    let of = |maps: &[IndexingMap]| maps.iter().map(map).collect::<Vec<_>>();
                    found.iter().map(|f| json!({"operand": operand, "result": f.result, "maps": of(&f.maps)})).collect::<Vec<_>>()
                })
                .collect();
            json!({
                "op": operation.name(),
                "location": location_text(operation.location()),
                "uses": uses,
                "results": operation.results().into_iter().map(|value| names.tensor(value)).collect::<Vec<_>>(),
                "operands": operation.operands().into_iter().map(|value| names.tensor(value)).collect::<Vec<_>>(),
                "output_to_input": backward,
                "input_to_output": forward,
            })
        })
        .collect();
    json!({ "ops": ops })
}

/// Numbers for values, in the order in which they are met: asking MLIR for each label numbers the whole function every time.
#[derive(Default)]
struct Names {
    known: HashMap<usize, String>,
    results: usize,
}

impl Names {
    fn name(&mut self, value: Val<'_>) -> String {
        if let Some(name) = self.known.get(&op::key(value)) {
            return name.clone();
        }
        let name = match op::block_argument(value) {
            Some((_, i)) => format!("%arg{i}"),
            None => {
                self.results += 1;
                format!("%{}", self.results - 1)
            }
        };
        self.known.insert(op::key(value), name.clone());
        name
    }

    fn tensor(&mut self, value: Val<'_>) -> Value {
        use mapwright_mlir::melior::ir::ValueLike;
        let ty = value.r#type();
        let shape = TensorType::from_mlir(ty)
            .map(|ty| query::sizes(&ty))
            .filter(|sizes| sizes.iter().all(|n| *n < query::UNBOUNDED));
        json!({"value": self.name(value), "type": ty.to_string(), "shape": shape})
    }
}

fn interval(interval: Interval) -> Value {
    // What a number of JavaScript holds exactly.
    let end = |v: i64| v.clamp(-(1 << 53), 1 << 53);
    json!([end(interval.lower), end(interval.upper)])
}

fn map(map: &IndexingMap) -> Value {
    json!({
        "text": map.unknown_reason().map_or_else(|| map.to_string(), |reason| format!("unknown: {reason}")),
        "exact": map.exact,
        "empty": map.is_known_empty(),
        "unknown": map.unknown_reason(),
        "dims": map.dims.iter().map(|v| interval(v.interval)).collect::<Vec<_>>(),
        "ranges": map.ranges.iter().map(|v| interval(v.interval)).collect::<Vec<_>>(),
        "runtime": map.runtime.iter().enumerate().map(|(i, v)| json!({
            "name": if v.name.is_empty() { format!("rt{i}") } else { v.name.clone() },
            "value": v.origin.value, "interval": interval(v.interval),
        })).collect::<Vec<_>>(),
        "results": map.results.iter().map(script).collect::<Vec<_>>(),
        "constraints": map.constraints.iter().map(|k| {
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
