//! The simplifier. `linear.rs` describes the normal form, `rules` has all rules and their table; each is a line of mathematics with its
//! left-hand sides in `tests/proofs`, whose instances are proved.
//!
//! A run (`driver.rs`) settles the constraints (`settle.rs`; `known.rs` is what is known of one variable, `rescale.rs`
//! uses strides), then reads the results (`read.rs`, with `leaves.rs` and `chains.rs`) and writes them (`emit.rs`, `plans.rs`).
//! `operations.rs` is the algebra of sums, products and extrema, with `order.rs`, the order of terms, and `room.rs`, which bounds long
//! sums; `bounds.rs` and `numerals.rs` are what is known of sums.

mod arena;
mod bounds;
mod chains;
mod driver;
mod emit;
mod inverse;
mod known;
mod leaves;
mod length;
mod linear;
mod numerals;
mod operations;
mod order;
mod plans;
mod read;
mod rescale;
mod room;
mod rules;
mod settle;

use crate::domain::Point;
use crate::expr::{Expr, ExprKind, c, d, rt, s};
use crate::interval::Interval;
use crate::map::{Constraint, IndexingMap};
use arena::Class;
pub use arena::{Arena, NodeId};
pub use driver::{ArenaMap, ConstraintList, Simplifier};
pub use rules::{RULES, Rule};
use smallvec::SmallVec;

/// The answer of the simplifier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Simplified {
    /// The simplified map.
    pub map: IndexingMap,
    /// Whether it differs from what was given.
    pub changed: bool,
    /// The names of the rules that fired, in order.
    pub rules: Vec<&'static str>,
    /// What became of the variables: dimensions, ranges, runtime. Empty if the map was not touched.
    pub fates: Vec<Fate>,
}

impl Simplified {
    /// The point of the new map that stands for a point of the old one. `None` if there is none, because a rescaled range
    /// variable cannot have that value, or one that is gone: the old point is not in the domain.
    pub fn point(&self, old: &Point) -> Option<Point> {
        if self.fates.is_empty() {
            return Some(old.clone());
        }
        let mut fates = self.fates.iter();
        let mut list = |values: &[i64]| -> Option<Vec<i64>> {
            let mut new = Vec::with_capacity(values.len());
            for v in values {
                match fates.next() {
                    Some(Fate::Kept(_, scale, offset)) => {
                        let (v, scale) = (*v as i128 - *offset as i128, *scale as i128);
                        if v % scale != 0 {
                            return None;
                        }
                        new.push(i64::try_from(v / scale).ok()?);
                    }
                    Some(Fate::Gone(interval, scale, offset)) => {
                        let (v, scale) = (*v as i128 - *offset as i128, *scale as i128);
                        let new = v.div_euclid(scale);
                        if v % scale != 0
                            || new < interval.lower as i128
                            || new > interval.upper as i128
                        {
                            return None;
                        }
                    }
                    None => {}
                }
            }
            Some(new)
        };
        Some(Point {
            dims: list(&old.dims)?,
            ranges: list(&old.ranges)?,
            runtime: list(&old.runtime)?,
        })
    }
}

impl Simplified {
    /// The simplified map with the variables of the old one, so that both can be compared point by point.
    #[must_use]
    pub fn in_variables_of(&self, old: &IndexingMap) -> IndexingMap {
        if self.fates.is_empty() || !self.map.is_known() {
            return self.map.clone();
        }
        let mut map = self.map.clone();
        let (nd, nr) = (old.dims.len(), old.ranges.len());
        let (_, rest) = self.fates.split_at(nd.min(self.fates.len()));
        let (ranges, runtime) = rest.split_at(nr.min(rest.len()));
        let find = |list: &[Fate], new: usize, make: fn(usize) -> Expr| -> Expr {
            let found = list.iter().enumerate().find_map(|(i, f)| match *f {
                Fate::Kept(p, scale, offset) if p == new => Some((i, scale, offset)),
                _ => None,
            });
            found.map_or_else(
                || c(0),
                |(i, scale, offset)| (make(i) - offset).floor_div(scale),
            )
        };
        map.replace_variables(&mut |k| match *k {
            ExprKind::Dim(i) => d(i),
            ExprKind::Range(i) => find(ranges, i, s),
            ExprKind::Runtime(i) => find(runtime, i, rt),
            _ => c(0),
        });
        let mut limits = Vec::new();
        for (list, make, intervals) in [
            (
                ranges,
                s as fn(usize) -> Expr,
                self.map
                    .ranges
                    .iter()
                    .map(|v| v.interval)
                    .collect::<Vec<_>>(),
            ),
            (
                runtime,
                rt,
                self.map.runtime.iter().map(|v| v.interval).collect(),
            ),
        ] {
            for (i, f) in list.iter().enumerate() {
                let (interval, scale, offset) = match *f {
                    Fate::Kept(p, scale, offset) => (
                        intervals.get(p).copied().unwrap_or(Interval::FULL),
                        scale,
                        offset,
                    ),
                    Fate::Gone(interval, scale, offset) => (interval, scale, offset),
                };
                limits.push(Constraint {
                    expr: (make(i) - offset).floor_div(scale),
                    interval,
                });
                if scale != 1 {
                    limits.push(Constraint {
                        expr: (make(i) - offset).modulo(scale),
                        interval: Interval::point(0),
                    });
                }
            }
        }
        map.constraints.extend(limits);
        map.ranges.clone_from(&old.ranges);
        map.runtime.clone_from(&old.runtime);
        map
    }
}

/// What becomes of a variable of the old map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It stands at this position of its list now, and its value was `scale * new + offset`.
    Kept(usize, i64, i64),
    /// It is gone: the results do not depend on it. In the domain it is `scale * v + offset` for a `v` of this interval.
    Gone(Interval, i64, i64),
}

impl IndexingMap {
    /// The same function on the same domain, simplified with the ranges in hand.
    ///
    /// Unused range and runtime variables are removed, dimensions are kept; range variables of a fixed stride are rescaled.
    /// The result is canonical and simplifying it again changes nothing.
    #[must_use]
    pub fn simplify(&self) -> IndexingMap {
        self.simplify_with(&mut Simplifier::new(), false).map
    }

    /// As [`IndexingMap::simplify`], with the rules that fired.
    pub fn simplify_explained(&self) -> Simplified {
        self.simplify_with(&mut Simplifier::new(), true)
    }

    /// As [`IndexingMap::simplify`], with a simplifier whose memory is used again.
    pub fn simplify_with(&self, simplifier: &mut Simplifier, explain: bool) -> Simplified {
        if !self.is_known() {
            return Simplified {
                map: self.clone(),
                changed: false,
                rules: Vec::new(),
                fates: Vec::new(),
            };
        }
        let mut arena = Arena::new();
        let input = ArenaMap::import(self, &mut arena);
        let output = simplifier.run(&mut arena, &input, explain);
        let rules = simplifier.take_rules();
        let (map, fates) = match output {
            None => (self.clone().into_known_empty(), Vec::new()),
            Some(output) => output.export(self, &arena),
        };
        let simplified = Simplified {
            changed: map != *self,
            map,
            rules,
            fates,
        };
        #[cfg(test)]
        let simplified = {
            let mut simplified = simplified;
            crate::verify::broken::apply(&mut simplified);
            simplified
        };
        crate::verify::watch(self, &simplified);
        simplified
    }
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
    pub(crate) fn export(&self, old: &IndexingMap, arena: &Arena) -> (IndexingMap, Vec<Fate>) {
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
        // A runtime variable that occurs nowhere still says something if not every value that can be read is in its interval:
        // the map has points only when the value is.
        for (i, v) in old.runtime.iter().enumerate() {
            used[nd + nr + i] |= !self.intervals[nd + nr + i].contains_interval(v.clamp());
        }
        // What the index maps of runtime variables need stays, too.
        let runtime_used: Vec<bool> = used[nd + nr..].to_vec();
        for (v, keep) in old.runtime.iter().zip(runtime_used) {
            if let (true, Some(index)) = (keep, &v.origin.index) {
                for e in index.expressions() {
                    e.for_each_variable(|k| match k {
                        ExprKind::Range(i) if *i < nr => used[nd + i] = true,
                        ExprKind::Runtime(i) if nd + nr + i < used.len() => {
                            used[nd + nr + i] = true
                        }
                        _ => {}
                    });
                }
            }
        }
        let mut fates: Vec<Fate> = Vec::with_capacity(used.len());
        let mut next = 0;
        for (i, used) in used.iter().enumerate() {
            if i == nd || i == nd + nr {
                next = 0;
            }
            let (scale, offset) = self
                .rescaled
                .iter()
                .find(|r| r.0 == i)
                .map_or((1, 0), |r| (r.1, r.2));
            if *used {
                fates.push(Fate::Kept(next, scale, offset));
                next += 1;
            } else {
                fates.push(Fate::Gone(self.intervals[i], scale, offset));
            }
        }
        let position = |fate: Fate| match fate {
            Fate::Kept(p, ..) => p,
            Fate::Gone(..) => 0,
        };
        let mut exprs = arena.export_with(&roots, &mut |class, i| match class {
            Class::Dim => d(i),
            Class::Range => s(position(fates[nd + i])),
            Class::Runtime => rt(position(fates[nd + nr + i])),
        });
        let constraints = exprs.split_off(self.results.len());
        let mut map = IndexingMap::new(old.dims.clone(), exprs);
        map.exact = old.exact;
        map.constraints = constraints
            .into_iter()
            .zip(&self.constraints)
            .map(|(expr, (_, interval))| Constraint {
                expr,
                interval: *interval,
            })
            .collect();
        let kept = |i: usize| matches!(fates[i], Fate::Kept(..));
        for (i, v) in map.dims.iter_mut().enumerate() {
            v.interval = self.intervals[i];
        }
        for (i, v) in old.ranges.iter().enumerate().filter(|(i, _)| kept(nd + i)) {
            let mut v = v.clone();
            v.interval = self.intervals[nd + i];
            map.ranges.push(v);
        }
        for (i, v) in old
            .runtime
            .iter()
            .enumerate()
            .filter(|(i, _)| kept(nd + nr + i))
        {
            let mut v = v.clone();
            let interval = self.intervals[nd + nr + i];
            if interval != v.interval {
                // The domain shrinks, but the value is clamped as before.
                v.origin.clamp = Some(v.clamp());
                v.interval = interval;
            }
            map.runtime.push(v);
        }
        for i in 0..map.runtime.len() {
            if let Some(index) = map.runtime[i].origin.index.take() {
                let mut index = *index;
                if index.is_known() {
                    let through = |fate: Fate, make: fn(usize) -> Expr| match fate {
                        Fate::Kept(p, scale, offset) => make(p) * scale + offset,
                        Fate::Gone(interval, scale, offset) => c(interval.lower) * scale + offset,
                    };
                    index.replace_variables(&mut |k| match *k {
                        ExprKind::Range(i) if i < nr => through(fates[nd + i], s),
                        ExprKind::Runtime(i) if nd + nr + i < fates.len() => {
                            through(fates[nd + nr + i], rt)
                        }
                        ExprKind::Dim(i) => d(i),
                        _ => c(0),
                    });
                    index.ranges =
                        map.ranges[..crate::compose::used_prefix(&index, false)].to_vec();
                    let runtime = crate::compose::used_prefix(&index, true);
                    index.runtime = map.runtime[..runtime].to_vec();
                    for v in &mut index.runtime {
                        v.origin = crate::map::Origin::default();
                    }
                }
                map.runtime[i].origin.index = Some(Box::new(index));
            }
        }
        (map, fates)
    }

    fn mark_used(&self, arena: &Arena, roots: &[NodeId], used: &mut [bool]) {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = roots.to_vec();
        while let Some(id) = stack.pop() {
            match arena.node(id) {
                arena::Node::Constant(_) => {}
                arena::Node::Variable(class, i) => {
                    let first = match class {
                        Class::Dim => 0,
                        Class::Range => self.dims,
                        Class::Runtime => self.dims + self.ranges,
                    };
                    used[first + i as usize] = true;
                }
                arena::Node::Binary(_, a, b) => {
                    if seen.insert(id) {
                        stack.push(a);
                        stack.push(b);
                    }
                }
            }
        }
    }
}
