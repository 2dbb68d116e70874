//! What small maps take: those of a corpus whose results have five operations.

// The table is the output.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use mapwright_indexing::commands::fresh_times;
use mapwright_indexing::{IndexingMap, Simplifier};

/// Operations of a small map.
const OPERATIONS: usize = 5;
/// Runs that are timed together, and how many times.
const AT_ONCE: usize = 16;
const SAMPLES: usize = 400;

/// The corpus of this crate.
const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/maps.jsonl");

/// The least time of one run, of `AT_ONCE` each in an arena of its own, in microseconds.
fn least(map: &IndexingMap) -> f64 {
    let times = fresh_times(&mut Simplifier::new(), map, (SAMPLES, AT_ONCE));
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

/// Prints a line for each small map of the files, or of the corpus of this crate, the mean and the median.
pub(crate) fn print(files: &[String]) {
    let mut found: Vec<(String, IndexingMap)> = match files {
        [] => maps(CORPUS),
        files => files.iter().flat_map(|f| maps(f)).collect(),
    };
    found.retain(|(_, map)| map.operation_count() == OPERATIONS);
    found.dedup_by(|x, y| x.1 == y.1);
    let mut times = Vec::new();
    for (name, map) in &found {
        let time = least(map);
        times.push(time);
        println!("{time:8.3} us  {name}");
    }
    let count = times.len();
    let mean = times.iter().sum::<f64>() / count.max(1) as f64;
    times.sort_by(f64::total_cmp);
    let median = times.get(count / 2).copied().unwrap_or(0.0);
    println!("{mean:8.3} us  mean of {count}");
    println!("{median:8.3} us  median of {count}");
}
