//! Maps from an operand to a result: the places that a rule reads at, solved for the index of the result.
//!
//! The rule runs with a range variable for each index of the result. Where a place is a sum with one of them, that one follows from the dimension of the
//! operand, and is a whole number within the result or there is none; any other place has to be equal to its dimension. Those that no place gives are
//! free: the element goes to all of them.

use super::ends::{End, elsewhere};
use super::{Direction, Rule, runs, step, without_unused};
use crate::index_rule::{Found, Place, Read, Reads, expressions::scaled};
use crate::query::{Pieces, Query, nothing, over, variables};
use mapwright_indexing::{Constraint, Expr, ExprKind, IndexingMap, Op, c, d, rt, s};

/// The maps from an operand to a result that the rule says.
pub(crate) fn inverses(q: &Query<'_>, operand: usize, result: usize, rule: Rule<'_>) -> Pieces {
    let (inp, out) = (q.operand_sizes(operand)?, q.result_sizes(result)?);
    let mut whole = over(&inp, vec![]);
    whole.ranges = variables(&out);
    let index: Vec<Expr> = (0..out.len()).map(s).collect();
    let mut found = Vec::new();
    for (reads, map) in runs(q, result, Direction::Forward, &whole, &index, rule)? {
        for piece in reads.pieces.iter().filter(|read| read.operand == operand) {
            let (_, map) = solved(&map, piece, &inp, &out)?;
            found.push(map);
        }
        if let Some(rest) = reads.elsewhere.as_ref().filter(|r| r.operand == operand) {
            let (index, map) = solved(&map, rest, &inp, &out)?;
            let around = Reads {
                pieces: reads.pieces.iter().map(|read| index.read(read)).collect(),
                elsewhere: None,
            };
            found.extend(elsewhere(q, result, &around, map)?);
        }
    }
    match found.is_empty() {
        true => Ok(nothing(&inp, &out)),
        false => Ok(found.into_iter().map(without_unused).collect()),
    }
}

/// What each index of a result is: an expression over the dimensions of the operand, and over the range variables of those that are free.
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

/// The index of the result at which `read` is at the dimensions of the map, and the map to it.
fn solved(
    map: &IndexingMap,
    read: &Read<Expr>,
    inp: &[i64],
    out: &[i64],
) -> Found<(Solution, IndexingMap)> {
    if read.at.len() != inp.len() {
        return Err("operand and result have different ranks".into());
    }
    let mut index: Vec<Option<Expr>> = vec![None; out.len()];
    let mut ends: Vec<Option<End>> = Vec::new();
    for (k, place) in read.at.iter().enumerate() {
        let target = scaled(d(k), step(place)?);
        let end = match ranges(&place.number)[..] {
            [j] if index[j].is_none() => invert(target, &place.number).map(|(number, divisor)| {
                index[j] = Some(number.clone().floor_div(divisor));
                End::new(number, out[j], divisor)
            }),
            _ => None,
        };
        ends.push(end);
    }
    // Places with several: the last one is added to what the others say.
    let mut added: Vec<Option<(usize, Expr)>> = vec![None; ends.len()];
    for (k, place) in read
        .at
        .iter()
        .enumerate()
        .filter(|(k, _)| ends[*k].is_none())
    {
        if let ExprKind::Binary(Op::Add, start, last) = place.number.kind()
            && let ExprKind::Range(j) = *last.kind()
            && index[j].is_none()
            && added.iter().flatten().all(|(other, _)| *other != j)
            && !ranges(start).contains(&j)
        {
            added[k] = Some((j, start.clone()));
        }
    }
    let mut map = map.clone();
    let all = std::mem::take(&mut map.ranges);
    let mut solution = Solution(Vec::new());
    for (j, (found, range)) in index.into_iter().zip(all).enumerate() {
        let is_added = added.iter().flatten().any(|(other, _)| *other == j);
        solution.0.push(match found {
            Some(found) => found,
            // Follows below.
            None if is_added => c(0),
            None => {
                map.ranges.push(range);
                s(map.ranges.len() - 1)
            }
        });
    }
    let taken: Vec<usize> = added.iter().flatten().map(|(j, _)| *j).collect();
    for (k, added) in added.into_iter().enumerate() {
        let Some((j, start)) = added else { continue };
        if ranges(&start).iter().any(|i| taken.contains(i)) {
            return Err("places that follow from each other".into());
        }
        let number = minus(scaled(d(k), step(&read.at[k])?), &solution.apply(&start));
        ends[k] = Some(End::new(number.clone(), out[j], 1));
        solution.0[j] = number;
    }
    for constraint in &mut map.constraints {
        *constraint = Constraint {
            expr: solution.apply(&constraint.expr),
            interval: constraint.interval,
        };
    }
    for variable in &mut map.runtime {
        let own = variable.origin.index.as_mut();
        let Some(own) = own.filter(|own| !own.ranges.is_empty()) else {
            continue;
        };
        own.ranges = map.ranges.clone();
        for at in &mut own.results {
            *at = solution.apply(at);
            let mut is_read = false;
            at.for_each_variable(|kind| is_read |= matches!(kind, ExprKind::Runtime(_)));
            if is_read {
                return Err("an element is read at an index that follows from another one".into());
            }
        }
    }
    map.results = solution.0.clone();
    for (k, (end, place)) in ends.into_iter().zip(&read.at).enumerate() {
        let end = match end {
            Some(end) => end,
            None => {
                let number = solution.apply(&place.number);
                End::new(minus(scaled(d(k), step(place)?), &number), 1, 1)
            }
        };
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

/// The number, and the divisor by which it gives the only range variable of `expr`, where that is `target`.
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
