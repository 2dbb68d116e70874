//! Chains of reshapes and transposes with padding, repetition and reversal between them: padded
//! tiles, repeated rows, rotations. There and back, each composes to the identity, and nothing of
//! the padding is left: no quotient, no constraint. (Of those whose digits cross, up to 25 of
//! 10,000 are not seen to be: 2 of a thousand when this was written.)
//!
//! `MAPWRIGHT_CHAINS` sets the number of chains, `MAPWRIGHT_CHAINS_SEED` the seed.

use crate::common::Random;
use crate::common::chains::{from_env, reshape, start_shape, step};
use mapwright_indexing::{Expr, IndexingMap, Interval, Simplifier, c, compose, d};

/// A map that leaves all dimensions as they are but one.
fn along(to: &[i64], axis: usize, index: Expr) -> IndexingMap {
    let results = (0..to.len()).map(|i| if i == axis { index.clone() } else { d(i) });
    IndexingMap::from_dims(to, results)
}

/// A step from a shape: its map from indices of the result to those of the operand, defined where
/// the result has an element of the operand; a map back, from indices of the operand to where the
/// result has them; and the shape after it.
type Step = (IndexingMap, IndexingMap, Vec<i64>);

/// Padding at both ends and between the elements; back by a slice with a stride.
fn pad(shape: &[i64], axis: usize, low: i64, high: i64, interior: i64) -> Step {
    let (n, stride) = (shape[axis], interior + 1);
    let mut to = shape.to_vec();
    to[axis] = low + (n - 1) * stride + 1 + high;
    let there = along(&to, axis, (d(axis) - low).floor_div(stride))
        .with_constraint(d(axis) - low, Interval::new(0, (n - 1) * stride))
        .with_constraint((d(axis) - low).modulo(stride), Interval::point(0));
    (there, along(shape, axis, d(axis) * stride + low), to)
}

/// One step after another.
fn then(first: Step, second: Step) -> Step {
    let there = compose(&second.0, &first.0);
    (there, compose(&first.1, &second.1), second.2)
}

fn reshaped(from: &[i64], to: Vec<i64>) -> Step {
    (reshape(from, &to), reshape(&to, from), to)
}

/// A dimension padded to whole tiles, and cut into them.
fn tiles(shape: &[i64], axis: usize, tile: i64) -> Step {
    let missing = (tile - shape[axis] % tile) % tile;
    let padded = pad(shape, axis, 0, missing, 0);
    let mut to = padded.2.clone();
    to[axis] /= tile;
    to.insert(axis + 1, tile);
    let cut = reshaped(&padded.2, to);
    then(padded, cut)
}

/// Each element several times, or the whole row several times; back by one of the copies.
fn repeat(shape: &[i64], axis: usize, times: i64, rows: bool, copy: i64) -> Step {
    let at = if rows { axis } else { axis + 1 };
    let mut wide = shape.to_vec();
    wide.insert(at, times);
    let there = (0..wide.len()).filter(|i| *i != at).map(d);
    let mut back: Vec<Expr> = (0..shape.len()).map(d).collect();
    back.insert(at, c(copy));
    let broadcast = (
        IndexingMap::from_dims(&wide, there),
        IndexingMap::from_dims(shape, back),
        wide.clone(),
    );
    let mut to = shape.to_vec();
    to[axis] *= times;
    then(broadcast, reshaped(&wide, to))
}

/// The elements in reverse, or moved around by some places (`concatenate` of two slices).
fn turn(shape: &[i64], axis: usize, by: Option<i64>) -> Step {
    let n = shape[axis];
    let (there, back) = match by {
        None => (c(n - 1) - d(axis), c(n - 1) - d(axis)),
        Some(by) => ((d(axis) + by).modulo(n), (d(axis) + (n - by)).modulo(n)),
    };
    let map = |e| along(shape, axis, e);
    (map(there), map(back), shape.to_vec())
}

fn any(r: &mut Random, shape: &[i64]) -> Step {
    let axis = r.below(shape.len());
    let small = |r: &mut Random, n: usize| r.below(n) as i64;
    let choice = r.below(10);
    let size: i64 = shape.iter().product();
    match choice {
        0..2 if shape.len() < 8 => tiles(shape, axis, 2 + small(r, 7)),
        2 => {
            let (low, high) = (small(r, 4), small(r, 4));
            pad(shape, axis, low, high, small(r, 3))
        }
        3 if size < 10_000 => {
            let times = 1 + small(r, 4);
            let copy = small(r, times as usize);
            repeat(shape, axis, times, r.chance(50), copy)
        }
        4 => turn(shape, axis, None),
        5 => {
            let by = small(r, shape[axis] as usize);
            turn(shape, axis, Some(by))
        }
        _ => step(r, shape),
    }
}

/// A chain from a shape, with the way back.
fn chain(r: &mut Random, start: &[i64]) -> Vec<Step> {
    let mut shape = start.to_vec();
    let steps = (0..1 + r.below(5)).map(|_| {
        let step = any(r, &shape);
        shape.clone_from(&step.2);
        step
    });
    steps.collect()
}

#[test]
fn nothing_is_left_of_padding_and_repetition_on_the_way_back() {
    let mut r = Random(from_env("MAPWRIGHT_CHAINS_SEED", 7));
    let mut simplifier = Simplifier::new();
    let mut failed = Vec::new();
    let total = from_env("MAPWRIGHT_CHAINS", 400);
    for n in 0..total {
        let start = start_shape(&mut r);
        let steps = chain(&mut r, &start);
        let mut map = IndexingMap::identity(&start);
        let often = n % 2 == 1;
        let mut grow = |by: &IndexingMap| {
            map = compose(by, &map);
            if often {
                map = map.simplify_with(&mut simplifier, false).map;
            }
        };
        steps.iter().for_each(|s| grow(&s.0));
        steps.iter().rev().for_each(|s| grow(&s.1));
        let simple = map.simplify_with(&mut simplifier, false).map;
        let expected = IndexingMap::identity(&start).simplify();
        if simple != expected {
            failed.push(format!("{start:?} {simple}\n    from {map}"));
        }
    }
    println!(
        "{} of {total} are not seen to be the identity",
        failed.len()
    );
    assert!(
        failed.len() as u64 * 10_000 <= total * 25,
        "{} of {total}\n{}",
        failed.len(),
        failed.join("\n")
    );
}
