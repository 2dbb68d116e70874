//! Slices whose places and sizes are operands: `x[1:]` of an `x` of run-time size, which JAX writes
//! as a gather of one slice. Where they begin is known, or a few elements away from a size. So are
//! those that JAX's `roll` puts together, whose place is a number of elements that no tensor has.

use super::{Sizes, is_unknown, tensor};
use crate::size_annotations::{SLICE, SLICE_STEPS};
use mapwright_indexing::Extent;
use mapwright_mlir::{Builder, Op, op, sizes};
use mapwright_ops::attrs::GatherDimensions;
use mapwright_ops::registry::{Class, lookup};

/// Start of a slice along each dimension of the operand, and the distance of its elements: 0 where
/// the result has no such dimension.
type Slice = Vec<(Extent, i64)>;

impl Sizes {
    /// Notes which slice of its operand the result of `op` is, if it begins somewhere that is
    /// known, or a few elements away from a size of the two. Says whether it does.
    pub(super) fn note_slice<'c>(&mut self, b: &Builder<'c>, op: Op<'c>) -> bool {
        if !has_unknown_sizes(op) {
            return false;
        }
        let Some(slice) = self.one_place(op).or_else(|| self.between(op)) else {
            return false;
        };
        let mut known = self.of_value(op.operand(0));
        known.extend(self.of_value(op.result(0)));
        let known: Vec<Extent> = known.into_iter().map(|size| self.resolve(size)).collect();
        self.note(b, op, slice, &|sizes, start| {
            let (parts, constant) = start.parts();
            let size = start - constant;
            match parts.is_empty() {
                true => Some(start),
                // Of the region's tensors, one has it.
                false if known.contains(&size) => Some(sizes.written(size) + constant),
                false => None,
            }
        })
    }

    /// Notes the same of a slice that begins anywhere, whose result is put together with others:
    /// the number has a name then, as a size has.
    pub(super) fn note_start<'c>(&mut self, b: &Builder<'c>, op: Op<'c>) {
        if !has_unknown_sizes(op) || !is_put_together(op) {
            return;
        }
        let Some(slice) = self.between(op) else {
            return;
        };
        // It is not negative, as the operation demands.
        self.note(b, op, slice, &|sizes, start| match start.as_constant() {
            Some(_) => Some(start),
            None => Some(sizes.written(start)),
        });
    }

    /// Writes where a slice begins: at a number, or at a size that something is added to, which
    /// `of` says.
    fn note<'c>(
        &mut self,
        b: &Builder<'c>,
        op: Op<'c>,
        slice: Slice,
        of: &dyn Fn(&mut Self, Extent) -> Option<Extent>,
    ) -> bool {
        // Names are those of the last time that the block was looked at.
        op.remove_attribute(SLICE);
        op.remove_attribute(SLICE_STEPS);
        let (starts, steps): (Vec<Extent>, Vec<i64>) = slice.into_iter().unzip();
        let starts: Option<Vec<Extent>> = starts.into_iter().map(|start| of(self, start)).collect();
        let is_written = starts.is_some_and(|starts| sizes::write(op, SLICE, &starts));
        if is_written {
            op.set_attribute(SLICE_STEPS, b.i64_array(&steps));
        }
        is_written
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
            let start = at.map_or(Extent::ZERO, |at| indices[at]);
            let room = self.resolve(own[k] - sizes[k] - start);
            // At the end it is where it is because the slice is not larger than the operand.
            if room != 0 && !(self.is_at_least(room, 0) && self.is_at_least(start, 0)) {
                return None;
            }
            let gone = of.collapsed_slice_dims.contains(&(k as i64));
            found.push((start, i64::from(!gone)));
        }
        Some(found)
    }

    /// Returns the slice that an operation with start and step operands takes; it must be within
    /// the operand.
    fn between(&mut self, op: Op<'_>) -> Option<Slice> {
        let def = lookup(op)?;
        let sized = (1..4).all(|i| def.is_size_operand(op, i)) && op.num_operands() == 4;
        if !sized || op.num_regions() > 0 {
            return None;
        }
        let rank = tensor(op.operand(0))?.rank();
        let starts = self.list(op, 1, rank);
        let steps = self.list(op, 3, rank);
        let [own, taken] = [op.operand(0), op.result(0)].map(|value| {
            let sizes = self.of_value(value);
            let sizes = sizes.into_iter().map(|size| self.resolve(size));
            sizes.collect::<Vec<Extent>>()
        });
        let places = starts.into_iter().zip(steps).enumerate();
        places
            .map(|(k, (start, step))| {
                let step = step.as_constant().filter(|n| *n > 0)?;
                // All of it is where it begins.
                let whole = step == 1 && own.get(k) == taken.get(k);
                Some((if whole { Extent::ZERO } else { start }, step))
            })
            .collect()
    }
}

/// Tells whether `op` has one result and an operand of run-time sizes.
fn has_unknown_sizes(op: Op<'_>) -> bool {
    op.num_results() == 1 && op.num_operands() > 0 && is_unknown(op.operand(0))
}

/// Tells whether the result is read only by operations that put it together with others or compute
/// with it element by element: other users read faster from memory. The operand must be there
/// anyway: if it were put together for this slice alone, code would look for the piece at each
/// place.
fn is_put_together(op: Op<'_>) -> bool {
    let given = op::defining_op(op.operand(0)).and_then(|(given, _)| lookup(given));
    let is_there =
        given.is_none_or(|def| def.class != Class::Assembly) || op::uses(op.operand(0)).len() > 1;
    is_there
        && op::uses(op.result(0)).into_iter().all(|(user, _)| {
            let class = lookup(user).map(|def| def.class);
            matches!(class, Some(Class::Assembly | Class::Elementwise))
        })
}
