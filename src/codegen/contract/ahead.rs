//! What is asked for before it is read: the next packed panel, and columns that are read where they
//! lie.
//!
//! Rows of a factor that is read in place lie pages apart. A panel has a few cache lines of each,
//! and no processor guesses that those of the next panel come then. So they are asked for
//! by *groups* of panels: while a group is used, every panel asks for a part of the rows of the
//! next one, each from its beginning to its end, as memory gives it best.

use super::competing::compete;
use super::matmul_emitter::{MatmulEmitter, prefetch};
use super::plan::{Buffer, Plan, bytes, panel_size};
use super::problem::{EmitResult, J, N, Problem};
use crate::Options;
use crate::index::ceil;
use mapwright_indexing::Extent;
use mapwright_mlir::Val;

/// Bytes of a cache line.
pub(super) const LINE: i64 = 64;
/// Bytes of a row that are asked for together, at most: as many lines as a core waits for at a
/// time.
const RUN: i64 = 16 * LINE;
/// Bytes of a page of memory: what processors fetch by themselves does not go beyond one.
const PAGE: i64 = 4 << 10;

/// Tells whether columns may be prefetched by groups of panels: they are read where they lie, along
/// one contracted loop.
pub(super) fn has_rows_of_columns(p: &Problem<'_>, plan: &Plan) -> bool {
    matches!(plan.col_source.buffer, Buffer::Input(_))
        && p.k.len() == 1
        && plan.col_source.offset.coefficient(N) == Some(Extent::ONE)
}

/// Panels of a group where asking for columns pays: their rows lie pages apart, do not compete, and
/// the caches do not hold all of them. Zero where it does not.
pub(super) fn panels_of_group(p: &Problem<'_>, plan: &Plan, options: &Options) -> i64 {
    let Some(inner) = p.k.last().filter(|_| has_rows_of_columns(p, plan)) else {
        return 0;
    };
    let width = bytes(&plan.col_source.element);
    let pitch = plan.col_source.offset.coefficient(*inner);
    let pitch = pitch.unwrap_or_default().expected() * width;
    let depth = p.depth().expected();
    let panel = plan.width() * width;
    let l2 = options.l2_bytes as i64;
    if pitch < PAGE || compete(p, &plan.col_source) || depth.saturating_mul(pitch) <= l2 {
        return 0;
    }
    // Two groups have room beside the results.
    (l2 / 4 / (depth * panel)).clamp(1, (RUN / panel).max(1))
}

impl<'c> MatmulEmitter<'_, 'c> {
    /// While a panel is used by one register tile after another, each asks for a part of the next
    /// panel, so that it is near when its turn comes.
    pub(super) fn next_panel(&self, i: Val<'c>, first: Val<'c>) -> Option<(Val<'c>, i64)> {
        let (b, p, plan) = (self.b, self.p, self.plan);
        // For few rows columns may be read where they are.
        if !plan.choices.prefetches_panel || !plan.col_source.buffer.is_packed() {
            return None;
        }
        let size = panel_size(p, plan.width());
        let share = ceil(size.when_large(), plan.row_block.expected());
        Some((b.muli(b.subi(i, first), b.cidx(share)), share))
    }

    /// Asks for a part of the columns of the next group, in front of the current panel; `first` is
    /// that of the tile.
    pub(super) fn next_columns(&mut self, first: Val<'c>, cols: Val<'c>) -> EmitResult<()> {
        let (b, p, plan) = (self.b, self.p, self.plan);
        let panels = plan.choices.columns_ahead;
        let (Some(inner), Some(j)) = (p.k.last(), self.g.vals[J]) else {
            return Ok(());
        };
        if panels == 0 || !has_rows_of_columns(p, plan) {
            return Ok(());
        }
        let stride = plan.col_source.offset.coefficient(*inner);
        let (depth, pitch) = (b.cidx(p.size(*inner)), b.cidx(stride.unwrap_or_default()));
        let at = self.start(&plan.col_source)?;
        let number = b.op1(
            "arith.remui",
            &[b.subi(j, first), b.cidx(panels)],
            b.index(),
            &[],
        );
        let ahead = b.muli(b.subi(b.cidx(panels), number), b.cidx(plan.width()));
        let next = b.addi(at, ahead);
        let share = b.op1("arith.ceildivui", &[depth, b.cidx(panels)], b.index(), &[]);
        let begin = b.minsi(b.muli(number, share), depth);
        let end = b.minsi(b.addi(begin, share), depth);
        let line = (LINE / bytes(&plan.col_source.element)).max(1);
        let columns = b.cidx(panels * plan.width());
        b.for_loop(begin, end, b.cidx(1), &[], |b, k, _| {
            let row = b.addi(next, b.muli(k, pitch));
            b.for_loop(b.cidx(0), columns, b.cidx(line), &[], |b, n, _| {
                prefetch(b, cols, b.addi(row, n), false, 2);
                Vec::new()
            });
            Vec::new()
        });
        Ok(())
    }
}
