//! Coalescing: how the accesses of a loop nest lie in memory.
//!
//! The nest has a loop for every output dimension, in a given order (outermost first), and inside
//! them one for every range variable of the access. The place of an access is the row-major linear
//! index of the element. A loop's *stride* is the distance of the places in two neighbouring
//! iterations, if it is the same everywhere. The innermost loop over an output dimension is cut
//! into vectors of `width` iterations: an access is *contiguous* if the stride there is
//! 1, *uniform* if it is 0, *strided* for any other constant, and a *gather* if there is none.
//! Bytes of the cache lines that the vectors touch, over bytes of the different elements they use,
//! are counted over the first [`VECTORS`] vectors in loop order.

use crate::linear::linear;
use crate::strided::Strided;
use mapwright_indexing::{Evaluator, Expr, ExprKind, IndexingMap, c, d, rt, s};
use std::collections::BTreeSet;

/// Bytes of a cache line.
pub const LINE: i64 = 64;
/// The most vectors that are looked at.
pub const VECTORS: usize = 1024;

/// Layout of a vector access in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Neighbours in memory.
    Contiguous,
    /// One element for all.
    Uniform,
    /// A constant distance.
    Strided,
    /// No constant distance.
    Gather,
}

impl Kind {
    /// As the JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Contiguous => "contiguous",
            Self::Uniform => "uniform",
            Self::Strided => "strided",
            Self::Gather => "gather",
        }
    }
}

/// Facts about an access.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// Strides in elements, one for each loop in the given order; `None` where it is not constant.
    pub loops: Vec<Option<i64>>,
    /// Strides of the loops over range variables, inside.
    pub ranges: Vec<Option<i64>>,
    /// The access along the innermost output loop.
    pub kind: Kind,
    /// Bytes of cache lines touched, over the vectors looked at; `None` where places are known at
    /// run time only.
    pub bytes_touched: Option<u64>,
    /// Bytes of different elements used in them.
    pub bytes_used: Option<u64>,
}

/// The distance of the places in neighbouring iterations of a variable, if it is constant on the
/// domain.
fn stride(place: &IndexingMap, variable: &ExprKind) -> Option<i64> {
    let interval = match variable {
        ExprKind::Dim(k) => place.dims().get(*k)?.interval,
        ExprKind::Range(k) => place.ranges().get(*k)?.interval,
        _ => return None,
    };
    if interval.len() <= 1 {
        return Some(0);
    }
    let here = place.results().first()?;
    let next = here.replace(|kind| {
        let plain = match kind {
            ExprKind::Dim(k) => d(*k),
            ExprKind::Range(k) => s(*k),
            ExprKind::Runtime(k) => rt(*k),
            _ => c(0),
        };
        if kind == variable { plain + 1 } else { plain }
    });
    let mut difference = place.clone();
    difference.set_results(vec![next - here.clone()]);
    match variable {
        ExprKind::Dim(k) => difference.dims_mut()[*k].interval.upper -= 1,
        ExprKind::Range(k) => difference.ranges_mut()[*k].interval.upper -= 1,
        _ => {}
    }
    // Constraints must hold at both ends; leaving them out asks for more than is needed.
    difference.edit(|m| m.constraints.clear());
    difference
        .simplify()
        .results()
        .first()
        .and_then(Expr::as_constant)
}

/// The access that `map` makes into a row-major operand of `sizes` with elements of `bytes`, for
/// loops over the output dimensions in `order` and vectors of `width`. `None` for maps that are
/// empty or unknown.
pub fn access(
    map: &IndexingMap,
    sizes: &[i64],
    bytes: i64,
    order: &[usize],
    width: i64,
) -> Option<Access> {
    if !map.is_known() || order.iter().any(|k| *k >= map.dims().len()) || width <= 0 || bytes <= 0 {
        return None;
    }
    let buffer = Strided::row_major(sizes).ok()?;
    // All variables of the map have a loop, also those that do not move the access.
    let place = linear(map, &buffer.strides, 0);
    if !map.simplify().is_known() {
        return None;
    }
    // A runtime variable that is read at an index which changes with a loop is a gather along it.
    let varies = |variable: &ExprKind| {
        place.runtime().iter().any(|v| {
            let mut found = false;
            if let Some(index) = &v.origin.index {
                for expr in index.results() {
                    expr.for_each_variable(|kind| found |= kind == variable);
                }
            }
            found
        })
    };
    let of = |variable: ExprKind| {
        if varies(&variable) {
            None
        } else {
            stride(&place, &variable)
        }
    };
    let loops: Vec<Option<i64>> = order.iter().map(|k| of(ExprKind::Dim(*k))).collect();
    let ranges: Vec<Option<i64>> = (0..place.ranges().len())
        .map(|k| of(ExprKind::Range(k)))
        .collect();
    let kind = match loops.last() {
        None | Some(Some(0)) => Kind::Uniform,
        Some(Some(1)) => Kind::Contiguous,
        Some(Some(_)) => Kind::Strided,
        Some(None) => Kind::Gather,
    };
    let counted = if place.runtime().is_empty() {
        Some(count(&place, order, width, bytes))
    } else {
        None
    };
    Some(Access {
        loops,
        ranges,
        kind,
        bytes_touched: counted.map(|(touched, _)| touched),
        bytes_used: counted.map(|(_, used)| used),
    })
}

/// Bytes of lines touched and of elements used, over the first vectors.
fn count(place: &IndexingMap, order: &[usize], width: i64, bytes: i64) -> (u64, u64) {
    let mut evaluator = Evaluator::new(place);
    let (mut touched, mut used) = (0u64, 0u64);
    let bounds: Vec<(i64, i64)> = order
        .iter()
        .map(|k| {
            (
                place.dims()[*k].interval.lower,
                place.dims()[*k].interval.upper,
            )
        })
        .chain(
            place
                .ranges()
                .iter()
                .map(|v| (v.interval.lower, v.interval.upper)),
        )
        .collect();
    if bounds.iter().any(|(lower, upper)| lower > upper) {
        return (0, 0);
    }
    let inner = order.len().checked_sub(1);
    let mut point: Vec<i64> = bounds.iter().map(|b| b.0).collect();
    let mut dims: Vec<i64> = place.dims().iter().map(|v| v.interval.lower).collect();
    let mut out = Vec::new();
    for _ in 0..VECTORS {
        let (mut lines, mut elements) = (BTreeSet::new(), BTreeSet::new());
        let lanes = inner.map_or(1, |k| width.min(bounds[k].1 - point[k] + 1));
        for lane in 0..lanes {
            for (k, at) in order.iter().zip(&point) {
                dims[*k] = *at;
            }
            if let Some(k) = inner {
                dims[order[k]] += lane;
            }
            if evaluator.eval(&dims, &point[order.len()..], &[], &mut out) == Ok(true) {
                let at = out[0].saturating_mul(bytes);
                elements.insert(out[0]);
                lines.extend(at.div_euclid(LINE)..=(at + bytes - 1).div_euclid(LINE));
            }
        }
        touched += lines.len() as u64 * LINE as u64;
        used += elements.len() as u64 * bytes as u64;
        // The next vector: ranges run inside, the innermost output loop in steps of a vector.
        let mut k = point.len();
        loop {
            let Some(at) = k.checked_sub(1) else {
                return (touched, used);
            };
            k = at;
            point[k] += if Some(k) == inner { width } else { 1 };
            if point[k] <= bounds[k].1 {
                break;
            }
            point[k] = bounds[k].0;
        }
    }
    (touched, used)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transpose_is_strided_one_way() {
        let map: IndexingMap = "(d0, d1) -> (d1, d0), domain: d0 in [0, 63], d1 in [0, 31]"
            .parse()
            .unwrap();
        let a = access(&map, &[32, 64], 4, &[0, 1], 16).unwrap();
        assert_eq!(
            (a.loops.clone(), a.kind),
            (vec![Some(1), Some(64)], Kind::Strided)
        );
        assert_eq!(a.bytes_touched.unwrap() / a.bytes_used.unwrap(), 16);
        let b = access(&map, &[32, 64], 4, &[1, 0], 16).unwrap();
        assert_eq!(b.kind, Kind::Contiguous);
        assert_eq!(b.bytes_touched, b.bytes_used);
    }

    #[test]
    fn strides_are_differences() {
        for text in [
            "(d0, d1) -> (d0 floordiv 4, d0 mod 4 + d1), domain: d0 in [0, 15], d1 in [0, 3]",
            "(d0, d1)[s0] -> (d0 * 2 + s0, d1), domain: d0 in [0, 4], d1 in [0, 7], s0 in [0, 2]",
            "(d0, d1) -> (7, -d1 + 6), domain: d0 in [0, 4], d1 in [0, 6]",
        ] {
            let map: IndexingMap = text.parse().unwrap();
            let sizes = [16, 8];
            let found = access(&map, &sizes, 4, &[0, 1], 4).unwrap();
            let at = |p: &[i64], r: &[i64]| map.eval(p, r, &[]).unwrap().map(|i| i[0] * 8 + i[1]);
            for (k, stride) in found.loops.iter().enumerate() {
                let mut all = BTreeSet::new();
                map.for_each_point(|dims, ranges, _, _| {
                    let mut next = dims.to_vec();
                    next[k] += 1;
                    if let (Some(a), Some(b)) = (at(dims, ranges), at(&next, ranges)) {
                        all.insert(b - a);
                    }
                    true
                });
                let constant = (all.len() == 1).then(|| all.into_iter().next().unwrap());
                assert_eq!(*stride, constant, "{text}, loop {k}");
            }
        }
    }
}
