//! Loops over the variables of a region, and over its lanes.

use super::emitter::{EmitResult, Lane, LoopEmitter};
use super::plan::{Ends, Plan};
use super::reductions::on_lane;
use crate::Declined;
use mapwright_fusion::condition::Condition;
use mapwright_indexing::{Extent, linear::VarId};
use mapwright_mlir::{CmpI, Val};

impl<'c> LoopEmitter<'_, 'c> {
    /// Loops over `vars`, outermost first, with `leaf` inside. The lane variable's loop makes
    /// vectors.
    pub fn nest(
        &mut self,
        vars: &[VarId],
        leaf: &mut dyn FnMut(&mut Self) -> EmitResult<()>,
    ) -> EmitResult<()> {
        let Some((var, rest)) = vars.split_first() else {
            return leaf(self);
        };
        let (var, n) = (*var, Plan::size(self.analysis, *var));
        if let Some(ends) = self.plan.ends.get(&var).copied() {
            return self.with_ends(var, ends, rest, leaf);
        }
        let mut edges = vec![Extent::ZERO];
        let cuts = self.plan.cuts.get(&var).filter(|_| self.is_cut(var));
        edges.extend(cuts.into_iter().flatten());
        edges.push(n);
        let whole = self.ranges.vars[var];
        let mut result = Ok(());
        for piece in edges.windows(2) {
            self.ranges.vars[var] = (piece[0], piece[1] - 1);
            result = self.piece(var, piece[0], piece[1], rest, leaf);
            if result.is_err() {
                break;
            }
        }
        self.ranges.vars[var] = whole;
        result
    }

    /// Tells whether pieces of the loop over `var` are chosen by it: in the padding above an image
    /// it is all the same where a column is.
    fn is_cut(&self, var: VarId) -> bool {
        self.analysis.conjunctions.iter().any(|all| {
            let is_open = |condition: &Condition| condition.decide(&self.ranges) != Some(false);
            all.iter().any(|condition| condition.lin.depends_on(var)) && all.iter().all(is_open)
        })
    }

    fn piece(
        &mut self,
        var: VarId,
        from: Extent,
        to: Extent,
        rest: &[VarId],
        leaf: &mut dyn FnMut(&mut Self) -> EmitResult<()>,
    ) -> EmitResult<()> {
        let b = self.b;
        let n = Plan::size(self.analysis, var);
        let uncut = (from, to) == (Extent::ZERO, n);
        if self.plan.unrolled.contains(&var) && self.lane.is_some() {
            return self.unrolled(var, from, to, rest, leaf);
        }
        let (lo, hi, length, start) = match self.bounds[var] {
            // A piece may begin or end behind the last element.
            None if !uncut && n.is_run_time() => {
                let hi = b.minsi(b.cidx(to), b.cidx(n));
                (b.cidx(from), hi, None, None)
            }
            None => {
                let length = (to - from).as_constant();
                let start = from.as_constant().map(|from| (from, 1));
                (b.cidx(from), b.cidx(to), length, start)
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
        inner: &mut dyn FnMut(&mut Self) -> EmitResult<()>,
    ) -> EmitResult<()> {
        self.counted(lo, hi, step, &mut |me, i| {
            me.whole_blocks(var, i, start, step, inner)
        })
    }

    /// A loop from `lo` to below `hi`, with `inner` for each number.
    fn counted(
        &mut self,
        lo: Val<'c>,
        hi: Val<'c>,
        step: i64,
        inner: &mut dyn FnMut(&mut Self, Val<'c>) -> EmitResult<()>,
    ) -> EmitResult<()> {
        let b = self.b;
        let mut result = Ok(());
        // Vectors of several registers have enough to do side by side.
        let many = self.plan.registers > 1;
        let step = b.cidx(step);
        // What is computed within the loop is not known behind it: nothing of it belongs to the
        // straight code around.
        let straight = self.straight.take();
        let mut body = |i| result = inner(self, i);
        if many {
            b.rolled_loop(lo, hi, step, |_, i| body(i))
        } else {
            b.for_loop(lo, hi, step, &[], |_, i, _| {
                body(i);
                Vec::new()
            });
        }
        self.straight = straight;
        result
    }

    /// Emits `inner` for blocks of `step` values of `var`, the first of them at `at`: all of them
    /// are in the piece.
    fn whole_blocks(
        &mut self,
        var: VarId,
        at: Val<'c>,
        start: Option<(i64, i64)>,
        step: i64,
        inner: &mut dyn FnMut(&mut Self) -> EmitResult<()>,
    ) -> EmitResult<()> {
        let piece = self.ranges.vars[var];
        // The range is that of all lanes, not of the first one alone: quotients are worked out with
        // it.
        let lanes = match self.lane {
            Some(lane) if lane.var == var => self.plan.lanes - 1,
            _ => 0,
        };
        self.ranges.vars[var].1 = piece.1 + 1 - step + lanes;
        let result = self.body(var, at, start, step, inner);
        self.ranges.vars[var] = piece;
        result
    }

    fn lane_of_sweep(&self) -> Option<VarId> {
        match self.sweep {
            0 => self.plan.lane,
            i if self.plan.wide.is_some() && on_lane(self.analysis, self.plan, i - 1) => {
                self.plan.lane
            }
            i => self.analysis.instances[i - 1].vars.last().copied(),
        }
    }

    fn unroll_of_sweep(&self) -> i64 {
        match self.sweep {
            0 => self.plan.unroll,
            _ => self.accumulators,
        }
    }

    /// Full vectors `unroll` at a time, then one at a time, then the rest under a mask. Where the
    /// plan says so, what is left of `unroll` of them is vectors under a mask.
    #[allow(clippy::too_many_arguments)]
    fn lane_loop(
        &mut self,
        var: VarId,
        lo: Val<'c>,
        hi: Val<'c>,
        length: Option<i64>,
        start: Option<(i64, i64)>,
        unroll: i64,
        rest: &[VarId],
        leaf: &mut dyn FnMut(&mut Self) -> EmitResult<()>,
    ) -> EmitResult<()> {
        let (b, lanes) = (self.b, self.plan.lanes);
        let block = lanes * unroll;
        let saved = (self.lane, std::mem::take(&mut self.copies));
        let range = self.ranges.vars[var];
        let (lo, length, start) = if self.is_peeled(var, start) {
            self.head(var, lo, hi, start, length, &mut |me| me.nest(rest, leaf))?
        } else {
            (lo, length, start)
        };
        // What the lanes read is worked out from where they start.
        if let Some((first, 1)) = start
            && Extent::from(first).is_at_least(range.0)
        {
            self.ranges.vars[var].0 = first.into();
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
        let (first, last) = self.ranges.vars[var];
        let is_short = |size: i64| Extent::from(size - 1).is_at_least(last - first + 1);
        let masked_rest = self.plan.masked_rest && length.is_none() && !is_short(block);
        let parts: &[i64] = match unroll {
            1 => &[lanes],
            _ if masked_rest => &[block],
            _ => &[block, lanes],
        };
        let mut result = Ok(());
        let mut left = length;
        for size in parts {
            if left.is_some_and(|n| n < *size) || is_short(*size) {
                continue;
            }
            let to = cut(*size);
            self.lane = Some(Lane { var, mask: None });
            self.copies = (0..size / lanes).map(|u| Some((var, u * lanes))).collect();
            // A part behind another one starts at a multiple of its own size behind the first.
            result = if length == Some(*size) && from == lo {
                self.whole_blocks(var, lo, start, *size, &mut |me| me.nest(rest, leaf))
            } else {
                self.plain_loop(var, from, to, *size, start, &mut |me| me.nest(rest, leaf))
            };
            if result.is_err() {
                break;
            }
            from = to;
            left = left.map(|n| n % size);
        }
        if result.is_ok() && left != Some(0) {
            self.copies = vec![Some((var, 0))];
            let mut masked = |me: &mut Self, at: Val<'c>| {
                let mask = b.mask(b.subi(hi, at), lanes);
                me.lane = Some(Lane {
                    var,
                    mask: Some(mask),
                });
                me.body(var, at, start, lanes, &mut |me| me.nest(rest, leaf))
            };
            result = match left {
                Some(_) => masked(self, from),
                None if masked_rest && unroll > 1 => self.counted(from, hi, lanes, &mut masked),
                None => {
                    let some = b.cmpi(CmpI::Sgt, b.subi(hi, from), b.cidx(0));
                    let mut inside = Ok(());
                    b.if_then(some, |_| inside = masked(self, from));
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
    fn block_loop(
        &mut self,
        var: VarId,
        lo: Val<'c>,
        hi: Val<'c>,
        length: Option<i64>,
        start: Option<(i64, i64)>,
        rest: &[VarId],
        leaf: &mut dyn FnMut(&mut Self) -> EmitResult<()>,
    ) -> EmitResult<()> {
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
        let is_short = Extent::from(side - 1).is_at_least(last - first + 1);
        let some = length.is_none_or(|n| n >= side) && !is_short;
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

    /// One value of a variable after the other, without a loop.
    fn unrolled(
        &mut self,
        var: VarId,
        from: Extent,
        to: Extent,
        rest: &[VarId],
        leaf: &mut dyn FnMut(&mut Self) -> EmitResult<()>,
    ) -> EmitResult<()> {
        let outermost = self.straight.is_none();
        if outermost {
            self.straight = Some(self.scopes.len() - 1);
        }
        let mut result = Ok(());
        let (Some(from), Some(to)) = (from.as_constant(), to.as_constant()) else {
            return Err(Declined::new("a loop of run-time size that is unrolled"));
        };
        for value in from..to {
            self.ranges.vars[var] = (value.into(), value.into());
            let at = self.b.cidx(value);
            result = self.body(var, at, Some((value, 1)), 1, &mut |me| me.nest(rest, leaf));
            if result.is_err() {
                break;
            }
        }
        if outermost {
            self.straight = None;
        }
        result
    }

    /// The loop over `var`, in three parts.
    fn with_ends(
        &mut self,
        var: VarId,
        ends: Ends,
        rest: &[VarId],
        leaf: &mut dyn FnMut(&mut Self) -> EmitResult<()>,
    ) -> EmitResult<()> {
        let whole = self.ranges.vars[var];
        let size = Plan::size(self.analysis, var);
        if ends.first != 0 {
            self.piece(var, Extent::ZERO, ends.first, rest, leaf)?;
        }
        if ends.told {
            self.ranges.vars[var] = (ends.first, ends.end - 1)
        } else {
            _ = self.within.insert(var)
        }
        let middle = self.piece(var, ends.first, ends.end, rest, leaf);
        self.ranges.vars[var] = whole;
        self.within.remove(&var);
        middle?;
        self.piece(var, ends.behind, size, rest, leaf)
    }
}
