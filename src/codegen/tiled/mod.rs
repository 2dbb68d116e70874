//! The tiled vector emitter: loops over tiles, sweeps over rows, lanes of vectors.
//!
//! | file | what |
//! |---|---|
//! | [`mapwright_indexing::linear`] | offsets as sums of loop variables and quotients |
//! | [`mapwright_fusion::node`] | what one element of a value is made of |
//! | `region` | what goes in and out of a region |
//! | `analysis`, `walk` | everything a region reads, its reductions |
//! | `nest` | what each loop runs over: a dimension, several, or a digit of one |
//! | `plan` | lanes, tiles, places: what the loops are made by |
//! | `choose`, `columns`, `cost` | the cheapest of them |
//! | `restrictions`, `cuts` | what a region allows, where its loops are cut for pieces |
//! | `schedule`, `stated`, `names` | the plan as data: written, and read with a check of every step |
//! | `group` | vectors of several registers |
//! | `scratch` | which values stay in scratch for the sweeps that follow, and where |
//! | `emitter` | the loops that are open, what has been computed in them, memory |
//! | `numbers` | sums of loop variables as code |
//! | `element` | which function computes an element, from what it is made of |
//! | `loops` | the loops over variables and lanes |
//! | `peel` | the front of a long row that is streamed |
//! | `reductions` | which reductions share their loops, and how much of these they combine at a time |
//! | `sweep`, `scan` | reductions, the sweep that stores, and prefix reductions |
//! | `column_block` | reductions of many columns in the order of memory |
//! | `row_block` | short rows, a few at a time |
//! | `store`, `streamed` | results and scratch; which results are stored past the caches |
//! | `piecewise` | elements that come from one of several places |
//! | `quotient` | division by what a loop does not change |
//! | `access` | reading along lanes: contiguous, backwards, in runs, gathered |
//! | `prefetched`, `prefetch` | asking for rows that are far apart: which, and how |
//! | `blocks` | reading across lanes: blocks that are transposed |
//! | `reduce`, `select`, `extreme` | accumulators |
//! | `generate` | the kernel: its tiles, and in each of them the sweeps |
//!
//! It declines what it does not handle, with the reason; the general emitter takes the region then.

mod access;
pub(crate) mod analysis;
mod blocks;
mod choose;
mod column_block;
mod columns;
mod complex;
pub(crate) mod cost;
mod cuts;
pub(crate) mod element;
pub(crate) mod emitter;
mod extreme;
mod generate;
mod group;
mod inner;
mod inner_sizes;
mod loops;
mod nest;
mod numbers;
mod peel;
mod piecewise;
pub(crate) mod plan;
mod prefetch;
mod prefetched;
mod quotient;
mod read_schedule;
mod reduce;
mod reductions;
pub(crate) mod region;
mod restrictions;
mod row_block;
mod scan;
mod schedule;
mod scratch;
mod select;
mod store;
mod streamed;
mod sweep;
mod symbols;
mod transpose_tile;
mod walk;
mod window;

pub(crate) use choose::constant_reciprocals_pay;

use crate::{
    emitter::{Declined, EmitContext, Emitter, Kernel, Options, Tiles},
    kernel_kind::KernelKind,
    storage::buffer_type,
};
use mapwright_indexing::Extent;
use mapwright_mlir::{Builder, Op};
use mapwright_ops::schedules::stated;
use mapwright_schedule::Schedule;

/// The emitter.
pub struct Tiled;

/// Scalar operations that make a task worth a thread's while.
const TASK: f64 = 60_000.0;

impl Emitter for Tiled {
    fn name(&self) -> &'static str {
        "tiled"
    }

    fn content(&self) -> KernelKind {
        KernelKind::Vectors
    }

    fn emit<'c>(
        &self,
        cx: &EmitContext<'_, 'c>,
        fusion: Op<'c>,
        name: &str,
    ) -> Result<Kernel, Declined> {
        let region = region::Region::from_fusion(fusion, cx.options.composing())?;
        let stated = stated(fusion)?;
        let (analysis, plan, schedule) = planned(&region, cx.options, stated.as_ref())?;

        let module = cx.module;
        module.set_location(fusion.location());
        let mut types = Vec::new();
        for port in region.inputs.iter().chain(&region.roots) {
            types.push(buffer_type(module, &port.ty)?);
        }
        let (buffers, sizes) = (types.len(), region.size_arguments);
        types.extend(vec![module.index(); sizes + 2]);
        let func = module.try_func(name, &types, &[], true, |b, arguments| {
            region.sizes.name(b, &arguments[buffers..]);
            let arguments = [&arguments[..buffers], &arguments[buffers + sizes..]].concat();
            generate::generate(b, &region, &analysis, &plan, &arguments)?;
            b.ret(&[]);
            Ok::<(), Declined>(())
        })?;
        let in_place = in_place(&region, &analysis, &plan);
        crate::general::attach(func, module, buffers, region.inputs.len(), &in_place);
        let tiles = plan.tiles(&analysis);
        let count = tiles.when_large();
        let of_tile = plan.cost / count.max(1) as f64 * plan.typical_share(&analysis);
        let tiles = match tiles.as_constant() {
            Some(count) => Tiles::Static(count),
            None => {
                count_function(module, &region, tiles, name);
                Tiles::Dynamic
            }
        };
        Ok(Kernel {
            emitter: self.name(),
            tiles,
            grain: ((TASK / of_tile.max(1.0)) as i64).clamp(1, count.max(1)),
            cost: plan.cost,
            scratch_bytes: 0,
            prepacked_bytes: 0,
            phases: Vec::new(),
            in_place,
            updates: None,
            weighed: false,
            inner_sizes: region.inner_sizes.clone(),
            schedule,
        })
    }
}

/// `@name_tiles(sizes…) -> index` for a region with run-time sizes.
fn count_function<'c>(
    module: &Builder<'c>,
    region: &region::Region<'c>,
    tiles: Extent,
    name: &str,
) {
    let types = vec![module.index(); region.size_arguments];
    let result = [module.index()];
    module.func(
        &format!("{name}_tiles"),
        &types,
        &result,
        false,
        |b, sizes| {
            region.sizes.name(b, sizes);
            b.ret(&[b.cidx(tiles)]);
        },
    );
}

/// Analyses a region and plans its loops: by the schedule that is stated for it, or by one that is
/// chosen.
pub(crate) fn planned<'c>(
    region: &region::Region<'c>,
    options: &Options,
    stated: Option<&Schedule>,
) -> Result<(analysis::Analysis<'c>, plan::Plan, Schedule), Declined> {
    let mut analysis = walk::walk(region, &nest::Nests::default())?;
    for _ in 0..nest::MOST_WALKS {
        match analysis.finer() {
            Some(nests) => analysis = walk::walk(region, &nests)?,
            None => break,
        }
    }
    let analysis = walk::walk(region, &analysis.joined())?;
    let several = |i: &analysis::Instance<'_>| i.op.num_results() > 1;
    for (path, found) in [
        ("reductions", !analysis.instances.is_empty()),
        ("selections", analysis.instances.iter().any(several)),
        ("scans", !analysis.scans.is_empty()),
        ("windows", analysis.windows),
        ("complex-lanes", region.complex),
    ] {
        if found && options.is_off(path) {
            return Err(Declined::new(format!("{path} are switched off")));
        }
    }
    // What the loops are made by is read from a schedule, whoever wrote it.
    let schedule = match stated {
        Some(schedule) => schedule.clone(),
        None => schedule::print_schedule(
            region,
            &analysis,
            &choose::choose(region, &analysis, options)?,
        ),
    };
    let plan = read_schedule::read(&schedule, region, &analysis, options)?;
    Ok((analysis, plan, schedule))
}

/// An output may take the memory of an input if each of its elements is read at the place where it
/// is written and nowhere else.
pub(crate) fn in_place(
    region: &region::Region<'_>,
    analysis: &analysis::Analysis<'_>,
    plan: &plan::Plan,
) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    if plan.transpose.is_some() || !analysis.secondary.is_empty() {
        return pairs;
    }
    for (k, root) in region.roots.iter().enumerate() {
        let own = root.offset(&analysis.index);
        for (i, input) in region.inputs.iter().enumerate() {
            let read = |access: &&analysis::Access| access.input == i;
            let same = analysis
                .accesses
                .iter()
                .filter(read)
                .all(|a| a.offset == own);
            let any = analysis.accesses.iter().any(|a| a.input == i);
            if same && any && input.is_like(root) && !plan.keeps_in(k) {
                pairs.push((k, i));
            }
        }
    }
    pairs
}
