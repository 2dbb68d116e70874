//! How time, or the number of instructions, grows with the number of operations.

// The table is the output.
#![allow(clippy::print_stdout)]

use crate::adversaries::{ADVERSARIES, random as chance};
use crate::families::{FAMILIES, Family};
use mapwright_indexing::{Arena, ArenaMap, IndexingMap, Simplifier};
use std::process::Command;
use std::time::{Duration, Instant};

/// Numbers of operations: two decades.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

/// What is spent on one size of one family, beyond the first runs.
const TIME: Duration = Duration::from_millis(300);

/// Runs at least, and at most.
const RUNS: (usize, usize) = (3, 200);

/// Runs at most where each comes after another map.
const COLD_RUNS: usize = 15;

/// The argument before a family and a size that are simplified once, for whoever counts
/// instructions.
pub(crate) const ONCE: &str = "once";

/// What is counted of them.
#[inline(never)]
fn counted(simplifier: &mut Simplifier, arena: &mut Arena, input: &ArenaMap) -> bool {
    simplifier.run(arena, input, false).is_some()
}

/// `n log n` of the larger size by that of the smaller one.
fn allowed(small: usize, large: usize) -> f64 {
    let cost = |n: usize| n as f64 * (n as f64).ln();
    cost(large) / cost(small)
}

/// The least time of one simplification in a new arena, in microseconds. If `cold`, another map is
/// simplified before each: a small one that is simplified again and again is known to caches and
/// branch predictors as no map of a program is.
fn least(map: &IndexingMap, cold: bool) -> f64 {
    let mut simplifier = Simplifier::new();
    let other = cold.then(|| chance(30_000));
    let mut wash = Simplifier::new();
    let mut least = f64::INFINITY;
    let mut spent = Duration::ZERO;
    for run in 0..RUNS.1 {
        if run >= RUNS.0 && (spent > TIME || cold && run >= COLD_RUNS) {
            break;
        }
        if let Some(other) = &other {
            std::hint::black_box(other.simplify_with(&mut wash, false));
        }
        let mut arena = Arena::new();
        let input = ArenaMap::import(map, &mut arena);
        let start = Instant::now();
        std::hint::black_box(counted(&mut simplifier, &mut arena, &input));
        let time = start.elapsed();
        spent += time;
        least = least.min(time.as_secs_f64() * 1e6);
    }
    least
}

/// Simplifies a member of a family, named by its family and its number of operations.
pub(crate) fn once(arguments: &[String]) {
    let [name, operations] = arguments else {
        return;
    };
    let family = FAMILIES.iter().chain(ADVERSARIES).find(|f| f.0 == name);
    if let (Some((_, family)), Ok(n)) = (family, operations.parse()) {
        let mut arena = Arena::new();
        let input = ArenaMap::import(&family(n), &mut arena);
        std::hint::black_box(counted(&mut Simplifier::new(), &mut arena, &input));
    }
}

/// Thousands of instructions of one simplification with new memory, counted by valgrind; NaN
/// without it.
fn instructions(name: &str, operations: usize) -> f64 {
    let count = || {
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .args(["--collect-atstart=no", "--toggle-collect=*curve*counted*"])
            .arg(std::env::current_exe().ok()?)
            .args([ONCE, name, &operations.to_string()])
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let count = text.split("Collected : ").nth(1)?.lines().next()?;
        count.trim().parse::<f64>().ok()
    };
    count().map_or(f64::NAN, |n| n / 1000.0)
}

/// Prints microseconds for each size, or with `--instructions` thousands of instructions, and how
/// they grow from each to the next and over all, for the families whose names are given, or all
/// (with `--hard` the hard ones). A `!` stands where they grow faster than `n log n`. With `--cold`
/// each run finds nothing of its map in the caches.
pub(crate) fn print(arguments: &[String]) {
    let (options, names): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|a| a.starts_with("--"));
    let has = |option: &str| options.iter().any(|o| *o == option);
    let counting = has("--instructions");
    let families = if has("--hard") { ADVERSARIES } else { FAMILIES };
    println!(
        "{:24}{:>10}{:>12}{:>12}   growth",
        "operations", SIZES[0], SIZES[1], SIZES[2]
    );
    let wanted = |(name, _): &&Family| names.is_empty() || names.iter().any(|n| n == name);
    for (name, family) in families.iter().filter(wanted) {
        let costs = SIZES.map(|n| {
            if counting {
                instructions(name, n)
            } else {
                least(&family(n), has("--cold"))
            }
        });
        let growth = [(0, 1), (1, 2), (0, 2)].map(|(small, large)| {
            let ratio = costs[large] / costs[small];
            let fast = ratio > allowed(SIZES[small], SIZES[large]);
            format!("{ratio:8.1}{}", if fast { '!' } else { ' ' })
        });
        println!(
            "{name:24}{:10.1}{:12.1}{:12.1}{}",
            costs[0],
            costs[1],
            costs[2],
            growth.concat()
        );
    }
}
