//! One simplification from start to end: constraints until nothing changes, then results.

use super::emit::Emitter;
use super::known::Known;
use super::length::shortest;
use super::linear::{Forms, LinId};
use super::rules::constraint::Constraints;
use super::steps::Fired;
use crate::arena::{Arena, ArenaMap, NodeId};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Passes over the results after which they are taken as they were given.
const MAX_PASSES: usize = 12;

/// A bound of work: units for each operation of the input, plus a constant.
#[derive(Clone, Copy, Debug)]
struct Limits {
    work: (u64, u64),
    /// Bound for sums of more than 64 terms, see `long_sums.rs`.
    long_sums: (u64, u64),
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            work: (400, 20_000),
            long_sums: (64, 1 << 20),
        }
    }
}

/// A simplifier with its working memory, which is used again from map to map. Nothing of one map is
/// seen by the next.
#[derive(Clone, Debug, Default)]
pub struct Simplifier {
    pub(super) forms: Forms,
    pub(super) emitter: Emitter,
    pub(super) constraints: Constraints,
    /// Answers for nodes, valid while the stamp is current: the normal form or, with [`UNFOLDED`],
    /// the sum into which this one was unfolded.
    pub(super) memo: Vec<(u32, u32)>,
    pub(super) stamp: u32,
    pub(super) steps: Vec<Fired>,
    pub(super) stack: Vec<NodeId>,
    pub(super) unfolding: Todo,
    /// Number of remainders that stand in each other in a node, for the first nodes of the arena;
    /// see `chains.rs`.
    pub(super) nested: Vec<u32>,
    /// Remainders that stand at several places of one sum.
    pub(super) shared: FxHashSet<NodeId>,
    /// The forms are those of the variables as they are known.
    current: bool,
    /// Work units of this run.
    pub(super) units: u64,
    limits: Limits,
}

/// Nodes that are still to be taken apart, each this many times.
pub(super) type Todo = Vec<(NodeId, i64)>;

impl Simplifier {
    /// A simplifier with the usual work budget.
    pub fn new() -> Self {
        Simplifier::default()
    }

    /// Bounds the work: units for each operation of the input, plus a constant. With less work the
    /// result is less simplified.
    #[must_use]
    pub fn with_budget(mut self, per_operation: u64, constant: u64) -> Self {
        self.limits.work = (per_operation, constant);
        self
    }

    /// Bounds the work on sums of more than 64 terms: units for each operation of the input, plus a
    /// constant. A term that is put into such a sum, and one that is divided with it, takes 8 of
    /// them. When there are none left long sums are kept apart, as if a number would not fit, and
    /// the map is taken as it is then.
    #[must_use]
    pub fn with_long_sum_budget(mut self, per_operation: u64, constant: u64) -> Self {
        self.limits.long_sums = (per_operation, constant);
        self
    }

    /// Makes room for nodes that were built since.
    pub(crate) fn grow(&mut self, nodes: usize) {
        if self.memo.len() < nodes {
            self.memo.resize(nodes + nodes / 2, (0, 0));
        }
    }

    pub(super) fn next_stamp(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.memo.fill((0, 0));
            self.stamp = 1;
        }
    }

    /// Forgets all normal forms and starts with these variables.
    pub(super) fn restart(&mut self, nodes: usize) {
        self.next_stamp();
        self.grow(nodes);
        self.emitter.memo.clear();
        self.forms.reset(&self.constraints.known, self.units);
    }

    /// Simplifies a map; `None` if its domain is empty. New expressions are built in the same
    /// arena.
    pub fn run(&mut self, arena: &mut Arena, map: &ArenaMap, explain: bool) -> Option<ArenaMap> {
        self.nested.clear();
        self.shared.clear();
        let operations = arena.len() as u64;
        let units = |(each, more): (u64, u64)| each.saturating_mul(operations).saturating_add(more);
        self.forms.long_sum_budget = units(self.limits.long_sums);
        self.units = units(self.limits.work);
        self.forms.exhausted = false;
        self.forms.steps = explain.then(Vec::new);
        let mut out = ArenaMap::default();
        let found = self.run_to_end(arena, map, &mut out);
        self.steps = self.forms.steps.take().unwrap_or_default();
        found.map(|()| out)
    }

    /// `None` if the domain is empty. (A map is large to hand around by value.)
    fn run_to_end(&mut self, arena: &mut Arena, map: &ArenaMap, out: &mut ArenaMap) -> Option<()> {
        if map.intervals.iter().any(|i| i.is_empty()) {
            self.forms.fired("empty-interval");
            return None;
        }
        (self.emitter.dims, self.emitter.ranges) = (map.dims, map.ranges);
        self.current = false;
        out.results = SmallVec::from_slice(&map.results);
        (out.dims, out.ranges) = (map.dims, map.ranges);
        self.settle_constraints(arena, map, out)?;
        self.write_results(arena, out);
        let known = self.constraints.known.iter();
        out.intervals.extend(known.map(|k| k.interval));
        Some(())
    }

    /// Reads the results and writes them, until they are read as they are written: what is written
    /// is a choice between forms that rules take apart again. Passes can go around in a circle, of
    /// which the shortest results are taken.
    fn write_results(&mut self, arena: &mut Arena, out: &mut ArenaMap) {
        if self.pass(arena, out) {
            return;
        }
        let mut seen = vec![out.results.clone()];
        for _ in 0..MAX_PASSES {
            self.current = false;
            if self.pass(arena, out) {
                return;
            }
            if let Some(first) = seen.iter().position(|r| *r == out.results) {
                out.results = shortest(arena, &seen[first..], |r| r.to_vec());
                return;
            }
            seen.push(out.results.clone());
        }
        out.results = seen.swap_remove(0);
    }

    /// Reads and writes the results once; true if they are read as they are written.
    fn pass(&mut self, arena: &mut Arena, out: &mut ArenaMap) -> bool {
        self.make_current(arena);
        self.forms.cache_unsafe = false;
        self.assume(arena, &out.constraints);
        let mut written: SmallVec<[(NodeId, LinId); 8]> = SmallVec::new();
        for r in &mut out.results {
            let Some(lin) = self.read(arena, *r) else {
                continue;
            };
            let given = std::mem::replace(r, self.emitter.form(arena, &self.forms, lin));
            if given != *r && self.forms.has_digits(lin) {
                written.push((*r, lin));
            }
        }
        if self.forms.exhausted || written.is_empty() {
            return !self.forms.cache_unsafe || self.forms.exhausted;
        }
        self.grow(arena.len());
        self.next_stamp();
        let same = written.into_iter().all(|(r, lin)| {
            self.grow(arena.len());
            let again = self.read(arena, r);
            again.is_some_and(|a| a == lin || self.emitter.form(arena, &self.forms, a) == r)
        });
        same && !self.forms.cache_unsafe
    }

    /// The normal form of a node; `None` if a number in it does not fit into 64 bits: such an
    /// expression stays as it is.
    pub(super) fn read(&mut self, arena: &Arena, node: NodeId) -> Option<LinId> {
        self.forms.overflowed = false;
        let lin = self.normal(arena, node);
        if !self.forms.overflowed {
            return Some(lin);
        }
        self.forms.fired("overflow-kept-apart");
        // Another expression with the same part does not fit either.
        self.next_stamp();
        self.forms.digits.clear();
        None
    }

    /// Settles the constraints, or none, and rescales range variables. `None` if the domain is
    /// empty.
    fn settle_constraints(
        &mut self,
        arena: &mut Arena,
        map: &ArenaMap,
        out: &mut ArenaMap,
    ) -> Option<()> {
        self.constraints.clear();
        self.constraints.known.clear();
        let known = map.intervals.iter().map(|i| Known::new(*i));
        self.constraints.known.extend(known);
        out.constraints.clone_from(&map.constraints);
        while !out.constraints.is_empty() {
            self.settle(arena, &mut out.constraints).ok()?;
            self.current = true;
            if !self.rescale(arena, out) {
                break;
            }
            self.current = false;
        }
        Some(())
    }

    /// Forms are those of the variables as they are known now.
    pub(super) fn make_current(&mut self, arena: &Arena) {
        if !self.current {
            self.restart(arena.len());
            self.current = true;
        }
    }
}
