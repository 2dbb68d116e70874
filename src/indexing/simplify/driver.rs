//! One simplification from start to end: constraints until nothing changes, then results.

use super::again::Reading;
use super::arena::{Arena, Node, NodeId};
use super::constraints::Constraints;
use super::emit::Emitter;
use super::known::{Empty, FewKnown, Known};
use super::length::length;
use super::linear::{Forms, LinId};
use super::rescale::merge_rescaled;
use super::short::{Scratch, Settled, Short};
use crate::expr::Op;
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
    /// Maps may go the short way, see `short`.
    short_way: bool,
    short: Short,
    scratch: Scratch,
    /// The forms are those of the variables as they are known.
    current: bool,
    /// What is known of the variables was not taken over from the short way yet.
    known_by_short: bool,
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
            short_way: true,
            short: Short::default(),
            scratch: Scratch::default(),
            current: false,
            known_by_short: false,
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

    /// Whether what needs no rules goes without them: digits of variables and quotients of sums that stay as they are, what falls into
    /// variables at once, constraints on sums of variables, their quotients and their remainders. The result is the same, only later
    /// without; for tests.
    #[must_use]
    pub fn with_short_way(mut self, short_way: bool) -> Self {
        self.short_way = short_way;
        self
    }

    /// Whether there is a short way: rules that are asked for have to fire.
    pub(super) fn takes_short_way(&self) -> bool {
        self.short_way && self.forms.rules.is_none()
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
        let mut shortens = self.takes_short_way() && !self.forms.turned;
        loop {
            let run = self.run_once(arena, map, out, shortens)?;
            // Of a sign that was left open the other one may be shorter after all.
            let open = shortens && self.short.may_be_shorter(arena);
            if let (Run::Done, false) = (run, open) {
                return Some(());
            }
            shortens = false;
        }
    }

    /// One run, on the short way as far as that leads; `None` if the domain is empty.
    #[inline(always)]
    fn run_once(
        &mut self,
        arena: &mut Arena,
        map: &ArenaMap,
        out: &mut ArenaMap,
        shortens: bool,
    ) -> Option<Run> {
        // Also of what goes the short way: who asks for bounds then makes forms of it.
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
        out.constraints.clear();
        out.intervals.clear();
        let known = map.intervals.iter().map(|i| Known::new(*i));
        let shortens = shortens && self.short.start(known, map.dims, map.ranges);
        self.known_by_short = false;
        let mut done = 0;
        if shortens {
            let constraints = &map.constraints;
            match self.short.settle(arena, constraints, &mut self.scratch) {
                Settled::Empty => return None,
                Settled::Not => {}
                Settled::Short => {
                    self.known_by_short = true;
                    if !constraints.is_empty() {
                        self.short.write_constraints(arena, &mut out.constraints);
                        out.rescaled.extend(self.short.rescaled());
                    }
                    for r in &mut out.results {
                        let Some(short) = self.short.result(arena, *r, &mut self.scratch) else {
                            break;
                        };
                        *r = short;
                        done += 1;
                    }
                    if done == out.results.len() {
                        out.intervals
                            .extend(self.short.known().iter().map(|k| k.interval));
                        return Some(Run::Done);
                    }
                }
            }
        }
        self.run_on(arena, map, out, shortens, done)
    }

    /// As [`Simplifier::run_once`], where the constraints or a result do not go the short way; `done` results went.
    #[inline(never)]
    fn run_on(
        &mut self,
        arena: &mut Arena,
        map: &ArenaMap,
        out: &mut ArenaMap,
        mut shortens: bool,
        done: usize,
    ) -> Option<Run> {
        let (mut assumed, mut forgotten) = (false, false);
        // A result of a map whose constraints are settled.
        let mut tried = self.known_by_short;
        if tried {
            self.take_known();
        } else {
            forgotten = self.settle_long(arena, map, out)?;
            if shortens {
                let known = self.constraints.known.iter().copied();
                shortens = self.short.start(known, map.dims, map.ranges);
                let of_digits = speaks_of_digits(arena, &out.constraints);
                let of_sums = speaks_of_sums(arena, &out.constraints);
                self.short.assume(of_digits, of_sums);
            }
        }
        let mut written: SmallVec<[(NodeId, LinId); 8]> = SmallVec::new();
        for r in &mut out.results[done..] {
            if shortens
                && !std::mem::take(&mut tried)
                && let Some(short) = self.short.result(arena, *r, &mut self.scratch)
            {
                *r = short;
                continue;
            }
            if !assumed {
                if self.short.is_rescaled() && shortens {
                    // The given results speak of the variables as they were.
                    return Some(Run::Long);
                }
                self.make_current(arena);
                self.assume(arena, &out.constraints);
                self.emitter.watch();
                assumed = true;
            }
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
        Some(Run::Done)
    }

    /// Settles the constraints, or none, and rescales range variables. `None` if the domain is empty, true if constraints were given up to
    /// creep towards each other.
    fn settle_long(
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

    /// What the short way knows of the variables is what is known.
    fn take_known(&mut self) {
        self.known_by_short = false;
        self.constraints.known.clear();
        self.constraints.known.extend_from_slice(self.short.known());
    }

    /// Forms are those of the variables as they are known now.
    pub(super) fn make_current(&mut self, arena: &Arena) {
        if self.known_by_short {
            self.take_known();
        }
        if !self.current {
            self.restart(arena.len(), self.units);
            self.current = true;
        }
    }
}

/// How a run ended.
enum Run {
    Done,
    /// It has to take the long way.
    Long,
}

/// Whether settled constraints say something of the digits of a variable whose stride is 1: what they say of sums, and of digits of
/// sums, is nothing about a digit of one variable.
fn speaks_of_digits(arena: &Arena, constraints: &[(NodeId, Interval)]) -> bool {
    constraints.iter().any(|(node, interval)| {
        let Node::Binary(Op::Mod, x, _) = arena.node(*node) else {
            return false;
        };
        match arena.node(x) {
            // A congruence is the stride of its variable.
            Node::Variable(..) => interval.as_point().is_none(),
            Node::Binary(Op::Add, y, k) => {
                matches!(arena.node(y), Node::Variable(..)) && arena.as_constant(k).is_some()
            }
            _ => false,
        }
    })
}

/// Whether settled constraints say more than the strides of variables.
fn speaks_of_sums(arena: &Arena, constraints: &[(NodeId, Interval)]) -> bool {
    constraints.iter().any(|(node, interval)| {
        let Node::Binary(Op::Mod, x, _) = arena.node(*node) else {
            return true;
        };
        !matches!(arena.node(x), Node::Variable(..)) || interval.as_point().is_none()
    })
}

impl ArenaMap {
    pub(super) fn same_as(&self, other: &ArenaMap) -> bool {
        self.results == other.results
            && self.constraints == other.constraints
            && self.intervals == other.intervals
    }
}
