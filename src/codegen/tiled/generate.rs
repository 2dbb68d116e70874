//! The plan as IR: loops over tiles, sweeps, lanes.
//!
//! Values are emitted on demand, in the innermost loop that is open, and remembered there under their index ([`Scope`]); a
//! reduction is emitted before the loops that need its result. Accumulators live in `memref.alloca`s of the frame that LLVM turns
//! into registers.

use super::plan::Plan;
use super::reduce::Combiner;
use super::walk::{Analysis, Region, RuntimeTable, identity};
use crate::{Declined, Elem, scalar, storage};
use mapwright_fusion::lin::{Lin, Ranges, VarId};
use mapwright_fusion::node::{Node, all, node};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, ElementType, Op, Ty, Val, op};
use std::collections::HashMap;

pub(crate) type R<T> = Result<T, Declined>;

/// What has been emitted in a loop body, for reuse in it and in the loops inside.
#[derive(Default)]
pub(crate) struct Scope<'c> {
    pub values: HashMap<(usize, Vec<Lin>), Elem<'c>>,
    pub numbers: HashMap<Lin, Val<'c>>,
    /// Rows of transposed blocks: by input and offset of row 0.
    pub blocks: HashMap<(usize, Lin), Vec<Val<'c>>>,
}

/// Lanes run along `var`; lanes that `mask` turns off do not exist.
#[derive(Clone, Copy)]
pub(crate) struct Lane<'c> {
    pub var: VarId,
    pub mask: Option<Val<'c>>,
}

/// A tile's part of a variable.
#[derive(Clone, Copy)]
struct Bound<'c> {
    lo: Val<'c>,
    hi: Val<'c>,
    /// `hi - lo` where it is the same for all tiles.
    length: Option<i64>,
    /// `lo` is a multiple of this.
    multiple: i64,
}

pub(crate) struct Gen<'g, 'c> {
    pub b: &'g Builder<'c>,
    pub region: &'g Region<'c>,
    pub analysis: &'g Analysis<'c>,
    pub plan: &'g Plan,
    pub ranges: Ranges,
    pub runtime: RuntimeTable<'c>,
    inputs: Vec<Val<'c>>,
    outputs: Vec<Val<'c>>,
    scratch: Vec<Val<'c>>,
    bounds: Vec<Option<Bound<'c>>>,
    pub vals: Vec<Option<Val<'c>>>,
    /// A variable is `start + step * k` for some k.
    pub align: Vec<Option<(i64, i64)>>,
    pub scopes: Vec<Scope<'c>>,
    pub lane: Option<Lane<'c>>,
    /// Copies of the body: a variable and how much is added to it.
    pub copies: Vec<Option<(VarId, i64)>>,
    /// The copy being emitted.
    pub copy: Option<(VarId, i64)>,
    /// The sweep being emitted.
    pub sweep: usize,
    pub carries: HashMap<(usize, i64), Val<'c>>,
}

/// Adds the kernel's body; `arguments` are the inputs, the outputs, begin and end.
pub(crate) fn generate<'c>(
    b: &Builder<'c>,
    region: &Region<'c>,
    analysis: &Analysis<'c>,
    plan: &Plan,
    arguments: &[Val<'c>],
) -> R<()> {
    let (k, m) = (region.inputs.len(), region.roots.len());
    let mut generator = Gen::new(b, region, analysis, plan, arguments);
    generator.scratch_buffers()?;
    let (begin, end) = (arguments[k + m], arguments[k + m + 1]);
    generator.tiles(begin, end)
}

impl<'g, 'c> Gen<'g, 'c> {
    /// Nothing emitted yet; `arguments` begin with the inputs and the outputs.
    pub fn new(
        b: &'g Builder<'c>,
        region: &'g Region<'c>,
        analysis: &'g Analysis<'c>,
        plan: &'g Plan,
        arguments: &[Val<'c>],
    ) -> Self {
        let (k, m) = (region.inputs.len(), region.roots.len());
        let flat = |value: Val<'c>| {
            let ty = value.r#type();
            let n: i64 = b.shape_of(ty).iter().product();
            let flat = b.memref(&[n], b.element_of(ty));
            match flat == ty {
                true => value,
                false => b.reinterpret(value, flat, 0, &[n], &[1]),
            }
        };
        let count = analysis.ranges.vars.len();
        let mut generator = Gen {
            b,
            region,
            analysis,
            plan,
            ranges: analysis.ranges.clone(),
            runtime: RuntimeTable::default(),
            inputs: arguments[..k].iter().map(|v| flat(*v)).collect(),
            outputs: arguments[k..k + m].iter().map(|v| flat(*v)).collect(),
            scratch: Vec::new(),
            bounds: vec![None; count],
            vals: vec![None; count],
            align: vec![None; count],
            scopes: vec![Scope::default()],
            lane: None,
            copies: vec![None],
            copy: None,
            sweep: 0,
            carries: HashMap::new(),
        };
        generator.ranges.values.clear();
        generator
    }
}

impl<'c> Gen<'_, 'c> {
    fn scratch_buffers(&mut self) -> R<()> {
        let mut sizes = vec![None; self.plan.kept.len()];
        for (key, kept) in &self.plan.kept {
            sizes[kept.number] = Some((key.0, self.kept_size(&kept.vars)));
        }
        let elements: HashMap<usize, ElementType> = self
            .region_values()
            .into_iter()
            .map(|(key, ty)| (key, ty))
            .collect();
        for (key, size) in sizes.into_iter().flatten() {
            let Some(element) = elements.get(&key) else {
                return Err(Declined::new("a kept value that is not in the region"));
            };
            let ty = self
                .b
                .memref(&[size], storage::storage_type(self.b, element)?);
            self.scratch.push(self.b.alloca(ty));
        }
        Ok(())
    }

    fn region_values(&self) -> Vec<(usize, ElementType)> {
        let mut found = Vec::new();
        let mut stack: Vec<Val<'c>> = self.region.roots.iter().map(|root| root.value).collect();
        let mut seen = std::collections::HashSet::new();
        while let Some(value) = stack.pop() {
            if !seen.insert(op::key(value)) {
                continue;
            }
            if let Ok((ty, _)) = mapwright_fusion::node::tensor(value) {
                found.push((op::key(value), ty.element));
            }
            if let Some((op, _)) = op::defining_op(value) {
                stack.extend(op.operands());
            }
        }
        found
    }

    /// Elements of the scratch buffer over these variables.
    fn kept_size(&self, vars: &[VarId]) -> i64 {
        vars.iter().map(|var| self.kept_extent(*var)).product()
    }

    fn kept_extent(&self, var: VarId) -> i64 {
        match self.plan.columns && self.plan.lane == Some(var) {
            true => self.plan.lanes * self.plan.unroll,
            false => Plan::size(self.analysis, var),
        }
    }

    // ---- loops ---------------------------------------------------------------------------------------------------------

    fn tiles(&mut self, begin: Val<'c>, end: Val<'c>) -> R<()> {
        let b = self.b;
        let mut result = Ok(());
        b.for_loop(begin, end, b.cidx(1), &[], |_, tile, _| {
            result = self.tile(tile);
            Vec::new()
        });
        result
    }

    fn tile(&mut self, tile: Val<'c>) -> R<()> {
        let b = self.b;
        // The last variable of the grid changes fastest.
        let mut rest = tile;
        for (i, (var, size)) in self.plan.grid.iter().enumerate().rev() {
            let n = Plan::size(self.analysis, *var);
            let count = (n + size - 1) / size;
            let at = match i {
                0 => rest,
                _ => b.op1("arith.remui", &[rest, b.cidx(count)], b.index(), &[]),
            };
            if i > 0 {
                rest = b.op1("arith.divui", &[rest, b.cidx(count)], b.index(), &[]);
            }
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
        order.retain(|var| Some(*var) != self.plan.lane);
        if self.plan.columns {
            order.extend(self.plan.lane);
        }
        let result = self.nest(&order, &mut |me| me.row());
        self.scopes.pop();
        result
    }

    /// Everything inside one element (or vector) of the parallel variables: reductions, then the sweep that stores.
    fn row(&mut self) -> R<()> {
        self.instances()?;
        self.start_scans()?;
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
        self.nest(&rows, &mut |me| {
            me.each_copy(&mut |me| {
                let index = me.shifted(&me.analysis.index.clone());
                for k in 0..me.region.roots.len() {
                    if !me.analysis.secondary.contains_key(&k) {
                        me.store(k, &index)?;
                    }
                }
                Ok(())
            })
        })
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
    pub fn shifted(&self, index: &[Lin]) -> Vec<Lin> {
        match self.copy {
            Some((var, by)) if by != 0 => {
                let value = Lin::var(var).offset(by);
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
        let mut edges = vec![0];
        edges.extend(self.plan.cuts.get(&var).into_iter().flatten());
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

    fn piece(
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
        let (lo, hi, length, start) = match self.bounds[var] {
            None => (b.cidx(from), b.cidx(to), Some(to - from), Some((from, 1))),
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

    fn plain_loop(
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
        b.for_loop(lo, hi, b.cidx(step), &[], |_, i, _| {
            result = self.whole_blocks(var, i, start, step, inner);
            Vec::new()
        });
        result
    }

    /// Emits `inner` for blocks of `step` values of `var`, the first of them at `at`: all of them are in the piece.
    fn whole_blocks(
        &mut self,
        var: VarId,
        at: Val<'c>,
        start: Option<(i64, i64)>,
        step: i64,
        inner: &mut dyn FnMut(&mut Self) -> R<()>,
    ) -> R<()> {
        let piece = self.ranges.vars[var];
        self.ranges.vars[var].1 = piece.1 + 1 - step;
        let result = self.body(var, at, start, step, inner);
        self.ranges.vars[var] = piece;
        result
    }

    /// Emits `inner` with `var` bound to `at`, in a scope of its own.
    fn body(
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
            _ => None,
        };
        self.scopes.push(Scope::default());
        let result = inner(self);
        self.scopes.pop();
        (self.vals[var], self.align[var]) = outer;
        result
    }

    fn lane_of_sweep(&self) -> Option<VarId> {
        match self.sweep {
            0 => self.plan.lane,
            i => self.analysis.instances[i - 1].vars.last().copied(),
        }
    }

    fn unroll_of_sweep(&self) -> i64 {
        match self.sweep {
            0 => self.plan.unroll,
            _ => self.plan.accumulators,
        }
    }

    /// Full vectors `unroll` at a time, then one at a time, then the rest under a mask.
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
        leaf: &mut dyn FnMut(&mut Self) -> R<()>,
    ) -> R<()> {
        let (b, lanes) = (self.b, self.plan.lanes);
        let block = lanes * unroll;
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
        let saved = (self.lane, std::mem::take(&mut self.copies));
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
                    let some = b.cmpi(mapwright_mlir::builder::CmpI::Sgt, count, b.cidx(0));
                    let mut inside = Ok(());
                    b.if_then(some, |_| inside = tail(self));
                    inside
                }
            };
        }
        (self.lane, self.copies) = saved;
        result
    }

    /// Blocks of as many rows as there are lanes, then single rows.
    #[allow(clippy::too_many_arguments)]
    fn block_loop(
        &mut self,
        var: VarId,
        lo: Val<'c>,
        hi: Val<'c>,
        length: Option<i64>,
        start: Option<(i64, i64)>,
        rest: &[VarId],
        leaf: &mut dyn FnMut(&mut Self) -> R<()>,
    ) -> R<()> {
        let (b, lanes) = (self.b, self.plan.lanes);
        let middle = match length {
            Some(n) => b.addi(lo, b.cidx(n / lanes * lanes)),
            None => {
                let n = b.maxsi(b.subi(hi, lo), b.cidx(0));
                let whole = b.op1("arith.divui", &[n, b.cidx(lanes)], b.index(), &[]);
                b.addi(lo, b.muli(whole, b.cidx(lanes)))
            }
        };
        let (first, last) = self.ranges.vars[var];
        if length.is_none_or(|n| n >= lanes) && last - first + 1 >= lanes {
            let saved = std::mem::replace(
                &mut self.copies,
                (0..lanes).map(|r| Some((var, r))).collect(),
            );
            let result =
                self.plain_loop(var, lo, middle, lanes, start, &mut |me| me.nest(rest, leaf));
            self.copies = saved;
            result?;
        }
        if length.is_none_or(|n| n % lanes != 0) {
            return self.plain_loop(var, middle, hi, 1, None, &mut |me| me.nest(rest, leaf));
        }
        Ok(())
    }

    // ---- reductions ----------------------------------------------------------------------------------------------------

    /// All reductions of a row, level by level; those over the same loops share them.
    fn instances(&mut self) -> R<()> {
        let analysis = self.analysis;
        let levels = analysis
            .instances
            .iter()
            .map(|i| i.level + 1)
            .max()
            .unwrap_or(0);
        for level in 0..levels {
            let mut done: Vec<usize> = Vec::new();
            for i in 0..analysis.instances.len() {
                if analysis.instances[i].level != level || done.contains(&i) {
                    continue;
                }
                let group: Vec<usize> = (i..analysis.instances.len())
                    .filter(|j| {
                        let other = &analysis.instances[*j];
                        other.level == level
                            && other.vars == analysis.instances[i].vars
                            && self.on_lane(*j) == self.on_lane(i)
                    })
                    .collect();
                done.extend(&group);
                self.group(&group)?;
            }
        }
        Ok(())
    }

    /// Does the result of an instance differ from lane to lane?
    fn on_lane(&self, instance: usize) -> bool {
        self.plan.columns
            && self.plan.lane.is_some_and(|lane| {
                let index = &self.analysis.instances[instance].index;
                index
                    .iter()
                    .any(|x| self.analysis.runtime.depends_on(x, lane))
            })
    }

    fn group(&mut self, group: &[usize]) -> R<()> {
        let b = self.b;
        let first = &self.analysis.instances[group[0]];
        let on_lane = self.on_lane(group[0]);
        let vars = first.vars.clone();
        // A result that is the same for all lanes is computed outside of them.
        let outer = (self.lane, self.copies.clone());
        if !on_lane {
            self.lane = None;
            self.copies = vec![None];
        }
        let vector = on_lane || !vars.is_empty();
        let lanes: Vec<i64> = match (on_lane, vector) {
            (true, _) if self.lane.is_none() => Vec::new(),
            (_, true) => vec![self.plan.lanes],
            _ => Vec::new(),
        };
        // Column regions have an accumulator a copy; row regions as many as the loop is unrolled.
        let mut jobs = Vec::new();
        for copy in self.copies.clone() {
            self.copy = copy;
            for id in group {
                let index = self.shifted(&self.analysis.instances[*id].index);
                jobs.push((*id, copy, index));
            }
            self.copy = None;
        }
        let accumulators = if on_lane || vars.is_empty() {
            1
        } else {
            self.plan.accumulators
        };
        let mut combiners = Vec::new();
        let mut slots: Vec<Vec<Vec<Val<'c>>>> = Vec::new();
        for (id, _, _) in &jobs {
            let combiner = Combiner::of(self.analysis.instances[*id].op, self)?;
            if !on_lane && !vars.is_empty() && !combiner.splits() {
                return Err(Declined::new(
                    "a reduction that is not known to be commutative, along the vector dimension",
                ));
            }
            let starts = combiner.starts(self, &lanes, on_lane || vars.is_empty())?;
            let mut of_job = Vec::new();
            for _ in 0..accumulators {
                let mut of_copy = Vec::new();
                for start in &starts {
                    let slot = b.alloca(b.memref(&[], start.r#type()));
                    b.store(*start, slot, &[]);
                    of_copy.push(slot);
                }
                of_job.push(of_copy);
            }
            slots.push(of_job);
            combiners.push(combiner);
        }
        let outer_sweep = std::mem::replace(&mut self.sweep, group[0] + 1);
        let mut leaf = |me: &mut Self| -> R<()> {
            let row_copies = if on_lane {
                vec![None]
            } else {
                me.copies.clone()
            };
            for (k, copy) in row_copies.iter().enumerate() {
                for (j, (id, job_copy, index)) in jobs.iter().enumerate() {
                    let instance = &me.analysis.instances[*id];
                    me.sweep = *id + 1;
                    me.copy = if on_lane { *job_copy } else { *copy };
                    let result = me.element_of(instance.op, *id, index, &lanes);
                    let copy = std::mem::take(&mut me.copy);
                    let _ = copy;
                    let x = result?;
                    let slot = &slots[j][k.min(accumulators as usize - 1)];
                    let old: Vec<Val<'c>> = slot.iter().map(|s| b.load(*s, &[])).collect();
                    let new = combiners[j].combine(me, &old, &x, &lanes)?;
                    let mask = if on_lane {
                        None
                    } else {
                        me.lane.and_then(|l| l.mask)
                    };
                    for ((slot, old), new) in slot.iter().zip(&old).zip(&new) {
                        let kept = match mask {
                            Some(mask) => b.select(mask, *new, *old),
                            None => *new,
                        };
                        b.store(kept, *slot, &[]);
                    }
                }
            }
            me.sweep = group[0] + 1;
            Ok(())
        };
        // A scope of its own even without loops: nothing of a sweep is valid outside.
        self.scopes.push(Scope::default());
        let result = self.nest(&vars, &mut leaf);
        self.scopes.pop();
        self.sweep = outer_sweep;
        (self.lane, self.copies) = outer;
        result?;
        for (j, (id, _, index)) in jobs.iter().enumerate() {
            let parts: Vec<Vec<Val<'c>>> = slots[j]
                .iter()
                .map(|slot| slot.iter().map(|s| b.load(*s, &[])).collect())
                .collect();
            let along = on_lane || vars.is_empty();
            let total = combiners[j].finish(self, parts, &lanes, along)?;
            let op = self.analysis.instances[*id].op;
            if let Some(scope) = self.scopes.last_mut() {
                for (k, value) in total.into_iter().enumerate() {
                    let key = (op::key(op.result(k)), index.clone());
                    scope.values.insert(key, Elem::One(value));
                }
            }
        }
        Ok(())
    }

    /// The operands of a reduction at the current point of its loops.
    fn element_of(
        &mut self,
        op: Op<'c>,
        id: usize,
        index: &[Lin],
        lanes: &[i64],
    ) -> R<Vec<Val<'c>>> {
        let instance = &self.analysis.instances[id];
        let shape = mapwright_fusion::node::tensor(op.operand(0))?.1;
        let at = super::walk::operand_index(instance, index, &shape, &self.ranges);
        // Rows are unrolled along the reduced dimension; columns have the copy in `index` already.
        let at = match self.copy {
            Some((var, _)) if instance.vars.contains(&var) => self.shifted(&at),
            _ => at,
        };
        (0..op.num_operands() / 2)
            .map(|i| {
                let x = self.eval(op.operand(i), &at)?.one();
                Ok(self.spread(x, lanes))
            })
            .collect()
    }

    /// A value as a vector, if there are lanes.
    pub fn spread(&self, value: Val<'c>, lanes: &[i64]) -> Val<'c> {
        match (lanes, self.is_vector(value)) {
            ([_, ..], false) => {
                let ty = self.b.vector(lanes, value.r#type());
                self.b.broadcast(value, ty)
            }
            _ => value,
        }
    }

    pub fn is_vector(&self, value: Val<'c>) -> bool {
        let ty: Ty<'c> = value.r#type();
        !self.b.shape_of(ty).is_empty()
    }

    // ---- values --------------------------------------------------------------------------------------------------------

    /// Element `index` of `value`: a scalar where it is the same for all lanes, else a vector.
    pub fn eval(&mut self, value: Val<'c>, index: &[Lin]) -> R<Elem<'c>> {
        let key = (op::key(value), index.to_vec());
        if let Some(known) = self.scopes.iter().rev().find_map(|s| s.values.get(&key)) {
            return Ok(*known);
        }
        let kept = self.kept_place(&key);
        let computed = match kept {
            Some((place, first)) if first != self.sweep && !self.same_group(first) => {
                let element = mapwright_fusion::node::tensor(value)?.0.element;
                self.load_from(self.scratch[place.0], &element, &place.1)?
            }
            _ => {
                let computed = self.compute(value, index)?;
                if let Some((place, _)) = self.kept_place(&key) {
                    let element = mapwright_fusion::node::tensor(value)?.0.element;
                    self.store_to(self.scratch[place.0], &element, computed, &place.1)?;
                }
                computed
            }
        };
        if let Some(scope) = self.scopes.last_mut() {
            scope.values.insert(key, computed);
        }
        Ok(computed)
    }

    /// Is sweep `other` emitted in the same loops as the current one?
    fn same_group(&self, other: usize) -> bool {
        if self.sweep == 0 || other == 0 {
            return self.sweep == other;
        }
        let (a, b) = (
            &self.analysis.instances[self.sweep - 1],
            &self.analysis.instances[other - 1],
        );
        a.level == b.level && a.vars == b.vars
    }

    /// Where a kept value lives: buffer and offset; and the sweep that computes it.
    fn kept_place(&self, key: &(usize, Vec<Lin>)) -> Option<((usize, Lin), usize)> {
        if self.plan.kept.is_empty() {
            return None;
        }
        // The plan knows the value without the shift of this copy.
        let back: Vec<Lin> = match self.copy {
            Some((var, by)) if by != 0 => {
                let value = Lin::var(var).offset(-by);
                key.1
                    .iter()
                    .map(|x| x.with_var(var, &value, &self.ranges))
                    .collect()
            }
            _ => key.1.clone(),
        };
        let kept = self.plan.kept.get(&(key.0, back))?;
        let mut offset = Lin::default();
        for var in &kept.vars {
            let shift = self
                .copy
                .map_or(0, |(v, by)| if v == *var { by } else { 0 });
            let mut at = Lin::var(*var).offset(shift);
            if self.plan.columns && self.plan.lane == Some(*var) {
                // Relative to the tile: its first lane is lane 0 of the buffer.
                at = Lin::constant(shift);
            }
            offset = offset.scaled(self.kept_extent(*var)).plus(&at);
        }
        Some(((kept.number, offset), kept.first))
    }

    fn compute(&mut self, value: Val<'c>, index: &[Lin]) -> R<Elem<'c>> {
        let b = self.b;
        match node(value, index, &self.ranges)? {
            Node::Input => {
                let input = self.region.input_of[&op::key(value)];
                let offset =
                    mapwright_fusion::lin::linearize(index, &self.region.inputs[input].shape);
                self.load(input, &offset)
            }
            Node::Splat(dense) => Ok(storage::constant(b, &dense.ty.element, &dense.data, &[])?),
            Node::Iota(lin) => {
                let element = mapwright_fusion::node::tensor(value)?.0.element;
                self.number(&lin, &element)
            }
            Node::Copy((source, at)) => self.eval(source, &at),
            Node::Pieces(pieces) => {
                for (conditions, (source, at)) in pieces {
                    match all(&conditions, &self.ranges) {
                        Some(true) => return self.eval(source, &at),
                        Some(false) => {}
                        None => return Err(Declined::new("pieces that the loops do not separate")),
                    }
                }
                Err(Declined::new("an index outside of all pieces"))
            }
            Node::Elementwise(op, operands) => {
                let mut args = Vec::with_capacity(operands.len());
                for (source, at) in operands {
                    args.push(self.eval(source, &at)?.one());
                }
                let lanes = match args.iter().any(|x| self.is_vector(*x)) {
                    true => vec![self.plan.lanes],
                    false => Vec::new(),
                };
                let args: Vec<Elem<'c>> = args
                    .into_iter()
                    .map(|x| Elem::One(self.spread(x, &lanes)))
                    .collect();
                match scalar::apply(b, op, &args)? {
                    Elem::One(value) => Ok(Elem::One(value)),
                    Elem::Pair(..) => Err(Declined::new("complex numbers")),
                }
            }
            Node::Window(op, number, elements) => {
                let combiner = Combiner::of(op, self)?;
                let count = op.num_operands() / 2;
                let lanes = match self.lane {
                    Some(_) => vec![self.plan.lanes],
                    None => Vec::new(),
                };
                let mut inside = Vec::new();
                for (conditions, at) in elements {
                    match all(&conditions, &self.ranges) {
                        Some(true) => inside.push(at),
                        Some(false) => {}
                        None => {
                            return Err(Declined::new("a window that the loops do not separate"));
                        }
                    }
                }
                let mut total: Option<Vec<Val<'c>>> = None;
                for at in &inside {
                    let mut x = Vec::new();
                    for i in 0..count {
                        let value = self.eval(op.operand(i), at)?.one();
                        x.push(self.spread(value, &lanes));
                    }
                    total = Some(match total {
                        None if combiner.starts_with_identity() => x,
                        None => {
                            let start = combiner.starts(self, &lanes, true)?;
                            combiner.combine(self, &start, &x, &lanes)?
                        }
                        Some(old) => combiner.combine(self, &old, &x, &lanes)?,
                    });
                }
                let total = match total {
                    Some(total) => total,
                    None => combiner.starts(self, &lanes, true)?,
                };
                for (k, value) in total.iter().enumerate() {
                    let key = (op::key(op.result(k)), index.to_vec());
                    if let Some(scope) = self.scopes.last_mut() {
                        scope.values.insert(key, Elem::One(*value));
                    }
                }
                Ok(Elem::One(total[number]))
            }
            Node::Reduce(..) => Err(Declined::new("a reduction inside the loop of another one")),
            Node::Scan(op, axis, _) => self.scan(op, axis, index),
            Node::Dynamic {
                operand,
                mut index,
                runtime,
            } => {
                for (dim, start) in runtime {
                    let atom =
                        self.runtime
                            .atom(start.element, start.lo, start.hi, &mut self.ranges);
                    index[dim] = index[dim].plus(&Lin::atom(atom));
                }
                self.eval(operand, &index)
            }
        }
    }

    // ---- scans ---------------------------------------------------------------------------------------------------------

    /// Carried values start at the initial value, one for each scan and copy.
    fn start_scans(&mut self) -> R<()> {
        let b = self.b;
        for scan in &self.analysis.scans {
            let init = scan.op.operand(1);
            for copy in self.copies.clone() {
                let value = self.eval(init, &[])?.one();
                let lanes = match self.plan.lane {
                    Some(_) => vec![self.plan.lanes],
                    None => Vec::new(),
                };
                let value = self.spread(value, &lanes);
                let key = (identity(scan.op), copy.map_or(0, |(_, by)| by));
                let slot = match self.carries.get(&key) {
                    Some(slot) => *slot,
                    None => {
                        let slot = b.alloca(b.memref(&[], value.r#type()));
                        self.carries.insert(key, slot);
                        slot
                    }
                };
                b.store(value, slot, &[]);
            }
        }
        Ok(())
    }

    fn scan(&mut self, op: Op<'c>, axis: usize, index: &[Lin]) -> R<Elem<'c>> {
        let b = self.b;
        let combiner = Combiner::of(op, self)?;
        let mut vars = Vec::new();
        index[axis].variables(&mut vars);
        let along = self.lane.is_some_and(|lane| vars.contains(&lane.var));
        let lanes = match self.plan.lane {
            Some(_) => vec![self.plan.lanes],
            None => Vec::new(),
        };
        let x = self.eval(op.operand(0), index)?.one();
        let x = self.spread(x, &lanes);
        let by = match (along, self.copy) {
            (false, Some((_, by))) => by,
            _ => 0,
        };
        let Some(slot) = self.carries.get(&(identity(op), by)).copied() else {
            return Err(Declined::new("a scan outside of its loop"));
        };
        let carry = b.load(slot, &[]);
        if !along {
            let total = combiner.combine(self, &[carry], &[x], &lanes)?[0];
            b.store(total, slot, &[]);
            return Ok(Elem::One(total));
        }
        // Within the vector by doubling distances, then what was before it.
        let Some(identity) = combiner.identity(self, x.r#type()) else {
            return Err(Declined::new(
                "a scan along the vector whose operation has no known identity",
            ));
        };
        let n = self.plan.lanes;
        let mut sums = x;
        let mut distance = 1;
        while distance < n {
            let from: Vec<i64> = (0..n)
                .map(|i| if i < distance { i } else { n + i - distance })
                .collect();
            let earlier = b.shuffle(identity, sums, &from);
            sums = combiner.combine(self, &[earlier], &[sums], &lanes)?[0];
            distance *= 2;
        }
        let total = combiner.combine(self, &[carry], &[sums], &lanes)?[0];
        // The carry is the last lane everywhere; the sum of the vector is known before the carry is.
        let last = b.shuffle(sums, sums, &vec![n - 1; n as usize]);
        let next = combiner.combine(self, &[carry], &[last], &lanes)?[0];
        b.store(next, slot, &[]);
        Ok(Elem::One(total))
    }

    // ---- stores --------------------------------------------------------------------------------------------------------

    /// Computes and stores an element (or a vector) of a root.
    pub fn store(&mut self, root: usize, index: &[Lin]) -> R<()> {
        let port = &self.region.roots[root];
        let value = self.eval(port.value, index)?;
        let offset = mapwright_fusion::lin::linearize(index, &port.shape);
        let element = port.ty.element.clone();
        self.store_to(self.outputs[root], &element, value, &offset)
    }

    /// Stores at an offset that is the same for all lanes or follows them.
    fn store_to(
        &mut self,
        buffer: Val<'c>,
        element: &ElementType,
        value: Elem<'c>,
        offset: &Lin,
    ) -> R<()> {
        let b = self.b;
        let scratch_column = self.plan.columns && self.scratch.contains(&buffer);
        let along = match self.lane {
            Some(lane) if scratch_column => Some(lane),
            Some(lane) if self.runtime.depends_on(offset, lane.var) => {
                if offset.coefficient(lane.var) != Some(1) {
                    return Err(Declined::new("a result that the lanes stride over"));
                }
                Some(lane)
            }
            _ => None,
        };
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
            None => b.vstore(stored, buffer, &[at]),
            Some(mask) => b.masked_store(buffer, &[at], mask, stored),
        }
        Ok(())
    }

    /// Loads what [`Gen::store_to`] stored.
    fn load_from(&mut self, buffer: Val<'c>, element: &ElementType, offset: &Lin) -> R<Elem<'c>> {
        let b = self.b;
        let at = self.index_value(offset)?;
        let storage = b.element_of(buffer.r#type());
        let ty = b.vector(&[self.plan.lanes], storage);
        let loaded = match self.lane {
            None => return Err(Declined::new("a kept value outside of the lanes")),
            Some(Lane { mask: None, .. }) => b.vload(buffer, &[at], ty),
            Some(Lane {
                mask: Some(mask), ..
            }) => {
                let zero = super::access::zero(b, ty);
                b.masked_load(buffer, &[at], mask, zero)
            }
        };
        Ok(storage::from_storage(b, element, loaded)?)
    }

    pub fn input(&self, input: usize) -> (Val<'c>, ElementType) {
        (
            self.inputs[input],
            self.region.inputs[input].ty.element.clone(),
        )
    }
}
