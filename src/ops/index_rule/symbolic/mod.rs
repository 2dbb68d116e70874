//! Index rules as indexing maps, of both directions.
//!
//! A rule runs with expressions for indices. Where an expression cannot say what a number is (one
//! of several, by what is known at run time only), the rule runs once for each of them: every run
//! gives maps of its own, over the part of the domain where it is that one. A product or a quotient
//! of two numbers that are known at run time only is a range variable, in maps that are not exact.

mod ends;
mod inverse;

pub(crate) use inverse::inverses;

use super::{
    Arithmetic, Found, Index, IndexDomain, IndexQuery, IndexRule, NumberDomain, Place, Read, Reads,
    Tensor, evaluate, expressions::Expressions,
};
use crate::fold;
use crate::query::{Pieces, Query, everything, indices, nothing, over};
use crate::registry;
use ends::{bounds, elsewhere, inside};
use mapwright_indexing::{Constraint, Expr, ExprKind, IndexingMap, Interval, c, d};
use mapwright_mlir::Dim;

/// An index rule, or one with what else it needs.
pub(crate) type Rule<'a> = &'a dyn Fn(&mut IndexQuery<'_, '_>, &[Index]) -> Found<Reads>;

/// Runs of a rule, at most.
const MOST: usize = 81;

/// The maps from a result to an operand of an operation that the registry has an index rule of.
/// Operands that only say where are read as a whole.
pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    match rule_for(q, operand)? {
        Some(rule) => maps(q, result, operand, &rule),
        None => Ok(vec![everything(
            &q.result_sizes(result)?,
            &q.operand_sizes(operand)?,
        )]),
    }
}

/// As [`output_to_input`], from an operand to a result.
pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    match rule_for(q, operand)? {
        Some(rule) => inverses(q, operand, result, &rule),
        None => Ok(vec![everything(
            &q.operand_sizes(operand)?,
            &q.result_sizes(result)?,
        )]),
    }
}

/// The rule, if results are made of the operand.
fn rule_for(q: &Query<'_>, operand: usize) -> Found<Option<IndexRule>> {
    let def = registry::mapped(q.op);
    let rule = def.and_then(|def| def.index_rule);
    let rule = rule.ok_or_else(|| format!("'{}' has no index rule", q.op.name()))?;
    let is_data = |n: usize| operand < n;
    Ok(def
        .is_some_and(|def| def.data_operands.is_none_or(is_data))
        .then_some(rule))
}

/// The maps from a result to an operand that the rule says: one for each piece of that operand, and
/// disjoint ones where that operand is what is left. An operand that results are not made of, but
/// whose elements the rule asks for, is read as a whole.
pub(crate) fn maps(q: &Query<'_>, result: usize, operand: usize, rule: Rule<'_>) -> Pieces {
    let out = q.result_sizes(result)?;
    let index: Vec<Expr> = (0..out.len()).map(d).collect();
    let mut found = Vec::new();
    let whole = over(&out, vec![]);
    let runs = runs(q, result, Direction::Backward, &whole, &index, rule)?;
    let says_where = is_asked(&runs, operand);
    for Run { reads, map, .. } in runs {
        for piece in reads.pieces.iter().filter(|read| read.operand == operand) {
            // A single one is within its operand, unless a number in it is any of several.
            let own = if reads.is_one() && map.ranges().is_empty() {
                map.clone()
            } else {
                inside(q, piece, map.clone())?
            };
            found.push(with_index(own, q, piece)?);
        }
        if let Some(rest) = reads.elsewhere.as_ref().filter(|r| r.operand == operand) {
            for own in elsewhere(q, &reads, map)? {
                found.push(with_index(own, q, rest)?);
            }
        }
    }
    match (found.is_empty(), says_where) {
        (true, true) => Ok(vec![everything(&out, &q.operand_sizes(operand)?)]),
        (true, false) => Ok(nothing(&out, &q.operand_sizes(operand)?)),
        (false, _) => Ok(found),
    }
}

impl Reads<Expr> {
    /// A single read always applies.
    fn is_one(&self) -> bool {
        self.pieces.len() == 1 && self.elsewhere.is_none()
    }
}

/// The map with the index that is read.
fn with_index(mut map: IndexingMap, q: &Query<'_>, read: &Read<Expr>) -> Found<IndexingMap> {
    if read.at.len() != q.operand(read.operand)?.rank() {
        return Err("operand and result have different ranks".into());
    }
    for place in &read.at {
        let step = step(place)?;
        map.push_result(place.number.clone().floor_div(step));
    }
    Ok(without_unused(map))
}

/// The map without the runtime variables that nothing needs.
fn without_unused(mut map: IndexingMap) -> IndexingMap {
    let mut used = 0;
    let constraints = map.constraints().iter().map(|constraint| &constraint.expr);
    for expr in map.results().iter().chain(constraints) {
        expr.for_each_variable(|kind| {
            if let ExprKind::Runtime(k) = kind {
                used = used.max(k + 1);
            }
        });
    }
    map.edit(|m| m.runtime.truncate(used));
    map
}

fn step(place: &Place<Expr>) -> Found<i64> {
    let step = place.step.as_constant().filter(|step| *step > 0);
    step.ok_or_else(|| "a step that is known at run time only".into())
}

/// From where to where the map is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// The index of the result are the dimensions of the map.
    Backward,
    /// The dimensions of the map are those of an operand.
    Forward,
}

/// One run of a rule.
struct Run {
    reads: Reads<Expr>,
    /// The map with what the run adds to it.
    map: IndexingMap,
    /// Operands whose elements the rule asks for.
    asked: Vec<usize>,
}

/// Tells whether the rule asks for an element of the operand.
fn is_asked(runs: &[Run], operand: usize) -> bool {
    runs.iter().any(|run| run.asked.contains(&operand))
}

/// Runs the rule for all choices, in maps that begin as `whole`, and returns what each run reads.
fn runs(
    q: &Query<'_>,
    result: usize,
    direction: Direction,
    whole: &IndexingMap,
    index: &[Expr],
    rule: Rule<'_>,
) -> Found<Vec<Run>> {
    let mut found = Vec::new();
    let mut choices = Choices::default();
    loop {
        let mut domain = Symbolic {
            q,
            result,
            direction,
            map: whole.clone(),
            asked: Vec::new(),
            choices,
        };
        let reads = evaluate(&mut domain, q.op, rule, index.to_vec())?;
        found.push(Run {
            reads,
            map: domain.map,
            asked: domain.asked,
        });
        choices = domain.choices;
        if !choices.advance() {
            return Ok(found);
        }
        if found.len() >= MOST {
            return Err("too many cases that are told apart at run time".into());
        }
    }
}

/// Choices that a run takes, at every place where there are several numbers: the one that is taken,
/// and how many there are.
#[derive(Default)]
struct Choices {
    taken: Vec<(usize, usize)>,
    next: usize,
}

impl Choices {
    fn choose(&mut self, count: usize) -> usize {
        if self.next == self.taken.len() {
            self.taken.push((0, count));
        }
        self.next += 1;
        self.taken[self.next - 1].0
    }

    /// Goes on to the next run, if there is one.
    fn advance(&mut self) -> bool {
        self.next = 0;
        while let Some((at, count)) = self.taken.pop() {
            if at + 1 < count {
                self.taken.push((at + 1, count));
                return true;
            }
        }
        false
    }
}

/// The domain of expressions of a map's variables. What is read at run time is a runtime variable
/// of the map.
struct Symbolic<'a, 'c> {
    q: &'a Query<'c>,
    result: usize,
    direction: Direction,
    map: IndexingMap,
    asked: Vec<usize>,
    choices: Choices,
}

impl Symbolic<'_, '_> {
    /// A constant element.
    fn constant_element(&self, operand: usize, at: &[Expr]) -> Option<i64> {
        self.q.known(operand, at, &self.map)?.as_constant()
    }

    fn read(&mut self, operand: usize, at: Vec<Expr>, within: Interval) -> Expr {
        let variable = self.q.element(operand, within, at, &self.map);
        self.map.push_runtime(variable)
    }

    /// The element, brought into the interval: one of several numbers where it is known by its
    /// position.
    fn brought(&mut self, operand: usize, at: Vec<Expr>, into: Interval) -> Expr {
        let Some(value) = self.q.known(operand, &at, &self.map) else {
            return self.read(operand, at, into);
        };
        if let Some(n) = value.as_constant() {
            return c(n.clamp(into.lower, into.upper));
        }
        let mut pieces = fold::clamped(&value, into, &self.map);
        if pieces.is_empty() {
            return value;
        }
        let chosen = self.choices.choose(pieces.len());
        let (number, map) = pieces.swap_remove(chosen);
        self.map = map;
        number
    }

    /// Takes the part of the map where `expr` is in the interval.
    fn require(&mut self, expr: &Expr, interval: Interval) {
        match expr.kind() {
            ExprKind::Dim(k) => {
                let own = &mut self.map.dims_mut()[*k].interval;
                *own = own.intersect(interval);
            }
            _ if interval.contains_interval(bounds(expr, &self.map)) => {}
            _ => self.map.push_constraint(Constraint {
                expr: expr.clone(),
                interval,
            }),
        }
    }

    /// A range variable in the place of a number that no expression says, over all that it may be.
    /// The map is not exact then.
    fn approximate(&mut self, what: Arithmetic, a: &Expr, b: &Expr) -> Option<Expr> {
        let (a, b) = (bounds(a, &self.map), bounds(b, &self.map));
        let interval = match what {
            _ if a.is_empty() || b.is_empty() => Interval::EMPTY,
            Arithmetic::Mul => a.times(b),
            // The divisor is positive, and what it divides is not negative.
            Arithmetic::Div => Interval::new(0, a.upper.max(0)),
            Arithmetic::Rem => Interval::new(0, a.upper.min(b.upper.saturating_sub(1)).max(0)),
            Arithmetic::Add | Arithmetic::Sub | Arithmetic::Min | Arithmetic::Max => return None,
        };
        self.map.set_exact(false);
        Some(self.map.push_range(interval))
    }

    fn dim(&self, of: Tensor, k: usize) -> Found<Dim> {
        let ty = match of {
            Tensor::Operand(i) => self.q.operand(i)?,
            Tensor::Result => self.q.result(self.result)?,
        };
        let dim = ty.dims.get(k).copied();
        dim.ok_or_else(|| "operand and result have different ranks".into())
    }
}

impl NumberDomain for Symbolic<'_, '_> {
    type Value = Expr;
    type Error = String;

    fn constant(&mut self, n: i64) -> Expr {
        Expressions.constant(n)
    }

    fn known(&self, index: &Expr) -> Option<i64> {
        Expressions.known(index)
    }

    fn arithmetic(&mut self, what: Arithmetic, a: Expr, b: Expr) -> Found<Expr> {
        match Expressions.arithmetic(what, a.clone(), b.clone()) {
            Err(reason) => self.approximate(what, &a, &b).ok_or(reason),
            found => found,
        }
    }
}

impl IndexDomain for Symbolic<'_, '_> {
    fn size(&mut self, of: Tensor, k: usize) -> Found<Expr> {
        let dim = self.dim(of, k)?;
        match (of, dim.fixed()) {
            (_, Some(size)) => Ok(c(size)),
            (Tensor::Operand(i), None) => Ok(self.q.size_of_operand(&mut self.map, i, k, dim)),
            // It follows from what is read, and is not there before.
            (Tensor::Result, None) => Err(format!(
                "the size of dimension {k} of the result is known at run time only"
            )),
        }
    }

    fn element(&mut self, operand: usize, at: Vec<Expr>, within: Interval) -> Found<Expr> {
        self.asked.push(operand);
        match self.constant_element(operand, &at) {
            Some(value) if within.contains(value) => Ok(c(value)),
            Some(value) => Err(format!("operand {operand} has the element {value}")),
            None => Ok(self.read(operand, at, within)),
        }
    }

    /// Reads an element that is clamped. Where the last place is known at run time only, the
    /// choices are the element and the last place.
    fn clamped(&mut self, operand: usize, at: Vec<Expr>, last: Expr) -> Found<Expr> {
        self.asked.push(operand);
        if bounds(&last, &self.map).upper == 0 {
            return Ok(c(0));
        }
        match last.as_constant() {
            Some(..0) => Err(format!(
                "the start in operand {operand} is of a slice that is larger than the operand"
            )),
            Some(last) => Ok(self.brought(operand, at, Interval::new(0, last))),
            None => {
                let start = self.brought(operand, at, Interval::new(0, i64::MAX));
                let over = start.clone() - last.clone();
                let (found, interval) = match self.choices.choose(2) {
                    0 => (start, Interval::new(i64::MIN, 0)),
                    _ => (last, Interval::new(1, i64::MAX)),
                };
                self.require(&over, interval);
                Ok(found)
            }
        }
    }

    /// Decides whether a dimension is stretched. Where nothing tells, both are choices, and no part
    /// of the domain belongs to one of them alone.
    fn stretched(
        &mut self,
        operand: usize,
        (k, j): (usize, usize),
        index: Expr,
        stated: Option<bool>,
    ) -> Found<Expr> {
        let own = self.dim(Tensor::Operand(operand), k)?;
        let is_stretched = match (own, self.dim(Tensor::Result, j)?) {
            (Dim::Static(1), to) => to != Dim::Static(1),
            (Dim::Static(_), _) | (_, Dim::Static(1)) => false,
            _ => stated.unwrap_or_else(|| {
                self.map.set_exact(false);
                self.choices.choose(2) == 1
            }),
        };
        if is_stretched {
            Ok(c(0))
        } else {
            self.within(operand, k, index)
        }
    }

    fn within(&mut self, operand: usize, k: usize, index: Expr) -> Found<Expr> {
        let own = crate::query::size(self.dim(Tensor::Operand(operand), k)?);
        if self.direction == Direction::Backward {
            self.require(&index, indices(own));
        }
        Ok(index)
    }
}
