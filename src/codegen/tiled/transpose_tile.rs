//! Tiles of regions that read an operand across its rows: the lanes stride over it, and another
//! variable, `across`, runs along its rows.

use super::analysis::Analysis;
use super::plan::{LINE, Plan};
use super::prefetched::LARGE;
use super::region::Region;
use mapwright_indexing::Extent;
use mapwright_indexing::linear::VarId;
use std::collections::HashMap;

/// Side of a square tile.
const SQUARE: i64 = 64;
/// Long side of a broad one.
const BROAD: i64 = 256;

/// Tile sizes of the two variables, the slower one first. Blocks of `side` rows are transposed.
pub(super) fn tiles(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
    (lane, across): (VarId, VarId),
    side: i64,
) -> [(VarId, i64); 2] {
    let size = |var: VarId| Plan::length(analysis, var);
    if beside_rows(region, analysis, lane) {
        [
            (lane, BROAD.min(size(lane))),
            (across, (2 * side).min(size(across))),
        ]
    } else {
        [
            (across, SQUARE.min(size(across))),
            (lane, SQUARE.min(size(lane))),
        ]
    }
}

/// Lanes of blocks that are transposed: where a vector is half a cache line, two of them, so that
/// every line is read and written once. Rows at a distance of powers of two share so few places of
/// the caches that half a line would be gone until its other half is wanted. `least`: of the sizes
/// of the two dimensions.
pub(super) fn line(lanes: i64, widest: i64, least: i64) -> i64 {
    let double = 2 * lanes;
    if double * widest == LINE && double <= 32 && double <= least {
        double
    } else {
        lanes
    }
}

/// Tells whether rows of an operand too large for the near caches are read beside the columns of
/// another one. Rows want long pieces and columns few: tiles are broad then, and go down the
/// columns, where the lines that the next tile wants lie beside those of this one.
fn beside_rows(region: &Region<'_>, analysis: &Analysis<'_>, lane: VarId) -> bool {
    analysis.accesses.iter().any(|access| {
        let elements = region.inputs[access.input].elements();
        access.offset.coefficient(lane) == Some(Extent::ONE) && elements * region.widest >= LARGE
    })
}

/// The variables along which operands are contiguous that `lane` strides over, each with the number
/// of these: blocks of `lanes` rows and columns can be transposed.
pub(super) fn candidates(
    analysis: &Analysis<'_>,
    lane: VarId,
    lanes: i64,
) -> HashMap<VarId, usize> {
    let mut votes: HashMap<VarId, usize> = HashMap::new();
    if Plan::length(analysis, lane) < lanes {
        return votes;
    }
    for access in &analysis.accesses {
        if !matches!(access.offset.coefficient(lane), Some(k) if k.when_large().abs() > 1) {
            continue;
        }
        for var in &analysis.root_vars {
            if *var != lane
                && access.offset.coefficient(*var) == Some(Extent::ONE)
                && Plan::length(analysis, *var) >= lanes
            {
                *votes.entry(*var).or_default() += 1;
            }
        }
    }
    votes
}

/// Returns the candidate along which the most operands are contiguous.
pub(super) fn across(analysis: &Analysis<'_>, lane: VarId, lanes: i64) -> Option<VarId> {
    let votes = candidates(analysis, lane, lanes);
    analysis
        .root_vars
        .iter()
        .copied()
        .filter(|var| votes.contains_key(var))
        .max_by_key(|var| (votes[var], std::cmp::Reverse(*var)))
}
