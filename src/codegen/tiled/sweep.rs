//! Sweeps: those of reductions, and the one that stores.

use super::emitter::{EmitResult, LoopEmitter, Scope};
use super::reduce::Combiner;
use super::reductions::{groups, on_lane};
use crate::{Declined, Elem};
use mapwright_indexing::linear::Sum;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Op, Val, op};

impl<'c> LoopEmitter<'_, 'c> {
    /// All reductions of a row, level by level; those over the same loops share them.
    pub(super) fn instances(&mut self) -> EmitResult<()> {
        for group in groups(self.analysis, self.plan) {
            let mut asked_for = Vec::new();
            for id in group {
                if self.has_result(id)? {
                    asked_for.push(id);
                }
            }
            if !asked_for.is_empty() {
                self.group(&asked_for)?;
            }
        }
        Ok(())
    }

    /// Tells whether the instance has a result in the part of the loops that is being emitted. It
    /// has none outside of the piece of a concatenation or a padding that it is, and its operands
    /// have no elements there that could be read. Loops are cut where such a piece ends, so that a
    /// part that reaches beyond a known size belongs to another one.
    fn has_result(&self, instance: usize) -> EmitResult<bool> {
        let instance = &self.analysis.instances[instance];
        let shape = mapwright_fusion::node::tensor(instance.op.result(0))?.1;
        let mut sizes = instance.index.iter().zip(&shape);
        Ok(sizes.all(|(x, size)| {
            let (first, last) = x.range(&self.ranges);
            let ends = [first, last, *size].map(|end| end.as_constant());
            match ends {
                [Some(first), Some(last), Some(size)] => first >= 0 && last < size,
                _ => last >= 0 && first < *size,
            }
        }))
    }

    pub(super) fn group(&mut self, group: &[usize]) -> EmitResult<()> {
        let b = self.b;
        let first = &self.analysis.instances[group[0]];
        let on_lane = on_lane(self.analysis, self.plan, group[0]);
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
            self.plan.combined(group[0])
        };
        let mut combiners = Vec::new();
        let mut slots: Vec<Vec<Vec<Val<'c>>>> = Vec::new();
        for (id, _, _) in &jobs {
            let combiner = Combiner::from_op(self.analysis.instances[*id].op, self)?;
            if !on_lane && !vars.is_empty() && !combiner.splits() {
                return Err(Declined::new(
                    "a reduction that is not known to be commutative, along the vector dimension",
                ));
            }
            let starts = combiner.starts(self, &lanes, on_lane || vars.is_empty())?;
            let starts = combiner.accumulators(self, starts, &lanes);
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
        self.accumulators = accumulators;
        let outer_sweep = std::mem::replace(&mut self.sweep, group[0] + 1);
        let mut leaf = |me: &mut Self| -> EmitResult<()> {
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
                    me.copy = None;
                    let mut x = result?;
                    let combiner = &combiners[j];
                    let mask = me.lane.and_then(|lane| lane.mask.filter(|_| !on_lane));
                    // The lanes that are left out get the identity: for a choice between the
                    // accumulators the next element would have to wait.
                    let identity = mask.and_then(|_| combiner.identity(me, x[0].r#type()));
                    if let (Some(mask), Some(identity)) = (mask, identity) {
                        x[0] = b.select(mask, x[0], identity);
                    }
                    let slot = &slots[j][k.min(accumulators as usize - 1)];
                    let old: Vec<Val<'c>> = slot.iter().map(|s| b.load(*s, &[])).collect();
                    let new = combiner.grow(me, &old, &x, &lanes)?;
                    for ((slot, old), new) in slot.iter().zip(&old).zip(&new) {
                        let kept = match (mask, identity) {
                            (Some(mask), None) => b.select(mask, *new, *old),
                            _ => *new,
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
            self.remember((total.into_iter().enumerate()).map(|(k, value)| {
                let key = (op::key(op.result(k)), index.clone());
                (key, Elem::One(value))
            }));
        }
        Ok(())
    }

    /// The operands of a reduction at the current point of its loops.
    pub(super) fn element_of(
        &mut self,
        op: Op<'c>,
        id: usize,
        index: &[Sum],
        lanes: &[i64],
    ) -> EmitResult<Vec<Val<'c>>> {
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

    /// The sweep that stores.
    pub(super) fn stores(&mut self) -> EmitResult<()> {
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
    pub(super) fn store_roots(&mut self) -> EmitResult<()> {
        let index = self.shifted(&self.analysis.index.clone());
        let roots = self.region.roots.len();
        let mine: Vec<usize> = (0..roots)
            .filter(|k| !self.analysis.secondary.contains_key(k))
            .collect();
        // All values first: a result may have the memory of an input that another result is made
        // of.
        for k in &mine {
            let value = self.region.roots[*k].value;
            self.eval(value, &index)?;
        }
        for k in &mine {
            self.store(*k, &index)?;
        }
        Ok(())
    }
}
