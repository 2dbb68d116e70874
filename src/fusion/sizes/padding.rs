//! Padding that is an operand. How much of it is in front is mostly known; what is behind follows from the sizes.

use super::{Sizes, constant, tensor};
use crate::noted::PADDING;
use mapwright_mlir::{Builder, Op};
use mapwright_ops::registry::{Class, lookup};

/// Among the operands: how many elements are in front, and between two.
const LOW: usize = 2;
const BETWEEN: usize = 4;

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
        if let Some(known) = known {
            op.set_attribute(PADDING, b.i64_array(&known));
        }
    }
}
