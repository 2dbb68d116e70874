//! Storing elements, and loading what was stored in scratch.

use super::emitter::{EmitResult, Lane, LoopEmitter};
use super::plan::LINE;
use super::prefetch::Access;
use crate::{Declined, Elem, storage, vectors::zero};
use mapwright_indexing::Extent;
use mapwright_indexing::linear::sized::Sum;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{ElementType, Val};

impl<'c> LoopEmitter<'_, 'c> {
    /// Computes and stores an element (or a vector) of a root.
    pub fn store(&mut self, root: usize, index: &[Sum]) -> EmitResult<()> {
        let port = &self.region.roots[root];
        let value = self.eval(port.value, index)?;
        let offset = port.offset(index);
        let element = port.ty.element.clone();
        let plan = self.plan;
        if let (Some(inner), Some(lane)) = (&plan.inner, self.lane)
            && !self.analysis.secondary.contains_key(&root)
        {
            return self.store_inner(root, &element, value, &offset, inner, lane);
        }
        let streamed = self.streamed[root];
        if !streamed && port.base.is_none() && self.lane.is_some() {
            let bytes = element.byte_width().unwrap_or(0) as i64;
            let size = (port.elements(), bytes);
            let ahead = self.plan.prefetches_output(root);
            self.ask_ahead(self.outputs[root], (&offset, ahead), size, Access::Write)?;
        }
        self.store_to(self.outputs[root], &element, value, &offset, streamed)
    }

    /// Stores at an offset that is the same for all lanes or follows them; past the caches if
    /// `streamed` and where it is aligned.
    pub(super) fn store_to(
        &mut self,
        buffer: Val<'c>,
        element: &ElementType,
        value: Elem<'c>,
        offset: &Sum,
        streamed: bool,
    ) -> EmitResult<()> {
        let b = self.b;
        let scratch_column = self.plan.columns && self.scratch.contains(&buffer);
        let along = match self.lane {
            Some(lane) if scratch_column => Some(lane),
            Some(lane) if self.runtime.depends_on(offset, lane.var) => {
                if offset.coefficient(lane.var) != Some(Extent::ONE) {
                    return Err(Declined::new("a result that the lanes stride over"));
                }
                Some(lane)
            }
            _ => None,
        };
        if element.is_complex() {
            return self.store_complex(buffer, element, value, offset, along, streamed);
        }
        let at = self.index_value(offset)?;
        let Some(lane) = along else {
            if self.is_vector(value.one()) {
                return Err(Declined::new("a vector for one element"));
            }
            let stored = storage::to_storage(b, element, value)?;
            b.store(stored, buffer, &[at]);
            return Ok(());
        };
        let value = Elem::One(self.spread(value.one(), &[self.plan.lanes]));
        let stored = storage::to_storage(b, element, value)?;
        match lane.mask {
            None => {
                let width = element.byte_width().unwrap_or(1) as i64;
                // Memory begins at the start of a cache line, no more is known.
                let bytes = (width * self.plan.lanes).min(LINE);
                if streamed && (self.divisor(offset) * width) % bytes == 0 {
                    b.vstore_streaming(stored, buffer, &[at], bytes)
                } else {
                    b.vstore(stored, buffer, &[at])
                }
            }
            Some(mask) => b.masked_store(buffer, &[at], mask, stored),
        }
        Ok(())
    }

    /// Loads what [`LoopEmitter::store_to`] stored.
    pub(super) fn load_from(
        &mut self,
        buffer: Val<'c>,
        element: &ElementType,
        offset: &Sum,
    ) -> EmitResult<Elem<'c>> {
        let b = self.b;
        let storage = b.element_of(buffer.r#type());
        let ty = b.vector(&[self.plan.lanes], storage);
        if element.is_complex() {
            let Some(lane) = self.lane else {
                return Err(Declined::new("a kept value outside of the lanes"));
            };
            return self.load_pairs(buffer, offset, lane);
        }
        let at = self.index_value(offset)?;
        let loaded = match self.lane {
            None => return Err(Declined::new("a kept value outside of the lanes")),
            Some(Lane { mask: None, .. }) => b.vload(buffer, &[at], ty),
            Some(Lane {
                mask: Some(mask), ..
            }) => b.masked_load(buffer, &[at], mask, zero(b, ty)),
        };
        Ok(storage::from_storage(b, element, loaded)?)
    }
}
