//! Rows of column regions: a few cache lines each, further apart than any prefetcher of a processor follows. They are asked for ahead, those
//! that are read and those that are written.

use super::generate::{LoopEmitter, R};
use super::plan::LINE;
use mapwright_indexing::linear::Sum;
use mapwright_mlir::Val;

/// Bytes between rows from which on the processor does not fetch the next one by itself.
pub(super) const FAR: i64 = 1 << 10;
/// Bytes of a tensor that is not in a near cache.
pub(super) const LARGE: i64 = 1 << 20;
/// Rows ahead. Rows a page apart share few places of the level-one cache: there are not many more.
const ROWS: i64 = 8;

/// What a prefetch is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

impl<'c> LoopEmitter<'_, 'c> {
    /// Asks for what is at `offset` of a tensor a few rows from here, where these are far apart. `elements`, `bytes`: of the tensor, and of
    /// one of them.
    pub(super) fn ask_ahead(
        &mut self,
        buffer: Val<'c>,
        offset: &Sum,
        (elements, bytes): (i64, i64),
        access: Access,
    ) -> R<()> {
        let plan = self.plan;
        let columns = plan.columns && plan.inner.is_none();
        let ahead = match plan.wide {
            None => ROWS,
            // Of whole rows the processor fetches the next one by itself. Where several are read side by side they are streams enough.
            Some(wide) if self.breaks(wide) && self.rows_at_a_time(self.sweep) == 1 => 1,
            Some(_) => return Ok(()),
        };
        if !plan.prefetches || !columns || elements.saturating_mul(bytes) < LARGE {
            return Ok(());
        }
        // From row to row: the variable that the columns have not.
        let stride = offset
            .terms
            .iter()
            .filter_map(|(atom, k)| {
                let var = atom.as_var()?;
                (!plan.parallel.contains(&var)).then_some(*k)
            })
            .min_by_key(|k| k.abs());
        let Some(stride) = stride.filter(|k| k.abs().saturating_mul(bytes) >= FAR) else {
            return Ok(());
        };
        let b = self.b;
        // Each line of a vector of several.
        let line = (LINE / bytes.max(1)).max(1);
        let mut lane = 0;
        while lane < plan.lanes {
            let at = self.index_value(&offset.offset(stride * ahead + lane))?;
            let at = match stride > 0 {
                true => b.minsi(at, b.cidx(elements - 1)),
                false => b.maxsi(at, b.cidx(0)),
            };
            b.prefetch(buffer, &[at], access == Access::Write);
            lane += line;
        }
        Ok(())
    }
}
