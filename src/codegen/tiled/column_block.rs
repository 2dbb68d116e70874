//! Reductions of many columns in the order of memory: a few rows at a time along all columns of a
//! tile, whose accumulators are in a buffer that stays in the level-one cache.
//!
//! A column region that keeps its accumulators in registers walks down all rows for a few columns:
//! short pieces a page or more apart, which no prefetcher follows. Each column is reduced in the
//! same order here as there.

use super::emitter::{EmitResult, LoopEmitter, Reduced, Scope};
use super::plan::{Plan, Share};
use super::reduce::Combiner;
use super::reductions::{groups, on_lane};
use crate::{Declined, Elem, storage};
use mapwright_indexing::Extent;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{ElementType, Val, op};
use mapwright_ops::elementwise::divisor;

impl<'c> LoopEmitter<'_, 'c> {
    /// The reductions of all columns of a tile, then the sweep that stores.
    pub(super) fn wide_rows(&mut self, columns: i64) -> EmitResult<()> {
        self.reduced.clear();
        for group in groups(self.analysis, self.plan) {
            if on_lane(self.analysis, self.plan, group[0]) {
                self.wide_group(columns, &group)?
            } else {
                self.group(&group)?
            }
        }
        self.sweep = 0;
        let lane = self.plan.lane;
        if !self.plan.row_vars.is_empty() {
            self.inverses(columns)?;
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
    fn inverses(&mut self, columns: i64) -> EmitResult<()> {
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
                varies |= self.varies(divisor, index, *var)?;
            }
            if varies {
                continue;
            }
            let buffer = b.alloca(b.memref(&[columns / self.plan.lanes], ty));
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
    fn wide_group(&mut self, columns: i64, group: &[usize]) -> EmitResult<()> {
        let b = self.b;
        let analysis = self.analysis;
        let (Some(lane), Some((last, outer))) = (
            self.plan.lane,
            analysis.instances[group[0]].vars.split_last(),
        ) else {
            return Err(Declined::new("a reduction of nothing"));
        };
        let lanes = [self.plan.lanes];
        let places = columns / self.plan.lanes;
        let mut jobs = Vec::new();
        for id in group {
            let combiner = Combiner::from_op(analysis.instances[*id].op, self)?;
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
        let leaf = |me: &mut Self, rows: i64| -> EmitResult<()> {
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
        let rows = self.plan.combined(group[0]);
        self.scopes.push(Scope::default());
        let result = self.nest(outer, &mut |me| {
            let n = Plan::size(analysis, *last);
            let whole = n.floor_div(rows.into()) * rows;
            let all = me.ranges.vars[*last];
            let ends = [Extent::ZERO, whole, n].map(|end| b.cidx(end));
            let mut result = Ok(());
            for (part, from, to, step) in [(0, Extent::ZERO, whole, rows), (1, whole, n, 1)] {
                if from != to && result.is_ok() {
                    me.ranges.vars[*last] = (from, to - 1);
                    let (lo, hi) = (ends[part], ends[part + 1]);
                    let start = from.as_constant().map(|from| (from, 1));
                    result = me.plain_loop(*last, lo, hi, step, start, &mut |me| {
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
            self.reduced.push(Reduced { id, buffers });
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
    ) -> EmitResult<Vec<Val<'c>>> {
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

    /// Makes what has been reduced known for the columns at hand.
    fn wide_results(&mut self) -> EmitResult<()> {
        let place = self.place()?;
        for k in 0..self.reduced.len() {
            let instance = &self.analysis.instances[self.reduced[k].id];
            let index = self.shifted(&instance.index);
            for number in 0..self.reduced[k].buffers.len() {
                let value = self.b.load(self.reduced[k].buffers[number], &[place]);
                let key = (op::key(instance.op.result(number)), index.clone());
                self.remember([(key, Elem::One(value))]);
            }
        }
        Ok(())
    }
}
