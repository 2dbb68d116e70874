//! Complex elements: in memory the parts of a number are neighbours, in registers the real and the
//! imaginary parts are vectors of their own.

use super::emitter::{EmitResult, Lane, LoopEmitter};
use crate::{Declined, Elem, vectors::zero};
use mapwright_indexing::linear::Sum;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{ElementType, Val};

/// Returns the offsets of the real and the imaginary part of element `offset`.
fn places(offset: &Sum) -> (Sum, Sum) {
    let re = offset.scaled(2);
    let im = re.offset(1);
    (re, im)
}

impl<'c> LoopEmitter<'_, 'c> {
    /// Element at `offset` of an input whose buffer holds the parts.
    pub(super) fn load_complex(
        &mut self,
        input: usize,
        buffer: Val<'c>,
        offset: &Sum,
    ) -> EmitResult<Elem<'c>> {
        if let Some(lane) = self.lane
            && self.runtime.depends_on(offset, lane.var)
            && self.is_contiguous(offset, lane.var)
        {
            return self.load_pairs(buffer, offset, lane);
        }
        let (re, im) = places(offset);
        let re = self.load_stored(input, buffer, &re)?;
        let im = self.load_stored(input, buffer, &im)?;
        Ok(Elem::Pair(re, im))
    }

    /// Numbers that follow each other, one for each lane.
    pub(super) fn load_pairs(
        &mut self,
        buffer: Val<'c>,
        offset: &Sum,
        lane: Lane<'c>,
    ) -> EmitResult<Elem<'c>> {
        let (b, n) = (self.b, self.plan.lanes);
        let at = self.index_value(&offset.scaled(2))?;
        let ty = b.vector(&[2 * n], b.element_of(buffer.r#type()));
        let both = match lane.mask {
            None => b.vload(buffer, &[at], ty),
            Some(mask) => b.masked_load(buffer, &[at], self.twice(mask), zero(b, ty)),
        };
        let every_other = |first: i64| {
            let lanes: Vec<i64> = (0..n).map(|i| 2 * i + first).collect();
            b.shuffle(both, both, &lanes)
        };
        Ok(Elem::Pair(every_other(0), every_other(1)))
    }

    /// Stores a number, or one for each lane (`along`).
    pub(super) fn store_complex(
        &mut self,
        buffer: Val<'c>,
        element: &ElementType,
        value: Elem<'c>,
        offset: &Sum,
        along: Option<Lane<'c>>,
        streamed: bool,
    ) -> EmitResult<()> {
        let (b, n) = (self.b, self.plan.lanes);
        let (re_at, im_at) = places(offset);
        let Some(lane) = along else {
            let (re, im) = value.pair();
            if self.is_vector(re) || self.is_vector(im) {
                return Err(Declined::new("a vector for one element"));
            }
            for (part, at) in [(re, re_at), (im, im_at)] {
                let at = self.index_value(&at)?;
                b.store(part, buffer, &[at]);
            }
            return Ok(());
        };
        let at = self.index_value(&re_at)?;
        let (re, im) = value.map(|part| self.spread(part, &[n])).pair();
        let turns: Vec<i64> = (0..n).flat_map(|i| [i, n + i]).collect();
        let both = b.shuffle(re, im, &turns);
        match lane.mask {
            None => {
                let width = element.byte_width().unwrap_or(1) as i64;
                self.store_whole(both, (buffer, at), offset, (width, width * n), streamed);
            }
            Some(mask) => b.masked_store(buffer, &[at], self.twice(mask), both),
        }
        Ok(())
    }

    /// A mask of numbers as a mask of their parts.
    fn twice(&self, mask: Val<'c>) -> Val<'c> {
        let lanes: Vec<i64> = (0..self.plan.lanes).flat_map(|i| [i, i]).collect();
        self.b.shuffle(mask, mask, &lanes)
    }
}
