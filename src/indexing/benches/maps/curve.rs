//! How time grows with the number of operations.

// The table is the output.
#![allow(clippy::print_stdout)]

use crate::families::{FAMILIES, Family};
use mapwright_indexing::{Arena, ArenaMap, IndexingMap, Simplifier};
use std::time::{Duration, Instant};

/// Numbers of operations: two decades.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

/// What is spent on one size of one family, beyond the first runs.
const TIME: Duration = Duration::from_millis(300);

/// Runs at least, and at most.
const RUNS: (usize, usize) = (3, 200);

/// `n log n` of the larger size by that of the smaller one.
fn allowed(small: usize, large: usize) -> f64 {
    let cost = |n: usize| n as f64 * (n as f64).ln();
    cost(large) / cost(small)
}

/// The least time of one simplification in a new arena, in microseconds.
fn least(map: &IndexingMap) -> f64 {
    let mut simplifier = Simplifier::new();
    let mut least = f64::INFINITY;
    let mut spent = Duration::ZERO;
    for run in 0..RUNS.1 {
        if run >= RUNS.0 && spent > TIME {
            break;
        }
        let mut arena = Arena::new();
        let input = ArenaMap::import(map, &mut arena);
        let start = Instant::now();
        std::hint::black_box(simplifier.run(&mut arena, &input, false));
        let time = start.elapsed();
        spent += time;
        least = least.min(time.as_secs_f64() * 1e6);
    }
    least
}

/// Prints microseconds for each size and how they grow from each to the next, for the families whose names are given, or all.
/// A `!` stands where they grow faster than `n log n`.
pub(crate) fn print(names: &[String]) {
    println!(
        "{:14}{:>10}{:>12}{:>12}   growth",
        "operations", SIZES[0], SIZES[1], SIZES[2]
    );
    let wanted = |(name, _): &&Family| names.is_empty() || names.iter().any(|n| n == name);
    for (name, family) in FAMILIES.iter().filter(wanted) {
        let times = SIZES.map(|n| least(&family(n)));
        let mut growth = String::new();
        for i in 1..SIZES.len() {
            let ratio = times[i] / times[i - 1];
            let mark = if ratio > allowed(SIZES[i - 1], SIZES[i]) {
                '!'
            } else {
                ' '
            };
            growth += &format!("{ratio:8.1}{mark}");
        }
        println!(
            "{name:14}{:10.1}{:12.1}{:12.1}{growth}",
            times[0], times[1], times[2]
        );
    }
}
