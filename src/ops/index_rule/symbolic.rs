//! Index rules as indexing maps.

use super::{
    Arithmetic, Found, IndexDomain, IndexRule, NumberDomain, Place, Read, Reads, Tensor, evaluate,
};
use crate::query::{Pieces, Query, UNBOUNDED, nothing, over};
use crate::sizes::size_of;
use mapwright_indexing::{Expr, ExprKind, IndexingMap, Interval, Op as Operation, c, d, rt};
use mapwright_mlir::stand_ins::is_stand_in;

/// The maps from a result to an operand that the rule says: one for each piece of that operand, and disjoint ones where that operand is what is left.
pub(crate) fn maps(q: &Query<'_>, result: usize, operand: usize, rule: IndexRule) -> Pieces {
    let out = q.result_sizes(result)?;
    let index = (0..out.len()).map(d).collect();
    let found = from(q, result, operand, rule, over(&out, vec![]), index)?;
    match found.is_empty() {
        true => Ok(nothing(&out, &q.operand_sizes(operand)?)),
        false => Ok(found),
    }
}

/// As [`maps`], where the index of the result is an expression of the variables of `whole`, behind whose results the index that is read is added. Empty
/// where nothing is read.
pub(crate) fn from(
    q: &Query<'_>,
    result: usize,
    operand: usize,
    rule: IndexRule,
    whole: IndexingMap,
    index: Vec<Expr>,
) -> Pieces {
    let mut domain = Symbolic {
        q,
        result,
        map: whole,
    };
    let reads = evaluate(&mut domain, q.op, rule, index)?;
    let map = domain.map;
    let alone = reads.pieces.len() == 1 && reads.elsewhere.is_none();
    let mut found = Vec::new();
    for piece in reads.pieces.iter().filter(|read| read.operand == operand) {
        let mut own = map.clone();
        if !alone {
            for end in ends(q, result, piece)? {
                own = end.inside(own);
            }
        }
        found.push(with_results(own, q, piece)?);
    }
    if let Some(rest) = reads.elsewhere.as_ref().filter(|r| r.operand == operand) {
        for own in elsewhere(q, result, &reads, map)? {
            found.push(with_results(own, q, rest)?);
        }
    }
    Ok(found)
}

/// The map with the index that is read, without the runtime variables that nothing needs.
fn with_results(mut map: IndexingMap, q: &Query<'_>, read: &Read<Expr>) -> Found<IndexingMap> {
    if read.at.len() != q.operand(read.operand)?.rank() {
        return Err("operand and result have different ranks".into());
    }
    for place in &read.at {
        let step = step(place)?;
        map.results.push(place.number.clone().floor_div(step));
    }
    let mut used = 0;
    let constraints = map.constraints.iter().map(|constraint| &constraint.expr);
    for expr in map.results.iter().chain(constraints) {
        expr.for_each_variable(|kind| {
            if let ExprKind::Runtime(k) = kind {
                used = used.max(k + 1);
            }
        });
    }
    map.runtime.truncate(used);
    Ok(map)
}

fn step(place: &Place<Expr>) -> Found<i64> {
    let step = place.step.as_constant().filter(|step| *step > 0);
    step.ok_or_else(|| "a step that is known at run time only".into())
}

/// Where a piece begins and ends in one dimension.
struct End {
    number: Expr,
    /// Of the number, where the piece is.
    span: Interval,
    step: i64,
    /// What stands for run-time sizes does not tell which of two is greater.
    stands_in: bool,
}

fn ends(q: &Query<'_>, result: usize, piece: &Read<Expr>) -> Found<Vec<End>> {
    let own = q.operand_sizes(piece.operand)?;
    let out = q.result_sizes(result)?;
    if own.len() != piece.at.len() {
        return Err("operand and result have different ranks".into());
    }
    let places = own.into_iter().zip(&piece.at).enumerate();
    places
        .map(|(k, (size, place))| {
            let step = step(place)?;
            let span = match size {
                0 => Interval::EMPTY,
                UNBOUNDED => Interval::new(0, i64::MAX),
                n => Interval::new(0, (n - 1).saturating_mul(step)),
            };
            let stands_in = is_stand_in(size) || out.get(k).is_some_and(|size| is_stand_in(*size));
            Ok(End {
                number: place.number.clone(),
                span,
                step,
                stands_in,
            })
        })
        .collect()
}

impl End {
    /// The part of the map that is inside.
    fn inside(&self, mut map: IndexingMap) -> IndexingMap {
        match plus_constant(&self.number) {
            Some((k, offset)) if k < map.dims.len() => {
                let span = match self.span.is_empty() {
                    true => self.span,
                    false => self.span.plus(Interval::point(-offset)),
                };
                let own = &mut map.dims[k].interval;
                *own = match self.stands_in {
                    true => span,
                    false => own.intersect(span),
                };
            }
            _ if self.span.contains_interval(bounds(&self.number, &map)) => {}
            _ => map = map.with_constraint(self.number.clone(), self.span),
        }
        self.whole(map, Interval::point(0))
    }

    /// The part where the number leaves one of `rest` when it is divided.
    fn whole(&self, map: IndexingMap, rest: Interval) -> IndexingMap {
        match self.step {
            1 => map,
            step => map.with_constraint(self.number.clone().modulo(step), rest),
        }
    }
}

/// A dimension variable and what is added to it.
fn plus_constant(expr: &Expr) -> Option<(usize, i64)> {
    match expr.kind() {
        ExprKind::Dim(k) => Some((*k, 0)),
        ExprKind::Binary(Operation::Add, a, b) => match (a.kind(), b.as_constant()) {
            (ExprKind::Dim(k), Some(offset)) => Some((*k, offset)),
            _ => None,
        },
        _ => None,
    }
}

fn bounds(expr: &Expr, map: &IndexingMap) -> Interval {
    let intervals = |list: &[mapwright_indexing::Variable]| {
        list.iter().map(|v| v.interval).collect::<Vec<Interval>>()
    };
    let runtime: Vec<Interval> = map.runtime.iter().map(|v| v.clamp()).collect();
    expr.bounds(&intervals(&map.dims), &intervals(&map.ranges), &runtime)
}

/// The map without the pieces, as disjoint maps: inside of a piece in all dimensions before one, and before it, behind it or between two of its elements in
/// that one. Where a piece ends at run time, all of the map, which is then not exact.
fn elsewhere(
    q: &Query<'_>,
    result: usize,
    reads: &Reads<Expr>,
    map: IndexingMap,
) -> Found<Vec<IndexingMap>> {
    let mut left = vec![map];
    for piece in &reads.pieces {
        let dims = &q.operand(piece.operand)?.dims;
        if dims.iter().any(|dim| dim.fixed().is_none()) {
            return Ok(left.into_iter().map(|map| map.with_exact(false)).collect());
        }
        let ends = ends(q, result, piece)?;
        let around = left.into_iter().flat_map(|map| outside(&ends, map));
        left = around.collect();
    }
    Ok(left)
}

fn outside(ends: &[End], mut inside: IndexingMap) -> Vec<IndexingMap> {
    let mut pieces = Vec::new();
    for end in ends {
        if end.span.is_empty() {
            pieces.push(inside);
            return pieces;
        }
        // Numbers that stand for run-time sizes say nothing of which one is greater: no side may be left out for them.
        let all = match end.stands_in {
            true => Interval::FULL,
            false => bounds(&end.number, &inside),
        };
        let sides = [
            Interval::new(i64::MIN, end.span.lower.saturating_sub(1)),
            match end.span.upper {
                i64::MAX => Interval::EMPTY,
                upper => Interval::new(upper + 1, i64::MAX),
            },
        ];
        for side in sides {
            let side = side.intersect(all);
            if !side.is_empty() {
                pieces.push(inside.clone().with_constraint(end.number.clone(), side));
            }
        }
        if !end.span.contains_interval(all) {
            inside = inside.with_constraint(end.number.clone(), end.span.intersect(all));
        }
        if end.step > 1 {
            pieces.push(end.whole(inside.clone(), Interval::new(1, end.step - 1)));
            inside = end.whole(inside, Interval::point(0));
        }
    }
    pieces
}

/// The domain of expressions. What is read at run time is a runtime variable of the map.
struct Symbolic<'a, 'c> {
    q: &'a Query<'c>,
    result: usize,
    map: IndexingMap,
}

impl Symbolic<'_, '_> {
    /// A constant element.
    fn constant_element(&self, operand: usize, at: &[Expr]) -> Option<i64> {
        self.q.known(operand, at, &self.map)?.as_constant()
    }

    fn read(&mut self, operand: usize, at: Vec<Expr>, within: Interval) -> Expr {
        let variable = self.q.element(operand, within, at, &self.map);
        self.map.runtime.push(variable);
        rt(self.map.runtime.len() - 1)
    }
}

impl NumberDomain for Symbolic<'_, '_> {
    type Value = Expr;
    type Error = String;

    fn constant(&mut self, n: i64) -> Expr {
        c(n)
    }

    fn known(&self, index: &Expr) -> Option<i64> {
        index.as_constant()
    }

    fn arithmetic(&mut self, what: Arithmetic, a: Expr, b: Expr) -> Found<Expr> {
        let by_constant = b.as_constant().filter(|n| *n > 0).is_some();
        Ok(match what {
            Arithmetic::Add => sum(a, b),
            Arithmetic::Sub => match b.as_constant().and_then(i64::checked_neg) {
                Some(n) => sum(a, c(n)),
                None => a - b,
            },
            Arithmetic::Mul if a.as_constant().or(b.as_constant()).is_some() => a * b,
            Arithmetic::Div if by_constant => a.floor_div(b),
            Arithmetic::Rem if by_constant => a.modulo(b),
            Arithmetic::Min => a.min(b),
            Arithmetic::Max => a.max(b),
            Arithmetic::Mul | Arithmetic::Div | Arithmetic::Rem => {
                return Err("a factor or divisor that is known at run time only".into());
            }
        })
    }
}

impl IndexDomain for Symbolic<'_, '_> {
    fn size(&mut self, of: Tensor, k: usize) -> Found<Expr> {
        let ty = match of {
            Tensor::Operand(i) => self.q.operand(i)?,
            Tensor::Result => self.q.result(self.result)?,
        };
        let dim = ty.dims.get(k).copied();
        let dim = dim.ok_or("operand and result have different ranks")?;
        Ok(match of {
            Tensor::Operand(i) => self.q.size_of_operand(&mut self.map, i, k, dim),
            Tensor::Result => size_of(&mut self.map, self.q.op.result(self.result), k, dim),
        })
    }

    fn element(&mut self, operand: usize, at: Vec<Expr>, within: Interval) -> Found<Expr> {
        match self.constant_element(operand, &at) {
            Some(value) if within.contains(value) => Ok(c(value)),
            Some(value) => Err(format!("operand {operand} has the element {value}")),
            None => Ok(self.read(operand, at, within)),
        }
    }

    fn clamped(&mut self, operand: usize, at: Vec<Expr>, last: Expr) -> Found<Expr> {
        let all = bounds(&last, &self.map);
        if all.upper == 0 {
            return Ok(c(0));
        }
        let last = last.as_constant().ok_or_else(|| {
            format!(
                "the start in operand {operand} is clamped by a size that is known at run time only"
            )
        })?;
        if last < 0 {
            return Err(format!(
                "the start in operand {operand} is of a slice that is larger than the operand"
            ));
        }
        Ok(match self.constant_element(operand, &at) {
            Some(value) => c(value.clamp(0, last)),
            None => self.read(operand, at, Interval::new(0, last)),
        })
    }

    fn stretched(&mut self, operand: usize, k: usize, index: Expr) -> Found<Expr> {
        let dims = &self.q.operand(operand)?.dims;
        match dims.get(k).and_then(|dim| dim.fixed()) {
            Some(1) => Ok(c(0)),
            Some(_) => Ok(index),
            None => Err(format!(
                "whether dimension {k} of operand {operand} is stretched is known at run time only"
            )),
        }
    }
}

/// The sum, with constants taken together.
fn sum(a: Expr, b: Expr) -> Expr {
    if let (ExprKind::Binary(Operation::Add, x, y), Some(n)) = (a.kind(), b.as_constant())
        && let Some(total) = y.as_constant().and_then(|m| m.checked_add(n))
    {
        return x.clone() + total;
    }
    a + b
}
