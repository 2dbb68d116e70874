//! Where the pieces of a result begin and end.

use super::step;
use crate::index_rule::{Found, Read, Reads};
use crate::query::{Query, indices};
use mapwright_indexing::{Expr, ExprKind, IndexingMap, Interval, Op, Variable};

/// Start and end of a piece in one dimension.
pub(super) struct End {
    pub(super) number: Expr,
    /// Of the number, where the piece is.
    pub(super) span: Interval,
    pub(super) step: i64,
}

/// The part of the map where the piece is.
pub(super) fn inside(q: &Query<'_>, piece: &Read<Expr>, map: IndexingMap) -> Found<IndexingMap> {
    let ends = ends(q, piece)?;
    Ok(ends.iter().fold(map, |map, end| end.inside(map)))
}

fn ends(q: &Query<'_>, piece: &Read<Expr>) -> Found<Vec<End>> {
    let own = q.operand_sizes(piece.operand)?;
    if own.len() != piece.at.len() {
        return Err("operand and result have different ranks".into());
    }
    let places = own.into_iter().zip(&piece.at);
    places
        .map(|(size, place)| Ok(End::new(place.number.clone(), indices(size), step(place)?)))
        .collect()
}

impl End {
    /// Describes where `number / step` is a whole number in the interval.
    pub(super) fn new(number: Expr, within: Interval, step: i64) -> Self {
        let times = |end: i64| match end {
            i64::MAX => i64::MAX,
            end => end.saturating_mul(step),
        };
        let span = if within.is_empty() {
            Interval::EMPTY
        } else {
            Interval::new(times(within.lower), times(within.upper))
        };
        Self { number, span, step }
    }

    /// The part of the map that is inside.
    pub(super) fn inside(&self, mut map: IndexingMap) -> IndexingMap {
        match plus_constant(&self.number) {
            Some((k, offset)) if k < map.dims().len() => {
                let span = if self.span.is_empty() {
                    self.span
                } else {
                    self.span.plus(Interval::point(-offset))
                };
                let own = &mut map.dims_mut()[k].interval;
                *own = own.intersect(span);
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
        ExprKind::Binary(Op::Add, a, b) => match (a.kind(), b.as_constant()) {
            (ExprKind::Dim(k), Some(offset)) => Some((*k, offset)),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the interval of an expression on the box of the map's variables.
pub(super) fn bounds(expr: &Expr, map: &IndexingMap) -> Interval {
    let intervals =
        |list: &[Variable]| -> Vec<Interval> { list.iter().map(|v| v.interval).collect() };
    let runtime: Vec<Interval> = map.runtime().iter().map(|v| v.clamp()).collect();
    expr.bounds(&intervals(map.dims()), &intervals(map.ranges()), &runtime)
}

/// The map without the pieces, as disjoint maps: inside of a piece in all dimensions before one,
/// and before it, behind it or between two of its elements in that one. Where a piece ends at run
/// time, all of the map, which is then not exact.
pub(super) fn elsewhere(
    q: &Query<'_>,
    reads: &Reads<Expr>,
    map: IndexingMap,
) -> Found<Vec<IndexingMap>> {
    let mut left = vec![map];
    for piece in &reads.pieces {
        let dims = &q.operand(piece.operand)?.dims;
        if dims.iter().any(|dim| dim.fixed().is_none()) {
            return Ok(left.into_iter().map(|map| map.with_exact(false)).collect());
        }
        let ends = ends(q, piece)?;
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
        let all = bounds(&end.number, &inside);
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
