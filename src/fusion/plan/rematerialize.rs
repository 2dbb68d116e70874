//! What is computed again where it is read, and not kept: results of a region that are cheap to
//! make from what is in memory anyway.
//!
//! The derivative of a model reads far behind what its forward part made. Of a value that is a few
//! simple operations on others that are needed as long, the region that reads it makes it again;
//! the region that makes it first has no store for it, and memory holds one value less meanwhile.

use super::dependencies::{node_of_op, node_of_region};
use super::order::{LEAST, Order};
use super::{OpenRegion, Planner};
use crate::group::Group;
use crate::inputs::bytes;
use crate::node::tensor;
use crate::role::{Role, is_shape_operand, weight};
use mapwright_mlir::computation::used;
use mapwright_mlir::{Op, Val, attr, op};
use mapwright_ops::registry;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Simple operations on an element, at most.
const MOST_WORK: f64 = 8.0;

/// Operations of them, with those that move elements.
const MOST_OPERATIONS: usize = 16;

/// A value of so many times fewer bytes may be kept longer for it.
const SMALL: i64 = 16;

/// Attempts in a block, at most.
const ATTEMPTS: usize = 1 << 12;

/// Nodes that make and read values.
struct Readers {
    /// When each node runs.
    time: HashMap<usize, usize>,
    /// By the key of a value, who reads it.
    of: HashMap<usize, BTreeSet<(usize, usize)>>,
    /// Arguments of the block stay as they are until its end.
    lasting: bool,
}

/// A region that is to make a value again.
struct Rematerialization {
    reader: usize,
    /// When it runs, and when the value was made.
    time: usize,
    made: usize,
    /// Of the value.
    bytes: i64,
    work: f64,
    operations: usize,
    /// Large values that the region did not read before.
    more: usize,
    /// One of these is kept longer for it. It takes no more room than the value that is not kept.
    extends: bool,
    /// By key, what it reads already.
    read: HashSet<usize>,
    taken: Vec<usize>,
}

impl<'c> Planner<'c> {
    /// Lets regions make again what they read, where that keeps less in memory when most is there.
    pub(super) fn make_again(&mut self) {
        let order = self.nodes_in_order();
        let nodes = order.of_block();
        let profile = self.memory(&order).profile(&nodes);
        let peak = profile.iter().copied().max().unwrap_or(0);
        if peak < LEAST {
            return;
        }
        // Whether some time between two is one of those at which most is there.
        let mut full = vec![0usize; profile.len() + 1];
        for (at, bytes) in profile.iter().enumerate() {
            full[at + 1] = full[at] + usize::from(*bytes > peak / 2);
        }
        let mut readers = self.readers(&order, &nodes);
        let mut left = ATTEMPTS;
        for i in (0..self.ops.len()).rev() {
            let [value] = self.ops[i].results()[..] else {
                continue;
            };
            let Some(home) = self.producer(value).filter(|node| node % 2 == 0) else {
                continue;
            };
            let home = home / 2;
            let open = &self.open[home];
            // Sizes follow from what is in memory, and other blocks find nothing else.
            let free = op::uses(value)
                .into_iter()
                .all(|(user, k)| self.place_of(user).is_some() && !is_shape_operand(user, k));
            let fits = free
                && open.outputs.contains(&i)
                && self.is_cheap(i)
                && bytes(value) >= LEAST.max(peak / 1024);
            if !fits {
                continue;
            }
            self.make_again_where_read(i, value, home, &full, &mut readers, &mut left);
        }
    }

    fn make_again_where_read(
        &mut self,
        i: usize,
        value: Val<'c>,
        home: usize,
        full: &[usize],
        readers: &mut Readers,
        left: &mut usize,
    ) {
        let made = readers.time[&node_of_region(home)];
        loop {
            let of = readers.of.get(&op::key(value));
            let Some((time, node)) = of.and_then(|of| of.last()).copied() else {
                break;
            };
            let waits = time > made + 1 && full[time] > full[made + 1];
            if node % 2 == 1 || !waits || *left == 0 {
                return;
            }
            *left -= 1;
            let reader = node / 2;
            let before = self.inputs(reader);
            let kept = self.open[reader].clone();
            let mut attempt = Rematerialization {
                reader,
                time,
                made,
                bytes: bytes(value),
                work: 0.0,
                operations: 0,
                more: 0,
                extends: false,
                read: before.iter().copied().map(op::key).collect(),
                taken: Vec::new(),
            };
            if !self.bring(i, &mut attempt, readers) {
                self.open[reader] = kept;
                return;
            }
            for i in attempt.taken {
                self.places[i].push(reader);
                self.places[i].sort_unstable();
            }
            let after = self.inputs(reader);
            for value in before {
                readers.remove(value, (time, node));
            }
            for value in after {
                readers.insert(value, (time, node));
                if let Some(producer) = self.producer(value) {
                    self.edge(node, producer);
                }
            }
        }
        // Nobody else reads it.
        if self.open[home].root == i
            && self.open[home].outputs.len() > 1
            && !self.end_before(home, i)
        {
            return;
        }
        self.open[home].outputs.remove(&i);
        let node = node_of_region(home);
        let before = self.inputs(home);
        let needed = self.needed(home);
        let gone = self.open[home].members.iter().copied();
        let gone: Vec<usize> = gone.filter(|i| !needed.contains(i)).collect();
        for i in gone {
            self.open[home].members.remove(&i);
            self.places[i].retain(|place| *place != home);
        }
        self.open[home].gone = needed.is_empty();
        for value in before {
            readers.remove(value, (made, node));
        }
        for value in self.inputs(home) {
            readers.insert(value, (made, node));
        }
    }

    /// Another result becomes the root of a region, in the place of `i`: one in the same loops,
    /// which needs its products.
    fn end_before(&mut self, home: usize, i: usize) -> bool {
        let shape = |i: usize| {
            let value = self.ops[i].results().into_iter().next();
            value
                .and_then(|value| tensor(value).ok())
                .map(|(_, shape)| shape)
        };
        let open = &self.open[home];
        let kind = open.group.as_ref().map(Group::kind);
        let other = open.outputs.iter().copied().rfind(|other| *other != i);
        let Some(other) = other.filter(|other| shape(*other) == shape(i)) else {
            return false;
        };
        let mut rest = open.outputs.clone();
        rest.remove(&i);
        let needed = self.closure(home, &rest);
        let products = |i: &usize| self.roles[*i] == Role::Contraction;
        let same = (open.members.iter().filter(|i| products(i))).all(|i| needed.contains(i));
        if !same || !matches!(kind, Some("streaming" | "contraction")) {
            return false;
        }
        self.open[home].root = other;
        true
    }

    /// The members that the results of a region need.
    fn needed(&self, home: usize) -> BTreeSet<usize> {
        self.closure(home, &self.open[home].outputs)
    }

    /// The members that these of them need.
    fn closure(&self, home: usize, of: &BTreeSet<usize>) -> BTreeSet<usize> {
        let members = &self.open[home].members;
        let mut needed = of.clone();
        for i in members.iter().rev() {
            if !needed.contains(i) {
                continue;
            }
            for value in used(self.ops[*i]) {
                let made = op::defining_op(value).and_then(|(made, _)| self.place.get(&made));
                needed.extend(made.copied().filter(|made| members.contains(made)));
            }
        }
        needed
    }

    /// The node that has `value` in memory, if one of this block makes it.
    fn producer(&self, value: Val<'c>) -> Option<usize> {
        let (made, _) = op::defining_op(value)?;
        let i = *self.place.get(&made)?;
        if self.roles[i] == Role::Outside {
            return Some(node_of_op(i));
        }
        let homes = self.places[i].iter();
        let mut homes = homes.map(|home| self.merged(node_of_region(*home)));
        homes.find(|node| self.open[node / 2].outputs.contains(&i))
    }

    /// Tells whether it has a single result that is cheap to make.
    fn is_cheap(&self, i: usize) -> bool {
        let op = self.ops[i];
        self.roles[i] == Role::Compute && registry::is_elementwise(op) && weight(op) <= 1.0
    }

    /// Takes `i`, and what it is made of as far as that is not in memory, into the region that
    /// reads it. May leave the region half done.
    fn bring(&mut self, i: usize, attempt: &mut Rematerialization, readers: &Readers) -> bool {
        let moves = self.roles[i] == Role::Movement;
        attempt.operations += 1;
        attempt.work += weight(self.ops[i]);
        let fits = (moves || self.is_cheap(i))
            && self.ops[i].num_results() == 1
            && attempt.operations <= MOST_OPERATIONS
            && attempt.work <= MOST_WORK
            && !self.overwritten.is_read_by(i)
            && self.open[attempt.reader].group.is_some()
            && self.accept(attempt.reader, i, false).is_ok();
        if !fits {
            return false;
        }
        attempt.taken.push(i);
        for value in self.ops[i].operands() {
            let made = op::defining_op(value).and_then(|(made, _)| self.place.get(&made).copied());
            let Some(made) = made else {
                if !self.is_there(value, attempt, readers) {
                    return false;
                }
                continue;
            };
            if self.open[attempt.reader].members.contains(&made) {
                continue;
            }
            if self.roles[made] == Role::Free {
                self.take(attempt.reader, made);
                attempt.taken.push(made);
                continue;
            }
            let in_memory = self.producer(value).is_some();
            let there = in_memory && self.is_there(value, attempt, readers);
            if !there && !self.bring(made, attempt, readers) {
                return false;
            }
        }
        true
    }

    /// Tells whether the region may read `value`: it is in memory then, the region reads it anyway,
    /// or no more is kept if it is.
    fn is_there(&self, value: Val<'c>, attempt: &mut Rematerialization, readers: &Readers) -> bool {
        if attempt.read.contains(&op::key(value)) {
            return true;
        }
        let small = bytes(value).saturating_mul(SMALL) <= attempt.bytes;
        if small {
            return true;
        }
        if attempt.more > 0 {
            return false;
        }
        let last = match op::defining_op(value).map(|(made, _)| self.place.contains_key(&made)) {
            // Of a block around this one.
            Some(false) => Some(usize::MAX),
            None if readers.lasting => Some(usize::MAX),
            _ => {
                let of = readers.of.get(&op::key(value));
                of.and_then(|of| of.last()).map(|(time, _)| *time)
            }
        };
        if last.is_none_or(|last| last < attempt.time) {
            let there = last.is_some_and(|last| last >= attempt.made);
            let fits = there && !attempt.extends && bytes(value) <= attempt.bytes;
            attempt.extends = true;
            if !fits {
                return false;
            }
        }
        attempt.more += 1;
        true
    }

    fn readers(&self, order: &Order, nodes: &[usize]) -> Readers {
        let time: HashMap<usize, usize> = (nodes.iter().enumerate())
            .map(|(time, node)| (*node, time))
            .collect();
        let mut readers = Readers {
            time,
            of: HashMap::new(),
            lasting: self.ops.first().is_some_and(|op| lasts(*op)),
        };
        for (_, node) in &order.nodes {
            let read = match node % 2 {
                0 => self.inputs(node / 2),
                _ => used(self.ops[node / 2]),
            };
            for value in read {
                readers.insert(value, (readers.time[node], *node));
            }
        }
        readers
    }
}

impl Readers {
    fn insert(&mut self, value: Val<'_>, reader: (usize, usize)) {
        self.of.entry(op::key(value)).or_default().insert(reader);
    }

    fn remove(&mut self, value: Val<'_>, reader: (usize, usize)) {
        if let Some(of) = self.of.get_mut(&op::key(value)) {
            of.remove(&reader);
        }
    }
}

impl OpenRegion {
    /// Tells whether the region is run.
    pub(super) fn stands(&self) -> bool {
        self.into.is_none() && !self.gone
    }
}

/// Tells whether `op` is in a function's own block, whose arguments nothing is written over.
fn lasts(op: Op<'_>) -> bool {
    let Some(function) = op.parent().filter(|parent| parent.name() == "func.func") else {
        return false;
    };
    let dictionaries = function.attribute("arg_attrs").and_then(attr::array);
    !(dictionaries.unwrap_or_default().into_iter())
        .any(|each| attr::entry(each, "tf.aliasing_output").is_some())
}
