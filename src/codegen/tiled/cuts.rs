//! Where loops are cut: at the borders of the pieces that a result is put together from.

use super::analysis::Analysis;
use super::plan::Plan;
use crate::{Declined, index::ceil};
use mapwright_fusion::condition::cuts_of_pieces;
use mapwright_indexing::{Extent, linear::VarId};
use std::collections::{BTreeMap, HashMap};

/// Loops are cut where a condition changes.
pub(super) fn cuts(analysis: &Analysis<'_>) -> Result<HashMap<VarId, Vec<Extent>>, Declined> {
    let mut cuts: HashMap<VarId, Vec<Extent>> = HashMap::new();
    let mut pieces: BTreeMap<VarId, Vec<(Extent, Extent)>> = BTreeMap::new();
    let several = || {
        Declined::new(
            "a condition on several dimensions at once (pieces that no loop can be cut at)",
        )
    };
    let at_run_time = || Declined::new("pieces along a dimension of run-time size");
    for condition in &analysis.conditions {
        if condition.over_steps(&analysis.ranges).is_some() {
            continue;
        }
        let [(atom, k)] = condition.lin.terms.as_slice() else {
            return Err(several());
        };
        let Some(var) = atom.as_var() else {
            return Err(several());
        };
        let (k, c) = (*k, condition.lin.constant);
        let end = Plan::size(analysis, var);
        if condition.window && end.is_run_time() {
            continue;
        }
        if condition.run_time || end.is_run_time() {
            let Some((_, piece)) = condition.bounds_at_run_time(&analysis.ranges) else {
                return Err(at_run_time());
            };
            pieces.entry(var).or_default().push(piece);
            continue;
        }
        // k*v + c >= lo and k*v + c <= hi, for either sign of k.
        let numbers = [k, condition.lo - c, condition.hi - c].map(Extent::as_constant);
        let [Some(k), Some(lo), Some(hi)] = numbers else {
            return Err(at_run_time());
        };
        let bounds = if k > 0 {
            [ceil(lo, k), hi.div_euclid(k) + 1]
        } else {
            [ceil(-hi, -k), (-lo).div_euclid(-k) + 1]
        };
        let list = cuts.entry(var).or_default();
        for cut in bounds.map(Extent::from) {
            if cut > 0 && cut < end && !list.contains(&cut) {
                list.push(cut);
            }
        }
    }
    for (var, pieces) in pieces {
        let list = cuts_of_pieces(&pieces).ok_or_else(at_run_time)?;
        cuts.insert(var, list);
    }
    let mut boxes = 1usize;
    #[expect(
        clippy::iter_over_hash_type,
        reason = "each list is sorted by itself, and a product has no order"
    )]
    for list in cuts.values_mut() {
        list.sort_unstable();
        boxes = boxes.saturating_mul(list.len() + 1);
    }
    if boxes > 64 {
        return Err(Declined::new(format!("{boxes} pieces")));
    }
    Ok(cuts)
}
