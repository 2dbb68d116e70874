//! The loops of the product and the register tile.

use super::bf16_subnormals::Apart;
use super::epilogue;
use super::plan::{Buffer, Plan, Source, ceil};
use super::problem::{B, J, M, MO, N, NO, Problem, R};
use super::step::{self, Step};
use crate::tiled::{
    self,
    analysis::Analysis,
    generate::{LoopEmitter, Scope},
    region::Region,
};
use crate::{Elem, index::Ix, run_time::Derived};
use mapwright_indexing::linear::Sum;
use mapwright_mlir::builder::CmpI;
use mapwright_mlir::{Builder, ElementType, Val, builder::DYNAMIC};

/// What emission works with.
pub(crate) struct MatmulEmitter<'g, 'c> {
    pub b: &'g Builder<'c>,
    pub p: &'g Problem<'c>,
    pub plan: &'g Plan,
    pub g: LoopEmitter<'g, 'c>,
    /// The workspace, if there is one.
    pub workspace: Option<Val<'c>>,
    /// What is kept from call to call, if there is anything.
    pub kept: Option<Val<'c>>,
    /// The region's inputs as flat buffers.
    pub inputs: Vec<Val<'c>>,
    /// Elements of the next panel that earlier register tiles of this panel have asked for, and how many elements each asks for.
    pub ahead: Option<(Val<'c>, i64)>,
    /// Where the limit of the current register tile's rows is ([`super::bf16_subnormals`]), if these have one.
    pub limit: Option<Val<'c>>,
}

/// A part of the columns: whole panels, or what is left of the last one.
#[derive(Clone, Copy)]
pub(crate) struct Width<'c> {
    pub vectors: i64,
    /// Lanes of the last vector, if not all.
    pub last: Option<i64>,
    /// Columns, where their number is known at run time only.
    pub columns: Option<Val<'c>>,
}

impl<'c> Width<'c> {
    /// The lanes of vector `v` that exist, if not all do.
    pub fn mask(&self, b: &Builder<'c>, v: i64, lanes: i64) -> Option<Val<'c>> {
        if let Some(columns) = self.columns {
            return Some(b.mask(b.subi(columns, b.cidx(v * lanes)), lanes));
        }
        let last = self.last.filter(|_| v == self.vectors - 1);
        last.map(|n| b.mask(b.cidx(n), lanes))
    }
}

impl<'g, 'c> MatmulEmitter<'g, 'c> {
    /// Emission of a product of `region` whose inputs, then outputs, are `arguments`; `bare` knows nothing but the problem's variables.
    pub fn new(
        b: &'g Builder<'c>,
        region: &'g Region<'c>,
        (p, plan): (&'g Problem<'c>, &'g Plan),
        (analysis, bare): (&'g Analysis<'c>, &'g tiled::plan::Plan),
        arguments: &[Val<'c>],
    ) -> Self {
        let g = LoopEmitter::new(b, region, analysis, bare, arguments);
        let inputs = (0..region.inputs.len()).map(|i| g.input(i).0).collect();
        Self {
            b,
            p,
            plan,
            g,
            workspace: None,
            kept: None,
            inputs,
            ahead: None,
            limit: None,
        }
    }

    /// A flat buffer of elements of the sum's type.
    pub fn buffer(&self, source: &Buffer) -> R<Val<'c>> {
        let (b, sizes) = (self.b, &self.p.sizes);
        let known = |at: &i64, elements: &i64| (Ix::Known(*at), Ix::Known(*elements));
        let (memory, (at, elements)) = match source {
            Buffer::Input(i) => return Ok(self.inputs[*i]),
            Buffer::Workspace { at, elements } => (self.workspace, known(at, elements)),
            Buffer::Last(k) => {
                let elements = self.plan.last.get(*k).map(|last| last.value(b, sizes));
                let at = self.plan.memory_before(b, self.p, *k);
                (self.workspace, (at, elements.unwrap_or(Ix::Known(0))))
            }
            Buffer::Kept { at, elements } => (self.kept, known(at, elements)),
        };
        // What is packed has the packed type.
        let Some(memory) = memory else {
            return Err(crate::Declined::new("no workspace"));
        };
        let element = crate::storage::storage_type(b, &self.p.packed)?;
        let start = at.value(b);
        Ok(match elements {
            Ix::Known(n) => b.view(memory, start, b.memref(&[n.max(1)], element)),
            Ix::Value(length) => {
                let ty = b.memref(&[DYNAMIC], element);
                b.op1("memref.view", &[memory, start, length], ty, &[])
            }
        })
    }

    /// Runs `inner` with a variable bound, in a scope of its own.
    pub fn with(
        &mut self,
        var: usize,
        at: Val<'c>,
        inner: &mut dyn FnMut(&mut Self) -> R<()>,
    ) -> R<()> {
        let outer = self.g.vals[var].replace(at);
        // What was emitted for another value of the variable is not to be found again.
        let hidden = match outer {
            Some(_) => std::mem::take(&mut self.g.scopes),
            None => Vec::new(),
        };
        self.g.scopes.push(Scope::default());
        let result = inner(self);
        self.g.scopes.pop();
        if outer.is_some() {
            self.g.scopes = hidden;
        }
        self.g.vals[var] = outer;
        result
    }

    /// A loop over a variable.
    pub fn each(
        &mut self,
        var: usize,
        (lo, hi, step): (Val<'c>, Val<'c>, i64),
        inner: &mut dyn FnMut(&mut Self) -> R<()>,
    ) -> R<()> {
        let b = self.b;
        let mut result = Ok(());
        b.for_loop(lo, hi, b.cidx(step), &[], |_, i, _| {
            result = self.with(var, i, inner);
            Vec::new()
        });
        result
    }

    /// Splits a tile number into digits, the last one changing fastest.
    pub fn split(&self, tile: Val<'c>, sizes: &[i64]) -> Vec<Val<'c>> {
        let sizes: Vec<Ix<'c>> = sizes
            .iter()
            .map(|n| self.p.sizes.size(self.b, *n))
            .collect();
        self.split_counts(tile, &sizes)
    }

    /// As [`MatmulEmitter::split`], of numbers that may be known at run time only.
    pub fn split_counts(&self, tile: Val<'c>, sizes: &[Ix<'c>]) -> Vec<Val<'c>> {
        let b = self.b;
        let mut rest = tile;
        let mut found = vec![b.cidx(0); sizes.len()];
        let is_one = |size: &Ix<'c>| size.known() == Some(1);
        for (i, size) in sizes.iter().enumerate().rev() {
            let more = !sizes[..i].iter().all(is_one);
            if is_one(size) {
                continue;
            }
            let by = size.value(b);
            found[i] = match more {
                true => b.op1("arith.remui", &[rest, by], b.index(), &[]),
                false => rest,
            };
            if more {
                rest = b.op1("arith.divui", &[rest, by], b.index(), &[]);
            }
        }
        found
    }

    /// Blocks of outer rows, of rows and of columns.
    pub fn block_counts(&self) -> [Ix<'c>; 3] {
        let (b, p, plan) = (self.b, self.p, self.plan);
        block_counts(b, p, plan)
    }

    /// All tiles of the product.
    pub fn tiles(&mut self, begin: Val<'c>, end: Val<'c>) -> R<()> {
        let (b, whole) = (self.b, self.plan);
        let Some(few) = &whole.few else {
            return self.packed_tiles(begin, end);
        };
        let are_few = whole.has_few_rows(b, self.p);
        let are_more = b.xori(are_few, b.cbool(true));
        for (condition, plan) in [(are_few, &**few), (are_more, whole)] {
            self.when(Some(condition), &mut |me| {
                me.plan = plan;
                me.packed_tiles(begin, end)
            })?;
        }
        Ok(())
    }

    fn packed_tiles(&mut self, begin: Val<'c>, end: Val<'c>) -> R<()> {
        let b = self.b;
        let rows = self.buffer(&self.plan.row_source.buffer)?;
        let cols = self.buffer(&self.plan.col_source.buffer)?;
        let mut result = Ok(());
        b.for_loop(begin, end, b.cidx(1), &[], |_, tile, _| {
            result = self.tile(tile, rows, cols);
            Vec::new()
        });
        result
    }

    fn tile(&mut self, tile: Val<'c>, rows: Val<'c>, cols: Val<'c>) -> R<()> {
        let b = self.b;
        let (p, plan) = (self.p, self.plan);
        let [line_blocks, row_blocks, col_blocks] = self.block_counts();
        let [groups, outer] = [B, NO].map(|v| p.sizes.size(b, p.size(v)));
        let sizes = [groups, outer, line_blocks, col_blocks, row_blocks];
        let at = self.split_counts(tile, &sizes);
        (self.g.vals[B], self.g.vals[NO]) = (Some(at[0]), Some(at[1]));
        self.g.scopes.push(Scope::default());
        let [m, n, lines] = [M, N, MO].map(|v| p.sizes.size(b, p.size(v)));
        let [rows_each, cols_each] = [plan.rows, plan.width()].map(Ix::Known);
        let (full_rows, full_cols) = (m.div(b, rows_each), n.div(b, cols_each));
        let (rest_rows, rest_cols) = (m.rem(b, rows_each), n.rem(b, cols_each));
        let range = |block: Val<'c>, count: Ix<'c>, size: i64, blocks: Ix<'c>| match blocks {
            Ix::Known(1) => (b.cidx(0), count.value(b)),
            _ => {
                let lo = b.muli(block, b.cidx(size));
                let lo = b.minsi(lo, count.value(b));
                (lo, b.minsi(b.addi(lo, b.cidx(size)), count.value(b)))
            }
        };
        let (i_lo, i_hi) = range(at[4], full_rows, plan.row_block, row_blocks);
        let (j_lo, j_hi) = range(at[3], full_cols, plan.col_block, col_blocks);
        let (line_lo, line_hi) = range(at[2], lines, plan.line_block, line_blocks);
        let last = |block: Val<'c>, blocks: Ix<'c>| match blocks {
            Ix::Known(1) => None,
            _ => Some(b.cmpi(CmpI::Eq, block, blocks.sub(b, Ix::Known(1)).value(b))),
        };
        let (last_row, last_col) = (last(at[4], row_blocks), last(at[3], col_blocks));
        // Register tiles of rows of the current outer row, each with how many rows it has.
        let row_tiles = |me: &mut Self, inner: &mut dyn FnMut(&mut Self, i64) -> R<()>| -> R<()> {
            let line = me.g.vals[MO].map(|line| b.subi(line, line_lo));
            let limits = line.and_then(|line| me.limits_of(tile, line));
            let limit = |i: Val<'c>| limits.map(|first| b.addi(first, b.subi(i, i_lo)));
            if full_rows.known() != Some(0) {
                let mut inside = Ok(());
                b.for_loop(i_lo, i_hi, b.cidx(1), &[], |_, i, _| {
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
                Ix::Value(_) => me.when(last_row, &mut |me| {
                    let (mut lo, mut count) = (m0, plan.rows);
                    while count > 1 {
                        count /= 2;
                        let left = Ix::Value(b.subi(m.value(b), lo));
                        let parts = left.div(b, Ix::Known(count)).mul(b, Ix::Known(count));
                        let hi = b.addi(lo, parts.value(b));
                        me.each(M, (lo, hi, count), &mut |me| inner(me, count))?;
                        lo = hi;
                    }
                    Ok(())
                })?,
            }
            me.limit = None;
            Ok(())
        };
        // All of them, for each outer row of the tile.
        let all_rows = |me: &mut Self, inner: &mut dyn FnMut(&mut Self, i64) -> R<()>| -> R<()> {
            match p.size(MO) {
                1 => me.with(MO, b.cidx(0), &mut |me| row_tiles(me, inner)),
                _ => me.each(MO, (line_lo, line_hi, 1), &mut |me| row_tiles(me, inner)),
            }
        };
        if plan.limits.is_some() {
            all_rows(self, &mut |me, count| me.note_rows(count, rows))?;
        }
        let column = |me: &mut Self, width: Width<'c>| -> R<()> {
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
            let width = Width {
                vectors: plan.vectors,
                last: None,
                columns: None,
            };
            b.for_loop(j_lo, j_hi, b.cidx(1), &[], |_, j, _| {
                let n0 = b.muli(j, b.cidx(plan.width()));
                result = self.with(J, j, &mut |me| me.with(N, n0, &mut |me| column(me, width)));
                Vec::new()
            });
        }
        if result.is_ok() && rest_cols.known() != Some(0) {
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

    /// `inner` under a condition, if there is one.
    pub(super) fn when(
        &mut self,
        condition: Option<Val<'c>>,
        inner: &mut dyn FnMut(&mut Self) -> R<()>,
    ) -> R<()> {
        match condition {
            None => inner(self),
            Some(condition) => {
                let mut result = Ok(());
                self.g.scopes.push(Scope::default());
                self.b.if_then(condition, |_| result = inner(self));
                self.g.scopes.pop();
                result
            }
        }
    }

    /// Offset of a source where all contracted variables are 0.
    pub fn start(&mut self, source: &Source) -> R<Val<'c>> {
        let ranges = self.g.ranges.clone();
        let start = self.p.k.iter().fold(source.offset.clone(), |x, k| {
            x.with_var(*k, &Sum::constant(0), &ranges)
        });
        self.g.index_value(&start)
    }

    /// One register tile: `rows` rows of `width` columns, from the rows at `M` and the columns at `N`.
    fn micro(&mut self, rows: i64, width: Width<'c>, from: Val<'c>, cols: Val<'c>) -> R<()> {
        let (b, p, plan) = (self.b, self.p, self.plan);
        let row_at = self.start(&plan.row_source)?;
        let col_at = self.start(&plan.col_source)?;
        let element = crate::storage::storage_type(b, &p.acc)?;
        let ty = b.vector(&[plan.lanes], element);
        let zero = crate::tiled::access::zero(b, ty);
        let stride = |source: &Source, var: usize| source.offset.coefficient(var).unwrap_or(0);
        let row_stride = stride(&plan.row_source, M);
        let packed = plan.col_source.buffer.is_packed();
        let masks: Vec<Option<Val<'c>>> = (0..width.vectors)
            .map(|v| match packed {
                true => None,
                false => width.mask(b, v, plan.lanes),
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
            let behind = super::plan::panel_size(p, plan.width());
            // Of how many elements of this panel one of the next one is asked for, as a power of two.
            let shift = (behind / share.max(1)).max(1).ilog2();
            (b.addi(b.addi(col_at, done), b.cidx(behind)), shift)
        });
        let body = |row_at: Val<'c>, col_at: Val<'c>, sums: &[Val<'c>]| -> R<Vec<Val<'c>>> {
            let mut vectors = Vec::new();
            if let Some((next, shift)) = ahead {
                let done = b.shrui(b.subi(col_at, first), b.cidx(i64::from(shift)));
                prefetch(b, cols, b.addi(next, done), false, 2);
            }
            for v in 0..width.vectors {
                let at = b.addi(col_at, b.cidx(v * plan.lanes * group));
                let loaded = match masks[v as usize] {
                    Some(mask) => {
                        let zero = crate::tiled::access::zero(b, col_ty);
                        b.masked_load(cols, &[at], mask, zero)
                    }
                    _ => b.vload(cols, &[at], col_ty),
                };
                vectors.push(match p.step {
                    Step::One => widen(b, &plan.col_source.element, &p.acc, loaded)?,
                    _ => loaded,
                });
            }
            let mut next = Vec::new();
            for r in 0..rows {
                let at = b.addi(row_at, b.cidx(r * row_stride));
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
        let steps: Vec<(i64, i64, i64)> =
            p.k.iter()
                .map(|k| {
                    // The innermost variable goes in steps.
                    let by = if Some(*k) == inner { group } else { 1 };
                    (
                        ceil(p.size(*k), by),
                        stride(&plan.row_source, *k) * by,
                        stride(&plan.col_source, *k) * by,
                    )
                })
                .collect();
        let mut sums = vec![zero; (rows * width.vectors) as usize];
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
                let apart = Apart {
                    rows: (from, row_at),
                    between: row_stride,
                    cols: (cols, col_at),
                    count: rows,
                    vectors: width.vectors,
                };
                let cell = std::cell::RefCell::new(Ok(()));
                let or_zeros = |found: R<Vec<Val<'c>>>| {
                    found.unwrap_or_else(|why| {
                        *cell.borrow_mut() = Err(why);
                        sums.clone()
                    })
                };
                let found = b.if_else(
                    loses,
                    &vec![ty; sums.len()],
                    |_| or_zeros(apart.sums(b, &steps, ty)),
                    |_| or_zeros(sum()),
                );
                cell.into_inner()?;
                found
            }
        };
        epilogue::write(self, rows, width, &sums)
    }

    /// While a panel is used by one register tile after another, each asks for a part of the next panel, so that it is near when its turn comes.
    fn next_panel(&self, i: Val<'c>, first: Val<'c>) -> Option<(Val<'c>, i64)> {
        let (b, p, plan) = (self.b, self.p, self.plan);
        // For few rows columns may be read where they are.
        if !plan.choices.prefetches_panel || !plan.col_source.buffer.is_packed() {
            return None;
        }
        let size = super::plan::panel_size(p, plan.width());
        let share = ceil(size, p.sizes.expected(plan.row_block));
        Some((b.muli(b.subi(i, first), b.cidx(share)), share))
    }

    /// Where the panel of the current columns begins.
    pub fn panel_start(&mut self) -> R<Val<'c>> {
        let plan = self.plan;
        self.start(&plan.col_source)
    }
}

/// Blocks of outer rows, of rows and of columns.
pub(crate) fn block_counts<'c>(b: &Builder<'c>, p: &Problem<'_>, plan: &Plan) -> [Ix<'c>; 3] {
    let rows = p.sizes.parts(b, p.size(M), plan.rows);
    let cols = p.sizes.parts(b, p.size(N), plan.width());
    let blocks = |count: Ix<'c>, by: i64| {
        let up = p.sizes.size(b, by).sub(b, Ix::Known(1));
        count.add(b, up).div(b, p.sizes.size(b, by))
    };
    let all_cols = plan.col_block == p.sizes.derive(Derived::Parts(p.size(N), plan.width()));
    [
        p.sizes.parts(b, p.size(MO), plan.line_block),
        blocks(rows, plan.row_block),
        match all_cols {
            true => Ix::Known(1),
            false => blocks(cols, plan.col_block),
        },
    ]
}

/// Asks for the cache line of an element: for writing, or into the cache of a level (3 is the nearest, 2 the next).
pub(crate) fn prefetch<'c>(
    b: &Builder<'c>,
    buffer: Val<'c>,
    at: Val<'c>,
    write: bool,
    locality: i64,
) {
    let attributes = [
        ("isWrite", b.bool_attr(write)),
        ("localityHint", b.int_attr(locality, b.int(32))),
        ("isDataCache", b.bool_attr(true)),
    ];
    b.op("memref.prefetch", &[buffer, at], &[], &attributes);
}

/// Loaded elements as values of the sum's type.
pub(crate) fn widen<'c>(
    b: &Builder<'c>,
    from: &ElementType,
    to: &ElementType,
    loaded: Val<'c>,
) -> R<Val<'c>> {
    let value = crate::storage::from_storage(b, from, loaded)?;
    Ok(crate::scalar::convert::convert(b, from, to, value)?.one())
}

/// A few neighbouring elements of 32 bits together, again and again, as a vector of type `ty`.
pub(super) fn spread<'c>(
    b: &Builder<'c>,
    from: Val<'c>,
    at: Val<'c>,
    count: i64,
    ty: mapwright_mlir::Ty<'c>,
) -> Val<'c> {
    let element = b.element_of(ty);
    let few = b.vload(from, &[at], b.vector(&[count], element));
    let word = b.op1("vector.bitcast", &[few], b.vector(&[1], b.int(32)), &[]);
    let word = b.extract(word, &[0]);
    let lanes = b.shape_of(ty)[0] / count;
    let words = b.broadcast(word, b.vector(&[lanes], b.int(32)));
    b.op1("vector.bitcast", &[words], ty, &[])
}

/// What one step of a contraction does: offsets in rows and columns and the sums so far; it gives the next ones.
type Accumulate<'s, 'c> = dyn Fn(Val<'c>, Val<'c>, &[Val<'c>]) -> R<Vec<Val<'c>>> + 's;

/// Loops over contracted variables, given as (size, stride in rows, stride in columns), outermost first.
pub(crate) fn contract<'c>(
    b: &Builder<'c>,
    steps: &[(i64, i64, i64)],
    row_at: Val<'c>,
    col_at: Val<'c>,
    sums: &[Val<'c>],
    body: &Accumulate<'_, 'c>,
) -> R<Vec<Val<'c>>> {
    let Some(((size, row, col), rest)) = steps.split_first() else {
        return body(row_at, col_at, sums);
    };
    if *size == 1 {
        return contract(b, rest, row_at, col_at, sums, body);
    }
    let scaled = |i: Val<'c>, by: i64| match by {
        1 => i,
        _ => b.muli(i, b.cidx(by)),
    };
    let mut failure = Ok(());
    let sums = b.for_loop(b.cidx(0), b.cidx(*size), b.cidx(1), sums, |_, k, sums| {
        let row_at = b.addi(row_at, scaled(k, *row));
        let col_at = b.addi(col_at, scaled(k, *col));
        contract(b, rest, row_at, col_at, sums, body).unwrap_or_else(|why| {
            failure = Err(why);
            sums.to_vec()
        })
    });
    failure.map(|()| sums)
}

/// An element of the sum's type as the value of an element of the product's result.
pub(crate) fn finish<'c>(b: &Builder<'c>, to: &ElementType, sum: Val<'c>) -> Elem<'c> {
    use mapwright_mlir::FloatKind;
    match to {
        ElementType::Float(kind) if !matches!(kind, FloatKind::F64 | FloatKind::F32) => {
            Elem::One(crate::scalar::narrow::round(b, *kind, sum))
        }
        _ => Elem::One(sum),
    }
}
