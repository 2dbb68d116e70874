//! The emitter for products over contracted dimensions: `dot_general` and `convolution` with what
//! comes before and after them.
//!
//! | file | what |
//! |---|---|
//! | `problem` | the product as rows, columns and a contracted variable |
//! | `order` | which dimensions of the results are rows and columns |
//! | `window`, `slide` | convolutions in that form |
//! | `plan` | what the loops and phases are made by |
//! | `choose`, `register_tile`, `choices` | the cheapest plan |
//! | `competing` | rows that compete for cache lines |
//! | `ahead` | what is asked for before it is read |
//! | `memory` | room for what is packed |
//! | `schedule` | the plan as data: written, and what is stated of one |
//! | `blocks` | tiles of the launch |
//! | `rounds` | many rows that are packed, some after the others |
//! | `pack` | phases that copy factors, through their maps and element-wise producers, to where they are streams |
//! | `matmul_emitter` | what loops are emitted with |
//! | `kernel` | the loops and the register tile |
//! | `panel` | packing columns |
//! | `step` | one product at a time, or the instructions that add several |
//! | `bf16_subnormals` | where the instruction for products of `bf16` would lose what is subnormal |
//! | `gemv_row` | a single row by columns that are contiguous along the contracted variable |
//! | `gemv_column` | a single row by columns that lie side by side, in the order of memory |
//! | `depthwise` | convolutions of each feature by itself |
//! | `epilogue` | what follows the product, in the write-back |
//! | `chain` | a product, work on the rows of its result and another product, a block of rows at a time |
//!
//! Products are added up in the order of the contracted elements (along vectors where `along` is
//! used; even and odd ones apart in `tiny`), whatever the tiles and threads.

mod ahead;
mod bf16_subnormals;
mod blocks;
pub(crate) mod chain;
mod choices;
mod choose;
mod competing;
mod depthwise;
mod epilogue;
pub(crate) mod gemv_column;
mod gemv_row;
mod kernel;
mod matmul_emitter;
mod memory;
mod order;
mod pack;
mod panel;
mod plan;
mod problem;
mod register_tile;
mod rounds;
mod schedule;
mod slide;
mod step;
mod window;

use crate::index::Ix;
use crate::run_time::RunTime;
use crate::run_time::index;
use crate::{
    emitter::{Declined, EmitContext, Emitter, Kernel, Options, Phase, Tiles},
    kernel_kind::KernelKind,
    storage::buffer_type,
    tiled::{self, region::Region},
};
use mapwright_mlir::{Builder, Op, Val, edit};
use mapwright_ops::schedules::stated;
use mapwright_schedule::{Illegal, Schedule};
use matmul_emitter::MatmulEmitter;
use problem::{EmitResult, Problem};
use schedule::Stated;

/// The emitter.
pub struct Contraction;

/// Scalar operations that make a task worth a thread's while.
pub(crate) const TASK: f64 = 60_000.0;

impl Emitter for Contraction {
    fn name(&self) -> &'static str {
        "contraction"
    }

    fn content(&self) -> KernelKind {
        KernelKind::Blocks
    }

    fn emit<'c>(
        &self,
        cx: &EmitContext<'_, 'c>,
        fusion: Op<'c>,
        name: &str,
    ) -> Result<Kernel, Declined> {
        let region = Region::of_reals(fusion, cx.options.composing())?;
        // What is chosen goes through the same form as what is stated.
        let schedule = match stated(fusion)? {
            Some(schedule) => schedule,
            None => chosen(&region, fusion, cx.options)?,
        };
        let stated = Stated::from_schedule(&schedule)?;
        let (problem, plan) = planned(&region, fusion, cx.options, Some(&stated))?;
        let depthwise = !problem.slides.is_empty();
        let packs = plan.own_panels || !plan.packs.is_empty();
        if packs && cx.options.is_off("packing") {
            return Err(Declined::new("factors that are not read where they are"));
        }
        if problem.follows && cx.options.is_off("epilogues") {
            return Err(Declined::new("a product that something follows"));
        }
        let analysis = tiled::analysis::Analysis::bare(problem.ranges.clone());
        let bare = bare(&plan);

        let module = cx.module;
        module.set_location(fusion.location());
        let mut types = Vec::new();
        for port in region.inputs.iter().chain(&region.roots) {
            types.push(buffer_type(module, &port.ty)?);
        }
        let buffers = types.len();
        let in_place = if depthwise || plan.along.is_some() {
            Vec::new()
        } else {
            problem.overwritten(&region)
        };
        let works = plan.workspace > 0 || !plan.last.is_empty();
        if works {
            let bytes = if plan.last.is_empty() {
                plan.workspace
            } else {
                1
            };
            types.push(module.memref(&[bytes], module.int(8)));
        }
        let kept = types.len();
        if plan.prepacked > 0 {
            types.push(module.memref(&[plan.prepacked], module.int(8)));
        }
        let (pointers, sizes) = (types.len(), region.size_arguments);
        types.extend(vec![module.index(); sizes + 2]);
        let mut made: Vec<Op<'c>> = Vec::new();
        let mut function = |name: &str,
                            body: &mut dyn FnMut(
            &mut MatmulEmitter<'_, 'c>,
            Val<'c>,
            Val<'c>,
        ) -> EmitResult<()>|
         -> EmitResult<()> {
            let func = module.try_func(name, &types, &[], true, |b: &Builder<'c>, arguments| {
                let count = arguments.len();
                region.sizes.name(b, &arguments[pointers..]);
                let pieces = (&problem, &plan);
                let mut make =
                    MatmulEmitter::new(b, &region, pieces, (&analysis, &bare), arguments);
                let bytes = Ix::Value(b.cidx(1 << 40));
                make.workspace = if plan.last.is_empty() {
                    works.then(|| arguments[buffers])
                } else {
                    Some(crate::general::flatten(b, arguments[buffers], bytes))
                };
                make.prepacked = (plan.prepacked > 0).then(|| arguments[kept]);
                body(&mut make, arguments[count - 2], arguments[count - 1])?;
                b.ret(&[]);
                Ok::<(), Declined>(())
            })?;
            crate::general::attach(func, module, pointers, region.inputs.len(), &in_place);
            made.push(func);
            Ok(())
        };
        let mut phases = Vec::new();
        let mut counts = Vec::new();
        let mut result = Ok(());
        for (i, pack) in plan.packs.iter().enumerate() {
            let symbol = format!("{name}_pack{i}");
            result = function(&symbol, &mut |make, begin, end| make.pack(pack, begin, end));
            if result.is_err() {
                break;
            }
            let of_few = |b: &Builder<'c>| plan.has_few_rows(b, &problem);
            let panels = matches!(pack.form, plan::Form::Panels { .. });
            let idle: Idle<'_, 'c> = (panels && plan.few.is_some()).then_some(&of_few);
            let (phase, count) = phase(module, (&region.sizes, sizes), (pack, idle), symbol);
            phases.push(phase);
            counts.extend(count);
        }
        let tiles = match (plan.along, plan.across) {
            (Some(_), _) => gemv_row::tiles(&problem, &plan),
            (_, Some(across)) => gemv_column::tiles(&problem, across.columns),
            _ if depthwise => depthwise::tiles(&problem),
            _ => plan.tiles(&problem),
        };
        let result = result.and_then(|()| {
            function(
                name,
                &mut |make, begin, end| match (plan.along, plan.across) {
                    (Some(_), _) => make.along_tiles(begin, end),
                    (_, Some(across)) => make.across_tiles(across, begin, end),
                    _ if depthwise => make.depthwise_tiles(begin, end),
                    _ => make.tiles(begin, end),
                },
            )
        });
        if let Err(why) = result {
            for func in made.into_iter().chain(counts) {
                edit::erase_unused(func);
            }
            return Err(why);
        }
        let of_tile = plan.cost / tiles.max(1) as f64;
        let grain = ((TASK / of_tile.max(1.0)) as i64).clamp(1, tiles.max(1));
        let of_sizes = (&region.sizes, sizes);
        if !plan.last.is_empty() {
            number(module, of_sizes, name, "scratch", &|b| {
                plan.memory(b, &problem).value(b)
            });
        }
        let tiles = match sizes {
            0 => Tiles::Static(tiles),
            _ => {
                number(module, of_sizes, name, "tiles", &|b| {
                    if depthwise {
                        return b.cidx(problem.size(problem::MO));
                    }
                    if plan.along.is_some() {
                        let counts = gemv_row::counts(b, &problem, &plan).into_iter();
                        return counts
                            .fold(Ix::Known(1), |total, n| total.mul(b, n))
                            .value(b);
                    }
                    let others = [problem::B, problem::NO];
                    let others = others.map(|v| index(b, problem.size(v)));
                    let blocks = plan.block_counts(b, &problem);
                    let all = others.into_iter().chain(blocks);
                    all.fold(Ix::Known(1), |total, n| total.mul(b, n)).value(b)
                });
                Tiles::Dynamic
            }
        };
        Ok(Kernel {
            emitter: self.name(),
            tiles,
            grain,
            cost: plan.cost,
            scratch_bytes: if plan.last.is_empty() {
                plan.workspace
            } else {
                Kernel::SCRATCH_OF_SIZES
            },
            prepacked_bytes: plan.prepacked,
            phases,
            in_place,
            updates: None,
            weighed: false,
            inner_sizes: region.inner_sizes.clone(),
            schedule,
        })
    }
}

/// Returns the plan of the elements that are computed inside of the loops of a product.
fn bare(plan: &plan::Plan) -> tiled::plan::Plan {
    let mut bare = tiled::plan::Plan::bare(plan.lanes);
    bare.constant_reciprocals = plan.choices.constant_reciprocals;
    bare
}

/// The schedule that the cost model chooses.
fn chosen(region: &Region<'_>, fusion: Op<'_>, options: &Options) -> EmitResult<Schedule> {
    let (problem, plan) = planned(region, fusion, options, None)?;
    Ok(schedule::print_schedule(
        &problem,
        &plan,
        !problem.slides.is_empty(),
    ))
}

/// The product, and how it is computed: as `stated`, else as the cost model chooses.
fn planned<'c>(
    region: &Region<'c>,
    fusion: Op<'c>,
    options: &Options,
    stated: Option<&Stated<'_>>,
) -> EmitResult<(Problem<'c>, plan::Plan)> {
    let depthwise = stated.and_then(|stated| stated.depthwise);
    let wanted = match stated {
        Some(_) => depthwise.is_some(),
        None => !options.is_off("depthwise"),
    };
    if wanted {
        let tile = depthwise.map_or(depthwise::TILE, |step| step.numbers[0]);
        let planned = Problem::from_region(region, fusion, true)
            .and_then(|p| depthwise::plan(&p, options, tile).map(|plan| (p, plan)));
        match (planned, depthwise) {
            (Ok((p, mut plan)), _) => {
                plan.choices = match stated {
                    Some(stated) => choices::read(stated.schedule, &p, &plan)?,
                    None => choices::choose(&p, &plan, options),
                };
                return Ok((p, plan));
            }
            (Err(_), Some(step)) => {
                let why = "is for convolutions of each feature by itself";
                return Err(Illegal::at_step(step, why).into());
            }
            (Err(_), None) => {}
        }
    }
    let mut problem = Problem::from_region(region, fusion, false)?;
    let plan = choose::plan(&mut problem, options, None, stated)?;
    Ok((problem, plan))
}

/// The condition under which nothing is packed, if there is one.
type Idle<'a, 'c> = Option<&'a dyn Fn(&Builder<'c>) -> Val<'c>>;

/// A packing phase as it is launched; what counts its tiles, if that is known at run time only.
/// Nothing is packed where the condition holds that comes with it.
fn phase<'c>(
    module: &Builder<'c>,
    sizes: (&RunTime, usize),
    (pack, idle): (&plan::Pack, Idle<'_, 'c>),
    name: String,
) -> (Phase, Option<Op<'c>>) {
    let dynamic = pack.tiles.is_run_time() || idle.is_some();
    let tiles = |b: &Builder<'c>| match idle {
        None => b.cidx(pack.tiles),
        Some(idle) => b.select(idle(b), b.cidx(0), b.cidx(pack.tiles)),
    };
    let count = dynamic.then(|| number(module, sizes, &name, "tiles", &tiles));
    let count_of_tiles = pack.tiles.when_large();
    let of_tile = pack.elements / pack.tiles.expected().max(1) as f64;
    let phase = Phase {
        name,
        tiles: if dynamic {
            Tiles::Dynamic
        } else {
            Tiles::Static(count_of_tiles)
        },
        grain: ((TASK / 2.0 / of_tile.max(1.0)) as i64).clamp(1, count_of_tiles.max(1)),
        cost: pack.elements,
        prepacks: matches!(pack.to, plan::Buffer::Prepacked { .. }),
        rounds: pack.rounds,
    };
    (phase, count)
}

/// `@name_what(sizes…) -> index` for a region with so many arguments that are run-time sizes.
fn number<'c>(
    module: &Builder<'c>,
    (sizes, count): (&RunTime, usize),
    name: &str,
    what: &str,
    value: &dyn Fn(&Builder<'c>) -> Val<'c>,
) -> Op<'c> {
    let types = vec![module.index(); count];
    module.func(
        &format!("{name}_{what}"),
        &types,
        &[module.index()],
        false,
        |b, arguments| {
            sizes.name(b, arguments);
            b.ret(&[value(b)]);
        },
    )
}
