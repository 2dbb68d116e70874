//! Two corpora, a shared one and our own: never more operations than the best of the other
//! simplifiers, never more constraints.

use crate::common::{Random, check_simplify};
use crate::shared;
use mapwright_indexing::{
    CompareBudget, IndexingMap, Simplifier, compare, compare_variables, compose,
};

#[test]
fn no_worse_than_the_best_of_the_others() {
    let Some(shared) = shared::shared("bench/maps/maps.jsonl") else {
        return;
    };
    let text = std::fs::read_to_string(shared).expect("maps.jsonl can be read");
    let mut simplifier = Simplifier::new();
    let mut random = Random(1);
    let mut failures = Vec::new();
    let (mut before, mut after, mut best_sum, mut maps) = (0, 0, 0, 0);
    for line in text.lines() {
        let entry: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        let name = entry["name"].as_str().unwrap_or("?");
        let read = |key: &str| {
            entry[key].as_str().map(|t| {
                t.parse::<IndexingMap>()
                    .unwrap_or_else(|e| panic!("{name}: {e}"))
            })
        };
        let map = match read("map") {
            Some(map) => map,
            None => compose(
                &read("consumer").expect("a consumer"),
                &read("producer").expect("a producer"),
            ),
        };
        let text = map.to_string();
        assert_eq!(
            text.parse::<IndexingMap>().map(|m| m.operation_count()),
            Ok(map.operation_count()),
            "{name}"
        );
        let simplified = match check_simplify(&map, &mut simplifier, 2000, &mut random) {
            Ok((s, _)) => s.map,
            Err(e) => {
                failures.push(format!("{name}: {e}"));
                continue;
            }
        };
        let Some(others) = entry["ops_left"].as_object() else {
            continue;
        };
        let best = others
            .values()
            .filter_map(serde_json::Value::as_u64)
            .min()
            .unwrap_or(u64::MAX) as usize;
        let ours = simplified.operation_count();
        maps += 1;
        before += map.operation_count();
        after += ours;
        best_sum += best;
        if ours > best {
            failures.push(format!(
                "{name}: {ours} operations, best {best}: {others:?}\n  of {map}\n  to {simplified}"
            ));
        }
        let limit = entry["constraints_left_xla"].as_u64().unwrap_or(u64::MAX) as usize;
        if simplified.constraints().len() > limit {
            failures.push(format!(
                "{name}: {} constraints, XLA {limit}\n  of {map}\n  to {simplified}",
                simplified.constraints().len()
            ));
        }
    }
    println!(
        "{maps} maps, operations {before} -> {after} (best of the others, map by map: {best_sum})"
    );
    assert!(
        failures.is_empty(),
        "{} failures\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// Our own corpus, `corpus/maps.jsonl`: maps from the definitions of the specification and of
/// programs, with what upstream and TVM leave of them. An entry in which one of them has fewer
/// operations says why in `reason`.
#[test]
fn no_longer_than_upstream_and_tvm() {
    let (mut simplifier, mut random) = (Simplifier::new(), Random(2));
    let (mut maps, mut wrong, mut before, mut ours, mut best_sum) = (0, 0, 0, 0, 0);
    let (mut ours_constraints, mut best_constraints) = (0, 0);
    let mut failures = Vec::new();
    let mut families: Vec<String> = Vec::new();
    for line in include_str!("../corpus/maps.jsonl").lines() {
        let entry: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        let text = |key: &str| entry[key].as_str().unwrap_or_default();
        let name = text("name");
        if !families.iter().any(|f| f == text("family")) {
            families.push(text("family").into());
        }
        let map: IndexingMap = text("map")
            .parse()
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        // The grammar is the printer's.
        assert_eq!(map.to_string().parse().as_ref(), Ok(&map), "{name}");
        let simplified = match check_simplify(&map, &mut simplifier, 4_000, &mut random) {
            Ok((s, _)) => s,
            Err(e) => {
                failures.push(format!("{name}: {e}"));
                continue;
            }
        };
        let answer = compare_variables(
            &map,
            &simplified.in_variables_of(&map),
            CompareBudget::default(),
        );
        if answer.equal == Some(false) {
            failures.push(format!("{name}: different: {answer:?}"));
        }
        let least = |key: &str| {
            let all = entry[key].as_object().expect("counts");
            let counts = all.values().filter_map(serde_json::Value::as_u64);
            counts.min().map(|n| n as usize)
        };
        maps += 1;
        wrong += usize::from(entry.get("wrong").is_some());
        before += map.operation_count();
        let (operations, constraints) = (
            simplified.map.operation_count(),
            simplified.map.constraints().len(),
        );
        ours += operations;
        ours_constraints += constraints;
        // What nobody else can hold is held by nothing.
        best_sum += least("ops_left").unwrap_or(operations);
        best_constraints += least("constraints_left").unwrap_or(constraints);
        let more = least("ops_left").is_some_and(|n| operations > n)
            || least("constraints_left").is_some_and(|n| constraints > n);
        if more != entry.get("reason").is_some() {
            failures.push(format!(
                "{name}: {operations} operations and {constraints} constraints, others {} and {}, reason {}\n  of {map}\n  to {}",
                entry["ops_left"], entry["constraints_left"], entry["reason"], simplified.map
            ));
        }
    }
    println!(
        "{maps} maps of {} families: operations {before} -> {ours} (least of the others, map by map: {best_sum}), constraints {ours_constraints} ({best_constraints}); others are wrong on {wrong}",
        families.len()
    );
    assert!(maps >= 300, "{maps} maps");
    assert!(
        failures.is_empty(),
        "{} failures\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// What has come out wrong of one simplifier or another.
#[test]
fn wrong_answers_of_the_others_come_out_right() {
    for (given, expected) in [
        // A congruence tightens a negative bound; truncating division made it empty.
        (
            "(d0) -> (d0), domain: d0 in [-7, -4], d0 mod 4 in [2, 2]",
            "(d0) -> (-6), domain: d0 in [-6, -6]",
        ),
        // The constraint through a negative divisor.
        (
            "()[s0] -> (s0), domain: s0 in [0, 40], s0 floordiv -3 in [-11, -5]",
            "()[s0] -> (s0), domain: s0 in [13, 33]",
        ),
        // A negative scale does not go into a divisor: neither is `d0 floordiv -3 + 11`.
        (
            "(d0) -> ((-d0 + 35) floordiv 3), domain: d0 in [0, 35]",
            "(d0) -> (-(d0 floordiv 3) + 11), domain: d0 in [0, 35]",
        ),
        (
            "(d0) -> ((-d0 + 34) floordiv 3), domain: d0 in [0, 34]",
            "(d0) -> ((-d0 + 34) floordiv 3), domain: d0 in [0, 34]",
        ),
        (
            "(d0) -> (d0 floordiv -3), domain: d0 in [0, 35]",
            "(d0) -> (-(d0 ceildiv 3)), domain: d0 in [0, 35]",
        ),
    ] {
        let map: IndexingMap = given.parse().expect(given);
        assert_eq!(map.simplify().to_string(), expected, "{given}");
    }
    // A sum that forgets its lower bound: (8, 1) is in the domain, (4, 1) is not.
    let sum: IndexingMap =
        "(d0, d1) -> (d0, d1), domain: d0 in [4, 8], d1 in [0, 5], d0 - d1 * 8 in [0, 11]"
            .parse()
            .expect("a map");
    let simple = sum.simplify();
    assert_eq!(simple.eval(&[8, 1], &[], &[]), Ok(Some(vec![8, 1])));
    assert_eq!(simple.eval(&[4, 1], &[], &[]), Ok(None));
    assert_eq!(compare(&sum, &simple).equal, Some(true), "{simple}");
}
