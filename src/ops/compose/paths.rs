//! Walks over a block, backward and forward, and into the regions on the way.

use super::reached::Reached;
use super::set::LIMIT;
use super::single::Composer;
use crate::control::regions;
use mapwright_indexing::IndexingMap;
use mapwright_mlir::{Blk, Op, Val, melior::ir::BlockLike, op};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// Number of compositions that a walk may take before it follows one map from each value only: the
/// cost of what lies behind grows with the program then, and no longer with the number of its
/// paths.
const WALK: usize = 1 << 15;

/// The share of [`WALK`] that a walk in a block has which hands out many values: as a rule there is
/// a walk from each of them.
fn share_of_walk(block: Blk<'_>) -> usize {
    let walks = block
        .terminator()
        .map_or(0, |last| Op::new(last).num_operands());
    (4 * WALK / walks.max(1)).clamp(WALK / 16, WALK)
}

impl<'c> Composer<'c> {
    /// Values that `root` is made of within its block, and the values from outside that are used
    /// there: the maps from `root`'s index space to theirs.
    pub fn backward(&self, root: Val<'c>) -> Reached<'c> {
        if let Some(found) = self.composed.borrow().get(&op::key(root)) {
            return (**found).clone();
        }
        let reached = self.backward_within(root, |_| true);
        if self.active.borrow().is_empty() {
            self.composed
                .borrow_mut()
                .insert(op::key(root), Rc::new(reached.clone()));
        }
        reached
    }

    /// As [`Composer::backward`], through operations for which `inside` says yes only: the values
    /// at the border are reached, what they are made of is not.
    pub fn backward_within(&self, root: Val<'c>, inside: impl Fn(Op<'c>) -> bool) -> Reached<'c> {
        let mut reached = Reached::only(root);
        let Some((definition, _)) = op::defining_op(root) else {
            return reached;
        };
        let Some(block) = definition.block() else {
            return reached;
        };
        let order = self.order(block);
        let place = |operation: Op<'c>| order.get(&(operation.to_raw().ptr as usize)).copied();
        // Backward in the order of the block: when it is an operation's turn, all its users have
        // had theirs.
        let mut waiting: BTreeMap<usize, Op<'c>> = BTreeMap::new();
        waiting.extend(place(definition).map(|at| (at, definition)));
        let (before, budget) = (self.compositions(), share_of_walk(block));
        while let Some((_, operation)) = waiting.pop_last() {
            if !inside(operation) {
                continue;
            }
            let known = reached.len();
            for result in 0..operation.num_results() {
                let value = operation.result(result);
                let Some(maps) = reached.bounded(root, value, self.limit(before, budget)) else {
                    continue;
                };
                self.step_back(operation, result, &maps, &mut reached);
            }
            for value in reached.since(known) {
                if let Some((definition, _)) = op::defining_op(value) {
                    // Those of other blocks are at the border.
                    waiting.extend(place(definition).map(|at| (at, definition)));
                }
            }
        }
        reached
    }

    /// Returns the positions of the operations of a block.
    fn order(&self, block: Blk<'c>) -> Rc<HashMap<usize, usize>> {
        self.order
            .borrow_mut()
            .entry(block.to_raw().ptr as usize)
            .or_insert_with(|| {
                let operations = op::ops(block).into_iter().enumerate();
                Rc::new(
                    operations
                        .map(|(at, operation)| (operation.to_raw().ptr as usize, at))
                        .collect(),
                )
            })
            .clone()
    }

    fn step_back(
        &self,
        operation: Op<'c>,
        result: usize,
        maps: &[IndexingMap],
        reached: &mut Reached<'c>,
    ) {
        if operation.short_name() == "get_tuple_element" {
            let (leaf, path) = leaf_of(operation.operand(0), operation.int("index"));
            for map in maps {
                match path {
                    Ok(()) => reached.push(leaf, map.clone()),
                    Err(reason) => reached.push(leaf, IndexingMap::unknown(reason)),
                }
            }
            return;
        }
        for producer in self.output_to_input(operation, result).iter() {
            let value = operation.operand(producer.operand);
            for (map, step) in pairs(maps, &producer.maps) {
                reached.push(value, self.chained(map, step));
            }
        }
        if regions::has_regions(operation) {
            for (value, steps) in regions::captured(self, operation, result) {
                for (map, step) in pairs(maps, &steps) {
                    reached.push(value, self.chained(map, step));
                }
            }
        }
    }

    /// Values in its block that `root` goes into: the maps from `root`'s index space to theirs.
    pub fn forward(&self, root: Val<'c>) -> Reached<'c> {
        let mut reached = Reached::only(root);
        let block = match op::defining_op(root) {
            Some((definition, _)) => definition.block(),
            None => op::block_argument(root).map(|(block, _)| block),
        };
        let Some(block) = block else {
            return reached;
        };
        let order = self.order(block);
        let place = |operation: Op<'c>| order.get(&(operation.to_raw().ptr as usize)).copied();
        // In the order of the block: when it is an operation's turn, all its operands have had
        // theirs.
        let mut waiting: BTreeMap<usize, Op<'c>> = BTreeMap::new();
        let mut walked = 0;
        let (before, budget) = (self.compositions(), share_of_walk(block));
        loop {
            let new: Vec<Val<'c>> = reached.since(walked).collect();
            walked = reached.len();
            for value in new {
                for user in users(value) {
                    // An operation with regions uses what is used in them.
                    let mut scope = Some(user);
                    while let Some(operation) = scope {
                        if let Some(at) = place(operation) {
                            waiting.insert(at, operation);
                            break;
                        }
                        scope = operation.parent();
                    }
                }
            }
            let Some((_, operation)) = waiting.pop_first() else {
                return reached;
            };
            let limit = self.limit(before, budget);
            self.step_forward(root, operation, limit, &mut reached);
        }
    }

    /// The most maps that are followed from one value, on a walk that began after `before`
    /// compositions: one, which is not exact where there were more, once the walk has taken its
    /// budget.
    fn limit(&self, before: usize, budget: usize) -> usize {
        if self.compositions() - before > budget {
            1
        } else {
            LIMIT
        }
    }

    fn step_forward(
        &self,
        root: Val<'c>,
        operation: Op<'c>,
        limit: usize,
        reached: &mut Reached<'c>,
    ) {
        if operation.short_name() == "get_tuple_element" {
            let (leaf, path) = leaf_of(operation.operand(0), operation.int("index"));
            for map in reached.bounded(root, leaf, limit).unwrap_or_default() {
                let map = path.map_or_else(IndexingMap::unknown, |()| map);
                reached.push(operation.result(0), map);
            }
            return;
        }
        for operand in 0..operation.num_operands() {
            let Some(maps) = reached.bounded(root, operation.operand(operand), limit) else {
                continue;
            };
            for consumer in self.input_to_output(operation, operand).iter() {
                for (map, step) in pairs(&maps, &consumer.maps) {
                    reached.push(operation.result(consumer.result), self.chained(map, step));
                }
            }
        }
        if regions::has_regions(operation) {
            self.forward_captured(operation, reached);
        }
    }

    /// Values that a region uses without being operands.
    fn forward_captured(&self, operation: Op<'c>, reached: &mut Reached<'c>) {
        let known: Vec<(Val<'c>, Vec<IndexingMap>)> = reached
            .iter()
            .map(|(value, maps)| (value, maps.to_vec()))
            .collect();
        let inside = |user: Op<'c>| {
            let mut scope = user.parent();
            while let Some(parent) = scope {
                if parent == operation {
                    return true;
                }
                scope = parent.parent();
            }
            false
        };
        for (value, maps) in known {
            if !op::uses(value).into_iter().any(|(user, _)| inside(user)) {
                continue;
            }
            for result in 0..operation.num_results() {
                for step in regions::captured_forward(self, operation, value, result) {
                    for map in &maps {
                        reached.push(operation.result(result), self.chained(map, &step));
                    }
                }
            }
        }
    }

    /// The maps from `from` to `to`, backward or forward, whichever is the way; empty if there is
    /// no path.
    pub fn between(&self, from: Val<'c>, to: Val<'c>) -> Vec<IndexingMap> {
        let back = self.backward(from);
        if let Some(maps) = back.maps(to) {
            return maps.to_vec();
        }
        self.forward(from)
            .maps(to)
            .map(<[IndexingMap]>::to_vec)
            .unwrap_or_default()
    }
}

fn pairs<'m>(
    a: &'m [IndexingMap],
    b: &'m [IndexingMap],
) -> impl Iterator<Item = (&'m IndexingMap, &'m IndexingMap)> {
    a.iter().flat_map(move |a| b.iter().map(move |b| (a, b)))
}

/// The operations that use a value, or a tuple that it is put into.
fn users(value: Val<'_>) -> Vec<Op<'_>> {
    let (mut found, mut pending) = (Vec::new(), vec![value]);
    // A tuple that has a value twice is a user twice.
    let mut seen = HashSet::from([op::key(value)]);
    while let Some(value) = pending.pop() {
        for (user, _) in op::uses(value) {
            match user.short_name() {
                "tuple" => {
                    let tuples = user.results().into_iter();
                    pending.extend(tuples.filter(|tuple| seen.insert(op::key(*tuple))));
                }
                _ => found.push(user),
            }
        }
    }
    found
}

/// The value that an element of a tuple is, through `tuple` operations.
fn leaf_of<'c>(tuple: Val<'c>, index: Option<i64>) -> (Val<'c>, Result<(), &'static str>) {
    if let Some((def, _)) = op::defining_op(tuple)
        && def.short_name() == "tuple"
        && let Some(index) = index.and_then(|index| usize::try_from(index).ok())
        && index < def.num_operands()
    {
        return (def.operand(index), Ok(()));
    }
    (tuple, Err("the tuple is not put together in the program"))
}

/// The values that a value of tuple type is made of, in order, nested tuples flattened; any other
/// value is itself.
pub fn leaves<'c>(value: Val<'c>) -> Vec<Val<'c>> {
    match op::defining_op(value) {
        Some((def, _)) if def.short_name() == "tuple" => {
            def.operands().into_iter().flat_map(leaves).collect()
        }
        _ => vec![value],
    }
}
