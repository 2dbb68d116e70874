//! Coalescing and utilisation of generated maps by enumeration: a loop nest is run with addresses
//! written down, byte by byte, and every read is counted.

use mapwright_analysis::coalescing::{Kind, LINE, VECTORS, access};
use mapwright_analysis::utilization::utilization;
use mapwright_indexing::{Expr, IndexingMap, Interval, c, d, s};
use std::collections::{BTreeMap, BTreeSet};

/// A pseudo-random sequence, the same in every run.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: i64) -> i64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n as u64) as i64
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as i64) as usize]
    }
}

/// A map, and the sizes of the operand that it reads.
fn generate(rng: &mut Rng) -> (IndexingMap, Vec<i64>) {
    let rank = 1 + rng.below(3) as usize;
    let dims: Vec<i64> = (0..rank).map(|_| 1 + rng.below(9)).collect();
    let ranges: Vec<i64> = (0..rng.below(3)).map(|_| 1 + rng.below(4)).collect();
    let mut variables: Vec<Expr> = (0..rank).map(d).collect();
    variables.extend((0..ranges.len()).map(s));
    let interval = |n: &i64| Interval::of_size(*n);
    let (of_dims, of_ranges): (Vec<_>, Vec<_>) = (
        dims.iter().map(interval).collect(),
        ranges.iter().map(interval).collect(),
    );
    let (mut results, mut sizes) = (Vec::new(), Vec::new());
    for _ in 0..1 + rng.below(3) {
        let mut expr = c(0);
        for _ in 0..1 + rng.below(2) {
            let variable = variables[rng.below(variables.len() as i64) as usize].clone();
            expr = expr
                + match rng.below(6) {
                    0 => variable.floor_div(1 + rng.below(4)),
                    1 => variable.modulo(1 + rng.below(4)),
                    2 => variable * -1,
                    3 => variable * (1 + rng.below(3)),
                    _ => variable,
                };
        }
        // Shifted so that the least index is 0.
        let bounds = expr.bounds(&of_dims, &of_ranges, &[]);
        results.push(expr - bounds.lower);
        sizes.push(bounds.upper - bounds.lower + 1 + rng.below(2));
    }
    let mut map = IndexingMap::from_dims(&dims, results).with_ranges(&ranges);
    // A condition now and then, as padding has it.
    if rng.below(4) == 0 {
        let at = variables[rng.below(variables.len() as i64) as usize].clone();
        map = map.with_constraint(at + d(0), Interval::new(rng.below(2), 3 + rng.below(6)));
    }
    (map, sizes)
}

/// All values of `bounds`, the last changing first, in steps.
fn nest(sizes: &[i64], steps: &[i64]) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    for (size, step) in sizes.iter().zip(steps) {
        let mut next = Vec::new();
        for point in all {
            let mut at = 0;
            while at < *size {
                let mut point: Vec<i64> = point.clone();
                point.push(at);
                next.push(point);
                at += step;
            }
        }
        all = next;
    }
    all
}

#[test]
fn lines_and_elements_are_those_of_the_addresses() {
    let mut rng = Rng(3);
    let mut kinds = [0; 4];
    let mut cut = 0;
    for case in 0..400 {
        let (map, sizes) = generate(&mut rng);
        let (bytes, width) = (rng.pick(&[1, 2, 4, 8, 16]), rng.pick(&[1, 2, 3, 4, 8, 16]));
        let rank = map.dims().len();
        let mut order: Vec<usize> = (0..rank).collect();
        for i in (1..rank).rev() {
            order.swap(i, rng.below(i as i64 + 1) as usize);
        }
        let Some(found) = access(&map, &sizes, bytes, &order, width) else {
            // There is nothing to be read.
            let mut points = 0;
            map.for_each_point(|_, _, _, _| {
                points += 1;
                true
            });
            assert_eq!(points, 0, "case {case}: {map}");
            continue;
        };
        let about = format!(
            "case {case}: {map} in {sizes:?}, {bytes} bytes, {order:?} by {width}: {found:?}"
        );
        let index = |dims: &[i64], ranges: &[i64]| -> Option<i64> {
            let at = map.eval(dims, ranges, &[]).unwrap()?;
            Some(at.iter().zip(&sizes).fold(0, |place, (i, n)| {
                assert!((0..*n).contains(i), "{about}");
                place * n + i
            }))
        };
        // The loops: over the dimensions in order, the last of them in vectors, then over the
        // ranges.
        let mut extents: Vec<i64> = order
            .iter()
            .map(|k| map.dims()[*k].interval.upper + 1)
            .collect();
        let mut steps = vec![1; rank];
        steps[rank - 1] = width;
        extents.extend(map.ranges().iter().map(|v| v.interval.upper + 1));
        steps.extend(vec![1; map.ranges().len()]);
        let vectors = nest(&extents, &steps);
        cut += usize::from(vectors.len() > VECTORS);
        let (mut touched, mut used) = (0, 0);
        for point in vectors.iter().take(VECTORS) {
            let (mut lines, mut elements) = (BTreeSet::new(), BTreeSet::new());
            for lane in 0..width {
                let mut dims = vec![0; rank];
                for (k, at) in order.iter().zip(point) {
                    dims[*k] = *at;
                }
                dims[order[rank - 1]] += lane;
                if dims[order[rank - 1]] >= extents[rank - 1] {
                    break;
                }
                if let Some(at) = index(&dims, &point[rank..]) {
                    elements.insert(at);
                    for byte in at * bytes..(at + 1) * bytes {
                        lines.insert(byte / LINE);
                    }
                }
            }
            touched += lines.len() as i64 * LINE;
            used += elements.len() as i64 * bytes;
        }
        assert_eq!(found.bytes_touched, Some(touched as u64), "{about}");
        assert_eq!(found.bytes_used, Some(used as u64), "{about}");
        // Strides are the differences of neighbours.
        let all = nest(
            &map.dims()
                .iter()
                .chain(map.ranges())
                .map(|v| v.interval.upper + 1)
                .collect::<Vec<_>>(),
            &vec![1; rank + map.ranges().len()],
        );
        let strides: Vec<Option<i64>> = found.loops.iter().chain(&found.ranges).copied().collect();
        for (k, stride) in strides.into_iter().enumerate() {
            let variable = if k < rank { order[k] } else { k };
            let mut seen = BTreeSet::new();
            for point in &all {
                let mut next = point.clone();
                next[variable] += 1;
                let at = |p: &[i64]| index(&p[..rank], &p[rank..]);
                let limit = map.dims().iter().chain(map.ranges()).nth(variable).unwrap();
                if next[variable] <= limit.interval.upper
                    && let (Some(a), Some(b)) = (at(point), at(&next))
                {
                    seen.insert(b - a);
                }
            }
            match stride {
                Some(stride) => assert!(
                    seen.iter().all(|d| *d == stride),
                    "{about} {variable} {seen:?}"
                ),
                // A condition may leave neighbours that happen to be alike.
                None => assert!(
                    seen.len() != 1 || !map.constraints().is_empty(),
                    "{about} {variable} {seen:?}"
                ),
            }
        }
        let kind = match found.loops.last().copied().flatten() {
            Some(0) => Kind::Uniform,
            Some(1) => Kind::Contiguous,
            Some(_) => Kind::Strided,
            None => Kind::Gather,
        };
        assert_eq!(found.kind, kind, "{about}");
        kinds[match kind {
            Kind::Contiguous => 0,
            Kind::Uniform => 1,
            Kind::Strided => 2,
            Kind::Gather => 3,
        }] += 1;
    }
    // All kinds come up, and nests that are looked at in part only.
    assert!(
        kinds.iter().all(|n| *n >= 20) && cut >= 5,
        "{kinds:?} {cut}"
    );
}

#[test]
fn uses_are_those_of_all_reads() {
    let mut rng = Rng(11);
    let (mut several, mut part) = (0, 0);
    for case in 0..400 {
        let (map, sizes) = generate(&mut rng);
        // A second piece now and then, which may read the same elements.
        let mut maps = vec![map.clone()];
        if rng.below(3) == 0 {
            let mut second = map.clone();
            for variable in second.dims_mut() {
                variable.interval.upper = rng.below(variable.interval.upper + 1);
            }
            second.edit(|m| m.results.reverse());
            let fits = second.results().iter().zip(&sizes).all(|(expr, n)| {
                let of = |list: &[mapwright_indexing::Variable]| -> Vec<Interval> {
                    list.iter().map(|v| v.interval).collect()
                };
                expr.bounds(&of(second.dims()), &of(second.ranges()), &[])
                    .upper
                    < *n
            });
            if fits {
                several += 1;
                maps.push(second);
            }
        }
        let tile: Option<Vec<Interval>> = (rng.below(2) == 0).then(|| {
            let parts = map.dims().iter().map(|v| {
                let lower = rng.below(v.interval.upper + 1);
                Interval::new(lower, lower + rng.below(v.interval.upper - lower + 1))
            });
            parts.collect()
        });
        part += usize::from(tile.is_some());
        let mut reads: BTreeMap<Vec<i64>, u128> = BTreeMap::new();
        for map in &maps {
            map.for_each_point(|dims, _, _, index| {
                let inside =
                    |tile: &Vec<Interval>| tile.iter().zip(dims).all(|(i, d)| i.contains(*d));
                if tile.as_ref().is_none_or(inside) {
                    *reads.entry(index.to_vec()).or_default() += 1;
                }
                true
            });
        }
        let found = utilization(&maps, &sizes, tile.as_deref());
        let about = format!("case {case}: {maps:?} in {sizes:?}, {tile:?}: {found:?}");
        assert_eq!(found.bound, None, "{about}");
        assert_eq!(found.used, reads.len() as u128, "{about}");
        assert_eq!(found.reads, Some(reads.values().sum()), "{about}");
    }
    assert!(several > 40 && part > 100, "{several} {part}");
}
