//! The conditions under which members read: what loops can be cut at.

use super::{Group, JoinError, Joined};
use crate::condition::{Condition, cuts_of_pieces};
use mapwright_indexing::{Extent, linear::VarId};

impl Group {
    /// Takes out the conditions of windows that reach over the ends of a dimension of run-time
    /// size: where its loop is near the ends, elements are looked at one by one. That is for loops
    /// outside of the vectors, and without reductions.
    pub(super) fn over_the_ends(
        &self,
        conditions: &mut Vec<Condition>,
        joined: &mut Joined,
    ) -> Result<(), JoinError> {
        let mut found = Vec::new();
        conditions.retain(|condition| {
            let own = condition.bounds_at_run_time(&self.ranges);
            let own = own
                .filter(|_| condition.window && condition.decide(&self.ranges) != Some(true))
                .map(|(var, _)| var);
            let own = own.or_else(|| Some(condition.over_steps(&self.ranges)?.1));
            found.extend(own);
            own.is_none()
        });
        let pieces = || self.pieces.iter().chain(&joined.pieces);
        for var in &found {
            let is_loop = self.root_vars.contains(var) && self.root_vars.last() != Some(var);
            let cut = pieces().any(|(other, _)| other == var);
            if !is_loop || cut || self.kept.is_some() || self.scan {
                return Err("windows over the ends of a dimension of run-time size".into());
            }
        }
        joined.conditions |= !found.is_empty();
        joined.windows.extend(found);
        Ok(())
    }

    /// Takes out the conditions at which loops are cut at run time; an error where nothing says in
    /// which order. Are there some?
    pub(super) fn cut_at_run_time(
        &self,
        conditions: &mut Vec<Condition>,
        joined: &mut Joined,
    ) -> Result<bool, JoinError> {
        let words = || "pieces along a dimension of run-time size".to_string();
        let before = conditions.len();
        for condition in conditions.iter().filter(|condition| condition.run_time) {
            let bounds = condition.bounds_at_run_time(&self.ranges);
            joined.pieces.push(bounds.ok_or_else(words)?);
        }
        conditions.retain(|condition| !condition.run_time);
        let all = || self.pieces.iter().chain(&joined.pieces);
        for (var, _) in all() {
            let own: Vec<(Extent, Extent)> =
                all().filter(|(v, _)| v == var).map(|(_, p)| *p).collect();
            if cuts_of_pieces(&own).is_none() || self.windows.contains(var) {
                return Err(words());
            }
        }
        let cut = conditions.len() < before;
        joined.conditions |= cut;
        Ok(cut)
    }

    /// Conditions on one dimension each can be cut into separate loops.
    pub(super) fn separable(&self, conditions: &[Condition]) -> Result<Option<bool>, JoinError> {
        let mut known = Some(true);
        for condition in conditions {
            let mut vars = Vec::new();
            condition.lin.variables(&mut vars);
            let sized = |v: &VarId| self.ranges.vars[*v].1.is_run_time();
            let told = condition.is_periodic() || condition.decide(&self.ranges) == Some(true);
            if vars.iter().any(sized) && !told {
                return Err("pieces along a dimension of run-time size".into());
            }
            match condition.decide(&self.ranges) {
                Some(false) => return Ok(Some(false)),
                Some(true) => {}
                None => {
                    let cut = matches!(condition.lin.terms.as_slice(), [(atom, _)] if atom.as_var().is_some());
                    if !cut && !condition.is_periodic() {
                        return Err("which piece an element comes from depends on several dimensions at once".into());
                    }
                    known = None;
                }
            }
        }
        Ok(known)
    }
}
