//! One simplification from start to end: constraints until nothing changes, then results.

use super::arena::{Arena, Node, NodeId};
use super::carry::Carried;
use super::constraints::{Constraints, Empty, Known};
use super::emit::Emitter;
use super::linear::{Forms, LinId};
use crate::expr::Op;
use crate::interval::Interval;
use smallvec::SmallVec;

/// Rounds over the constraints before propagation between them is given up.
const MAX_ROUNDS: usize = 24;

/// Runs after which a map is taken as it is.
const MAX_RUNS: usize = 8;

/// A map whose expressions are in an [`Arena`].
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct ArenaMap {
    /// The results.
    pub results: SmallVec<[NodeId; 4]>,
    /// The constraints.
    pub constraints: Vec<(NodeId, Interval)>,
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
    constraints: Constraints,
    /// What is known of nodes, valid while the stamp is current: the normal form or, with [`UNFOLDED`], the sum into which this one
    /// was unfolded.
    pub(super) memo: Vec<(u32, u32)>,
    pub(super) stamp: u32,
    rules: Vec<&'static str>,
    pub(super) stack: Vec<NodeId>,
    /// The result has nested operations: another run may find more.
    intricate: bool,
    /// A result has digits inside of digits.
    nested: bool,
    pub(super) unfolding: Leaves,
    /// Nodes that were visited.
    pub(super) seen: rustc_hash::FxHashSet<NodeId>,
    /// Work units for each operation of the input, and in any case.
    budget: (u64, u64),
}

impl Default for Simplifier {
    fn default() -> Self {
        Simplifier::new()
    }
}

pub(super) type Leaves = Vec<(NodeId, i64)>;

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
            nested: false,
            unfolding: Vec::new(),
            seen: rustc_hash::FxHashSet::default(),
            budget: (400, 20_000),
        }
    }

    /// Bounds the work: units for each operation of the input, plus a constant. With less work the result is less simplified.
    #[must_use]
    pub fn with_budget(mut self, per_operation: u64, constant: u64) -> Self {
        self.budget = (per_operation, constant);
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
        self.forms.rules = explain.then(Vec::new);
        // A map is large to hand around by value.
        let mut out = ArenaMap::default();
        let found = self.run_to_fixpoint(arena, map, &mut out);
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
        self.run_once(arena, map, out)?;
        if self.intricate && !out.same_as(map) {
            *out = self.run_again(arena, std::mem::take(out))?;
        }
        Some(())
    }

    fn run_again(&mut self, arena: &mut Arena, first: ArenaMap) -> Option<ArenaMap> {
        let mut seen = vec![first];
        while self.intricate && seen.len() < MAX_RUNS {
            let last = &seen[seen.len() - 1];
            let mut next = ArenaMap::default();
            self.run_once(arena, last, &mut next)?;
            next.rescaled = merge_rescaled(&last.rescaled, next.rescaled);
            if let Some(start) = seen.iter().position(|m| m.same_as(&next)) {
                let mut circle = seen.split_off(start);
                let length = |m: &ArenaMap| {
                    let exprs = arena.export(&m.results);
                    let operations = exprs.iter().map(crate::expr::Expr::operation_count);
                    (operations.sum::<usize>(), m.constraints.len())
                };
                if circle.len() > 1 {
                    let least = circle.iter().map(length).min();
                    circle.retain(|m| Some(length(m)) == least);
                }
                if circle.len() == 1 {
                    return circle.pop();
                }
                return circle.into_iter().min_by_key(|m| {
                    format!(
                        "{:?} {:?}",
                        arena.export(&m.results),
                        m.constraints
                            .iter()
                            .map(|k| arena.export(&[k.0]))
                            .collect::<Vec<_>>()
                    )
                });
            }
            seen.push(next);
        }
        seen.pop()
    }

    /// What simplifying a map for the first time does.
    fn run_once(&mut self, arena: &mut Arena, map: &ArenaMap, out: &mut ArenaMap) -> Option<()> {
        self.forms.thorough = false;
        self.forms.crossed = false;
        self.run_to_end(arena, map, out)?;
        if self.once_more() {
            // Digits across others need more: from the start, with all rules.
            self.forms.thorough = true;
            self.run_to_end(arena, map, out)?;
        }
        Some(())
    }

    /// Digits across others need all rules; they were not tried yet.
    fn once_more(&self) -> bool {
        self.forms.crossed && self.nested && !self.forms.thorough
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
        self.intricate = false;
        self.constraints.clear();
        self.constraints.known.clear();
        self.constraints
            .known
            .extend(map.intervals.iter().map(|i| Known::new(*i)));
        let units = self
            .budget
            .0
            .saturating_mul(arena.len() as u64)
            .saturating_add(self.budget.1);
        out.results.clear();
        out.results.extend_from_slice(&map.results);
        out.constraints.clone_from(&map.constraints);
        out.intervals.clear();
        out.intervals.extend_from_slice(&map.intervals);
        (out.dims, out.ranges) = (map.dims, map.ranges);
        out.rescaled.clear();
        loop {
            if out.constraints.is_empty() {
                self.restart(arena.len(), units);
            } else {
                let start = self.constraints.known.clone();
                match self.settle(arena, &mut out.constraints, units, true) {
                    Ok(true) => {}
                    Ok(false) => {
                        // Bounds creep toward each other: without propagation, then.
                        self.constraints.known = start;
                        out.constraints.clone_from(&map.constraints);
                        self.settle(arena, &mut out.constraints, units, false)
                            .ok()?;
                    }
                    Err(Empty) => return None,
                }
            }
            if !self.rescale(arena, out) {
                break;
            }
        }
        self.assume(arena, &out.constraints);
        self.nested = false;
        let mut written: SmallVec<[(NodeId, LinId); 8]> = SmallVec::new();
        self.emitter.watch();
        let mut roots: SmallVec<[NodeId; 8]> = SmallVec::new();
        for r in &mut out.results {
            let lin = self.normal(arena, *r);
            let digits = self.forms.has_digits(lin);
            if digits && self.forms.has_nested(lin) {
                self.nested = true;
                roots.push(*r);
            }
            *r = self.emitter.form(arena, &self.forms, lin);
            if digits {
                written.push((*r, lin));
            }
        }
        if !self.forms.thorough && !roots.is_empty() {
            self.forms.crossed = self.cut_apart(arena, &roots);
        }
        // Forms that were kept apart because a number would not fit may be written alike.
        self.intricate |= self.forms.overflowed;
        // What is written is read again: if that gives another form, and that is written in another way, another run has more
        // to do.
        if !self.intricate
            && !written.is_empty()
            && !self.once_more()
            && !self.forms.reads_the_same(&self.emitter)
        {
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
        for (i, k) in out.intervals.iter_mut().zip(&self.constraints.known) {
            *i = k.interval;
        }
        Some(())
    }

    /// For the results, what the constraints say about sums and remainders is known too. (A constraint must not know itself.)
    pub(super) fn assume(&mut self, arena: &Arena, constraints: &[(NodeId, Interval)]) {
        if constraints.is_empty() {
            return;
        }
        self.grow(arena.len());
        let lins: SmallVec<[LinId; 8]> = constraints
            .iter()
            .map(|k| self.normal(arena, k.0))
            .collect();
        for (lin, (_, interval)) in lins.into_iter().zip(constraints) {
            self.forms.assume(lin, *interval);
        }
        // What was read without this knowledge is read again.
        self.next_stamp();
    }

    /// Simplifies constraints until nothing changes; false if that takes too many rounds. The normal forms that are left are
    /// those of the final ranges.
    pub(super) fn settle(
        &mut self,
        arena: &mut Arena,
        list: &mut Vec<(NodeId, Interval)>,
        units: u64,
        propagate: bool,
    ) -> Result<bool, Empty> {
        let mut before: SmallVec<[Known; 8]> = SmallVec::new();
        self.constraints.creeping = propagate;
        let mut carried = Carried::default();
        for round in 0..MAX_ROUNDS {
            if round == 0 || before[..] != self.constraints.known[..] {
                self.restart(arena.len(), units);
            } else {
                // With the same ranges what was read before is still so.
                self.grow(arena.len());
                self.forms.budget = units;
            }
            carried.compare(&before, &self.constraints.known);
            before.clear();
            before.extend_from_slice(&self.constraints.known);
            self.constraints.clear();
            for (at, &(node, interval)) in list.iter().enumerate() {
                if carried.take(at, &mut self.forms, &mut self.constraints)? {
                    continue;
                }
                let lin = self.normal(arena, node);
                self.constraints.add(
                    &mut self.forms,
                    lin,
                    interval.lower as i128,
                    interval.upper as i128,
                )?;
            }
            self.constraints.combine(&mut self.forms)?;
            if propagate {
                self.constraints.propagate(&mut self.forms)?;
            }
            let new = self.write_constraints(arena);
            // A form without digits that is read again gives the same; only new bounds and merged constraints make another round worthwhile.
            let stable = before[..] == self.constraints.known[..]
                && (new == *list
                    || (!self.constraints.merged
                        && self.constraints.windows.is_empty()
                        && !self
                            .constraints
                            .ranges
                            .iter()
                            .any(|r| self.forms.has_digits(r.lin))));
            let written = new == *list;
            carried.keep(&self.constraints, &self.forms, list, &new);
            *list = new;
            if stable {
                let Constraints {
                    ranges, windows, ..
                } = &self.constraints;
                // What was just read as it is written needs no other run.
                self.intricate |= (!written || self.forms.overflowed)
                    && ranges
                        .iter()
                        .map(|r| r.lin)
                        .chain(windows.iter().map(|w| w.lin))
                        .any(|l| self.forms.intricate(l));
                self.write_congruences(arena, list);
                return Ok(true);
            }
            if list.is_empty() {
                self.restart(arena.len(), units);
                self.write_congruences(arena, list);
                return Ok(true);
            }
        }
        self.restart(arena.len(), units);
        // Their forms are forgotten.
        self.constraints.clear();
        self.write_congruences(arena, list);
        Ok(!propagate)
    }

    /// The constraints of a round as expressions, in canonical order.
    pub(super) fn write_constraints(&mut self, arena: &mut Arena) -> Vec<(NodeId, Interval)> {
        let Constraints {
            ranges, windows, ..
        } = &mut self.constraints;
        let forms = &self.forms;
        ranges.sort_by(|x, y| forms.order_forms(x.lin, y.lin));
        windows.sort_by(|x, y| {
            forms
                .order_forms(x.lin, y.lin)
                .then(x.m.cmp(&y.m))
                .then(x.lower.cmp(&y.lower))
                .then(x.extra.cmp(&y.extra))
        });
        let mut out = Vec::with_capacity(ranges.len() + windows.len());
        for r in ranges.iter() {
            let end = |v: i128| v.clamp(i64::MIN as i128, i64::MAX as i128) as i64;
            let node = self.emitter.form(arena, forms, r.lin);
            out.push((node, Interval::new(end(r.lower), end(r.upper))));
        }
        for w in windows.iter() {
            // A window that wraps is moved to start at zero.
            let wraps = w.lower as i128 + w.extra as i128 >= w.m as i128;
            let (shift, lower) = if !wraps {
                (0, w.lower)
            } else if w.lower > w.m / 2 {
                (w.m - w.lower, 0)
            } else {
                (-w.lower, 0)
            };
            let sum = self.emitter.sum(arena, forms, w.lin, 1, shift, w.m);
            let m = arena.constant(w.m);
            let node = arena.binary(Op::Mod, sum, m);
            out.push((node, Interval::new(lower, lower + w.extra)));
        }
        out
    }

    /// The congruences of variables as constraints.
    pub(super) fn write_congruences(
        &mut self,
        arena: &mut Arena,
        list: &mut Vec<(NodeId, Interval)>,
    ) {
        for (i, k) in self.constraints.known.iter().enumerate() {
            if k.stride > 1 {
                let x = self.emitter.variable(arena, i);
                let m = arena.constant(k.stride);
                list.push((arena.binary(Op::Mod, x, m), Interval::point(k.offset)));
            }
        }
    }

    /// `s mod m in [r, r]` for a range variable: `s = m * s' + r`. True if there was one; everything has to be done again.
    pub(super) fn rescale(&mut self, arena: &mut Arena, out: &mut ArenaMap) -> bool {
        let range_variables = out.dims..out.dims + out.ranges;
        let Some(i) = range_variables
            .clone()
            .find(|i| self.constraints.known[*i].stride > 1)
        else {
            return false;
        };
        let known = self.constraints.known[i];
        let (m, r) = (known.stride, known.offset);
        // The constraint itself is the one that goes.
        let x = self.emitter.variable(arena, i);
        let modulus = arena.constant(m);
        let own = arena.binary(Op::Mod, x, modulus);
        out.constraints.retain(|k| *k != (own, Interval::point(r)));
        self.forms.fired("range-variable-rescaled");
        let scaled = arena.binary(Op::Mul, x, modulus);
        let offset = arena.constant(r);
        let new = arena.binary(Op::Add, scaled, offset);
        let mut roots: Vec<NodeId> = out
            .results
            .iter()
            .copied()
            .chain(out.constraints.iter().map(|k| k.0))
            .collect();
        substitute(arena, &mut roots, x, new);
        let results = out.results.len();
        out.results.copy_from_slice(&roots[..results]);
        for (k, node) in out.constraints.iter_mut().zip(&roots[results..]) {
            k.0 = *node;
        }
        let value = |v: i64| ((v as i128 - r as i128).div_euclid(m as i128)) as i64;
        let interval = Interval::new(value(known.interval.lower), value(known.interval.upper));
        self.constraints.known[i] = Known::new(interval);
        match out.rescaled.iter_mut().find(|x| x.0 == i) {
            // Rescaled before: old = scale * (m * new + r) + offset; a product that does not fit cannot occur, values do.
            Some(x) => {
                (x.1, x.2) = (
                    x.1.saturating_mul(m),
                    x.1.saturating_mul(r).saturating_add(x.2),
                )
            }
            None => out.rescaled.push((i, m, r)),
        }
        true
    }
}

/// `old = s * (t * new + r) + q` for range variables that were rescaled twice.
fn merge_rescaled(
    first: &[(usize, i64, i64)],
    second: Vec<(usize, i64, i64)>,
) -> Vec<(usize, i64, i64)> {
    let mut all = first.to_vec();
    for (i, t, r) in second {
        match all.iter_mut().find(|x| x.0 == i) {
            Some(x) => {
                (x.1, x.2) = (
                    x.1.saturating_mul(t),
                    x.1.saturating_mul(r).saturating_add(x.2),
                )
            }
            None => all.push((i, t, r)),
        }
    }
    all
}

impl ArenaMap {
    pub(super) fn same_as(&self, other: &ArenaMap) -> bool {
        self.results == other.results
            && self.constraints == other.constraints
            && self.intervals == other.intervals
    }
}

/// What came of unfolding a sum.
pub(super) enum Unfolded {
    Done(LinId),
    /// Other nodes, which are on the stack now, come first.
    Waiting,
    /// A number would not fit: take the operation as it stands.
    Overflow,
}

/// Replaces a variable below the roots.
fn substitute(arena: &mut Arena, roots: &mut [NodeId], old: NodeId, new: NodeId) {
    let mut done: rustc_hash::FxHashMap<NodeId, NodeId> = rustc_hash::FxHashMap::default();
    done.insert(old, new);
    let mut stack: Vec<NodeId> = Vec::new();
    for root in roots.iter_mut() {
        stack.push(*root);
        while let Some(&id) = stack.last() {
            if done.contains_key(&id) {
                stack.pop();
                continue;
            }
            let node = match arena.node(id) {
                Node::Binary(op, a, b) => match (done.get(&a), done.get(&b)) {
                    (Some(&x), Some(&y)) => arena.binary(op, x, y),
                    _ => {
                        stack.push(b);
                        stack.push(a);
                        continue;
                    }
                },
                _ => id,
            };
            done.insert(id, node);
            stack.pop();
        }
        if let Some(&node) = done.get(root) {
            *root = node;
        }
    }
}
