//! What is decided before a chain of products is emitted: the plans of its stages, how many rows a
//! block has, and where they lie.

use super::row_block::cut;
use crate::contract::choose;
use crate::contract::plan::{self, Buffer, Plan};
use crate::contract::problem::{B, EmitResult, M, MO, N, NO, Problem};
use crate::emitter::{Declined, Options};
use crate::index::{Ix, ceil};
use crate::run_time::RunTime;
use crate::run_time::index;
use crate::tiled;
use crate::tiled::analysis::Analysis;
use crate::tiled::region::{Port, Region};
use mapwright_fusion::composed::LoopFacts;
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Sum, VarId};
use mapwright_mlir::{Builder, Op, Val, op};
use mapwright_schedule::Schedule;

/// Rows that many bytes apart compete for the same places of a cache.
const ALIAS: i64 = 1024;
/// Tiles of the launch for each thread, where each has memory of its own.
pub(super) const TILES: i64 = 8;

/// Source of an input of a stage.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// An input of the region.
    Input(usize),
    /// The rows that the stage before makes.
    Rows,
}

/// A stage's part of the region.
pub(super) struct Stage<'c> {
    pub(super) fusion: Op<'c>,
    pub(super) inputs: Vec<Place>,
}

impl Stage<'_> {
    /// The input that the rows are; there is one at most.
    fn rows(&self) -> Option<usize> {
        self.inputs.iter().position(|place| *place == Place::Rows)
    }
}

/// The stages and where their inputs come from.
pub(super) fn stages<'c>(fusion: Op<'c>) -> EmitResult<[Stage<'c>; 3]> {
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

/// Decisions that are made before code is.
pub(super) struct ChainPlan<'c> {
    pub(super) regions: [Region<'c>; 3],
    pub(super) first: (Problem<'c>, Plan),
    pub(super) middle: (Analysis<'c>, tiled::plan::Plan),
    pub(super) second: (Problem<'c>, Plan),
    /// Variables that say where the rows in memory begin, one a stage.
    pub(super) bases: [VarId; 3],
    /// Rows of one image, and of a block.
    pub(super) rows: (Extent, Extent),
    /// Rows of a block, at most.
    pub(super) most: Extent,
    pub(super) images: Extent,
    /// Elements from one row to the next.
    pub(super) pitch: Extent,
    /// The middle writes over what it reads.
    pub(super) in_place: bool,
    pub(super) threads: i64,
    pub(super) cost: f64,
}

/// Elements from one row to the next: whole vectors, not a multiple of what makes rows compete for
/// places of a cache.
fn pitch(columns: Extent, ports: [&Port<'_>; 2], options: &Options) -> Extent {
    let widths = ports.map(width);
    let narrow = widths[0].min(widths[1]).max(1);
    let wide = widths[0].max(widths[1]).max(1);
    let lanes = (i64::from(options.vector_bits) / 8 / narrow).max(1);
    let whole = columns.ceil_div(lanes.into()) * lanes;
    // One vector more where the rest is 0, and none where it is not.
    let rest = whole.modulo((ALIAS / wide).into());
    whole + (Extent::ONE - rest.least(Extent::ONE)) * lanes
}

/// Bytes of an element of a port.
fn width(port: &Port<'_>) -> i64 {
    plan::bytes(&port.ty.element)
}

/// Checks that `offset` is `image * (rows * pitch) + row * pitch + along`, for variables of these
/// sizes.
fn by_rows(p: &Problem<'_>, offset: &Sum, along: VarId, pitch: Extent) -> EmitResult<()> {
    let own = Sum::var(B)
        .scaled(p.size(M))
        .plus(&Sum::var(M))
        .scaled(pitch)
        .plus(&Sum::var(along));
    // Variables of one value are written as zero.
    let ranges = &p.ranges;
    let zero = |x: Sum| {
        [B, M, along].into_iter().fold(x, |x, v| match p.size(v) {
            Extent::ONE => x.with_var(v, &Sum::constant(0), ranges),
            _ => x,
        })
    };
    if zero(own) == zero(offset.clone()) && p.size(MO) == 1 && p.size(NO) == 1 {
        Ok(())
    } else {
        Err(Declined::new(
            "rows between the products that are not in the order of both",
        ))
    }
}

/// Checks that the middle walks rows one by one, each with its own elements of what it reads and
/// writes.
fn own_rows(
    region: &Region<'_>,
    analysis: &Analysis<'_>,
    plan: &tiled::plan::Plan,
    input: usize,
    (rows, columns, pitch): (Extent, Extent, Extent),
) -> EmitResult<()> {
    let declined = || Declined::new("work between the products that is not row by row");
    let size = |v: VarId| analysis.ranges.vars[v].1 + 1;
    let walked: Extent = plan.grid.iter().map(|(v, _)| size(*v)).product();
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
            && lo.is_at_least(0)
            && (columns - 1).is_at_least(hi)
    };
    let reads = analysis
        .accesses
        .iter()
        .filter(|a| a.input == input)
        .all(|a| within(&a.offset));
    if reads && within(&region.roots[0].offset(&analysis.index)) {
        Ok(())
    } else {
        Err(declined())
    }
}

/// `sizes`: of the region that the stages are parts of.
pub(super) fn ready<'c>(
    stages: &[Stage<'c>; 3],
    options: &Options,
    sizes: &RunTime,
    stated: Option<&Schedule>,
) -> EmitResult<ChainPlan<'c>> {
    let [one, two, three] = stages;
    let (Some(from), Some(to)) = (two.rows(), three.rows()) else {
        return Err(Declined::new("stages that do not follow one another"));
    };
    let mut regions = [
        Region::of_reals(one.fusion, options.composing())?,
        Region::of_reals(two.fusion, options.composing())?,
        Region::of_reals(three.fusion, options.composing())?,
    ];
    for region in &mut regions {
        if region
            .sizes
            .names()
            .any(|name| !sizes.know(Extent::name(name)))
        {
            return Err(Declined::new(
                "a run-time size that no tensor outside of the region has",
            ));
        }
        region.sizes = sizes.clone();
    }
    let scores = &regions[0].roots[0];
    let outcome = &regions[1].roots[0];
    let columns = scores.shape.last().copied().unwrap_or(Extent::ONE);
    let elements = |port: &Port<'_>| port.shape.iter().product::<Extent>();
    if outcome.shape.last() != Some(&columns) || elements(scores) != elements(outcome) {
        return Err(Declined::new(
            "rows of another length after the work on them",
        ));
    }
    let pitch = pitch(columns, [scores, outcome], options);
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

    let mut first = Problem::from_region(r0, one.fusion, false)?;
    let mut second = Problem::from_region(r2, three.fusion, false)?;
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
    let elsewhere =
        second.cols.accesses.iter().any(|a| a.0 == to) || second.ends.iter().any(|end| end.0 == to);
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
    let (mut analysis, middle, _) = tiled::planned(r1, &options_of_rows, None)?;
    let rows = images * first.size(M);
    own_rows(r1, &analysis, &middle, from, (rows, columns, pitch))?;
    let in_place = tiled::in_place(r1, &analysis, &middle).contains(&(0, from));
    let row_bytes = pitch * (widths.0 + if in_place { 0 } else { widths.1 });

    let (cut, most) = cut(&first, &second, options, row_bytes, stated)?;
    let first_plan = choose::plan(&mut first, options, Some(cut), None)?;
    let mut second_plan = choose::plan(&mut second, options, Some(cut), None)?;
    if first_plan.along.or(second_plan.along).is_some() {
        return Err(Declined::new("a single row"));
    }
    if !matches!(second_plan.row_source.buffer, Buffer::Input(i) if i == to) {
        return Err(Declined::new("rows that the second product packs"));
    }
    let (a, b) = (first_plan.blocks(&first), second_plan.blocks(&second));
    let in_rows = |plan: &Plan| (plan.rows, plan.row_block);
    let alike = in_rows(&first_plan) == in_rows(&second_plan);
    if (a.0, a.2) != (1, 1) || (b.0, b.2) != (1, 1) || a.1 != b.1 || !alike {
        return Err(Declined::new(
            "products that are not cut in the same blocks",
        ));
    }
    // From here on, offsets count from the first element in memory.
    let base = |ranges: &mut LoopFacts| {
        ranges.vars.push((Extent::ZERO, i64::from(i32::MAX).into()));
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
    let walked = middle.grid.iter().map(|(var, _)| {
        let size = tiled::plan::Plan::size(&analysis, *var);
        size.expected() as f64 / size.when_large() as f64
    });
    let share = walked.product::<f64>() * middle.typical_share(&analysis);
    let cost = first_plan.cost + middle.cost * share + second_plan.cost;
    Ok(ChainPlan {
        rows: (first.size(M), first_plan.row_block * cut.rows),
        most,
        threads: options.threads as i64,
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

impl ChainPlan<'_> {
    /// Tells whether the memory of a block's rows is behind what is packed.
    pub(super) fn has_places(&self) -> bool {
        self.pitch.is_run_time()
    }

    /// Blocks of rows of an image.
    pub(super) fn blocks_of_image<'c>(&self, b: &Builder<'c>) -> Ix<'c> {
        let (all, block) = self.rows;
        index(b, all.ceil_div(block))
    }

    /// Blocks of rows.
    pub(super) fn blocks<'c>(&self, b: &Builder<'c>) -> Ix<'c> {
        let images = index(b, self.images);
        images.mul(b, self.blocks_of_image(b))
    }

    /// Tiles of the launch.
    pub(super) fn tiles<'c>(&self, b: &Builder<'c>) -> Ix<'c> {
        let most = match self.threads {
            1 => 1,
            threads => TILES * threads,
        };
        if self.has_places() {
            self.blocks(b).min(b, Ix::Known(most))
        } else {
            self.blocks(b)
        }
    }

    /// Returns the number of tiles that may be expected.
    pub(super) fn expected_tiles(&self) -> i64 {
        let [images, rows, block] = [self.images, self.rows.0, self.rows.1].map(Extent::expected);
        let blocks = images * ceil(rows, block);
        if self.has_places() {
            blocks.min(TILES * self.threads)
        } else {
            blocks
        }
    }

    /// Bytes of the rows of a block between the first product and the middle, and between the
    /// middle and the second product.
    pub(super) fn places<'c>(&self, b: &Builder<'c>) -> [Ix<'c>; 2] {
        let ports = [&self.regions[0].roots[0], &self.regions[1].roots[0]];
        let bytes = ports.map(|port| {
            let [rows, pitch] = [self.rows.1, self.pitch].map(|n| index(b, n));
            plan::whole_lines(b, rows.mul(b, pitch).mul(b, Ix::Known(width(port))))
        });
        if self.in_place {
            [bytes[0], Ix::Known(0)]
        } else {
            bytes
        }
    }

    /// Returns the bytes that each product packs into.
    pub(super) fn packed<'c>(&self, b: &Builder<'c>) -> [Ix<'c>; 2] {
        [&self.first, &self.second].map(|(problem, plan)| plan.memory(b, problem))
    }

    /// Bytes of the memory of a launch.
    pub(super) fn workspace<'c>(&self, b: &Builder<'c>) -> Ix<'c> {
        let [first, second] = self.packed(b);
        let packed = first.add(b, second);
        if self.has_places() {
            let [scores, outcome] = self.places(b);
            packed.add(b, scores.add(b, outcome).mul(b, self.tiles(b)))
        } else {
            packed
        }
    }

    /// Tells whether the size of a launch's memory is known at run time only.
    pub(super) fn works_with_sizes(&self) -> bool {
        let last = |plan: &Plan| !plan.last.is_empty();
        self.has_places() || last(&self.first.1) || last(&self.second.1)
    }
}
