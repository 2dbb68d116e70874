//! What each loop runs over: a dimension, several that are walked as one, or a digit of one.
//!
//! The first walk has a loop for each dimension. A dimension that is read by its digits
//! (`x[i floordiv 60, i mod 60]`, as a reshape leaves it behind other moves) gets a loop for each
//! of them; then sums whose elements lie apart along the innermost loop, where they are next to
//! each other along another one, have that one innermost. Last, dimensions that everything walks as
//! one are joined.

use super::analysis::{Analysis, Groups, Part, identity};
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Base, Sum, VarId};
use mapwright_ops::{attrs, registry};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// Elements of an inner loop, at least: the lanes of the widest vector of `f32`, which would be
/// empty for the most part.
const FEWEST: i64 = 16;

/// Walks in which loops become finer: digits, their order in memory, and digits of sums that were
/// none before.
pub(crate) const MOST_WALKS: usize = 3;

/// Dimensions that the loops of the next walk run over: those of the root, and those of each
/// reduction.
#[derive(Default)]
pub(crate) struct Nests {
    /// One a loop; empty: one a dimension.
    pub root: Groups,
    /// Of the reduced dimensions, by the identity of the operation.
    pub reduced: HashMap<usize, Groups>,
}

impl Analysis<'_> {
    /// Loops for digits, and in the order of memory; `None` where those that there are do.
    pub fn finer(&self) -> Option<Nests> {
        let mut split: HashMap<VarId, Vec<Extent>> = HashMap::new();
        let mut finer = |vars: &[VarId], groups: &Groups| -> Groups {
            let each = groups.iter().zip(vars).flat_map(|(group, var)| {
                let cuts = split.entry(*var).or_insert_with(|| self.cuts(*var));
                match group[..] {
                    [part] => at_cuts(part, cuts),
                    _ => vec![group.clone()],
                }
            });
            each.collect()
        };
        let root = if self.secondary.is_empty() {
            finer(&self.root_vars, &self.root_groups)
        } else {
            self.root_groups.clone()
        };
        let mut changed = root != self.root_groups;
        let mut reduced = HashMap::new();
        for (i, instance) in self.instances.iter().enumerate() {
            let ordered = self.in_order_of_memory(i);
            let (vars, groups): (Vec<VarId>, Groups) = match ordered {
                Some(order) => {
                    changed = true;
                    let of = |k: usize| (instance.vars[k], instance.groups[k].clone());
                    order.into_iter().map(of).unzip()
                }
                None => (instance.vars.clone(), instance.groups.clone()),
            };
            let groups = finer(&vars, &groups);
            changed |= groups.len() != instance.groups.len();
            let other = reduced.insert(identity(instance.op), groups.clone());
            // Its loops are the same wherever the reduction is needed.
            if other.is_some_and(|other| other != groups) {
                reduced.insert(identity(instance.op), instance.groups.clone());
            }
        }
        changed.then_some(Nests { root, reduced })
    }

    /// Iterates over all sums of loop variables.
    fn sums(&self) -> impl Iterator<Item = &Sum> {
        let runtime = (self.runtime.entries.iter()).flat_map(|read| &read.element.1);
        (self.accesses.iter().map(|access| &access.offset))
            .chain(self.conditions.iter().map(|condition| &condition.lin))
            .chain(&self.uses)
            .chain(self.instances.iter().flat_map(|i| &i.index))
            .chain(self.secondary.values().flatten())
            .chain(runtime)
    }

    /// Returns where the digits begin by which a variable is read, ascending; none where it is read
    /// otherwise, or they are too short.
    fn cuts(&self, var: VarId) -> Vec<Extent> {
        let whole = |sum: &Sum| sum.coefficient(var).is_some_and(|k| k != 0);
        let cut_out = self.conditions.iter().any(|c| whole(&c.lin));
        if cut_out || self.scans.iter().any(|scan| scan.var == var) {
            return Vec::new();
        }
        let mut cuts: Vec<Extent> = Vec::new();
        for (atom, _) in self.sums().flat_map(|sum| &sum.terms) {
            match &atom.base {
                Base::Var(own) if *own == var => {
                    let ends = std::iter::once(atom.low).chain(atom.high);
                    cuts.extend(ends.filter(|end| *end != 1));
                }
                // A digit of a sum is none of its variables.
                Base::Sum(sum) if sum.depends_on(var) => return Vec::new(),
                _ => {}
            }
        }
        cuts.sort();
        cuts.dedup();
        let mut low = Extent::ONE;
        for cut in &cuts {
            match cut.divided_by(low) {
                Some(digit) if digit.expected() >= FEWEST => low = *cut,
                _ => return Vec::new(),
            }
        }
        let size = self.ranges.vars[var].1 + 1;
        match size.divided_by(low) {
            Some(_) => cuts,
            None => Vec::new(),
        }
    }

    /// The order of the loops of a reduction, if it is another one, in which what it reads is
    /// contiguous: by distances in memory, the largest first.
    fn in_order_of_memory(&self, instance: usize) -> Option<Vec<usize>> {
        let found = &self.instances[instance];
        let combines = attrs::computation(found.op, 0).and_then(registry::combination);
        if found.vars.len() < 2 || found.op.num_results() != 1 || combines.is_none() {
            return None;
        }
        let reads = (self.accesses.iter()).filter(|access| access.sweep == instance + 1);
        let distances = |offset: &Sum| -> Option<Vec<Extent>> {
            let each = found.vars.iter().map(|var| offset.coefficient(*var));
            each.collect()
        };
        let mut reads = reads.filter(|a| found.vars.iter().any(|v| a.offset.depends_on(*v)));
        let first = distances(&reads.next()?.offset)?;
        if *first.last()? == 1 || reads.any(|a| distances(&a.offset).as_ref() != Some(&first)) {
            return None;
        }
        let mut order: Vec<usize> = (0..first.len()).collect();
        order.sort_by_key(|k| Reverse(first[*k]));
        let mut run = Extent::ONE;
        for k in order.iter().rev() {
            if first[*k] != run {
                break;
            }
            run *= self.ranges.vars[found.vars[*k]].1 + 1;
        }
        (run.expected() >= FEWEST).then_some(order)
    }

    /// Loops of which those are joined that are one everywhere: wherever two adjacent variables
    /// occur, they occur as the digits of one number.
    pub fn joined(&self) -> Nests {
        let parallel = self.parallel();
        let nests = (self.instances.iter()).map(|i| (&i.vars, &i.groups));
        let nests = nests.chain([(&self.root_vars, &self.root_groups)]);
        let pairs = nests.clone().flat_map(|(nest, _)| nest.windows(2));
        let pairs = pairs.map(|pair| (pair[0], pair[1]));
        let mut joined: HashSet<(VarId, VarId)> = pairs
            .filter(|(outer, inner)| self.joins(*outer, *inner, &parallel))
            .collect();
        // A pair that some loop nest has in part only cannot be joined anywhere.
        for (nest, groups) in nests {
            joined.retain(|(outer, inner)| {
                let at = nest.iter().position(|v| v == outer);
                match (at, nest.contains(inner)) {
                    (Some(at), true) => {
                        nest.get(at + 1) == Some(inner) && are_digits(&groups[at], &groups[at + 1])
                    }
                    (None, false) => true,
                    _ => false,
                }
            });
        }
        let group = |vars: &[VarId], groups: &Groups| {
            let mut result: Groups = Vec::new();
            for (k, parts) in groups.iter().enumerate() {
                match result.last_mut() {
                    Some(last) if joined.contains(&(vars[k - 1], vars[k])) => last.extend(parts),
                    _ => result.push(parts.clone()),
                }
            }
            result
        };
        Nests {
            root: group(&self.root_vars, &self.root_groups),
            reduced: self
                .instances
                .iter()
                .map(|i| (identity(i.op), group(&i.vars, &i.groups)))
                .collect(),
        }
    }

    fn joins(&self, outer: VarId, inner: VarId, parallel: &[VarId]) -> bool {
        if parallel.contains(&outer) != parallel.contains(&inner) {
            return false;
        }
        let touches =
            |x: &Sum| self.runtime.depends_on(x, outer) || self.runtime.depends_on(x, inner);
        if self.conditions.iter().any(|c| touches(&c.lin)) || self.uses.iter().any(touches) {
            return false;
        }
        if self.scans.iter().any(|s| s.var == outer || s.var == inner) {
            return false;
        }
        if self
            .runtime
            .entries
            .iter()
            .any(|v| v.element.1.iter().any(touches))
        {
            return false;
        }
        let size = self.ranges.vars[inner].1 + 1;
        self.accesses.iter().all(|access| {
            match (
                access.offset.coefficient(outer),
                access.offset.coefficient(inner),
            ) {
                (Some(a), Some(b)) => a == size * b,
                _ => false,
            }
        })
    }
}

/// Tells whether two parts, walked as one, are digits of an index that need no further ones. A
/// digit that is taken of a digit of `v + 16` is not that of `v`, as long as sizes do not say that
/// the loop ends before.
fn are_digits(outer: &[Part], inner: &[Part]) -> bool {
    let (Some(outer), Some(inner)) = (outer.last(), inner.first()) else {
        return false;
    };
    let known = [outer.size, outer.low, inner.size, inner.low];
    known.into_iter().all(|n| n.as_constant().is_some())
        || outer.dim < inner.dim && outer.low == 1 && inner.low == 1
        || outer.dim == inner.dim && outer.low == inner.low * inner.size
}

/// A part of a dimension as its digits, from the leading one.
fn at_cuts(part: Part, cuts: &[Extent]) -> Groups {
    let mut digits: Groups = Vec::new();
    let mut low = Extent::ONE;
    for end in cuts.iter().copied().chain([part.size]) {
        // What is cut is whole.
        let size = end.divided_by(low).unwrap_or(end);
        digits.push(vec![Part {
            low: part.low * low,
            size,
            ..part
        }]);
        low = end;
    }
    digits.reverse();
    digits
}
