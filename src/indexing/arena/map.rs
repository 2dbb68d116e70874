//! Maps whose expressions are in an arena, and the way there and back.

use super::{Arena, Class, Node, NodeId};
use crate::expr::{ExprKind, c, d, rt, s};
use crate::interval::Interval;
use crate::map::{Constraint, IndexingMap};
use crate::variables::VariableMapping;
use smallvec::SmallVec;

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
    /// Range variables that were rescaled: variable, scale, offset; the old one is
    /// `scale * new + offset`.
    pub rescaled: Vec<(usize, i64, i64)>,
}

impl ArenaMap {
    /// Builds the expressions of a map in an arena.
    pub fn import(map: &IndexingMap, arena: &mut Arena) -> ArenaMap {
        let mut ids = arena.import(&map.expressions());
        let constraints = ids.split_off(map.results.len());
        ArenaMap {
            results: SmallVec::from_slice(&ids),
            constraints: constraints
                .into_iter()
                .zip(map.constraints.iter().map(|k| k.interval))
                .collect(),
            intervals: map.intervals().collect(),
            dims: map.dims.len(),
            ranges: map.ranges.len(),
            rescaled: Vec::new(),
        }
    }

    /// The map in expressions again. Names and origins come from the map that was simplified.
    pub(crate) fn export(
        &self,
        old: &IndexingMap,
        arena: &Arena,
    ) -> (IndexingMap, Vec<VariableMapping>) {
        let roots: Vec<NodeId> = self
            .results
            .iter()
            .copied()
            .chain(self.constraints.iter().map(|k| k.0))
            .collect();
        let mut used = vec![false; self.intervals.len()];
        self.mark_used(arena, &roots, &mut used);
        let (nd, nr) = (self.dims, self.ranges);
        used[..nd].fill(true);
        // A runtime variable that occurs nowhere still says something if not every value that can
        // be read is in its interval: the map has points only when the value is.
        for (i, v) in old.runtime.iter().enumerate() {
            used[nd + nr + i] |= !self.intervals[nd + nr + i].contains_interval(v.clamp());
        }
        // What the index maps of runtime variables need stays, too.
        let runtime_used = used[nd + nr..].to_vec();
        for (v, keep) in old.runtime.iter().zip(runtime_used) {
            if let (true, Some(index)) = (keep, &v.origin.index) {
                for e in index.expressions() {
                    e.for_each_variable(|k| {
                        let at = match *k {
                            ExprKind::Range(i) if i < nr => nd + i,
                            ExprKind::Runtime(i) => nd + nr + i,
                            _ => return,
                        };
                        if let Some(used) = used.get_mut(at) {
                            *used = true;
                        }
                    });
                }
            }
        }
        let mut next = 0;
        let variable = |(i, used): (usize, &bool)| {
            if i == nd || i == nd + nr {
                next = 0;
            }
            next += usize::from(*used);
            let rescaled = self.rescaled.iter().find(|r| r.0 == i);
            let (scale, offset) = rescaled.map_or((1, 0), |r| (r.1, r.2));
            VariableMapping {
                position: used.then(|| next - 1),
                interval: self.intervals[i],
                scale,
                offset,
            }
        };
        let variables: Vec<VariableMapping> = used.iter().enumerate().map(variable).collect();
        let (ranges, runtime) = variables[nd..].split_at(nr);
        let mut exprs = arena.export_with(&roots, &mut |class, i| match class {
            Class::Dim => d(i),
            Class::Range => s(ranges[i].position.unwrap_or(0)),
            Class::Runtime => rt(runtime[i].position.unwrap_or(0)),
        });
        let constraints = exprs.split_off(self.results.len());
        let mut map = IndexingMap::unchecked(old.dims.clone(), exprs);
        map.exact = old.exact;
        for (expr, &(_, interval)) in constraints.into_iter().zip(&self.constraints) {
            map.constraints.push(Constraint { expr, interval });
        }
        for (v, own) in map.dims.iter_mut().zip(&variables) {
            v.interval = own.interval;
        }
        for (v, own) in old.ranges.iter().zip(ranges) {
            if own.position.is_some() {
                let mut v = v.clone();
                v.interval = own.interval;
                map.ranges.push(v);
            }
        }
        for (v, own) in old.runtime.iter().zip(runtime) {
            if own.position.is_some() {
                let mut v = v.clone();
                if own.interval != v.interval {
                    // The domain shrinks, but the value is clamped as before.
                    v.origin.clamp = Some(v.clamp());
                    v.interval = own.interval;
                }
                map.runtime.push(v);
            }
        }
        for i in 0..map.runtime.len() {
            let Some(mut index) = map.runtime[i].origin.index.take() else {
                continue;
            };
            if index.is_known() {
                index.replace_variables(&mut |k| match *k {
                    ExprKind::Dim(i) => d(i),
                    ExprKind::Range(i) if i < nr => ranges[i].old_expr(s),
                    ExprKind::Runtime(i) if i < runtime.len() => runtime[i].old_expr(rt),
                    _ => c(0),
                });
                index.ranges = map.ranges[..crate::compose::used_prefix(&index, false)].to_vec();
                let runtime = crate::compose::used_prefix(&index, true);
                index.runtime = map.runtime[..runtime].to_vec();
                for v in &mut index.runtime {
                    v.origin = crate::map::Origin::default();
                }
            }
            map.runtime[i].origin.index = Some(index);
        }
        (map, variables)
    }

    fn mark_used(&self, arena: &Arena, roots: &[NodeId], used: &mut [bool]) {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = roots.to_vec();
        while let Some(id) = stack.pop() {
            match arena.node(id) {
                Node::Constant(_) => {}
                Node::Variable(class, i) => {
                    let first = match class {
                        Class::Dim => 0,
                        Class::Range => self.dims,
                        Class::Runtime => self.dims + self.ranges,
                    };
                    used[first + i as usize] = true;
                }
                Node::Binary(_, a, b) => {
                    if seen.insert(id) {
                        stack.push(a);
                        stack.push(b);
                    }
                }
            }
        }
    }
}
