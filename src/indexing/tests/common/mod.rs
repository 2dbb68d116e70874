//! What the tests share: brute force against simplified maps, and a small generator of random
//! numbers.
#![allow(dead_code)]

pub mod chains;
pub mod digits;
pub mod exact;
pub mod generate;
pub mod grammar;

use mapwright_indexing::{
    EvalError, Evaluator, IndexingMap, Interval, Point, Simplified, Simplifier,
};

/// SplitMix64: every test says its seed.
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub fn within(&mut self, i: Interval) -> i64 {
        let len = i.len();
        (i.lower as i128
            + ((self.next() as u128 | (self.next() as u128) << 64) % len.max(1)) as i128)
            as i64
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

fn split(map: &IndexingMap, all: &[i64]) -> Point {
    let (nd, nr) = (map.dims().len(), map.ranges().len());
    Point {
        dims: all[..nd].to_vec(),
        ranges: all[nd..nd + nr].to_vec(),
        runtime: all[nd + nr..].to_vec(),
    }
}

/// Compares a map with its simplified form at every point of the box, or at `samples` random points
/// if there are more. The number of points of the domain that were met.
pub fn same_function(
    map: &IndexingMap,
    simplified: &Simplified,
    samples: usize,
    random: &mut Random,
) -> Result<usize, String> {
    let intervals: Vec<Interval> = map.intervals().collect();
    let size = map.box_size();
    if size == 0 {
        return if simplified.map.is_known_empty() {
            Ok(0)
        } else {
            Err("not known to be empty".into())
        };
    }
    let mut old = Evaluator::new(map);
    let mut new = Evaluator::new(&simplified.map);
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let mut point: Vec<i64> = intervals.iter().map(|i| i.lower).collect();
    let exhaustive = size <= samples as u128;
    let mut met = 0;
    let mut left = if exhaustive { size as usize } else { samples };
    loop {
        let p = split(map, &point);
        let before = old.eval(&p.dims, &p.ranges, &p.runtime, &mut a);
        let after = match simplified.point(&p) {
            Some(q) => new.eval(&q.dims, &q.ranges, &q.runtime, &mut b),
            None => Ok(false),
        };
        match (before, after) {
            // Where the given map divides by zero, nothing is promised.
            (Err(EvalError::DivisionByZero), _) => {}
            (Ok(inside), Ok(still)) => {
                if inside != still {
                    return Err(format!("domain at {p:?}: {inside} {still}"));
                }
                if inside {
                    met += 1;
                    if a != b {
                        return Err(format!("values at {p:?}: {a:?} {b:?}"));
                    }
                }
            }
            // Values beyond 64 bits, or on the way beyond 128.
            _ => met += usize::from(exact::same_at(map, simplified, &p)?),
        }
        left -= 1;
        if left == 0 {
            return Ok(met);
        }
        if exhaustive {
            let mut i = point.len();
            while i > 0 {
                i -= 1;
                if point[i] < intervals[i].upper {
                    point[i] += 1;
                    for j in i + 1..point.len() {
                        point[j] = intervals[j].lower;
                    }
                    break;
                }
            }
        } else {
            for (v, i) in point.iter_mut().zip(&intervals) {
                *v = match random.below(8) {
                    0 => i.lower,
                    1 => i.upper,
                    _ => random.within(*i),
                };
            }
        }
    }
}

/// Simplifies, and checks soundness and idempotence.
pub fn check_simplify(
    map: &IndexingMap,
    simplifier: &mut Simplifier,
    samples: usize,
    random: &mut Random,
) -> Result<(Simplified, usize), String> {
    let simplified = map.simplify_with(simplifier, false);
    let met = same_function(map, &simplified, samples, random)
        .map_err(|e| format!("{e}\n  of {map}\n  to {}", simplified.map))?;
    let again = simplified.map.simplify_with(simplifier, false);
    if again.map != simplified.map {
        return Err(format!(
            "not idempotent:\n  of {map}\n  to {}\n  to {}",
            simplified.map, again.map
        ));
    }
    Ok((simplified, met))
}

/// Simplifies a map, checks it as [`check_simplify`], and compares the text.
#[track_caller]
pub fn check_text(input: &str, expected: &str) {
    let map: IndexingMap = input.parse().unwrap_or_else(|e| panic!("{input}: {e}"));
    let checked = check_simplify(&map, &mut Simplifier::new(), 20_000, &mut Random(1));
    let (simplified, _) = checked.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(simplified.map.to_string(), expected, "{input}");
}
