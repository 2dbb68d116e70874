//! Reading across the lanes: blocks of as many rows as there are lanes, transposed.
//!
//! The rows of a block stay in registers where little is computed from them. Where much is, there
//! would be no room for anything else: they are stored, and computed with a few at a time.

use super::emitter::{EmitResult, Lane, LoopEmitter, NextBlock, Scope, StoredBlocks};
use crate::{Declined, vectors::transpose};
use mapwright_indexing::Extent;
use mapwright_indexing::linear::Sum;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{CmpI, Val};

/// Bytes of a register without AVX-512.
const REGISTER: i64 = 32;

impl<'c> LoopEmitter<'_, 'c> {
    /// Tells whether the next block of an input is prefetched.
    fn asks_for_next(&self, input: usize) -> bool {
        self.plan.prefetches_input(input) > 0 && self.region.inputs[input].base.is_none()
    }

    /// One row of a block whose columns are the lanes: the block is loaded along its rows' variable
    /// and transposed once.
    pub(super) fn transposed_row(
        &mut self,
        input: usize,
        buffer: Val<'c>,
        offset: &Sum,
        lane: Lane<'c>,
    ) -> EmitResult<Option<Val<'c>>> {
        let (Some((across, row)), Some(planned)) = (self.copy, self.plan.transpose) else {
            return Ok(None);
        };
        if across != planned
            || lane.var == planned
            || offset.coefficient(across) != Some(Extent::ONE)
        {
            return Ok(None);
        }
        let first = offset.offset(-row);
        let key = (input, first.clone());
        if let Some(stored) = &self.stored {
            let Some((_, block)) = stored.blocks.iter().find(|(known, _)| *known == key) else {
                return Ok(None);
            };
            let (b, block, start) = (self.b, *block, stored.start);
            let at = self.vals[across].unwrap_or(start);
            let at = b.addi(b.subi(at, start), b.cidx(row));
            let at = b.muli(at, b.cidx(self.plan.lanes));
            let ty = b.vector(&[self.plan.lanes], b.element_of(block.r#type()));
            return Ok(Some(b.vload(block, &[at], ty)));
        }
        let known = self.scopes.iter().rev().find_map(|s| s.blocks.get(&key));
        if let Some(rows) = known {
            return Ok(Some(rows[row as usize]));
        }
        let rows = self.transposed_block(input, buffer, &first, lane)?;
        let value = rows[row as usize];
        if let Some(scope) = self.scopes.last_mut() {
            scope.blocks.insert(key, rows);
        }
        Ok(Some(value))
    }

    /// The rows of the block that begins at an offset.
    fn transposed_block(
        &mut self,
        input: usize,
        buffer: Val<'c>,
        first: &Sum,
        lane: Lane<'c>,
    ) -> EmitResult<Vec<Val<'c>>> {
        let (b, n) = (self.b, self.plan.side());
        let ty = b.vector(&[n], b.element_of(buffer.r#type()));
        let mut rows = Vec::new();
        for i in 0..n {
            let next = first.with_var(lane.var, &Sum::var(lane.var).offset(i), &self.ranges);
            let at = self.index_value(&next)?;
            rows.push(b.vload(buffer, &[at], ty));
        }
        if self.asks_for_next(input) {
            // The block that the loop of the lanes comes to next.
            let last = b.cidx(self.region.inputs[input].elements() - 1);
            for i in n..2 * n {
                let next = first.with_var(lane.var, &Sum::var(lane.var).offset(i), &self.ranges);
                let at = self.index_value(&next)?;
                b.prefetch(buffer, &[b.minsi(at, last)], false);
            }
        }
        Ok(transpose(b, rows))
    }

    /// Memory with the columns of the block that begins at an offset of an input as rows: a
    /// register's worth of rows and columns at a time, so that none of them waits in memory for its
    /// turn, and no load waits for two stores of halves of it.
    fn stored_block(&mut self, input: usize, first: &Sum, lane: Lane<'c>) -> EmitResult<Val<'c>> {
        let (b, lanes, side) = (self.b, self.plan.lanes, self.plan.side());
        let (buffer, ty) = self.input(input);
        let bytes = ty.byte_width().map_or(self.region.widest, |n| n as i64);
        let element = b.element_of(buffer.r#type());
        let n = if b.scales_lanes() {
            side
        } else {
            side.min(REGISTER / bytes)
        };
        let Some(pitch) = first.coefficient(lane.var) else {
            return Err(Declined::new("rows at distances that differ"));
        };
        let place = b.alloca(b.memref(&[side * lanes], element));
        let ty = b.vector(&[n], element);
        let start = self.index_value(first)?;
        b.for_loop(b.cidx(0), b.cidx(lanes), b.cidx(n), &[], |b, row, _| {
            let start = b.addi(start, b.muli(row, b.cidx(pitch)));
            for column in (0..side).step_by(n as usize) {
                let rows = (0..n)
                    .map(|i| b.vload(buffer, &[b.addi(start, b.cidx(pitch * i + column))], ty))
                    .collect();
                for (i, value) in transpose(b, rows).into_iter().enumerate() {
                    let at = b.addi(row, b.cidx((column + i as i64) * lanes));
                    b.vstore(value, place, &[at]);
                }
            }
            Vec::new()
        });
        Ok(place)
    }

    /// Transposes the blocks of all operands that begin at the row `start`, of those from `lo` to
    /// `hi`, into memory.
    pub(super) fn store_blocks(
        &mut self,
        start: Val<'c>,
        (lo, hi): (Val<'c>, Val<'c>),
    ) -> EmitResult<StoredBlocks<'c>> {
        let analysis = self.analysis;
        let (Some(lane), Some(across)) = (self.lane, self.plan.transpose) else {
            return Err(Declined::new("blocks outside of their loops"));
        };
        let mut stored = StoredBlocks {
            start,
            blocks: Vec::new(),
            next: Vec::new(),
        };
        // What is worked out here holds for the first row alone.
        self.scopes.push(Scope::default());
        let mut result = Ok(());
        for access in &analysis.accesses {
            let key = (access.input, access.offset.clone());
            let strided = access.offset.coefficient(lane.var);
            let wanted = strided.is_some_and(|k| k.when_large().abs() > 1)
                && access.offset.coefficient(across) == Some(Extent::ONE)
                && !stored.blocks.iter().any(|(known, _)| *known == key);
            if !wanted {
                continue;
            }
            match self.stored_block(access.input, &access.offset, lane) {
                Ok(place) => stored.blocks.push((key, place)),
                Err(why) => result = Err(why),
            }
            if self.asks_for_next(access.input) {
                match self.next_block(access.input, &access.offset, lane, (start, lo, hi)) {
                    Ok(next) => stored.next.push(next),
                    Err(why) => result = Err(why),
                }
            }
        }
        self.scopes.pop();
        result.map(|()| stored)
    }

    /// The block behind the one of rows from `start` on: the next rows of those before `hi`, else
    /// those from `lo` on in the next lanes.
    fn next_block(
        &mut self,
        input: usize,
        first: &Sum,
        lane: Lane<'c>,
        (start, lo, hi): (Val<'c>, Val<'c>, Val<'c>),
    ) -> EmitResult<NextBlock<'c>> {
        let (b, side) = (self.b, self.plan.side());
        let pitch = first.coefficient(lane.var).unwrap_or_default();
        let (buffer, _) = self.input(input);
        let here = self.index_value(first)?;
        let lanes = b.cidx(pitch * self.plan.lanes);
        let more = b.cmpi(CmpI::Slt, b.addi(start, b.cidx(side)), hi);
        let step = b.select(more, b.cidx(side), b.subi(lanes, b.subi(start, lo)));
        Ok(NextBlock {
            buffer,
            start: b.addi(here, step),
            pitch,
            last: b.cidx(self.region.inputs[input].elements() - 1),
        })
    }

    /// Asks for a part of the next blocks, while the `rows` of this one from `row` on are computed
    /// with: a few lines at a time, since rows at distances of powers of two drive each other out
    /// of the caches, and memory is busy all the time then.
    pub(super) fn ask_for_next_blocks(&mut self, row: Val<'c>, rows: i64) {
        let (b, plan) = (self.b, self.plan);
        let Some(stored) = &self.stored else {
            return;
        };
        let part = (plan.lanes * rows).div_euclid(plan.side()).max(1);
        for next in &stored.next {
            let done = b.muli(b.subi(row, stored.start), b.cidx(part / rows.max(1)));
            for i in 0..part {
                let line = b.muli(b.addi(done, b.cidx(i)), b.cidx(next.pitch));
                let at = b.minsi(b.addi(next.start, line), next.last);
                b.prefetch(next.buffer, &[at], false);
            }
        }
    }
}
