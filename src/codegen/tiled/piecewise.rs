//! Elements that come from one of several places.
//!
//! Most conditions are decided by where a loop is cut. Those that repeat themselves along a
//! dimension (between the elements of a `pad`) are masks: both places are read, which is safe as
//! the other conditions of a piece hold.

use super::emitter::{EmitResult, LoopEmitter};
use super::numbers::narrowest;
use crate::{Declined, Elem, scalar};
use mapwright_fusion::condition::{Condition, all};
use mapwright_fusion::node::Element;
use mapwright_indexing::Extent;
use mapwright_mlir::{CmpI, Val};

impl<'c> LoopEmitter<'_, 'c> {
    pub(super) fn pieces(
        &mut self,
        pieces: Vec<(Vec<Condition>, Element<'c>)>,
    ) -> EmitResult<Elem<'c>> {
        let mut masked: Vec<(Val<'c>, Elem<'c>)> = Vec::new();
        for (conditions, (source, at)) in pieces {
            match all(&conditions, &self.ranges) {
                Some(false) => {}
                Some(true) => {
                    let mut value = self.eval(source, &at)?;
                    for (mask, piece) in masked.into_iter().rev() {
                        value = self.choose(mask, piece, value);
                    }
                    return Ok(value);
                }
                None => {
                    let mask = self.mask_of(&conditions)?;
                    let value = self.eval(source, &at)?;
                    masked.push((mask, value));
                }
            }
        }
        Err(Declined::new("an index outside of all pieces"))
    }

    /// Emits the mask of the lanes in which conditions hold, all of which are decided or periodic.
    fn mask_of(&mut self, conditions: &[Condition]) -> EmitResult<Val<'c>> {
        let b = self.b;
        let mut mask: Option<Val<'c>> = None;
        for condition in conditions {
            if condition.decide(&self.ranges) == Some(true) {
                continue;
            }
            if !condition.is_periodic() {
                return Err(Declined::new("pieces that the loops do not separate"));
            }
            let next = self.lanes_where(condition)?;
            mask = Some(match mask {
                None => next,
                Some(mask) => {
                    let lanes = if self.is_vector(mask) || self.is_vector(next) {
                        vec![self.plan.lanes]
                    } else {
                        Vec::new()
                    };
                    b.andi(self.spread(mask, &lanes), self.spread(next, &lanes))
                }
            });
        }
        Ok(mask.unwrap_or_else(|| b.cbool(true)))
    }

    fn lanes_where(&mut self, condition: &Condition) -> EmitResult<Val<'c>> {
        let (b, lin) = (self.b, &condition.lin);
        let lane = self
            .lane
            .filter(|lane| self.runtime.depends_on(lin, lane.var));
        let Some(lane) = lane else {
            let at = self.index_value(lin)?;
            let low = b.cmpi(CmpI::Sge, at, b.cidx(condition.lo));
            return Ok(b.andi(low, b.cmpi(CmpI::Sle, at, b.cidx(condition.hi))));
        };
        let ends = [condition.lo, condition.hi]
            .iter()
            .all(|end| !end.is_run_time());
        if let Some(values) = self.lane_constants(lin, lane.var).filter(|_| ends) {
            let bits: Vec<&str> = values
                .iter()
                .map(|v| {
                    if condition.lo <= *v && condition.hi >= *v {
                        "true"
                    } else {
                        "false"
                    }
                })
                .collect();
            let ty = b.vector(&[self.plan.lanes], b.i1());
            let mask = b.parse_attr(&format!("dense<[{}]> : {ty}", bits.join(", ")));
            return Ok(b.cattr(mask, ty));
        }
        // Bounds beyond all that the expression can be ask nothing, and may be wider than it.
        let (least, greatest) = lin.range(&self.ranges);
        let end = |own: Extent, beyond: bool, other: Extent| if beyond { other } else { own };
        let lo = end(condition.lo, least.is_at_least(condition.lo), least);
        let hi = end(condition.hi, condition.hi.is_at_least(greatest), greatest);
        let integer = b.int(narrowest(&[lo, hi, least, greatest]));
        let ty = b.vector(&[self.plan.lanes], integer);
        let numbers = self.lane_numbers(lin, lane.var, integer)?;
        let low = b.cmpi(CmpI::Sge, numbers, self.spread_number(lo, ty));
        Ok(b.andi(low, b.cmpi(CmpI::Sle, numbers, self.spread_number(hi, ty))))
    }

    fn choose(&self, mask: Val<'c>, yes: Elem<'c>, no: Elem<'c>) -> Elem<'c> {
        let vector = [mask, yes.one(), no.one()]
            .iter()
            .any(|v| self.is_vector(*v));
        let lanes = if vector {
            vec![self.plan.lanes]
        } else {
            Vec::new()
        };
        let spread = |x: Elem<'c>| x.map(|part| self.spread(part, &lanes));
        scalar::select(self.b, Elem::One(mask), spread(yes), spread(no))
    }
}
