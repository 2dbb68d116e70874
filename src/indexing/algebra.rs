//! What can be done with maps besides composing them: domains, images, projections, pieces.

use crate::compare::domain_is_empty;
use crate::domain::Evaluator;
use crate::error::MapError;
use crate::expr::{Expr, ExprKind, Op, c, d, rt, s};
use crate::interval::Interval;
use crate::map::{Constraint, IndexingMap, Variable};
use crate::program::{Instr, Program};
use crate::simplify::Simplifier;

/// Boxes up to this size are counted point by point.
const COUNT_LIMIT: u128 = 1 << 20;

impl IndexingMap {
    /// Restricts the map to the points whose dimensions are in these intervals as well.
    #[must_use]
    pub fn restrict(mut self, dims: &[Interval]) -> Self {
        for (v, i) in self.dims.iter_mut().zip(dims) {
            v.interval = v.interval.intersect(*i);
        }
        self
    }

    /// Restricts the map to the points that are in the domain of `other` too. `other`'s variables
    /// are taken position by position.
    ///
    /// # Errors
    /// [`MapError::OtherVariables`] if `other` has variables that this map lacks.
    pub fn restrict_to_domain_of(mut self, other: &IndexingMap) -> Result<Self, MapError> {
        if other.is_known_empty() {
            return Ok(self.into_known_empty());
        }
        if other.dims.len() > self.dims.len()
            || other.ranges.len() > self.ranges.len()
            || other.runtime.len() > self.runtime.len()
        {
            return Err(MapError::OtherVariables);
        }
        for (v, w) in self
            .dims
            .iter_mut()
            .zip(&other.dims)
            .chain(self.ranges.iter_mut().zip(&other.ranges))
        {
            v.interval = v.interval.intersect(w.interval);
        }
        for (v, w) in self.runtime.iter_mut().zip(&other.runtime) {
            v.origin.clamp = Some(v.clamp());
            v.interval = v.interval.intersect(w.interval);
        }
        self.constraints.extend(other.constraints.iter().cloned());
        Ok(self.checked())
    }

    /// The number of points of the domain, exactly, over dimension, range and runtime variables;
    /// `None` if it cannot be counted without enumerating more than a million points.
    pub fn domain_size(&self) -> Option<u128> {
        if self.is_known_empty() {
            return Some(0);
        }
        if !self.is_known() {
            return None;
        }
        // All variables have to stay: only the constraints are of interest.
        let mut map = self.clone();
        let (nd, nr) = (map.dims.len(), map.ranges.len());
        let to_dim = |k: &ExprKind| match *k {
            ExprKind::Range(i) => d(nd + i),
            ExprKind::Runtime(i) => d(nd + nr + i),
            ExprKind::Dim(i) => d(i),
            _ => c(0),
        };
        map.replace_variables(&mut |k| to_dim(k));
        map.dims = self.intervals().map(Variable::new).collect();
        map.ranges.clear();
        map.runtime.clear();
        map.results.clear();
        let mut map = map.simplify();
        if map.is_known_empty() {
            return Some(0);
        }
        // A constraint without variables holds everywhere or nowhere. (One that is left has a
        // number beyond `i64` in it.)
        let (constant, others) = std::mem::take(&mut map.constraints)
            .into_iter()
            .partition::<Vec<_>, _>(|k| {
                let mut constant = true;
                k.expr.for_each_variable(|_| constant = false);
                constant
            });
        map.constraints = others;
        let mut nowhere = IndexingMap::new(Vec::new(), Vec::new());
        nowhere.constraints = constant;
        if !Evaluator::new(&nowhere).in_domain(&[], &[], &[]).ok()? {
            return Some(0);
        }
        // Variables that no constraint connects are independent.
        let n = map.dims.len();
        let mut group: Vec<usize> = (0..n).collect();
        fn root(group: &[usize], mut i: usize) -> usize {
            while group[i] != i {
                i = group[i];
            }
            i
        }
        let mut used = vec![false; n];
        for k in &map.constraints {
            let mut first = None;
            k.expr.for_each_variable(|v| {
                if let ExprKind::Dim(i) = v
                    && *i < n
                {
                    used[*i] = true;
                    let i = root(&group, *i);
                    match first {
                        None => first = Some(i),
                        Some(j) => group[i] = root(&group, j),
                    }
                }
            });
        }
        let mut size = 1u128;
        for leader in 0..n {
            if root(&group, leader) != leader {
                continue;
            }
            let members: Vec<usize> = (0..n).filter(|i| root(&group, *i) == leader).collect();
            if !used[members[0]] && members.len() == 1 {
                size = size.checked_mul(map.dims[leader].interval.len())?;
                continue;
            }
            let mut part = IndexingMap::new(
                members.iter().map(|i| map.dims[*i].clone()).collect(),
                Vec::new(),
            );
            if part.box_size() > COUNT_LIMIT {
                return None;
            }
            for k in &map.constraints {
                let mut inside = false;
                k.expr.for_each_variable(|v| {
                    inside |= matches!(v, ExprKind::Dim(i) if members.contains(i))
                });
                if inside {
                    let position = |i: usize| members.iter().position(|m| *m == i).unwrap_or(0);
                    let expr = k.expr.replace(|v| match *v {
                        ExprKind::Dim(i) => d(position(i)),
                        _ => c(0),
                    });
                    part.constraints.push(Constraint {
                        expr,
                        interval: k.interval,
                    });
                }
            }
            let mut count = 0u128;
            part.for_each_point(|_, _, _, _| {
                count += 1;
                true
            });
            size = size.checked_mul(count)?;
        }
        Some(size)
    }

    /// For each result an interval that holds its values on the domain; empty intervals if the
    /// domain is empty, and [`Interval::FULL`] where nothing is known.
    pub fn image_bounds(&self) -> Vec<Interval> {
        if self.is_known_empty() {
            return vec![Interval::EMPTY; self.results.len()];
        }
        if !self.is_known() {
            return vec![Interval::FULL; self.results.len()];
        }
        Simplifier::new()
            .result_bounds(self)
            .unwrap_or_else(|| vec![Interval::EMPTY; self.results.len()])
    }

    /// Whether two maps over the same variables have a point of their domains in common; `None` if
    /// that could not be decided.
    pub fn overlaps(&self, other: &IndexingMap) -> Option<bool> {
        let both = self.clone().restrict_to_domain_of(other).ok()?;
        domain_is_empty(&both).map(|empty| !empty)
    }

    /// Whether no point is in the domain: proved, refuted, or (`None`) not decided.
    pub fn domain_is_empty(&self) -> Option<bool> {
        domain_is_empty(self)
    }

    /// Keeps the results at these positions, in this order.
    #[must_use]
    pub fn select_results(mut self, positions: &[usize]) -> Self {
        self.results = positions
            .iter()
            .filter_map(|i| self.results.get(*i).cloned())
            .collect();
        self
    }

    /// `a <= b - less` as a constraint; `None` if that cannot be said within `i64`.
    fn at_most(&self, a: &Expr, b: &Expr, less: i64) -> Option<Constraint> {
        let intervals = |list: &[Variable]| list.iter().map(|v| v.interval).collect::<Vec<_>>();
        let runtime: Vec<Interval> = self.runtime.iter().map(|v| v.interval).collect();
        let (dims, ranges) = (intervals(&self.dims), intervals(&self.ranges));
        // An end of `i64` may stand for anything beyond, unless it is a value of a variable.
        let fits = |e: &Expr| match e.kind() {
            ExprKind::Binary(..) => {
                let bounds = e.bounds(&dims, &ranges, &runtime);
                bounds.lower > i64::MIN && bounds.upper < i64::MAX
            }
            _ => true,
        };
        let (expr, lower, upper) = match (a.as_constant(), b.as_constant()) {
            (_, Some(k)) if fits(a) => (a.clone(), Some(i64::MIN), k.checked_sub(less)),
            (Some(k), _) if fits(b) => (b.clone(), k.checked_add(less), Some(i64::MAX)),
            _ => {
                let difference = a.clone() - b.clone();
                if !fits(&difference) {
                    return None;
                }
                (difference, Some(i64::MIN), Some(-less))
            }
        };
        let interval = match (lower, upper) {
            (Some(lower), Some(upper)) => Interval::new(lower, upper),
            // Less than the least, more than the most.
            _ => Interval::EMPTY,
        };
        Some(Constraint { expr, interval })
    }

    /// The map as pieces with disjoint domains in which no `min` and no `max` occurs, as an
    /// `AffineMap` needs it. `None` if there are more than `limit`, and if values are compared
    /// whose difference may be beyond `i64`.
    pub fn split_min_max(&self, limit: usize) -> Option<Vec<IndexingMap>> {
        let mut done = Vec::new();
        let mut todo = vec![self.clone()];
        while let Some(map) = todo.pop() {
            if done.len() + todo.len() >= limit {
                return None;
            }
            let exprs = map.expressions();
            let program = Program::new(&exprs);
            let Some(at) = program
                .instrs
                .iter()
                .position(|i| matches!(i, Instr::Binary(Op::Min | Op::Max, ..)))
            else {
                done.push(map);
                continue;
            };
            let Instr::Binary(op, a, b) = program.instrs[at] else {
                return None;
            };
            // The operands hold no min or max: the first one was taken.
            for first in [true, false] {
                let chosen = if first { a } else { b };
                let mut built: Vec<Expr> = Vec::with_capacity(program.instrs.len());
                for (i, instr) in program.instrs.iter().enumerate() {
                    let e = match *instr {
                        Instr::Constant(v) => c(v),
                        Instr::Dim(i) => d(i as usize),
                        Instr::Range(i) => s(i as usize),
                        Instr::Runtime(i) => rt(i as usize),
                        Instr::Binary(..) if i == at => built[chosen as usize].clone(),
                        Instr::Binary(op, x, y) => {
                            Expr::binary(op, built[x as usize].clone(), built[y as usize].clone())
                        }
                    };
                    built.push(e);
                }
                let mut piece = map.clone();
                let mut new: Vec<Expr> = program
                    .roots
                    .iter()
                    .map(|r| built[*r as usize].clone())
                    .collect();
                let constraints = new.split_off(piece.results.len());
                piece.results = new;
                for (k, e) in piece.constraints.iter_mut().zip(constraints) {
                    k.expr = e;
                }
                let (a, b) = (&built[a as usize], &built[b as usize]);
                // min: the first where a - b <= 0; max: the first where a - b >= 0.
                piece.constraints.push(match (op, first) {
                    (Op::Min, true) => map.at_most(a, b, 0)?,
                    (Op::Min, false) => map.at_most(b, a, 1)?,
                    (_, true) => map.at_most(b, a, 0)?,
                    (_, false) => map.at_most(a, b, 1)?,
                });
                todo.push(piece);
            }
        }
        // In the order in which the first operands come first.
        done.reverse();
        Some(
            done.into_iter()
                .filter(|m| !m.simplify().is_known_empty())
                .collect(),
        )
    }
}

/// The pieces of an operand's maps without repetitions and without empty ones, in the order given.
/// Maps whose canonical forms agree are one.
pub fn union(pieces: impl IntoIterator<Item = IndexingMap>) -> Vec<IndexingMap> {
    let mut all: Vec<IndexingMap> = Vec::new();
    for piece in pieces {
        let piece = piece.simplify();
        if !piece.is_known_empty() && !all.contains(&piece) {
            all.push(piece);
        }
    }
    all
}

/// True if a point is in the domain of one of the pieces. Meant for tests.
pub fn covers(pieces: &[IndexingMap], dims: &[i64]) -> bool {
    pieces
        .iter()
        .any(|p| Evaluator::new(p).in_domain(dims, &[], &[]) == Ok(true))
}
