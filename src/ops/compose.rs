//! Maps composed over programs: from any value to any value, along all paths.
//!
//! A block is walked once, backward or forward: when an operation is reached, the maps of all paths to its results (operands) are
//! there, merged. Equal maps are kept once, so a program with exponentially many paths costs as much as it has *different* maps;
//! beyond [`LIMIT`] different maps to one value, they are replaced by one that says "anything, perhaps" (`exact = false`).

use crate::control::regions;
use crate::maps::{OperandMaps, ResultMaps};
use crate::query::{Query, everything, identity, sizes};
use crate::registry::{OpDef, lookup};
use crate::sizes as run_time;
use indexmap::IndexMap;
use mapwright_indexing::{
    Expr, ExprKind, IndexingMap, Interval, RuntimeVariable, Variable, compose, d, rt, s,
};
use mapwright_mlir::{Blk, Op, TensorType, Val, ValueType, op};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The most different maps that are kept from one value to another.
pub const LIMIT: usize = 64;
/// How deep calls are followed.
const DEPTH: usize = 64;

/// Maps without duplicates, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct MapSet {
    maps: Vec<IndexingMap>,
}

impl MapSet {
    /// Adds a map; false if it says nothing new (it is empty, or there already).
    pub fn push(&mut self, map: IndexingMap) -> bool {
        if map.is_known_empty() {
            return false;
        }
        if self.maps.iter().any(|old| covers(old, &map)) {
            return false;
        }
        self.maps.retain(|old| !covers(&map, old));
        for old in &mut self.maps {
            // The same set of elements, known for certain on one path: that decides.
            if old.exact != map.exact
                && old.clone().with_exact(true) == map.clone().with_exact(true)
            {
                old.exact = true;
                return false;
            }
        }
        self.maps.push(map);
        true
    }

    /// Replaces more than [`LIMIT`] maps by one.
    fn bound(&mut self, from: &[i64], to: &[i64], replica: Option<i64>) {
        if self.maps.len() <= LIMIT {
            return;
        }
        let map = everything(from, to).with_exact(false);
        self.maps = vec![match replica {
            Some(replicas) => lift_any(&map, replicas),
            None => map,
        }];
    }

    /// The maps.
    pub fn maps(&self) -> &[IndexingMap] {
        &self.maps
    }

    /// The maps.
    pub fn into_maps(self) -> Vec<IndexingMap> {
        self.maps
    }
}

/// True if `small` says nothing that `large` does not say: they are equal, but for a part of the index space.
fn covers(large: &IndexingMap, small: &IndexingMap) -> bool {
    if large == small {
        return true;
    }
    let read = |a: &RuntimeVariable, b: &RuntimeVariable| {
        a.interval == b.interval
            && a.clamp() == b.clamp()
            && !a.origin.value.is_empty()
            && a.origin.value == b.origin.value
            && match (&a.origin.index, &b.origin.index) {
                (None, None) => true,
                (Some(a), Some(b)) => a.is_known() && b.is_known() && a.results == b.results,
                _ => false,
            }
    };
    large.is_known()
        && small.is_known()
        && large.exact == small.exact
        && large.dims.len() == small.dims.len()
        && large
            .dims
            .iter()
            .zip(&small.dims)
            .all(|(a, b)| a.name == b.name && a.interval.contains_interval(b.interval))
        && large.ranges == small.ranges
        && large.results == small.results
        && large.constraints == small.constraints
        && large.runtime.len() == small.runtime.len()
        && large
            .runtime
            .iter()
            .zip(&small.runtime)
            .all(|(a, b)| read(a, b))
}

/// The values that were reached from one, with the maps to them, in the order in which they were reached.
#[derive(Clone, Debug)]
pub struct Reached<'c> {
    values: IndexMap<usize, (Val<'c>, MapSet)>,
}

impl<'c> Reached<'c> {
    /// A value that is reached from itself.
    pub fn only(value: Val<'c>) -> Self {
        let mut reached = Self {
            values: IndexMap::new(),
        };
        let map = match value_sizes(value) {
            Ok(sizes) => identity(&sizes),
            Err(reason) => IndexingMap::unknown(reason),
        };
        reached.push(value, map);
        reached
    }

    fn push(&mut self, value: Val<'c>, map: IndexingMap) {
        if map.is_known_empty() {
            return;
        }
        let entry = self
            .values
            .entry(op::key(value))
            .or_insert_with(|| (value, MapSet::default()));
        entry.1.push(map);
    }

    /// The maps to `value`; `None` if there is no path.
    pub fn maps(&self, value: Val<'c>) -> Option<&[IndexingMap]> {
        self.values.get(&op::key(value)).map(|(_, set)| set.maps())
    }

    /// All values with their maps.
    pub fn iter(&self) -> impl Iterator<Item = (Val<'c>, &[IndexingMap])> {
        self.values
            .values()
            .map(|(value, set)| (*value, set.maps()))
    }

    /// The maps to `value`, within bounds.
    fn bounded(&mut self, root: Val<'c>, value: Val<'c>) -> Option<Vec<IndexingMap>> {
        let (_, set) = self.values.get_mut(&op::key(value))?;
        if set.maps.len() > LIMIT {
            let replicas = set.maps.iter().find_map(replicas);
            match (value_sizes(root), value_sizes(value)) {
                (Ok(from), Ok(to)) => set.bound(&from, &to, replicas),
                _ => set.maps.truncate(1),
            }
        }
        Some(set.maps.clone())
    }
}

fn value_sizes(value: Val<'_>) -> Result<Vec<i64>, String> {
    Ok(sizes(&value_type(value)?))
}

fn value_type(value: Val<'_>) -> Result<TensorType, String> {
    use mapwright_mlir::melior::ir::ValueLike;
    let ty = value.r#type();
    TensorType::from_mlir(ty).ok_or_else(|| format!("{ty} is not a ranked tensor"))
}

/// Computes and composes maps. It keeps what it found, so it must not outlive changes of the IR.
pub struct Composer<'c> {
    simplify: bool,
    active: RefCell<Vec<usize>>,
    backward: RefCell<HashMap<(usize, usize), Rc<Vec<OperandMaps>>>>,
    forward: RefCell<HashMap<(usize, usize), Rc<Vec<ResultMaps>>>>,
    composed: RefCell<HashMap<usize, Rc<Reached<'c>>>>,
    /// Maps by signature, for operations that share them.
    shared_backward: RefCell<HashMap<Signature, Rc<Vec<OperandMaps>>>>,
    shared_forward: RefCell<HashMap<Signature, Rc<Vec<ResultMaps>>>>,
}

/// Name, number of the result or operand, types and attributes: all of them are unique in a context, so addresses tell them apart.
type Signature = (&'static str, usize, Vec<usize>);

/// The signature of an operation whose maps follow from it.
fn signature(operation: Op<'_>, number: usize) -> Option<Signature> {
    use mapwright_mlir::melior::ir::{TypeLike, ValueLike, attribute::AttributeLike};
    let def = lookup(operation)?;
    let attributes = def.attributes?;
    let values = operation.operands().into_iter().chain(operation.results());
    let mut key: Vec<usize> = values
        .map(|value| value.r#type().to_raw().ptr as usize)
        .collect();
    key.push(operation.num_operands());
    key.extend(attributes.iter().map(|name| {
        operation
            .attribute(name)
            .map_or(0, |attribute| attribute.to_raw().ptr as usize)
    }));
    Some((def.name, number, key))
}

impl Default for Composer<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'c> Composer<'c> {
    /// A composer that simplifies.
    pub fn new() -> Self {
        Self {
            simplify: true,
            active: RefCell::default(),
            backward: RefCell::default(),
            forward: RefCell::default(),
            composed: RefCell::default(),
            shared_backward: RefCell::default(),
            shared_forward: RefCell::default(),
        }
    }

    /// Leaves the maps of single operations as they are built.
    #[must_use]
    pub fn without_simplification(mut self) -> Self {
        self.simplify = false;
        self
    }

    fn finish(&self, maps: Vec<IndexingMap>) -> Vec<IndexingMap> {
        let mut empty = None;
        let mut set = MapSet::default();
        for map in maps {
            let map = if self.simplify { map.simplify() } else { map };
            if map.is_known_empty() {
                empty.get_or_insert(map);
            } else {
                set.push(map);
            }
        }
        match (set.maps.is_empty(), empty) {
            (true, Some(map)) => vec![map],
            _ => set.maps,
        }
    }

    /// Which elements of every operand an element of result `result` is made of.
    pub fn output_to_input(&self, operation: Op<'c>, result: usize) -> Rc<Vec<OperandMaps>> {
        let key = (operation.to_raw().ptr as usize, result);
        if let Some(found) = self.backward.borrow().get(&key) {
            return found.clone();
        }
        let signature = signature(operation, result);
        let shared = signature
            .as_ref()
            .and_then(|signature| self.shared_backward.borrow().get(signature).cloned());
        let found = match shared {
            Some(found) => found,
            None => {
                let query = Query::new(operation);
                let found = Rc::new(self.backward_maps(&query, result));
                // Run-time sizes have the labels of this operation's values.
                if let Some(signature) = signature.filter(|_| query.is_static()) {
                    self.shared_backward
                        .borrow_mut()
                        .insert(signature, found.clone());
                }
                found
            }
        };
        self.backward.borrow_mut().insert(key, found.clone());
        found
    }

    fn backward_maps(&self, q: &Query<'c>, result: usize) -> Vec<OperandMaps> {
        let def = lookup(q.op);
        let mut regions = match def {
            Some(def) if is_region_op(def) => {
                Some(regions::output_to_input(self, q, result).operands)
            }
            _ => None,
        };
        (0..q.num_operands())
            .map(|operand| {
                let maps = match (&mut regions, def) {
                    _ if is_token(q.op.operand_type(operand)) => {
                        vec![IndexingMap::known_empty(0, 0)]
                    }
                    (Some(all), _) => all.get_mut(operand).map(std::mem::take).unwrap_or_default(),
                    (None, Some(def)) => {
                        let pieces = (def.output_to_input)(q, result, operand).map(|pieces| {
                            pieces
                                .into_iter()
                                .map(|map| run_time::backward(q, def, map, result, operand))
                                .collect()
                        });
                        pieces.unwrap_or_else(|reason| vec![IndexingMap::unknown(reason)])
                    }
                    (None, None) => vec![IndexingMap::unknown(format!(
                        "`{}` is not an operation that is known here",
                        q.op.name()
                    ))],
                };
                OperandMaps {
                    operand,
                    maps: self.finish(maps),
                }
            })
            .collect()
    }

    /// Which elements of every result an element of operand `operand` goes into.
    pub fn input_to_output(&self, operation: Op<'c>, operand: usize) -> Rc<Vec<ResultMaps>> {
        let key = (operation.to_raw().ptr as usize, operand);
        if let Some(found) = self.forward.borrow().get(&key) {
            return found.clone();
        }
        let signature = signature(operation, operand);
        let shared = signature
            .as_ref()
            .and_then(|signature| self.shared_forward.borrow().get(signature).cloned());
        let found = match shared {
            Some(found) => found,
            None => {
                let query = Query::new(operation);
                let found = Rc::new(self.forward_maps(&query, operand));
                // Run-time sizes have the labels of this operation's values.
                if let Some(signature) = signature.filter(|_| query.is_static()) {
                    self.shared_forward
                        .borrow_mut()
                        .insert(signature, found.clone());
                }
                found
            }
        };
        self.forward.borrow_mut().insert(key, found.clone());
        found
    }

    fn forward_maps(&self, q: &Query<'c>, operand: usize) -> Vec<ResultMaps> {
        let def = lookup(q.op);
        let mut regions = match def {
            Some(def) if is_region_op(def) => Some(regions::input_to_output(self, q, operand)),
            _ => None,
        };
        (0..q.num_results())
            .map(|result| {
                let maps = match (&mut regions, def) {
                    _ if is_token(q.op.result_type(result)) => vec![IndexingMap::known_empty(0, 0)],
                    (Some(all), _) => all.get_mut(result).map(std::mem::take).unwrap_or_default(),
                    (None, Some(def)) => {
                        let pieces = (def.input_to_output)(q, operand, result).map(|pieces| {
                            pieces
                                .into_iter()
                                .map(|map| run_time::forward(q, def, map, operand, result))
                                .collect()
                        });
                        pieces.unwrap_or_else(|reason| vec![IndexingMap::unknown(reason)])
                    }
                    (None, None) => vec![IndexingMap::unknown(format!(
                        "`{}` is not an operation that is known here",
                        q.op.name()
                    ))],
                };
                ResultMaps {
                    result,
                    maps: self.finish(maps),
                }
            })
            .collect()
    }

    /// Runs `f` unless `body` is being composed already: recursion has no closed form.
    pub(crate) fn guarded<T>(
        &self,
        body: Blk<'c>,
        f: impl FnOnce(&Self) -> T,
    ) -> Result<T, String> {
        let key = body.to_raw().ptr as usize;
        {
            let mut active = self.active.borrow_mut();
            if active.contains(&key) {
                return Err("the function calls itself".into());
            }
            if active.len() >= DEPTH {
                return Err(format!("calls are nested more than {DEPTH} deep"));
            }
            active.push(key);
        }
        let answer = f(self);
        self.active.borrow_mut().pop();
        Ok(answer)
    }

    /// Everything that `root` is made of within its block, and the values from outside that are used there: the maps from `root`'s
    /// index space to theirs.
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

    /// As [`Composer::backward`], through operations for which `inside` says yes only: the values at the border are reached, what
    /// they are made of is not.
    pub fn backward_within(&self, root: Val<'c>, inside: impl Fn(Op<'c>) -> bool) -> Reached<'c> {
        let mut reached = Reached::only(root);
        let Some((definition, _)) = op::defining_op(root) else {
            return reached;
        };
        let Some(block) = definition.block() else {
            return reached;
        };
        let operations = op::ops(block);
        let last = operations
            .iter()
            .position(|operation| *operation == definition)
            .unwrap_or(0);
        for operation in operations[..=last].iter().rev().copied() {
            if !inside(operation) {
                continue;
            }
            for result in 0..operation.num_results() {
                let value = operation.result(result);
                let Some(maps) = reached.bounded(root, value) else {
                    continue;
                };
                self.step_back(operation, result, &maps, &mut reached);
            }
        }
        reached
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
                reached.push(value, chain(map, step));
            }
        }
        if regions::has_regions(operation) && lookup(operation).is_some() {
            let reads = regions::output_to_input(self, &Query::new(operation), result);
            for (value, steps) in reads.captured {
                for (map, step) in pairs(maps, &steps) {
                    reached.push(value, chain(map, step));
                }
            }
        }
    }

    /// Everything in its block that `root` goes into: the maps from `root`'s index space to theirs.
    pub fn forward(&self, root: Val<'c>) -> Reached<'c> {
        let mut reached = Reached::only(root);
        let mut next = match op::defining_op(root) {
            Some((definition, _)) => op::next(definition),
            None => op::block_argument(root).and_then(|(block, _)| op::first(block)),
        };
        while let Some(operation) = next {
            next = op::next(operation);
            if operation.short_name() == "get_tuple_element" {
                let (leaf, path) = leaf_of(operation.operand(0), operation.int("index"));
                for map in reached.bounded(root, leaf).unwrap_or_default() {
                    let map = path.map_or_else(IndexingMap::unknown, |()| map);
                    reached.push(operation.result(0), map);
                }
                continue;
            }
            if operation.short_name() == "tuple" {
                continue;
            }
            for operand in 0..operation.num_operands() {
                let Some(maps) = reached.bounded(root, operation.operand(operand)) else {
                    continue;
                };
                for consumer in self.input_to_output(operation, operand).iter() {
                    for (map, step) in pairs(&maps, &consumer.maps) {
                        reached.push(operation.result(consumer.result), chain(map, step));
                    }
                }
            }
            if regions::has_regions(operation) {
                self.forward_captured(operation, root, &mut reached);
            }
        }
        reached
    }

    /// Values that a region uses without being operands: through the branches where that is possible.
    fn forward_captured(&self, operation: Op<'c>, root: Val<'c>, reached: &mut Reached<'c>) {
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
        let _ = root;
        for (value, maps) in known {
            if !op::uses(value).into_iter().any(|(user, _)| inside(user)) {
                continue;
            }
            for result in 0..operation.num_results() {
                let reads = regions::output_to_input(self, &Query::new(operation), result);
                let touched = reads
                    .captured
                    .iter()
                    .any(|(v, _)| op::key(*v) == op::key(value))
                    || reads
                        .operands
                        .iter()
                        .flatten()
                        .any(|map| map.unknown_reason().is_some());
                if !touched {
                    continue;
                }
                let target = operation.result(result);
                let step = match (value_sizes(value), value_sizes(target)) {
                    (Ok(from), Ok(to)) => everything(&from, &to).with_exact(false),
                    (Err(reason), _) | (_, Err(reason)) => IndexingMap::unknown(reason),
                };
                for map in &maps {
                    reached.push(target, chain(map, &step));
                }
            }
        }
    }

    /// The maps from `from` to `to`, backward or forward, whichever is the way; empty if there is no path.
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

fn is_region_op(def: &OpDef) -> bool {
    matches!(def.name, "call" | "composite" | "while" | "if" | "case")
}

fn is_token(ty: ValueType) -> bool {
    ty == ValueType::Token
}

fn pairs<'m>(
    a: &'m [IndexingMap],
    b: &'m [IndexingMap],
) -> impl Iterator<Item = (&'m IndexingMap, &'m IndexingMap)> {
    a.iter().flat_map(move |a| b.iter().map(move |b| (a, b)))
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

/// The values that a value of tuple type is made of, in order, nested tuples flattened; any other value is itself.
pub fn leaves<'c>(value: Val<'c>) -> Vec<Val<'c>> {
    match op::defining_op(value) {
        Some((def, _)) if def.short_name() == "tuple" => {
            def.operands().into_iter().flat_map(leaves).collect()
        }
        _ => vec![value],
    }
}

/// Number of replicas, if the map is over `(replica, index…)`.
fn replicas(map: &IndexingMap) -> Option<i64> {
    map.dims
        .first()
        .filter(|v| v.name == "replica")
        .map(|v| v.interval.upper.saturating_add(1))
}

/// First `map`, then `step`, simplified; where one of them is over replicas, the other is put into every replica.
fn chain(map: &IndexingMap, step: &IndexingMap) -> IndexingMap {
    if !map.is_known() || !step.is_known() {
        return compose(map, step);
    }
    let composed = match (replicas(map), replicas(step)) {
        (None, Some(n)) => compose(&lift(map, n), step),
        (Some(n), None) => compose(map, &lift(step, n)),
        _ => compose(map, step),
    }
    .simplify();
    if composed.runtime.len() > 1 {
        unify(composed)
    } else {
        composed
    }
}

/// Runtime variables that are the same element of the same value are one variable.
fn unify(map: IndexingMap) -> IndexingMap {
    let same = |a: &RuntimeVariable, b: &RuntimeVariable| {
        a.origin.value == b.origin.value
            && a.clamp() == b.clamp()
            && match (&a.origin.index, &b.origin.index) {
                (None, None) => true,
                (Some(a), Some(b)) => a.is_known() && b.is_known() && a.results == b.results,
                _ => false,
            }
    };
    // An index that is read at a place which depends on runtime variables would have to be renumbered too.
    let nested = map.runtime.iter().any(|v| {
        v.origin
            .index
            .as_ref()
            .is_some_and(|index| !index.runtime.is_empty())
    });
    let first: Vec<usize> = map
        .runtime
        .iter()
        .enumerate()
        .map(|(i, v)| {
            map.runtime[..i]
                .iter()
                .position(|other| same(other, v))
                .unwrap_or(i)
        })
        .collect();
    if nested
        || first.iter().enumerate().all(|(i, f)| i == *f)
        || map.runtime.iter().any(|v| v.origin.value.is_empty())
    {
        return map;
    }
    let kept: Vec<usize> = (0..first.len()).filter(|i| first[*i] == *i).collect();
    let position: Vec<usize> = first
        .iter()
        .map(|f| kept.iter().position(|k| k == f).unwrap_or(0))
        .collect();
    let renumber = |expr: &Expr| {
        expr.replace(|kind| match kind {
            ExprKind::Dim(k) => d(*k),
            ExprKind::Range(k) => s(*k),
            ExprKind::Runtime(k) => rt(position[*k]),
            _ => d(0),
        })
    };
    let mut unified = map.clone();
    unified.results = map.results.iter().map(renumber).collect();
    for constraint in &mut unified.constraints {
        constraint.expr = renumber(&constraint.expr);
    }
    unified.runtime = kept
        .iter()
        .map(|k| {
            let mut variable = map.runtime[*k].clone();
            let clamp = variable.clamp();
            for (_, other) in map
                .runtime
                .iter()
                .enumerate()
                .filter(|(i, _)| first[*i] == *k)
            {
                variable.interval = variable.interval.intersect(other.interval);
            }
            variable.origin.clamp = (variable.interval != clamp).then_some(clamp);
            variable
        })
        .collect();
    unified.simplify()
}

/// The same map within every replica.
fn lift(map: &IndexingMap, replicas: i64) -> IndexingMap {
    let shift = |expr: &Expr| {
        expr.replace(|kind| match kind {
            ExprKind::Dim(k) => d(k + 1),
            ExprKind::Range(k) => s(*k),
            ExprKind::Runtime(k) => rt(*k),
            _ => d(0),
        })
    };
    let mut lifted = map.clone();
    lifted
        .dims
        .insert(0, Variable::named("replica", Interval::of_size(replicas)));
    lifted.results = std::iter::once(d(0))
        .chain(map.results.iter().map(shift))
        .collect();
    for constraint in &mut lifted.constraints {
        constraint.expr = shift(&constraint.expr);
    }
    for variable in &mut lifted.runtime {
        if let Some(index) = variable.origin.index.take() {
            variable.origin.index = Some(Box::new(lift(&index, replicas)));
        }
    }
    lifted
}

/// Any replica, where nothing better is known.
fn lift_any(map: &IndexingMap, replicas: i64) -> IndexingMap {
    let mut lifted = lift(map, replicas);
    lifted.results[0] = s(lifted.ranges.len());
    lifted
        .ranges
        .push(Variable::new(Interval::of_size(replicas)));
    lifted
}
