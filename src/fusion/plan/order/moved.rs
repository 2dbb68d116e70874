//! A better order by moves: past the moment at which most is in memory, to before what frees
//! values, and to behind what makes some.

use super::{LEAST, Memory, Order};
use std::collections::{HashMap, HashSet};

/// Nodes that are passed while orders are compared, at most.
const STEPS: usize = 1 << 20;

/// Moves of each kind that are tried where most is in memory, at most.
const MOVES: usize = 64;

/// Measure of an order: most bytes at once, and the sum of those beyond a limit, step by step.
pub(super) type Measure = (i64, i64);

/// Values and nodes of an order.
struct Times {
    position: HashMap<usize, usize>,
    /// By value, who makes and who reads it.
    made: HashMap<usize, usize>,
    readers: HashMap<usize, Vec<usize>>,
}

impl Order {
    /// `order` with such moves as long as each of them makes it better.
    pub(super) fn moved(&self, mut order: Vec<usize>, memory: &Memory) -> Vec<usize> {
        let Some((last, _)) = self.nodes.split_last() else {
            return order;
        };
        let (_, feeds) = self.waiting();
        let mut times = Times::from_memory(memory);
        let mut left = STEPS;
        loop {
            let profile = memory.profile(&order);
            let peak = profile.iter().copied().max().unwrap_or(0);
            let Some(at) = profile.iter().position(|bytes| *bytes == peak) else {
                return order;
            };
            if peak < LEAST {
                return order;
            }
            let limit = peak - peak / 8;
            times.position = order.iter().enumerate().map(|(i, n)| (*n, i)).collect();
            let mut best: Option<(Measure, Vec<usize>)> = None;
            let before = measure(&profile, limit);
            for moved in self.moves(&order, at, last.1, (&times, &feeds)) {
                let Some(rest) = left.checked_sub(order.len()) else {
                    break;
                };
                left = rest;
                let measured = measure(&memory.profile(&moved), limit);
                if measured < before && best.as_ref().is_none_or(|(other, _)| measured < *other) {
                    best = Some((measured, moved));
                }
            }
            match best {
                Some((_, better)) => order = better,
                None => return order,
            }
        }
    }

    /// Orders in which something that is behind position `at` comes before, with all that it needs,
    /// or something that is before comes behind, with all that needs it. `last` stays the last.
    fn moves(
        &self,
        order: &[usize],
        at: usize,
        last: usize,
        (times, feeds): (&Times, &HashMap<usize, Vec<usize>>),
    ) -> Vec<Vec<usize>> {
        let mut found = Vec::new();
        let mut values: Vec<usize> = times.made.keys().copied().collect();
        values.sort_unstable();
        for value in values {
            let made = times.position[&times.made[&value]];
            let readers = times.readers.get(&value).map_or(&[][..], Vec::as_slice);
            let after: Vec<usize> = (readers.iter().copied())
                .filter(|node| times.position[node] > at)
                .collect();
            // One of them alone is moved below.
            if made <= at && after.len() > 1 && !after.contains(&last) && found.len() < MOVES {
                let needed = times.closure(after, &self.waits_for, &|position| position >= at);
                found.extend(rearranged(order, at, at, &needed, times));
            }
        }
        let behind = order[at + 1..].iter().take(MOVES);
        for node in behind.copied().filter(|node| *node != last) {
            let needed = times.closure(vec![node], &self.waits_for, &|position| position >= at);
            found.extend(rearranged(order, at, at, &needed, times));
        }
        for node in order[..at].iter().rev().take(MOVES).copied() {
            let needing = times.closure(vec![node], feeds, &|position| position <= at);
            found.extend(rearranged(order, at, at + 1, &needing, times));
        }
        found
    }
}

/// `order` with `moved` at position `to`; `None` where the node at `at` is among them.
fn rearranged(
    order: &[usize],
    at: usize,
    to: usize,
    moved: &HashSet<usize>,
    times: &Times,
) -> Option<Vec<usize>> {
    if moved.contains(&order[at]) {
        return None;
    }
    let mut block: Vec<usize> = moved.iter().copied().collect();
    block.sort_unstable_by_key(|node| times.position[node]);
    let stay = |part: &[usize]| -> Vec<usize> {
        let part = part.iter().copied();
        part.filter(|node| !moved.contains(node)).collect()
    };
    let mut new = stay(&order[..to]);
    new.extend(block);
    new.extend(stay(&order[to..]));
    Some(new)
}

impl Times {
    fn from_memory(memory: &Memory) -> Self {
        let mut times = Self {
            position: HashMap::new(),
            made: HashMap::new(),
            readers: HashMap::new(),
        };
        #[expect(
            clippy::iter_over_hash_type,
            reason = "each value is made by one node: the order does not matter"
        )]
        for (node, values) in &memory.makes {
            times
                .made
                .extend(values.iter().map(|value| (*value, *node)));
        }
        let mut reads: Vec<(&usize, _)> = memory.reads.iter().collect();
        reads.sort_unstable_by_key(|(node, _)| **node);
        for (node, values) in reads {
            for value in values {
                times.readers.entry(*value).or_default().push(*node);
            }
        }
        times
    }

    /// `from` and all that follows along `edges` at positions that are `within`.
    fn closure(
        &self,
        from: Vec<usize>,
        edges: &HashMap<usize, Vec<usize>>,
        within: &dyn Fn(usize) -> bool,
    ) -> HashSet<usize> {
        let mut found: HashSet<usize> = HashSet::new();
        let mut stack = from;
        while let Some(node) = stack.pop() {
            if within(self.position[&node]) && found.insert(node) {
                stack.extend(edges.get(&node).into_iter().flatten());
            }
        }
        found
    }
}

pub(super) fn measure(profile: &[i64], limit: i64) -> Measure {
    let peak = profile.iter().copied().max().unwrap_or(0);
    let beyond = profile.iter().map(|bytes| (bytes - limit).max(0));
    (peak, beyond.fold(0, i64::saturating_add))
}
