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
use crate::map::IndexingMap;
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
    pub variables: Vec<VariableMapping>,
}

impl Simplified {
    /// The point of the new map that stands for a point of the old one. `None` if there is none, because a rescaled range
    /// variable cannot have that value, or one that is gone: the old point is not in the domain.
    pub fn point(&self, old: &Point) -> Option<Point> {
        if self.variables.is_empty() {
            return Some(old.clone());
        }
        let mut variables = self.variables.iter();
        let mut list = |values: &[i64]| -> Option<Vec<i64>> {
            let mut new = Vec::with_capacity(values.len());
            for (v, own) in values.iter().zip(&mut variables) {
                let value = own.new_value(*v)?;
                if own.position.is_some() {
                    new.push(i64::try_from(value).ok()?);
                } else if value < own.interval.lower as i128 || value > own.interval.upper as i128 {
                    return None;
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

    /// The simplified map with the variables of the old one, so that both can be compared point by point.
    #[must_use]
    pub fn in_variables_of(&self, old: &IndexingMap) -> IndexingMap {
        if self.variables.is_empty() || !self.map.is_known() {
            return self.map.clone();
        }
        let mut map = self.map.clone();
        let (_, others) = self.variables.split_at(old.dims.len());
        let (ranges, runtime) = others.split_at(old.ranges.len());
        let lists = [(ranges, s as fn(usize) -> Expr), (runtime, rt)];
        let new = |list: usize, i: usize| {
            let (list, make) = lists[list];
            let found = list.iter().position(|own| own.position == Some(i));
            found.map_or_else(|| c(0), |at| list[at].new_expr(make(at)))
        };
        map.replace_variables(&mut |k| match *k {
            ExprKind::Dim(i) => d(i),
            ExprKind::Range(i) => new(0, i),
            ExprKind::Runtime(i) => new(1, i),
            _ => c(0),
        });
        for (list, make) in lists {
            for (i, own) in list.iter().enumerate() {
                map = map.with_constraint(own.new_expr(make(i)), own.interval);
                if own.scale != 1 {
                    let rest = (make(i) - own.offset).modulo(own.scale);
                    map = map.with_constraint(rest, Interval::point(0));
                }
            }
        }
        map.ranges.clone_from(&old.ranges);
        map.runtime.clone_from(&old.runtime);
        map
    }
}

/// What becomes of a variable of the old map: its values are `scale * v + offset` for `v` in the interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VariableMapping {
    /// Where `v` stands in its list of variables now. `None`: nothing depends on it any more.
    pub position: Option<usize>,
    /// The values of `v`.
    pub interval: Interval,
    /// The stride of the old variable.
    pub scale: i64,
    /// Its value for 0.
    pub offset: i64,
}

impl VariableMapping {
    /// `v` for a value of the old variable, if there is one.
    fn new_value(&self, old: i64) -> Option<i128> {
        let (v, scale) = (old as i128 - self.offset as i128, self.scale as i128);
        (v % scale == 0).then(|| v.div_euclid(scale))
    }

    /// `v` for the old variable.
    fn new_expr(&self, old: Expr) -> Expr {
        (old - self.offset).floor_div(self.scale)
    }

    /// The old variable for `v`, or for its first value where it is gone.
    fn old_expr(&self, make: fn(usize) -> Expr) -> Expr {
        let v = self.position.map_or_else(|| c(self.interval.lower), make);
        v * self.scale + self.offset
    }
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
                variables: Vec::new(),
            };
        }
        let mut arena = Arena::new();
        let input = ArenaMap::import(self, &mut arena);
        let output = simplifier.run(&mut arena, &input, explain);
        let rules = simplifier.take_rules();
        let (map, variables) = match output {
            None => (self.clone().into_known_empty(), Vec::new()),
            Some(output) => output.export(self, &arena),
        };
        let simplified = Simplified {
            changed: map != *self,
            map,
            rules,
            variables,
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
        // A runtime variable that occurs nowhere still says something if not every value that can be read is in its interval:
        // the map has points only when the value is.
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
        let mut map = IndexingMap::new(old.dims.clone(), exprs);
        map.exact = old.exact;
        for (expr, (_, interval)) in constraints.into_iter().zip(&self.constraints) {
            map = map.with_constraint(expr, *interval);
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
