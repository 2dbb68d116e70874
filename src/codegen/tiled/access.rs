//! Reading an input at an offset, one element or a vector of lanes.
//!
//! How the offset changes from lane to lane decides: not at all (one scalar), by one (a vector
//! load), backwards (a load and a shuffle), in runs (a few loads put together), across the rows of
//! a block (loads along the other variable and a transpose in registers), by any other constant
//! pattern (a gather with constant lane offsets), or in a way that is computed.

use super::emitter::{EmitResult, Lane, LoopEmitter};
use super::prefetch;
use crate::vectors::{pattern, zero};
use mapwright_indexing::linear::Sum;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Ty, Val};

/// Runs of at least this many elements are loaded as vectors and put together.
const SHORTEST_RUN: i64 = 4;

/// Elements for each lane that may be loaded at most to pick one from them: columns of a table of
/// four, and such.
const NEAR: i64 = 4;

impl<'c> LoopEmitter<'_, 'c> {
    /// Loads the stored elements at `offset` of the buffer of an input: a scalar where it is the
    /// same for all lanes, else a vector.
    pub(super) fn load_stored(
        &mut self,
        input: usize,
        buffer: Val<'c>,
        offset: &Sum,
    ) -> EmitResult<Val<'c>> {
        let lane = self
            .lane
            .filter(|lane| self.runtime.depends_on(offset, lane.var));
        match lane {
            None => {
                let at = self.index_value(offset)?;
                Ok(self.b.load(buffer, &[at]))
            }
            Some(lane) => self.load_lanes(input, buffer, offset, lane),
        }
    }

    fn load_lanes(
        &mut self,
        input: usize,
        buffer: Val<'c>,
        offset: &Sum,
        lane: Lane<'c>,
    ) -> EmitResult<Val<'c>> {
        let (b, n) = (self.b, self.plan.lanes);
        let element = b.element_of(buffer.r#type());
        let ty = b.vector(&[n], element);
        let Some(deltas) = self.deltas(offset, lane.var) else {
            return self.gather_computed(buffer, offset, lane, ty);
        };
        let at = self.index_value(offset)?;
        if deltas.iter().enumerate().all(|(i, d)| *d == i as i64) {
            let port = &self.region.inputs[input];
            let bytes = port.ty.element.byte_width().unwrap_or(0) as i64;
            if port.base.is_none() {
                let size = (port.elements(), bytes);
                let ahead = self.plan.prefetches_input(input);
                self.ask_ahead(buffer, (offset, ahead), size, prefetch::Access::Read)?;
            }
            return Ok(match lane.mask {
                None => b.vload(buffer, &[at], ty),
                Some(mask) => b.masked_load(buffer, &[at], mask, zero(b, ty)),
            });
        }
        if deltas.iter().all(|d| *d == 0) {
            let scalar = b.load(buffer, &[at]);
            return Ok(b.broadcast(scalar, ty));
        }
        if let Some(value) = self.every_other(input, buffer, offset, lane)? {
            return Ok(value);
        }
        if lane.mask.is_none() {
            if let Some(value) = self.transposed_row(input, buffer, offset, lane)? {
                return Ok(value);
            }
            if let Some(run) = run_length(&deltas) {
                return Ok(self.load_runs(buffer, at, &deltas, run, element));
            }
            if let Some(value) = self.load_near(buffer, at, &deltas, element) {
                return Ok(value);
            }
        }
        if let Some(k) = offset.coefficient(lane.var).filter(|k| k.is_run_time()) {
            let indices = b.vector(&[n], b.i64());
            let step = b.index_cast(b.cidx(k), b.i64());
            let counted = pattern(b, &(0..n).collect::<Vec<_>>(), b.i64());
            let indices = b.muli(b.broadcast(step, indices), counted);
            return Ok(self.gather_op(buffer, at, indices, lane, ty));
        }
        Ok(self.gather(
            buffer,
            at,
            pattern(b, &deltas, b.int(32)),
            &deltas,
            lane,
            ty,
        ))
    }

    /// A few contiguous loads, put together and put in order.
    fn load_runs(
        &self,
        buffer: Val<'c>,
        at: Val<'c>,
        deltas: &[i64],
        run: i64,
        element: Ty<'c>,
    ) -> Val<'c> {
        let b = self.b;
        let ty = b.vector(&[run], element);
        // Where each lane is in the concatenation of the runs, which are loaded from their lowest
        // element on.
        let mut parts = Vec::new();
        let mut lanes = Vec::new();
        for chunk in deltas.chunks(run as usize) {
            let low = chunk.iter().copied().min().unwrap_or(0);
            let from = b.addi(at, b.cidx(low));
            let base = parts.len() as i64 * run;
            lanes.extend(chunk.iter().map(|d| base + d - low));
            parts.push(b.vload(buffer, &[from], ty));
        }
        while parts.len() > 1 {
            parts = parts
                .chunks(2)
                .map(|pair| match pair {
                    [a, c] => {
                        let width = b.shape_of(a.r#type())[0];
                        let all: Vec<i64> = (0..2 * width).collect();
                        b.shuffle(*a, *c, &all)
                    }
                    other => other[0],
                })
                .collect();
        }
        if lanes.iter().enumerate().all(|(i, l)| i as i64 == *l) {
            parts[0]
        } else {
            b.shuffle(parts[0], parts[0], &lanes)
        }
    }

    /// Lanes from a short stretch of memory, put in order: one load, or two that overlap (of
    /// several registers each). Both ends of the stretch are read by some lane, so that nothing
    /// outside of the tensor is.
    fn load_near(
        &self,
        buffer: Val<'c>,
        at: Val<'c>,
        deltas: &[i64],
        element: Ty<'c>,
    ) -> Option<Val<'c>> {
        let b = self.b;
        let low = deltas.iter().copied().min()?;
        let span = deltas.iter().copied().max()? - low + 1;
        if span > NEAR * self.plan.lanes {
            return None;
        }
        let from = |offset: i64| b.addi(at, b.cidx(low + offset));
        // The largest power of two in the stretch: two of them cover it.
        let size = 1i64 << (63 - span.leading_zeros());
        let ty = b.vector(&[size], element);
        let first = b.vload(buffer, &[from(0)], ty);
        let rest = span - size;
        let second = match rest {
            0 => first,
            _ => b.vload(buffer, &[from(rest)], ty),
        };
        let lanes: Vec<i64> = deltas
            .iter()
            .map(|d| d - low)
            .map(|d| if d < size { d } else { size + d - rest })
            .collect();
        Some(b.shuffle(first, second, &lanes))
    }

    fn gather(
        &self,
        buffer: Val<'c>,
        at: Val<'c>,
        indices: Val<'c>,
        deltas: &[i64],
        lane: Lane<'c>,
        ty: Ty<'c>,
    ) -> Val<'c> {
        let b = self.b;
        let wide = deltas.iter().any(|d| i32::try_from(*d).is_err());
        let indices = if wide {
            pattern(b, deltas, b.i64())
        } else {
            indices
        };
        self.gather_op(buffer, at, indices, lane, ty)
    }

    fn gather_op(
        &self,
        buffer: Val<'c>,
        at: Val<'c>,
        indices: Val<'c>,
        lane: Lane<'c>,
        ty: Ty<'c>,
    ) -> Val<'c> {
        let b = self.b;
        let mask_ty = b.vector(&[self.plan.lanes], b.i1());
        let mask = lane.mask.unwrap_or_else(|| b.cint(1, mask_ty));
        b.op1(
            "vector.gather",
            &[buffer, at, indices, mask, zero(b, ty)],
            ty,
            &[],
        )
    }

    /// A gather whose lane offsets are computed.
    fn gather_computed(
        &mut self,
        buffer: Val<'c>,
        offset: &Sum,
        lane: Lane<'c>,
        ty: Ty<'c>,
    ) -> EmitResult<Val<'c>> {
        let b = self.b;
        let (lo, hi) = offset.range(&self.ranges);
        let (lo, hi) = (lo.as_constant(), hi.as_constant());
        let small = lo.is_some_and(|lo| lo > -(1 << 30)) && hi.is_some_and(|hi| hi < 1 << 30);
        let element = if small { b.int(32) } else { b.i64() };
        let indices = self.lane_numbers(offset, lane.var, element)?;
        Ok(self.gather_op(buffer, b.cidx(0), indices, lane, ty))
    }
}

/// Length of the runs of neighbouring elements (ascending or descending), a power of two that
/// divides the number of lanes.
fn run_length(deltas: &[i64]) -> Option<i64> {
    let n = deltas.len() as i64;
    let mut run = n;
    while run >= SHORTEST_RUN {
        let fits = deltas.chunks(run as usize).all(|chunk| {
            chunk.windows(2).all(|d| d[1] - d[0] == 1) || chunk.windows(2).all(|d| d[0] - d[1] == 1)
        });
        if fits {
            return Some(run);
        }
        run /= 2;
    }
    None
}
