//! Large maps: what is simplified in small ones is simplified in them too, and time grows as it should.

#[path = "../benches/maps/families.rs"]
mod families;

use families::FAMILIES;
use mapwright_indexing::{Arena, ArenaMap, Expr, IndexingMap, Interval, Simplifier, c, d};
use std::sync::LazyLock;
use std::time::Instant;

/// Sums `3 * x + 2 * y` of different variables, with coefficients that are larger by multiples of `more`.
fn sums(more: i64) -> impl Iterator<Item = Expr> {
    let pairs = (0..64).flat_map(|i| (0..64).map(move |j| (i, j)));
    pairs
        .filter(|(i, j)| i != j)
        .map(move |(i, j)| d(i) * (3 + more) + d(j) * (2 + more))
}

fn sum(terms: impl Iterator<Item = Expr>) -> Expr {
    terms.fold(c(0), |e, x| e + x)
}

#[track_caller]
fn check(expr: Expr, expected: Expr) {
    let map = |e| {
        IndexingMap::from_dims(&[16; 64], [e])
            .simplify()
            .to_string()
    };
    assert_eq!(map(expr), map(expected));
}

#[test]
fn thousands_of_quotients_and_remainders_fuse() {
    let high = sums(0).map(|x| x.floor_div(7) * 7);
    let low = sums(0).map(|x| x.modulo(7));
    check(sum(high.chain(low)), sum(sums(0)));
}

#[test]
fn they_fuse_where_the_remainder_knows_the_sum_modulo_its_end_only() {
    let high = sums(7).map(|x| x.floor_div(7) * 7);
    let low = sums(0).map(|x| x.modulo(7));
    check(sum(high.chain(low)), sum(sums(7)));
}

#[test]
fn what_is_known_of_a_variable_is_followed_through_a_long_chain_of_constraints() {
    // Each constraint passes it on by one variable.
    let map =
        IndexingMap::from_dims(&[16; 600], [d(599)]).with_constraint(d(0), Interval::point(5));
    let tied = |i| (d(i) - d(i + 1), Interval::point(0));
    let map = (0..599)
        .map(tied)
        .fold(map, |map, (x, i)| map.with_constraint(x, i));
    let map = map.simplify();
    assert!(map.constraints.is_empty(), "{map}");
    assert!(map.intervals().all(|i| i == Interval::point(5)), "{map}");
}

/// Nanoseconds that this thread has run for, so that other programs take no part; since some moment where the system does not say.
fn clock() -> u128 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let ran = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    ran.and_then(|text| text.split(' ').next()?.parse().ok())
        .unwrap_or_else(|| START.elapsed().as_nanos())
}

/// Nanoseconds that simplifying a map takes, the mean of `runs`.
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

/// `n log n` is 13 times as much for ten times as many operations, and what grows with the square of them 100 times as much.
/// (The bench `curve` measures.)
#[test]
fn ten_times_as_many_operations_take_far_less_than_a_hundred_times_as_long() {
    // Each remainder has all terms of the one inside; only the work budget ends that.
    let known = ["one-modulus"];
    let mut slow = Vec::new();
    for (name, family) in FAMILIES.iter().filter(|f| !known.contains(&f.0)) {
        let growth = || time(&family(10_000), 5) / time(&family(1_000), 50);
        // Again, if something came in between.
        if (0..3).all(|_| growth() > 40.0) {
            slow.push(name);
        }
    }
    assert!(slow.is_empty(), "{slow:?}");
}
