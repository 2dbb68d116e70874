//! One simplification from start to end: constraints until nothing changes, then results.

use super::again::Reading;
use super::arena::{Arena, NodeId};
use super::constraints::Constraints;
use super::emit::Emitter;
use super::known::{Empty, FewKnown, Known};
use super::length::length;
use super::linear::{Forms, LinId};
use super::rescale::merge_rescaled;
use crate::interval::Interval;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Runs after which a map is taken as it was given.
const MAX_RUNS: usize = 12;

/// Constraints whose expressions are in an [`Arena`]: seldom more than a few.
pub type ConstraintList = SmallVec<[(NodeId, Interval); 4]>;

/// A map whose expressions are in an [`Arena`].
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct ArenaMap {
    /// The results.
    pub results: SmallVec<[NodeId; 4]>,
    /// The constraints.
    pub constraints: ConstraintList,
    /// The intervals of the variables: dimensions, ranges, runtime.
    pub intervals: SmallVec<[Interval; 4]>,
    /// The number of dimension variables.
    pub dims: usize,
    /// The number of range variables.
    pub ranges: usize,
    /// Range variables that were rescaled: variable, scale, offset; the old one is `scale * new + offset`.
    pub rescaled: Vec<(usize, i64, i64)>,
}

/// A simplifier with its working memory, which is used again from map to map. Nothing of one map is seen by the next.
#[derive(Clone, Debug)]
pub struct Simplifier {
    pub(super) forms: Forms,
    pub(super) emitter: Emitter,
    pub(super) constraints: Constraints,
    /// What is known of nodes, valid while the stamp is current: the normal form or, with [`UNFOLDED`], the sum into which this one
    /// was unfolded.
    pub(super) memo: Vec<(u32, u32)>,
    pub(super) stamp: u32,
    rules: Vec<&'static str>,
    pub(super) stack: Vec<NodeId>,
    /// The result has nested operations: another run may find more.
    pub(super) intricate: bool,
    pub(super) unfolding: Todo,
    /// How many remainders stand in each other in a node, for the first nodes of the arena; see `chains.rs`.
    pub(super) nested: Vec<u32>,
    /// Remainders that stand at several places of one sum.
    pub(super) shared: FxHashSet<NodeId>,
    /// The forms are those of the variables as they are known.
    current: bool,
    /// Work units of this run.
    units: u64,
    /// Work units for each operation of the input, and in any case.
    budget: (u64, u64),
    /// Room for long sums, likewise.
    room: (u64, u64),
}

impl Default for Simplifier {
    fn default() -> Self {
        Simplifier::new()
    }
}

/// Nodes that are still to be taken apart, each this many times.
pub(super) type Todo = Vec<(NodeId, i64)>;

impl Simplifier {
    /// A simplifier with the usual work budget.
    pub fn new() -> Self {
        Simplifier {
            forms: Forms::new(),
            emitter: Emitter::default(),
            constraints: Constraints::default(),
            memo: Vec::new(),
            stamp: 0,
            rules: Vec::new(),
            stack: Vec::new(),
            intricate: false,
            unfolding: Vec::new(),
            nested: Vec::new(),
            shared: FxHashSet::default(),
            current: false,
            units: 0,
            budget: (400, 20_000),
            room: (64, 1 << 20),
        }
    }

    /// Bounds the work: units for each operation of the input, plus a constant. With less work the result is less simplified.
    #[must_use]
    pub fn with_budget(mut self, per_operation: u64, constant: u64) -> Self {
        self.budget = (per_operation, constant);
        self
    }

    /// Bounds the work on sums of more than 64 terms: units for each operation of the input, plus a constant. A term that is put
    /// into such a sum, and one that is divided with it, takes 8 of them. When there are none left long sums are kept apart, as if a
    /// number would not fit, and the map is taken as it is then.
    #[must_use]
    pub fn with_room(mut self, per_operation: u64, constant: u64) -> Self {
        self.room = (per_operation, constant);
        self
    }

    /// Stride and offset of a variable of the last map.
    pub(crate) fn known_congruence(&self, i: usize) -> (i64, i64) {
        self.constraints
            .known
            .get(i)
            .map_or((1, 0), |k| (k.stride, k.offset))
    }

    pub(crate) fn forms(&self) -> &Forms {
        &self.forms
    }

    /// Makes room for nodes that were built since.
    pub(crate) fn grow(&mut self, nodes: usize) {
        if self.memo.len() < nodes {
            self.memo.resize(nodes, (0, 0));
        }
    }

    pub(crate) fn take_rules(&mut self) -> Vec<&'static str> {
        std::mem::take(&mut self.rules)
    }

    pub(super) fn next_stamp(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.memo.fill((0, 0));
            self.stamp = 1;
        }
    }

    /// Forgets all normal forms and starts with these variables.
    pub(super) fn restart(&mut self, nodes: usize, units: u64) {
        self.next_stamp();
        if self.memo.len() < nodes {
            self.memo.resize(nodes + nodes / 2, (0, 0));
        }
        self.emitter.memo_clear();
        self.forms.reset(
            self.constraints
                .known
                .iter()
                .map(|k| (k.interval, k.stride, k.offset)),
            units,
        );
    }

    /// Simplifies a map; `None` if its domain is empty. New expressions are built in the same arena.
    pub fn run(&mut self, arena: &mut Arena, map: &ArenaMap, explain: bool) -> Option<ArenaMap> {
        self.rules.clear();
        self.nested.clear();
        if !self.shared.is_empty() {
            self.shared.clear();
        }
        let operations = arena.len() as u64;
        self.forms.room = self
            .room
            .0
            .saturating_mul(operations)
            .saturating_add(self.room.1);
        self.forms.degraded = false;
        self.forms.either = false;
        self.forms.rules = explain.then(Vec::new);
        // A map is large to hand around by value.
        let mut out = ArenaMap::default();
        let mut found = self.run_to_fixpoint(arena, map, &mut out);
        if found.is_some() && self.sign_matters(arena) {
            found = self.with_either_sign(arena, map, &mut out);
        }
        if let Some(rules) = self.forms.rules.take() {
            self.rules = rules;
        }
        found.map(|()| out)
    }

    /// Nested digits can give a later run more to do. If runs go around in a circle, the shortest map of the circle is taken,
    /// so that simplifying the result gives the result.
    pub(super) fn run_to_fixpoint(
        &mut self,
        arena: &mut Arena,
        map: &ArenaMap,
        out: &mut ArenaMap,
    ) -> Option<()> {
        self.run_to_end(arena, map, out)?;
        if self.intricate && !self.forms.degraded && !out.same_as(map) {
            *out = self.run_again(arena, map, std::mem::take(out))?;
        }
        Some(())
    }

    fn run_again(
        &mut self,
        arena: &mut Arena,
        map: &ArenaMap,
        first: ArenaMap,
    ) -> Option<ArenaMap> {
        let mut seen = vec![first];
        while self.intricate && !self.forms.degraded && seen.len() < MAX_RUNS {
            let last = &seen[seen.len() - 1];
            let mut next = ArenaMap::default();
            self.run_to_end(arena, last, &mut next)?;
            if self.forms.degraded {
                // Less than was found before.
                break;
            }
            next.rescaled = merge_rescaled(&last.rescaled, next.rescaled);
            if let Some(start) = seen.iter().position(|m| m.same_as(&next)) {
                let mut circle = seen.split_off(start);
                let length = |m: &ArenaMap| (length(arena, &m.results).0, m.constraints.len());
                if circle.len() > 1 {
                    let least = circle.iter().map(length).min();
                    circle.retain(|m| Some(length(m)) == least);
                }
                if circle.len() == 1 {
                    return circle.pop();
                }
                return circle.into_iter().min_by_key(|m| {
                    format!(
                        "{:?} {:?} {:?}",
                        arena.export(&m.results),
                        m.constraints
                            .iter()
                            .map(|k| (arena.export(&[k.0]), k.1))
                            .collect::<Vec<_>>(),
                        m.intervals,
                    )
                });
            }
            seen.push(next);
        }
        if self.intricate && !self.forms.degraded {
            // Runs come to no end, where numbers leave 128 bits. What was given stays, and does so when it is given again.
            let known = &mut self.constraints.known;
            known.clear();
            known.extend(map.intervals.iter().map(|i| Known::new(*i)));
            return Some(map.clone());
        }
        seen.pop()
    }

    /// One run; `None` if the domain is empty. (A map is large to hand around by value.)
    fn run_to_end(&mut self, arena: &mut Arena, map: &ArenaMap, out: &mut ArenaMap) -> Option<()> {
        if map.intervals.iter().any(|i| i.is_empty()) {
            self.forms.fired("empty-interval");
            return None;
        }
        self.emitter.clear(map.dims, map.ranges);
        self.forms.again = false;
        self.forms.overflowed = false;
        self.forms.contextual = false;
        self.current = false;
        let units = self.budget.0.saturating_mul(arena.len() as u64);
        self.units = units.saturating_add(self.budget.1);
        self.intricate = false;
        out.results = SmallVec::from_slice(&map.results);
        (out.dims, out.ranges) = (map.dims, map.ranges);
        out.rescaled.clear();
        out.intervals.clear();
        let forgotten = self.settle_constraints(arena, map, out)?;
        self.make_current(arena);
        self.assume(arena, &out.constraints);
        self.emitter.watch();
        let mut written: SmallVec<[(NodeId, LinId); 8]> = SmallVec::new();
        for r in &mut out.results {
            let lin = self.normal(arena, *r);
            let digits = self.forms.has_digits(lin);
            *r = self.emitter.form(arena, &self.forms, lin);
            if digits {
                written.push((*r, lin));
            }
        }
        // Forms that were kept apart because a number would not fit may be written alike.
        self.intricate |= self.forms.overflowed || self.forms.contextual || forgotten;
        // What is written is read again: if that gives another form, and that is written in another way, another run has more
        // to do.
        let reading = match written[..] {
            _ if self.intricate || self.forms.degraded => Reading::Same,
            [] => Reading::Same,
            [(_, lin)] => self.forms.read_again(&self.emitter, Some(lin)),
            _ => self.forms.read_again(&self.emitter, None),
        };
        if let (Reading::Other(again), [(node, _)]) = (&reading, &written[..]) {
            self.intricate = self.emitter.form(arena, &self.forms, *again) != *node;
        }
        if let Reading::Unknown = reading {
            self.grow(arena.len());
            self.next_stamp();
            for (r, lin) in written {
                let again = self.normal(arena, r);
                if again != lin && self.emitter.form(arena, &self.forms, again) != r {
                    self.intricate = true;
                    break;
                }
                self.grow(arena.len());
            }
        }
        out.intervals
            .extend(self.constraints.known.iter().map(|k| k.interval));
        Some(())
    }

    /// Settles the constraints, or none, and rescales range variables. `None` if the domain is empty, true if constraints were given up to
    /// creep towards each other.
    fn settle_constraints(
        &mut self,
        arena: &mut Arena,
        map: &ArenaMap,
        out: &mut ArenaMap,
    ) -> Option<bool> {
        self.constraints.clear();
        self.constraints.known.clear();
        let known = map.intervals.iter().map(|i| Known::new(*i));
        self.constraints.known.extend(known);
        out.constraints.clone_from(&map.constraints);
        if map.constraints.is_empty() {
            return Some(false);
        }
        let units = self.units;
        let mut forgotten = false;
        loop {
            let start: FewKnown = SmallVec::from_slice(&self.constraints.known);
            // Of variables that were rescaled the given map speaks in other terms.
            let given = (!out.rescaled.is_empty()).then(|| out.constraints.clone());
            match self.settle(arena, &mut out.constraints, units, true) {
                Ok(true) => {}
                Ok(false) => {
                    // Bounds creep toward each other: without propagation, then. What is written may not creep any more.
                    forgotten = true;
                    self.constraints.known.clear();
                    self.constraints.known.extend_from_slice(&start);
                    match given {
                        Some(given) => out.constraints = given,
                        None => out.constraints.clone_from(&map.constraints),
                    }
                    self.settle(arena, &mut out.constraints, units, false)
                        .ok()?;
                }
                Err(Empty) => return None,
            }
            self.current = true;
            if !self.rescale(arena, out) {
                return Some(forgotten);
            }
            self.current = false;
            if out.constraints.is_empty() {
                return Some(forgotten);
            }
        }
    }

    /// Forms are those of the variables as they are known now.
    pub(super) fn make_current(&mut self, arena: &Arena) {
        if !self.current {
            self.restart(arena.len(), self.units);
            self.current = true;
        }
    }
}

impl ArenaMap {
    pub(super) fn same_as(&self, other: &ArenaMap) -> bool {
        self.results == other.results
            && self.constraints == other.constraints
            && self.intervals == other.intervals
    }
}
