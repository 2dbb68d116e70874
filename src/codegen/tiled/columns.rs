//! Which column regions are reduced in the order of memory ([`super::column_block`]), and how many
//! columns at a time.

use super::analysis::Analysis;
use super::plan::Plan;
use super::reductions::on_lane;
use super::region::Region;
use crate::Options;
use crate::streams::{self, LEAST, ROWS};
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Sum, VarId};

/// Checks whether the reductions of a column region may go along many columns at once.
///
/// # Errors
/// Why not, as said of the step.
pub(super) fn legal(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
    plan: &Plan,
) -> Result<(), &'static str> {
    let (Some(lane), true) = (plan.lane, plan.columns) else {
        return Err("needs reductions of columns that lanes run across");
    };
    match plan.row_vars.is_empty() {
        true => legal_sums(region, analysis, plan, lane),
        false if !legal_sweeps(analysis, plan, lane) => {
            Err("needs plain sweeps over columns, with functions in vectors of several registers")
        }
        false if plan.scratch_values.values().any(|kept| kept.root.is_none()) => {
            Err("keeps values in results only")
        }
        false => Ok(()),
    }
}

/// Checks whether many columns may be reduced at once in a region that gives nothing but sums.
fn legal_sums(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
    plan: &Plan,
    lane: VarId,
) -> Result<(), &'static str> {
    let simple = plan.scratch_values.is_empty() && plan.cuts.is_empty();
    if !simple || region.complex || !analysis.scans.is_empty() || analysis.windows {
        return Err("needs columns of real numbers without pieces, windows and kept values");
    }
    let on_lane = |x: &Sum| analysis.runtime.depends_on(x, lane);
    for (i, instance) in analysis.instances.iter().enumerate() {
        if !instance.index.iter().any(on_lane) {
            continue;
        }
        let Some(last) = instance.vars.last() else {
            return Err("needs columns of several elements");
        };
        let plain = |offset: &Sum| {
            offset.coefficient(lane) == Some(Extent::ONE) && offset.coefficient(*last).is_some()
        };
        let accesses = analysis.accesses.iter().filter(|a| a.sweep == i + 1);
        // Anything but plain rows of neighbouring columns has no better order.
        if accesses
            .filter(|a| on_lane(&a.offset))
            .any(|a| !plain(&a.offset))
        {
            return Err("needs rows of neighbouring columns");
        }
    }
    Ok(())
}

/// Tells whether all sweeps over columns may go in the order of memory.
fn legal_sweeps(analysis: &Analysis<'_>, plan: &Plan, lane: VarId) -> bool {
    let on_lane = |x: &Sum| analysis.runtime.depends_on(x, lane);
    let along = |offset: &Sum| offset.coefficient(lane).is_some_and(|k| k == 0 || k == 1);
    plan.registers > 1
        && plan.cuts.is_empty()
        && plan.unrolled.is_empty()
        && plan.inner.is_none()
        && analysis.secondary.is_empty()
        && analysis
            .instances
            .iter()
            .all(|i| !i.vars.is_empty() && i.index.iter().any(on_lane))
        && analysis.accesses.iter().all(|a| along(&a.offset))
}

/// Work of the dearest reduction of columns, for one element.
fn work(analysis: &Analysis<'_>, plan: &Plan) -> f64 {
    let of_columns = (0..analysis.instances.len())
        .filter(|i| on_lane(analysis, plan, *i) && !analysis.instances[*i].vars.is_empty());
    of_columns.map(|i| analysis.work[i + 1]).fold(0.0, f64::max)
}

/// Rows that are combined at a time by reductions of that much work, if reading is what takes long.
fn rows_of_work(work: f64) -> Option<i64> {
    match work {
        w if w <= 6.0 => Some(ROWS),
        w if w <= 12.0 => Some(ROWS / 2),
        _ => None,
    }
}

/// Rows that a reduction of a plan of many columns at once combines at a time.
pub(super) fn rows(analysis: &Analysis<'_>, plan: &Plan, instance: usize) -> i64 {
    if plan.row_vars.is_empty() {
        return rows_of_work(work(analysis, plan)).unwrap_or(1);
    }
    // Rows a page apart share few places of the level-one cache, which other sweeps go over as
    // well.
    match rows_of_work(analysis.work[instance + 1]) {
        Some(ROWS) => ROWS / 2,
        _ => 1,
    }
}

/// Makes the plan one of many columns at once, where that pays.
pub(crate) fn widen(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
    plan: &mut Plan,
    options: &Options,
) {
    let Some(lane) = plan.lane else {
        return;
    };
    if !plan.row_vars.is_empty() || legal(region, analysis, plan).is_err() {
        return;
    }
    let size = |var: VarId| Plan::length(analysis, var);
    let (n, narrow) = (size(lane), plan.lanes * plan.unroll);
    let differs = |x: &Sum| analysis.runtime.depends_on(x, lane);
    let mut accumulators = 0;
    let mut far = false;
    for (i, instance) in analysis.instances.iter().enumerate() {
        let (true, Some(last)) = (on_lane(analysis, plan, i), instance.vars.last()) else {
            continue;
        };
        accumulators += instance.op.num_results() as i64;
        let rows: i64 = instance.vars.iter().map(|v| size(*v)).product();
        let accesses = analysis.accesses.iter().filter(|a| a.sweep == i + 1);
        for access in accesses.filter(|a| differs(&a.offset)) {
            let pitch = access.offset.coefficient(*last).unwrap_or_default();
            let bytes = n.saturating_mul(rows).saturating_mul(region.widest);
            far |= pitch > narrow && size(*last) >= 2 * ROWS && bytes > LEAST;
        }
    }
    // Computing takes longer than reading does.
    if rows_of_work(work(analysis, plan)).is_none() || !far || n <= narrow {
        return;
    }
    let room = options.l1_bytes as i64 / 2 / region.widest;
    let most = room / accumulators.max(1) / plan.lanes * plan.lanes;
    let outer: i64 = (plan.grid.iter())
        .filter(|(var, _)| *var != lane)
        .map(|(var, _)| size(*var))
        .product();
    let threads = (options.threads as i64 + outer - 1) / outer;
    let wanted = if plan.cost > 2.0 * super::TASK {
        threads
    } else {
        1
    };
    if most <= narrow {
        return;
    }
    let n = Plan::size(analysis, lane).expected();
    let columns = streams::columns(n, region.widest, plan.lanes, most, (threads, wanted));
    if columns <= narrow {
        return;
    }
    for (var, tile) in &mut plan.grid {
        if *var == lane {
            *tile = columns;
        }
    }
    plan.wide = Some(columns);
}

/// Level-two caches that a tile may fill: so much of the level-three cache has each core to itself.
const SHARE: i64 = 4;

/// Makes all sweeps over columns with functions ones in the order of memory, where a tile stays in
/// the caches from one to the next, but not a few of its columns, which lie pages apart: what the
/// sweeps keep is kept where a result will be.
pub(super) fn sweeps(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
    plan: &mut Plan,
    options: &Options,
) {
    let (Some(lane), true, None) = (plan.lane, plan.columns, plan.wide) else {
        return;
    };
    // Columns that the caches do not hold from one sweep to the next would have to be copied.
    let copied = plan
        .scratch_values
        .keys()
        .any(|key| region.input_of.contains_key(&key.0));
    if !copied || plan.row_vars.is_empty() || !legal_sweeps(analysis, plan, lane) {
        return;
    }
    let mut kept: Vec<_> = (plan.scratch_values.iter())
        .filter(|(key, _)| !region.input_of.contains_key(&key.0))
        .map(|(key, kept)| (kept.number, key.clone()))
        .collect();
    kept.sort_unstable();
    // A result of the same type at the same index, another one for each.
    let mut places: Vec<usize> = Vec::new();
    let elements = region.values();
    let main = &region.roots[super::walk::main_root(region)].shape;
    for (_, key) in &kept {
        let Some(element) = elements.get(&key.0) else {
            return;
        };
        let place = (0..region.roots.len()).find(|k| {
            let root = &region.roots[*k];
            !places.contains(k)
                && key.1 == analysis.index
                && root.shape == *main
                && root.base.is_none()
                && root.ty.element == *element
        });
        match place {
            Some(place) => places.push(place),
            None => return,
        }
    }
    let size = |var: VarId| Plan::length(analysis, var);
    let n = size(lane);
    let rows: i64 = plan.row_vars.iter().map(|var| size(*var)).product();
    let column = rows.saturating_mul(region.widest);
    if n.saturating_mul(column) <= options.l1_bytes as i64 {
        return;
    }
    // As many accumulators as the exact maximum has.
    let most = (options.l1_bytes as i64 / 2 / region.widest / 3)
        .min(SHARE * options.l2_bytes as i64 / column.max(1))
        / plan.lanes
        * plan.lanes;
    let outer: i64 = (plan.grid.iter())
        .filter(|(var, _)| *var != lane)
        .map(|(var, _)| size(*var))
        .product();
    let threads = (options.threads as i64 + outer - 1) / outer.max(1);
    let narrow = plan.lanes * plan.unroll;
    if most < FEWEST * narrow {
        return;
    }
    let n = Plan::size(analysis, lane).expected();
    let columns = streams::columns(n, region.widest, plan.lanes, most, (threads, threads));
    // Threads beside each other in the same rows would take lines from each other: processors fetch
    // what follows of a row by themselves.
    let beside = options.threads > 1 && columns < n;
    if beside || columns < FEWEST * narrow {
        return;
    }
    for (var, tile) in &mut plan.grid {
        if *var == lane {
            *tile = columns;
        }
    }
    plan.scratch_values
        .retain(|key, _| kept.iter().any(|(_, k)| k == key));
    for (number, ((_, key), place)) in kept.iter().zip(places).enumerate() {
        if let Some(kept) = plan.scratch_values.get_mut(key) {
            kept.root = Some(place);
            kept.number = number;
        }
    }
    plan.wide = Some(columns);
}

/// Fewer pieces of a row than this many are no stream.
const FEWEST: i64 = 4;
