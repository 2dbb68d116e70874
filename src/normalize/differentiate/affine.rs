//! Maps whose results are variables times numbers plus numbers: slices, padding, reverses,
//! transposes, broadcasts and sums.

use super::relation::is_all;
use super::reverse::Reverse;
use mapwright_indexing::linear::{Facts, Sum};
use mapwright_indexing::{Expr, ExprKind, Extent, IndexingMap, Interval};
use mapwright_mlir::Val;

/// `factor * variable + offset`; without a variable a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    dim: Option<usize>,
    factor: i64,
    offset: i64,
}

fn line(expr: &Expr) -> Option<Line> {
    let variable = |kind: &ExprKind| match kind {
        ExprKind::Dim(d) => Some(Sum::var(*d)),
        _ => None,
    };
    let sum = Sum::of_expr(expr, &Facts::default(), &variable)?;
    let (terms, offset) = sum.numbers()?;
    let (dim, factor) = match terms[..] {
        [] => (None, 0),
        [(atom, factor)] => (Some(atom.as_var()?), factor),
        _ => return None,
    };
    Some(Line {
        dim,
        factor,
        offset,
    })
}

/// The results of a map as lines, where no variable is in two of them, and nothing but the ranges
/// of the variables bounds them.
fn lines(map: &IndexingMap) -> Option<Vec<Line>> {
    if !(map.constraints().is_empty() && map.runtime().is_empty() && map.ranges().is_empty()) {
        return None;
    }
    let found: Vec<Line> = map.results().iter().map(line).collect::<Option<_>>()?;
    for d in 0..map.dims().len() {
        if found.iter().filter(|line| line.dim == Some(d)).count() > 1 {
            return None;
        }
    }
    Some(found)
}

/// The first and the last value of a line over a range that is not empty.
fn ends(line: Line, range: Interval) -> Option<(i64, i64)> {
    let at = |value: i64| line.factor.checked_mul(value)?.checked_add(line.offset);
    let (a, b) = (at(range.lower)?, at(range.upper)?);
    Some((a.min(b), a.max(b)))
}

/// Tells, for a line between dimensions of which one has a size that is known at run time only,
/// whether it is all of both. `None` where both sizes are numbers.
fn whole_dimension(line: Line, size: Extent, others: &[Extent]) -> Option<bool> {
    let other = line.dim.map(|d| others[d]);
    if !size.is_run_time() && !other.is_some_and(Extent::is_run_time) {
        return None;
    }
    Some(other == Some(size) && (line.factor, line.offset) == (1, 0))
}

impl<'c> Reverse<'c> {
    /// An element of the operand goes into one of the result, along lines: its cotangent is there.
    pub(super) fn taken_along(
        &self,
        map: &IndexingMap,
        given: Val<'c>,
        shape: &[Extent],
    ) -> Option<Val<'c>> {
        let m = &self.m;
        let lines = lines(map)?;
        let (_, out) = m.type_of(given);
        if map.dims().len() != shape.len()
            || lines.len() != out.len()
            || shape.contains(&Extent::ZERO)
        {
            return None;
        }
        // The part of the operand that goes anywhere.
        let mut part = Vec::new();
        for (variable, size) in map.dims().iter().zip(shape) {
            let range = variable.interval;
            let Some(size) = size.as_constant() else {
                if range.lower != 0 {
                    return None;
                }
                part.push(range);
                continue;
            };
            let (lower, upper) = (range.lower.max(0), range.upper.min(size - 1));
            if lower > upper {
                return None;
            }
            part.push(Interval::new(lower, upper));
        }
        let mut cut = given;
        let mut turned = Vec::new();
        for (r, line) in lines.iter().enumerate() {
            if let Some(whole) = whole_dimension(*line, out[r], shape) {
                whole.then_some(())?;
                continue;
            }
            let range = line.dim.map_or(Interval::point(0), |d| part[d]);
            let (first, last) = ends(*line, range)?;
            if first < 0 || out[r] <= last {
                return None;
            }
            let step = line.factor.abs().max(1);
            cut = m.slice(cut, r, (first, step, last + 1));
            if line.factor < 0 {
                turned.push(r as i64);
            }
        }
        let cut = m.reverse(cut, &turned);
        // In the order of the operand, without what is constant.
        let to: Vec<usize> = lines.iter().filter_map(|line| line.dim).collect();
        let size_of = |d: usize| {
            if shape[d].is_run_time() {
                shape[d]
            } else {
                Extent::from(part[d].upper - part[d].lower + 1)
            }
        };
        let sizes: Vec<Extent> = to.iter().map(|d| size_of(*d)).collect();
        let mut order: Vec<i64> = (0..to.len() as i64).collect();
        order.sort_by_key(|i| to[*i as usize]);
        let moved = m.transpose(m.reshape(cut, &sizes), &order);
        let dims: Vec<i64> = order.iter().map(|i| to[*i as usize] as i64).collect();
        let wide: Vec<Extent> = (0..part.len()).map(size_of).collect();
        let spread = m.broadcast(moved, &dims, &wide);
        let low: Vec<i64> = part.iter().map(|range| range.lower).collect();
        let high: Vec<i64> = part
            .iter()
            .zip(shape)
            .map(|(range, size)| size.as_constant().map_or(0, |size| size - 1 - range.upper))
            .collect();
        Some(m.pad(spread, &low, &vec![0; shape.len()], &high))
    }

    /// An element of the result comes from one of the operand, along lines: its cotangent goes
    /// there. Dimensions that say nothing are summed.
    pub(super) fn placed_along(
        &self,
        map: &IndexingMap,
        given: Val<'c>,
        shape: &[Extent],
    ) -> Option<Val<'c>> {
        let m = &self.m;
        let lines = lines(map)?;
        let (_, out) = m.type_of(given);
        let whole = map
            .dims()
            .iter()
            .zip(&out)
            .all(|(variable, size)| is_all(variable, *size));
        if !whole
            || map.dims().len() != out.len()
            || lines.len() != shape.len()
            || out.contains(&Extent::ZERO)
        {
            return None;
        }
        let from: Vec<usize> = lines.iter().filter_map(|line| line.dim).collect();
        let silent: Vec<i64> = (0..out.len() as i64)
            .filter(|d| !from.contains(&(*d as usize)))
            .collect();
        let mut low = Vec::new();
        let mut interior = Vec::new();
        let mut high = Vec::new();
        let mut sizes = Vec::new();
        let mut turned = Vec::new();
        for (r, line) in lines.iter().enumerate() {
            if let Some(whole) = whole_dimension(*line, shape[r], &out) {
                whole.then_some(())?;
                low.push(0);
                high.push(0);
                interior.push(0);
                sizes.push(shape[r]);
                continue;
            }
            let size = shape[r].as_constant()?;
            let range = match line.dim {
                Some(d) => Interval::of_size(out[d].as_constant()?),
                None => Interval::point(0),
            };
            let (first, last) = ends(*line, range)?;
            if first < 0 || last >= size {
                return None;
            }
            low.push(first);
            high.push(size - 1 - last);
            interior.push(line.factor.abs().max(1) - 1);
            sizes.push(Extent::from(range.upper - range.lower + 1));
            if line.factor < 0 {
                turned.push(r as i64);
            }
        }
        let total = m.sum(given, &silent);
        let mut left = from.clone();
        left.sort_unstable();
        let permutation: Vec<i64> = from
            .iter()
            .map(|d| left.iter().position(|l| l == d).unwrap_or(0) as i64)
            .collect();
        let moved = m.reshape(m.transpose(total, &permutation), &sizes);
        Some(m.pad(m.reverse(moved, &turned), &low, &interior, &high))
    }
}
