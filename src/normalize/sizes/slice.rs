//! Slices whose places and sizes are operands: `x[1:]` of an `x` of run-time size, which JAX writes as a gather of one slice. Where they begin is
//! known, or a few elements away from a size.

use super::{Sizes, constant, least, tensor};
use crate::noted::{SLICE, SLICE_FROM};
use mapwright_indexing::linear::Sum;
use mapwright_mlir::{Builder, Op, stand_ins::Product};
use mapwright_ops::attrs::GatherDimensions;
use mapwright_ops::registry::lookup;

/// Where a slice begins along each dimension of the operand, and how far its elements are from each other: not at all where the result has no such
/// dimension.
type Slice = Vec<(Sum, i64)>;

impl Sizes {
    /// Notes which slice of its operand the result of `op` is, if that is known.
    pub(super) fn note_slice<'c>(&mut self, b: &Builder<'c>, op: Op<'c>) {
        let unknown = |value| tensor(value).is_some_and(|ty| ty.static_shape().is_none());
        if op.num_results() != 1 || op.num_operands() == 0 || !unknown(op.operand(0)) {
            return;
        }
        let Some(slice) = self.one_place(op).or_else(|| self.between(op)) else {
            return;
        };
        let mut known = self.of_value(op.operand(0));
        known.extend(self.of_value(op.result(0)));
        let known: Vec<Sum> = known.iter().map(|size| self.resolve(size)).collect();
        let (mut places, mut from) = (Vec::new(), Vec::new());
        for (start, step) in slice {
            let size = start.offset(-start.constant);
            from.push(match size.terms.is_empty() {
                true => 0,
                // Of the region's tensors, one has it.
                false if known.contains(&size) => match self.written(&size) {
                    Some(size) => size,
                    None => return,
                },
                false => return,
            });
            places.extend([start.constant, step]);
        }
        op.set_attribute(SLICE, b.i64_array(&places));
        if from.iter().any(|name| *name != 0) {
            op.set_attribute(SLICE_FROM, b.i64_array(&from));
        }
    }

    /// A gather of one slice, which is within the operand as it is: nothing is clamped.
    fn one_place(&mut self, op: Op<'_>) -> Option<Slice> {
        let sized = lookup(op)?.is_size_operand(op, 2);
        if !sized || op.num_operands() != 3 || tensor(op.operand(1))?.rank() != 1 {
            return None;
        }
        let of = GatherDimensions::decode(op).ok()?;
        let rank = tensor(op.operand(0))?.rank();
        let ascending = of
            .offset_dims
            .iter()
            .copied()
            .eq(0..of.offset_dims.len() as i64);
        if !ascending || !of.operand_batching_dims.is_empty() || of.index_vector_dim != 0 {
            return None;
        }
        let own = self.of_value(op.operand(0));
        let sizes = self.list(op, 2, rank);
        let indices = self.list(op, 1, of.start_index_map.len());
        let mut found = Vec::with_capacity(rank);
        for k in 0..rank {
            let at = of.start_index_map.iter().position(|d| *d == k as i64);
            let start = at.map_or(constant(0), |at| indices[at].clone());
            let room = self.resolve(&own[k].minus(&sizes[k]).minus(&start));
            let start = self.resolve(&start);
            let fits = |sum: &Sum| least(sum, &self.facts).is_some_and(|n| n >= 0);
            // At the end it is where it is because the slice is not larger than the operand.
            if room != constant(0) && !(fits(&room) && fits(&start)) {
                return None;
            }
            let gone = of.collapsed_slice_dims.contains(&(k as i64));
            found.push((start, i64::from(!gone)));
        }
        Some(found)
    }

    /// What is from one place to another, which must be within the operand.
    fn between(&mut self, op: Op<'_>) -> Option<Slice> {
        let def = lookup(op)?;
        let sized = (1..4).all(|i| def.is_size_operand(op, i)) && op.num_operands() == 4;
        if !sized || op.num_regions() > 0 {
            return None;
        }
        let rank = tensor(op.operand(0))?.rank();
        let starts = self.list(op, 1, rank);
        let steps = self.list(op, 3, rank);
        let pairs = starts.into_iter().zip(steps);
        pairs
            .map(|(start, step)| Some((start, step.as_constant().filter(|n| *n > 0)?)))
            .collect()
    }
}

/// The number that stands for what is written of a size; zero for none.
pub fn stand_in(written: i64) -> Option<i64> {
    Product::read(written).map_or(Some(0), Product::stand_in)
}
