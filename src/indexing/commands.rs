//! The commands `simplify`, `compose`, `eval` and `compare`: text or JSON in, text or JSON out. A
//! binary only passes its input and output through.

mod bench;

use crate::compare::{Comparison, compare};
use crate::compose::compose;
use crate::domain::Point;
use crate::error::counted;
use crate::lexer::ParseError;
use crate::map::IndexingMap;
use crate::simplify::{Simplified, Simplifier, Step};
use crate::verify;
pub use bench::{fresh_times, simplify_bench};
use serde_json::{Map, Value, json};
use std::io::{self, BufRead, Write};

/// Options of a command.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// One JSON object a line, in and out; otherwise one map a paragraph.
    pub json: bool,
    /// Adds the rules that fired, each with what it did.
    pub explain: bool,
}

/// Whether every line or paragraph could be read and every check held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// All input was read and all checks held: exit code 0.
    Done,
    /// Some input was wrong or a check failed: exit code 1.
    Failed,
}

type Answer = Result<Value, String>;

fn map_of(object: &Value, key: &str) -> Result<IndexingMap, String> {
    let text = object
        .get(key)
        .ok_or_else(|| format!("`{key}` is missing"))?;
    let text = text
        .as_str()
        .ok_or_else(|| format!("`{key}` is not a string"))?;
    let map = read(text).map_err(|e| format!("`{key}`: {e}"))?;
    map.verify().map_err(|e| format!("`{key}`: {e}"))?;
    Ok(map)
}

/// Reads a map, or upstream's `affine_map<…>`, whose symbols are runtime variables.
fn read(text: &str) -> Result<IndexingMap, ParseError> {
    let trimmed = text.trim();
    let affine = match trimmed.split_once('=') {
        // An alias, as upstream prints it at the top of a file.
        Some((name, map)) if name.starts_with('#') => map.trim(),
        _ => trimmed,
    };
    let inside = affine.strip_prefix("affine_map<");
    let parts = inside.and_then(|text| text.strip_suffix('>')?.split_once("->"));
    match parts {
        Some((variables, results)) => {
            let variables = variables.replace('[', "{").replace(']', "}");
            format!("{variables}->{results}").parse()
        }
        None => text.parse(),
    }
}

fn integers(object: &Value, key: &str) -> Result<Vec<i64>, String> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(list)) => list
            .iter()
            .map(|v| {
                v.as_i64()
                    .ok_or_else(|| format!("`{key}`: `{v}` is not an integer of 64 bits"))
            })
            .collect(),
        Some(_) => Err(format!("`{key}` is not a list")),
    }
}

/// Whether a simplification was proved, where that is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// Nobody asked.
    Unchecked,
    Proved,
    /// The budget was used up; no point at which the maps differ was found either.
    Undecided,
}

/// The simplified map, or what is wrong with it. Where every simplification is checked
/// ([`verify`]), a difference is an error of this map.
fn checked(
    map: &IndexingMap,
    options: Options,
    simplifier: &mut Simplifier,
) -> Result<(Simplified, Verdict), String> {
    let check = verify::is_on();
    let (result, report) =
        verify::each_rewrite_if(check, || map.simplify_with(simplifier, options.explain));
    let verdict = match (check, report.undecided) {
        (false, _) => Verdict::Unchecked,
        (true, 0) => Verdict::Proved,
        (true, _) => Verdict::Undecided,
    };
    if let Some(difference) = report.differences.into_iter().next() {
        return Err(difference);
    }
    // A divisor that comes out as zero: the map has no value anywhere, and its text could not be
    // read.
    result.map.verify().map_err(|e| e.to_string())?;
    Ok((result, verdict))
}

fn simplified(map: &IndexingMap, options: Options, simplifier: &mut Simplifier) -> Answer {
    let (result, verdict) = checked(map, options, simplifier)?;
    let mut answer = Map::new();
    answer.insert("map".into(), json!(result.map.to_string()));
    answer.insert("changed".into(), json!(result.changed));
    answer.insert("empty".into(), json!(result.map.is_known_empty()));
    if let Some(reason) = result.map.unknown_reason() {
        answer.insert("unknown".into(), json!(reason));
    }
    match verdict {
        Verdict::Unchecked => None,
        Verdict::Proved => answer.insert("verified".into(), json!(true)),
        Verdict::Undecided => answer.insert("verified".into(), Value::Null),
    };
    if options.explain {
        answer.insert("rules".into(), json!(result.rules().collect::<Vec<_>>()));
        answer.insert("steps".into(), result.steps.iter().map(step_json).collect());
    }
    Ok(Value::Object(answer))
}

fn step_json(step: &Step) -> Value {
    let mut answer = Map::new();
    answer.insert("rule".into(), json!(step.rule));
    answer.insert("law".into(), json!(step.law()));
    if let Some((before, after)) = &step.change {
        answer.insert("before".into(), json!(before));
        answer.insert("after".into(), json!(after));
    }
    Value::Object(answer)
}

fn point_json(p: &Point) -> Value {
    json!({"dims": p.dims, "ranges": p.ranges, "runtime": p.runtime})
}

fn comparison_json(c: &Comparison) -> Value {
    let mut answer = Map::new();
    answer.insert("equal".into(), json!(c.equal));
    answer.insert("method".into(), json!(c.method));
    if let Some(p) = &c.counterexample {
        answer.insert("counterexample".into(), point_json(p));
    }
    Value::Object(answer)
}

fn each_line(
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    mut answer: impl FnMut(&Value) -> Answer,
) -> io::Result<Outcome> {
    let mut outcome = Outcome::Done;
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(outcome);
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let result = serde_json::from_slice::<Value>(&line)
            .map_err(|e| format!("no JSON: {e}"))
            .and_then(|v| answer(&v));
        let value = result.unwrap_or_else(|e| {
            outcome = Outcome::Failed;
            json!({ "error": e })
        });
        writeln!(output, "{value}")?;
    }
}

/// The paragraphs of a text: blocks between empty lines, each with the number of its first line.
fn paragraphs(input: &mut dyn BufRead) -> io::Result<Vec<(usize, String)>> {
    let mut list: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(list);
        }
        number += 1;
        let text = String::from_utf8_lossy(&line);
        if text.trim().is_empty() {
            open = false;
        } else if open {
            if let Some(last) = list.last_mut() {
                last.1.push_str(&text);
            }
        } else {
            list.push((number, text.into_owned()));
            open = true;
        }
    }
}

/// Whether a map ends before the place of the error, which begins a line.
fn begins_another(text: &str, error: &ParseError) -> bool {
    let before: String = text.chars().take(error.column - 1).collect();
    error.expected == "the end" && before.trim_end_matches([' ', '\t']).ends_with('\n')
}

/// Reads paragraphs in groups of `n` maps.
fn each_group(
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    n: usize,
    mut answer: impl FnMut(&[IndexingMap], &mut dyn Write) -> io::Result<Result<(), String>>,
) -> io::Result<Outcome> {
    let mut outcome = Outcome::Done;
    for (i, group) in paragraphs(input)?.chunks(n).enumerate() {
        let mut maps = Vec::new();
        let mut error = None;
        for (line, text) in group {
            match read(text) {
                Ok(map) => maps.push(map),
                Err(e) => {
                    let hint = if begins_another(text, &e) {
                        " (an empty line separates maps)"
                    } else {
                        ""
                    };
                    error.get_or_insert(format!("map at line {line}: {e}{hint}"));
                }
            }
        }
        if group.len() < n && error.is_none() {
            error = Some(format!(
                "{n} maps are needed, there is only {}",
                group.len()
            ));
        }
        if i > 0 {
            writeln!(output)?;
        }
        let result = match error {
            Some(e) => Err(e),
            None => answer(&maps, output)?,
        };
        if let Err(e) = result {
            outcome = Outcome::Failed;
            writeln!(output, "error: {e}")?;
        }
    }
    Ok(outcome)
}

fn write_simplified(
    map: &IndexingMap,
    options: Options,
    simplifier: &mut Simplifier,
    output: &mut dyn Write,
) -> io::Result<Result<(), String>> {
    let (result, verdict) = match checked(map, options, simplifier) {
        Ok(result) => result,
        Err(e) => return Ok(Err(e)),
    };
    match result.map.unknown_reason() {
        Some(reason) => writeln!(output, "{} ({reason})", result.map)?,
        None => writeln!(output, "{}", result.map)?,
    }
    if verdict == Verdict::Undecided {
        writeln!(
            output,
            "  undecided: neither proved nor refuted within the budget"
        )?;
    }
    if options.explain {
        for step in &result.steps {
            writeln!(output, "  {}: {}", step.rule, step.law())?;
            if let Some((before, after)) = &step.change {
                writeln!(output, "      {before}\n   -> {after}")?;
            }
        }
    }
    Ok(Ok(()))
}

/// `simplify`: `{"map": M} -> {"map": M', "changed": bool, "empty": bool}`.
///
/// # Errors
/// Only those of reading and writing; wrong input is answered where it stands.
pub fn simplify_command(
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    options: Options,
) -> io::Result<Outcome> {
    let mut simplifier = Simplifier::new();
    if options.json {
        return each_line(input, output, |v| {
            simplified(&map_of(v, "map")?, options, &mut simplifier)
        });
    }
    each_group(input, output, 1, |maps, output| {
        write_simplified(&maps[0], options, &mut simplifier, output)
    })
}

/// `compose`: `{"consumer": C, "producer": P} -> {"map": M, …}`; first C, then P on its results;
/// simplified.
///
/// # Errors
/// Only those of reading and writing.
pub fn compose_command(
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    options: Options,
) -> io::Result<Outcome> {
    let mut simplifier = Simplifier::new();
    let arity = |c: &IndexingMap, p: &IndexingMap| {
        if c.is_known() && p.is_known() && c.results.len() != p.dims.len() {
            return Err(format!(
                "the consumer has {}, the producer {}",
                counted(c.results.len(), "result"),
                counted(p.dims.len(), "dimension")
            ));
        }
        Ok(())
    };
    if options.json {
        return each_line(input, output, |v| {
            let (c, p) = (map_of(v, "consumer")?, map_of(v, "producer")?);
            arity(&c, &p)?;
            simplified(&compose(&c, &p), options, &mut simplifier)
        });
    }
    each_group(input, output, 2, |maps, output| {
        match arity(&maps[0], &maps[1]) {
            Ok(()) => write_simplified(
                &compose(&maps[0], &maps[1]),
                options,
                &mut simplifier,
                output,
            ),
            Err(e) => Ok(Err(e)),
        }
    })
}

/// `eval`: `{"map": M, "dims": […], "ranges": […], "runtime": […]} ->
/// {"in_domain": bool, "results": […]}`. Outside the domain there are no results.
///
/// # Errors
/// Only those of reading and writing.
pub fn eval_command(input: &mut dyn BufRead, output: &mut dyn Write) -> io::Result<Outcome> {
    each_line(input, output, |v| {
        let map = map_of(v, "map")?;
        let (dims, ranges, runtime) = (
            integers(v, "dims")?,
            integers(v, "ranges")?,
            integers(v, "runtime")?,
        );
        if let Some(reason) = map.unknown_reason() {
            return Err(format!("the map is unknown: {reason}"));
        }
        if !map.is_known_empty() {
            for (name, given, wanted) in [
                ("dims", dims.len(), map.dims.len()),
                ("ranges", ranges.len(), map.ranges.len()),
                ("runtime", runtime.len(), map.runtime.len()),
            ] {
                if given != wanted {
                    return Err(format!("`{name}` has {given} values, the map has {wanted}"));
                }
            }
        }
        let results = map
            .eval(&dims, &ranges, &runtime)
            .map_err(|e| e.to_string())?;
        Ok(json!({"in_domain": results.is_some(), "results": results.unwrap_or_default()}))
    })
}

/// `compare`: `{"a": A, "b": B} -> {"equal": true|false|null, "method": "…",
/// "counterexample": {…}}`.
///
/// # Errors
/// Only those of reading and writing.
pub fn compare_command(
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    options: Options,
) -> io::Result<Outcome> {
    if options.json {
        return each_line(input, output, |v| {
            Ok(comparison_json(&compare(
                &map_of(v, "a")?,
                &map_of(v, "b")?,
            )))
        });
    }
    each_group(input, output, 2, |maps, output| {
        let c = compare(&maps[0], &maps[1]);
        let verdict = match c.equal {
            Some(true) => "equal",
            Some(false) => "different",
            None => "not decided",
        };
        writeln!(output, "{verdict} ({})", c.method)?;
        if let Some(p) = &c.counterexample {
            writeln!(
                output,
                "at dims {:?}, ranges {:?}, runtime {:?}",
                p.dims, p.ranges, p.runtime
            )?;
            for (name, map) in ["the first", "the second"].iter().zip(maps) {
                match map.eval(&p.dims, &p.ranges, &p.runtime).ok().flatten() {
                    Some(results) => writeln!(output, "{name} gives {results:?}")?,
                    None => writeln!(output, "{name} gives nothing")?,
                }
            }
        }
        Ok(Ok(()))
    })
}
