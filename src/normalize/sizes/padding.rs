//! Padding that is an operand. How much of it is in front is mostly known; what is behind follows
//! from the sizes.

use super::{Sizes, constant, tensor};
use crate::size_annotations::{PADDING, PADDING_RANGE};
use mapwright_indexing::linear::{Base, FAR, Sum, gcd};
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
        if !pads || rank == 0 || self.list(op, BETWEEN, rank) != vec![constant(0); rank] {
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
        let ends: Option<Vec<[i64; 2]>> = low.iter().map(|n| self.ends(n)).collect();
        if let Some(ends) = ends {
            op.set_attribute(PADDING_RANGE, b.i64_array(&ends.concat()));
        }
    }

    /// The least and the greatest value of a sum that is small, whatever sizes are:
    /// `2 * (n floordiv 2) - n` is none or one less.
    fn ends(&self, sum: &Sum) -> Option<[i64; 2]> {
        let (lo, hi) = bounds(sum, &|sum| sum.range(&self.facts))?;
        (-NEAR <= lo && hi <= NEAR).then_some([lo, hi])
    }
}

/// Bounds of a sum of which `range` tells those that follow from the values of single terms.
fn bounds(sum: &Sum, range: &dyn Fn(&Sum) -> (i64, i64)) -> Option<(i64, i64)> {
    let is_bounded = |(lo, hi): (i64, i64)| -FAR < lo && hi < FAR;
    let own = range(sum);
    if is_bounded(own) {
        return Some(own);
    }
    // `m` times a quotient by `m` is what is divided, less than `m` of which are left over: where
    // that is done to all of them, terms cancel.
    let mut times = 1i64;
    for (atom, _) in sum.terms.iter().filter(|(atom, _)| atom.high.is_none()) {
        times = times.checked_mul(atom.low / gcd(atom.low, times))?;
    }
    let (mut whole, mut slack) = (Sum::constant(sum.constant).scaled(times), (0i64, 0i64));
    for (atom, k) in &sum.terms {
        let (own, k) = (Sum::atom(atom.clone()), k.checked_mul(times)?);
        let rest = match bounds_of_quotient(&own, range) {
            Some((lo, hi)) => [lo.checked_mul(k)?, hi.checked_mul(k)?],
            None if atom.high.is_none() => {
                let each = k / atom.low;
                whole = whole.plus_scaled(&atom.base_sum(), each);
                [0, each.checked_mul(1 - atom.low)?]
            }
            None => return None,
        };
        slack.0 = slack.0.checked_add(rest[0].min(rest[1]))?;
        slack.1 = slack.1.checked_add(rest[0].max(rest[1]))?;
    }
    let (lo, hi) = range(&whole);
    if !is_bounded((lo, hi)) || whole.is_beyond() {
        return None;
    }
    let (lo, hi) = (lo.checked_add(slack.0)?, hi.checked_add(slack.1)?);
    Some((-(-lo).div_euclid(times), hi.div_euclid(times)))
}

/// Bounds of a term that is a quotient of a sum which is bounded.
fn bounds_of_quotient(term: &Sum, range: &dyn Fn(&Sum) -> (i64, i64)) -> Option<(i64, i64)> {
    let [(atom, 1)] = term.terms.as_slice() else {
        return None;
    };
    if let Some(period) = atom.period() {
        return Some((0, period - 1));
    }
    match (&atom.base, atom.is_whole()) {
        (Base::Sum(inner), false) => {
            let (lo, hi) = bounds(inner, range)?;
            Some((lo.div_euclid(atom.low), hi.div_euclid(atom.low)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapwright_indexing::linear::{Atom, Facts};

    /// Checks the number of elements that JAX puts in front where a window of `size` elements goes
    /// by steps of `step` and is to begin as often as that fits.
    #[test]
    fn padding_is_less_than_a_window() {
        let facts = Facts {
            values: vec![(0, FAR)],
            ..Facts::default()
        };
        let n = Sum::atom(Atom::value(0));
        for (size, step) in [(3i64, 2i64), (2, 2), (7, 2), (5, 3), (4, 4), (11, 4)] {
            let steps = n.scaled(-1).floor_div(step, &facts).scaled(-step);
            let all = steps.minus(&n).offset(size - step);
            let front = all.floor_div(2, &facts);
            let (lo, hi) = bounds(&front, &|sum| sum.range(&facts)).unwrap();
            for n in 0..50 {
                let value = front.eval(&[], &[n]).unwrap();
                assert!(
                    (lo..=hi).contains(&value),
                    "{size} by {step} of {n}: {value}"
                );
            }
            assert_eq!(
                (lo, hi),
                ((size - step) / 2, (size - 1) / 2),
                "{size} by {step}"
            );
            assert_eq!(bounds(&steps, &|sum| sum.range(&facts)), None);
        }
    }
}
