//! The time of simplifying large maps grows as it should. A program of its own, whose tests run one
//! after the other: caches are shared with whatever else runs.

use crate::adversaries::ADVERSARIES;
use crate::families::FAMILIES;
use mapwright_indexing::{Arena, ArenaMap, IndexingMap, Simplifier};
use std::sync::{LazyLock, Mutex};
use std::time::Instant;

/// Held by the test that runs.
static ALONE: Mutex<()> = Mutex::new(());

/// Nanoseconds that this thread has run for, so that other programs take no part; since some moment
/// where the system does not say.
fn clock() -> u128 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let ran = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    ran.and_then(|text| text.split(' ').next()?.parse().ok())
        .unwrap_or_else(|| START.elapsed().as_nanos())
}

/// Nanoseconds that simplifying a map takes, the mean of `runs`: so many that together they take
/// long beside the ticks of the system, in which it may count.
fn time(map: &IndexingMap, runs: u32) -> f64 {
    let mut simplifier = Simplifier::new();
    let mut once = || {
        let mut arena = Arena::new();
        let input = ArenaMap::import(map, &mut arena);
        simplifier.run(&mut arena, &input, false);
    };
    once();
    let start = clock();
    for _ in 0..runs {
        once();
    }
    (clock() - start) as f64 / f64::from(runs)
}

/// `n log n` is 13 times as much for ten times as many operations, and what grows with the square
/// of them 100 times as much. (The bench `curve` measures.)
#[test]
fn ten_times_as_many_operations_take_far_less_than_a_hundred_times_as_long() {
    let _alone = ALONE.lock();
    let mut slow = Vec::new();
    for (name, family) in FAMILIES {
        let growth = || time(&family(10_000), 25) / time(&family(1_000), 500);
        // Again, if something came in between.
        if (0..3).all(|_| growth() > 40.0) {
            slow.push(name);
        }
    }
    assert!(slow.is_empty(), "{slow:?}");
}

/// Some of these forms grow with the square of the number of operations where nothing ends it, and
/// took minutes.
#[test]
fn hard_maps_are_less_simplified_rather_than_late() {
    let _alone = ALONE.lock();
    let mut slow = Vec::new();
    for (name, family) in ADVERSARIES {
        let map = family(20_000);
        // A tenth of that, mostly.
        if (0..3).all(|_| time(&map, 1) > 4e9) {
            slow.push(name);
        }
    }
    assert!(slow.is_empty(), "{slow:?}");
}
