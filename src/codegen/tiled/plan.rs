//! How a walked region is cut into tiles, loops and lanes.
//!
//! - The *lane* variable is the one that neighbouring lanes of a vector differ in: the last dimension of the results, unless
//!   reading along the reduced dimension is cheaper, in which case the (few) results are computed one by one.
//! - *Parallel* variables are those that reductions keep. If the lane variable is one of them, accumulators are vectors and the
//!   reduced dimension is walked element by element (a column region); otherwise accumulators are summed up at the end of a row.
//! - A region without reductions is cut into tiles of a few thousand elements, or into square tiles where an operand is read
//!   across its rows (`transpose`).

use super::analysis::{Analysis, ValueAt};
use super::cost::cost;
use super::group;
use super::inner::{self, Inner};
use super::kept::{Kept, kept};
use super::region::Region;
use super::rows::{self, Rows};
use super::square;
use crate::{Declined, Options};
use mapwright_fusion::condition::cuts_of_pieces;
use mapwright_fusion::role::combines_simply;
use mapwright_indexing::linear::VarId;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Op, ValueType};
use mapwright_ops::attrs::computation;
use std::collections::{BTreeMap, HashMap};

/// Are the elements of a prefix reduction stored in a byte?
fn scans_bytes(scan: Op<'_>) -> bool {
    match ValueType::from_mlir(scan.result(0).r#type()) {
        ValueType::Tensor(ty) => ty.element.bit_width().is_none_or(|bits| bits <= 8),
        _ => true,
    }
}

/// The cut.
pub(crate) struct Plan {
    pub lanes: i64,
    /// Registers that a vector of so many lanes is made of.
    pub registers: i64,
    /// Lane variable of the root sweep.
    pub lane: Option<VarId>,
    /// The lane variable is parallel.
    pub columns: bool,
    pub parallel: Vec<VarId>,
    /// Variables of the root sweep that are not parallel, outermost first, the lane variable last.
    pub row_vars: Vec<VarId>,
    /// Tiled variables with their tile sizes, slowest first; all others are walked in full by each tile.
    pub grid: Vec<(VarId, i64)>,
    /// Vectors side by side in the root sweep (in a column region: of the tile).
    pub unroll: i64,
    /// The variable along which operands are contiguous that the lane variable strides over.
    pub transpose: Option<VarId>,
    /// Rows of a transposed block, of which each has an element in every lane.
    pub side: i64,
    /// Short innermost dimensions, if the lanes run along the one before them.
    pub inner: Option<Inner>,
    /// Variables that are walked without a loop where there are lanes.
    pub unrolled: Vec<VarId>,
    /// Rows of transposed blocks that are computed with at a time, out of memory; none: all of them, in registers.
    pub stored: Option<i64>,
    /// Where the loop over a variable is cut, ascending.
    pub cuts: HashMap<VarId, Vec<i64>>,
    pub kept: HashMap<ValueAt, Kept>,
    /// Divisions by what a row has in common that become multiplications.
    pub reciprocals: Share,
    /// Rows of blocks that are far apart are asked for ahead.
    pub prefetches: bool,
    /// A column region whose reductions go along many columns at once.
    pub wide: Option<Wide>,
    /// Short rows that are swept several at a time.
    pub rows: Option<Rows>,
    /// Estimated cost of the region in simple operations.
    pub cost: f64,
}

/// How many of the divisions of a vector are multiplications by a reciprocal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Share {
    None,
    /// Those of every other register: the divider and the multipliers work at the same time.
    Half,
    All,
}

/// Reductions of many columns in the order of memory.
#[derive(Clone, Copy)]
pub(crate) struct Wide {
    /// Columns of a tile, a multiple of the lanes.
    pub columns: i64,
    /// Reduced elements that are combined at a time.
    pub rows: i64,
}

/// Elements of a streaming tile.
const TILE: i64 = 8192;
/// Bytes of a cache line.
pub(crate) const LINE: i64 = 64;
/// Registers of 128 and 256 bits that a block which is transposed has: the other half is for what is on the way.
const ROOM: i64 = 8;

impl Plan {
    /// No loops at all: for an evaluator of vectors of `lanes` elements inside the loops of another emitter.
    pub fn bare(lanes: i64, options: &Options) -> Self {
        Self {
            lanes,
            registers: 1,
            lane: None,
            columns: false,
            parallel: Vec::new(),
            row_vars: Vec::new(),
            grid: Vec::new(),
            unroll: 1,
            transpose: None,
            side: lanes,
            inner: None,
            unrolled: Vec::new(),
            stored: None,
            cuts: HashMap::new(),
            kept: HashMap::new(),
            reciprocals: reciprocals(options, 1),
            prefetches: true,
            wide: None,
            rows: None,
            cost: 0.0,
        }
    }

    pub fn size(analysis: &Analysis<'_>, var: VarId) -> i64 {
        analysis.ranges.vars[var].1 + 1
    }

    /// Vector accumulators of each of the row reductions `group`, which share their loops: enough to hide the time that one step takes.
    pub fn accumulators(&self, analysis: &Analysis<'_>, group: &[usize]) -> i64 {
        let work: f64 = group.iter().map(|i| analysis.work[i + 1]).sum();
        let registers = match work {
            w if w <= 12.0 => 4,
            w if w <= 60.0 => 2,
            _ => 1,
        };
        (registers / self.registers).max(1)
    }

    /// Which part of the work that is estimated for a tile there is where run-time sizes within it are those that may be expected.
    pub fn typical_share(&self, region: &Region<'_>, analysis: &Analysis<'_>) -> f64 {
        let reduced = analysis.instances.iter().flat_map(|i| &i.vars);
        let mut vars: Vec<VarId> = analysis.root_vars.iter().chain(reduced).copied().collect();
        vars.retain(|var| self.grid.iter().all(|(other, _)| other != var));
        vars.sort_unstable();
        vars.dedup();
        let share = |var: VarId| {
            let size = Self::size(analysis, var);
            region.sizes.expected(size) as f64 / size as f64
        };
        vars.into_iter().map(share).product()
    }

    /// Number of tiles.
    pub fn tiles(&self, analysis: &Analysis<'_>) -> i64 {
        self.grid
            .iter()
            .map(|(var, tile)| (Self::size(analysis, *var) + tile - 1) / tile)
            .product()
    }
}

/// Makes the plan.
pub(crate) fn plan<'c>(
    region: &Region<'c>,
    analysis: &Analysis<'c>,
    options: &Options,
) -> Result<Plan, Declined> {
    let size = |var: VarId| Plan::size(analysis, var);
    let lanes = (i64::from(options.vector_bits) / 8 / region.widest).max(2);
    let parallel = analysis.parallel();
    for var in &parallel {
        if !analysis.root_vars.contains(var)
            || analysis.instances.iter().any(|i| i.vars.contains(var))
        {
            return Err(Declined::new("a reduction inside the loop of another one"));
        }
    }
    let cuts = cuts(region, analysis)?;
    let last = analysis.root_vars.last().copied();
    let columns_cost = last.map(|lane| cost(analysis, Some(lane), lanes, None));
    let rows_cost = cost(analysis, None, lanes, None);
    // Prefixes along a vector are combined by doubling distances, which an operation of known identity allows; others go element by element.
    // So do bytes: LLVM 22 does not come to an end with a chain of shuffles and `and`s of a vector of them (`SelectionDAG::Legalize`).
    let stepwise = analysis.scans.iter().any(|scan| {
        Some(scan.var) == last
            && (!computation(scan.op, 0).is_some_and(combines_simply) || scans_bytes(scan.op))
    });
    let lane = match columns_cost {
        Some(with) if with <= rows_cost && !stepwise => last,
        _ => None,
    };
    let plain_cost = match (lane, columns_cost) {
        (Some(_), Some(cost)) => cost,
        _ => rows_cost,
    };
    let inner = match options.is_off("inner-dimensions") {
        true => None,
        false => inner::of(region, analysis, lanes)
            .filter(|inner| cost(analysis, Some(inner.lane), lanes, Some(inner)) < plain_cost),
    };
    if let Some(inner) = inner {
        return Ok(inner_plan(analysis, options, lanes, parallel, cuts, inner));
    }
    let columns = lane.is_some_and(|lane| parallel.contains(&lane));
    let streaming = analysis.instances.is_empty() && analysis.scans.is_empty();
    let transpose = match (lane, streaming && parallel.is_empty()) {
        (Some(lane), true) if !options.is_off("transposes") => {
            square::across(analysis, lane, lanes)
        }
        _ => None,
    };
    let lanes = match (lane, transpose) {
        (Some(lane), Some(across)) => {
            square::line(lanes, region.widest, size(lane).min(size(across)))
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
    // With all rows of a block in registers there is room for little else; without AVX-512 there is often not even room for the block.
    let block = side * side * region.widest * 8;
    let crowded = options.vector_bits < 512 && block > ROOM * i64::from(options.vector_bits);
    let plain = !region.complex && cuts.is_empty() && analysis.runtime.entries.is_empty();
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
        grid.extend(square::tiles(region, analysis, (lane, across), side));
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
        side,
        inner: None,
        unrolled: match columns {
            true => short_reductions(analysis),
            false => Vec::new(),
        },
        stored,
        cuts,
        kept: HashMap::new(),
        reciprocals: reciprocals(options, registers),
        prefetches: !options.is_off("prefetches"),
        wide: None,
        rows: None,
        cost: columns_cost.unwrap_or(rows_cost).min(rows_cost) * register as f64,
    };
    if !options.is_off("kept-rows") {
        plan.kept = kept(region, analysis, &plan, options.l2_bytes as i64);
        if !plan.kept.is_empty() {
            // What is kept is known by its index, which the values of a variable would change.
            plan.unrolled.clear();
        }
    }
    if !options.is_off("memory-order") {
        super::wide::widen(region, analysis, &mut plan, options);
    }
    if !options.is_off("column-sweeps") {
        super::wide::sweeps(region, analysis, &mut plan, options);
    }
    if !options.is_off("row-groups") {
        rows::group(region, analysis, &mut plan, options);
    }
    Ok(plan)
}

/// The plan with lanes along the dimension before the short ones.
fn inner_plan(
    analysis: &Analysis<'_>,
    options: &Options,
    lanes: i64,
    mut parallel: Vec<VarId>,
    cuts: HashMap<VarId, Vec<i64>>,
    inner: Inner,
) -> Plan {
    let size = |var: VarId| Plan::size(analysis, var);
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
        side: lanes,
        stored: None,
        wide: None,
        rows: None,
        inner: Some(inner),
        unrolled,
        cuts,
        kept: HashMap::new(),
        reciprocals: reciprocals(options, 1),
        prefetches: !options.is_off("prefetches"),
        cost,
    }
}

/// Which divisions by what a row has in common are multiplications? Only vectors of 512 bits take longer to divide than the multiplications, the
/// corrections and the check of the range take; but the divider of others can work beside them.
fn reciprocals(options: &Options, registers: i64) -> Share {
    match options.vector_bits >= 512 {
        _ if options.is_off("reciprocals") => Share::None,
        true => Share::All,
        false if registers > 1 => Share::Half,
        false => Share::None,
    }
}

/// Variables of reductions of a few elements, which need no loop.
fn short_reductions(analysis: &Analysis<'_>) -> Vec<VarId> {
    const FEW: i64 = 16;
    let mut found = Vec::new();
    for instance in &analysis.instances {
        let elements: i64 = instance
            .vars
            .iter()
            .map(|v| Plan::size(analysis, *v))
            .product();
        if elements <= FEW {
            found.extend(
                instance
                    .vars
                    .iter()
                    .filter(|v| !found.contains(*v))
                    .copied()
                    .collect::<Vec<_>>(),
            );
        }
    }
    found
}

/// Loops are cut where a condition changes.
fn cuts(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
) -> Result<HashMap<VarId, Vec<i64>>, Declined> {
    let mut cuts: HashMap<VarId, Vec<i64>> = HashMap::new();
    let mut pieces: BTreeMap<VarId, Vec<(i64, i64)>> = BTreeMap::new();
    let several = || {
        Declined::new(
            "a condition on several dimensions at once (pieces that no loop can be cut at)",
        )
    };
    let at_run_time = || Declined::new("pieces along a dimension of run-time size");
    for condition in &analysis.conditions {
        let [(atom, k)] = condition.lin.terms.as_slice() else {
            return Err(several());
        };
        let Some(var) = atom.as_var() else {
            return Err(several());
        };
        let (k, c) = (*k, condition.lin.constant);
        let end = Plan::size(analysis, var);
        if condition.run_time || region.sizes.contain(end) {
            let Some((_, piece)) = condition.bounds_at_run_time(&analysis.ranges) else {
                return Err(at_run_time());
            };
            pieces.entry(var).or_default().push(piece);
            continue;
        }
        // k*v + c >= lo and k*v + c <= hi, for either sign of k.
        let bounds = match k > 0 {
            true => [
                ceil(condition.lo - c, k),
                (condition.hi - c).div_euclid(k) + 1,
            ],
            false => [
                ceil(c - condition.hi, -k),
                (c - condition.lo).div_euclid(-k) + 1,
            ],
        };
        let list = cuts.entry(var).or_default();
        for cut in bounds {
            if 0 < cut && cut < end && !list.contains(&cut) {
                list.push(cut);
            }
        }
    }
    for (var, pieces) in pieces {
        let list = cuts_of_pieces(&pieces).ok_or_else(at_run_time)?;
        for cut in &list {
            let before = pieces
                .iter()
                .find(|(_, to)| to == cut)
                .map(|(from, _)| *from);
            if !region.sizes.names_sum(*cut, before) {
                return Err(at_run_time());
            }
        }
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

fn ceil(a: i64, b: i64) -> i64 {
    -((-a).div_euclid(b))
}

/// Tiles of a few thousand elements; the innermost dimensions that fit are walked in full.
fn streaming_grid(
    analysis: &Analysis<'_>,
    vars: &[VarId],
    lane: Option<VarId>,
    step: i64,
    cuts: &HashMap<VarId, Vec<i64>>,
) -> Vec<(VarId, i64)> {
    let size = |var: VarId| Plan::size(analysis, var);
    // Variables that move within a cache line of an operand that the lanes jump about in belong to the tile.
    let near = |var: VarId| {
        lane.is_some_and(|lane| {
            var != lane
                && analysis.accesses.iter().any(|access| {
                    access.offset.coefficient(lane).is_none_or(|k| k.abs() > 1)
                        && access
                            .offset
                            .coefficient(var)
                            .is_some_and(|k| k != 0 && k.abs() < 16)
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
        let limit = match cuts.contains_key(&var) && Some(var) == lane {
            true => 8 * TILE,
            false => TILE,
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
