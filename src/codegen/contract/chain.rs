//! A product, work on the rows of its result, and a product of the outcome: attention. What lies between the products is never in memory as a
//! whole: each tile has a block of rows of it, which stays in the second-level cache where the rows are not too long for that.
//!
//! The three stages are regions that the other emitters know; their plans are made so that a tile of the one needs what a tile of the other
//! made, which is checked on the offsets at which they read and write. A stage's memory of rows holds a part of a tensor: offsets are taken
//! from the first element of the part ([`Port::base`]).

use super::TASK;
use super::kernel::Make;
use super::plan::{self, Buffer, Cut, Plan, ceil};
use super::problem::{B, M, MO, N, NO, Problem, R};
use crate::content::Content;
use crate::emitter::{Cx, Declined, Emitter, Kernel, Options, Phase, Tiles};
use crate::storage::{buffer_type, storage_type};
use crate::tiled;
use crate::tiled::analysis::Analysis;
use crate::tiled::generate::Gen;
use crate::tiled::region::{Port, Region};
use mapwright_indexing::linear::{Sum, VarId};
use mapwright_mlir::{Builder, Op, Ty, Val, edit, op};

/// The emitter.
pub struct Chain;

/// Share of the second-level cache that a block of rows may take, of eight; the rest is for the columns that pass by.
const SHARE: i64 = 3;
/// A block is on the stack: this many bytes at most.
const MOST: i64 = 1 << 20;
/// Rows of a block below which the columns are read so often that rows beyond the share of the cache are better. However few there are: what
/// lies between the products would be larger by far in memory.
const FEW: i64 = 24;
/// Rows of a block below which threads do not cut it further.
const ENOUGH: i64 = 48;
/// Rows that many bytes apart compete for the same places of a cache.
const ALIAS: i64 = 1024;

/// Where a stage finds an input.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// An input of the region.
    Input(usize),
    /// The rows that the stage before makes.
    Rows,
}

/// A stage's part of the region.
struct Stage<'c> {
    fusion: Op<'c>,
    inputs: Vec<Place>,
}

impl Stage<'_> {
    /// The input that the rows are; there is one at most.
    fn rows(&self) -> Option<usize> {
        self.inputs.iter().position(|place| *place == Place::Rows)
    }
}

/// The stages and where their inputs come from.
fn stages<'c>(fusion: Op<'c>) -> R<[Stage<'c>; 3]> {
    let body = fusion
        .body(0)
        .ok_or_else(|| Declined::new("a region without a body"))?;
    let arguments: Vec<usize> = op::arguments(body).into_iter().map(op::key).collect();
    let mut ops = op::ops(body);
    let end = ops.pop();
    let mut found = Vec::new();
    let mut before: Option<Val<'c>> = None;
    for (i, fusion) in ops.iter().copied().enumerate() {
        let mut inputs = Vec::new();
        for value in fusion.operands() {
            let argument = arguments.iter().position(|a| *a == op::key(value));
            inputs.push(match argument {
                Some(argument) => Place::Input(argument),
                None if before.is_some_and(|b| op::key(b) == op::key(value)) => Place::Rows,
                None => return Err(Declined::new("stages that do not follow one another")),
            });
        }
        let once = inputs.iter().filter(|p| **p == Place::Rows).count();
        if once != usize::from(i > 0) || (i + 1 < ops.len() && fusion.num_results() != 1) {
            return Err(Declined::new("stages that do not follow one another"));
        }
        before = fusion.results().first().copied();
        found.push(Stage { fusion, inputs });
    }
    let last = ops.last().map(|op| op.results()).unwrap_or_default();
    let yields = end.map(|end| end.operands()).unwrap_or_default();
    let same = last.len() == yields.len()
        && last
            .iter()
            .zip(&yields)
            .all(|(a, b)| op::key(*a) == op::key(*b));
    match (same, <[Stage<'c>; 3]>::try_from(found)) {
        (true, Ok(stages)) => Ok(stages),
        _ => Err(Declined::new("not a product, rows and a product")),
    }
}

/// Everything that is decided before code is made.
struct Ready<'c> {
    regions: [Region<'c>; 3],
    first: (Problem<'c>, Plan),
    middle: (Analysis<'c>, tiled::plan::Plan),
    second: (Problem<'c>, Plan),
    /// Variables that say where the rows in memory begin, one a stage.
    bases: [VarId; 3],
    /// Rows of one image, and of a block.
    rows: (i64, i64),
    images: i64,
    /// Elements from one row to the next.
    pitch: i64,
    /// The middle writes over what it reads.
    in_place: bool,
    cost: f64,
}

/// Elements from one row to the next: whole vectors, not a multiple of what makes rows compete for places of a cache.
fn pitch(columns: i64, ports: [&Port<'_>; 2], options: &Options) -> i64 {
    let width = |port: &Port<'_>| port.ty.element.byte_width().unwrap_or(4) as i64;
    let narrow = width(ports[0]).min(width(ports[1])).max(1);
    let lanes = (i64::from(options.vector_bits) / 8 / narrow).max(1);
    let whole = ceil(columns, lanes) * lanes;
    let bad = |pitch: i64| ports.iter().any(|p| pitch * width(p) % ALIAS == 0);
    match bad(whole) {
        true => whole + lanes,
        false => whole,
    }
}

/// Is it `image * (rows * pitch) + row * pitch + along`, for variables of these sizes?
fn by_rows(p: &Problem<'_>, offset: &Sum, along: VarId, pitch: i64) -> R<()> {
    let own = Sum::var(B)
        .scaled(p.size(M))
        .plus(&Sum::var(M))
        .scaled(pitch)
        .plus(&Sum::var(along));
    // Variables of one value are written as zero.
    let ranges = &p.ranges;
    let zero = |x: Sum| {
        [B, M, along].into_iter().fold(x, |x, v| match p.size(v) {
            1 => x.with_var(v, &Sum::constant(0), ranges),
            _ => x,
        })
    };
    match zero(own) == zero(offset.clone()) && p.size(MO) == 1 && p.size(NO) == 1 {
        true => Ok(()),
        false => Err(Declined::new(
            "rows between the products that are not in the order of both",
        )),
    }
}

/// Does the middle walk rows one by one, each with its own elements of what it reads and writes?
fn own_rows(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
    plan: &tiled::plan::Plan,
    input: usize,
    (rows, columns, pitch): (i64, i64, i64),
) -> R<()> {
    let declined = || Declined::new("work between the products that is not row by row");
    let size = |v: VarId| analysis.ranges.vars[v].1 + 1;
    let walked: i64 = plan.grid.iter().map(|(v, _)| size(*v)).product();
    if plan.columns
        || plan.transpose.is_some()
        || !analysis.secondary.is_empty()
        || !analysis.scans.is_empty()
        || walked != rows
        || plan.grid.iter().any(|(_, tile)| *tile != 1)
    {
        return Err(declined());
    }
    let mut row = Sum::default();
    for (v, _) in &plan.grid {
        row = row.scaled(size(*v)).plus(&Sum::var(*v));
    }
    let row = row.scaled(pitch);
    let within = |offset: &Sum| {
        let along = offset.minus(&row);
        let mut values = Vec::new();
        along.values(&mut values);
        let (lo, hi) = along.range(&analysis.ranges);
        values.is_empty()
            && !plan.grid.iter().any(|(v, _)| along.depends_on(*v))
            && 0 <= lo
            && hi < columns
    };
    let reads = analysis
        .accesses
        .iter()
        .filter(|a| a.input == input)
        .all(|a| within(&a.offset));
    match reads && within(&region.roots[0].offset(&analysis.index)) {
        true => Ok(()),
        false => Err(declined()),
    }
}

/// Rows of the register tiles and register tiles in a block.
fn cut(first: &Problem<'_>, second: &Problem<'_>, options: &Options, row_bytes: i64) -> R<Cut> {
    let m = first.size(M);
    let fitting = |bytes: i64| bytes / row_bytes.max(1);
    let cached = fitting((options.l2_bytes as i64 * SHARE / 8).min(MOST));
    let most = cached.max(fitting(MOST).min(FEW));
    if most < 1 {
        return Err(Declined::new(format!(
            "{row_bytes} bytes of each row between the products are too many for a block"
        )));
    }
    let all = m * first.size(B);
    let wanted = match options.threads {
        1 => most,
        threads => ceil(all, 8 * threads as i64).max(ENOUGH).min(most),
    };
    let mut best = (f64::MAX, Cut { rows: 1, block: 1 });
    for rows in 1..=16i64.min(m).min(most) {
        let cycles = plan::cycles_of_rows(first, options, rows)
            + plan::cycles_of_rows(second, options, rows);
        if cycles < best.0 - 1e-9 {
            // Even blocks.
            let total = ceil(m, rows);
            let block = (wanted / rows).max(1).min(total);
            let block = ceil(total, ceil(total, block));
            best = (cycles, Cut { rows, block });
        }
    }
    Ok(best.1)
}

fn ready<'c>(stages: &[Stage<'c>; 3], options: &Options) -> R<Ready<'c>> {
    let [one, two, three] = stages;
    let (Some(from), Some(to)) = (two.rows(), three.rows()) else {
        return Err(Declined::new("stages that do not follow one another"));
    };
    let mut regions = [
        Region::of_reals(one.fusion)?,
        Region::of_reals(two.fusion)?,
        Region::of_reals(three.fusion)?,
    ];
    if regions.iter().any(|region| !region.sizes.is_empty()) {
        return Err(Declined::new("products of run-time sizes"));
    }
    let scores = &regions[0].roots[0];
    let outcome = &regions[1].roots[0];
    let columns = scores.shape.last().copied().unwrap_or(1);
    let elements = |port: &Port<'_>| port.shape.iter().product::<i64>();
    if outcome.shape.last() != Some(&columns) || elements(scores) != elements(outcome) {
        return Err(Declined::new(
            "rows of another length after the work on them",
        ));
    }
    let pitch = pitch(columns, [scores, outcome], options);
    let width = |port: &Port<'_>| port.ty.element.byte_width().unwrap_or(4) as i64;
    let widths = (width(scores), width(outcome));
    let wide = |port: &mut Port<'c>| {
        if let Some(last) = port.layout.last_mut() {
            *last = pitch;
        }
    };
    let [r0, r1, r2] = &mut regions;
    wide(&mut r0.roots[0]);
    wide(&mut r1.inputs[from]);
    wide(&mut r1.roots[0]);
    wide(&mut r2.inputs[to]);

    let mut first = Problem::of(r0, one.fusion, false)?;
    let mut second = Problem::of(r2, three.fusion, false)?;
    if first.image.is_some() || second.image.is_some() {
        return Err(Declined::new("a convolution"));
    }
    by_rows(&first, &r0.roots[0].offset(&first.root_index), N, pitch)?;
    let (Some((input, offset)), [k]) = (second.rows.plain.clone(), second.k.as_slice()) else {
        return Err(Declined::new(
            "rows that the second product does not read as they are",
        ));
    };
    by_rows(&second, &offset, *k, pitch)?;
    let elsewhere = second.cols.accesses.iter().any(|a| a.0 == to) || second.ends.contains(&to);
    let images = first.size(B);
    if input != to
        || elsewhere
        || second.size(B) != images
        || second.size(M) != first.size(M)
        || second.size(*k) != columns
    {
        return Err(Declined::new("products that do not share their rows"));
    }
    // The rows are those of the products here.
    let mut options_of_rows = options.clone();
    options_of_rows.disabled.push("row-groups".into());
    let (mut analysis, middle) = tiled::planned(r1, &options_of_rows)?;
    let rows = images * first.size(M);
    own_rows(r1, &analysis, &middle, from, (rows, columns, pitch))?;
    let in_place = tiled::in_place(r1, &analysis, &middle).contains(&(0, from));
    let row_bytes = pitch * (widths.0 + if in_place { 0 } else { widths.1 });

    let cut = cut(&first, &second, options, row_bytes)?;
    let first_plan = plan::plan(&mut first, options, Some(cut))?;
    let mut second_plan = plan::plan(&mut second, options, Some(cut))?;
    if first_plan.along || second_plan.along {
        return Err(Declined::new("a single row"));
    }
    if !matches!(second_plan.row_source.buffer, Buffer::Input(i) if i == to) {
        return Err(Declined::new("rows that the second product packs"));
    }
    let (a, b) = (first_plan.blocks(&first), second_plan.blocks(&second));
    if (a.0, a.2) != (1, 1) || (b.0, b.2) != (1, 1) || a.1 != b.1 {
        return Err(Declined::new(
            "products that are not cut in the same blocks",
        ));
    }
    second_plan.shift(first_plan.workspace);

    // From here on, offsets count from the first element in memory.
    let base = |ranges: &mut mapwright_indexing::linear::Facts| {
        ranges.vars.push((0, i64::from(i32::MAX)));
        ranges.vars.len() - 1
    };
    let bases = [
        base(&mut first.ranges),
        base(&mut analysis.ranges),
        base(&mut second.ranges),
    ];
    r0.roots[0].base = Some(bases[0]);
    r1.inputs[from].base = Some(bases[1]);
    r1.roots[0].base = Some(bases[1]);
    r2.inputs[to].base = Some(bases[2]);
    let start = Sum::var(bases[2]);
    second_plan.row_source.offset = second_plan.row_source.offset.minus(&start);
    let cost = first_plan.cost + middle.cost + second_plan.cost;
    let block = cut.rows * first_plan.row_block;
    Ok(Ready {
        rows: (first.size(M), block),
        regions,
        first: (first, first_plan),
        middle: (analysis, middle),
        second: (second, second_plan),
        bases,
        images,
        pitch,
        in_place,
        cost,
    })
}

impl Ready<'_> {
    /// Blocks of rows of an image.
    fn blocks(&self) -> i64 {
        ceil(self.rows.0, self.rows.1)
    }

    fn workspace(&self) -> i64 {
        self.first.1.workspace + self.second.1.workspace
    }
}

/// The arguments of a stage: its inputs, then its outputs.
fn arguments<'c>(
    stage: &Stage<'c>,
    all: &[Val<'c>],
    rows: Val<'c>,
    outputs: &[Val<'c>],
) -> Vec<Val<'c>> {
    let mut list: Vec<Val<'c>> = stage
        .inputs
        .iter()
        .map(|place| match place {
            Place::Input(i) => all[*i],
            Place::Rows => rows,
        })
        .collect();
    list.extend(outputs);
    list
}

/// A product's stage as the contraction emitter makes it.
fn make<'g, 'c>(
    b: &'g Builder<'c>,
    region: &'g Region<'c>,
    (problem, plan): &'g (Problem<'c>, Plan),
    bare: &'g (Analysis<'c>, tiled::plan::Plan),
    arguments: &[Val<'c>],
    workspace: Option<Val<'c>>,
) -> Make<'g, 'c> {
    let product = (problem, plan);
    Make {
        workspace,
        ..Make::new(b, region, product, (&bare.0, &bare.1), arguments)
    }
}

impl Emitter for Chain {
    fn name(&self) -> &'static str {
        "chain"
    }

    fn of_stages(&self) -> bool {
        true
    }

    fn content(&self) -> Content {
        // Between the products there are sweeps over rows.
        Content::Vectors
    }

    fn emit<'c>(&self, cx: &Cx<'_, 'c>, fusion: Op<'c>, name: &str) -> Result<Kernel, Declined> {
        if cx.options.bounds_checks {
            return Err(Declined::new("bounds checks are asked for"));
        }
        // Its stages are theirs.
        for name in ["contraction", "tiled"] {
            if cx.options.is_off(name) {
                return Err(Declined::new(format!("'{name}' is switched off")));
            }
        }
        let stages = stages(fusion)?;
        let ready = ready(&stages, cx.options)?;
        let module = cx.module;
        module.set_location(fusion.location());
        let inputs = fusion.num_operands();
        let outputs = ready.regions[2].roots.len();
        let mut types = Vec::new();
        for value in fusion.operands().into_iter().chain(fusion.results()) {
            let (ty, _) = mapwright_fusion::node::tensor(value)?;
            types.push(buffer_type(module, &ty)?);
        }
        let workspace = ready.workspace();
        if workspace > 0 {
            types.push(module.memref(&[workspace], module.int(8)));
        }
        types.extend([module.index(), module.index()]);
        let buffers = types.len() - 2;
        let bares = [&ready.first, &ready.second].map(|(problem, plan)| {
            let analysis = Analysis::bare(problem.ranges.clone());
            (analysis, tiled::plan::Plan::bare(plan.lanes))
        });
        let place = |region: &Region<'c>| -> R<Ty<'c>> {
            let element = storage_type(module, &region.roots[0].ty.element)?;
            Ok(module.memref(&[ready.rows.1 * ready.pitch], element))
        };
        let places = [place(&ready.regions[0])?, place(&ready.regions[1])?];
        let mut made: Vec<Op<'c>> = Vec::new();
        let mut function = |name: &str,
                            body: &mut dyn FnMut(&Builder<'c>, &[Val<'c>]) -> R<()>|
         -> R<()> {
            let func = module.try_func(name, &types, &[], true, |b: &Builder<'c>, arguments| {
                body(b, arguments)?;
                b.ret(&[]);
                Ok::<(), Declined>(())
            })?;
            crate::general::attach(func, module, buffers, inputs, &[]);
            made.push(func);
            Ok(())
        };

        let mut phases = Vec::new();
        let mut result = Ok(());
        let products = [(0, &ready.first, &bares[0]), (2, &ready.second, &bares[1])];
        for (stage, product, bare) in products {
            for pack in &product.1.packs {
                let symbol = format!("{name}_pack{}", phases.len());
                result = result.and_then(|()| {
                    function(&symbol, &mut |b, all| {
                        let (begin, end) = (all[buffers], all[buffers + 1]);
                        let bytes = all[inputs + outputs];
                        // Packing reads none of the rows and writes no result.
                        let results = vec![bytes; ready.regions[stage].roots.len()];
                        let arguments = arguments(&stages[stage], all, bytes, &results);
                        let region = &ready.regions[stage];
                        make(b, region, product, bare, &arguments, Some(bytes))
                            .pack(pack, begin, end)
                    })
                });
                let cost = pack.elements as f64;
                let of_tile = cost / pack.tiles.max(1) as f64;
                phases.push(Phase {
                    name: symbol,
                    tiles: Tiles::Static(pack.tiles),
                    grain: ((TASK / 2.0 / of_tile.max(1.0)) as i64).clamp(1, pack.tiles.max(1)),
                    cost,
                    kept: false,
                });
            }
        }
        let result = result.and_then(|()| {
            function(name, &mut |b, all| {
                emit_blocks(b, &stages, &ready, &bares, places, all, (inputs, buffers))
            })
        });
        if let Err(why) = result {
            for func in made {
                edit::erase_unused(func);
            }
            return Err(why);
        }
        let tiles = ready.images * ready.blocks();
        let of_tile = ready.cost / tiles.max(1) as f64;
        Ok(Kernel {
            emitter: self.name(),
            tiles: Tiles::Static(tiles),
            grain: ((TASK / of_tile.max(1.0)) as i64).clamp(1, tiles.max(1)),
            cost: ready.cost,
            scratch_bytes: workspace,
            kept_bytes: 0,
            phases,
            in_place: Vec::new(),
            updates: None,
        })
    }
}

/// The kernel itself: block by block, all stages.
fn emit_blocks<'c>(
    b: &Builder<'c>,
    stages: &[Stage<'c>; 3],
    ready: &Ready<'c>,
    bares: &[(Analysis<'c>, tiled::plan::Plan); 2],
    places: [Ty<'c>; 2],
    all: &[Val<'c>],
    (inputs, buffers): (usize, usize),
) -> R<()> {
    let [r0, r1, r2] = &ready.regions;
    let workspace = (ready.workspace() > 0).then(|| all[buffers - 1]);
    let scores = b.alloca(places[0]);
    let outcome = match ready.in_place {
        true => scores,
        false => b.alloca(places[1]),
    };
    let results = &all[inputs..inputs + r2.roots.len()];
    let of_first = arguments(&stages[0], all, scores, &[scores]);
    let mut first = make(b, r0, &ready.first, &bares[0], &of_first, workspace);
    let of_middle = arguments(&stages[1], all, scores, &[outcome]);
    let (analysis, plan) = &ready.middle;
    let mut middle = Gen::new(b, r1, analysis, plan, &of_middle);
    middle.scratch_buffers()?;
    let of_second = arguments(&stages[2], all, outcome, results);
    let mut second = make(b, r2, &ready.second, &bares[1], &of_second, workspace);

    let (rows, block) = ready.rows;
    let mut result = Ok(());
    b.for_loop(
        all[buffers],
        all[buffers + 1],
        b.cidx(1),
        &[],
        |_, tile, _| {
            let next = b.addi(tile, b.cidx(1));
            let at = first.split(tile, &[ready.images, ready.blocks()]);
            let lo = b.muli(at[1], b.cidx(block));
            let hi = b.minsi(b.addi(lo, b.cidx(block)), b.cidx(rows));
            let image = b.muli(at[0], b.cidx(rows));
            let (lo, hi) = (b.addi(image, lo), b.addi(image, hi));
            let base = b.muli(lo, b.cidx(ready.pitch));
            first.g.vals[ready.bases[0]] = Some(base);
            middle.vals[ready.bases[1]] = Some(base);
            second.g.vals[ready.bases[2]] = Some(base);
            result = first
                .tiles(tile, next)
                .and_then(|()| middle.tiles(lo, hi))
                .and_then(|()| second.tiles(tile, next));
            Vec::new()
        },
    );
    result
}
