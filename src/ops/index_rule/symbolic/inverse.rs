//! Maps from an operand to a result: the places that a rule reads at, solved for the index of the
//! result.
//!
//! The rule runs with a range variable for each index of the result. Where a place is a sum with
//! one of them, that one follows from the dimension of the operand, and is a whole number within
//! the result or there is none; any other place has to be equal to its dimension. Those that no
//! place gives are free: the element goes to all of them. Places that are put together of digits,
//! and digits of one index, are solved digit by digit.

use super::ends::{End, bounds, elsewhere};
use super::{Direction, Rule, Run, is_asked, runs, step, without_unused};
use crate::index_rule::{Found, Place, Read, Reads, expressions::scaled};
use crate::query::{Pieces, Query, everything, nothing, over, variables};
use mapwright_indexing::{Expr, ExprKind, IndexingMap, Interval, Op, c, d, rt, s};

/// The maps from an operand to a result that the rule says.
pub(crate) fn inverses(q: &Query<'_>, operand: usize, result: usize, rule: Rule<'_>) -> Pieces {
    let (inp, out) = (q.operand_sizes(operand)?, q.result_sizes(result)?);
    let mut whole = over(&inp, vec![]);
    whole.set_ranges(variables(&out));
    let index: Vec<Expr> = (0..out.len()).map(s).collect();
    let mut found = Vec::new();
    let runs = runs(q, result, Direction::Forward, &whole, &index, rule)?;
    let says_where = is_asked(&runs, operand);
    for Run { reads, map, .. } in runs {
        for piece in reads.pieces.iter().filter(|read| read.operand == operand) {
            found.push(solved(&map, piece, &inp, &out)?.1);
        }
        if let Some(rest) = reads.elsewhere.as_ref().filter(|r| r.operand == operand) {
            let (index, map) = solved(&map, rest, &inp, &out)?;
            let around = Reads {
                pieces: reads.pieces.iter().map(|read| index.read(read)).collect(),
                elsewhere: None,
            };
            found.extend(elsewhere(q, &around, map)?);
        }
    }
    match (found.is_empty(), says_where) {
        (true, true) => Ok(vec![everything(&inp, &out)]),
        (true, false) => Ok(nothing(&inp, &out)),
        (false, _) => Ok(found.into_iter().map(without_unused).collect()),
    }
}

/// Indices of a result: expressions over the dimensions of the operand, and over the range
/// variables of those that are free.
struct Solution(Vec<Expr>);

impl Solution {
    fn apply(&self, expr: &Expr) -> Expr {
        expr.replace(|kind| match kind {
            ExprKind::Range(j) => self.0[*j].clone(),
            ExprKind::Dim(k) => d(*k),
            ExprKind::Runtime(k) => rt(*k),
            // Only variables are asked for.
            ExprKind::Constant(_) | ExprKind::Binary(..) => c(0),
        })
    }

    fn read(&self, read: &Read<Expr>) -> Read<Expr> {
        let places = read.at.iter().map(|place| Place {
            number: self.apply(&place.number),
            step: place.step.clone(),
        });
        Read {
            operand: read.operand,
            at: places.collect(),
        }
    }
}

/// Equation of a place: `number`, over the range variables of the map, is `target`, over the
/// dimensions of the operand.
struct Equation {
    target: Expr,
    number: Expr,
}

impl Equation {
    /// The equation, or one for each digit of the number: `a * factor + b`, where `b` is below the
    /// factor, tells what both are.
    fn digits(self, map: &IndexingMap, found: &mut Vec<Self>) {
        let Some((high, factor, low)) = highest_digit(&self.number, map) else {
            found.push(self);
            return;
        };
        let (high, low) = (high.clone(), low.clone());
        let parts = [
            (self.target.clone().floor_div(factor), high),
            (self.target.modulo(factor), low),
        ];
        for (target, number) in parts {
            Self { target, number }.digits(map, found);
        }
    }

    /// The dividend and the divisor, if the number is this operation with a positive one.
    fn divided(&self, by: Op) -> Option<(&Expr, i64)> {
        match self.number.kind() {
            ExprKind::Binary(op, dividend, divisor) if *op == by => {
                let divisor = divisor.as_constant().filter(|n| *n > 0)?;
                Some((dividend, divisor))
            }
            _ => None,
        }
    }
}

/// `a`, the factor and `b`, if the number is `a * factor + b` with `b` in `[0, factor - 1]`.
fn highest_digit<'e>(number: &'e Expr, map: &IndexingMap) -> Option<(&'e Expr, i64, &'e Expr)> {
    let ExprKind::Binary(Op::Add, high, low) = number.kind() else {
        return None;
    };
    let (high, factor) = match high.kind() {
        ExprKind::Binary(Op::Mul, high, factor) => (high, factor.as_constant()?),
        _ => (high, 1),
    };
    let is_digit = factor > 0
        && !ranges(high).is_empty()
        && !ranges(low).is_empty()
        && Interval::of_size(factor).contains_interval(bounds(low, map));
    is_digit.then_some((high, factor, low))
}

/// The equations with quotient and remainder of one number by one divisor put together, and where
/// remainders may be.
fn joined(equations: Vec<Equation>) -> (Vec<Equation>, Vec<End>) {
    let (mut found, mut ends) = (Vec::new(), Vec::new());
    let mut left = equations;
    while !left.is_empty() {
        let own = left.remove(0);
        let pairs = [(Op::FloorDiv, Op::Mod), (Op::Mod, Op::FloorDiv)];
        let pair = pairs.into_iter().find_map(|(by, other)| {
            let (number, divisor) = own.divided(by)?;
            let is_other = |e: &Equation| e.divided(other) == Some((number, divisor));
            let at = left.iter().position(is_other)?;
            Some((at, number.clone(), divisor, by))
        });
        let Some((at, number, divisor, by)) = pair else {
            found.push(own);
            continue;
        };
        let other = left.remove(at).target;
        let (quotient, rest) = match by {
            Op::FloorDiv => (own.target, other),
            _ => (other, own.target),
        };
        ends.push(End::new(rest.clone(), Interval::of_size(divisor), 1));
        let target = scaled(quotient, divisor) + rest;
        left.push(Equation { target, number });
    }
    (found, ends)
}

/// The index of the result at which `read` is at the dimensions of the map, and the map to it.
/// Range variables behind those of the result stand for numbers that no expression says.
fn solved(
    map: &IndexingMap,
    read: &Read<Expr>,
    inp: &[i64],
    out: &[i64],
) -> Found<(Solution, IndexingMap)> {
    if read.at.len() != inp.len() {
        return Err("operand and result have different ranks".into());
    }
    let mut digits = Vec::new();
    for (k, place) in read.at.iter().enumerate() {
        let target = scaled(d(k), step(place)?);
        let number = place.number.clone();
        Equation { target, number }.digits(map, &mut digits);
    }
    let (equations, of_digits) = joined(digits);
    let within: Vec<Interval> = map.ranges().iter().map(|range| range.interval).collect();
    let mut index: Vec<Option<Expr>> = vec![None; within.len()];
    let mut ends: Vec<Option<End>> = Vec::new();
    for Equation { target, number } in &equations {
        let end = match ranges(number)[..] {
            [j] if index[j].is_none() => invert(target.clone(), number).map(|(number, divisor)| {
                index[j] = Some(number.clone().floor_div(divisor));
                End::new(number, within[j], divisor)
            }),
            _ => None,
        };
        ends.push(end);
    }
    // Places with several: the last one is added to what the others say.
    let mut added: Vec<Option<(usize, Expr)>> = vec![None; ends.len()];
    for (k, equation) in equations.iter().enumerate() {
        if ends[k].is_none()
            && let ExprKind::Binary(Op::Add, start, last) = equation.number.kind()
            && let ExprKind::Range(j) = *last.kind()
            && index[j].is_none()
            && added.iter().flatten().all(|(other, _)| *other != j)
            && !ranges(start).contains(&j)
        {
            added[k] = Some((j, start.clone()));
        }
    }
    let mut map = map.clone();
    let all = map.edit(|m| std::mem::take(&mut m.ranges));
    let mut solution = Solution(Vec::new());
    for (j, (found, range)) in index.into_iter().zip(all).enumerate() {
        let is_added = added.iter().flatten().any(|(other, _)| *other == j);
        solution.0.push(match found {
            Some(found) => found,
            // Follows below.
            None if is_added => c(0),
            None => map.push_range(range),
        });
    }
    let taken: Vec<usize> = added.iter().flatten().map(|(j, _)| *j).collect();
    for (k, added) in added.into_iter().enumerate() {
        let Some((j, start)) = added else { continue };
        if ranges(&start).iter().any(|i| taken.contains(i)) {
            return Err("places that follow from each other".into());
        }
        let number = minus(equations[k].target.clone(), &solution.apply(&start));
        ends[k] = Some(End::new(number.clone(), within[j], 1));
        solution.0[j] = number;
    }
    let mut is_read = false;
    map.edit(|m| {
        for constraint in &mut m.constraints {
            constraint.expr = solution.apply(&constraint.expr);
        }
        for variable in &mut m.runtime {
            let own = variable.origin.index.as_mut();
            let Some(own) = own.filter(|own| !own.ranges().is_empty()) else {
                continue;
            };
            own.edit(|own| {
                own.ranges.clone_from(&m.ranges);
                for at in &mut own.results {
                    *at = solution.apply(at);
                    at.for_each_variable(|kind| is_read |= matches!(kind, ExprKind::Runtime(_)));
                }
            });
        }
        m.results = solution.0[..out.len()].to_vec();
    });
    if is_read {
        return Err("an element is read at an index that follows from another one".into());
    }
    for (end, equation) in ends.into_iter().zip(equations) {
        let end = end.unwrap_or_else(|| {
            let number = solution.apply(&equation.number);
            End::new(minus(equation.target, &number), Interval::point(0), 1)
        });
        map = end.inside(map);
    }
    for end in of_digits {
        map = end.inside(map);
    }
    Ok((solution, map))
}

/// The range variables of an expression.
fn ranges(expr: &Expr) -> Vec<usize> {
    let mut found = Vec::new();
    expr.for_each_variable(|kind| {
        if let ExprKind::Range(j) = kind
            && !found.contains(j)
        {
            found.push(*j);
        }
    });
    found
}

/// The number, and the divisor by which it gives the only range variable of `expr`, where that is
/// `target`.
fn invert(target: Expr, expr: &Expr) -> Option<(Expr, i64)> {
    match expr.kind() {
        ExprKind::Range(_) => Some((target, 1)),
        ExprKind::Binary(Op::Add, a, b) => match (ranges(a).is_empty(), ranges(b).is_empty()) {
            (false, true) => invert(minus(target, b), a),
            (true, false) => invert(minus(target, a), b),
            _ => None,
        },
        ExprKind::Binary(Op::Mul, a, b) => match b.as_constant()? {
            -1 => invert(scaled(target, -1), a),
            factor @ 1.. if matches!(a.kind(), ExprKind::Range(_)) => Some((target, factor)),
            _ => None,
        },
        _ => None,
    }
}

fn minus(a: Expr, b: &Expr) -> Expr {
    match b.as_constant().and_then(i64::checked_neg) {
        Some(n) => a + n,
        None => a - b.clone(),
    }
}
