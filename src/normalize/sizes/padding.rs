//! Padding that is an operand. How much of it is in front is mostly known; what is behind follows
//! from the sizes.

use super::{Sizes, tensor};
use crate::size_annotations::{PADDING, PADDING_RANGE};
use mapwright_indexing::Extent;
use mapwright_mlir::{Builder, Op, op};
use mapwright_ops::registry::{Class, lookup};

/// Among the operands: how many elements are in front, and between two.
const LOW: usize = 2;
const BETWEEN: usize = 4;
/// Padding of more elements on one side is not looked at near the ends of a loop, but is read as
/// any other element.
const NEAR: i64 = 512;

impl Sizes {
    /// Notes what `op` puts in front, if it pads and that is known.
    pub(super) fn note_padding<'c>(&mut self, b: &Builder<'c>, op: Op<'c>) {
        let pads = lookup(op)
            .is_some_and(|def| def.class == Class::Assembly && def.is_size_operand(op, BETWEEN));
        let first = op.results().first().copied();
        let rank = first.and_then(tensor).map_or(0, |ty| ty.rank());
        if !pads || rank == 0 || self.list(op, BETWEEN, rank) != vec![Extent::ZERO; rank] {
            return;
        }
        let low = self.list(op, LOW, rank);
        let known: Option<Vec<i64>> = low.iter().map(|n| n.as_constant()).collect();
        // Windows that go by steps look whether an element is there; loops are not cut where it is.
        let looked = op::uses(op.result(0)).iter().all(|(user, _)| {
            let strides = user.ints("window_strides");
            user.num_regions() > 0 && strides.is_some_and(|all| all.iter().any(|n| *n > 1))
        });
        let front = self.of_value(op.operand(0)).last() != self.of_value(op.result(0)).last();
        if let (Some(known), false) = (known, looked && !front) {
            op.set_attribute(PADDING, b.i64_array(&known));
            return;
        }
        let ends: Option<Vec<[i64; 2]>> = low.iter().map(|n| self.ends(*n)).collect();
        if let Some(ends) = ends {
            op.set_attribute(PADDING_RANGE, b.i64_array(&ends.concat()));
        }
    }

    /// The least and the greatest value of a number that is small, whatever sizes are:
    /// `2 * (n floordiv 2) - n` is none or one less.
    fn ends(&self, number: Extent) -> Option<[i64; 2]> {
        let least = |number: Extent| {
            let is_least = |n: i64| self.is_at_least(number, n);
            let (mut low, mut high) = (-NEAR, NEAR + 1);
            if !is_least(low) || is_least(high) {
                return None;
            }
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                *(if is_least(middle) {
                    &mut low
                } else {
                    &mut high
                }) = middle;
            }
            Some(low)
        };
        Some([least(number)?, -least(-number)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the number of elements that JAX puts in front where a window of `size` elements goes
    /// by steps of `step` and is to begin as often as that fits.
    #[test]
    fn padding_is_less_than_a_window() {
        let mut sizes = Sizes::default();
        let n = sizes.fresh();
        for (size, step) in [(3i64, 2i64), (2, 2), (7, 2), (5, 3), (4, 4), (11, 4)] {
            let steps = -(-n).floor_div(step.into()) * step;
            let front = (steps - n + size - step).floor_div(2.into());
            let ends = sizes.ends(front).unwrap();
            for n in 0..50 {
                let value = front.eval(&|_| n) as i64;
                assert!(
                    (ends[0]..=ends[1]).contains(&value),
                    "{size} by {step} of {n}: {value}"
                );
            }
            let exact = [(size - step) / 2, (size - 1) / 2];
            assert_eq!(ends, exact, "{size} by {step}");
            assert_eq!(sizes.ends(steps), None);
        }
    }
}
