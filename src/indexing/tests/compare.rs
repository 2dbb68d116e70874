//! `compare`: proofs, refutations, and what it does when it cannot tell.

mod common;

use common::{Random, generate};
use mapwright_indexing::{
    CompareBudget, IndexingMap, Simplifier, compare, compare_variables, compare_within,
};

#[track_caller]
fn check(a: &str, b: &str, equal: Option<bool>) {
    let (x, y): (IndexingMap, IndexingMap) = (a.parse().expect(a), b.parse().expect(b));
    for (x, y) in [(&x, &y), (&y, &x)] {
        let c = compare(x, y);
        assert_eq!(c.equal, equal, "{x}\n{y}\n{c:?}");
        if let Some(p) = &c.counterexample
            && x.ranges.is_empty()
        {
            let at = |m: &IndexingMap| m.eval(&p.dims, &p.ranges, &p.runtime);
            assert_ne!(at(x), at(y), "{p:?}");
        }
    }
}

#[test]
fn equal_and_different() {
    check("(d0) -> (d0)", "(row) -> (row)", Some(true));
    check(
        "(d0) -> (d0), domain: d0 in [0, 3]",
        "(d0) -> (d0), domain: d0 in [0, 4]",
        Some(false),
    );
    check(
        "(d0) -> (d0 mod 4), domain: d0 in [0, 3]",
        "(d0) -> (d0), domain: d0 in [0, 3]",
        Some(true),
    );
    check(
        "KNOWN EMPTY",
        "(d0) -> (d0), domain: d0 in [3, 2]",
        Some(true),
    );
    check(
        "KNOWN EMPTY",
        "(d0) -> (d0), domain: d0 in [2, 2]",
        Some(false),
    );
    check("UNKNOWN", "(d0) -> (d0)", None);
    check("(d0, d1) -> (d0)", "(d0) -> (d0)", Some(false));
    // Beyond enumeration, with a difference at one point only.
    let big = "d0 in [0, 1099511627775], d1 in [0, 1099511627775]";
    check(
        &format!("(d0, d1) -> ((d0 + d1) floordiv 2199023255550), domain: {big}"),
        &format!("(d0, d1) -> (0), domain: {big}"),
        Some(false),
    );
    check(
        &format!(
            "(d0, d1) -> ((d0 * 6 + d1 * 4) mod 10 - 2 * ((d0 * 3 + d1 * 2) mod 5)), domain: {big}"
        ),
        &format!("(d0, d1) -> (0), domain: {big}"),
        Some(true),
    );
    // A constraint in two ways.
    check(
        &format!("(d0, d1) -> (d0), domain: {big}, d0 floordiv 3 - d1 in [0, 0]"),
        &format!("(d0, d1) -> (d0), domain: {big}, d0 - d1 * 3 in [0, 2]"),
        Some(true),
    );
}

#[test]
fn range_variables_are_sets() {
    check(
        "()[s0] -> (s0), domain: s0 in [0, 9]",
        "()[s0] -> (9 - s0), domain: s0 in [0, 9]",
        Some(true),
    );
    check(
        "()[s0, s1] -> (s0), domain: s0 in [0, 9], s1 in [0, 3]",
        "()[s0] -> (s0), domain: s0 in [0, 9]",
        Some(true),
    );
    check(
        "()[s0] -> (s0), domain: s0 in [0, 9], s0 mod 3 in [1, 1]",
        "()[s0] -> (s0 * 3 + 1), domain: s0 in [0, 2]",
        Some(true),
    );
    check(
        "(d0)[s0] -> (s0 + d0), domain: d0 in [0, 3], s0 in [0, 9]",
        "(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 9]",
        Some(false),
    );
}

/// Random pairs: maps with themselves simplified are never different, and the solver alone agrees with enumeration.
#[test]
fn the_solver_agrees_with_enumeration() {
    let mut random = Random(99);
    let mut simplifier = Simplifier::new();
    let (mut proved, mut refuted) = (0, 0);
    let tight = CompareBudget {
        points: 0,
        steps: 20_000,
    };
    let wide = CompareBudget {
        points: 1_000_000,
        steps: 0,
    };
    for _ in 0..1500 {
        let map = generate::map(&mut random, 200);
        if map.intervals().any(|i| i.len() > 1000) {
            continue;
        }
        let simple = map.simplify_with(&mut simplifier, false);
        let other = simple.in_variables_of(&map);
        assert_ne!(
            compare_variables(&map, &other, tight).equal,
            Some(false),
            "{map}\n{other}"
        );
        let mut changed = map.clone();
        if let Some(k) = changed.constraints.first_mut() {
            k.interval.upper = k.interval.upper.saturating_sub(1);
        } else if let Some(e) = changed.results.first_mut() {
            *e = e.clone().modulo(7);
        }
        let (solver, truth) = (
            compare_variables(&map, &changed, tight),
            compare_variables(&map, &changed, wide),
        );
        if let (Some(s), Some(t)) = (solver.equal, truth.equal) {
            assert_eq!(s, t, "{map}\n{changed}\n{solver:?}\n{truth:?}");
            if s {
                proved += 1;
            } else {
                refuted += 1;
            }
        }
    }
    assert!(proved > 50 && refuted > 200, "{proved} {refuted}");
    let (a, b): (IndexingMap, IndexingMap) = (
        "(d0) -> (d0 * d0), domain: d0 in [0, 4294967295]"
            .parse()
            .expect("a map"),
        "(d0) -> (d0 * d0 + d0 - d0), domain: d0 in [0, 4294967295]"
            .parse()
            .expect("a map"),
    );
    assert_ne!(
        compare_within(
            &a,
            &b,
            CompareBudget {
                points: 100,
                steps: 10
            }
        )
        .equal,
        Some(false)
    );
}
