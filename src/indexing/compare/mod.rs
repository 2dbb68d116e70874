//! Whether two maps are the same function on the same domain: proved, refuted, or not decided.
//!
//! Two maps are equal if, for every point of dimension and runtime variables, they give the
//! same *set* of results over all values of the range variables. The ways, in order: the canonical
//! forms agree; the difference of the results simplifies to zero on equal domains; a random point
//! tells them apart; all points are tried, if there are few; integer linear arithmetic decides
//! (`integer.rs`).

mod integer;
mod omega;
mod sets;

use crate::domain::{Evaluator, Point};
use crate::expr::{Expr, Op};
use crate::interval::Interval;
use crate::map::IndexingMap;
use crate::program::{EvalError, Program};

/// The answer of [`compare`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// Equal, different, or not decided.
    pub equal: Option<bool>,
    /// Method that decided, or the reason why none did.
    pub method: &'static str,
    /// A point at which the maps differ: one is not defined there, or the results are different
    /// ones.
    pub counterexample: Option<Point>,
}

/// Limits of the work of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CompareBudget {
    /// Points that are tried one by one.
    pub points: u64,
    /// Steps of the integer solver.
    pub steps: u64,
}

impl Default for CompareBudget {
    fn default() -> Self {
        CompareBudget {
            points: 2_000_000,
            steps: 200_000,
        }
    }
}

impl CompareBudget {
    /// A point of a map of thousands of operations costs more than one of a small map: as many
    /// points as that leaves.
    fn for_maps(self, a: &IndexingMap, b: &IndexingMap) -> CompareBudget {
        const USUAL: u64 = 100;
        let operations = |m: &IndexingMap| Program::new(&m.expressions()).instrs.len() as u64;
        CompareBudget {
            points: self.points.saturating_mul(USUAL) / (operations(a) + operations(b)).max(USUAL),
            ..self
        }
    }

    /// Random points before anything else is tried.
    fn samples(self) -> u64 {
        (self.points / 20).min(2_000)
    }
}

impl Comparison {
    fn equal(method: &'static str) -> Self {
        Comparison {
            equal: Some(true),
            method,
            counterexample: None,
        }
    }

    fn different(method: &'static str, counterexample: Option<Point>) -> Self {
        Comparison {
            equal: Some(false),
            method,
            counterexample,
        }
    }

    fn undecided(method: &'static str) -> Self {
        Comparison {
            equal: None,
            method,
            counterexample: None,
        }
    }
}

/// Proves that two maps are the same function on the same domain, or gives a point at which they
/// differ, within the usual budget. `exact` and names do not matter.
pub fn compare(a: &IndexingMap, b: &IndexingMap) -> Comparison {
    compare_within(a, b, CompareBudget::default())
}

/// As [`compare`], with a budget.
pub fn compare_within(a: &IndexingMap, b: &IndexingMap, budget: CompareBudget) -> Comparison {
    if a.unknown_reason().is_some() || b.unknown_reason().is_some() {
        return Comparison::undecided("a map is unknown");
    }
    if a.verify().is_err() || b.verify().is_err() {
        return Comparison::undecided("a map is not well formed");
    }
    let given = budget;
    let budget = given.for_maps(a, b);
    if a.is_known_empty() || b.is_known_empty() {
        // Is the other domain empty too?
        return compare_variables(a, b, given);
    }
    let (x, y) = (a.simplify(), b.simplify());
    match (x.is_known_empty(), y.is_known_empty()) {
        (true, true) => return Comparison::equal("both domains are empty"),
        (false, false) if (a.dims.len() != b.dims.len() || a.results.len() != b.results.len()) => {
            return Comparison::different("the numbers of dimensions or results differ", None);
        }
        _ => {}
    }
    if same_text(&x, &y) {
        return Comparison::equal("canonical form");
    }
    // Points of the maps as they were given, where the variables are the same ones.
    if a.ranges.len() == b.ranges.len() && a.runtime.len() == b.runtime.len() {
        let pointwise = pointwise(a, b, budget);
        let sets_matter = !a.ranges.is_empty();
        match pointwise.equal {
            Some(true) => return pointwise,
            // With range variables, other points may give the same results.
            Some(false) if !sets_matter => return pointwise,
            None if !sets_matter => return pointwise,
            _ => {}
        }
    } else if a.ranges.is_empty() && b.ranges.is_empty() {
        // A runtime variable that one map lacks is one that it does not depend on.
        return pad_runtime(a, b, budget);
    }
    sets::compare_sets(a, b, &x, &y, budget)
}

/// Whether no point is in the domain of a map; `None` if that is not decided within the usual
/// budget.
pub(crate) fn domain_is_empty(map: &IndexingMap) -> Option<bool> {
    if map.unknown_reason().is_some() {
        return None;
    }
    let mut a = map.clone();
    // Only the domain counts.
    a.results.clear();
    if a.simplify().is_known_empty() {
        return Some(true);
    }
    let mut empty = a.clone();
    empty.constraints = vec![crate::map::Constraint {
        expr: crate::expr::c(0),
        interval: Interval::EMPTY,
    }];
    compare_variables(&a, &empty, CompareBudget::default()).equal
}

/// Tells whether two maps are the same apart from names and origins.
fn same_text(x: &IndexingMap, y: &IndexingMap) -> bool {
    x.results == y.results
        && x.constraints == y.constraints
        && x.dims.len() == y.dims.len()
        && x.ranges.len() == y.ranges.len()
        && x.runtime.len() == y.runtime.len()
        && x.intervals().eq(y.intervals())
}

/// Gives both maps the runtime variables of the longer list.
fn pad_runtime(a: &IndexingMap, b: &IndexingMap, budget: CompareBudget) -> Comparison {
    let (mut a, mut b) = (a.clone(), b.clone());
    let n = a.runtime.len().max(b.runtime.len());
    let (ours, theirs) = (a.runtime.clone(), b.runtime.clone());
    for (x, y) in [(&mut a, theirs), (&mut b, ours)] {
        let have = x.runtime.len();
        x.runtime.extend(y.into_iter().skip(have).take(n - have));
    }
    pointwise(&a, &b, budget)
}

/// Compares maps with the same variables as functions of all of them, and does not ask the
/// simplifier. This is how the simplifier is checked.
pub fn compare_variables(a: &IndexingMap, b: &IndexingMap, budget: CompareBudget) -> Comparison {
    let budget = budget.for_maps(a, b);
    if a.unknown_reason().is_some() || b.unknown_reason().is_some() {
        return Comparison::undecided("a map is unknown");
    }
    if !a.is_known() && !b.is_known() {
        return Comparison::equal("both domains are empty");
    }
    let (mut a, mut b) = (a.clone(), b.clone());
    // An empty map has the variables of the other one.
    for (x, y) in [(a.is_known(), false), (b.is_known(), true)] {
        if !x {
            let mut empty = if y { a.clone() } else { b.clone() };
            empty.constraints = vec![crate::map::Constraint {
                expr: crate::expr::c(0),
                interval: Interval::EMPTY,
            }];
            if y { b = empty } else { a = empty }
        }
    }
    let hull: Vec<Interval> = a
        .intervals()
        .zip(b.intervals())
        .map(|(x, y)| x.hull(y))
        .collect();
    let (nd, nr) = (a.dims.len(), a.ranges.len());
    if let Some(p) = sample(&a, &b, &hull, budget.samples()) {
        return Comparison::different("random point", Some(p));
    }
    match integer::decide(&a, &b, &hull, budget.steps) {
        integer::Verdict::Equal => return Comparison::equal("integer linear arithmetic"),
        integer::Verdict::Different(all) => {
            let p = split(&all, nd, nr);
            if differs(&mut Evaluator::new(&a), &mut Evaluator::new(&b), &p) {
                return Comparison::different("integer linear arithmetic", Some(p));
            }
        }
        integer::Verdict::Unknown => {}
    }
    if hull.iter().fold(1u128, |n, i| n.saturating_mul(i.len())) <= budget.points as u128 {
        return enumerate(&a, &b, &hull);
    }
    Comparison::undecided("the budget is used up")
}

/// Compares maps with the same variables, point by point.
fn pointwise(a: &IndexingMap, b: &IndexingMap, budget: CompareBudget) -> Comparison {
    let hull: Vec<Interval> = a
        .intervals()
        .zip(b.intervals())
        .map(|(x, y)| x.hull(y))
        .collect();
    let (nd, nr) = (a.dims.len(), a.ranges.len());
    if let Some(p) = sample(a, b, &hull, budget.samples()) {
        return Comparison::different("random point", Some(p));
    }
    let size = hull.iter().fold(1u128, |n, i| n.saturating_mul(i.len()));
    if size <= budget.points as u128 / 20 {
        return enumerate(a, b, &hull);
    }
    if difference_is_zero(a, b) && difference_is_zero(b, a) {
        return Comparison::equal("the difference simplifies to zero");
    }
    match integer::decide(a, b, &hull, budget.steps) {
        integer::Verdict::Equal => return Comparison::equal("integer linear arithmetic"),
        integer::Verdict::Different(all) => {
            let p = split(&all, nd, nr);
            // The solver's point is checked, so that a mistake there cannot become a wrong answer.
            if differs(&mut Evaluator::new(a), &mut Evaluator::new(b), &p) {
                return Comparison::different("integer linear arithmetic", Some(p));
            }
        }
        integer::Verdict::Unknown => {}
    }
    if size <= budget.points as u128 {
        return enumerate(a, b, &hull);
    }
    match sample(a, b, &hull, budget.points / 20) {
        Some(p) => Comparison::different("random point", Some(p)),
        None => Comparison::undecided("the budget is used up"),
    }
}

fn split(all: &[i64], nd: usize, nr: usize) -> Point {
    Point {
        dims: all[..nd].to_vec(),
        ranges: all[nd..nd + nr].to_vec(),
        runtime: all[nd + nr..].to_vec(),
    }
}

/// Outcome of two maps at a point.
#[derive(PartialEq)]
enum AtPoint {
    Same,
    Different,
    /// One of them divides by zero there, and the other has a value.
    NoValue,
}

/// Different: the point is in one domain only, or in both with different results.
fn at_point(a: &mut Evaluator, b: &mut Evaluator, p: &Point) -> AtPoint {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    let at = |e: &mut Evaluator, out: &mut Vec<i64>| e.eval(&p.dims, &p.ranges, &p.runtime, out);
    let zero = Err(EvalError::DivisionByZero);
    match (at(a, &mut x), at(b, &mut y)) {
        (Ok(true), Ok(true)) if x != y => AtPoint::Different,
        (Ok(inside), Ok(other)) if inside != other => AtPoint::Different,
        (p, q) if (p == zero) != (q == zero) => AtPoint::NoValue,
        // Where neither has a value, nothing is promised.
        _ => AtPoint::Same,
    }
}

fn differs(a: &mut Evaluator, b: &mut Evaluator, p: &Point) -> bool {
    at_point(a, b, p) == AtPoint::Different
}

fn enumerate(a: &IndexingMap, b: &IndexingMap, hull: &[Interval]) -> Comparison {
    if hull.iter().any(|i| i.is_empty()) {
        return Comparison::equal("all points");
    }
    let (nd, nr) = (a.dims.len(), a.ranges.len());
    let (mut e, mut f) = (Evaluator::new(a), Evaluator::new(b));
    let mut point: Vec<i64> = hull.iter().map(|i| i.lower).collect();
    let mut no_value = false;
    loop {
        let p = split(&point, nd, nr);
        match at_point(&mut e, &mut f, &p) {
            AtPoint::Different => return Comparison::different("all points", Some(p)),
            AtPoint::NoValue => no_value = true,
            AtPoint::Same => {}
        }
        let Some(i) = (0..point.len()).rev().find(|i| point[*i] < hull[*i].upper) else {
            return if no_value {
                Comparison::undecided("one map divides by zero where the other has a value")
            } else {
                Comparison::equal("all points")
            };
        };
        point[i] += 1;
        for j in i + 1..point.len() {
            point[j] = hull[j].lower;
        }
    }
}

/// Looks for a point at which the maps differ, among random ones with many at the ends of the
/// intervals.
fn sample(a: &IndexingMap, b: &IndexingMap, hull: &[Interval], points: u64) -> Option<Point> {
    if hull.iter().any(|i| i.is_empty()) {
        return None;
    }
    let (nd, nr) = (a.dims.len(), a.ranges.len());
    let (mut e, mut f) = (Evaluator::new(a), Evaluator::new(b));
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut point = vec![0i64; hull.len()];
    for _ in 0..points {
        for (v, i) in point.iter_mut().zip(hull) {
            *v = match random() % 8 {
                0 => i.lower,
                1 => i.upper,
                2 => i.lower.saturating_add((random() % 3) as i64).min(i.upper),
                _ => {
                    let wide = (random() as u128) << 64 | random() as u128;
                    (i.lower as i128 + (wide % i.len()) as i128) as i64
                }
            };
        }
        let p = split(&point, nd, nr);
        if differs(&mut e, &mut f, &p) {
            return Some(p);
        }
    }
    None
}

/// Tells whether, on a's domain, b's domain is implied and every difference of results is zero.
/// Only `true` says something.
fn difference_is_zero(a: &IndexingMap, b: &IndexingMap) -> bool {
    let mut map = a.clone();
    let old = map.constraints.len();
    map.results = a
        .results
        .iter()
        .zip(&b.results)
        .map(|(x, y)| {
            Expr::raw(
                Op::Add,
                x.clone(),
                Expr::raw(Op::Mul, y.clone(), crate::expr::c(-1)),
            )
        })
        .chain(b.constraints.iter().map(|k| k.expr.clone()))
        .collect();
    let zero = a.results.len();
    let inside = a
        .intervals()
        .zip(b.intervals())
        .all(|(x, y)| y.contains_interval(x));
    if !inside {
        return false;
    }
    let simple = map.simplify();
    debug_assert!(old == a.constraints.len());
    if simple.is_known_empty() {
        return true;
    }
    simple.results[..zero]
        .iter()
        .all(|e| e.as_constant() == Some(0))
        && simple.results[zero..]
            .iter()
            .zip(&b.constraints)
            .all(|(e, k)| {
                let list =
                    |v: &[crate::map::Variable]| v.iter().map(|v| v.interval).collect::<Vec<_>>();
                let runtime: Vec<Interval> = simple.runtime.iter().map(|v| v.interval).collect();
                let bounds = e.bounds(&list(&simple.dims), &list(&simple.ranges), &runtime);
                let open = bounds.lower == i64::MIN || bounds.upper == i64::MAX;
                !open && k.interval.contains_interval(bounds)
                    || simple
                        .constraints
                        .iter()
                        .any(|c| c.expr == *e && k.interval.contains_interval(c.interval))
            })
}
