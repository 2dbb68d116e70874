//! Rows of column regions: a few cache lines each, further apart than any prefetcher of a processor
//! follows. They are asked for ahead, those that are read and those that are written.

use super::emitter::{EmitResult, LoopEmitter};
use super::plan::LINE;
use super::prefetched::row_stride;
use mapwright_indexing::{Extent, linear::Sum};
use mapwright_mlir::Val;

/// Access that a prefetch is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

impl<'c> LoopEmitter<'_, 'c> {
    /// Asks for what is `ahead` rows from `offset` of a tensor. `elements`, `bytes`: of the tensor,
    /// and of one of them.
    pub(super) fn ask_ahead(
        &mut self,
        buffer: Val<'c>,
        (offset, ahead): (&Sum, i64),
        (elements, bytes): (Extent, i64),
        access: Access,
    ) -> EmitResult<()> {
        let plan = self.plan;
        // Of what is transposed the next block is asked for; rows that are read at the same time
        // are streams enough.
        if ahead == 0 || plan.transpose.is_some() || ahead < plan.rows_at_a_time(self.sweep) {
            return Ok(());
        }
        let Some(stride) = row_stride(offset, &plan.parallel) else {
            return Ok(());
        };
        let b = self.b;
        // Each line of a vector of several.
        let line = (LINE / bytes.max(1)).max(1);
        let mut lane = 0;
        while lane < plan.lanes {
            let at = self.index_value(&offset.offset(stride * ahead + lane))?;
            let at = if stride > 0 {
                b.minsi(at, b.cidx(elements - 1))
            } else {
                b.maxsi(at, b.cidx(0))
            };
            b.prefetch(buffer, &[at], access == Access::Write);
            lane += line;
        }
        Ok(())
    }
}
