//! Comparison of maps with range variables as sets of results, by trying all points.

use super::{CompareBudget, Comparison};
use crate::domain::{Evaluator, Point};
use crate::interval::Interval;
use crate::map::IndexingMap;
use std::collections::BTreeSet;

/// The sets of results at every point of dimension and runtime variables.
pub(super) fn compare_sets(
    a: &IndexingMap,
    b: &IndexingMap,
    x: &IndexingMap,
    y: &IndexingMap,
    budget: CompareBudget,
) -> Comparison {
    // The simplified maps have fewer range variables, but may have lost runtime variables: those of one map only decide nothing.
    if a.runtime.len() != b.runtime.len()
        || x.runtime.len() != a.runtime.len()
        || y.runtime.len() != b.runtime.len()
    {
        return by_points(a, b, budget);
    }
    by_points(x, y, budget)
}

fn by_points(a: &IndexingMap, b: &IndexingMap, budget: CompareBudget) -> Comparison {
    if a.runtime.len() != b.runtime.len() {
        return Comparison::undecided("the numbers of runtime variables differ");
    }
    let intervals = |m: &IndexingMap| -> Vec<Interval> {
        m.dims
            .iter()
            .map(|v| v.interval)
            .chain(m.runtime.iter().map(|v| v.interval))
            .collect()
    };
    let hull: Vec<Interval> = if a.is_known_empty() {
        intervals(b)
    } else if b.is_known_empty() {
        intervals(a)
    } else {
        intervals(a)
            .into_iter()
            .zip(intervals(b))
            .map(|(p, q)| p.hull(q))
            .collect()
    };
    let ranges = |m: &IndexingMap| {
        m.ranges
            .iter()
            .fold(1u128, |n, v| n.saturating_mul(v.interval.len()))
    };
    let outer = hull.iter().fold(1u128, |n, i| n.saturating_mul(i.len()));
    let exhaustive =
        outer.saturating_mul(ranges(a).saturating_add(ranges(b))) <= budget.points as u128;
    // With more points than that, only a difference near the corners can be found.
    let mut left = if exhaustive { outer as u64 } else { 64 };
    if ranges(a).saturating_add(ranges(b)) > budget.points as u128 / 64 {
        return Comparison::undecided("too many values of the range variables");
    }
    if hull.iter().any(|i| i.is_empty()) {
        return Comparison::equal("all points");
    }
    let nd = a.dims.len().max(b.dims.len());
    let (mut e, mut f) = (Evaluator::new(a), Evaluator::new(b));
    let mut point: Vec<i64> = hull.iter().map(|i| i.lower).collect();
    let mut corner = 0u64;
    while left > 0 {
        left -= 1;
        let (dims, runtime) = point.split_at(nd);
        let p = images(a, &mut e, dims, runtime);
        let q = images(b, &mut f, dims, runtime);
        if p != q {
            let example = Point {
                dims: dims.to_vec(),
                ranges: Vec::new(),
                runtime: runtime.to_vec(),
            };
            return Comparison::different("sets of results at a point", Some(example));
        }
        if exhaustive {
            if let Some(i) = (0..point.len()).rev().find(|i| point[*i] < hull[*i].upper) {
                point[i] += 1;
                for j in i + 1..point.len() {
                    point[j] = hull[j].lower;
                }
            }
        } else {
            corner += 1;
            for (j, (v, i)) in point.iter_mut().zip(&hull).enumerate() {
                *v = if corner >> (j % 6) & 1 == 0 {
                    i.lower
                } else {
                    i.upper
                };
            }
        }
    }
    if exhaustive {
        Comparison::equal("sets of results at all points")
    } else {
        Comparison::undecided("the budget is used up")
    }
}

fn images(
    map: &IndexingMap,
    evaluator: &mut Evaluator,
    dims: &[i64],
    runtime: &[i64],
) -> BTreeSet<Vec<i64>> {
    let mut set = BTreeSet::new();
    if !map.is_known() || map.ranges.iter().any(|v| v.interval.is_empty()) {
        return set;
    }
    let mut point: Vec<i64> = map.ranges.iter().map(|v| v.interval.lower).collect();
    let mut out = Vec::new();
    loop {
        if evaluator.eval(dims, &point, runtime, &mut out) == Ok(true) {
            set.insert(out.clone());
        }
        let Some(i) = (0..point.len())
            .rev()
            .find(|i| point[*i] < map.ranges[*i].interval.upper)
        else {
            return set;
        };
        point[i] += 1;
        for j in i + 1..point.len() {
            point[j] = map.ranges[j].interval.lower;
        }
    }
}
