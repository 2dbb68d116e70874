//! The loops of the product and the register tile.

use super::bf16_subnormals::OneByOne;
use super::epilogue;
use super::matmul_emitter::{
    Contracted, InPlace, MatmulEmitter, Width, contract, prefetch, spread, widen,
};
use super::plan::{Plan, Source, panel_size};
use super::problem::{B, EmitResult, J, M, MO, N, NO};
use super::step::{self, Step};
use crate::index::{Ix, ceil};
use crate::run_time::index;
use crate::tiled::emitter::Scope;
use crate::vectors::zero;
use mapwright_indexing::Extent;
use mapwright_mlir::Val;
use mapwright_mlir::builder::{CmpI, DYNAMIC};

impl<'g, 'c> MatmulEmitter<'g, 'c> {
    /// All tiles of the product.
    pub fn tiles(&mut self, begin: Val<'c>, end: Val<'c>) -> EmitResult<()> {
        let (b, whole) = (self.b, self.plan);
        let Some(few) = &whole.few else {
            return self.packed_tiles(begin, end, None);
        };
        let are_few = whole.has_few_rows(b, self.p);
        if whole.rest_is_few(few) {
            return self.packed_tiles(begin, end, Some((are_few, few)));
        }
        let are_more = b.xori(are_few, b.cbool(true));
        for (condition, plan) in [(are_few, &**few), (are_more, whole)] {
            self.when(Some(condition), &mut |me| {
                me.plan = plan;
                me.packed_tiles(begin, end, None)
            })?;
        }
        Ok(())
    }

    /// The tiles of the plan. `few`: the plan for few rows that the register tiles of half the
    /// rows, and fewer, are for as well, with the condition.
    fn packed_tiles(
        &mut self,
        begin: Val<'c>,
        end: Val<'c>,
        few: Option<(Val<'c>, &'g Plan)>,
    ) -> EmitResult<()> {
        let b = self.b;
        let rows = self.buffer(&self.plan.row_source.buffer)?;
        let cols = self.buffer(&self.plan.col_source.buffer)?;
        let in_place = match few {
            None => None,
            Some((are_few, few)) => {
                let element = crate::storage::storage_type(b, &few.col_source.element)?;
                let any = b.memref(&[DYNAMIC], element);
                let both = [self.buffer(&few.col_source.buffer)?, cols];
                let [own, packed] = both.map(|x| b.op1("memref.cast", &[x], any, &[]));
                Some(InPlace {
                    are_few,
                    plan: few,
                    chosen: b.select(are_few, own, packed),
                })
            }
        };
        let mut result = Ok(());
        b.for_loop(begin, end, b.cidx(1), &[], |_, tile, _| {
            result = self.tile(tile, rows, cols, in_place);
            Vec::new()
        });
        result
    }

    fn tile(
        &mut self,
        tile: Val<'c>,
        rows: Val<'c>,
        cols: Val<'c>,
        in_place: Option<InPlace<'g, 'c>>,
    ) -> EmitResult<()> {
        let b = self.b;
        let (p, plan) = (self.p, self.plan);
        let [line_blocks, row_blocks, col_blocks] = plan.block_counts(b, p);
        let [groups, outer] = [B, NO].map(|v| index(b, p.size(v)));
        let sizes = [groups, outer, line_blocks, col_blocks, row_blocks];
        let at = self.split_counts(tile, &sizes);
        (self.g.vals[B], self.g.vals[NO]) = (Some(at[0]), Some(at[1]));
        self.g.scopes.push(Scope::default());
        let [m, n, lines] = [M, N, MO].map(|v| index(b, p.size(v)));
        let [rows_each, cols_each] = [plan.rows, plan.width()].map(Ix::Known);
        let (full_rows, full_cols) = (m.div(b, rows_each), n.div(b, cols_each));
        let (rest_rows, rest_cols) = (m.rem(b, rows_each), n.rem(b, cols_each));
        let range = |block: Val<'c>, count: Ix<'c>, size: Extent, blocks: Ix<'c>| match blocks {
            Ix::Known(1) => (b.cidx(0), count.value(b)),
            _ => {
                let lo = b.muli(block, b.cidx(size));
                let lo = b.minsi(lo, count.value(b));
                (lo, b.minsi(b.addi(lo, b.cidx(size)), count.value(b)))
            }
        };
        let (i_lo, i_hi) = range(at[4], full_rows, plan.row_block, row_blocks);
        let whole_cols = if plan.masked {
            n.add(b, Ix::Known(plan.width() - 1)).div(b, cols_each)
        } else {
            full_cols
        };
        let (j_lo, j_hi) = range(at[3], whole_cols, plan.col_block, col_blocks);
        let (line_lo, line_hi) = range(at[2], lines, plan.line_block, line_blocks);
        let last = |block: Val<'c>, blocks: Ix<'c>| match blocks {
            Ix::Known(1) => None,
            _ => Some(b.cmpi(CmpI::Eq, block, blocks.sub(b, Ix::Known(1)).value(b))),
        };
        let (last_row, last_col) = (last(at[4], row_blocks), last(at[3], col_blocks));
        let here = match (last_row, in_place) {
            (Some(last), Some(few)) => Some(b.ori(last, few.are_few)),
            (last, _) => last,
        };
        // Register tiles of rows of the current outer row, each with how many rows it has.
        let row_tiles = |me: &mut Self,
                         inner: &mut dyn FnMut(&mut Self, i64) -> EmitResult<()>|
         -> EmitResult<()> {
            let line = me.g.vals[MO].map(|line| b.subi(line, line_lo));
            let limits = line.and_then(|line| me.limits_of(tile, line));
            let limit = |i: Val<'c>| limits.map(|first| b.addi(first, b.subi(i, i_lo)));
            if full_rows.known() != Some(0) {
                let mut inside = Ok(());
                // Few rows are all left to the smaller register tiles.
                let i_end = in_place.map_or(i_hi, |few| b.select(few.are_few, i_lo, i_hi));
                b.for_loop(i_lo, i_end, b.cidx(1), &[], |_, i, _| {
                    let m0 = b.muli(i, b.cidx(plan.rows));
                    me.ahead = me.next_panel(i, i_lo);
                    me.limit = limit(i);
                    inside = me.with(M, m0, &mut |me| inner(me, plan.rows));
                    me.ahead = None;
                    Vec::new()
                });
                inside?;
            }
            let m0 = full_rows.mul(b, rows_each).value(b);
            match rest_rows {
                Ix::Known(0) => {}
                Ix::Known(rest) => me.when(last_row, &mut |me| {
                    me.limit = limit(full_rows.value(b));
                    me.with(M, m0, &mut |me| inner(me, rest))
                })?,
                // Half a register tile, half of that, and so on to single rows.
                Ix::Value(_) => me.when(here, &mut |me| {
                    let (mut lo, mut end, mut count) = (m0, m.value(b), plan.rows);
                    if let Some(few) = in_place {
                        let rows = |i: Val<'c>| b.muli(i, b.cidx(plan.rows));
                        lo = b.select(few.are_few, rows(i_lo), lo);
                        end = last_row.map_or(end, |last| b.select(last, end, rows(i_hi)));
                    }
                    me.in_place = in_place;
                    while count > 1 {
                        count /= 2;
                        let left = Ix::Value(b.subi(end, lo));
                        let parts = left.div(b, Ix::Known(count)).mul(b, Ix::Known(count));
                        let hi = b.addi(lo, parts.value(b));
                        me.each(M, (lo, hi, count), &mut |me| inner(me, count))?;
                        lo = hi;
                    }
                    me.in_place = None;
                    Ok(())
                })?,
            }
            me.limit = None;
            Ok(())
        };
        // All of them, for each outer row of the tile.
        let all_rows = |me: &mut Self,
                        inner: &mut dyn FnMut(&mut Self, i64) -> EmitResult<()>|
         -> EmitResult<()> {
            match p.size(MO) {
                Extent::ONE => me.with(MO, b.cidx(0), &mut |me| row_tiles(me, inner)),
                _ => me.each(MO, (line_lo, line_hi, 1), &mut |me| row_tiles(me, inner)),
            }
        };
        if plan.limits.is_some() {
            all_rows(self, &mut |me, count| me.note_rows(count, rows))?;
        }
        let column = |me: &mut Self, width: Width<'c>| -> EmitResult<()> {
            me.next_columns(j_lo, cols)?;
            if let Some(few) = in_place.filter(|few| few.plan.choices.columns_ahead > 0) {
                me.plan = few.plan;
                me.when(Some(few.are_few), &mut |me| {
                    me.next_columns(j_lo, few.chosen)
                })?;
                me.plan = plan;
            }
            if plan.own_panels {
                let valid = width.last.map_or(width.vectors * plan.lanes, |last| {
                    (width.vectors - 1) * plan.lanes + last
                });
                me.own_panel(cols, valid)?;
            }
            all_rows(me, &mut |me, count| me.micro(count, width, rows, cols))
        };
        let mut result = Ok(());
        if full_cols.known() != Some(0) {
            b.for_loop(j_lo, j_hi, b.cidx(1), &[], |_, j, _| {
                let n0 = b.muli(j, b.cidx(plan.width()));
                let width = Width {
                    vectors: plan.vectors,
                    last: None,
                    columns: plan.masked.then(|| b.subi(n.value(b), n0)),
                };
                result = self.with(J, j, &mut |me| me.with(N, n0, &mut |me| column(me, width)));
                Vec::new()
            });
        }
        if result.is_ok() && !plan.masked && rest_cols.known() != Some(0) {
            let rest = rest_cols.known();
            let width = Width {
                vectors: rest.map_or(plan.vectors, |n| ceil(n, plan.lanes)),
                last: rest.map(|n| n % plan.lanes).filter(|n| *n > 0),
                columns: rest.is_none().then(|| rest_cols.value(b)),
            };
            let (j, n0) = (full_cols.value(b), full_cols.mul(b, cols_each).value(b));
            let some = width.columns.map(|n| b.cmpi(CmpI::Ne, n, b.cidx(0)));
            let here = match (last_col, some) {
                (Some(x), Some(y)) => Some(b.andi(x, y)),
                (x, y) => x.or(y),
            };
            result = self.when(here, &mut |me| {
                me.with(J, j, &mut |me| me.with(N, n0, &mut |me| column(me, width)))
            });
        }
        self.g.scopes.pop();
        result
    }

    /// One register tile: `rows` rows of `width` columns, from the rows at `M` and the columns at
    /// `N`.
    fn micro(
        &mut self,
        rows: i64,
        width: Width<'c>,
        from: Val<'c>,
        cols: Val<'c>,
    ) -> EmitResult<()> {
        let (b, p, plan) = (self.b, self.p, self.plan);
        let row_at = self.start(&plan.row_source)?;
        let mut col_at = self.start(&plan.col_source)?;
        let in_place = self.in_place;
        let cols = in_place.map_or(cols, |few| few.chosen);
        if let Some(few) = in_place {
            let own = self.start(&few.plan.col_source)?;
            col_at = b.select(few.are_few, own, col_at);
        }
        let element = crate::storage::storage_type(b, &p.acc)?;
        let ty = b.vector(&[plan.lanes], element);
        let nothing = zero(b, ty);
        let stride =
            |source: &Source, var: usize| source.offset.coefficient(var).unwrap_or_default();
        let row_stride = stride(&plan.row_source, M);
        let packed = in_place.is_none() && plan.col_source.buffer.is_packed();
        let masks: Vec<Option<Val<'c>>> = (0..width.vectors)
            .map(|v| {
                if packed {
                    None
                } else {
                    width.mask(b, v, plan.lanes)
                }
            })
            .collect();
        let group = p.step.elements();
        // A vector of columns: in memory of the type that it has there.
        let stored = crate::storage::storage_type(b, &plan.col_source.element)?;
        let col_ty = b.vector(&[plan.lanes * group], stored);
        if plan.choices.prefetches_results {
            epilogue::announce(self, rows, width)?;
        }
        let first = col_at;
        let ahead = self.ahead.map(|(done, share)| {
            let behind = panel_size(p, plan.width());
            // Of how many elements of this panel one of the next one is asked for, as a power of
            // two.
            let shift = (behind.when_large() / share.max(1)).max(1).ilog2();
            (b.addi(b.addi(col_at, done), b.cidx(behind)), shift)
        });
        let body =
            |row_at: Val<'c>, col_at: Val<'c>, sums: &[Val<'c>]| -> EmitResult<Vec<Val<'c>>> {
                let mut vectors = Vec::new();
                if let Some((next, shift)) = ahead {
                    let done = b.shrui(b.subi(col_at, first), b.cidx(i64::from(shift)));
                    prefetch(b, cols, b.addi(next, done), false, 2);
                }
                for v in 0..width.vectors {
                    let at = b.addi(col_at, b.cidx(v * plan.lanes * group));
                    let loaded = match masks[v as usize] {
                        Some(mask) => b.masked_load(cols, &[at], mask, zero(b, col_ty)),
                        _ => b.vload(cols, &[at], col_ty),
                    };
                    vectors.push(match p.step {
                        Step::One => widen(b, &plan.col_source.element, &p.acc, loaded)?,
                        _ => loaded,
                    });
                }
                let mut next = Vec::new();
                for r in 0..rows {
                    let at = b.addi(row_at, b.cidx(row_stride * r));
                    let x = match p.step {
                        Step::One => {
                            let x = b.load(from, &[at]);
                            let x = widen(b, &plan.row_source.element, &p.acc, x)?;
                            b.broadcast(x, ty)
                        }
                        _ => spread(b, from, at, group, col_ty),
                    };
                    for (v, y) in vectors.iter().enumerate() {
                        let sum = sums[(r * width.vectors) as usize + v];
                        next.push(step::add(b, p.step, &p.acc, x, *y, sum));
                    }
                }
                Ok(next)
            };
        let inner = p.k.last().copied();
        let steps: Vec<Contracted<'c>> =
            p.k.iter()
                .map(|k| {
                    // The innermost variable goes in steps.
                    let by = if Some(*k) == inner { group } else { 1 };
                    let of = |source: &Source| index(b, stride(source, *k) * by);
                    let packed = of(&plan.col_source);
                    (
                        p.size(*k).ceil_div(by.into()),
                        stride(&plan.row_source, *k) * by,
                        in_place.map_or(packed, |few| {
                            let own = of(&few.plan.col_source).value(b);
                            Ix::Value(b.select(few.are_few, own, packed.value(b)))
                        }),
                    )
                })
                .collect();
        let mut sums = vec![nothing; (rows * width.vectors) as usize];
        if p.step.starts() {
            let behind = p.packed_depth() * plan.width();
            let start = self.panel_start()?;
            for v in 0..width.vectors {
                let at = b.addi(start, b.cidx(behind + v * plan.lanes * group));
                let loaded = b.vload(cols, &[at], col_ty);
                let loaded = b.op1("vector.bitcast", &[loaded], ty, &[]);
                for r in 0..rows {
                    sums[(r * width.vectors + v) as usize] = loaded;
                }
            }
        }
        let sum = || contract(b, &steps, row_at, col_at, &sums, &body);
        let sums = match self.loses(cols, col_at, width.vectors)? {
            None => sum()?,
            Some(loses) => {
                let one_by_one = OneByOne {
                    rows: (from, row_at),
                    between: row_stride,
                    cols: (cols, col_at),
                    count: rows,
                    vectors: width.vectors,
                };
                let cell = std::cell::RefCell::new(Ok(()));
                let or_zeros = |found: EmitResult<Vec<Val<'c>>>| {
                    found.unwrap_or_else(|why| {
                        *cell.borrow_mut() = Err(why);
                        sums.clone()
                    })
                };
                let found = b.if_else(
                    loses,
                    &vec![ty; sums.len()],
                    |_| or_zeros(one_by_one.sums(b, &steps, ty)),
                    |_| or_zeros(sum()),
                );
                cell.into_inner()?;
                found
            }
        };
        epilogue::write(self, rows, width, &sums)
    }
}
