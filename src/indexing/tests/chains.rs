//! Chains of reshapes and transposes: those that compose to the identity simplify to it, and two chains that do the same are
//! printed the same. Random sizes, up to 8 dimensions.
//!
//! `MAPWRIGHT_CHAINS` sets the number of chains, `MAPWRIGHT_CHAINS_SEED` the seed. How many fail is part of the output.

// A failing helper is a failing test.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::Random;
use mapwright_indexing::{Expr, IndexingMap, Simplifier, c, compose, d};

/// The map of a reshape, from an index of the result to an index of the operand.
fn reshape(from: &[i64], to: &[i64]) -> IndexingMap {
    let mut linear = c(0);
    for (i, n) in to.iter().enumerate() {
        linear = linear * *n + d(i);
    }
    let mut stride: i64 = 1;
    let mut results: Vec<Expr> = Vec::new();
    for (i, n) in from.iter().enumerate().rev() {
        let e = linear.clone().floor_div(stride);
        results.push(if i == 0 { e } else { e.modulo(*n) });
        stride *= n;
    }
    results.reverse();
    IndexingMap::from_dims(to, results)
}

/// The map of a transpose: dimension `i` of the result is dimension `order[i]` of the operand.
fn transpose(from: &[i64], order: &[usize]) -> (IndexingMap, Vec<i64>) {
    let to: Vec<i64> = order.iter().map(|o| from[*o]).collect();
    let results: Vec<Expr> = (0..from.len())
        .map(|i| d(order.iter().position(|o| *o == i).expect("a permutation")))
        .collect();
    (IndexingMap::from_dims(&to, results), to)
}

fn permutation(r: &mut Random, n: usize) -> Vec<usize> {
    let mut p: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        p.swap(i, r.below(i + 1));
    }
    p
}

fn inverse(p: &[usize]) -> Vec<usize> {
    (0..p.len())
        .map(|i| p.iter().position(|q| *q == i).expect("a permutation"))
        .collect()
}

/// Some other shape with as many elements, of at most 8 dimensions.
fn other_shape(r: &mut Random, shape: &[i64]) -> Vec<i64> {
    let mut primes = Vec::new();
    for n in shape {
        let (mut n, mut p) = (*n, 2);
        while n > 1 {
            while n % p == 0 {
                primes.push(p);
                n /= p;
            }
            p += 1;
        }
    }
    // Aligned with the factors of the dimensions, or across them.
    if r.chance(40) {
        for i in (1..primes.len()).rev() {
            primes.swap(i, r.below(i + 1));
        }
    }
    let mut shape = vec![1];
    for p in primes {
        if shape.len() < 8 && r.chance(60) {
            shape.push(p);
        } else if let Some(last) = shape.last_mut() {
            *last *= p;
        }
    }
    shape
}

/// A chain from a shape: the composed map from the final shape back to it, the final shape, and the way back.
fn chain(r: &mut Random, start: &[i64], steps: usize) -> (IndexingMap, Vec<i64>, Vec<IndexingMap>) {
    let mut shape = start.to_vec();
    let mut map = IndexingMap::identity(start);
    let mut back = Vec::new();
    for _ in 0..steps {
        let (step, undo, to) = if r.chance(50) {
            let to = other_shape(r, &shape);
            (reshape(&shape, &to), reshape(&to, &shape), to)
        } else {
            let order = permutation(r, shape.len());
            let (step, to) = transpose(&shape, &order);
            let (undo, _) = transpose(&to, &inverse(&order));
            (step, undo, to)
        };
        map = compose(&step, &map);
        back.push(undo);
        shape = to;
    }
    (map, shape, back)
}

fn from_env(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(default)
}

fn start_shape(r: &mut Random) -> Vec<i64> {
    (0..1 + r.below(4))
        .map(|_| r.pick(&[1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 25]))
        .collect()
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
        let (mut map, _, back) = chain(&mut r, &start, steps);
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
            let (there, _, back) = chain(r, shape, 2);
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
