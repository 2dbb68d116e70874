//! What is known of index values: an interval and a stride.

use mapwright_indexing::{Interval, linear::gcd};
use mapwright_mlir::{
    Op, Val,
    affine::{AffineMap, AffineNode, AffineOp},
    attr, op,
};
use std::collections::HashMap;

/// A value is in the interval and is `offset` modulo `step`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Known {
    pub(super) interval: Interval,
    pub(super) step: i64,
    pub(super) offset: i64,
}

impl Known {
    pub(super) const UNKNOWN: Known = Known::within(Interval::FULL);

    const fn within(interval: Interval) -> Known {
        Known {
            interval,
            step: 1,
            offset: 0,
        }
    }

    /// The values of the interval that are `offset` modulo `step`.
    fn from_stride(interval: Interval, (step, offset): (i64, i64)) -> Known {
        let (lower, upper) = (interval.lower as i128, interval.upper as i128);
        let (step, offset) = (step.max(1), offset as i128);
        let first = lower + (offset - lower).rem_euclid(step as i128);
        let last = upper - (upper - offset).rem_euclid(step as i128);
        // An end of `i64` may stand for anything beyond.
        let (mut tight, open) = (interval, Interval::FULL);
        if interval.lower > open.lower {
            tight.lower = i64::try_from(first).unwrap_or(interval.lower);
        }
        if interval.upper < open.upper {
            tight.upper = i64::try_from(last).unwrap_or(interval.upper);
        }
        Known {
            interval: tight,
            step,
            offset: offset.rem_euclid(step as i128) as i64,
        }
    }

    /// The values `lower`, `lower + step`, … below `upper`.
    fn of_loop(lower: Interval, upper: Interval, step: i64) -> Known {
        if step <= 0 {
            return Known::UNKNOWN;
        }
        let last = match (lower.as_point(), upper.as_point()) {
            (Some(first), Some(end)) if end > first => {
                let count = (end as i128 - first as i128 - 1) / step as i128;
                i64::try_from(first as i128 + count * step as i128).unwrap_or(i64::MAX)
            }
            _ if upper.upper == i64::MAX => i64::MAX,
            _ => upper.upper.saturating_sub(1),
        };
        Known {
            interval: Interval::new(lower.lower, last),
            step: if lower.as_point().is_some() { step } else { 1 },
            offset: lower.as_point().unwrap_or(0),
        }
    }
}

/// Definitions that are looked through, one inside of the other.
const DEPTH: usize = 32;

/// Ranges of values that were asked for.
#[derive(Default)]
pub(super) struct Ranges {
    found: HashMap<usize, Known>,
}

impl Ranges {
    pub(super) fn range_of(&mut self, value: Val<'_>) -> Known {
        self.within(value, DEPTH)
    }

    fn within(&mut self, value: Val<'_>, depth: usize) -> Known {
        if depth == 0 {
            return Known::UNKNOWN;
        }
        let key = op::key(value);
        if let Some(known) = self.found.get(&key) {
            return *known;
        }
        let known = match op::defining_op(value) {
            Some((definition, _)) => self.of_result(definition, depth - 1),
            None => self.of_argument(value, depth - 1),
        };
        self.found.insert(key, known);
        known
    }

    fn of_result(&mut self, definition: Op<'_>, depth: usize) -> Known {
        let interval = match definition.name() {
            "arith.constant" | "index.constant" => definition.int("value").map(Interval::point),
            "affine.apply" => {
                let known = self.bounds(definition, "map", 0, depth);
                return known.map_or(Known::UNKNOWN, |k| k[0]);
            }
            "affine.min" => self.extreme(definition, "map", 0, depth, Interval::min),
            "affine.max" => self.extreme(definition, "map", 0, depth, Interval::max),
            _ => None,
        };
        interval.map_or(Known::UNKNOWN, Known::within)
    }

    fn of_argument(&mut self, value: Val<'_>, depth: usize) -> Known {
        let Some((block, 0)) = op::block_argument(value) else {
            return Known::UNKNOWN;
        };
        let Some(parent) = op::parent_of_block(block) else {
            return Known::UNKNOWN;
        };
        match parent.name() {
            // (Unsigned bounds are another order.)
            "scf.for" if parent.attribute("unsignedCmp").is_none() => {
                let lower = self.within(parent.operand(0), depth).interval;
                let upper = self.within(parent.operand(1), depth).interval;
                match self.within(parent.operand(2), depth).interval.as_point() {
                    Some(step) => Known::of_loop(lower, upper, step),
                    None => Known::UNKNOWN,
                }
            }
            "affine.for" => {
                let segments = parent
                    .attribute("operandSegmentSizes")
                    .and_then(attr::ints)
                    .unwrap_or_default();
                let first = segments
                    .first()
                    .and_then(|n| usize::try_from(*n).ok())
                    .unwrap_or(0);
                let lower = self.extreme(parent, "lowerBoundMap", 0, depth, Interval::max);
                let upper = self.extreme(parent, "upperBoundMap", first, depth, Interval::min);
                let step = parent.int("step").unwrap_or(1);
                match (lower, upper) {
                    (Some(lower), Some(upper)) => Known::of_loop(lower, upper, step),
                    _ => Known::UNKNOWN,
                }
            }
            _ => Known::UNKNOWN,
        }
    }

    /// Bounds of the least or the greatest of the results of a map.
    fn extreme(
        &mut self,
        of: Op<'_>,
        name: &str,
        first: usize,
        depth: usize,
        join: fn(Interval, Interval) -> Interval,
    ) -> Option<Interval> {
        let all = self.bounds(of, name, first, depth)?;
        all.into_iter().map(|k| k.interval).reduce(join)
    }

    /// Returns the ranges of the results of a map of the operands from `first` on; at least one.
    fn bounds(&mut self, of: Op<'_>, name: &str, first: usize, depth: usize) -> Option<Vec<Known>> {
        let map = AffineMap::from_mlir(of.attribute(name)?)?;
        let n = map.dims + map.symbols;
        if first + n > of.num_operands() || map.results.is_empty() {
            return None;
        }
        let operands: Vec<Known> = (first..first + n)
            .map(|i| self.within(of.operand(i), depth))
            .collect();
        // (Of what is never executed, nothing is said.)
        let bounds = super::indexing_map(&map, &operands).image_bounds();
        if bounds.iter().any(|i| i.is_empty()) {
            return None;
        }
        let known = bounds.iter().zip(&map.results).map(|(interval, e)| {
            let strided = congruence(e, map.dims, &operands).unwrap_or((1, 0));
            Known::from_stride(*interval, strided)
        });
        Some(known.collect())
    }
}

/// Step and offset of an expression: it is `offset` modulo `step`, and `offset` itself if the step
/// is 0. `None` if a number is beyond `i64`.
fn congruence(e: &AffineNode, dims: usize, known: &[Known]) -> Option<(i64, i64)> {
    let of = |i: usize| known.get(i).map_or((1, 0), |k| (k.step, k.offset));
    let (op, x, y) = match e {
        AffineNode::Dim(i) => return Some(of(*i)),
        AffineNode::Symbol(i) => return Some(of(dims + i)),
        AffineNode::Constant(v) => return Some((0, *v)),
        AffineNode::Binary(op, x, y) => (
            *op,
            congruence(x, dims, known)?,
            congruence(y, dims, known)?,
        ),
    };
    let nothing = Some((1, 0));
    let ((a, r), (b, k)) = (x, y);
    if op == AffineOp::Add {
        return Some((gcd(a, b), r.checked_add(k)?));
    }
    // Everything else is by a constant.
    if b != 0 {
        return nothing;
    }
    match op {
        AffineOp::Mul => Some((a.checked_mul(k)?.checked_abs()?, r.checked_mul(k)?)),
        _ if k <= 0 => nothing,
        AffineOp::Mod if a == 0 => Some((0, r.rem_euclid(k))),
        AffineOp::Mod => Some((gcd(a, k), r)),
        AffineOp::FloorDiv if a % k == 0 => Some((a / k, r.div_euclid(k))),
        AffineOp::CeilDiv if a % k == 0 => Some((a / k, -(r.checked_neg()?.div_euclid(k)))),
        _ => nothing,
    }
}
