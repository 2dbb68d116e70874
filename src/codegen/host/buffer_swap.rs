//! Loops whose carried values change places: instead of what they hold, the addresses of their
//! memory are exchanged at the end of an iteration.
//!
//! `(x, y) -> (f(x, y), x)` is such a loop, and every one that makes a new value beside the one
//! before: the memory of the old value is where the next but one is made.

use super::{
    liveness::{Point, end_of},
    sharing::Places,
    values::{Kind, is_while, tensor},
};
use mapwright_mlir::{Op, op};
use std::collections::{HashMap, HashSet};

/// Bytes from which on an exchange of addresses, of which others have to be loaded then, is worth
/// it.
const LEAST: i64 = 1024;

/// By loop, rings of places: at the end of an iteration each takes the address of the one behind
/// it.
pub(super) type BufferSwaps<'c> = HashMap<Op<'c>, Vec<Vec<usize>>>;

/// Finds the rings of all loops among `ops`, whose places are marked and needed together from here
/// on.
pub(super) fn rotations<'c>(
    places: &mut Places<'_, 'c>,
    ops: &[(Op<'c>, usize)],
) -> BufferSwaps<'c> {
    let mut found = BufferSwaps::new();
    for (op, _) in ops.iter().filter(|(op, _)| is_while(*op)) {
        let rings = rings(places, *op);
        for ring in &rings {
            places.tie(ring);
        }
        if !rings.is_empty() {
            found.insert(*op, rings);
        }
    }
    found
}

fn rings<'c>(places: &Places<'_, 'c>, op: Op<'c>) -> Vec<Vec<usize>> {
    let Some(last) = end_of(op, 1) else {
        return Vec::new();
    };
    let carried: HashSet<usize> = (op.results().into_iter())
        .filter_map(|value| places.place_of(value))
        .collect();
    // What each place takes over, and what is taken over already.
    let mut next: HashMap<usize, usize> = HashMap::new();
    let mut taken: HashSet<usize> = HashSet::new();
    let mut order = Vec::new();
    for (value, result) in last.operands().into_iter().zip(op.results()) {
        let (Some(to), Some(from)) = (places.place_of(result), places.place_of(value)) else {
            continue;
        };
        let kinds = [to, from].map(|id| {
            let place = &places.all[id];
            match place.kind {
                Kind::Arena(0) => place.bytes >= LEAST,
                // Its address is loaded wherever it is used.
                kind => kind == Kind::Allocated,
            }
            .then_some(place.kind)
        });
        let moves = kinds[0].is_some() && kinds[0] == kinds[1];
        if to != from && moves && tensor(value) == tensor(result) && taken.insert(from) {
            next.insert(to, from);
            order.push(to);
        }
    }
    let mut rings = Vec::new();
    let mut done: HashSet<usize> = HashSet::new();
    // Chains first, from the place that nobody takes over.
    let (starts, rest): (Vec<usize>, Vec<usize>) =
        order.into_iter().partition(|id| !taken.contains(id));
    for start in starts.into_iter().chain(rest) {
        if !done.insert(start) {
            continue;
        }
        let mut ring = vec![start];
        let mut at = start;
        while let Some(behind) = next.get(&at).copied()
            && behind != start
        {
            ring.push(behind);
            done.insert(behind);
            at = behind;
        }
        let closed = next.get(&at) == Some(&start);
        // The last one gets memory whose content is of no use, and must have none either.
        let free = !carried.contains(&at) && !places.is_needed(at, Point::End(last));
        if ring.len() > 1 && (closed || free) {
            rings.push(ring);
        }
    }
    rings
}

/// Of a value.
pub(super) fn ring_of<'c>(
    places: &Places<'_, 'c>,
    value: mapwright_mlir::Val<'c>,
) -> Option<usize> {
    places.place_of(value).and_then(|id| places.all[id].ring)
}

/// Counts the results of a function in each ring.
pub(super) fn returned<'c>(places: &Places<'_, 'c>, end: Op<'c>) -> HashMap<usize, usize> {
    let mut counts = HashMap::new();
    let mut seen = HashSet::new();
    for value in end.operands() {
        if let Some(ring) = ring_of(places, value)
            && seen.insert(op::key(value))
        {
            *counts.entry(ring).or_insert(0) += 1;
        }
    }
    counts
}
