//! Random chains of reshapes and transposes.

use super::Random;
use mapwright_indexing::{Expr, IndexingMap, c, d};

/// The map of a reshape, from an index of the result to an index of the operand.
pub fn reshape(from: &[i64], to: &[i64]) -> IndexingMap {
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
pub fn transpose(from: &[i64], order: &[usize]) -> (IndexingMap, Vec<i64>) {
    let to: Vec<i64> = order.iter().map(|o| from[*o]).collect();
    let results: Vec<Expr> = inverse(order).into_iter().map(d).collect();
    (IndexingMap::from_dims(&to, results), to)
}

pub fn permutation(r: &mut Random, n: usize) -> Vec<usize> {
    let mut p: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        p.swap(i, r.below(i + 1));
    }
    p
}

pub fn inverse(p: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; p.len()];
    for (i, q) in p.iter().enumerate() {
        inverse[*q] = i;
    }
    inverse
}

/// Some other shape with as many elements, of at most 8 dimensions.
pub fn other_shape(r: &mut Random, shape: &[i64]) -> Vec<i64> {
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

/// One random step from a shape: its map, the map of its inverse, and the shape after it.
pub fn step(r: &mut Random, shape: &[i64]) -> (IndexingMap, IndexingMap, Vec<i64>) {
    if r.chance(50) {
        let to = other_shape(r, shape);
        (reshape(shape, &to), reshape(&to, shape), to)
    } else {
        let order = permutation(r, shape.len());
        let (step, to) = transpose(shape, &order);
        let (undo, _) = transpose(&to, &inverse(&order));
        (step, undo, to)
    }
}

/// The steps of a chain from a shape, each with its inverse, and the shape at the end.
pub fn chain(
    r: &mut Random,
    start: &[i64],
    steps: usize,
) -> (Vec<(IndexingMap, IndexingMap)>, Vec<i64>) {
    let mut shape = start.to_vec();
    let steps = (0..steps).map(|_| {
        let (there, back, to) = step(r, &shape);
        shape = to;
        (there, back)
    });
    (steps.collect(), shape)
}

pub fn from_env(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(default)
}

pub fn start_shape(r: &mut Random) -> Vec<i64> {
    (0..1 + r.below(4))
        .map(|_| r.pick(&[1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 25]))
        .collect()
}
