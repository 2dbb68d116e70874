//! The fixpoint: layouts flow forward, then backward, then every edge is checked.

use super::choice::First;
use super::matching::{Loop, Matcher, Place};
use super::state::{Loops, Split, State, place_in};
use super::{
    Communication, Conflict, Operation, PartialRule, Placed, Plans, Program, Propagation, Sharding,
    Source, digit_name,
};
use crate::digits::{self, Digit};
use crate::error::LayoutError;
use crate::layout::Reduction;

pub(super) struct Flow<'a> {
    pub(super) program: &'a Program,
    pub(super) plans: &'a mut Plans,
    /// Loops that nothing splits.
    whole: &'a [Loop],
    pub(super) states: Vec<Option<State>>,
    matcher: Matcher,
}

impl<'a> Flow<'a> {
    pub(super) fn new(
        program: &'a Program,
        plans: &'a mut Plans,
        whole: &'a [Loop],
    ) -> Result<Flow<'a>, LayoutError> {
        let count = program.devices.count();
        let given: Vec<&Sharding> = program
            .values
            .iter()
            .filter_map(|v| v.given.as_ref())
            .collect();
        let axes = digits::of_sizes(program.devices.sizes());
        let used = given.iter().flat_map(|s| {
            s.dims
                .iter()
                .flatten()
                .chain(s.partial.iter().map(|p| &p.0))
        });
        let Some(cuts) = digits::common_cuts(used.clone().chain(&axes), count)
            .or_else(|| digits::common_cuts(used, count))
        else {
            return Err(LayoutError::NoLayout(
                "the given layouts split the ranks into digits that cut across each other"
                    .to_owned(),
            ));
        };
        // Digits of prime size, so that a reshape may take an axis apart.
        let atoms = |d: &Digit| -> Vec<Digit> {
            digits::split_at_cuts(*d, &cuts)
                .into_iter()
                .flat_map(digits::primes)
                .collect()
        };
        let mut states = Vec::new();
        for (index, value) in program.values.iter().enumerate() {
            let Some(given) = &value.given else {
                states.push(None);
                continue;
            };
            if given.dims.len() != value.shape.len() {
                return Err(LayoutError::RankMismatch {
                    tensor_map: given.dims.len(),
                    shape: value.shape.len(),
                    sizes: value.shape.clone(),
                });
            }
            for (dim, (list, &size)) in given.dims.iter().zip(&value.shape).enumerate() {
                let parts: i64 = list.iter().map(|d| d.size).product();
                if size % parts != 0 {
                    let axes = list
                        .iter()
                        .map(|d| digit_name(&program.devices, *d))
                        .collect::<Vec<_>>()
                        .join(", ");
                    return Err(LayoutError::NotDivisible {
                        dim,
                        size,
                        parts,
                        axes: format!("{axes} of {}", value.name),
                    });
                }
            }
            let dims = given
                .dims
                .iter()
                .map(|l| l.iter().flat_map(&atoms).map(|d| (d, index)).collect())
                .collect();
            let partial = given
                .partial
                .iter()
                .flat_map(|(d, k)| atoms(d).into_iter().map(move |a| (a, *k, index)))
                .collect();
            states.push(Some(State {
                dims,
                partial,
                source: Source::Given,
            }));
        }
        Ok(Flow {
            program,
            plans,
            whole,
            states,
            matcher: Matcher::default(),
        })
    }

    pub(super) fn run(mut self) -> Result<Propagation, LayoutError> {
        // Every pass can only add digits, of which there are finitely many; the bound is for the
        // reader.
        let most = 2 + self.program.operations.len().saturating_mul(2);
        for _ in 0..most {
            let mut changed = false;
            for op in 0..self.program.operations.len() {
                changed |= self.forward(op);
            }
            if changed {
                continue;
            }
            for op in (0..self.program.operations.len()).rev() {
                changed |= self.backward(op);
            }
            if !changed {
                break;
            }
        }
        let mut communications = Vec::new();
        let mut conflicts = Vec::new();
        for op in 0..self.program.operations.len() {
            self.check(op, &mut communications, &mut conflicts);
        }
        let values = self
            .states
            .iter()
            .map(|s| {
                s.as_ref().map(|s| Placed {
                    sharding: s.sharding(),
                    source: s.source,
                })
            })
            .collect();
        Ok(Propagation {
            values,
            communications,
            conflicts,
        })
    }

    pub(super) fn operation(&self, op: usize) -> &'a Operation {
        &self.program.operations[op]
    }

    /// The loops of an operation with what one value, then the operands, then the results split;
    /// `moved` are the digits that split a dimension after the operands.
    pub(super) fn loops_by(&mut self, op: usize, first: First, moved: &[Split]) -> Loops {
        let operation = self.operation(op);
        let shape: &[i64] = operation
            .results
            .first()
            .map_or(&[], |r| self.program.values[*r].shape.as_slice());
        let mut vars: Vec<Loop> = (0..shape.len()).map(Loop::Dimension).collect();
        let mut sizes = shape.to_vec();
        // A range variable is a loop if it has the same interval from zero in all maps that have
        // it.
        let ranges = operation
            .edges
            .iter()
            .flat_map(|e| &e.maps)
            .map(|m| m.ranges().len())
            .max()
            .unwrap_or(0);
        for k in 0..ranges {
            let mut intervals = operation
                .edges
                .iter()
                .flat_map(|e| &e.maps)
                .filter_map(|m| m.ranges().get(k))
                .map(|v| v.interval);
            let first = intervals.next();
            if let Some(first) =
                first.filter(|f| f.lower == 0 && !f.is_empty() && f.upper < i64::MAX)
                && intervals.all(|i| i == first)
            {
                vars.push(Loop::Range(k));
                sizes.push(first.upper + 1);
            }
        }
        let splits = vec![Vec::new(); vars.len()];
        let mut loops = Loops {
            vars,
            sizes,
            splits,
            stuck: Vec::new(),
            conflicts: Vec::new(),
            partial: Vec::new(),
        };
        self.pass_partial(op, &mut loops);
        if first == First::Results {
            self.add_results(op, &mut loops);
        }
        for operand in self.operand_order(op, first) {
            self.add_operand(op, operand, &mut loops);
        }
        if let First::Dimension(dim) = first {
            for split in moved {
                let at = loops.splits[dim].len();
                let is_partial = loops.partial.iter().any(|p| p.0 == split.0);
                let is_free = !is_partial && loops.find(split.0).is_none();
                if is_free && loops.place(dim, at, split.0).is_some() {
                    loops.splits[dim].push(*split);
                }
            }
        }
        self.add_results(op, &mut loops);
        for (var, splits) in loops.vars.iter().zip(&mut loops.splits) {
            if self.whole.contains(var) {
                splits.clear();
            }
        }
        loops
    }

    /// Partial results of operands that the operation passes on.
    fn pass_partial(&self, op: usize, loops: &mut Loops) {
        let operation = self.operation(op);
        let held = |operand: &usize| -> Option<&State> {
            self.states[operation.operands[*operand]].as_ref()
        };
        let mut readers: Vec<usize> = operation.edges.iter().map(|e| e.operand).collect();
        readers.sort_unstable();
        readers.dedup();
        let data = |operand: &&usize| **operand < operation.data;
        let made_of: Vec<usize> = readers.iter().filter(data).copied().collect();
        for operand in &readers {
            let Some(state) = held(operand) else { continue };
            let mut full: Vec<(Reduction, Split)> = Vec::new();
            for (digit, kind, origin) in &state.partial {
                let everywhere = made_of.iter().all(|o| {
                    held(o).is_some_and(|s| s.partial.iter().any(|p| p.0 == *digit && p.1 == *kind))
                });
                let passes = made_of.contains(operand)
                    && match operation.partial {
                        PartialRule::Full => {
                            operation.reduction == Some(*kind) && readers.len() == 1
                        }
                        PartialRule::Moves => everywhere,
                        PartialRule::Adds => *kind == Reduction::Sum && everywhere,
                    };
                if !passes {
                    full.push((*kind, (*digit, *origin)));
                } else if !loops.partial.iter().any(|p| p.0 == *digit) {
                    loops.partial.push((*digit, *kind, *origin));
                }
            }
            full.sort_unstable_by_key(|digit| std::cmp::Reverse(digit.1));
            let along = self.names(&full.iter().map(|f| f.1).collect::<Vec<_>>());
            for (kind, (digit, _)) in full {
                let value = self.value_name(operation.operands[*operand]);
                let reason = format!(
                    "{value} holds partial results ({kind}) along {along}, {} needs the full values",
                    operation.name
                );
                loops.stuck.push((*operand, digit, reason));
            }
        }
    }

    fn add_operand(&mut self, op: usize, operand: usize, loops: &mut Loops) {
        let operation = self.operation(op);
        let value = operation.operands[operand];
        let Some(state) = self.states[value].clone() else {
            return;
        };
        let edges: Vec<usize> = (0..operation.edges.len())
            .filter(|e| operation.edges[*e].operand == operand)
            .collect();
        for edge in edges {
            let maps = &operation.edges[edge].maps;
            if maps.iter().all(|m| m.is_known_empty()) {
                continue;
            }
            for (dim, list) in state.dims.iter().enumerate() {
                let size = self.program.values[value].shape[dim];
                let mut above = 1;
                for (n, split) in list.iter().enumerate() {
                    let Some(place) = place_in(size, above, split.0, n == 0) else {
                        break;
                    };
                    above *= split.0.size;
                    // What stands below a digit that has no place has none either: an axis is not
                    // taken apart for less.
                    if !self.add_digit(op, edge, dim, place, &list[n..], loops) {
                        break;
                    }
                }
            }
        }
    }

    /// Brings the first of some digits of an operand into the loops, or says why they have no place
    /// there.
    fn add_digit(
        &mut self,
        op: usize,
        edge: usize,
        dim: usize,
        place: Place,
        rest: &[Split],
        loops: &mut Loops,
    ) -> bool {
        let Some(&split) = rest.first() else {
            return true;
        };
        let label = self.names(rest);
        let operation = self.operation(op);
        let (operand, maps) = (operation.edges[edge].operand, &operation.edges[edge].maps);
        let value = operation.operands[operand];
        let digit = split.0;
        let combines =
            |var: Loop| matches!(var, Loop::Dimension(_)) || operation.reduction.is_some();
        if let Some((var, at)) = loops.find(digit) {
            let other = loops.splits[var][at].1;
            let fits = loops.place(var, at, digit).is_some_and(|p| {
                self.matcher
                    .same((op, edge), maps, dim, place, loops.vars[var], p)
            });
            if !fits {
                let reason = format!(
                    "{} splits {} of {}{} and another dimension than dimension {dim} of {}{}",
                    label,
                    self.loop_name(loops.vars[var]),
                    operation.name,
                    self.from(other),
                    self.value_name(value),
                    self.from(split.1),
                );
                loops.conflicts.push(Conflict {
                    operation: op,
                    sources: [other, split.1],
                    reason: reason.clone(),
                });
                loops.stuck.push((operand, digit, reason));
            }
            return fits;
        }
        if loops.partial.iter().any(|p| p.0 == digit) {
            let reason = format!(
                "{} splits dimension {dim} of {} and another operand holds partial results along it",
                label,
                self.value_name(value)
            );
            loops.stuck.push((operand, digit, reason));
            return false;
        }
        let mut blocked = None;
        for var in 0..loops.vars.len() {
            let at = loops.splits[var].len();
            if let Some(p) = loops.place(var, at, digit)
                && self
                    .matcher
                    .same((op, edge), maps, dim, place, loops.vars[var], p)
            {
                if !combines(loops.vars[var]) {
                    blocked = Some(format!(
                        "{} reads dimension {dim} of {} whole, and partial results of it do not combine",
                        operation.name,
                        self.value_name(value)
                    ));
                    continue;
                }
                loops.splits[var].push(split);
                return true;
            }
        }
        // A loop that another operand splits otherwise is a conflict of two layouts, not only
        // communication.
        for var in 0..loops.vars.len() {
            let Some(&(_, origin)) = loops.splits[var].first() else {
                continue;
            };
            let alone = place_in(loops.sizes[var], 1, digit, true);
            if alone.is_some_and(|p| {
                self.matcher
                    .same((op, edge), maps, dim, place, loops.vars[var], p)
            }) {
                let reason = format!(
                    "{} of {} is split along {}{} and along {}{}",
                    self.loop_name(loops.vars[var]),
                    operation.name,
                    self.names(&loops.splits[var]),
                    self.from(origin),
                    label,
                    self.from(split.1)
                );
                loops.conflicts.push(Conflict {
                    operation: op,
                    sources: [origin, split.1],
                    reason: reason.clone(),
                });
                loops.stuck.push((operand, digit, reason));
                return false;
            }
        }
        let parts: i64 = rest[1..].iter().map(|s| s.0.size).product();
        let reason =
            blocked.unwrap_or_else(|| self.no_loop(op, edge, dim, place.width / parts, &label));
        loops.stuck.push((operand, digit, reason));
        false
    }

    /// Adds the digits that split the results beyond those of the operands: operands are read in
    /// part, where that is possible.
    fn add_results(&self, op: usize, loops: &mut Loops) {
        for result in &self.operation(op).results {
            let Some(state) = &self.states[*result] else {
                continue;
            };
            for (dim, list) in state.dims.iter().enumerate() {
                for (at, split) in list.iter().enumerate() {
                    if loops.splits[dim].len() != at || loops.find(split.0).is_some() {
                        continue;
                    }
                    if loops.splits[dim]
                        .iter()
                        .map(|s| s.0)
                        .eq(list[..at].iter().map(|s| s.0))
                        && !loops.partial.iter().any(|p| p.0 == split.0)
                    {
                        loops.splits[dim].push(*split);
                    }
                }
            }
        }
    }

    /// The layout that the loops give the results.
    pub(super) fn result_state(&self, op: usize, loops: &Loops) -> State {
        let operation = self.operation(op);
        let mut dims = Vec::new();
        let mut partial = loops.partial.clone();
        for (var, list) in loops.vars.iter().zip(&loops.splits) {
            match var {
                Loop::Dimension(_) => dims.push(list.clone()),
                Loop::Range(_) => {
                    partial.extend(
                        list.iter()
                            .filter_map(|s| operation.reduction.map(|k| (s.0, k, s.1))),
                    );
                }
            }
        }
        partial.sort_unstable();
        State {
            dims,
            partial,
            source: Source::Forward(op),
        }
    }

    fn forward(&mut self, op: usize) -> bool {
        let operation = self.operation(op);
        let reads: Vec<usize> = operation
            .edges
            .iter()
            .map(|e| operation.operands[e.operand])
            .collect();
        if !reads.iter().any(|v| self.states[*v].is_some()) {
            return false;
        }
        let loops = self.loops(op);
        let state = self.result_state(op, &loops);
        let mut changed = false;
        for result in &operation.results {
            changed |= self.refine(*result, state.clone());
        }
        changed
    }

    /// Gives a value a layout, or splits the one it has further. Never less, never otherwise, and
    /// of a given one open dimensions alone.
    fn refine(&mut self, value: usize, mut new: State) -> bool {
        if new.dims.len() != self.program.values[value].shape.len() {
            return false;
        }
        let Some(old) = &self.states[value] else {
            self.states[value] = Some(new);
            return true;
        };
        let of = &self.program.values[value];
        let is_given = old.source == Source::Given;
        if is_given {
            if of.open.is_empty() {
                return false;
            }
            new.partial.clone_from(&old.partial);
        }
        let extends = |a: &[Split], b: &[Split]| {
            a.len() >= b.len() && a.iter().zip(b).all(|(x, y)| x.0 == y.0)
        };
        let is_open = |d: usize| !is_given || of.open.contains(&d);
        let mut each = new.dims.iter().zip(&old.dims).enumerate();
        let all = each.all(|(d, (a, b))| extends(a, b) && (a.len() == b.len() || is_open(d)));
        let same = |a: &[Split], b: &[Split]| a.len() == b.len();
        let partial = old
            .partial
            .iter()
            .all(|p| new.partial.iter().any(|q| q.0 == p.0));
        let more = !new.dims.iter().zip(&old.dims).all(|(a, b)| same(a, b))
            || new.partial.len() > old.partial.len();
        if all && partial && more {
            // What was known keeps its origin.
            for (a, b) in new.dims.iter_mut().zip(&old.dims) {
                a[..b.len()].copy_from_slice(b);
            }
            if matches!(old.source, Source::Forward(_) | Source::Given) {
                new.source = old.source;
            }
            self.states[value] = Some(new);
            return true;
        }
        false
    }

    /// The layout of an operand that the loops need: the digits of loops that are digits of its
    /// indices, and the partial results that are passed on.
    pub(super) fn needed(&mut self, op: usize, operand: usize, loops: &Loops) -> State {
        let operation = self.operation(op);
        let value = operation.operands[operand];
        let shape = &self.program.values[value].shape;
        let passed = |p: &&(Digit, Reduction, usize)| loops.partial.iter().any(|q| q.0 == p.0);
        let held = self.states[value].iter().flat_map(|s| &s.partial);
        let mut state = State {
            dims: vec![Vec::new(); shape.len()],
            partial: held.filter(passed).copied().collect(),
            source: Source::Backward(op),
        };
        let edges: Vec<usize> = (0..operation.edges.len())
            .filter(|e| operation.edges[*e].operand == operand)
            .filter(|e| operation.edges[*e].maps.iter().any(|m| !m.is_known_empty()))
            .collect();
        if edges.is_empty() {
            return state;
        }
        for (var, list) in loops.splits.iter().enumerate() {
            for (at, split) in list.iter().enumerate() {
                let Some(loop_place) = loops.place(var, at, split.0) else {
                    continue;
                };
                for (dim, size) in shape.iter().enumerate() {
                    let above = state.dims[dim].iter().map(|s| s.0.size).product();
                    let Some(place) = place_in(*size, above, split.0, state.dims[dim].is_empty())
                    else {
                        continue;
                    };
                    let everywhere = edges.iter().all(|e| {
                        self.matcher.same(
                            (op, *e),
                            &operation.edges[*e].maps,
                            dim,
                            place,
                            loops.vars[var],
                            loop_place,
                        )
                    });
                    if everywhere {
                        state.dims[dim].push(*split);
                        break;
                    }
                }
            }
        }
        state
    }

    fn backward(&mut self, op: usize) -> bool {
        let operation = self.operation(op);
        let loops = self.loops(op);
        if loops.splits.iter().all(|l| l.is_empty())
            && !operation.results.iter().any(|r| self.states[*r].is_some())
        {
            return false;
        }
        let mut changed = false;
        for operand in 0..operation.operands.len() {
            let value = operation.operands[operand];
            // What follows from operands that are whole may be split all the same: nothing has to
            // be sent for it.
            let is_decided = |state: &State| match state.source {
                Source::Given => true,
                Source::Forward(_) => !state.is_whole(),
                Source::Backward(_) => false,
            };
            if self.states[value].as_ref().is_some_and(is_decided) {
                continue;
            }
            if !operation.edges.iter().any(|e| e.operand == operand) {
                continue;
            }
            let state = self.needed(op, operand, &loops);
            if self.states[value].is_none() || state.dims.iter().any(|d| !d.is_empty()) {
                changed |= self.refine(value, state);
            }
        }
        changed
    }

    /// Lists where data has to move at an operation, given the final layouts.
    fn check(
        &mut self,
        op: usize,
        communications: &mut Vec<Communication>,
        conflicts: &mut Vec<Conflict>,
    ) {
        let operation = self.operation(op);
        let loops = self.loops(op);
        conflicts.extend(loops.conflicts.iter().cloned());
        for operand in 0..operation.operands.len() {
            let reasons: Vec<&str> = loops
                .stuck
                .iter()
                .filter(|s| s.0 == operand)
                .map(|s| s.2.as_str())
                .collect();
            let value = operation.operands[operand];
            let Some(state) = self.states[value].clone().filter(|_| !reasons.is_empty()) else {
                continue;
            };
            let needs = self.needed(op, operand, &loops);
            let mut distinct: Vec<&str> = Vec::new();
            reasons.iter().for_each(|r| {
                if !distinct.contains(r) {
                    distinct.push(r);
                }
            });
            communications.push(Communication {
                operation: op,
                value,
                after: false,
                has: state.sharding(),
                needs: needs.sharding(),
                reason: distinct.join("; "),
            });
        }
        let makes = self.result_state(op, &loops).sharding();
        for result in &operation.results {
            let Some(state) = &self.states[*result] else {
                continue;
            };
            let wants = state.sharding();
            if operation.edges.is_empty() || wants == makes || makes.dims.len() != wants.dims.len()
            {
                continue;
            }
            let reason = format!(
                "{} makes {} split as {}, it is to be {}",
                operation.name,
                self.value_name(*result),
                makes.text(&self.program.devices),
                wants.text(&self.program.devices)
            );
            communications.push(Communication {
                operation: op,
                value: *result,
                after: true,
                has: makes.clone(),
                needs: wants,
                reason,
            });
        }
    }
}
