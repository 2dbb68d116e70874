//! Values that an operation overwrites, if nobody reads them any more: what an update changes, what
//! a loop starts with, what a branch updates.
//!
//! Who reads such a value without needing the update comes first, and a region that waits for the
//! update takes no small part of the value with it: the part is read before, into memory of its
//! own. Otherwise the whole value would have to be copied.

use crate::inputs::bytes;
use mapwright_mlir::{Blk, Op, Val, op};
use mapwright_ops::control::{Flow, flow};
use mapwright_ops::registry;
use std::collections::{HashMap, HashSet};

/// Operations of a block that are looked at, at most: a bit each.
const MOST: usize = 64;

/// A part of a value is small if the value has so many times its bytes.
const SMALL: i64 = 2;

/// Steps on the way through what regions read, at most, to find out whether an order is possible.
pub(crate) const STEPS: usize = 1 << 20;

/// The operations of a block that overwrite what others read, a bit each, and who is concerned.
#[derive(Default)]
pub(crate) struct Overwritten {
    /// Their positions.
    at: Vec<usize>,
    /// By position: which of them overwrite what the operation reads.
    reads: Vec<u64>,
    /// Likewise where it is a small part of it that comes of that.
    parts: Vec<u64>,
    /// By position: which of them the operation waits for.
    after: Vec<u64>,
}

impl Overwritten {
    /// Of the operations of a block, whose positions are `place`.
    pub(crate) fn from_ops<'c>(ops: &[Op<'c>], place: &HashMap<Op<'c>, usize>) -> Self {
        let mut found = Self::default();
        for (i, op) in ops.iter().enumerate() {
            if found.at.len() == MOST {
                break;
            }
            let values = by(*op);
            let mut readers: Vec<(usize, Val<'c>)> = Vec::new();
            for value in values {
                for (user, _) in op::uses(value) {
                    if let Some(at) = place_of(user, place).filter(|at| *at != i) {
                        readers.push((at, value));
                    }
                }
            }
            if readers.is_empty() {
                continue;
            }
            if found.at.is_empty() {
                found.reads = vec![0; ops.len()];
                found.parts = vec![0; ops.len()];
                found.after = vec![0; ops.len()];
            }
            let bit = 1 << found.at.len();
            found.at.push(i);
            for (at, value) in readers {
                found.reads[at] |= bit;
                let made: i64 = ops[at].results().into_iter().map(bytes).sum();
                if is_small_part(made, value) {
                    found.parts[at] |= bit;
                }
            }
        }
        if !found.at.is_empty() {
            found.follow(ops, place);
        }
        found
    }

    fn follow<'c>(&mut self, ops: &[Op<'c>], place: &HashMap<Op<'c>, usize>) {
        let bits: HashMap<usize, u64> = (self.at.iter().enumerate())
            .map(|(k, at)| (*at, 1 << k))
            .collect();
        for (i, op) in ops.iter().enumerate() {
            let inner = match op.num_regions() {
                0 => Vec::new(),
                _ => op.descendants(),
            };
            let mut after = 0;
            for user in inner.into_iter().chain([*op]) {
                for value in user.operands() {
                    if let Some((made, _)) = op::defining_op(value)
                        && let Some(at) = place.get(&made)
                    {
                        after |= self.after[*at] | bits.get(at).copied().unwrap_or(0);
                    }
                }
            }
            self.after[i] = after;
        }
    }

    /// Tells whether nothing is overwritten.
    pub(crate) fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Tells whether operation `i` reads a value that another operation overwrites.
    pub(crate) fn is_read_by(&self, i: usize) -> bool {
        self.reads.get(i).is_some_and(|bits| *bits != 0)
    }

    /// Tells whether a region of `members` and operation `i` would wait for an operation that
    /// overwrites a value of which `i` reads a part, though `i` alone need not wait for it.
    pub(crate) fn waits<'a>(&self, i: usize, members: impl IntoIterator<Item = &'a usize>) -> bool {
        if self.at.is_empty() || self.parts[i] & !self.after[i] == 0 {
            return false;
        }
        let parts = self.parts[i] & !self.after[i];
        members.into_iter().any(|m| self.after[*m] & parts != 0)
    }

    /// Tells whether one region of both would need what one of the two alone reads before it is
    /// overwritten.
    pub(crate) fn waits_together<'a>(
        &self,
        a: impl IntoIterator<Item = &'a usize>,
        b: impl IntoIterator<Item = &'a usize>,
    ) -> bool {
        if self.at.is_empty() {
            return false;
        }
        let of = |members: &mut dyn Iterator<Item = &'a usize>| {
            members.fold((0, 0), |(reads, after), m| {
                (reads | self.reads[*m], after | self.after[*m])
            })
        };
        let (a, b) = (of(&mut a.into_iter()), of(&mut b.into_iter()));
        a.0 & b.1 & !a.1 != 0 || b.0 & a.1 & !b.1 != 0
    }

    /// Adds to `from`, what each node waits for, that who overwrites waits for who reads, where
    /// that is possible. `members`: the operations of each node.
    pub(crate) fn come_last(
        &self,
        nodes: &[(usize, Vec<usize>)],
        from: &mut HashMap<usize, Vec<usize>>,
    ) {
        let mut left = STEPS;
        for (k, at) in self.at.iter().enumerate() {
            let Some((own, _)) = nodes.iter().find(|(_, members)| members.contains(at)) else {
                continue;
            };
            for (node, members) in nodes {
                let reads = members.iter().any(|m| self.reads[*m] >> k & 1 == 1);
                if !reads || node == own || reaches(*node, *own, from, &mut left) {
                    continue;
                }
                let list = from.entry(*own).or_default();
                if !list.contains(node) {
                    list.push(*node);
                }
            }
        }
    }
}

/// Tells whether node `node` waits for `target`, directly or not. Where it takes too long to find
/// out, it is said to.
pub(crate) fn reaches(
    node: usize,
    target: usize,
    from: &HashMap<usize, Vec<usize>>,
    left: &mut usize,
) -> bool {
    let mut stack = vec![node];
    let mut seen = HashSet::new();
    while let Some(node) = stack.pop() {
        if node == target {
            return true;
        }
        if !seen.insert(node) {
            continue;
        }
        let next = from.get(&node).map(Vec::as_slice).unwrap_or_default();
        match left.checked_sub(next.len() + 1) {
            Some(rest) => *left = rest,
            None => return true,
        }
        stack.extend(next);
    }
    false
}

/// The position of the operation of the block that `user` is or is inside of.
fn place_of<'c>(user: Op<'c>, place: &HashMap<Op<'c>, usize>) -> Option<usize> {
    let mut at = Some(user);
    while let Some(op) = at {
        if let Some(i) = place.get(&op) {
            return Some(*i);
        }
        at = op.parent();
    }
    None
}

/// Whether so many bytes of `value` are a small part of it.
pub fn is_small_part(bytes_of_part: i64, value: Val<'_>) -> bool {
    bytes_of_part.saturating_mul(SMALL) <= bytes(value)
}

/// Values from outside of `op`, an operation or a region, that it writes something else over if it
/// may: each once.
pub fn by<'c>(op: Op<'c>) -> Vec<Val<'c>> {
    let holds_updates =
        |op: Op<'c>| op.name() == "indexing.fusion" || flow(op).is_some() || op.dialect() == "scf";
    let mut found: Vec<Val<'c>> = Vec::new();
    let mut add = |value: Val<'c>| {
        if is_ours(value) && !found.iter().any(|v| op::key(*v) == op::key(value)) {
            found.push(value);
        }
    };
    let of = |op: Op<'c>, add: &mut dyn FnMut(Val<'c>)| {
        if registry::lookup(op).is_some_and(|def| def.updates) {
            for value in op.operands().into_iter().take(op.num_results()) {
                add(value);
            }
        }
        if flow(op) == Some(Flow::Loop) {
            let next = op.body(1).and_then(|block| op::ops(block).last().copied());
            let carried = op.body(1).map(op::arguments).unwrap_or_default();
            for (i, value) in op.operands().into_iter().enumerate() {
                let stays = (next.zip(carried.get(i)))
                    .is_some_and(|(next, own)| op::key(next.operand(i)) == op::key(*own));
                if !stays {
                    add(value);
                }
            }
        }
    };
    of(op, &mut add);
    if holds_updates(op) {
        for inner in op.descendants() {
            of(inner, &mut |value| {
                let value = outside_of_region(value);
                if !is_within(value, op) {
                    add(value);
                }
            });
        }
    }
    found
}

/// Returns the value outside of the region that was formed around its user, if it goes into one.
fn outside_of_region(value: Val<'_>) -> Val<'_> {
    let around = op::block_argument(value)
        .and_then(|(block, k)| Some((op::parent_of_block(block)?, k)))
        .filter(|(around, _)| around.name() == "indexing.fusion");
    match around {
        Some((region, k)) => outside_of_region(region.operand(k)),
        None => value,
    }
}

/// Tells whether the memory of a value may be written to: it is neither a constant nor an argument
/// of a function.
fn is_ours(value: Val<'_>) -> bool {
    match op::defining_op(value) {
        Some((op, _)) => !op.is_hlo("constant"),
        None => {
            let block: Option<Blk<'_>> = op::block_argument(value).map(|(block, _)| block);
            let around = block.and_then(op::parent_of_block);
            around.is_some_and(|op| op.name() != "func.func")
        }
    }
}

/// Tells whether `value` is made inside of `op`.
fn is_within<'c>(value: Val<'c>, op: Op<'c>) -> bool {
    let mut at = match op::defining_op(value) {
        Some((made, _)) => made.parent(),
        None => op::block_argument(value).and_then(|(block, _)| op::parent_of_block(block)),
    };
    while let Some(around) = at {
        if around == op {
            return true;
        }
        at = around.parent();
    }
    false
}
