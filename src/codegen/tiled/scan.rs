//! Prefix reductions: a value carried along a dimension of the root sweep.

use super::analysis::identity;
use super::emitter::{EmitResult, LoopEmitter};
use super::reduce::Combiner;
use crate::{Declined, Elem};
use mapwright_indexing::linear::Sum;
use mapwright_mlir::Op;
use mapwright_mlir::melior::ir::ValueLike;

impl<'c> LoopEmitter<'_, 'c> {
    /// Carried values start at the initial value, one for each scan and copy.
    pub(super) fn start_scans(&mut self) -> EmitResult<()> {
        let b = self.b;
        for scan in &self.analysis.scans {
            if !Combiner::from_op(scan.op, self)?.start_repeats(self) {
                return Err(Declined::new(
                    "a prefix that begins with a value which counts for all of the padding",
                ));
            }
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

    pub(super) fn scan(&mut self, op: Op<'c>, axis: usize, index: &[Sum]) -> EmitResult<Elem<'c>> {
        let b = self.b;
        let combiner = Combiner::from_op(op, self)?;
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
        // The last lane is what is carried on, also from a vector that ends where a piece of the
        // loop does.
        let mut sums = match self.lane.and_then(|lane| lane.mask) {
            Some(mask) => b.select(mask, x, identity),
            None => x,
        };
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
        // The carry is the last lane everywhere; the sum of the vector is known before the carry
        // is.
        let last = b.shuffle(sums, sums, &vec![n - 1; n as usize]);
        let next = combiner.combine(self, &[carry], &[last], &lanes)?[0];
        b.store(next, slot, &[]);
        Ok(Elem::One(total))
    }
}
