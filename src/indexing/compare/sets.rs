//! Comparison of maps with range variables as sets of results: by trying all points, and by what
//! the inverse maps say of the images.

use super::{CompareBudget, Comparison, compare_within};
use crate::domain::{Evaluator, Point};
use crate::expr::{Expr, ExprKind, Op, c, d};
use crate::interval::Interval;
use crate::map::{Constraint, IndexingMap, Variable};
use std::collections::BTreeSet;

/// The sets of results at every point of dimension and runtime variables.
pub(super) fn compare_sets(
    a: &IndexingMap,
    b: &IndexingMap,
    x: &IndexingMap,
    y: &IndexingMap,
    budget: CompareBudget,
) -> Comparison {
    // The simplified maps have fewer range variables, but may have lost runtime variables: those of
    // one map only decide nothing.
    let (a, b) = if a.runtime.len() != b.runtime.len()
        || x.runtime.len() != a.runtime.len()
        || y.runtime.len() != b.runtime.len()
    {
        (a, b)
    } else {
        (x, y)
    };
    let tried = by_points(a, b, budget);
    if tried.equal.is_some() || a.runtime.len() != b.runtime.len() {
        return tried;
    }
    by_images(a, b, budget).unwrap_or(tried)
}

/// Compares maps by their images. Where different values of the range variables give different
/// results, the constraints of the inverse say exactly what the results are, without the range
/// variables: two such domains are compared.
fn by_images(a: &IndexingMap, b: &IndexingMap, budget: CompareBudget) -> Option<Comparison> {
    let (p, q) = (image(a)?, image(b)?);
    let found = compare_within(&p, &q, budget);
    let (nd, nrt) = (a.dims.len().max(b.dims.len()), a.runtime.len());
    if found.equal? {
        Some(Comparison::equal("images by inverse maps"))
    } else {
        // A result that only one of them has.
        let example = found.counterexample.map(|p| Point {
            dims: p.dims[..nd].to_vec(),
            ranges: Vec::new(),
            runtime: p.dims[nd..nd + nrt].to_vec(),
        });
        Some(Comparison::different("images by inverse maps", example))
    }
}

/// The points and the results there, as the domain of a map over dimensions, runtime variables and
/// results.
fn image(map: &IndexingMap) -> Option<IndexingMap> {
    if !map.is_known() {
        return None;
    }
    let (nd, nr, nrt) = (map.dims.len(), map.ranges.len(), map.runtime.len());
    let mut all = map.clone().with_exact(true);
    all.replace_variables(&mut |k| match *k {
        ExprKind::Dim(i) => d(i),
        ExprKind::Runtime(i) => d(nd + i),
        ExprKind::Range(i) => d(nd + nrt + i),
        _ => c(0),
    });
    all.dims = (map.dims.iter().map(|v| v.interval))
        .chain(map.runtime.iter().map(|v| v.interval))
        .chain(map.ranges.iter().map(|v| v.interval))
        .map(Variable::new)
        .collect();
    all.ranges.clear();
    all.runtime.clear();
    debug_assert_eq!(all.dims.len(), nd + nrt + nr);
    // What does not depend on range variables is added to each result afterwards: the inverse need
    // not find it.
    let known = nd + nrt;
    let (own, rest): (Vec<Expr>, Vec<Expr>) = all.results.iter().map(|e| apart(e, known)).unzip();
    all.results = (0..known).map(d).chain(own).collect();
    let inverse = all.inverse()?;
    if !inverse.is_known() {
        return Some(IndexingMap::known_empty(known + rest.len(), 0));
    }
    let mut image = inverse.clone();
    image.results.clear();
    image.replace_variables(&mut |k| match *k {
        ExprKind::Dim(i) if i >= known => d(i) - rest[i - known].clone(),
        ExprKind::Dim(i) => d(i),
        _ => c(0),
    });
    for (i, bounds) in map.image_bounds().into_iter().enumerate() {
        let own = std::mem::replace(&mut image.dims[known + i], Variable::new(bounds));
        image.constraints.push(Constraint {
            expr: d(known + i) - rest[i].clone(),
            interval: own.interval,
        });
    }
    Some(image)
}

/// The terms of a sum in which variables from `first` on occur, and the others.
fn apart(e: &Expr, first: usize) -> (Expr, Expr) {
    let (mut own, mut rest) = (c(0), c(0));
    let mut todo = vec![(e.clone(), 1i64)];
    while let Some((e, factor)) = todo.pop() {
        match e.kind() {
            ExprKind::Binary(Op::Add, x, y) => {
                todo.extend([(x.clone(), factor), (y.clone(), factor)]);
                continue;
            }
            ExprKind::Binary(Op::Mul, x, k) => {
                if let Some(product) = k.as_constant().and_then(|k| k.checked_mul(factor)) {
                    todo.push((x.clone(), product));
                    continue;
                }
            }
            _ => {}
        }
        let mut depends = false;
        e.for_each_variable(|k| depends |= matches!(k, ExprKind::Dim(i) if *i >= first));
        let sum = if depends { &mut own } else { &mut rest };
        *sum = sum.clone() + e * factor;
    }
    (own, rest)
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
