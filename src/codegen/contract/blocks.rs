//! How large the tiles of the launch are: what of a product stays in the second-level cache and
//! what is read again.
//!
//! - *All rows* and a few panels of columns: each tile packs its own panels, one after the other,
//!   and reads the rows again for each of them.
//! - *A block of rows* that stays in the cache, and all columns or a part of them: these are packed
//!   before, and read again for each block.

use super::plan::{Source, bytes};
use super::problem::{B, M, MO, N, NO, Problem};
use crate::Options;
use crate::index::ceil;
use mapwright_indexing::Extent;

/// Sizes of a tile of the launch, in register tiles of rows, outer rows and panels.
pub(super) struct Blocks {
    pub rows: Extent,
    pub lines: Extent,
    pub cols: Extent,
}

impl Blocks {
    pub fn new(
        p: &Problem<'_>,
        options: &Options,
        rows: i64,
        all_panels: Extent,
        wanted: i64,
        row_bytes: i64,
    ) -> Self {
        let panels = all_panels.expected();
        let (m, lines) = (p.expected(M), p.expected(MO));
        let shared = p.expected(B) * p.expected(NO);
        let row_tiles = ceil(m, rows);
        let cached = |bytes: i64| (options.l2_bytes as i64 * 5 / 8 / bytes.max(1)).max(1);
        // Everything where it fits, or is not too far from it: then each panel of columns is needed
        // once only, and threads share the columns.
        let streamed = lines == 1 && streams_columns(p, options, panels, row_bytes);
        let fits = cached(row_bytes * m) >= lines && !streamed;
        let by_cols = ceil(wanted, shared).min(panels);
        let of_every_size = p.is_run_time(M) && lines == 1;
        if fits && by_cols * shared >= wanted.min(4) {
            return if of_every_size {
                let row_block = row_tiles.min(cached(row_bytes * rows));
                Self::of_rows(p, rows, row_block, all_panels, ceil(wanted, shared))
            } else {
                Self {
                    rows: row_tiles.into(),
                    lines: lines.into(),
                    cols: ceil(panels, by_cols).into(),
                }
            };
        }
        // Columns are read again for each block of rows, so these are as large as the cache and the
        // threads allow.
        let least = ceil(64, rows);
        let (row_block, line_block) = match cached(row_bytes * m) {
            1 if lines == 1 || cached(row_bytes * m * 2) == 1 => {
                let most = cached(row_bytes * rows);
                let block = ceil(row_tiles, ceil(wanted, shared * lines));
                (block.clamp(least.min(most), most).min(row_tiles), 1)
            }
            most => {
                let block = ceil(lines, ceil(wanted, shared));
                let least = ceil(least, row_tiles);
                (row_tiles, block.clamp(least.min(most), most).min(lines))
            }
        };
        // Even blocks.
        let row_block = ceil(row_tiles, ceil(row_tiles, row_block));
        let line_block = ceil(lines, ceil(lines, line_block));
        if of_every_size {
            return Self::of_rows(p, rows, row_block, all_panels, ceil(wanted, shared));
        }
        let blocks = shared * ceil(row_tiles, row_block) * ceil(lines, line_block);
        // Large blocks take long: with few of them a thread would wait for the others' last ones.
        let even = if streamed && options.threads > 1 {
            ceil(8 * options.threads as i64, blocks)
                .min(panels / 16)
                .max(1)
        } else {
            1
        };
        Self {
            rows: row_block.into(),
            lines: if p.is_run_time(MO) && !p.step.ranks() && line_block > 1 {
                Self::lines_of(p, line_block, ceil(wanted, shared))
            } else {
                line_block.into()
            },
            cols: if blocks >= wanted {
                ceil(panels, even).into()
            } else {
                ceil(panels, ceil(wanted, blocks).max(even)).max(1).into()
            },
        }
    }

    /// Blocks of so many register tiles of rows, whose number is known at run time only. Columns
    /// are cut where there are fewer blocks than `wanted`: each of them reads the rows again.
    fn of_rows(p: &Problem<'_>, rows: i64, row_block: i64, panels: Extent, wanted: i64) -> Self {
        let row_tiles = p.size(M).ceil_div(rows.into());
        let blocks = row_tiles.ceil_div(row_block.into()).greatest(Extent::ONE);
        let cuts = Extent::from(wanted).ceil_div(blocks);
        Self {
            rows: row_block.into(),
            lines: Extent::ONE,
            cols: match wanted {
                1 => panels,
                // Without columns there is nothing to be cut, and a size to be divided by all the
                // same.
                _ => panels.ceil_div(cuts).greatest(Extent::ONE),
            },
        }
    }

    /// Outer rows of a tile, whose number is known at run time only: not more than `most`, and as
    /// many as make `wanted` tiles.
    fn lines_of(p: &Problem<'_>, most: i64, wanted: i64) -> Extent {
        let each = p.size(MO).ceil_div(wanted.into());
        each.least(most.into()).greatest(Extent::ONE)
    }

    /// Whether a tile has all rows of its columns.
    pub fn all_rows(&self, p: &Problem<'_>, rows: i64) -> bool {
        let known = ![self.rows, self.lines, p.size(M)]
            .iter()
            .any(|n| n.is_run_time());
        known && self.lines >= p.size(MO) && self.rows >= p.size(M).ceil_div(rows.into())
    }
}

/// Tells whether it is better to read all columns again for each block of rows that stays in the
/// second-level cache than all rows again for each panel of columns. That is so only if there are
/// far too many rows for that cache, and it saves much of the traffic with memory: columns are
/// copied for it, which moves three times their size, and few rows of many elements make many
/// blocks.
fn streams_columns(p: &Problem<'_>, options: &Options, panels: i64, row_bytes: i64) -> bool {
    let l2 = options.l2_bytes as i64;
    let rows = p.expected(M) * row_bytes;
    let columns = p.expected(N) * p.packed_depth().expected() * bytes(&p.packed);
    let blocks = ceil(rows, l2 * 5 / 8);
    rows > 2 * l2 && 2 * columns.saturating_mul(3 + blocks) < rows.saturating_mul(panels)
}

/// Bytes of rows in the cache, for each row: windows that overlap are there once.
pub(super) fn row_bytes(p: &Problem<'_>, source: &Source, width: i64) -> i64 {
    let all = match (&source.buffer, &p.image) {
        (_, Some(image)) => {
            let sizes = image.sizes.iter().map(|n| n.expected());
            sizes.product::<i64>() / p.expected(B)
        }
        _ => p.expected(M) * p.expected(MO) * p.depth().expected(),
    };
    ceil(all * width, p.expected(M) * p.expected(MO)).max(1)
}
