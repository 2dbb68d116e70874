//! Dimensions that are walked as one.

use super::analysis::{Analysis, identity};
use mapwright_fusion::node::tensor;
use mapwright_indexing::Extent;
use mapwright_indexing::linear::sized::{Sum, VarId};
use std::collections::{HashMap, HashSet};

/// What to merge in the second walk: the root's dimensions, and the reduced ones of each reduction.
#[derive(Default)]
pub(crate) struct Merges {
    /// Groups of adjacent dimensions of the roots; empty: one a dimension.
    pub root: Vec<Vec<usize>>,
    /// Groups of reduced dimensions, by the identity of the operation.
    pub reduced: HashMap<usize, Vec<Vec<usize>>>,
}

impl Analysis<'_> {
    /// Which dimensions can be walked as one: wherever two adjacent variables occur, they occur as the digits of one number.
    pub fn merges(&self) -> Merges {
        let parallel = self.parallel();
        let mut merged: HashSet<(VarId, VarId)> = HashSet::new();
        for (outer, inner) in &self.pairs {
            if self.mergeable(*outer, *inner, &parallel) {
                merged.insert((*outer, *inner));
            }
        }
        // A pair that some loop nest has in part only cannot be merged anywhere.
        let nests = std::iter::once(&self.root_vars).chain(self.instances.iter().map(|i| &i.vars));
        for nest in nests {
            merged.retain(|(outer, inner)| {
                let at = nest.iter().position(|v| v == outer);
                match (at, nest.contains(inner)) {
                    (Some(at), true) => nest.get(at + 1) == Some(inner),
                    (None, false) => true,
                    _ => false,
                }
            });
        }
        for instance in &self.instances {
            let shape = tensor(instance.op.operand(0))
                .map(|t| t.1)
                .unwrap_or_default();
            for (k, pair) in instance.groups.windows(2).enumerate() {
                if !adjacent(&pair[0], &pair[1], &shape) {
                    merged.remove(&(instance.vars[k], instance.vars[k + 1]));
                }
            }
        }
        let group = |vars: &[VarId], groups: &[Vec<usize>]| {
            let mut result: Vec<Vec<usize>> = Vec::new();
            for (k, dims) in groups.iter().enumerate() {
                match result.last_mut() {
                    Some(last) if merged.contains(&(vars[k - 1], vars[k])) => last.extend(dims),
                    _ => result.push(dims.clone()),
                }
            }
            result
        };
        Merges {
            root: group(&self.root_vars, &self.root_groups),
            reduced: self
                .instances
                .iter()
                .map(|i| (identity(i.op), group(&i.vars, &i.groups)))
                .collect(),
        }
    }

    fn mergeable(&self, outer: VarId, inner: VarId, parallel: &[VarId]) -> bool {
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

/// Is nothing but dimensions of size 1 between two groups of dimensions?
pub(crate) fn adjacent(outer: &[usize], inner: &[usize], shape: &[Extent]) -> bool {
    match (outer.last(), inner.first()) {
        (Some(a), Some(b)) => a < b && shape[a + 1..*b].iter().all(|n| *n == 1),
        _ => false,
    }
}
