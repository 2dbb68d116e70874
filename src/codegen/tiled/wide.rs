//! Reductions of many columns in the order of memory: a few rows at a time along all columns of a tile, whose accumulators are in a buffer that
//! stays in the level-one cache.
//!
//! A column region that keeps its accumulators in registers walks down all rows for a few columns: short pieces a page or more apart, which no
//! prefetcher follows. Each column is reduced in the same order here as there.

use super::analysis::Analysis;
use super::generate::{Gen, R, Scope};
use super::plan::{Plan, Share, Wide};
use super::reduce::Combiner;
use super::region::Region;
use crate::contract::across;
use crate::{Declined, Elem, Options, storage};
use mapwright_indexing::linear::{Sum, VarId};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{ElementType, Val, op};
use mapwright_ops::elementwise::divisor;

/// Rows that are combined at a time: so many streams are read side by side, and so often fewer are the accumulators loaded and stored.
const ROWS: i64 = 8;
/// Bytes that a tile reads from which on the order matters: below, they are in the level-one cache.
const LEAST: i64 = 64 << 10;

/// What a reduction gave in all columns of the tile.
pub(crate) struct OfColumns<'c> {
    /// The instance.
    id: usize,
    /// For each result, a vector for each vector of columns.
    buffers: Vec<Val<'c>>,
}

/// May the reductions of a column region go along many columns at once?
///
/// # Errors
/// Why not, as said of the step.
pub(super) fn legal(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
    plan: &Plan,
) -> Result<(), &'static str> {
    let (Some(lane), true) = (plan.lane, plan.columns) else {
        return Err("needs reductions of columns that lanes run across");
    };
    match plan.row_vars.is_empty() {
        true => legal_sums(region, analysis, plan, lane),
        false if !legal_sweeps(analysis, plan, lane) => {
            Err("needs plain sweeps over columns, with functions in vectors of several registers")
        }
        false if plan.kept.values().any(|kept| kept.root.is_none()) => {
            Err("keeps values in results only")
        }
        false => Ok(()),
    }
}

/// The same of a region that gives nothing but what it reduces.
fn legal_sums(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
    plan: &Plan,
    lane: VarId,
) -> Result<(), &'static str> {
    let simple = plan.kept.is_empty() && plan.cuts.is_empty();
    if !simple || region.complex || !analysis.scans.is_empty() || analysis.windows {
        return Err("needs columns of real numbers without pieces, windows and kept values");
    }
    let on_lane = |x: &Sum| analysis.runtime.depends_on(x, lane);
    for (i, instance) in analysis.instances.iter().enumerate() {
        if !instance.index.iter().any(on_lane) {
            continue;
        }
        let Some(last) = instance.vars.last() else {
            return Err("needs columns of several elements");
        };
        let plain = |offset: &Sum| {
            offset.coefficient(lane) == Some(1) && offset.coefficient(*last).is_some()
        };
        let accesses = analysis.accesses.iter().filter(|a| a.sweep == i + 1);
        // Anything but plain rows of neighbouring columns has no better order.
        if accesses
            .filter(|a| on_lane(&a.offset))
            .any(|a| !plain(&a.offset))
        {
            return Err("needs rows of neighbouring columns");
        }
    }
    Ok(())
}

/// May all sweeps over columns go in the order of memory?
fn legal_sweeps(analysis: &Analysis<'_>, plan: &Plan, lane: VarId) -> bool {
    let on_lane = |x: &Sum| analysis.runtime.depends_on(x, lane);
    let along = |offset: &Sum| matches!(offset.coefficient(lane), Some(0 | 1));
    plan.registers > 1
        && plan.cuts.is_empty()
        && plan.unrolled.is_empty()
        && plan.inner.is_none()
        && analysis.secondary.is_empty()
        && analysis
            .instances
            .iter()
            .all(|i| !i.vars.is_empty() && i.index.iter().any(on_lane))
        && analysis.accesses.iter().all(|a| along(&a.offset))
}

/// Makes the plan one of many columns at once, where that pays.
pub(crate) fn widen(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
    plan: &mut Plan,
    options: &Options,
) {
    let Some(lane) = plan.lane else {
        return;
    };
    if !plan.row_vars.is_empty() || legal(region, analysis, plan).is_err() {
        return;
    }
    let size = |var: VarId| Plan::size(analysis, var);
    let (n, narrow) = (size(lane), plan.lanes * plan.unroll);
    let on_lane = |x: &Sum| analysis.runtime.depends_on(x, lane);
    let mut accumulators = 0;
    let mut work: f64 = 0.0;
    let mut far = false;
    for (i, instance) in analysis.instances.iter().enumerate() {
        let (true, Some(last)) = (instance.index.iter().any(on_lane), instance.vars.last()) else {
            continue;
        };
        accumulators += instance.op.num_results() as i64;
        work = work.max(analysis.work[i + 1]);
        let rows: i64 = instance.vars.iter().map(|v| size(*v)).product();
        let accesses = analysis.accesses.iter().filter(|a| a.sweep == i + 1);
        for access in accesses.filter(|a| on_lane(&a.offset)) {
            let pitch = access.offset.coefficient(*last).unwrap_or(0);
            let bytes = n.saturating_mul(rows).saturating_mul(region.widest);
            far |= pitch > narrow && size(*last) >= 2 * ROWS && bytes > LEAST;
        }
    }
    let rows = match work {
        w if w <= 6.0 => ROWS,
        w if w <= 12.0 => ROWS / 2,
        // Computing takes longer than reading does.
        _ => return,
    };
    if !far || n <= narrow {
        return;
    }
    let room = options.l1_bytes as i64 / 2 / region.widest;
    let most = room / accumulators.max(1) / plan.lanes * plan.lanes;
    let outer: i64 = (plan.grid.iter())
        .filter(|(var, _)| *var != lane)
        .map(|(var, _)| size(*var))
        .product();
    let threads = (options.threads as i64 + outer - 1) / outer;
    let wanted = if plan.cost > 2.0 * super::TASK {
        threads
    } else {
        1
    };
    if most <= narrow {
        return;
    }
    let n = region.sizes.expected(n);
    let columns = across::tile(n, region.widest, plan.lanes, most, (threads, wanted));
    if columns <= narrow {
        return;
    }
    for (var, tile) in &mut plan.grid {
        if *var == lane {
            *tile = columns;
        }
    }
    plan.wide = Some(Wide { columns, rows });
}

/// Level-two caches that a tile may fill: so much of the level-three cache has each core to itself.
const SHARE: i64 = 4;

/// Makes all sweeps over columns with functions ones in the order of memory, where a tile stays in the caches from one to the next, but not a few
/// of its columns, which lie pages apart: what the sweeps keep is kept where a result will be.
pub(super) fn sweeps(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
    plan: &mut Plan,
    options: &Options,
) {
    let (Some(lane), true, None) = (plan.lane, plan.columns, plan.wide) else {
        return;
    };
    // Columns that the caches do not hold from one sweep to the next would have to be copied.
    let copied = plan
        .kept
        .keys()
        .any(|key| region.input_of.contains_key(&key.0));
    if !copied || plan.row_vars.is_empty() || !legal_sweeps(analysis, plan, lane) {
        return;
    }
    let mut kept: Vec<_> = (plan.kept.iter())
        .filter(|(key, _)| !region.input_of.contains_key(&key.0))
        .map(|(key, kept)| (kept.number, key.clone()))
        .collect();
    kept.sort_unstable();
    // A result of the same type at the same index, another one for each.
    let mut places: Vec<usize> = Vec::new();
    let elements = region.values();
    let main = &region.roots[super::walk::main_root(region)].shape;
    for (_, key) in &kept {
        let Some(element) = elements.get(&key.0) else {
            return;
        };
        let place = (0..region.roots.len()).find(|k| {
            let root = &region.roots[*k];
            !places.contains(k)
                && key.1 == analysis.index
                && root.shape == *main
                && root.base.is_none()
                && root.ty.element == *element
        });
        match place {
            Some(place) => places.push(place),
            None => return,
        }
    }
    let size = |var: VarId| Plan::size(analysis, var);
    let n = size(lane);
    let rows: i64 = plan.row_vars.iter().map(|var| size(*var)).product();
    let column = rows.saturating_mul(region.widest);
    if n.saturating_mul(column) <= options.l1_bytes as i64 {
        return;
    }
    // As many accumulators as the exact maximum has.
    let most = (options.l1_bytes as i64 / 2 / region.widest / 3)
        .min(SHARE * options.l2_bytes as i64 / column.max(1))
        / plan.lanes
        * plan.lanes;
    let outer: i64 = (plan.grid.iter())
        .filter(|(var, _)| *var != lane)
        .map(|(var, _)| size(*var))
        .product();
    let threads = (options.threads as i64 + outer - 1) / outer.max(1);
    let narrow = plan.lanes * plan.unroll;
    if most < FEWEST * narrow {
        return;
    }
    let n = region.sizes.expected(n);
    let columns = across::tile(n, region.widest, plan.lanes, most, (threads, threads));
    // Threads beside each other in the same rows would take lines from each other: processors fetch what follows of a row by themselves.
    let beside = options.threads > 1 && columns < n;
    if beside || columns < FEWEST * narrow {
        return;
    }
    for (var, tile) in &mut plan.grid {
        if *var == lane {
            *tile = columns;
        }
    }
    plan.kept
        .retain(|key, _| kept.iter().any(|(_, k)| k == key));
    for (number, ((_, key), place)) in kept.iter().zip(places).enumerate() {
        if let Some(kept) = plan.kept.get_mut(key) {
            kept.root = Some(place);
            kept.number = number;
        }
    }
    plan.wide = Some(Wide { columns, rows: 1 });
}

/// Fewer pieces of a row than this many are no stream.
const FEWEST: i64 = 4;

impl<'c> Gen<'_, 'c> {
    /// The reductions of all columns of a tile, then the sweep that stores.
    pub(super) fn wide_rows(&mut self, wide: Wide) -> R<()> {
        self.of_columns.clear();
        for group in self.groups() {
            match self.on_lane(group[0]) {
                true => self.wide_group(wide, &group)?,
                false => self.group(&group)?,
            }
        }
        self.sweep = 0;
        let lane = self.plan.lane;
        if !self.plan.row_vars.is_empty() {
            self.inverses(wide)?;
            let mut vars = self.plan.row_vars.clone();
            vars.extend(lane);
            return self.nest(&vars, &mut |me| {
                me.each_copy(&mut |me| {
                    me.wide_results()?;
                    me.store_roots()
                })
            });
        }
        self.nest(lane.as_slice(), &mut |me| {
            me.each_copy(&mut |me| me.wide_results())?;
            me.stores()
        })
    }

    /// Reciprocals of what the results are divided by in all rows of a column.
    fn inverses(&mut self, wide: Wide) -> R<()> {
        let b = self.b;
        self.inverses.clear();
        if self.plan.reciprocals == Share::None {
            return Ok(());
        }
        let ty = b.vector(&[self.plan.lanes], b.f32());
        for k in 0..self.region.roots.len() {
            let root = &self.region.roots[k];
            let divisor = op::defining_op(root.value).and_then(|(op, _)| divisor(op));
            let (Some(divisor), &ElementType::F32) = (divisor, &root.ty.element) else {
                continue;
            };
            let index = &self.analysis.index;
            let mut varies = false;
            for var in &self.plan.row_vars {
                varies |= self.varies(divisor, index, *var, 16)?;
            }
            if varies {
                continue;
            }
            let buffer = b.alloca(b.memref(&[wide.columns / self.plan.lanes], ty));
            self.nest(self.plan.lane.as_slice(), &mut |me| {
                me.each_copy(&mut |me| {
                    me.wide_results()?;
                    let divisor = me.eval(divisor, &me.shifted(index))?.one();
                    let divisor = me.spread(divisor, &[me.plan.lanes]);
                    let inverse = b.divf(b.cfloat(1.0, ty), divisor);
                    b.store(inverse, buffer, &[me.place()?]);
                    Ok(())
                })
            })?;
            self.inverses.insert(op::key(root.value), buffer);
        }
        Ok(())
    }

    /// The reductions of a group, which share their loops.
    fn wide_group(&mut self, wide: Wide, group: &[usize]) -> R<()> {
        let b = self.b;
        let analysis = self.analysis;
        let (Some(lane), Some((last, outer))) = (
            self.plan.lane,
            analysis.instances[group[0]].vars.split_last(),
        ) else {
            return Err(Declined::new("a reduction of nothing"));
        };
        let lanes = [self.plan.lanes];
        let places = wide.columns / self.plan.lanes;
        let mut jobs = Vec::new();
        for id in group {
            let combiner = Combiner::of(analysis.instances[*id].op, self)?;
            let starts = combiner.starts(self, &lanes, true)?;
            let starts = combiner.accumulators(self, starts, &lanes);
            let buffers: Vec<Val<'c>> = starts
                .iter()
                .map(|start| b.alloca(b.memref(&[places], start.r#type())))
                .collect();
            b.rolled_loop(b.cidx(0), b.cidx(places), b.cidx(1), |b, i| {
                for (start, buffer) in starts.iter().zip(&buffers) {
                    b.store(*start, *buffer, &[i]);
                }
            });
            jobs.push((*id, combiner, buffers));
        }
        let outer_sweep = std::mem::replace(&mut self.sweep, group[0] + 1);
        let accumulators = std::mem::replace(&mut self.accumulators, 1);
        let leaf = |me: &mut Self, rows: i64| -> R<()> {
            me.wide_results()?;
            let place = me.place()?;
            for (id, combiner, buffers) in &jobs {
                let instance = &me.analysis.instances[*id];
                me.sweep = *id + 1;
                let mut sums: Vec<Val<'c>> =
                    buffers.iter().map(|from| b.load(*from, &[place])).collect();
                for row in 0..rows {
                    me.copy = Some((*last, row));
                    let x = me.element_of(instance.op, *id, &instance.index, &lanes);
                    me.copy = None;
                    sums = combiner.grow(me, &sums, &x?, &lanes)?;
                }
                for (sum, buffer) in sums.iter().zip(buffers) {
                    b.store(*sum, *buffer, &[place]);
                }
            }
            me.sweep = group[0] + 1;
            Ok(())
        };
        let rows = match self.plan.row_vars.is_empty() {
            true => wide.rows,
            false => self.rows_at_a_time(group[0] + 1),
        };
        self.scopes.push(Scope::default());
        let result = self.nest(outer, &mut |me| {
            let n = Plan::size(analysis, *last);
            let whole = n / rows * rows;
            let all = me.ranges.vars[*last];
            let middle = match me.region.sizes.contain(n) {
                true => {
                    let count = b.op1("arith.divui", &[b.cidx(n), b.cidx(rows)], b.index(), &[]);
                    b.muli(count, b.cidx(rows))
                }
                false => b.cidx(whole),
            };
            let ends = [b.cidx(0), middle, b.cidx(n)];
            let mut result = Ok(());
            for (part, from, to, step) in [(0, 0, whole, rows), (1, whole, n, 1)] {
                if from < to && result.is_ok() {
                    me.ranges.vars[*last] = (from, to - 1);
                    let (lo, hi) = (ends[part], ends[part + 1]);
                    result = me.plain_loop(*last, lo, hi, step, Some((from, 1)), &mut |me| {
                        me.nest(&[lane], &mut |me| leaf(me, step))
                    });
                }
            }
            me.ranges.vars[*last] = all;
            result
        });
        self.scopes.pop();
        (self.sweep, self.accumulators) = (outer_sweep, accumulators);
        result?;
        for (id, combiner, buffers) in jobs {
            let buffers = self.finished(id, &combiner, buffers, places)?;
            self.of_columns.push(OfColumns { id, buffers });
        }
        Ok(())
    }

    /// The results of accumulators, if these are others.
    fn finished(
        &mut self,
        id: usize,
        combiner: &Combiner<'c>,
        buffers: Vec<Val<'c>>,
        places: i64,
    ) -> R<Vec<Val<'c>>> {
        let (b, op) = (self.b, self.analysis.instances[id].op);
        if buffers.len() == op.num_results() {
            return Ok(buffers);
        }
        let lanes = [self.plan.lanes];
        let mut found = Vec::new();
        for k in 0..op.num_results() {
            let element = mapwright_fusion::node::tensor(op.result(k))?.0.element;
            let ty = b.vector(&lanes, storage::value_type(b, &element)?);
            found.push(b.alloca(b.memref(&[places], ty)));
        }
        let mut result = Ok(());
        b.rolled_loop(b.cidx(0), b.cidx(places), b.cidx(1), |b, i| {
            let parts = buffers.iter().map(|from| b.load(*from, &[i])).collect();
            match combiner.finish(self, vec![parts], &lanes, true) {
                Ok(totals) => {
                    for (total, buffer) in totals.iter().zip(&found) {
                        b.store(*total, *buffer, &[i]);
                    }
                }
                Err(error) => result = Err(error),
            }
        });
        result.map(|()| found)
    }

    /// Rows that a sweep over whole columns goes along at a time: rows a page apart share few places of the level-one cache.
    pub(super) fn rows_at_a_time(&self, sweep: usize) -> i64 {
        match sweep > 0 && self.analysis.work[sweep] <= 6.0 {
            true => ROWS / 2,
            false => 1,
        }
    }

    /// Do the sweeps that store go along parts of rows, one after the other?
    pub(super) fn breaks(&self, wide: Wide) -> bool {
        let size = |lane| Plan::size(self.analysis, lane);
        !self.plan.row_vars.is_empty() && self.plan.lane.is_some_and(|l| wide.columns < size(l))
    }

    /// Number of the vector of columns at hand in the buffers.
    pub(super) fn place(&mut self) -> R<Val<'c>> {
        let b = self.b;
        let lane = self.plan.lane.unwrap_or_default();
        let (Some(at), Some(bound)) = (self.vals[lane], self.bounds[lane]) else {
            return Err(Declined::new("columns outside of their loop"));
        };
        let shift = self.copy.map_or(0, |(_, by)| by / self.plan.lanes);
        let at = b.subi(at, bound.lo);
        let at = b.shrui(at, b.cidx(i64::from(self.plan.lanes.ilog2())));
        Ok(b.addi(at, b.cidx(shift)))
    }

    /// Makes what has been reduced known for the columns at hand.
    fn wide_results(&mut self) -> R<()> {
        let place = self.place()?;
        for k in 0..self.of_columns.len() {
            let instance = &self.analysis.instances[self.of_columns[k].id];
            let index = self.shifted(&instance.index);
            for (number, buffer) in self.of_columns[k].buffers.iter().enumerate() {
                let value = Elem::One(self.b.load(*buffer, &[place]));
                let key = (op::key(instance.op.result(number)), index.clone());
                if let Some(scope) = self.scopes.last_mut() {
                    scope.values.insert(key, value);
                }
            }
        }
        Ok(())
    }
}
