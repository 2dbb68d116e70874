//! `compare`: proofs, refutations, and what it does when it cannot tell.

use crate::common::{Random, generate};
use mapwright_indexing::{
    CompareBudget, IndexingMap, Simplifier, c, compare, compare_variables, compare_within, compose,
    d,
};

#[track_caller]
fn check(a: &str, b: &str, equal: Option<bool>) {
    let (x, y): (IndexingMap, IndexingMap) = (a.parse().expect(a), b.parse().expect(b));
    for (x, y) in [(&x, &y), (&y, &x)] {
        let c = compare(x, y);
        assert_eq!(c.equal, equal, "{x}\n{y}\n{c:?}");
        if let Some(p) = &c.counterexample
            && x.ranges().is_empty()
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

/// More values of range variables than can be tried.
#[test]
fn large_sets_are_compared_by_their_constraints() {
    let two = "()[s0, s1] -> (s0 * 4 + s1), domain: s0 in [0, 1000000], s1 in [0, 3]";
    check(
        two,
        "()[s0] -> (s0), domain: s0 in [0, 4000003]",
        Some(true),
    );
    check(
        two,
        "()[s0] -> (s0), domain: s0 in [0, 4000004]",
        Some(false),
    );
    let big = "d0 in [0, 1000000000000], s0 in [0, 4]";
    check(
        &format!("(d0)[s0] -> (d0 * 3 + s0 * 3), domain: {big}"),
        &format!("(d0)[s0] -> ((d0 + 4 - s0) * 3), domain: {big}"),
        Some(true),
    );
    check(
        &format!("(d0)[s0] -> (d0 * 3 + s0 * 3), domain: {big}"),
        &format!("(d0)[s0] -> (d0 * 3 + s0 * 3), domain: {big}, d0 + s0 in [0, 1000000000003]"),
        Some(false),
    );
    check(
        "(d0)[s0]{rt0} -> (d0 * 8 + s0 + rt0), domain: d0 in [0, 99999999], s0 in [0, 7], rt0 in [0, 99]",
        "(d0)[s0]{rt0} -> (d0 * 8 - s0 + rt0 + 7), domain: d0 in [0, 99999999], s0 in [0, 7], rt0 in [0, 99]",
        Some(true),
    );
}

/// Random sets: where the constraints decide, trying all points says the same.
#[test]
fn constraints_of_sets_agree_with_enumeration() {
    let mut random = Random(4);
    let constraints_only = CompareBudget {
        points: 0,
        steps: 20_000,
    };
    let (mut proved, mut refuted) = (0, 0);
    for i in 0..4000 {
        let map = generate::map(&mut random, 60);
        if map.ranges().is_empty() || map.intervals().any(|i| i.len() > 50) {
            continue;
        }
        // The same set in another order of the range variable, or one that is a little smaller.
        let (r, mut other) = (map.ranges()[0].interval, map.clone());
        let turned = compose(
            &IndexingMap::new(
                map.dims().iter().chain(map.ranges()).cloned().collect(),
                (0..map.dims().len())
                    .map(d)
                    .chain([c(r.upper) + c(r.lower) - d(map.dims().len())])
                    .chain((1..map.ranges().len()).map(|k| d(map.dims().len() + k)))
                    .collect(),
            ),
            &map.clone().ranges_to_dims(),
        );
        if map.runtime().is_empty() && turned.is_known() {
            let ranges: Vec<usize> = (map.dims().len()..turned.dims().len()).collect();
            other = turned.dims_to_ranges(&ranges);
        }
        if i % 3 == 0 {
            other.ranges_mut()[0].interval.upper -= 1;
        }
        let (found, truth) = (
            compare_within(&map, &other, constraints_only),
            compare(&map, &other),
        );
        if let (Some(found), Some(truth)) = (found.equal, truth.equal) {
            assert_eq!(found, truth, "{map}\n{other}");
            if truth {
                proved += 1;
            } else {
                refuted += 1;
            }
        }
    }
    println!("{proved} proved, {refuted} refuted");
    assert!(proved > 100 && refuted > 20, "{proved} {refuted}");
}

/// The ends of 64 bits, empty domains, other numbers of variables, no value at all.
#[test]
fn edges() {
    let all = "d0 in [-9223372036854775808, 9223372036854775807]";
    check(
        &format!("(d0) -> (d0), domain: {all}"),
        &format!("(d0) -> (d0 floordiv 2 * 2 + d0 mod 2), domain: {all}"),
        Some(true),
    );
    check(
        &format!("(d0) -> (-d0), domain: {all}"),
        &format!("(d0) -> (-d0 - 1), domain: {all}"),
        Some(false),
    );
    check(
        "(d0) -> (d0 * 4611686018427387904), domain: d0 in [-2, 2]",
        "(d0) -> (d0 * 4611686018427387903 + d0), domain: d0 in [-2, 2]",
        Some(true),
    );
    let sum = "d0 in [-9223372036854775808, 9223372036854775807], d1 in [-9223372036854775808, 9223372036854775807], d0 + d1 in [9223372036854775807, 9223372036854775807]";
    check(
        &format!("(d0, d1) -> (d0), domain: {sum}"),
        &format!("(d0, d1) -> (9223372036854775807 - d1), domain: {sum}"),
        Some(true),
    );
    check(
        "(d0) -> (d0), domain: d0 in [3, 1]",
        "(d0, d1) -> (d0 * 5, d1), domain: d0 in [0, -1], d1 in [0, 4]",
        Some(true),
    );
    check(
        "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], d0 * 6 - d1 * 4 in [1, 1]",
        "KNOWN EMPTY",
        Some(true),
    );
    check("KNOWN EMPTY", "UNKNOWN", None);
    check("UNKNOWN", "UNKNOWN", None);
    check("(d0) -> (d0)", "(d0) -> (d0, d0)", Some(false));
    check(
        "()[s0] -> (s0), domain: s0 in [0, 3]",
        "(d0) -> (d0), domain: d0 in [0, 3]",
        Some(false),
    );
    check("()[s0] -> (), domain: s0 in [0, 3]", "() -> ()", Some(true));
    check("() -> (1)", "() -> (2)", Some(false));
    check(
        "(d0) -> (d0 floordiv d0), domain: d0 in [0, 5]",
        "(d0) -> (1), domain: d0 in [0, 5]",
        None,
    );
    check(
        "(d0) -> (d0 floordiv d0), domain: d0 in [1, 5]",
        "(d0) -> (1), domain: d0 in [1, 5]",
        Some(true),
    );
}

/// Random pairs: maps with themselves simplified are never different, and the solver alone agrees
/// with enumeration.
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
        changed.edit(|m| {
            if let Some(k) = m.constraints.first_mut() {
                k.interval.upper = k.interval.upper.saturating_sub(1);
            } else if let Some(e) = m.results.first_mut() {
                *e = e.clone().modulo(7);
            }
        });
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
