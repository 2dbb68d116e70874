//! Storing elements, and loading what was stored in scratch.

use super::emitter::{EmitResult, Lane, LoopEmitter, Scope};
use super::plan::LINE;
use super::prefetch::Access;
use crate::{Declined, Elem, storage, vectors::zero};
use mapwright_indexing::Extent;
use mapwright_indexing::linear::Sum;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{CmpI, ElementType, Val};

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
        let ahead = self.plan.prefetches_output(root);
        if ahead != 0 && port.base.is_none() && self.lane.is_some() {
            let bytes = element.byte_width().unwrap_or(0) as i64;
            let size = (port.elements(), bytes);
            let buffer = self.outputs[root];
            let mut ask =
                |me: &mut Self| me.ask_ahead(buffer, (&offset, ahead), size, Access::Write);
            match self.large {
                _ if !streamed => ask(self)?,
                Some(large) => self.unless(large, &mut ask)?,
                None => {}
            }
        }
        self.store_to(self.outputs[root], &element, value, &offset, streamed)
    }

    /// Emits `inner` where `condition` does not hold.
    fn unless(
        &mut self,
        condition: Val<'c>,
        inner: &mut dyn FnMut(&mut Self) -> EmitResult<()>,
    ) -> EmitResult<()> {
        // What is computed there is not known behind it.
        let straight = self.straight.take();
        self.scopes.push(Scope::default());
        let mut result = Ok(());
        let b = self.b;
        let holds_not = b.cmpi(CmpI::Eq, condition, b.cbool(false));
        b.if_then(holds_not, |_| result = inner(self));
        self.scopes.pop();
        self.straight = straight;
        result
    }

    /// Stores a vector of which all lanes are there, of elements of `width` bytes; past the caches
    /// if it is `streamed` and begins at a multiple of `bytes`.
    pub(super) fn store_whole(
        &mut self,
        vector: Val<'c>,
        (buffer, at): (Val<'c>, Val<'c>),
        offset: &Sum,
        (width, bytes): (i64, i64),
        streamed: bool,
    ) {
        if !streamed || (self.divisor(offset) * width) % bytes != 0 {
            self.b.vstore(vector, buffer, &[at]);
        } else if self.large.is_some() {
            self.delayed.push((vector, buffer, at, bytes));
        } else {
            self.b.vstore_streaming(vector, buffer, &[at], bytes);
        }
    }

    /// Stores the vectors of all copies of the body of which sizes tell how they are stored.
    pub(super) fn store_delayed(&mut self) {
        let vectors = std::mem::take(&mut self.delayed);
        let Some(large) = self.large.filter(|_| !vectors.is_empty()) else {
            return;
        };
        let each = |store: &dyn Fn(Val<'c>, Val<'c>, Val<'c>, i64)| {
            for (vector, buffer, at, bytes) in &vectors {
                store(*vector, *buffer, *at, *bytes);
            }
            Vec::new()
        };
        let b = self.b;
        let past = |vector, buffer, at, bytes| b.vstore_streaming(vector, buffer, &[at], bytes);
        let through = |vector, buffer, at, _| b.vstore(vector, buffer, &[at]);
        b.if_else(large, &[], |_| each(&past), |_| each(&through));
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
                self.store_whole(stored, (buffer, at), offset, (width, bytes), streamed);
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
