//! The front of a long row that is streamed: what comes before the first multiple of the vector
//! length.

use super::emitter::{EmitResult, Lane, LoopEmitter};
use super::plan::LINE;
use mapwright_indexing::linear::VarId;
use mapwright_mlir::{CmpI, Val};

impl<'c> LoopEmitter<'_, 'c> {
    /// Tells whether the front of a piece of the root sweep is peeled. It starts between two
    /// vectors, and is as long as the plan asks for.
    pub(super) fn is_peeled(&self, var: VarId, start: Option<(i64, i64)>) -> bool {
        let (first, last) = self.ranges.vars[var];
        let aligned = match start {
            Some((first, 1)) => first % self.plan.lanes == 0,
            Some((_, multiple)) => multiple % self.plan.lanes == 0,
            None => false,
        };
        let long = |least: i64| last - first + 1 >= least;
        self.sweep == 0
            && self.streamed.contains(&true)
            && !aligned
            && self.plan.peel.is_some_and(long)
    }

    /// Lanes that a cache line of the results that are streamed has, and at least those of a
    /// vector.
    fn lanes_of_line(&self) -> i64 {
        let roots = self.region.roots.iter().zip(&self.streamed);
        let widths = roots.filter(|(_, streamed)| **streamed);
        widths
            .filter_map(|(root, _)| root.ty.element.byte_width())
            .map(|width| LINE / (width as i64).max(1))
            .fold(self.plan.lanes, i64::max)
    }

    /// The lanes in front of the first multiple of the vector length, under a mask, and whole
    /// vectors up to the end of their cache line. Returns where the rest starts, its length, and
    /// its alignment.
    #[allow(clippy::type_complexity)]
    pub(super) fn head(
        &mut self,
        var: VarId,
        lo: Val<'c>,
        hi: Val<'c>,
        start: Option<(i64, i64)>,
        length: Option<i64>,
        inner: &mut dyn FnMut(&mut Self) -> EmitResult<()>,
    ) -> EmitResult<(Val<'c>, Option<i64>, Option<(i64, i64)>)> {
        let (b, lanes) = (self.b, self.plan.lanes);
        let masked = |me: &mut Self,
                      count: Val<'c>,
                      start: Option<(i64, i64)>,
                      inner: &mut dyn FnMut(&mut Self) -> EmitResult<()>| {
            let mask = b.mask(count, lanes);
            me.lane = Some(Lane {
                var,
                mask: Some(mask),
            });
            me.copies = vec![Some((var, 0))];
            me.body(var, lo, start, lanes, inner)
        };
        if let (Some((first, 1)), Some(length)) = (start, length) {
            let count = (lanes - first % lanes).min(length);
            let range = self.ranges.vars[var];
            self.ranges.vars[var] = (first.into(), (first + count - 1).into());
            let result = masked(self, b.cidx(count), start, inner);
            self.ranges.vars[var] = range;
            result?;
            // What else is in the last cache line of these lanes is not streamed: the line would
            // have to leave the cache before.
            let line = self.lanes_of_line();
            let vectors = (line - (first + count) % line) % line / lanes;
            let mut done = count;
            for _ in 0..vectors.min((length - count) / lanes) {
                let at = b.addi(lo, b.cidx(done));
                self.lane = Some(Lane { var, mask: None });
                self.copies = vec![Some((var, 0))];
                let first_lane = first + done;
                self.ranges.vars[var] = (first_lane.into(), (first_lane + lanes - 1).into());
                let none = vec![false; self.streamed.len()];
                let streamed = std::mem::replace(&mut self.streamed, none);
                let start = Some((first + done, 1));
                let result = self.body(var, at, start, lanes, inner);
                self.streamed = streamed;
                self.ranges.vars[var] = range;
                result?;
                done += lanes;
            }
            let next = b.addi(lo, b.cidx(done));
            return Ok((next, Some(length - done), Some((first + done, 1))));
        }
        // The first multiple of the vector length, at most the end.
        let up = b.addi(lo, b.cidx(lanes - 1));
        let up = b.op1("arith.divui", &[up, b.cidx(lanes)], b.index(), &[]);
        let up = b.minsi(b.muli(up, b.cidx(lanes)), hi);
        let count = b.subi(up, lo);
        let some = b.cmpi(CmpI::Sgt, count, b.cidx(0));
        let mut inside = Ok(());
        b.if_then(some, |_| inside = masked(self, count, None, inner));
        inside?;
        // An empty intersection of tile and piece ends before it starts.
        Ok((b.maxsi(up, lo), None, Some((0, lanes))))
    }
}
