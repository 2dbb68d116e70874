//! The choice of a schedule for a walked region, by a cost model.
//!
//! - The *lane* variable is the one that neighbouring lanes of a vector differ in: the last
//!   dimension of the results, unless reading along the reduced dimension is cheaper, in which case
//!   the (few) results are computed one by one.
//! - *Parallel* variables are those that reductions keep. If the lane variable is one of them,
//!   accumulators are vectors and the reduced dimension is walked element by element (a column
//!   region); otherwise accumulators are summed up at the end of a row.
//! - A region without reductions is cut into tiles of a few thousand elements, or into square tiles
//!   where an operand is read across its rows (`transpose`).

use super::analysis::Analysis;
use super::columns;
use super::cost::cost;
use super::cuts::cuts;
use super::group;
use super::inner;
use super::plan::{Inner, Plan, Prefetched, Share, Streamed};
use super::prefetched;
use super::reductions::{ACCUMULATORS, groups, step_of};
use super::region::Region;
use super::restrictions::{
    divides_by_constants, lanes_of, masks_rest, parallel, peel_is_legal, scans_stepwise,
    short_reductions,
};
use super::row_block;
use super::scratch;
use super::streamed;
use super::transpose_tile;
use super::window;
use crate::{Declined, Options};
use mapwright_indexing::{Extent, linear::VarId};
use mapwright_mlir::Op;
use mapwright_ops::elementwise::divisor;
use std::collections::{BTreeMap, HashMap};

/// Elements of a streaming tile.
const TILE: i64 = 8192;
/// Registers of 128 and 256 bits that a block which is transposed has: the other half is for what
/// is on the way.
const ROOM: i64 = 8;

/// The plan of the fewest estimated operations.
///
/// # Errors
/// Regions that this emitter has no loops for.
pub(super) fn choose<'c>(
    region: &Region<'c>,
    analysis: &Analysis<'c>,
    options: &Options,
) -> Result<Plan, Declined> {
    let mut plan = loops(region, analysis, options)?;
    plan.combined = combined(analysis, &plan);
    plan.streamed = streamed::choose(region, &plan, options);
    plan.peel = peel(analysis, &plan);
    plan.masked_rest = masks_rest(analysis, &plan, options);
    plan.prefetched = prefetched::choose(region, analysis, (&plan, &plan.streamed), options);
    Ok(plan)
}

/// Elements of pieces that begin between two vectors from which on their fronts are peeled, if
/// results are streamed from such pieces: stores past the caches want whole vectors, and a front
/// takes as long as some of these.
fn peel(analysis: &Analysis<'_>, plan: &Plan) -> Option<i64> {
    let lane = plan.lane.filter(|_| peel_is_legal(analysis, plan))?;
    let least = 4 * plan.lanes * plan.unroll;
    let tile = plan.grid.iter().find(|(var, _)| *var == lane);
    let between = tile.is_some_and(|(_, tile)| tile % plan.lanes != 0);
    let mut edges = vec![0];
    let cuts = plan.cuts.get(&lane).into_iter().flatten();
    edges.extend(cuts.map(|cut| cut.when_large()));
    edges.push(Plan::length(analysis, lane));
    let long = edges.windows(2).any(|piece| piece[1] - piece[0] >= least);
    (long && (between || edges.len() > 2)).then_some(least)
}

/// Returns how many steps of its loop each reduction combines at a time, by a plan of its loops.
fn combined(analysis: &Analysis<'_>, plan: &Plan) -> Vec<i64> {
    let mut combined = vec![1; analysis.instances.len()];
    for group in groups(analysis, plan) {
        let count = match step_of(analysis, plan, group[0]) {
            Some(ACCUMULATORS) => accumulators(analysis, plan, &group),
            Some(_) => columns::rows(analysis, plan, group[0]),
            None => 1,
        };
        for instance in group {
            combined[instance] = count;
        }
    }
    combined
}

/// Vector accumulators of each of the row reductions `group`, which share their loops: enough to
/// hide the time that one step takes.
fn accumulators(analysis: &Analysis<'_>, plan: &Plan, group: &[usize]) -> i64 {
    let work: f64 = group.iter().map(|i| analysis.work[i + 1]).sum();
    let registers = match work {
        w if w <= 12.0 => 4,
        w if w <= 60.0 => 2,
        _ => 1,
    };
    (registers / plan.registers).max(1)
}

/// The loops, which say nothing yet of how much reductions combine at a time, of stores past the
/// caches and of what is asked for ahead.
fn loops<'c>(
    region: &Region<'c>,
    analysis: &Analysis<'c>,
    options: &Options,
) -> Result<Plan, Declined> {
    let size = |var: VarId| Plan::length(analysis, var);
    let lanes = lanes_of(region, analysis, options);
    let parallel = parallel(analysis)?;
    let cuts = cuts(analysis)?;
    let ends = window::ends(analysis)?;
    let last = analysis.root_vars.last().copied();
    let columns_cost = last.map(|lane| cost(analysis, Some(lane), lanes, None));
    let rows_cost = cost(analysis, None, lanes, None);
    let stepwise = scans_stepwise(analysis);
    let lane = match columns_cost {
        Some(with) if with <= rows_cost && !stepwise => last,
        _ => None,
    };
    let plain_cost = match (lane, columns_cost) {
        (Some(_), Some(cost)) => cost,
        _ => rows_cost,
    };
    let inner = if options.is_off("inner-dimensions") || !ends.is_empty() {
        None
    } else {
        inner::find(region, analysis, lanes)
            .filter(|inner| cost(analysis, Some(inner.lane), lanes, Some(inner)) < plain_cost)
    };
    if let Some(inner) = inner {
        return Ok(inner_plan(
            region,
            analysis,
            options,
            (parallel, cuts),
            inner,
        ));
    }
    if lane.is_some_and(|lane| ends.contains_key(&lane)) {
        return Err(Declined::new(
            "vectors along windows over the ends of a run-time size",
        ));
    }
    let columns = lane.is_some_and(|lane| parallel.contains(&lane));
    let streaming = analysis.instances.is_empty() && analysis.scans.is_empty();
    let transpose = match (lane, streaming && parallel.is_empty() && ends.is_empty()) {
        (Some(lane), true) if !options.is_off("transposes") => {
            transpose_tile::across(analysis, lane, lanes)
        }
        _ => None,
    };
    let lanes = match (lane, transpose) {
        (Some(lane), Some(across)) => {
            transpose_tile::line(lanes, region.widest, size(lane).min(size(across)))
        }
        _ => lanes,
    };
    let side = lanes;
    let registers = match (transpose, lane) {
        (Some(across), Some(lane)) => {
            group::of_blocks(region, analysis, options, (lane, across), lanes)
        }
        _ => group::registers(region, analysis, options, lane, lanes),
    };
    let (register, lanes) = (lanes, lanes * registers);

    let work: f64 = analysis.work.iter().copied().fold(0.0, f64::max);
    let mut unroll = match work {
        w if w <= 16.0 => 4,
        w if w <= 50.0 => 2,
        _ => 1,
    };
    if columns {
        let extent = lane.map_or(1, size);
        unroll = match work {
            w if w <= 4.0 => 8,
            w if w <= 40.0 => 4,
            _ => 2,
        };
        while unroll > 1 && unroll * register > extent {
            unroll /= 2;
        }
    }
    unroll = (unroll / registers).max(1);
    // With all rows of a block in registers there is room for little else; without AVX-512 there is
    // often not even room for the block.
    let block = side * side * region.widest * 8;
    let crowded = options.vector_bits < 512 && block > ROOM * i64::from(options.vector_bits);
    let plain = !region.complex
        && cuts.is_empty()
        && ends.is_empty()
        && analysis.runtime.entries.is_empty();
    let wanted = transpose.is_some() && (work > 12.0 || crowded);
    let stored = (wanted && plain && !options.is_off("stored-blocks")).then_some(unroll.min(side));
    if transpose.is_some() {
        unroll = 1;
    }
    let mut row_vars: Vec<VarId> = analysis
        .root_vars
        .iter()
        .copied()
        .filter(|var| !parallel.contains(var))
        .collect();
    let mut grid: Vec<(VarId, i64)> = Vec::new();
    if !streaming || !parallel.is_empty() {
        for var in &analysis.root_vars {
            if parallel.contains(var) {
                let tile = if lane == Some(*var) {
                    lanes * unroll
                } else {
                    1
                };
                grid.push((*var, tile));
            }
        }
    } else if let (Some(lane), Some(across)) = (lane, transpose) {
        for var in &row_vars {
            if *var != lane && *var != across {
                grid.push((*var, 1));
            }
        }
        grid.extend(transpose_tile::tiles(
            region,
            analysis,
            (lane, across),
            side,
        ));
        row_vars.retain(|var| *var != lane && *var != across);
        row_vars.extend([lane, across]);
    } else {
        grid = streaming_grid(analysis, &row_vars, lane, lanes * unroll, &cuts);
    }
    let mut plan = Plan {
        lanes,
        registers,
        lane,
        columns,
        parallel,
        row_vars,
        grid,
        unroll,
        transpose,
        inner: None,
        unrolled: if columns {
            short_reductions(analysis)
        } else {
            Vec::new()
        },
        stored,
        cuts,
        ends,
        scratch_values: HashMap::new(),
        reciprocals: reciprocals(region, options, registers),
        constant_reciprocals: constant_reciprocals(region, options, lanes),
        prefetched: Prefetched::default(),
        wide: None,
        rows: None,
        combined: Vec::new(),
        streamed: Streamed::default(),
        peel: None,
        masked_rest: false,
        cost: columns_cost.unwrap_or(rows_cost).min(rows_cost) * register as f64,
    };
    if !options.is_off("row-scratch") {
        plan.scratch_values = scratch::choose(region, analysis, &plan, options.l2_bytes as i64);
        if !plan.scratch_values.is_empty() {
            // What is kept is known by its index, which the values of a variable would change.
            plan.unrolled.clear();
        }
    }
    if !options.is_off("memory-order") {
        columns::widen(region, analysis, &mut plan, options);
    }
    if !options.is_off("column-sweeps") {
        columns::sweeps(region, analysis, &mut plan, options);
    }
    if !options.is_off("row-groups") {
        row_block::group(region, analysis, &mut plan, options);
    }
    Ok(plan)
}

/// The plan with lanes along the dimension before the short ones.
fn inner_plan(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
    options: &Options,
    (mut parallel, cuts): (Vec<VarId>, HashMap<VarId, Vec<Extent>>),
    inner: Inner,
) -> Plan {
    let lanes = lanes_of(region, analysis, options);
    let size = |var: VarId| Plan::length(analysis, var);
    let cost = cost(analysis, Some(inner.lane), lanes, Some(&inner)) * lanes as f64;
    let work: f64 = analysis.work.iter().copied().fold(0.0, f64::max);
    let mut unroll = if work <= 16.0 && inner.count <= 4 {
        2
    } else {
        1
    };
    if unroll * lanes > size(inner.lane) {
        unroll = 1;
    }
    let mut grid = Vec::new();
    if analysis.instances.is_empty() {
        parallel = analysis.root_vars.clone();
        parallel.retain(|var| !inner.vars.contains(var));
        // Tiles of a few thousand elements; the innermost dimensions that fit are walked in full.
        let (mut inside, mut full) = (inner.count, false);
        for var in parallel.iter().rev() {
            let n = size(*var);
            if full {
                grid.push((*var, 1));
            } else if inside * n <= TILE {
                inside *= n;
            } else {
                full = true;
                let mut tile = (TILE / inside).max(1);
                if *var == inner.lane {
                    tile = (tile / (lanes * unroll)).max(1) * lanes * unroll;
                }
                grid.push((*var, tile.min(n)));
            }
        }
        grid.reverse();
    } else {
        for var in analysis
            .root_vars
            .iter()
            .filter(|v| !inner.vars.contains(v))
        {
            match *var == inner.lane {
                true => grid.push((*var, lanes * unroll)),
                false if parallel.contains(var) => grid.push((*var, 1)),
                false => {}
            }
        }
    }
    let mut row_vars = analysis.root_vars.clone();
    row_vars.retain(|var| !parallel.contains(var));
    let mut unrolled = short_reductions(analysis);
    unrolled.extend(&inner.vars);
    Plan {
        lanes,
        registers: 1,
        lane: Some(inner.lane),
        columns: true,
        parallel,
        row_vars,
        grid,
        unroll,
        transpose: None,
        stored: None,
        wide: None,
        rows: None,
        inner: Some(inner),
        unrolled,
        cuts,
        ends: BTreeMap::new(),
        scratch_values: HashMap::new(),
        reciprocals: reciprocals(region, options, 1),
        constant_reciprocals: constant_reciprocals(region, options, lanes),
        prefetched: Prefetched::default(),
        combined: Vec::new(),
        streamed: Streamed::default(),
        peel: None,
        masked_rest: false,
        cost,
    }
}

/// Chooses the divisions by something a row has in common that become multiplications. Only vectors
/// of 512 bits take longer to divide than the multiplications, the corrections and the check of the
/// range take; but the divider of others can work beside them.
fn reciprocals(region: &Region<'_>, options: &Options, registers: i64) -> Share {
    let divides = |op: &Op<'_>| divisor(*op).is_some();
    match options.vector_bits >= 512 {
        _ if options.is_off("reciprocals") => Share::None,
        _ if !group::operations(region).iter().any(divides) => Share::None,
        true => Share::All,
        false if registers > 1 => Share::Half,
        false => Share::None,
    }
}

/// Tells whether divisions by constants become multiplications. They do for vectors that are long
/// to divide.
fn constant_reciprocals(region: &Region<'_>, options: &Options, lanes: i64) -> bool {
    let share = reciprocals(region, options, 1);
    share == Share::All && constant_reciprocals_pay(lanes) && divides_by_constants(region)
}

/// Bits of the vectors that take longer to divide than to multiply and to correct.
const LONG_TO_DIVIDE: i64 = 512;

/// Tells whether vectors of so many lanes of `f32` take longer to divide than to multiply and to
/// correct.
pub(crate) fn constant_reciprocals_pay(lanes: i64) -> bool {
    lanes * 32 >= LONG_TO_DIVIDE
}

/// Tiles of a few thousand elements; the innermost dimensions that fit are walked in full.
fn streaming_grid(
    analysis: &Analysis<'_>,
    vars: &[VarId],
    lane: Option<VarId>,
    step: i64,
    cuts: &HashMap<VarId, Vec<Extent>>,
) -> Vec<(VarId, i64)> {
    let size = |var: VarId| Plan::length(analysis, var);
    // Variables that move within a cache line of an operand that the lanes jump about in belong to
    // the tile.
    let near = |var: VarId| {
        lane.is_some_and(|lane| {
            var != lane
                && analysis.accesses.iter().any(|access| {
                    access
                        .offset
                        .coefficient(lane)
                        .is_none_or(|k| k.when_large().abs() > 1)
                        && access
                            .offset
                            .coefficient(var)
                            .is_some_and(|k| k != 0 && k.when_large().abs() < 16)
                })
        })
    };
    let mut order: Vec<VarId> = vars
        .iter()
        .copied()
        .filter(|v| !near(*v) && Some(*v) != lane)
        .collect();
    order.extend(vars.iter().copied().filter(|v| near(*v)));
    order.extend(
        vars.iter()
            .copied()
            .filter(|v| Some(*v) == lane && !near(*v)),
    );
    let mut inside = 1;
    let mut grid = Vec::new();
    let mut full = false;
    for var in order.into_iter().rev() {
        let n = size(var);
        if full {
            grid.push((var, 1));
            continue;
        }
        let limit = if cuts.contains_key(&var) && Some(var) == lane {
            8 * TILE
        } else {
            TILE
        };
        if inside * n <= limit {
            inside *= n;
            continue;
        }
        full = true;
        let mut tile = (limit / inside).max(1);
        if Some(var) == lane {
            tile = (tile / step).max(1) * step;
        }
        grid.push((var, tile.min(n)));
    }
    grid.reverse();
    grid
}
