//! `mapwright analyze` of no single question: what of a whole program is worth a look.

use crate::{
    analysis::document::{self, Request, What},
    mlir::Op,
};
use serde_json::{Value, json};
use std::{cmp::Reverse, collections::BTreeMap, fmt::Write as _};

/// The most operations that a list names.
const NAMED: usize = 5;

/// The members that an operation's answers are lists of, each with the operation and its place.
fn rows(answer: &Value, key: &str) -> Vec<Value> {
    let entries = answer.as_array().into_iter().flatten();
    let of = |entry: &Value| {
        let rows = entry[key].as_array().cloned().unwrap_or_default();
        let place = (entry["op"].clone(), entry["location"].clone());
        rows.into_iter()
            .map(move |mut row| {
                row["op"] = place.0.clone();
                row["location"] = place.1.clone();
                row
            })
            .collect::<Vec<_>>()
    };
    entries.flat_map(of).collect()
}

fn number(row: &Value, key: &str) -> i64 {
    row[key].as_i64().unwrap_or_default()
}

/// These members of a row.
fn members(row: &Value, keys: &[&str]) -> Value {
    let own = keys
        .iter()
        .map(|key| ((*key).to_owned(), row[*key].clone()));
    Value::Object(own.collect())
}

/// The summary as JSON.
pub(super) fn summary(root: Op<'_>, request: &Request) -> Value {
    let all = |what: What| rows(&document::analyze(root, what, request), what.key());
    let views = all(What::Views);
    let mut storage: BTreeMap<String, usize> = BTreeMap::new();
    for view in &views {
        let kind = view["storage"].as_str().unwrap_or_default();
        *storage.entry(kind.to_owned()).or_default() += 1;
    }
    let copies = views.iter().filter(|view| view["storage"] == "copy");
    let copies: Vec<Value> = copies
        .map(|view| members(view, &["op", "location", "result", "reason"]))
        .collect();
    let accesses = all(What::Coalescing);
    let sum = |key| accesses.iter().map(|row| number(row, key)).sum::<i64>();
    let wasted = |row: &Value| number(row, "bytes_touched") - number(row, "bytes_used");
    let mut worst: Vec<&Value> = accesses.iter().filter(|row| wasted(row) > 0).collect();
    worst.sort_by_key(|row| Reverse(wasted(row)));
    let keys = [
        "op",
        "location",
        "operand",
        "kind",
        "bytes_touched",
        "bytes_used",
    ];
    let worst = worst.iter().take(NAMED).map(|row| members(row, &keys));
    let used = all(What::Utilization);
    let fraction = |row: &Value| row["fraction"].as_f64().unwrap_or(1.0);
    let mut partly: Vec<&Value> = used.iter().filter(|row| fraction(row) < 1.0).collect();
    partly.sort_by(|a, b| fraction(a).total_cmp(&fraction(b)));
    let keys = ["op", "location", "operand", "elements", "used"];
    let partly = partly.iter().take(NAMED).map(|row| members(row, &keys));
    json!({
        "results": storage,
        "copies": copies,
        "bytes_touched": sum("bytes_touched"),
        "bytes_used": sum("bytes_used"),
        "worst_coalesced": worst.collect::<Vec<_>>(),
        "partly_used": partly.collect::<Vec<_>>(),
    })
}

/// The summary for people.
pub(super) fn text(summary: &Value) -> String {
    let mut text = String::new();
    let word = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let place = |row: &Value| format!("{} ({})", word(row, "op"), word(row, "location"));
    let list = |key: &str| summary[key].as_array().cloned().unwrap_or_default();
    let results = &summary["results"];
    let _ = writeln!(
        text,
        "results: {} in memory of their own, {} views, {} copies",
        number(results, "own"),
        number(results, "view"),
        number(results, "copy")
    );
    let copies = list("copies");
    for copy in copies.iter().take(NAMED) {
        let _ = writeln!(text, "  {} copies: {}", place(copy), word(copy, "reason"));
    }
    if copies.len() > NAMED {
        let _ = writeln!(text, "  and {} more", copies.len() - NAMED);
    }
    let (touched, used) = (
        number(summary, "bytes_touched"),
        number(summary, "bytes_used"),
    );
    let _ = writeln!(
        text,
        "cache lines: {touched} bytes are touched, of which {used} are used"
    );
    for row in list("worst_coalesced") {
        let _ = writeln!(
            text,
            "  {} reads operand {} {}: {} of {} bytes",
            place(&row),
            number(&row, "operand"),
            word(&row, "kind"),
            number(&row, "bytes_used"),
            number(&row, "bytes_touched")
        );
    }
    let partly = list("partly_used");
    let _ = if partly.is_empty() {
        writeln!(text, "elements: every operand is read as a whole")
    } else {
        writeln!(text, "elements: these operands are read in part")
    };
    for row in partly {
        let _ = writeln!(
            text,
            "  {} reads {} of {} elements of operand {}",
            place(&row),
            number(&row, "used"),
            number(&row, "elements"),
            number(&row, "operand")
        );
    }
    text
}
