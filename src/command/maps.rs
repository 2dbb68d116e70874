//! `mapwright maps`: the indexing maps of every operation of a module.

use super::{
    input::{Source, legalize},
    laid::{layouts, result_layout, value_layout},
    output::{self, Files, different},
};
use crate::{
    analysis::picture,
    indexing::{IndexingMap, Interval, compose},
    mlir::{
        Op, TensorType, Val, diagnostic::location_text, labels::Numbering, melior::ir::ValueLike,
        op,
    },
    ops::{
        Composer,
        compose::{Reached, leaves},
        operations,
        related_sizes::Related,
        sizes::origin_among,
    },
};
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use mapwright_normalize::sizes::related;
use serde_json::{Value, json};
use std::{collections::HashMap, fmt::Write as _, path::Path, process::ExitCode};

/// Indexing maps of every operation of a module.
#[derive(Args)]
pub(crate) struct Maps {
    /// The program, or `-` for standard input
    file: String,
    #[command(flatten)]
    question: Question,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
    /// Writes a page that draws the program, and shows for an element what it reads
    #[arg(long, value_name = "OUT.html")]
    html: Option<std::path::PathBuf>,
    /// Writes a picture of the maps, with `--compose` of those between results and arguments
    #[arg(long, value_name = "OUT.svg")]
    svg: Option<std::path::PathBuf>,
}

/// The choice of maps of a program.
#[derive(Args, Default)]
pub struct Question {
    /// Only this function
    #[arg(long, value_name = "NAME")]
    pub func: Option<String>,
    /// From results to operands, from operands to results, or both
    #[arg(long, value_enum, default_value_t = Direction::OutputToInput)]
    pub direction: Direction,
    /// Also the maps of every result of a function with respect to each argument
    #[arg(long)]
    pub compose: bool,
    /// Leave the maps of single operations as they are built
    #[arg(long)]
    pub no_simplify: bool,
    /// Maps between arrays in memory, by the layouts that the program states
    #[arg(long)]
    pub physical: bool,
}

/// The directions of maps.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Direction {
    /// From an element of a result to the elements of operands that it is made of.
    #[default]
    OutputToInput,
    /// From an element of an operand to the elements of results that are made of it.
    InputToOutput,
    /// Both of them.
    Both,
}

impl Direction {
    fn outward(self) -> bool {
        self != Self::InputToOutput
    }

    fn inward(self) -> bool {
        self != Self::OutputToInput
    }
}

impl Maps {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let mut paths = vec![Path::new(&self.file)];
        paths.extend(self.html.as_deref());
        paths.extend(self.svg.as_deref());
        different(&paths)?;
        let source = Source::read(&self.file)?;
        let functions = source.parse(|_, module| {
            let named = || source.name.clone();
            let root = Op::new(module.as_operation());
            let mut files = Files::default();
            if let Some(path) = &self.html {
                let page = self.question.page(root).with_context(named)?;
                files.write(path, page.as_bytes())?;
            }
            if let Some(path) = &self.svg {
                let drawing = self.question.drawing(root).with_context(named)?;
                files.write(path, drawing.as_bytes())?;
            }
            files.commit()?;
            // The files are the answer, unless JSON is asked for too.
            if paths.len() > 1 && !self.json {
                return Ok(None);
            }
            let answer = self.question.answer(root).with_context(named)?;
            Ok(Some(answer))
        })?;
        let Some(functions) = functions else {
            return Ok(ExitCode::SUCCESS);
        };
        if self.json {
            output::print_json(&json!({ "functions": functions }))?;
        } else {
            output::print(&text(&functions))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Question {
    /// The functions that are asked for, as frontends did not write them.
    fn functions<'c>(&self, module: Op<'c>) -> anyhow::Result<Vec<Op<'c>>> {
        legalize(module)?;
        let all = module.body(0).map(op::ops).unwrap_or_default();
        let functions: Vec<Op<'c>> = all
            .into_iter()
            .filter(|op| op.name() == "func.func")
            .filter(|op| self.func.is_none() || self.func == op.string("sym_name"))
            .collect();
        match &self.func {
            Some(name) if functions.is_empty() => {
                anyhow::bail!("there is no function @{name}")
            }
            _ => Ok(functions),
        }
    }

    /// A page that draws the program, or the function that is asked for.
    ///
    /// # Errors
    /// Operations that are not well-formed, diagnosed at their places; a function that is not
    /// there.
    pub fn page(&self, module: Op<'_>) -> anyhow::Result<String> {
        let functions = self.functions(module)?;
        Ok(match functions.as_slice() {
            [function] if self.func.is_some() => picture::html(*function),
            _ => picture::html(module),
        })
    }

    /// A picture of the maps of the functions that are asked for.
    ///
    /// # Errors
    /// As [`Question::page`].
    fn drawing(&self, module: Op<'_>) -> anyhow::Result<String> {
        let functions = self.functions(module)?;
        let _numbering = Numbering::for_op(module);
        Ok(picture::grids::svg(&functions, self.compose))
    }

    /// The maps as JSON, one document a function.
    ///
    /// # Errors
    /// As [`Question::page`].
    pub fn answer(&self, module: Op<'_>) -> anyhow::Result<Vec<Value>> {
        let functions = self.functions(module)?;
        let related = related(module);
        // Runtime variables are named by the values that they are read from.
        let _numbering = Numbering::for_op(module);
        let answers = functions.into_iter().map(|op| self.function(op, &related));
        Ok(answers.collect())
    }

    fn function(&self, function: Op<'_>, related: &Related) -> Value {
        let composer = Composer::knowing(related.clone());
        let composer = if self.no_simplify {
            composer.without_simplification()
        } else {
            composer
        };
        let inner = operations(function);
        let ops: Vec<Value> = inner.iter().map(|op| self.op(*op, &composer)).collect();
        let mut answer = json!({
            "name": function.string("sym_name").unwrap_or_default(),
            "ops": ops,
        });
        let shapes = run_time_shapes(function, related);
        if !shapes.is_empty() {
            answer["run_time_shapes"] = shapes.into();
        }
        if self.compose {
            let (outward, inward) = self.composed(function, &composer);
            if self.direction.outward() {
                answer["composed"] = outward;
            }
            if self.direction.inward() {
                answer["composed_input_to_output"] = inward;
            }
        }
        answer
    }

    fn op<'c>(&self, op: Op<'c>, composer: &Composer<'c>) -> Value {
        let mut answer = json!({
            "op": op.name(),
            "location": location_text(op.location()),
        });
        if self.direction.outward() {
            let pairs = (0..op.num_results()).flat_map(|result| {
                let operands = composer.output_to_input(op, result);
                operands
                    .iter()
                    .map(|found| {
                        let maps = self.in_memory(&found.maps, || {
                            let (from, to) = layouts(op, result, found.operand)?;
                            let from = from.0.from_physical(&from.1);
                            Ok((from, to.0.to_physical(&to.1)))
                        });
                        json!({"result": result, "operand": found.operand, "maps": maps})
                    })
                    .collect::<Vec<_>>()
            });
            answer["output_to_input"] = pairs.collect();
        }
        if self.direction.inward() {
            let pairs = (0..op.num_operands()).flat_map(|operand| {
                let results = composer.input_to_output(op, operand);
                results
                    .iter()
                    .map(|found| {
                        let maps = self.in_memory(&found.maps, || {
                            let (to, from) = layouts(op, found.result, operand)?;
                            Ok((from.0.from_physical(&from.1), to.0.to_physical(&to.1)))
                        });
                        json!({"operand": operand, "result": found.result, "maps": maps})
                    })
                    .collect::<Vec<_>>()
            });
            answer["input_to_output"] = pairs.collect();
        }
        answer
    }

    /// Results with respect to arguments, and arguments with respect to results.
    fn composed<'c>(&self, function: Op<'c>, composer: &Composer<'c>) -> (Value, Value) {
        let Some(body) = function.body(0) else {
            return (json!([]), json!([]));
        };
        let results = results(function);
        let arguments = op::arguments(body);
        let (numbers_of_arguments, numbers_of_results) = (numbers(&arguments), numbers(&results));
        let mut outward = Vec::new();
        for (r, result) in results.iter().enumerate() {
            for (a, argument, maps) in among(&numbers_of_arguments, &composer.backward(*result)) {
                let maps = self.in_memory(maps, || {
                    let from = result_layout(function, r, *result)?;
                    let to = value_layout(argument)?;
                    Ok((from.0.from_physical(&from.1), to.0.to_physical(&to.1)))
                });
                outward.push(json!({"result": r, "argument": a, "maps": maps}));
            }
        }
        let mut inward = Vec::new();
        if self.direction.inward() {
            for (a, argument) in arguments.iter().enumerate() {
                for (r, result, maps) in among(&numbers_of_results, &composer.forward(*argument)) {
                    let maps = self.in_memory(maps, || {
                        let from = value_layout(*argument)?;
                        let to = result_layout(function, r, result)?;
                        Ok((from.0.from_physical(&from.1), to.0.to_physical(&to.1)))
                    });
                    inward.push(json!({"argument": a, "result": r, "maps": maps}));
                }
            }
        }
        (outward.into(), inward.into())
    }

    /// The maps as JSON; with `--physical` between arrays in memory: first the one given map, then
    /// each map, then the other.
    fn in_memory(
        &self,
        maps: &[IndexingMap],
        layouts: impl FnOnce() -> Result<(IndexingMap, IndexingMap), String>,
    ) -> Vec<Value> {
        if !self.physical {
            return maps.iter().map(map_json).collect();
        }
        match layouts() {
            Ok((from, to)) => maps
                .iter()
                .map(|map| {
                    if map.is_known() {
                        map_json(&compose(&compose(&from, map), &to).simplify())
                    } else {
                        map_json(map)
                    }
                })
                .collect(),
            Err(reason) => vec![map_json(&IndexingMap::unknown(reason))],
        }
    }
}

/// The numbers that each value has in a list, by [`op::key`]: a function may return a value twice.
fn numbers(values: &[Val<'_>]) -> HashMap<usize, Vec<usize>> {
    let mut numbers: HashMap<usize, Vec<usize>> = HashMap::new();
    for (i, value) in values.iter().enumerate() {
        numbers.entry(op::key(*value)).or_default().push(i);
    }
    numbers
}

/// Returns the numbered values that were reached, in order, with the maps to them. A program with
/// thousands of arguments and results has few pairs that depend on each other, and only these are
/// written.
fn among<'c, 'r>(
    numbers: &HashMap<usize, Vec<usize>>,
    reached: &'r Reached<'c>,
) -> Vec<(usize, Val<'c>, &'r [IndexingMap])> {
    let mut found = Vec::new();
    for (value, maps) in reached.iter().filter(|(_, maps)| !maps.is_empty()) {
        let own = numbers.get(&op::key(value)).map_or(&[][..], Vec::as_slice);
        found.extend(own.iter().map(|i| (*i, value, maps)));
    }
    found.sort_by_key(|(i, ..)| *i);
    found
}

/// Returns the values that a function returns, tuples flattened.
fn results(function: Op<'_>) -> Vec<Val<'_>> {
    let end = function
        .body(0)
        .and_then(|body| op::ops(body).last().copied());
    end.into_iter()
        .flat_map(Op::operands)
        .flat_map(leaves)
        .collect()
}

/// For the results of a function with sizes that are known at run time only: a number, or the
/// scalar that is the size, in every dimension; and the bounds, `null` where there is none.
fn run_time_shapes(function: Op<'_>, related: &Related) -> Vec<Value> {
    let mut found = Vec::new();
    for (r, value) in results(function).into_iter().enumerate() {
        let Some(ty) = TensorType::from_mlir(value.r#type()) else {
            continue;
        };
        if ty.static_shape().is_some() {
            continue;
        }
        let shape: Vec<Value> = (ty.dims.iter().enumerate())
            .map(|(k, dim)| match dim.fixed() {
                Some(size) => json!(size),
                None => json!(origin_among(related, value, k).0),
            })
            .collect();
        let bounds: Vec<Option<i64>> = ty.dims.iter().map(|dim| dim.bound()).collect();
        found.push(json!({"result": r, "shape": shape, "bounds": bounds}));
    }
    found
}

/// The ends of an interval; `null` where there is none.
fn ends(interval: Interval) -> [Option<i64>; 2] {
    let lower = (interval.lower > i64::MIN).then_some(interval.lower);
    [lower, (interval.upper < i64::MAX).then_some(interval.upper)]
}

/// A map as the interface describes it.
pub(crate) fn map_json(map: &IndexingMap) -> Value {
    let runtime: Vec<Value> = map
        .runtime()
        .iter()
        .enumerate()
        .map(|(i, variable)| {
            let name = if variable.name.is_empty() {
                format!("rt{i}")
            } else {
                variable.name.clone()
            };
            json!({
                "name": name,
                "value": variable.origin.value,
                "index": variable.origin.index.as_ref().map(|index| index.to_string()),
                "clamp": ends(variable.clamp()),
            })
        })
        .collect();
    json!({
        "text": map.to_string(),
        "exact": map.is_exact(),
        "empty": map.is_known_empty(),
        "unknown": map.unknown_reason(),
        "runtime": runtime,
    })
}

/// The answer for people: the same content, a line a map.
fn text(functions: &[Value]) -> String {
    let mut text = String::new();
    for function in functions {
        let name = function["name"].as_str().unwrap_or_default();
        let _ = writeln!(text, "func @{name}");
        for op in list(&function["ops"]) {
            let _ = writeln!(
                text,
                "  {} at {}",
                op["op"].as_str().unwrap_or_default(),
                op["location"].as_str().unwrap_or_default()
            );
            for (key, from, to) in [
                ("output_to_input", "result", "operand"),
                ("input_to_output", "operand", "result"),
            ] {
                for pair in list(&op[key]) {
                    pair_text(pair, from, to, "    ", &mut text);
                }
            }
        }
        for entry in list(&function["run_time_shapes"]) {
            let shape: Vec<String> = list(&entry["shape"])
                .iter()
                .map(|size| size.as_str().map_or(size.to_string(), str::to_owned))
                .collect();
            let _ = writeln!(
                text,
                "  result {} has the run-time shape [{}] within {}",
                entry["result"],
                shape.join(", "),
                entry["bounds"]
            );
        }
        for (key, from, to) in [
            ("composed", "result", "argument"),
            ("composed_input_to_output", "argument", "result"),
        ] {
            for pair in list(&function[key]) {
                pair_text(pair, from, to, "  ", &mut text);
            }
        }
    }
    text
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn pair_text(pair: &Value, from: &str, to: &str, indent: &str, text: &mut String) {
    let _ = writeln!(text, "{indent}{from} {} -> {to} {}", pair[from], pair[to]);
    for map in list(&pair["maps"]) {
        let _ = write!(
            text,
            "{indent}  {}",
            map["text"].as_str().unwrap_or_default()
        );
        if let Some(reason) = map["unknown"].as_str() {
            let _ = write!(text, " ({reason})");
        }
        if map["exact"] == false {
            let _ = write!(text, " (not exact)");
        }
        for variable in list(&map["runtime"]) {
            let _ = write!(
                text,
                "; {} = {}[{}]",
                variable["name"].as_str().unwrap_or_default(),
                variable["value"].as_str().unwrap_or_default(),
                variable["index"].as_str().unwrap_or_default()
            );
        }
        text.push('\n');
    }
}
