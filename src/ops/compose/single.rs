//! The maps of one operation, remembered: by the operation, and by the signature that operations
//! share.

use super::reached::Reached;
use super::replicas::chain;
use super::set::{MapSet, outline};
use crate::control::{loops::Plan, regions};
use crate::maps::{OperandMaps, ResultMaps};
use crate::operand_facts;
use crate::query::Query;
use crate::registry::mapped;
use crate::related_sizes::Related;
use crate::sizes as run_time;
use crate::symbols::Functions;
use mapwright_indexing::{ExprKind, IndexingMap, Interval};
use mapwright_mlir::{Blk, Op, ValueType};
use rustc_hash::{FxHashMap, FxHasher};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Depth to which calls are followed.
const DEPTH: usize = 64;

/// Answers for operations or signatures, shared with everyone who asks.
type Found<K, T> = RefCell<HashMap<K, Rc<Vec<T>>>>;

/// Computes and composes maps. It keeps what it found, so it must not outlive changes of the IR.
pub struct Composer<'c> {
    simplify: bool,
    related: Related,
    pub(super) active: RefCell<Vec<usize>>,
    backward: Found<(usize, usize), OperandMaps>,
    forward: Found<(usize, usize), ResultMaps>,
    pub(super) composed: RefCell<HashMap<usize, Rc<Reached<'c>>>>,
    /// For every block that was walked, where its operations stand.
    pub(super) order: RefCell<HashMap<usize, Rc<HashMap<usize, usize>>>>,
    /// Compositions of two maps. Layers of a model repeat, and so do their maps.
    chained: RefCell<Chained>,
    /// Number of compositions that were asked for, remembered ones included.
    compositions: Cell<usize>,
    /// Maps by signature, for operations that share them.
    shared_backward: Found<Signature, OperandMaps>,
    shared_forward: Found<Signature, ResultMaps>,
    /// Loops, taken apart.
    pub(crate) loops: RefCell<HashMap<usize, Result<Rc<Plan<'c>>, String>>>,
    /// Callees.
    pub(crate) functions: Functions<'c>,
}

/// First map, second map, both composed; by an outline of the first two.
#[derive(Default)]
struct Chained {
    maps: FxHashMap<u64, Vec<[IndexingMap; 3]>>,
    count: usize,
}

/// A number that is the same for equal pairs of maps.
fn outlines(map: &IndexingMap, step: &IndexingMap) -> u64 {
    let mut state = FxHasher::default();
    for map in [map, step] {
        for variable in map.dims().iter().chain(map.ranges()) {
            variable.interval.hash(&mut state);
        }
        for variable in map.runtime() {
            variable.origin.value.hash(&mut state);
        }
        map.runtime().len().hash(&mut state);
        for constraint in map.constraints() {
            constraint.interval.hash(&mut state);
            outline(&constraint.expr, 2, &mut state);
        }
        for expr in map.results() {
            outline(expr, 3, &mut state);
        }
    }
    state.finish()
}

/// The most compositions that are remembered.
const MOST_CACHED: usize = 1 << 14;

/// Name, number of the result or operand, types and attributes: all of them are unique in a
/// context, so addresses tell them apart.
type Signature = (&'static str, usize, Vec<usize>);

/// The signature of an operation whose maps follow from it.
fn signature(operation: Op<'_>, number: usize) -> Option<Signature> {
    use mapwright_mlir::melior::ir::{TypeLike, ValueLike, attribute::AttributeLike};
    let def = mapped(operation)?;
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
        Self::knowing(Related::default())
    }

    /// A composer that simplifies, of a program of whose sizes something is known.
    pub fn knowing(related: Related) -> Self {
        Self {
            simplify: true,
            related,
            active: RefCell::default(),
            backward: RefCell::default(),
            forward: RefCell::default(),
            composed: RefCell::default(),
            order: RefCell::default(),
            chained: RefCell::default(),
            compositions: Cell::default(),
            shared_backward: RefCell::default(),
            shared_forward: RefCell::default(),
            loops: RefCell::default(),
            functions: Functions::default(),
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
        match (set.maps().is_empty(), empty) {
            (true, Some(map)) => vec![map],
            _ => set.into_maps(),
        }
    }

    /// Number of compositions that were asked for so far: the measure of how much work an answer
    /// is.
    pub(crate) fn compositions(&self) -> usize {
        self.compositions.get()
    }

    /// First `map`, then `step`, as in [`chain`].
    pub(crate) fn chained(&self, map: &IndexingMap, step: &IndexingMap) -> IndexingMap {
        self.compositions.set(self.compositions.get() + 1);
        if let Some(same) = through_identity(map, step) {
            return same;
        }
        let key = outlines(map, step);
        let known = self.chained.borrow();
        let found = known.maps.get(&key).into_iter().flatten();
        if let Some([.., made]) = found.into_iter().find(|[a, b, _]| a == map && b == step) {
            return made.clone();
        }
        drop(known);
        let made = chain(map, step);
        let mut known = self.chained.borrow_mut();
        if known.count >= MOST_CACHED {
            *known = Chained::default();
        }
        known.count += 1;
        let entry = [map.clone(), step.clone(), made.clone()];
        known.maps.entry(key).or_default().push(entry);
        made
    }

    /// The query of an operation of the program.
    pub(crate) fn query(&self, operation: Op<'c>) -> Query<'c> {
        operand_facts::query(operation, &self.related)
    }

    /// Maps from an element of result `result` to the elements of every operand that it is made of.
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
                let query = self.query(operation);
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
        let def = mapped(q.op);
        let mut regions = match def {
            Some(_) if regions::is_control(q.op) => {
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
                    (None, None) => vec![IndexingMap::unknown(regions::not_known(q.op))],
                };
                OperandMaps {
                    operand,
                    maps: self.finish(maps),
                }
            })
            .collect()
    }

    /// Maps from an element of operand `operand` to the elements of every result that it goes into.
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
                let query = self.query(operation);
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
        let def = mapped(q.op);
        let mut regions = match def {
            Some(_) if regions::is_control(q.op) => {
                Some(regions::input_to_output(self, q, operand))
            }
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
                    (None, None) => vec![IndexingMap::unknown(regions::not_known(q.op))],
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
}

/// The composition, if `step` hands on every element that `map` leads to, at the same index: that
/// is plain where an index is a variable or a number.
fn through_identity(map: &IndexingMap, step: &IndexingMap) -> Option<IndexingMap> {
    let plain = step.is_known()
        && map.is_known()
        && step.is_exact()
        && step.ranges().is_empty()
        && step.runtime().is_empty()
        && step.constraints().is_empty()
        && step.dims().len() == map.results().len()
        && step.results().len() == map.results().len()
        // Replicas are put in where only one of the two has them.
        && step.dims().iter().chain(map.dims()).all(|variable| variable.name.is_empty());
    if !plain {
        return None;
    }
    for (k, (expr, variable)) in map.results().iter().zip(step.dims()).enumerate() {
        // What has one value only is a number once it is simplified; that is not done here.
        let inside = |interval: Interval| {
            interval.as_point().is_none() && variable.interval.contains_interval(interval)
        };
        let within = match expr.kind() {
            ExprKind::Constant(value) => variable.interval.contains(*value),
            ExprKind::Dim(j) => inside(map.dims().get(*j)?.interval),
            ExprKind::Range(j) => inside(map.ranges().get(*j)?.interval),
            _ => false,
        };
        let same = match step.results()[k].kind() {
            ExprKind::Dim(j) => *j == k,
            // A dimension of one element is written as its only index.
            ExprKind::Constant(value) => {
                variable.interval.as_point() == Some(*value) && expr.as_constant() == Some(*value)
            }
            _ => false,
        };
        if !within || !same {
            return None;
        }
    }
    Some(map.clone())
}

fn is_token(ty: ValueType) -> bool {
    ty == ValueType::Token
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_through_is_the_composition() {
        let parsed = |text: &str| -> IndexingMap {
            text.parse()
                .unwrap_or_else(|error| panic!("{text}: {error}"))
        };
        let maps = [
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 7]",
            "(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]",
            "(d0)[s0] -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 7]",
            "(d0)[s0] -> (2, s0), domain: d0 in [0, 3], s0 in [1, 9]",
            "(d0) -> (d0, 0), domain: d0 in [0, 3]",
            "(d0) -> (d0, d0), domain: d0 in [0, 0]",
            "(d0, d1) -> (d0 + 1, d1), domain: d0 in [0, 2], d1 in [0, 7]",
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 7], d0 + d1 in [0, 4]",
        ];
        let steps = [
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 7]",
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 7]",
            "(d0, d1) -> (d0, 0), domain: d0 in [0, 3], d1 in [0, 0]",
            "(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]",
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 7], d0 + d1 in [0, 5]",
        ];
        let mut seen = 0;
        for (map, step) in maps.iter().flat_map(|a| steps.iter().map(move |b| (a, b))) {
            for exact in [true, false] {
                let map = parsed(map).with_exact(exact).simplify();
                let step = parsed(step).simplify();
                if let Some(found) = through_identity(&map, &step) {
                    assert_eq!(found, chain(&map, &step), "{map}; {step}");
                    seen += 1;
                }
                // The second time it is remembered.
                let composer = Composer::new();
                let first = composer.chained(&map, &step);
                assert_eq!(first, composer.chained(&map, &step));
                assert_eq!(first, chain(&map, &step), "{map}; {step}");
            }
        }
        assert!(seen >= 10, "{seen}");
        // The index of the only element would be simplified to a number.
        let one = IndexingMap::identity(&[1, 8]);
        assert_eq!(through_identity(&one, &one), None);
    }
}
