//! What is known of index values: an interval and a stride.

use mapwright_indexing::{Expr, Interval};
use mapwright_mlir::{Op, Val, affine::AffineMap, attr, op};
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
    pub(super) fn of(&mut self, value: Val<'_>) -> Known {
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
            "affine.apply" => self.bounds(definition, "map", 0, depth).map(|b| b[0]),
            "affine.min" => self
                .bounds(definition, "map", 0, depth)
                .and_then(|b| b.into_iter().reduce(Interval::min)),
            "affine.max" => self
                .bounds(definition, "map", 0, depth)
                .and_then(|b| b.into_iter().reduce(Interval::max)),
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
                let lower = self
                    .bounds(parent, "lowerBoundMap", 0, depth)
                    .and_then(|b| b.into_iter().reduce(Interval::max));
                let upper = self
                    .bounds(parent, "upperBoundMap", first, depth)
                    .and_then(|b| b.into_iter().reduce(Interval::min));
                let step = parent.int("step").unwrap_or(1);
                match (lower, upper) {
                    (Some(lower), Some(upper)) => Known::of_loop(lower, upper, step),
                    _ => Known::UNKNOWN,
                }
            }
            _ => Known::UNKNOWN,
        }
    }

    /// Bounds of the results of a map of the operands from `first` on; at least one.
    fn bounds(
        &mut self,
        of: Op<'_>,
        name: &str,
        first: usize,
        depth: usize,
    ) -> Option<Vec<Interval>> {
        let map = AffineMap::from_mlir(of.attribute(name)?)?;
        let n = map.dims + map.symbols;
        if first + n > of.num_operands() || map.results.is_empty() {
            return None;
        }
        let operands: Vec<Interval> = (first..first + n)
            .map(|i| self.within(of.operand(i), depth).interval)
            .collect();
        Some(
            map.results
                .iter()
                .map(|e| {
                    let e: Expr = super::to_expr(e, map.dims);
                    e.bounds(&operands, &[], &[])
                })
                .collect(),
        )
    }
}
