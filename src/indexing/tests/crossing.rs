//! Chains of reshapes and transposes whose digits cross: one chain is simplified in several ways,
//! they mean the same, and nearly all print the same. (What is simplified after every step has lost
//! what a reshape cut; not all of it is found again.)
//!
//! `MAPWRIGHT_CHAINS` sets the number of chains, `MAPWRIGHT_CHAINS_SEED` the seed, `SHOW` prints
//! those that differ.

use crate::common::Random;
use crate::common::chains::{chain, from_env, start_shape, step};
use mapwright_indexing::{IndexingMap, Simplifier, compose};

/// All steps composed, simplified now and then or at the end.
fn forward(
    steps: &[IndexingMap],
    simplifier: &mut Simplifier,
    mut now: impl FnMut() -> bool,
) -> IndexingMap {
    let mut map = steps[0].clone();
    for step in &steps[1..] {
        map = compose(step, &map);
        if now() {
            map = map.simplify_with(simplifier, false).map;
        }
    }
    map.simplify_with(simplifier, false).map
}

/// As `forward`, from the last step to the first.
fn backward(
    steps: &[IndexingMap],
    simplifier: &mut Simplifier,
    mut now: impl FnMut() -> bool,
) -> IndexingMap {
    let (last, others) = steps.split_last().expect("a step");
    let mut map = last.clone();
    for step in others.iter().rev() {
        map = compose(&map, step);
        if now() {
            map = map.simplify_with(simplifier, false).map;
        }
    }
    map.simplify_with(simplifier, false).map
}

#[test]
fn one_chain_is_the_same_however_it_is_composed() {
    let seed = from_env("MAPWRIGHT_CHAINS_SEED", 6);
    let mut r = Random(seed);
    let mut simplifier = Simplifier::new();
    let mut different = 0;
    let total = from_env("MAPWRIGHT_CHAINS", 1_000);
    for n in 0..total {
        let start = start_shape(&mut r);
        let count = 1 + r.below(4);
        let (mut steps, mut around) = (Vec::new(), Vec::new());
        let mut shape = start.clone();
        for _ in 0..count {
            let (there, _, to) = step(&mut r, &shape);
            if r.chance(40) {
                let count = 1 + r.below(2);
                let (detour, _) = chain(&mut r, &shape, count);
                around.extend(detour.iter().map(|d| d.0.clone()));
                around.extend(detour.into_iter().rev().map(|d| d.1));
            }
            steps.push(there.clone());
            around.push(there);
            shape = to;
        }
        let ways = [
            forward(&steps, &mut simplifier, || false),
            forward(&steps, &mut simplifier, || true),
            backward(&steps, &mut simplifier, || true),
            forward(&around, &mut simplifier, || false),
            forward(&around, &mut simplifier, || true),
            backward(&around, &mut simplifier, || true),
        ];
        // Nothing is lost where all steps are there.
        assert_eq!(ways[0], ways[3], "{start:?}");
        let other: Vec<&IndexingMap> = ways.iter().filter(|w| **w != ways[0]).collect();
        if other.is_empty() {
            continue;
        }
        different += 1;
        for way in other {
            if std::env::var_os("SHOW").is_some() {
                println!("{n}: {start:?}\n  {}\n  {way}", ways[0]);
            }
            for _ in 0..200 {
                let point: Vec<i64> = ways[0]
                    .dims()
                    .iter()
                    .map(|d| r.within(d.interval))
                    .collect();
                let value = |map: &IndexingMap| map.eval(&point, &[], &[]);
                assert_eq!(value(&ways[0]), value(way), "{start:?} at {point:?}\n{way}");
            }
        }
    }
    println!("{different} of {total} print differently");
    assert!(different * 50 <= total, "more than 2 of a hundred");
}
