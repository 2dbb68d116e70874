//! Every operation of the algebra on random maps, against enumeration: sizes 0 and 1, negative
//! bounds and coefficients, constraints that bite. `MAPWRIGHT_ALGEBRA_MAPS` sets the number of maps
//! (default 6,000), `MAPWRIGHT_PROPERTY_SEED` the seed.

use crate::common::{Random, generate};
use mapwright_indexing::{
    Evaluator, ExprKind, IndexingMap, Interval, MapError, Point, compose, d, union,
};
use std::collections::{BTreeMap, BTreeSet};

type Values = BTreeMap<Point, Vec<i64>>;

/// What the map is, point by point; `None` if a value is not defined somewhere or there are too
/// many points.
fn values(map: &IndexingMap) -> Option<Values> {
    let intervals: Vec<Interval> = map.intervals().collect();
    if !map.is_known() || intervals.iter().any(|i| i.is_empty()) {
        return map.unknown_reason().is_none().then(Values::new);
    }
    if map.box_size() > 3_000 {
        return None;
    }
    let (nd, nr) = (map.dims().len(), map.ranges().len());
    let mut evaluator = Evaluator::new(map);
    let mut found = Values::new();
    let mut at: Vec<i64> = intervals.iter().map(|i| i.lower).collect();
    loop {
        let p = Point {
            dims: at[..nd].to_vec(),
            ranges: at[nd..nd + nr].to_vec(),
            runtime: at[nd + nr..].to_vec(),
        };
        let mut results = Vec::new();
        if evaluator
            .eval(&p.dims, &p.ranges, &p.runtime, &mut results)
            .ok()?
        {
            found.insert(p, results);
        }
        let i = (0..at.len()).rev().find(|i| at[*i] < intervals[*i].upper);
        let Some(i) = i else {
            return Some(found);
        };
        at[i] += 1;
        for j in i + 1..at.len() {
            at[j] = intervals[j].lower;
        }
    }
}

/// The values of the given map at points that are made of those of a new one.
#[track_caller]
fn same(map: &Values, new: &IndexingMap, back: impl Fn(&Point) -> Point) {
    let new_values = values(new).expect("no larger than what it was made of");
    let turned: Values = new_values.into_iter().map(|(p, r)| (back(&p), r)).collect();
    assert_eq!(*map, turned, "{new}");
}

fn filtered(map: &Values, keep: impl Fn(&Point, &[i64]) -> bool) -> Values {
    map.iter()
        .filter(|(p, r)| keep(p, r))
        .map(|(p, r)| (p.clone(), r.clone()))
        .collect()
}

/// A map whose dimensions are the results of the other: what the other gives is mostly in its
/// domain.
fn producer(r: &mut Random, consumer: &IndexingMap) -> IndexingMap {
    let mut map = generate::map(r, 40);
    for v in consumer.image_bounds().into_iter().skip(map.dims().len()) {
        map.edit(|m| m.dims.push(v.into()));
    }
    let n = consumer.results().len();
    while map.dims().len() > n {
        map = map
            .replace_variable(&ExprKind::Dim(n), 1)
            .expect("there is one");
        if map.is_known_empty() {
            break;
        }
    }
    if map.is_known_empty() {
        return IndexingMap::known_empty(n, map.results().len());
    }
    map
}

#[test]
fn composition_is_first_the_one_and_then_the_other() {
    let (mut r, mut points, mut empty, mut maps) = (Random(seed()), 0, 0, 0);
    for _ in 0..count() {
        let first = generate::map(&mut r, 60);
        let second = producer(&mut r, &first);
        let (Some(inner), both) = (values(&first), compose(&first, &second)) else {
            continue;
        };
        assert_eq!(both.dims().len(), first.dims().len());
        assert_eq!(
            both.results().len(),
            second.results().len(),
            "{first}\n{second}"
        );
        assert_eq!(
            both.ranges().len(),
            first.ranges().len() + second.ranges().len()
        );
        assert_eq!(
            both.runtime().len(),
            first.runtime().len() + second.runtime().len()
        );
        let mut rest = second.clone();
        rest.edit(|m| {
            m.dims.clear();
            m.results.clear();
            m.constraints.clear();
        });
        // The producer's own variables, without its constraints.
        let Some(rest) = values(&rest) else { continue };
        let mut evaluator = Evaluator::new(&second);
        let mut expected = Values::new();
        let mut defined = true;
        for (p, index) in &inner {
            for q in rest.keys() {
                let mut results = Vec::new();
                match evaluator.eval(index, &q.ranges, &q.runtime, &mut results) {
                    Ok(true) => {
                        let join = |a: &[i64], b: &[i64]| [a, b].concat();
                        expected.insert(
                            Point {
                                dims: p.dims.clone(),
                                ranges: join(&p.ranges, &q.ranges),
                                runtime: join(&p.runtime, &q.runtime),
                            },
                            results,
                        );
                    }
                    Ok(false) => {}
                    Err(_) => defined = false,
                }
            }
        }
        let Some(found) = values(&both).filter(|_| defined) else {
            continue;
        };
        assert_eq!(found, expected, "{first}\n{second}\n{both}");
        maps += 1;
        points += found.len();
        empty += usize::from(found.is_empty());
    }
    println!("{maps} compositions, {empty} of them empty, {points} points");
    assert!(maps > count() / 4 && points > maps, "{maps} {points}");
}

#[test]
fn domains_and_images() {
    let (mut r, mut inverted, mut tight, mut results) = (Random(seed()), 0, 0, 0);
    for _ in 0..count() {
        let map = generate::map(&mut r, 60);
        let Some(all) = values(&map) else { continue };
        if let Some(size) = map.domain_size() {
            assert_eq!(size, all.len() as u128, "{map}");
        }
        if let Some(empty) = map.domain_is_empty() {
            assert_eq!(empty, all.is_empty(), "{map}");
        }
        for (i, bounds) in map.image_bounds().into_iter().enumerate() {
            let image: BTreeSet<i64> = all.values().map(|v| v[i]).collect();
            assert!(
                image.iter().all(|v| bounds.contains(*v)),
                "{map}: result {i} in {bounds}: {image:?}"
            );
            if let (Some(first), Some(last)) = (image.first(), image.last()) {
                results += 1;
                tight += usize::from(Interval::new(*first, *last) == bounds);
            }
        }
        if let Some(inverse) = map.inverse() {
            let Some(back) = values(&inverse) else {
                continue;
            };
            let expected: BTreeMap<Vec<i64>, Vec<i64>> = all
                .iter()
                .map(|(p, v)| (v.clone(), p.dims.clone()))
                .collect();
            assert_eq!(expected.len(), all.len(), "not injective: {map}");
            let found: BTreeMap<Vec<i64>, Vec<i64>> =
                back.into_iter().map(|(p, v)| (p.dims, v)).collect();
            assert_eq!(found, expected, "{map}\n{inverse}");
            inverted += usize::from(!all.is_empty());
        }
        if let Some(pieces) = map.split_min_max(64) {
            let mut joined = Values::new();
            for piece in &pieces {
                for (p, v) in values(piece).expect("as small as the whole") {
                    assert_eq!(joined.insert(p, v), None, "{map}: pieces overlap");
                }
            }
            assert_eq!(joined, all, "{map}");
        }
    }
    println!("{inverted} inverses; {tight} of {results} bounds of results are tight");
    assert!(
        inverted > 50 && tight * 2 > results,
        "{inverted} {tight} {results}"
    );
}

#[test]
fn restrictions_unions_and_overlaps() {
    let (mut r, mut overlapping) = (Random(seed()), 0);
    for _ in 0..count() / 2 {
        let map = generate::map(&mut r, 60);
        let Some(all) = values(&map) else { continue };
        let limits: Vec<Interval> = map
            .dims()
            .iter()
            .map(|_| {
                let low = r.below(16) as i64 - 8;
                Interval::new(low, low + r.below(8) as i64 - 1)
            })
            .collect();
        let inside = |p: &Point, _: &[i64]| p.dims.iter().zip(&limits).all(|(v, i)| i.contains(*v));
        same(
            &filtered(&all, inside),
            &map.clone().restrict(&limits),
            Point::clone,
        );
        // Another domain over the same variables.
        let mut other = map.clone();
        other.edit(|m| m.constraints.clear());
        if let Some(v) = other.dims_mut().first_mut() {
            v.interval = v.interval.intersect(limits[0]);
            other = other.with_constraint(d(0).modulo(3), Interval::new(0, 1));
        }
        let Some(others) = values(&other) else {
            continue;
        };
        let both = filtered(&all, |p, _| others.contains_key(p));
        let intersection = map
            .clone()
            .restrict_to_domain_of(&other)
            .expect("the same variables");
        same(&both, &intersection, Point::clone);
        if let Some(overlap) = map.overlaps(&other) {
            assert_eq!(overlap, !both.is_empty(), "{map}\n{other}");
            overlapping += usize::from(overlap);
        }
        // A union has no piece twice and none that is empty.
        let pieces = union([
            map.clone(),
            map.clone().restrict(&limits),
            map.clone(),
            other,
        ]);
        assert!(pieces.iter().all(|p| !p.is_known_empty()));
        assert!((0..pieces.len()).all(|i| !pieces[..i].contains(&pieces[i])));
    }
    assert!(overlapping > 100, "{overlapping}");
}

#[test]
fn variables_move_and_go() {
    let mut r = Random(seed());
    for _ in 0..count() / 2 {
        let map = generate::map(&mut r, 60);
        let Some(all) = values(&map) else { continue };
        let (nd, nr) = (map.dims().len(), map.ranges().len());
        same(&all, &map.clone().ranges_to_dims(), |p| Point {
            dims: p.dims[..nd].to_vec(),
            ranges: p.dims[nd..].to_vec(),
            ..p.clone()
        });
        let moved: Vec<usize> = (0..nd).filter(|_| r.chance(50)).collect();
        same(&all, &map.clone().dims_to_ranges(&moved), |p| {
            let mut rest = p.dims.iter();
            let dims = (0..nd).map(|i| match moved.iter().position(|m| *m == i) {
                Some(k) => p.ranges[k],
                None => *rest.next().expect("one for each that stayed"),
            });
            Point {
                dims: dims.collect(),
                ranges: p.ranges[moved.len()..].to_vec(),
                runtime: p.runtime.clone(),
            }
        });
        let mut shuffled = |n: usize| {
            let mut order: Vec<usize> = (0..n).collect();
            for i in (1..n).rev() {
                order.swap(i, r.below(i + 1));
            }
            order
        };
        let unordered = |order: &[usize], values: &[i64]| -> Vec<i64> {
            let at = |i: usize| order.iter().position(|o| *o == i).expect("a permutation");
            (0..order.len()).map(|i| values[at(i)]).collect()
        };
        let order = shuffled(nd);
        let permuted = map.clone().permute_dims(&order).expect("a permutation");
        same(&all, &permuted, |p| Point {
            dims: unordered(&order, &p.dims),
            ..p.clone()
        });
        let order = shuffled(nr);
        let permuted = map.clone().permute_ranges(&order).expect("a permutation");
        same(&all, &permuted, |p| Point {
            ranges: unordered(&order, &p.ranges),
            ..p.clone()
        });
        let renamed = map.clone().rename(&["x", "y"], &["k"], &["start"]);
        same(&all, &renamed, Point::clone);
        assert_eq!(
            renamed
                .to_string()
                .parse::<IndexingMap>()
                .map(|m| m.results().to_vec()),
            Ok(map.results().to_vec())
        );
        let (smaller, kept) = map.clone().remove_unused_dims();
        let found: BTreeSet<Vec<i64>> = values(&smaller)
            .expect("smaller")
            .into_keys()
            .map(|p| p.dims)
            .collect();
        let expected: BTreeSet<Vec<i64>> = all
            .keys()
            .map(|p| kept.iter().map(|i| p.dims[*i]).collect())
            .collect();
        assert_eq!(found, expected, "{map}\n{smaller}");
        let variables = (map.dims().iter().enumerate())
            .map(|(i, v)| (ExprKind::Dim(i), i, v.interval))
            .chain(
                (map.ranges().iter().enumerate()).map(|(i, v)| (ExprKind::Range(i), i, v.interval)),
            )
            .chain(
                (map.runtime().iter().enumerate())
                    .map(|(i, v)| (ExprKind::Runtime(i), i, v.interval)),
            );
        for (kind, at, interval) in variables {
            let value = interval.lower.saturating_add(r.below(5) as i64 - 1);
            let new = match map.clone().replace_variable(&kind, value) {
                Ok(new) => new,
                Err(e) => {
                    assert_eq!((value, e), (0, MapError::ZeroDivisor), "{map}");
                    continue;
                }
            };
            let pick = |p: &Point| match kind {
                ExprKind::Dim(_) => p.dims[at],
                ExprKind::Range(_) => p.ranges[at],
                _ => p.runtime[at],
            };
            same(&filtered(&all, |p, _| pick(p) == value), &new, |p| {
                let mut p = p.clone();
                match kind {
                    ExprKind::Dim(_) => p.dims.insert(at, value),
                    ExprKind::Range(_) => p.ranges.insert(at, value),
                    _ => p.runtime.insert(at, value),
                }
                p
            });
            if let ExprKind::Dim(_) = kind {
                let fixed = map.clone().fix_dim(at, value);
                same(
                    &filtered(&all, |p, _| p.dims[at] == value),
                    &fixed,
                    Point::clone,
                );
            }
        }
        let missing = map.clone().replace_variable(&ExprKind::Dim(nd), 0);
        assert!(missing.is_err());
        assert!(map.clone().permute_ranges(&[nr]).is_err());
    }
}

fn number(name: &str, default: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn count() -> usize {
    number("MAPWRIGHT_ALGEBRA_MAPS", 6_000) as usize
}

fn seed() -> u64 {
    number("MAPWRIGHT_PROPERTY_SEED", 20_260_103)
}
