//! Short rows, a few at a time: each sweep goes over all of them before the next one begins.
//!
//! A sweep needs what the one before it made of the whole row, and that is there only when the last
//! of a chain of dependent operations is done: the lanes put together, the result in all lanes
//! again, a reciprocal. In a short row that takes as long as half of the sweep does. Sweeps of
//! other rows have no need to wait for it.

use super::analysis::Analysis;
use super::emitter::{EmitResult, LoopEmitter, Reduced};
use super::plan::{Plan, Rows};
use super::reductions::groups;
use super::region::Region;
use crate::{Declined, Elem, Options, storage};
use mapwright_indexing::linear::VarId;
use mapwright_mlir::{Val, op};

/// Rows of so many elements are short.
const SHORT: i64 = 512;
/// Rows at a time, at most.
const MOST: i64 = 8;

/// The variable that counts rows which may be swept several at a time.
///
/// # Errors
/// Why there is none, as said of the step.
pub(super) fn legal(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
    plan: &Plan,
) -> Result<VarId, &'static str> {
    let (Some(lane), Some(var)) = (plan.lane, plan.parallel.last().copied()) else {
        return Err("needs rows that lanes run along");
    };
    let simple = plan.row_vars.contains(&lane)
        && !plan.columns
        && plan.cuts.is_empty()
        && analysis.conditions.is_empty()
        && plan.inner.is_none()
        && plan.unrolled.is_empty()
        && analysis.scans.is_empty()
        && !region.complex;
    if simple && !analysis.instances.is_empty() {
        Ok(var)
    } else {
        Err("needs reductions along the lanes, of real numbers and without pieces")
    }
}

/// Makes the plan one of `count` rows at a time; `var`: what counts them.
pub(super) fn set(analysis: &Analysis<'_>, plan: &mut Plan, var: VarId, count: i64) {
    let number = analysis.ranges.vars.len();
    for (of, tile) in &mut plan.grid {
        if *of == var {
            *tile = count;
        }
    }
    #[expect(
        clippy::iter_over_hash_type,
        reason = "each is changed by itself, in the same way"
    )]
    for kept in plan.scratch_values.values_mut() {
        kept.vars.insert(0, number);
    }
    plan.rows = Some(Rows { var, number, count });
}

/// Makes the plan one of several rows at a time, if they are short.
pub(super) fn group(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
    plan: &mut Plan,
    options: &Options,
) {
    let Ok(var) = legal(region, analysis, plan) else {
        return;
    };
    let size = |var: VarId| Plan::length(analysis, var);
    let elements: i64 = plan.row_vars.iter().map(|var| size(*var)).product();
    if elements > SHORT {
        return;
    }
    // Half of the level-one cache for what is kept of all of them.
    let bytes = elements * region.widest * plan.scratch_values.len().max(1) as i64;
    let mut count = MOST;
    while count > 1 && (count * bytes > options.l1_bytes as i64 / 2 || count > size(var)) {
        count /= 2;
    }
    if count > 1 {
        set(analysis, plan, var, count);
    }
}

impl<'c> LoopEmitter<'_, 'c> {
    /// The sweeps over the rows of a tile, one after another; `order`: the variables of the rows.
    pub(super) fn rows(&mut self, rows: Rows, order: &[VarId]) -> EmitResult<()> {
        self.reduced.clear();
        for group in groups(self.analysis, self.plan) {
            let mut found = Vec::new();
            for id in &group {
                found.push(self.row_buffers(rows, *id)?);
            }
            self.nest(order, &mut |me| {
                me.known_results(rows)?;
                me.group(&group)?;
                for of in &found {
                    me.keep_results(rows, of)?;
                }
                Ok(())
            })?;
            self.reduced.extend(found);
        }
        self.nest(order, &mut |me| {
            me.known_results(rows)?;
            me.stores()
        })
    }

    /// Room for the results of an instance in each of the rows.
    fn row_buffers(&self, rows: Rows, id: usize) -> EmitResult<Reduced<'c>> {
        let (b, op) = (self.b, self.analysis.instances[id].op);
        let mut buffers = Vec::new();
        for k in 0..op.num_results() {
            let element = mapwright_fusion::node::tensor(op.result(k))?.0.element;
            let ty = storage::storage_type(b, &element)?;
            buffers.push(b.alloca(b.memref(&[rows.count], ty)));
        }
        Ok(Reduced { id, buffers })
    }

    /// The row at hand among those of the tile, which begin at multiples of their number.
    fn row_number(&self, rows: Rows) -> EmitResult<Val<'c>> {
        match self.vals[rows.number] {
            Some(number) => Ok(number),
            None => Err(Declined::new("a row outside of its loop")),
        }
    }

    /// Keeps the results of an instance for the sweeps that follow.
    fn keep_results(&mut self, rows: Rows, of: &Reduced<'c>) -> EmitResult<()> {
        let instance = &self.analysis.instances[of.id];
        let at = self.row_number(rows)?;
        for (k, buffer) in of.buffers.iter().enumerate() {
            let result = instance.op.result(k);
            let element = mapwright_fusion::node::tensor(result)?.0.element;
            let key = (op::key(result), instance.index.clone());
            let Some(value) = self.known(&key) else {
                return Err(Declined::new("a reduction without a result"));
            };
            let stored = storage::to_storage(self.b, &element, value)?;
            self.b.store(stored, *buffer, &[at]);
        }
        Ok(())
    }

    /// Makes the number of the row at hand known, and in it the results of the reductions that are
    /// done.
    fn known_results(&mut self, rows: Rows) -> EmitResult<()> {
        let last = self.b.cidx(rows.count - 1);
        self.vals[rows.number] = self.vals[rows.var].map(|at| self.b.andi(at, last));
        let at = self.row_number(rows)?;
        for k in 0..self.reduced.len() {
            let instance = &self.analysis.instances[self.reduced[k].id];
            for number in 0..self.reduced[k].buffers.len() {
                let result = instance.op.result(number);
                let element = mapwright_fusion::node::tensor(result)?.0.element;
                let loaded = self.b.load(self.reduced[k].buffers[number], &[at]);
                let value: Elem<'c> = storage::from_storage(self.b, &element, loaded)?;
                let key = (op::key(result), instance.index.clone());
                self.remember([(key, value)]);
            }
        }
        Ok(())
    }
}
