//! Large maps: what is simplified in small ones is simplified in them too, and time grows as it should.

#[path = "../benches/maps/adversaries.rs"]
mod adversaries;
mod common;
#[path = "../benches/maps/families.rs"]
mod families;

use adversaries::ADVERSARIES;
use common::{Random, check_simplify, same_function};
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
    let mut slow = Vec::new();
    for (name, family) in FAMILIES {
        let growth = || time(&family(10_000), 5) / time(&family(1_000), 50);
        // Again, if something came in between: caches are shared with whatever else runs.
        if (0..12).all(|_| growth() > 60.0) {
            slow.push(name);
        }
    }
    assert!(slow.is_empty(), "{slow:?}");
}

/// Some of these forms grow with the square of the number of operations where nothing ends it, and took minutes.
#[test]
fn hard_maps_are_less_simplified_rather_than_late() {
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

/// What is left as it is where the room for long sums ends has the values that it had.
#[test]
fn what_is_less_simplified_has_the_same_values() {
    let mut random = Random(20);
    let mut less = 0;
    for (name, family) in ADVERSARIES.iter().chain(FAMILIES) {
        let map = family(2_000);
        for room in [0, 1_000, 30_000] {
            let mut simplifier = Simplifier::new().with_room(0, room);
            let simplified = map.simplify_with(&mut simplifier, true);
            less += usize::from(simplified.rules.contains(&"work-budget-used-up"));
            if let Err(e) = same_function(&map, &simplified, 20, &mut random) {
                panic!("{name}: {e}");
            }
        }
    }
    assert!(less > 30, "{less}");
}

/// 400 remainders in each other, with the moduli and factors that are given for each.
fn chain(modulus: fn(usize) -> i64, factor: fn(usize) -> i64) -> Expr {
    (0..400).fold(c(0), |e, i| {
        (e * factor(i) + families::quotient(i)).modulo(modulus(i))
    })
}

#[test]
fn a_chain_of_remainders_is_the_remainder_of_the_sum() {
    let factors: [fn(usize) -> i64; 3] = [|_| 1, |i| [-3, 2, 5][i % 3], |i| [-1, 1][i % 2]];
    for factor in factors {
        let mut flat = c(0);
        let mut product = 1;
        for i in (0..400).rev() {
            flat = flat + families::quotient(i) * product;
            product = product * factor(i) % 7;
        }
        check(chain(|_| 7, factor), flat.modulo(7));
    }
}

#[test]
fn chains_of_several_moduli_keep_their_values() {
    let moduli: [fn(usize) -> i64; 4] = [
        |i| [14, 7][i % 2],
        |i| [7, 14][i % 2],
        |i| [7, 49, 21, 7][i % 4],
        |i| [12, 6, 10, 5, 15][i % 5],
    ];
    let mut random = Random(30);
    for modulus in moduli {
        let e = chain(modulus, |i| [1, 7, -2, 3][i % 4]);
        // Twice in one sum, too.
        for e in [e.clone(), (e.clone() * 3 + e + d(0)).modulo(7)] {
            let map = IndexingMap::from_dims(&[16; 64], [e]);
            let checked = check_simplify(&map, &mut Simplifier::new(), 300, &mut random);
            assert_eq!(checked.map(|c| c.1), Ok(300));
        }
    }
}
