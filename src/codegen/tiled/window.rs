//! Windows, also those that reach over the ends of a dimension of run-time size.
//!
//! The loop over such a dimension is cut in three. In the middle all elements of a window are
//! there, whatever the size is. In front of that and behind it each element is looked at by itself:
//! where there are less elements than a window has, the two parts meet, and it may be missing on
//! both sides.

use super::analysis::Analysis;
use super::emitter::{EmitResult, LoopEmitter};
use super::plan::{Ends, Plan};
use super::reduce::Combiner;
use crate::{Declined, Elem};
use mapwright_fusion::condition::{Condition, all};
use mapwright_fusion::node::Padded;
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{FAR, Sum, VarId};
use mapwright_mlir::{CmpI, Op, Val};
use std::collections::BTreeMap;

/// The dimensions over whose ends windows reach.
pub(super) fn ends(analysis: &Analysis<'_>) -> Result<BTreeMap<VarId, Ends>, Declined> {
    // Of each loop the first place at which all is there, and the one behind the last.
    let mut within: BTreeMap<VarId, (i64, Option<Extent>)> = BTreeMap::new();
    let words = || Declined::new("windows over the ends of a dimension of run-time size");
    let conditions = analysis.conditions.iter();
    for condition in conditions.filter(|condition| condition.window) {
        let Some((var, (from, to))) = condition.bounds_at_run_time(&analysis.ranges) else {
            continue;
        };
        if !Plan::size(analysis, var).is_run_time() {
            continue;
        }
        let (first, end) = within.entry(var).or_insert((0, None));
        *first = from.as_constant().ok_or_else(words)?.max(*first);
        // An end that says nothing is behind all others.
        if to < FAR / 2 || to.is_run_time() {
            *end = Some(end.map_or(to, |end| end.least(to)));
        }
    }
    let reduces = !analysis.instances.is_empty() || !analysis.scans.is_empty();
    if reduces && !within.is_empty() {
        return Err(words());
    }
    let is_cut = |condition: &Condition| {
        let own = condition.bounds_at_run_time(&analysis.ranges);
        !condition.window && own.is_some_and(|(var, _)| within.contains_key(&var))
    };
    if analysis.conditions.iter().any(is_cut) {
        return Err(words());
    }
    let stepped = stepped(analysis)?;
    let mixed = |var: &VarId| {
        let told = |c: &Condition| !c.window && c.lin.depends_on(*var);
        within.contains_key(var) || analysis.conditions.iter().any(told)
    };
    if stepped.keys().any(mixed) || reduces && !stepped.is_empty() {
        return Err(words());
    }
    let ends = |(var, (first, end)): (VarId, (i64, Option<Extent>))| {
        let first = Extent::from(first);
        let end = end.unwrap_or(Plan::size(analysis, var));
        let ends = Ends {
            first,
            end,
            behind: end.greatest(first),
            told: true,
        };
        (var, ends)
    };
    let mut found: BTreeMap<VarId, Ends> = within.into_iter().map(ends).collect();
    found.extend(stepped);
    Ok(found)
}

/// Of a loop, its first place in the middle, and for each end and step of its windows the greatest
/// place that they reach.
type Reach = (i64, BTreeMap<(i64, Extent), Extent>);

/// Finds the ends of windows that are some elements apart along a dimension of run-time size, and
/// for an operand padded by a number that is read: in the middle all elements are there, however
/// large that is.
fn stepped(analysis: &Analysis<'_>) -> Result<BTreeMap<VarId, Ends>, Declined> {
    let far = || Declined::new("windows that begin far in front of what they are over");
    // For each loop its first place and the first one behind the middle, without what the loop
    // itself ends at.
    let mut found: BTreeMap<VarId, Reach> = BTreeMap::new();
    for condition in &analysis.conditions {
        let Some((step, var, (least, greatest))) = condition.over_steps(&analysis.ranges) else {
            continue;
        };
        if condition.lo != 0 {
            return Err(far());
        }
        let least = least.as_constant().ok_or_else(far)?;
        let known = found.entry(var).or_default();
        known.0 = known.0.max(-least.div_euclid(step).min(0));
        let last = known.1.entry((step, condition.hi)).or_insert(greatest);
        *last = last.greatest(greatest);
    }
    let mut ends = BTreeMap::new();
    for (var, (first, lasts)) in found {
        let mut end = Plan::size(analysis, var);
        let first = match end.as_constant() {
            None => first.into(),
            Some(end) => Extent::from(first.min(end)),
        };
        for ((step, hi), greatest) in lasts {
            // How often a step fits behind the first place, or less than none.
            let room = (hi + step - greatest).greatest(Extent::ZERO);
            end = room.floor_div(step.into()).least(end);
        }
        let behind = end.greatest(first);
        let (end, told) = (behind, false);
        ends.insert(
            var,
            Ends {
                first,
                end,
                behind,
                told,
            },
        );
    }
    Ok(ends)
}

impl<'c> LoopEmitter<'_, 'c> {
    /// Combines the elements of a window for which the conditions hold.
    pub(super) fn window(
        &mut self,
        op: Op<'c>,
        combiner: &Combiner<'c>,
        lanes: &[i64],
        elements: Vec<(Vec<Condition>, Vec<Sum>)>,
    ) -> EmitResult<Vec<Val<'c>>> {
        // What is not there holds the initial value, which may be without effect.
        let counts = !combiner.start_repeats(self);
        let elements: Vec<(Option<bool>, Vec<Condition>, Vec<Sum>)> = (elements.into_iter())
            .map(|(conditions, at)| (self.are_there(&conditions), conditions, at))
            .filter(|(there, ..)| counts || *there != Some(false))
            .collect();
        let all_there = elements.iter().all(|(there, ..)| *there == Some(true));
        let start = if all_there && combiner.starts_with_identity() {
            None
        } else {
            Some(combiner.starts(self, lanes, true)?)
        };
        let mut total = start.clone();
        for (there, conditions, at) in elements {
            total = Some(match (total, there) {
                (None, _) => self.elements_at(op, &at, lanes)?,
                (Some(old), Some(true)) => {
                    let x = self.elements_at(op, &at, lanes)?;
                    combiner.combine(self, &old, &x, lanes)?
                }
                (Some(old), Some(false)) => {
                    let start = start.as_ref().unwrap_or(&old);
                    combiner.combine(self, &old, start, lanes)?
                }
                (Some(old), None) => {
                    let holds = self.looked_at(&conditions)?;
                    let other = match (counts, &start) {
                        (true, Some(start)) => combiner.combine(self, &old, start, lanes)?,
                        _ => old.clone(),
                    };
                    self.combined_where(holds, other, |me| {
                        let x = me.elements_at(op, &at, lanes)?;
                        combiner.combine(me, &old, &x, lanes)
                    })?
                }
            });
        }
        match total {
            Some(total) => Ok(total),
            None => combiner.starts(self, lanes, true),
        }
    }

    /// Tells whether the conditions of an element of a window hold, or do not hold, if the place in
    /// the loops decides it.
    fn are_there(&self, conditions: &[Condition]) -> Option<bool> {
        let is_open = |condition: &Condition| {
            let over = condition.over_steps(&self.ranges);
            over.is_some_and(|(_, var, _)| !self.within.contains(&var))
        };
        let told = conditions
            .iter()
            .filter(|c| c.over_steps(&self.ranges).is_none());
        let told: Vec<Condition> = told.cloned().collect();
        match all(&told, &self.ranges) {
            Some(true) if conditions.iter().any(is_open) => None,
            answer => answer,
        }
    }

    /// An element of an operand where there is one, and else what is padded with.
    pub(super) fn padded(&mut self, padded: Padded<'c>) -> EmitResult<Elem<'c>> {
        let atom = |low| self.runtime.atom(low, &mut self.ranges);
        let (element, conditions, value) = padded.place(atom);
        match self.are_there(&conditions) {
            Some(true) => self.eval(element.0, &element.1),
            Some(false) => self.eval(value, &[]),
            None => {
                let lanes = match self.lane {
                    Some(_) => vec![self.plan.lanes],
                    None => Vec::new(),
                };
                let other = self.eval(value, &[])?.one();
                let other = vec![self.spread(other, &lanes)];
                let holds = self.looked_at(&conditions)?;
                let found = self.combined_where(holds, other, |me| {
                    let own = me.eval(element.0, &element.1)?.one();
                    Ok(vec![me.spread(own, &lanes)])
                })?;
                Ok(Elem::One(found[0]))
            }
        }
    }

    fn elements_at(&mut self, op: Op<'c>, at: &[Sum], lanes: &[i64]) -> EmitResult<Vec<Val<'c>>> {
        let mut found = Vec::new();
        for i in 0..op.num_operands() / 2 {
            let value = self.eval(op.operand(i), at)?.one();
            found.push(self.spread(value, lanes));
        }
        Ok(found)
    }

    /// Emits the test that the conditions hold, none of which is about a lane.
    fn looked_at(&mut self, conditions: &[Condition]) -> EmitResult<Val<'c>> {
        let b = self.b;
        let mut holds = b.cbool(true);
        for condition in conditions {
            if self.are_there(std::slice::from_ref(condition)) == Some(true) {
                continue;
            }
            if self
                .lane
                .is_some_and(|lane| condition.lin.depends_on(lane.var))
            {
                return Err(Declined::new("a window that the loops do not separate"));
            }
            let at = self.index_value(&condition.lin)?;
            let low = b.cmpi(CmpI::Sge, at, b.cidx(condition.lo));
            let high = b.cmpi(CmpI::Sle, at, b.cidx(condition.hi));
            holds = b.andi(holds, b.andi(low, high));
        }
        Ok(holds)
    }

    /// Emits the values of `f` where `holds`, and `other` elsewhere.
    fn combined_where(
        &mut self,
        holds: Val<'c>,
        other: Vec<Val<'c>>,
        f: impl FnOnce(&mut Self) -> EmitResult<Vec<Val<'c>>>,
    ) -> EmitResult<Vec<Val<'c>>> {
        use mapwright_mlir::melior::ir::ValueLike;
        let b = self.b;
        let types: Vec<_> = other.iter().map(|value| value.r#type()).collect();
        // What is computed where it holds is not known elsewhere.
        let straight = self.straight.take();
        self.scopes.push(super::emitter::Scope::default());
        let mut result = Ok(());
        let values = b.if_else(
            holds,
            &types,
            |_| match f(self) {
                Ok(values) => values,
                Err(why) => {
                    result = Err(why);
                    other.clone()
                }
            },
            |_| other.clone(),
        );
        self.scopes.pop();
        self.straight = straight;
        result.map(|()| values)
    }
}
