//! Loops over tiles, rows and lanes.

use super::generate::{Lane, LoopEmitter, R, Scope};
use super::plan::Plan;
use super::reductions::on_lane;
use mapwright_indexing::linear::{Sum, VarId};
use mapwright_mlir::{CmpI, Val};

/// A tile's part of a variable.
#[derive(Clone, Copy)]
pub(crate) struct Bound<'c> {
    pub lo: Val<'c>,
    pub hi: Val<'c>,
    /// `hi - lo` where it is the same for all tiles.
    pub length: Option<i64>,
    /// `lo` is a multiple of this.
    pub multiple: i64,
}

impl<'c> LoopEmitter<'_, 'c> {
    pub fn tiles(&mut self, begin: Val<'c>, end: Val<'c>) -> R<()> {
        let b = self.b;
        let mut result = Ok(());
        b.for_loop(begin, end, b.cidx(1), &[], |_, tile, _| {
            result = self.tile(tile);
            Vec::new()
        });
        result
    }

    pub(super) fn tile(&mut self, tile: Val<'c>) -> R<()> {
        let b = self.b;
        // The last variable of the grid changes fastest.
        let mut rest = tile;
        for (i, (var, size)) in self.plan.grid.iter().enumerate().rev() {
            let n = Plan::size(self.analysis, *var);
            let at = match i {
                0 => rest,
                _ => {
                    let count = self.region.sizes.parts(b, n, *size).value(b);
                    let at = b.op1("arith.remui", &[rest, count], b.index(), &[]);
                    rest = b.op1("arith.divui", &[rest, count], b.index(), &[]);
                    at
                }
            };
            let lo = if *size == 1 {
                at
            } else {
                b.muli(at, b.cidx(*size))
            };
            let (hi, length) = match n % size {
                0 => (b.addi(lo, b.cidx(*size)), Some(*size)),
                _ => (b.minsi(b.addi(lo, b.cidx(*size)), b.cidx(n)), None),
            };
            self.bounds[*var] = Some(Bound {
                lo,
                hi,
                length,
                multiple: *size,
            });
        }
        self.scopes.push(Scope::default());
        let mut order: Vec<VarId> = self.plan.parallel.clone();
        let short: &[VarId] = self.plan.inner.as_ref().map_or(&[], |inner| &inner.vars);
        order.retain(|var| Some(*var) != self.plan.lane && !short.contains(var));
        let result = match (self.plan.wide, self.plan.rows) {
            (Some(columns), _) => self.nest(&order, &mut |me| me.wide_rows(columns)),
            (None, Some(rows)) => self.rows(rows, &order),
            (None, None) => {
                if self.plan.columns {
                    order.extend(self.plan.lane);
                }
                order.extend(short.iter().filter(|var| self.plan.parallel.contains(var)));
                self.nest(&order, &mut |me| me.row())
            }
        };
        self.scopes.pop();
        result
    }

    /// Everything inside one element (or vector) of the parallel variables: reductions, then the sweep that stores.
    pub(super) fn row(&mut self) -> R<()> {
        self.instances()?;
        self.start_scans()?;
        self.stores()
    }

    /// The sweep that stores.
    pub(super) fn stores(&mut self) -> R<()> {
        self.sweep = 0;
        let at_row: Vec<usize> = self.analysis.secondary.keys().copied().collect();
        let mut secondary = at_row;
        secondary.sort_unstable();
        self.each_copy(&mut |me| {
            for k in &secondary {
                let index = me.analysis.secondary[k].clone();
                let index = me.shifted(&index);
                me.store(*k, &index)?;
            }
            Ok(())
        })?;
        let rows = self.plan.row_vars.clone();
        self.nest(&rows, &mut |me| me.each_copy(&mut |me| me.store_roots()))
    }

    /// Computes and stores what is at hand of the results of the main shape.
    pub(super) fn store_roots(&mut self) -> R<()> {
        let index = self.shifted(&self.analysis.index.clone());
        let roots = self.region.roots.len();
        let mine: Vec<usize> = (0..roots)
            .filter(|k| !self.analysis.secondary.contains_key(k))
            .collect();
        // All values first: a result may have the memory of an input that another result is made of.
        for k in &mine {
            let value = self.region.roots[*k].value;
            self.eval(value, &index)?;
        }
        for k in &mine {
            self.store(*k, &index)?;
        }
        Ok(())
    }

    /// Runs `body` once for each copy of the loop body.
    pub fn each_copy(&mut self, body: &mut dyn FnMut(&mut Self) -> R<()>) -> R<()> {
        for copy in self.copies.clone() {
            self.copy = copy;
            let result = body(self);
            self.copy = None;
            result?;
        }
        Ok(())
    }

    /// An index as the current copy of the body sees it.
    pub fn shifted(&self, index: &[Sum]) -> Vec<Sum> {
        match self.copy {
            Some((var, by)) if by != 0 => {
                let value = Sum::var(var).offset(by);
                index
                    .iter()
                    .map(|x| x.with_var(var, &value, &self.ranges))
                    .collect()
            }
            _ => index.to_vec(),
        }
    }

    /// Loops over `vars`, outermost first, with `leaf` inside. The lane variable's loop makes vectors.
    pub fn nest(&mut self, vars: &[VarId], leaf: &mut dyn FnMut(&mut Self) -> R<()>) -> R<()> {
        let Some((var, rest)) = vars.split_first() else {
            return leaf(self);
        };
        let (var, n) = (*var, Plan::size(self.analysis, *var));
        if let Some(ends) = self.plan.ends.get(&var).copied() {
            return self.with_ends(var, ends, rest, leaf);
        }
        let mut edges = vec![0];
        edges.extend(self.plan.cuts.get(&var).into_iter().flatten());
        edges.push(n);
        let whole = self.ranges.vars[var];
        let at_run_time = edges.len() > 2 && self.region.sizes.contain(n);
        let mut result = Ok(());
        for (i, piece) in edges.windows(2).enumerate() {
            // Which number stands for the end of the loop does not say how many elements there are behind the last cut.
            let last = match at_run_time && i + 2 == edges.len() {
                true => piece[0] + n - 1,
                false => piece[1] - 1,
            };
            self.ranges.vars[var] = (piece[0], last);
            result = self.piece(var, piece[0], piece[1], rest, leaf);
            if result.is_err() {
                break;
            }
        }
        self.ranges.vars[var] = whole;
        result
    }

    pub(super) fn piece(
        &mut self,
        var: VarId,
        from: i64,
        to: i64,
        rest: &[VarId],
        leaf: &mut dyn FnMut(&mut Self) -> R<()>,
    ) -> R<()> {
        let b = self.b;
        let n = Plan::size(self.analysis, var);
        let uncut = (from, to) == (0, n);
        if self.plan.unrolled.contains(&var) && self.lane.is_some() {
            return self.unrolled(var, from, to, rest, leaf);
        }
        let (lo, hi, length, start) = match self.bounds[var] {
            // A piece may begin or end behind the last element.
            None if !uncut && self.region.sizes.contain(n) => {
                let hi = b.minsi(b.cidx(to), b.cidx(n));
                (b.cidx(from), hi, None, None)
            }
            None => {
                let length = (!self.region.sizes.contain(to)).then_some(to - from);
                (b.cidx(from), b.cidx(to), length, Some((from, 1)))
            }
            Some(bound) if uncut => (bound.lo, bound.hi, bound.length, Some((0, bound.multiple))),
            Some(bound) => {
                let lo = b.op1("arith.maxsi", &[bound.lo, b.cidx(from)], b.index(), &[]);
                let hi = b.op1("arith.minsi", &[bound.hi, b.cidx(to)], b.index(), &[]);
                (lo, hi, None, None)
            }
        };
        let is_lane = self.lane.is_none() && self.lane_of_sweep() == Some(var);
        if is_lane {
            let unroll = self.unroll_of_sweep();
            return self.lane_loop(var, lo, hi, length, start, unroll, rest, leaf);
        }
        // Whole blocks of a transposed operand.
        if self.plan.transpose == Some(var) && self.lane.is_some_and(|lane| lane.mask.is_none()) {
            return self.block_loop(var, lo, hi, length, start, rest, leaf);
        }
        if length == Some(1) {
            return self.body(var, lo, start, 1, &mut |me| me.nest(rest, leaf));
        }
        self.plain_loop(var, lo, hi, 1, start, &mut |me| me.nest(rest, leaf))
    }

    pub(super) fn plain_loop(
        &mut self,
        var: VarId,
        lo: Val<'c>,
        hi: Val<'c>,
        step: i64,
        start: Option<(i64, i64)>,
        inner: &mut dyn FnMut(&mut Self) -> R<()>,
    ) -> R<()> {
        let b = self.b;
        let mut result = Ok(());
        // Vectors of several registers have enough to do side by side.
        let many = self.plan.registers > 1;
        // What is computed within the loop is not known behind it: nothing of it belongs to the straight code around.
        let straight = self.straight.take();
        let mut body = |i| result = self.whole_blocks(var, i, start, step, inner);
        match many {
            true => b.rolled_loop(lo, hi, b.cidx(step), |_, i| body(i)),
            false => {
                b.for_loop(lo, hi, b.cidx(step), &[], |_, i, _| {
                    body(i);
                    Vec::new()
                });
            }
        }
        self.straight = straight;
        result
    }

    /// Emits `inner` for blocks of `step` values of `var`, the first of them at `at`: all of them are in the piece.
    pub(super) fn whole_blocks(
        &mut self,
        var: VarId,
        at: Val<'c>,
        start: Option<(i64, i64)>,
        step: i64,
        inner: &mut dyn FnMut(&mut Self) -> R<()>,
    ) -> R<()> {
        let piece = self.ranges.vars[var];
        // The range is that of all lanes, not of the first one alone: quotients are worked out with it.
        let lanes = match self.lane {
            Some(lane) if lane.var == var => self.plan.lanes - 1,
            _ => 0,
        };
        self.ranges.vars[var].1 = piece.1 + 1 - step + lanes;
        let result = self.body(var, at, start, step, inner);
        self.ranges.vars[var] = piece;
        result
    }

    /// Emits `inner` with `var` bound to `at`, in a scope of its own.
    pub(super) fn body(
        &mut self,
        var: VarId,
        at: Val<'c>,
        start: Option<(i64, i64)>,
        step: i64,
        inner: &mut dyn FnMut(&mut Self) -> R<()>,
    ) -> R<()> {
        let outer = (self.vals[var].replace(at), self.align[var]);
        // `start` is (first value, what it is a multiple of besides): the loop's step keeps the residue.
        self.align[var] = match start {
            Some((first, 1)) => Some((first, step)),
            Some((_, multiple)) if multiple % step == 0 => Some((0, step)),
            Some((_, multiple)) if step % multiple == 0 => Some((0, multiple)),
            _ => None,
        };
        self.scopes.push(Scope::default());
        let result = inner(self);
        self.scopes.pop();
        (self.vals[var], self.align[var]) = outer;
        result
    }

    pub(super) fn lane_of_sweep(&self) -> Option<VarId> {
        match self.sweep {
            0 => self.plan.lane,
            i if self.plan.wide.is_some() && on_lane(self.analysis, self.plan, i - 1) => {
                self.plan.lane
            }
            i => self.analysis.instances[i - 1].vars.last().copied(),
        }
    }

    pub(super) fn unroll_of_sweep(&self) -> i64 {
        match self.sweep {
            0 => self.plan.unroll,
            _ => self.accumulators,
        }
    }

    /// Full vectors `unroll` at a time, then one at a time, then the rest under a mask.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn lane_loop(
        &mut self,
        var: VarId,
        lo: Val<'c>,
        hi: Val<'c>,
        length: Option<i64>,
        start: Option<(i64, i64)>,
        unroll: i64,
        rest: &[VarId],
        leaf: &mut dyn FnMut(&mut Self) -> R<()>,
    ) -> R<()> {
        let (b, lanes) = (self.b, self.plan.lanes);
        let block = lanes * unroll;
        let saved = (self.lane, std::mem::take(&mut self.copies));
        let range = self.ranges.vars[var];
        let (lo, length, start) = match self.is_peeled(var, start) {
            true => self.head(var, lo, hi, start, length, rest, leaf)?,
            false => (lo, length, start),
        };
        // What the lanes read is worked out from where they start.
        if let Some((first, 1)) = start {
            self.ranges.vars[var].0 = range.0.max(first);
        }
        // Ends of the three parts: known, or computed from the length.
        let cut = |size: i64| match length {
            Some(n) => b.addi(lo, b.cidx(n / size * size)),
            None => {
                let n = b.subi(hi, lo);
                // An empty intersection of tile and piece has a negative length.
                let n = b.maxsi(n, b.cidx(0));
                let whole = b.op1("arith.divui", &[n, b.cidx(size)], b.index(), &[]);
                b.addi(lo, b.muli(whole, b.cidx(size)))
            }
        };
        let mut from = lo;
        let parts: &[i64] = if unroll > 1 {
            &[block, lanes]
        } else {
            &[lanes]
        };
        let mut result = Ok(());
        let mut left = length;
        for size in parts {
            let (first, last) = self.ranges.vars[var];
            if left.is_some_and(|n| n < *size) || last - first + 1 < *size {
                continue;
            }
            let to = cut(*size);
            self.lane = Some(Lane { var, mask: None });
            self.copies = (0..size / lanes).map(|u| Some((var, u * lanes))).collect();
            // A part behind another one starts at a multiple of its own size behind the first.
            result = match length == Some(*size) && from == lo {
                true => self.whole_blocks(var, lo, start, *size, &mut |me| me.nest(rest, leaf)),
                false => {
                    self.plain_loop(var, from, to, *size, start, &mut |me| me.nest(rest, leaf))
                }
            };
            if result.is_err() {
                break;
            }
            from = to;
            left = left.map(|n| n % size);
        }
        if result.is_ok() && left != Some(0) {
            let count = b.subi(hi, from);
            let mask = b.mask(count, lanes);
            self.lane = Some(Lane {
                var,
                mask: Some(mask),
            });
            self.copies = vec![Some((var, 0))];
            let mut tail =
                |me: &mut Self| me.body(var, from, start, lanes, &mut |me| me.nest(rest, leaf));
            result = match left {
                Some(_) => tail(self),
                None => {
                    let some = b.cmpi(CmpI::Sgt, count, b.cidx(0));
                    let mut inside = Ok(());
                    b.if_then(some, |_| inside = tail(self));
                    inside
                }
            };
        }
        self.ranges.vars[var] = range;
        (self.lane, self.copies) = saved;
        result
    }

    /// Whole blocks of rows, then single rows.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn block_loop(
        &mut self,
        var: VarId,
        lo: Val<'c>,
        hi: Val<'c>,
        length: Option<i64>,
        start: Option<(i64, i64)>,
        rest: &[VarId],
        leaf: &mut dyn FnMut(&mut Self) -> R<()>,
    ) -> R<()> {
        let (b, side) = (self.b, self.plan.side());
        let middle = match length {
            Some(n) => b.addi(lo, b.cidx(n / side * side)),
            None => {
                let n = b.maxsi(b.subi(hi, lo), b.cidx(0));
                let whole = b.op1("arith.divui", &[n, b.cidx(side)], b.index(), &[]);
                b.addi(lo, b.muli(whole, b.cidx(side)))
            }
        };
        let (first, last) = self.ranges.vars[var];
        let some = length.is_none_or(|n| n >= side) && last - first + 1 >= side;
        if let (true, Some(rows)) = (some, self.plan.stored) {
            let range = self.ranges.vars[var];
            self.plain_loop(var, lo, middle, side, start, &mut |me| {
                let Some(at) = me.vals[var] else {
                    return Ok(());
                };
                me.stored = Some(me.store_blocks(at, (lo, middle))?);
                let saved =
                    std::mem::replace(&mut me.copies, (0..rows).map(|r| Some((var, r))).collect());
                let inner = std::mem::replace(&mut me.ranges.vars[var], range);
                let end = b.addi(at, b.cidx(side));
                let result = me.plain_loop(var, at, end, rows, None, &mut |me| {
                    if let Some(row) = me.vals[var] {
                        me.ask_for_next_blocks(row, rows);
                    }
                    me.nest(rest, leaf)
                });
                me.ranges.vars[var] = inner;
                me.copies = saved;
                me.stored = None;
                result
            })?;
        } else if some {
            let saved = std::mem::replace(
                &mut self.copies,
                (0..side).map(|r| Some((var, r))).collect(),
            );
            let result =
                self.plain_loop(var, lo, middle, side, start, &mut |me| me.nest(rest, leaf));
            self.copies = saved;
            result?;
        }
        if length.is_none_or(|n| n % side != 0) {
            return self.plain_loop(var, middle, hi, 1, None, &mut |me| me.nest(rest, leaf));
        }
        Ok(())
    }
}
