//! Chains of reshapes and transposes: those that compose to the identity simplify to it, and two
//! chains that do the same are printed the same. Random sizes, up to 8 dimensions.
//!
//! `MAPWRIGHT_CHAINS` sets the number of chains, `MAPWRIGHT_CHAINS_SEED` the seed. How many fail is
//! part of the output.

use crate::common::Random;
use crate::common::chains::{
    chain, from_env, other_shape, permutation, reshape, start_shape, transpose,
};
use mapwright_indexing::{IndexingMap, Simplifier, compose};

/// A chain from a shape: the composed map from the final shape back to it, the final shape, and the
/// way back.
fn composed(
    r: &mut Random,
    start: &[i64],
    steps: usize,
) -> (IndexingMap, Vec<i64>, Vec<IndexingMap>) {
    let (steps, shape) = chain(r, start, steps);
    let mut map = IndexingMap::identity(start);
    let mut back = Vec::new();
    for (there, undo) in steps {
        map = compose(&there, &map);
        back.push(undo);
    }
    (map, shape, back)
}

#[test]
fn chains_there_and_back_are_the_identity() {
    let mut r = Random(from_env("MAPWRIGHT_CHAINS_SEED", 4));
    let mut simplifier = Simplifier::new();
    let mut failed = Vec::new();
    let total = from_env("MAPWRIGHT_CHAINS", 400);
    for _ in 0..total {
        let start = start_shape(&mut r);
        let steps = 1 + r.below(4);
        let (mut map, _, back) = composed(&mut r, &start, steps);
        for undo in back.iter().rev() {
            map = compose(undo, &map);
        }
        let simple = map.simplify_with(&mut simplifier, false).map;
        // A dimension of size one is the constant zero.
        let expected = IndexingMap::identity(&start).simplify();
        if simple != expected {
            failed.push(format!("{start:?} {simple}"));
        }
    }
    println!(
        "{} of {total} are not seen to be the identity",
        failed.len()
    );
    assert!(
        failed.is_empty(),
        "{} of {total}\n{}",
        failed.len(),
        failed.join("\n")
    );
}

/// A permutation of digits in two ways: straight, and with detours that cancel.
#[test]
fn chains_that_do_the_same_print_the_same() {
    let mut r = Random(from_env("MAPWRIGHT_CHAINS_SEED", 5));
    let mut simplifier = Simplifier::new();
    let mut failed = Vec::new();
    let total = from_env("MAPWRIGHT_CHAINS", 300);
    for _ in 0..total {
        let start = start_shape(&mut r);
        let mut digits = vec![1];
        digits.extend(start.iter().flat_map(|n| {
            if n % 2 == 0 && *n > 2 {
                vec![n / 2, 2]
            } else {
                vec![*n]
            }
        }));
        digits.truncate(8);
        if digits.iter().product::<i64>() != start.iter().product::<i64>() {
            continue;
        }
        let order = permutation(&mut r, digits.len());
        let (turn, turned) = transpose(&digits, &order);
        let last = other_shape(&mut r, &turned);
        let straight = compose(
            &reshape(&turned, &last),
            &compose(&turn, &reshape(&start, &digits)),
        );
        let detour = |r: &mut Random, shape: &[i64]| {
            let (there, _, back) = composed(r, shape, 2);
            back.iter().rev().fold(there, |m, undo| compose(undo, &m))
        };
        let first = compose(&detour(&mut r, &digits), &reshape(&start, &digits));
        let second = compose(&detour(&mut r, &turned), &compose(&turn, &first));
        let around = compose(&reshape(&turned, &last), &second);
        let (p, q) = (
            straight.simplify_with(&mut simplifier, false).map,
            around.simplify_with(&mut simplifier, false).map,
        );
        if p.to_string() != q.to_string() {
            failed.push(format!("{p}\n  {q}"));
        }
    }
    println!("{} of {total} print differently", failed.len());
    assert!(
        failed.is_empty(),
        "{} of {total}\n{}",
        failed.len(),
        failed.join("\n")
    );
}
