//! What small maps take: those of five operations, in their results or with those of their
//! constraints, and what of the larger maps of a corpus has as many if some of their results and
//! constraints are left out.

// The tables are the output.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use mapwright_indexing::commands::fresh_times;
use mapwright_indexing::{IndexingMap, Simplifier};
use std::collections::BTreeMap;

/// Operations of a small map.
const OPERATIONS: usize = 5;
/// As long as simplifying one may take, in microseconds.
const BAR: f64 = 1.0;
/// Runs that are timed together, and how many times.
const AT_ONCE: usize = 16;
const SAMPLES: usize = 400;
/// Results and constraints of a map of which parts are taken: each doubles their number.
const MOST_ITEMS: usize = 10;
/// Parts of maps that are shown, the slowest first.
const SHOWN: usize = 20;

/// The corpus of this crate.
const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/maps.jsonl");

/// Maps by their text, with their names, so that each is there once.
type Maps = BTreeMap<String, (String, IndexingMap)>;

/// The least time of one run, of `AT_ONCE` each in an arena of its own, in microseconds.
fn least(map: &IndexingMap, samples: usize) -> f64 {
    let times = fresh_times(&mut Simplifier::new(), map, (samples, AT_ONCE));
    times.into_iter().fold(f64::INFINITY, f64::min)
}

/// The maps of a file of JSON lines, by their names.
fn maps(path: &str) -> Vec<(String, IndexingMap)> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| {
        // Cargo starts it in the folder of this crate.
        eprintln!("error: {path}: {e}");
        std::process::exit(1)
    });
    let read = |line: &str| {
        let object: serde_json::Value = serde_json::from_str(line).ok()?;
        let map = object.get("map")?.as_str()?.parse().ok()?;
        let name = object.get("name").and_then(|n| n.as_str()).unwrap_or("");
        Some((name.to_string(), map))
    };
    text.lines().filter_map(read).collect()
}

/// The operations of results and constraints.
fn with_constraints(map: &IndexingMap) -> usize {
    let of_constraints = map.constraints().iter().map(|k| k.expr.operation_count());
    map.operation_count() + of_constraints.sum::<usize>()
}

/// Adds what has five operations, with those of constraints, if only some of the results and
/// constraints of a map are taken.
fn add_parts(parts: &mut Maps, name: &str, map: &IndexingMap) {
    let (results, constraints) = (map.results().len(), map.constraints().len());
    if results + constraints > MOST_ITEMS {
        return;
    }
    for taken in 0..1usize << (results + constraints) {
        let mut part = map.clone();
        let mut item = 0;
        let mut is_taken = || {
            item += 1;
            taken >> (item - 1) & 1 != 0
        };
        part.edit(|m| {
            m.results.retain(|_| is_taken());
            m.constraints.retain(|_| is_taken());
        });
        if with_constraints(&part) == OPERATIONS {
            let name = format!("{name}, of it {taken:#b}");
            parts.entry(part.to_string()).or_insert((name, part));
        }
    }
}

/// Prints a line for each of the slowest maps, the mean, the median, and how many are below the
/// bar.
fn show(what: &str, maps: &Maps, (shown, samples): (usize, usize)) {
    let mut times: Vec<(f64, &str)> = maps
        .values()
        .map(|(name, map)| (least(map, samples), name.as_str()))
        .collect();
    times.sort_by(|x, y| y.0.total_cmp(&x.0));
    println!("{what}");
    for (time, name) in times.iter().take(shown) {
        println!("{time:8.3} us  {name}");
    }
    let count = times.len();
    let mean = times.iter().map(|t| t.0).sum::<f64>() / count.max(1) as f64;
    let median = times.get(count / 2).map_or(0.0, |t| t.0);
    let below = times.iter().filter(|t| t.0 < BAR).count();
    println!("{mean:8.3} us  mean of {count}");
    println!("{median:8.3} us  median of {count}");
    println!("{below:8} of {count} below {BAR} us\n");
}

/// Prints what the small maps of the files take, or those of the corpus of this crate.
pub(crate) fn print(files: &[String]) {
    let found: Vec<(String, IndexingMap)> = match files {
        [] => maps(CORPUS),
        files => files.iter().flat_map(|f| maps(f)).collect(),
    };
    let those = |is_small: fn(&IndexingMap) -> bool| -> Maps {
        let small = found.iter().filter(|(_, map)| is_small(map));
        small.map(|m| (m.1.to_string(), m.clone())).collect()
    };
    let mut parts = Maps::new();
    for (name, map) in &found {
        add_parts(&mut parts, name, map);
    }
    let all = (usize::MAX, SAMPLES);
    let by_results = those(|map| map.operation_count() == OPERATIONS);
    show("five operations in the results", &by_results, all);
    let by_both = those(|map| with_constraints(map) == OPERATIONS);
    show("five operations in results and constraints", &by_both, all);
    let what = "five operations in some of the results and constraints";
    show(what, &parts, (SHOWN, SAMPLES / 8));
}
