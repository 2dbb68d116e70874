//! Reductions of many columns in the order of memory: a few rows at a time along all columns of a tile, whose accumulators are in a buffer that
//! stays in the level-one cache.
//!
//! A column region that keeps its accumulators in registers walks down all rows for a few columns: short pieces a page or more apart, which no
//! prefetcher follows. Each column is reduced in the same order here as there.

use super::analysis::Analysis;
use super::generate::{Gen, R, Scope};
use super::plan::{Plan, Wide};
use super::reduce::Combiner;
use super::region::Region;
use crate::contract::across;
use crate::{Declined, Elem, Options};
use mapwright_fusion::lin::{Lin, VarId};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Val, op};

/// Rows that are combined at a time: so many streams are read side by side, and so often fewer are the accumulators loaded and stored.
const ROWS: i64 = 8;
/// Bytes that a tile reads from which on the order matters: below, they are in the level-one cache.
const LEAST: i64 = 64 << 10;

/// A reduction that is done for all columns of the tile.
pub(crate) struct Done<'c> {
    /// The instance.
    id: usize,
    /// For each result, a vector for each vector of columns.
    buffers: Vec<Val<'c>>,
}

/// Makes the plan one of many columns at once, where that pays.
pub(crate) fn widen(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
    plan: &mut Plan,
    options: &Options,
) {
    let (Some(lane), true) = (plan.lane, plan.columns) else {
        return;
    };
    let simple = plan.kept.is_empty() && plan.row_vars.is_empty() && plan.cuts.is_empty();
    if !simple || region.complex || !analysis.scans.is_empty() || analysis.windows {
        return;
    }
    let size = |var: VarId| Plan::size(analysis, var);
    let (n, narrow) = (size(lane), plan.lanes * plan.unroll);
    let mut accumulators = 0;
    let mut work: f64 = 0.0;
    let mut far = false;
    for (i, instance) in analysis.instances.iter().enumerate() {
        let on_lane = |x: &Lin| analysis.runtime.depends_on(x, lane);
        if !instance.index.iter().any(on_lane) {
            continue;
        }
        let Some(last) = instance.vars.last() else {
            return;
        };
        accumulators += instance.op.num_results() as i64;
        work = work.max(analysis.work[i + 1]);
        let rows: i64 = instance.vars.iter().map(|v| size(*v)).product();
        for access in analysis.accesses.iter().filter(|a| a.sweep == i + 1) {
            if !on_lane(&access.offset) {
                continue;
            }
            // Anything but plain rows of neighbouring columns has no better order.
            match (
                access.offset.coefficient(lane),
                access.offset.coefficient(*last),
            ) {
                (Some(1), Some(pitch)) => {
                    let bytes = n.saturating_mul(rows).saturating_mul(region.widest);
                    far |= pitch > narrow && size(*last) >= 2 * ROWS && bytes > LEAST;
                }
                _ => return,
            }
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

impl<'c> Gen<'_, 'c> {
    /// The reductions of all columns of a tile, then the sweep that stores.
    pub(super) fn wide_rows(&mut self, wide: Wide) -> R<()> {
        self.wide.clear();
        for group in self.groups() {
            match self.on_lane(group[0]) {
                true => self.wide_group(wide, &group)?,
                false => self.group(&group)?,
            }
        }
        self.sweep = 0;
        let lane = self.plan.lane;
        self.nest(lane.as_slice(), &mut |me| {
            me.each_copy(&mut |me| me.wide_results())?;
            me.stores()
        })
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
            let buffers: Vec<Val<'c>> = starts
                .iter()
                .map(|start| b.alloca(b.memref(&[places], start.r#type())))
                .collect();
            b.for_loop(b.cidx(0), b.cidx(places), b.cidx(1), &[], |b, i, _| {
                for (start, buffer) in starts.iter().zip(&buffers) {
                    b.store(*start, *buffer, &[i]);
                }
                Vec::new()
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
                    sums = combiner.combine(me, &sums, &x?, &lanes)?;
                }
                for (sum, buffer) in sums.iter().zip(buffers) {
                    b.store(*sum, *buffer, &[place]);
                }
            }
            me.sweep = group[0] + 1;
            Ok(())
        };
        self.scopes.push(Scope::default());
        let result = self.nest(outer, &mut |me| {
            let n = Plan::size(analysis, *last);
            let whole = n / wide.rows * wide.rows;
            let all = me.ranges.vars[*last];
            let mut result = Ok(());
            for (from, to, step) in [(0, whole, wide.rows), (whole, n, 1)] {
                if from < to && result.is_ok() {
                    me.ranges.vars[*last] = (from, to - 1);
                    let (lo, hi) = (b.cidx(from), b.cidx(to));
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
        let done = jobs
            .into_iter()
            .map(|(id, _, buffers)| Done { id, buffers });
        self.wide.extend(done);
        Ok(())
    }

    /// Number of the vector of columns at hand in the buffers.
    fn place(&mut self) -> R<Val<'c>> {
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
        for k in 0..self.wide.len() {
            let instance = &self.analysis.instances[self.wide[k].id];
            let index = self.shifted(&instance.index);
            for (number, buffer) in self.wide[k].buffers.iter().enumerate() {
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
