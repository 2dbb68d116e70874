//! Products of a single row with columns that lie side by side, in the order of memory: a few
//! contracted elements at a time along all columns of a tile, whose sums are in a buffer that stays
//! in the level-one cache.
//!
//! A register tile would walk down all contracted elements for a few columns: short pieces a page
//! or more apart, which no prefetcher follows. Each sum grows in the order of the contracted
//! elements here as there.

use super::epilogue;
use super::matmul_emitter::{MatmulEmitter, Width, widen};
use super::plan::Across;
use super::problem::{B, EmitResult, M, MO, N, NO, Problem};
use super::step;
use crate::Options;
use crate::index::ceil;
use crate::run_time::known;
use crate::streams::{self, LEAST, ROWS};
use crate::tiled::emitter::Scope;
use crate::vectors::zero;
use mapwright_mlir::Val;
use mapwright_mlir::builder::CmpI;
use mapwright_mlir::melior::ir::ValueLike;

/// The tiles, if the product is computed in this way. `pitch`: elements from a contracted element
/// of a column to the next one.
pub(crate) fn plan(
    p: &Problem<'_>,
    options: &Options,
    (lanes, vectors): (i64, i64),
    pitch: Option<i64>,
    wanted: i64,
) -> Option<Across> {
    let (n, depth) = (p.length(N), p.depth().when_large());
    let width = p.cols.element.byte_width()? as i64;
    let sum = p.acc.byte_width()? as i64;
    let strided = pitch.is_some_and(|pitch| pitch > lanes * vectors);
    let many = n > lanes * vectors && depth >= 2 * ROWS && n * depth * width > LEAST;
    if !strided || !many || p.length(M) * p.length(MO) > 1 || p.k.len() != 1 {
        return None;
    }
    let most = options.l1_bytes as i64 / 2 / sum / lanes * lanes;
    let outer = p.length(B) * p.length(NO);
    let threads = ceil(options.threads as i64, outer);
    let columns = streams::columns(n, width, lanes, most, (threads, ceil(wanted, outer)));
    (columns > lanes * vectors).then_some(Across {
        columns,
        rows: ROWS,
    })
}

/// Blocks of columns.
pub(crate) fn tiles(p: &Problem<'_>, columns: i64) -> i64 {
    p.length(B) * p.length(NO) * ceil(p.length(N), columns)
}

impl<'c> MatmulEmitter<'_, 'c> {
    /// All blocks of columns.
    pub fn across_tiles(&mut self, across: Across, begin: Val<'c>, end: Val<'c>) -> EmitResult<()> {
        let b = self.b;
        let (p, plan, columns) = (self.p, self.plan, across.columns);
        let rows = self.buffer(&plan.row_source.buffer)?;
        let cols = self.buffer(&plan.col_source.buffer)?;
        let sizes = [p.size(B), p.size(NO), p.size(N).ceil_div(columns.into())];
        let element = crate::storage::storage_type(b, &p.acc)?;
        let ty = b.vector(&[plan.lanes], element);
        let sums = b.alloca(b.memref(&[columns / plan.lanes], ty));
        let mut result = Ok(());
        b.for_loop(begin, end, b.cidx(1), &[], |_, tile, _| {
            let at = self.split(tile, &sizes);
            (self.g.vals[B], self.g.vals[NO]) = (Some(at[0]), Some(at[1]));
            (self.g.vals[M], self.g.vals[MO]) = (Some(b.cidx(0)), Some(b.cidx(0)));
            self.g.scopes.push(Scope::default());
            let first = b.muli(at[2], b.cidx(columns));
            result = self.with(N, first, &mut |me| {
                me.across_columns(first, across, (rows, cols, sums))
            });
            self.g.scopes.pop();
            Vec::new()
        });
        result
    }

    /// The columns from `first` on.
    fn across_columns(
        &mut self,
        first: Val<'c>,
        Across {
            columns,
            rows: block,
        }: Across,
        (rows, cols, sums): (Val<'c>, Val<'c>, Val<'c>),
    ) -> EmitResult<()> {
        let b = self.b;
        let (p, plan) = (self.p, self.plan);
        let (n, lanes, depth) = (known(p.size(N))?, plan.lanes, known(p.depth())?);
        let inner = p.k[0];
        let stride =
            |source: &super::plan::Source| source.offset.coefficient(inner).unwrap_or_default();
        let (row_by, col_by) = (stride(&plan.row_source), stride(&plan.col_source));
        let row_at = self.start(&plan.row_source)?;
        let col_at = self.start(&plan.col_source)?;
        // Whole vectors of this tile; what is left of the last one is in the last tile.
        let left = b.subi(b.cidx(n / lanes * lanes), first);
        let whole = b.minsi(left, b.cidx(columns));
        let rest = n % lanes;
        let is_last = if n <= columns {
            None
        } else {
            Some(b.cmpi(CmpI::Slt, left, b.cidx(columns)))
        };
        let mask = (rest > 0).then(|| b.mask(b.cidx(rest), lanes));
        let place = |at: Val<'c>| b.shrui(at, b.cidx(i64::from(lanes.ilog2())));
        let sum_ty = b.element_of(sums.r#type());
        let col_ty = b.like(
            sum_ty,
            crate::storage::storage_type(b, &plan.col_source.element)?,
        );
        let none = zero(b, sum_ty);
        let up = b.cidx(ceil(columns, lanes));
        b.for_loop(b.cidx(0), up, b.cidx(1), &[], |b, i, _| {
            b.store(none, sums, &[i]);
            Vec::new()
        });

        // The products of `count` contracted elements from `k` on.
        let add = |k: Val<'c>, count: i64| -> EmitResult<()> {
            let mut factors = Vec::new();
            for r in 0..count {
                let at = b.muli(b.addi(k, b.cidx(r)), b.cidx(row_by));
                let x = b.load(rows, &[b.addi(row_at, at)]);
                let x = widen(b, &plan.row_source.element, &p.acc, x)?;
                factors.push(b.broadcast(x, sum_ty));
            }
            let from = b.addi(col_at, b.muli(k, b.cidx(col_by)));
            let vector = |at: Val<'c>, mask: Option<Val<'c>>| -> EmitResult<()> {
                let place = place(at);
                let mut sum = b.load(sums, &[place]);
                for (r, x) in factors.iter().enumerate() {
                    let at = b.addi(b.addi(from, at), b.cidx(col_by * r as i64));
                    let y = match mask {
                        Some(mask) => b.masked_load(cols, &[at], mask, zero(b, col_ty)),
                        None => b.vload(cols, &[at], col_ty),
                    };
                    let y = widen(b, &plan.col_source.element, &p.acc, y)?;
                    sum = step::add(b, p.step, &p.acc, *x, y, sum);
                }
                b.store(sum, sums, &[place]);
                Ok(())
            };
            let mut result = Ok(());
            b.for_loop(b.cidx(0), whole, b.cidx(lanes), &[], |_, at, _| {
                result = vector(at, None);
                Vec::new()
            });
            result?;
            let mut result = Ok(());
            match (mask, is_last) {
                (None, _) => {}
                (mask, None) => result = vector(left, mask),
                (mask, Some(is_last)) => b.if_then(is_last, |_| result = vector(left, mask)),
            }
            result
        };
        let mut results = [Ok(()), Ok(())];
        let [blocks, others] = &mut results;
        let cut = depth / block * block;
        b.for_loop(b.cidx(0), b.cidx(cut), b.cidx(block), &[], |_, k, _| {
            *blocks = add(k, block);
            Vec::new()
        });
        if cut < depth {
            b.for_loop(b.cidx(cut), b.cidx(depth), b.cidx(1), &[], |_, k, _| {
                *others = add(k, 1);
                Vec::new()
            });
        }
        results.into_iter().collect::<EmitResult<()>>()?;

        // What follows the product, a vector at a time.
        let write = |me: &mut Self, at: Val<'c>, last: Option<i64>| -> EmitResult<()> {
            let sum = b.load(sums, &[place(at)]);
            let width = Width {
                vectors: 1,
                last,
                columns: None,
            };
            me.with(N, b.addi(first, at), &mut |me| {
                epilogue::each(me, width, &[0], &mut |_, _| sum)
            })
        };
        let mut result = Ok(());
        b.for_loop(b.cidx(0), whole, b.cidx(lanes), &[], |_, at, _| {
            self.g.scopes.push(Scope::default());
            result = write(self, at, None);
            self.g.scopes.pop();
            Vec::new()
        });
        result?;
        if rest == 0 {
            return Ok(());
        }
        let mut result = Ok(());
        self.g.scopes.push(Scope::default());
        match is_last {
            None => result = write(self, left, Some(rest)),
            Some(is_last) => b.if_then(is_last, |_| result = write(self, left, Some(rest))),
        }
        self.g.scopes.pop();
        result
    }
}
