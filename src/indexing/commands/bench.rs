//! The times of simplification.

use super::{Outcome, each_line, map_of};
use crate::arena::{Arena, ArenaMap};
use crate::map::IndexingMap;
use crate::simplify::Simplifier;
use serde_json::{Value, json};
use std::io::{self, BufRead, Write};
use std::time::Instant;

/// Simplifications between two looks at the clock: a look takes a tenth of the time of a small map.
const AT_ONCE: usize = 8;
/// Times taken of each map, the first of which find nothing in the caches.
const SAMPLES: usize = 31;

/// The time of one simplification in a new arena in each of `samples` samples, in microseconds: the
/// mean of `at_once` of them, since a look at the clock takes its time.
pub fn fresh_times(
    simplifier: &mut Simplifier,
    map: &IndexingMap,
    (samples, at_once): (usize, usize),
) -> Vec<f64> {
    let sample = |_| {
        let mut inputs: Vec<(Arena, ArenaMap)> = (0..at_once)
            .map(|_| {
                let mut arena = Arena::new();
                let input = ArenaMap::import(map, &mut arena);
                (arena, input)
            })
            .collect();
        let start = Instant::now();
        for (arena, input) in &mut inputs {
            std::hint::black_box(simplifier.run(arena, input, false));
        }
        start.elapsed().as_secs_f64() * 1e6 / at_once as f64
    };
    (0..samples).map(sample).collect()
}

/// `simplify --bench`: reads all lines, then times simplification alone. Times are microseconds a
/// map: the median of repetitions for each map, then mean and median over the maps.
///
/// # Errors
/// Only those of reading and writing.
pub fn simplify_bench(input: &mut dyn BufRead, output: &mut dyn Write) -> io::Result<Outcome> {
    let mut maps = Vec::new();
    let mut outcome = Outcome::Done;
    let mut errors = Vec::new();
    each_line(input, &mut errors, |v| {
        // Composition pairs of a corpus are not what is timed.
        if v.get("map").is_some() {
            match map_of(v, "map") {
                Ok(map) => maps.push(map),
                Err(e) => return Err(e),
            }
        }
        Ok(Value::Null)
    })?;
    for line in String::from_utf8_lossy(&errors)
        .lines()
        .filter(|l| *l != "null")
    {
        outcome = Outcome::Failed;
        writeln!(output, "{line}")?;
    }
    let mut simplifier = Simplifier::new();
    let median = |times: &mut Vec<f64>| -> f64 {
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or(0.0)
    };
    let (mut before, mut after) = (0, 0);
    let (mut fresh, mut reused) = (Vec::new(), Vec::new());
    let mut shared = Arena::new();
    let imported: Vec<ArenaMap> = maps
        .iter()
        .map(|m| ArenaMap::import(m, &mut shared))
        .collect();
    for (map, shared_map) in maps.iter().zip(&imported) {
        before += map.operation_count();
        after += map
            .simplify_with(&mut simplifier, false)
            .map
            .operation_count();
        let mut times = fresh_times(&mut simplifier, map, (SAMPLES, AT_ONCE));
        fresh.push(median(&mut times));
        times.clear();
        for _ in 0..SAMPLES {
            let start = Instant::now();
            for _ in 0..AT_ONCE {
                std::hint::black_box(simplifier.run(&mut shared, shared_map, false));
            }
            times.push(start.elapsed().as_secs_f64() * 1e6 / AT_ONCE as f64);
        }
        reused.push(median(&mut times));
    }
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len().max(1) as f64;
    let answer = json!({
        "maps": maps.len(),
        "fresh_us_mean": mean(&fresh),
        "fresh_us_median": median(&mut fresh.clone()),
        "reused_us_mean": mean(&reused),
        "reused_us_median": median(&mut reused.clone()),
        "ops_before": before,
        "ops_after": after,
    });
    writeln!(output, "{answer}")?;
    Ok(outcome)
}
