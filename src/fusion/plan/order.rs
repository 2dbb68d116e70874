//! The order of what a plan runs: producers first. Among what is ready, the order of the block, or
//! that in which least is in memory at once.

mod moved;

use super::Planner;
use super::dependencies::{node_of_op, node_of_region};
use crate::inputs::bytes;
use crate::overwritten::{STEPS, reaches};
use crate::role::Role;
use mapwright_mlir::computation::used;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Op, TensorType, Val, op};
use mapwright_ops::registry;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

/// Nodes that are looked at when those that are ready are compared, at most.
const COMPARISONS: usize = 1 << 20;

/// Bytes in memory at once below which any order is good.
pub(super) const LEAST: i64 = 1 << 14;

/// An order is worth another than that of the block if it takes one part of so many less.
const WORTH: i64 = 32;

/// Bytes of a factor that are packed at a time, about.
const PACKED: i64 = 320 << 10;

/// True where an operation fails when it runs if sizes that are known then are not what it wants.
fn demands_sizes(op: Op<'_>) -> bool {
    let is_open = |value: &Val<'_>| {
        TensorType::from_mlir(value.r#type()).is_some_and(|ty| ty.static_shape().is_none())
    };
    let wants = registry::lookup(op).is_some_and(|def| def.preconditions.is_some());
    wants && op.operands().iter().chain(&op.results()).any(is_open)
}

/// Nodes that are run, and the nodes that each waits for.
pub(super) struct Order {
    /// Each with its position in the block, ascending.
    pub(super) nodes: Vec<(usize, usize)>,
    waits_for: HashMap<usize, Vec<usize>>,
}

/// Values that a plan has in memory, by number.
pub(super) struct Memory {
    /// Of each value.
    bytes: Vec<i64>,
    /// By node.
    makes: HashMap<usize, Vec<usize>>,
    /// By node, each once.
    reads: HashMap<usize, Vec<usize>>,
    /// By node, what it works in besides: the packed factor of a product.
    works: HashMap<usize, i64>,
    /// By node, of each value that it makes, those it reads that this may be written over.
    over: HashMap<usize, Vec<Vec<usize>>>,
}

impl<'c> Planner<'c> {
    /// Returns the nodes that are run.
    pub(super) fn nodes_in_order(&self) -> Order {
        let numbers = (0..self.open.len()).filter(|r| self.open[*r].stands());
        let mut nodes: Vec<(usize, usize)> = numbers
            .map(|r| (self.open[r].root, node_of_region(r)))
            .collect();
        nodes.extend(
            (0..self.ops.len())
                .filter(|i| self.roles[*i] == Role::Outside)
                .map(|i| (i, node_of_op(i))),
        );
        nodes.sort_unstable();
        let known: HashMap<usize, usize> = nodes.iter().map(|(at, node)| (*node, *at)).collect();
        let mut waits_for: HashMap<usize, Vec<usize>> = HashMap::new();
        for (_, node) in &nodes {
            let from = self.reads_from.get(node).into_iter().flatten();
            let mut from: Vec<usize> = from.map(|producer| self.merged(*producer)).collect();
            from.sort_unstable();
            from.dedup();
            from.retain(|producer| known.contains_key(producer) && producer != node);
            waits_for.insert(*node, from);
        }
        let members = |node: usize| match node % 2 {
            0 => self.open[node / 2].members.iter().copied().collect(),
            _ => vec![node / 2],
        };
        if !self.overwritten.is_empty() {
            let all: Vec<(usize, Vec<usize>)> =
                (nodes.iter().map(|(_, node)| (*node, members(*node)))).collect();
            self.overwritten.come_last(&all, &mut waits_for);
        }
        self.behind_assertions(&nodes, &members, &mut waits_for);
        Order { nodes, waits_for }
    }

    /// Adds to what nodes wait for that a region which demands something of sizes of the run waits
    /// for what acts before the first operation that does, such as an assertion that says what is
    /// wrong, where that does not wait for the region itself.
    fn behind_assertions(
        &self,
        nodes: &[(usize, usize)],
        members: &dyn Fn(usize) -> Vec<usize>,
        waits_for: &mut HashMap<usize, Vec<usize>>,
    ) {
        let acts =
            |i: &usize| self.roles[*i] == Role::Outside && !registry::is_function(self.ops[*i]);
        let acting: Vec<usize> = (0..self.ops.len()).filter(acts).collect();
        let mut left = STEPS;
        for (_, node) in nodes.iter().filter(|(_, node)| node % 2 == 0) {
            let mut demanding = members(*node).into_iter();
            let first = demanding.find(|i| demands_sizes(self.ops[*i]));
            let before = first.and_then(|first| {
                let behind = acting.partition_point(|i| *i < first);
                behind.checked_sub(1).map(|last| node_of_op(acting[last]))
            });
            let Some(before) = before else { continue };
            if !reaches(before, *node, waits_for, &mut left) {
                waits_for.entry(*node).or_default().push(before);
            }
        }
    }

    /// Returns the values that `order` has in memory.
    pub(super) fn memory(&self, order: &Order) -> Memory {
        let mut numbers: HashMap<usize, usize> = HashMap::new();
        let mut memory = Memory {
            bytes: Vec::new(),
            makes: HashMap::new(),
            reads: HashMap::new(),
            works: HashMap::new(),
            over: HashMap::new(),
        };
        for (_, node) in &order.nodes {
            let made: Vec<usize> = match node % 2 {
                0 => self.open[node / 2].outputs.iter().copied().collect(),
                // Constants are there before.
                _ if self.ops[node / 2].num_operands() == 0 => Vec::new(),
                _ => vec![node / 2],
            };
            let mut own = Vec::new();
            for value in made.into_iter().flat_map(|i| self.ops[i].results()) {
                numbers.insert(op::key(value), memory.bytes.len());
                own.push(memory.bytes.len());
                memory.bytes.push(bytes(value));
            }
            memory.makes.insert(*node, own);
            if node % 2 == 0 {
                let members = self.open[node / 2].members.iter();
                let products = members.filter(|i| self.roles[**i] == Role::Contraction);
                let packed = products.map(|i| bytes(self.ops[*i].operand(1)));
                memory
                    .works
                    .insert(*node, packed.max().unwrap_or(0).min(PACKED));
            }
        }
        for (_, node) in &order.nodes {
            let read = match node % 2 {
                0 => self.inputs(node / 2),
                _ => used(self.ops[node / 2]),
            };
            let keys = read.into_iter().map(op::key);
            let mut read: Vec<usize> = keys.filter_map(|key| numbers.get(&key).copied()).collect();
            read.sort_unstable();
            read.dedup();
            memory.reads.insert(*node, read);
            if node % 2 == 0 {
                let numbered = |value: Val<'c>| numbers.get(&op::key(value)).copied();
                let over = self.overwritable(node / 2).into_iter();
                let over = over.map(|read| read.into_iter().filter_map(numbered).collect());
                memory.over.insert(*node, over.collect());
            }
        }
        memory
    }

    /// Of each value that region `r` makes, the values that it may be written over: of the same
    /// type, and read by element-wise operations alone.
    fn overwritable(&self, r: usize) -> Vec<Vec<Val<'c>>> {
        let members = &self.open[r].members;
        let has = |role: Role| members.iter().any(|i| self.roles[*i] == role);
        if has(Role::Reduce) || has(Role::Window) || has(Role::Update) {
            return Vec::new();
        }
        let made = self.open[r].outputs.iter();
        let made: Vec<Val<'c>> = made.flat_map(|i| self.ops[*i].results()).collect();
        let mut elsewhere: HashSet<usize> = HashSet::new();
        for i in members {
            let op = self.ops[*i];
            let same = |value: &Val<'c>| value.r#type() == op.result(0).r#type();
            if self.roles[*i] != Role::Compute || !op.operands().iter().all(same) {
                elsewhere.extend(op.operands().into_iter().map(op::key));
            }
        }
        let read: Vec<Val<'c>> = (self.inputs(r).into_iter())
            .filter(|value| !elsewhere.contains(&op::key(*value)))
            .collect();
        let fits = |made: Val<'c>| {
            let read = read.iter().copied();
            read.filter(|value| value.r#type() == made.r#type())
                .collect()
        };
        made.into_iter().map(fits).collect()
    }
}

impl Order {
    /// Among what is ready, what comes first in the block.
    pub(super) fn of_block(&self) -> Vec<usize> {
        let position: HashMap<usize, usize> =
            self.nodes.iter().map(|(at, node)| (*node, *at)).collect();
        let (mut waiting, feeds) = self.waiting();
        let mut ready: BinaryHeap<Reverse<(usize, usize)>> = (self.nodes.iter())
            .filter(|(_, node)| waiting.get(node) == Some(&0))
            .map(|pair| Reverse(*pair))
            .collect();
        let mut order = Vec::with_capacity(self.nodes.len());
        while let Some(Reverse((_, node))) = ready.pop() {
            order.push(node);
            for reader in feeds.get(&node).into_iter().flatten() {
                if let Some(count) = waiting.get_mut(reader) {
                    *count -= 1;
                    if *count == 0 {
                        ready.push(Reverse((position[reader], *reader)));
                    }
                }
            }
        }
        debug_assert_eq!(
            order.len(),
            self.nodes.len(),
            "regions depend on each other in a cycle"
        );
        order
    }

    /// Returns the number of nodes that each node waits for, and the nodes that wait for it.
    fn waiting(&self) -> (HashMap<usize, usize>, HashMap<usize, Vec<usize>>) {
        let mut waiting: HashMap<usize, usize> = HashMap::new();
        let mut feeds: HashMap<usize, Vec<usize>> = HashMap::new();
        for (_, node) in &self.nodes {
            let from = self.waits_for.get(node).map_or(&[][..], Vec::as_slice);
            waiting.insert(*node, from.len());
            for producer in from {
                feeds.entry(*producer).or_default().push(*node);
            }
        }
        (waiting, feeds)
    }

    /// The order of the block, or one in which less is in memory at once: that which at each step
    /// takes what frees most, or one of the two after moves.
    pub(super) fn of_least_memory(&self, memory: &Memory) -> Vec<usize> {
        let mut best = self.of_block();
        let peak = memory.profile(&best).into_iter().max().unwrap_or(0);
        if peak < LEAST {
            return best;
        }
        // Beside the fullest moment those that are nearly as full count: regions may write over
        // what they read, and then others are the fullest.
        let limit = peak - peak / 8;
        let measured = |order: &[usize]| moved::measure(&memory.profile(order), limit);
        let mut others = vec![self.moved(best.clone(), memory)];
        if let Some(freeing) = self.freeing(memory) {
            let moved = self.moved(freeing.clone(), memory);
            others.extend([freeing, moved]);
        }
        for other in others {
            let (a, b) = (measured(&best), measured(&other));
            if b.0 < a.0 - a.0 / WORTH || (b.0 <= a.0 && b.1 < a.1 - a.1 / WORTH) {
                best = other;
            }
        }
        best
    }

    /// At each step what frees most; `None` where too much would be compared.
    fn freeing(&self, memory: &Memory) -> Option<Vec<usize>> {
        let (mut waiting, feeds) = self.waiting();
        let (last, _) = self.nodes.split_last()?;
        let mut readers = vec![0usize; memory.bytes.len()];
        for value in memory.reads.values().flatten() {
            readers[*value] += 1;
        }
        let mut ready: Vec<(usize, usize)> = (self.nodes.iter().copied())
            .filter(|(_, node)| waiting.get(node) == Some(&0))
            .collect();
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut left = COMPARISONS;
        let position: HashMap<usize, usize> =
            self.nodes.iter().map(|(at, node)| (*node, *at)).collect();
        while !ready.is_empty() {
            left = left.checked_sub(ready.len())?;
            let grows = |node: usize| -> i64 {
                let made = memory.makes.get(&node).into_iter().flatten();
                let read = memory.reads.get(&node).into_iter().flatten();
                made.map(|v| memory.bytes[*v]).sum::<i64>()
                    - read
                        .filter(|v| readers[**v] == 1)
                        .map(|v| memory.bytes[*v])
                        .sum::<i64>()
            };
            let best = (0..ready.len()).min_by_key(|k| {
                let (at, node) = ready[*k];
                // What ends the block is its end.
                ((at, node) == *last, grows(node), at, node)
            })?;
            let (_, node) = ready.swap_remove(best);
            order.push(node);
            for value in memory.reads.get(&node).into_iter().flatten() {
                readers[*value] -= 1;
            }
            for reader in feeds.get(&node).into_iter().flatten() {
                if let Some(count) = waiting.get_mut(reader) {
                    *count -= 1;
                    if *count == 0 {
                        ready.push((position[reader], *reader));
                    }
                }
            }
        }
        (order.len() == self.nodes.len()).then_some(order)
    }
}

impl Memory {
    /// Bytes in memory while each of `order` runs.
    pub(super) fn profile(&self, order: &[usize]) -> Vec<i64> {
        let mut grows = vec![0i64; order.len() + 1];
        let mut begin = vec![None; self.bytes.len()];
        let mut end = vec![0usize; self.bytes.len()];
        for (at, node) in order.iter().enumerate() {
            for value in self.makes.get(node).into_iter().flatten() {
                begin[*value] = Some(at);
                end[*value] = at;
            }
            for value in self.reads.get(node).into_iter().flatten() {
                end[*value] = at;
            }
        }
        let mut taken = vec![false; self.bytes.len()];
        for (at, node) in order.iter().enumerate() {
            for read in self.over.get(node).into_iter().flatten() {
                let dies = |value: &&usize| end[**value] == at && !taken[**value];
                if let Some(value) = read.iter().find(dies).copied() {
                    taken[value] = true;
                }
            }
        }
        for (value, begin) in begin.iter().enumerate() {
            if let Some(begin) = begin {
                grows[*begin] += self.bytes[value];
                // What is written over gives its memory when the other begins.
                grows[end[value] + usize::from(!taken[value])] -= self.bytes[value];
            }
        }
        let mut live = 0;
        grows.pop();
        let there = grows.into_iter().zip(order).map(|(grows, node)| {
            live += grows;
            live + self.works.get(node).copied().unwrap_or(0)
        });
        there.collect()
    }
}
