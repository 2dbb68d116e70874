//! The shared corpus: never more operations than the best of the other simplifiers, never more constraints than XLA.

mod common;

use common::{Random, check_simplify, shared};
use mapwright_indexing::{IndexingMap, Simplifier, compose};

#[test]
fn no_worse_than_the_best_of_the_others() {
    let Some(shared) = shared() else {
        eprintln!("skipped: no shared data");
        return;
    };
    let text = std::fs::read_to_string(shared.join("bench/maps/maps.jsonl"))
        .expect("maps.jsonl can be read");
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
        if simplified.constraints.len() > limit {
            failures.push(format!(
                "{name}: {} constraints, XLA {limit}\n  of {map}\n  to {simplified}",
                simplified.constraints.len()
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

/// Maps of StableHLO programs, composed through the program and not simplified, with the operations that upstream's
/// `simplifyAffineMap` leaves (`programs.jsonl`).
#[test]
fn maps_of_programs_are_no_longer_than_upstreams() {
    let text = include_str!("programs.jsonl");
    let (mut simplifier, mut random) = (Simplifier::new(), Random(2));
    let (mut maps, mut ours, mut theirs) = (0, 0, 0);
    for line in text.lines() {
        let entry: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        let name = entry["name"].as_str().unwrap_or("?");
        let map: IndexingMap = entry["map"]
            .as_str()
            .and_then(|t| t.parse().ok())
            .unwrap_or_else(|| panic!("{name}: no map"));
        let (simplified, _) = check_simplify(&map, &mut simplifier, 2_000, &mut random)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let left = entry["ops_left"]["upstream"].as_u64().expect("a count") as usize;
        let count = simplified.map.operation_count();
        assert!(
            count <= left,
            "{name}: {count}, upstream {left}: {}",
            simplified.map
        );
        maps += 1;
        ours += count;
        theirs += left;
    }
    println!("{maps} maps of programs: {ours} operations, upstream {theirs}");
    assert!(maps >= 90);
}
