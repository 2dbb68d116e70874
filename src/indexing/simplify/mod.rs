//! The simplifier. `linear.rs` describes the normal form, `rules` has all rules and their table;
//! each is a line of mathematics with its left-hand sides in `tests/proofs`, whose instances are
//! proved.
//!
//! A run (`driver.rs`) settles the constraints (`settle.rs`; `known.rs` is what is known of one
//! variable, `rescale.rs` uses strides), then reads the results (`read.rs`, with `leaves.rs` and
//! `chains.rs`) and writes them (`emit.rs`, `plans.rs`). `operations.rs` is the algebra of sums,
//! products and extrema, with `order.rs`, the order of terms, and `long_sums.rs`, which bounds long
//! sums; `bounds.rs` is what is known of sums, `results.rs` what others ask of those that a map
//! gives, and `steps.rs` what is said of the way, which `explain.rs` writes.

mod bounds;
mod chains;
mod driver;
mod emit;
mod explain;
mod known;
mod leaves;
mod length;
mod linear;
mod long_sums;
mod operations;
mod order;
mod plans;
mod read;
mod rescale;
mod results;
mod rules;
mod settle;
mod steps;

use crate::arena::{Arena, ArenaMap};
use crate::domain::Point;
use crate::expr::{Expr, ExprKind, c, d, rt, s};
use crate::interval::Interval;
use crate::map::{IndexingMap, State};
use crate::variables::VariableMapping;
pub use driver::Simplifier;
pub use rules::{RULES, Rule};
pub use steps::Step;

/// The answer of the simplifier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Simplified {
    /// The simplified map.
    pub map: IndexingMap,
    /// Whether it differs from what was given.
    pub changed: bool,
    /// The rules that fired, in order, with what each did; empty if that was not asked for.
    pub steps: Vec<Step>,
    /// New forms of the variables: dimensions, ranges, runtime. Empty if the map was not touched.
    pub variables: Vec<VariableMapping>,
}

impl Simplified {
    /// The names of the rules that fired, in order.
    pub fn rules(&self) -> impl Iterator<Item = &'static str> {
        self.steps.iter().map(|step| step.rule)
    }

    /// The point of the new map that stands for a point of the old one. `None` if there is none,
    /// because a rescaled range variable cannot have that value, or one that is gone: the old point
    /// is not in the domain.
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

    /// The simplified map with the variables of the old one, so that both can be compared point by
    /// point.
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
        map.checked()
    }
}

impl IndexingMap {
    /// Simplifies the map: an equal function on an equal domain.
    ///
    /// Unused range and runtime variables are removed, dimensions are kept; range variables of a
    /// fixed stride are rescaled. A map that is [`State::Incomplete`] is unknown for good. The
    /// result is canonical and simplifying it again changes nothing.
    #[must_use]
    pub fn simplify(&self) -> IndexingMap {
        self.simplify_with(&mut Simplifier::new(), false).map
    }

    /// As [`IndexingMap::simplify`], with the steps that led to it.
    pub fn simplify_explained(&self) -> Simplified {
        self.simplify_with(&mut Simplifier::new(), true)
    }

    /// As [`IndexingMap::simplify`], with a simplifier whose memory is used again.
    pub fn simplify_with(&self, simplifier: &mut Simplifier, explain: bool) -> Simplified {
        let done = |map, changed| Simplified {
            map,
            changed,
            steps: Vec::new(),
            variables: Vec::new(),
        };
        match self.state() {
            State::Known => {}
            State::Incomplete(error) => {
                return done(IndexingMap::unknown(error.to_string()), true);
            }
            _ => return done(self.clone(), false),
        }
        let mut arena = Arena::new();
        let input = ArenaMap::import(self, &mut arena);
        let output = simplifier.run(&mut arena, &input, explain);
        let fired = std::mem::take(&mut simplifier.steps);
        let steps = fired.iter().map(|fired| fired.named(self)).collect();
        let (map, variables) = match output {
            None => (self.clone().into_known_empty(), Vec::new()),
            Some(output) => output.export(self, &arena),
        };
        let simplified = Simplified {
            changed: map != *self,
            map,
            steps,
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
