//! A product, work on the rows of its result, and a product of the outcome: attention. What lies
//! between the products is never in memory as a whole: each tile has a block of rows of it, which
//! stays in the second-level cache where the rows are not too long for that.
//!
//! The three stages are regions that the other emitters know; their plans are made so that a tile
//! of the one needs what a tile of the other made, which is checked on the offsets at which they
//! read and write. A stage's memory of rows holds a part of a tensor: offsets are taken from the
//! first element of the part ([`Port::base`]). It is on the stack; where the length of a row is
//! known at run time only, it is behind what is packed, once for each tile of the launch, which
//! then has several blocks.

mod plan;
mod row_block;

use super::TASK;
use super::matmul_emitter::MatmulEmitter;
use super::plan::Plan;
use super::problem::{EmitResult, Problem};
use super::{bare, number, phase};
use crate::emitter::{Declined, EmitContext, Emitter, Kernel, Tiles};
use crate::index::Ix;
use crate::kernel_kind::KernelKind;
use crate::run_time::{index, known};
use crate::storage::{buffer_type, storage_type};
use crate::tiled;
use crate::tiled::analysis::Analysis;
use crate::tiled::element;
use crate::tiled::emitter::LoopEmitter;
use crate::tiled::region::{self, Region};
use mapwright_mlir::builder::DYNAMIC;
use mapwright_mlir::{Builder, Op, Val, edit};
use mapwright_ops::schedules::{SCHEDULE, stated};
use plan::{ChainPlan, Place, Stage, ready, stages};
use row_block::print_schedule;

/// The emitter.
pub struct Chain;

/// A part of the memory of a launch.
fn part<'c>(b: &Builder<'c>, memory: Val<'c>, (at, bytes): (Ix<'c>, Ix<'c>)) -> Val<'c> {
    let at = at.value(b);
    let byte = b.int(8);
    match bytes {
        Ix::Known(bytes) => b.view(memory, at, b.memref(&[bytes.max(1)], byte)),
        Ix::Value(bytes) => {
            let ty = b.memref(&[DYNAMIC], byte);
            b.op1("memref.view", &[memory, at, bytes], ty, &[])
        }
    }
}

/// Closure that emits the body of a function from its tensors, the memory of the launch, the first
/// tile and the one behind the last.
type Body<'a, 'c> =
    dyn FnMut(&Builder<'c>, (&[Val<'c>], Option<Val<'c>>), [Val<'c>; 2]) -> EmitResult<()> + 'a;

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
) -> MatmulEmitter<'g, 'c> {
    let product = (problem, plan);
    MatmulEmitter {
        workspace,
        ..MatmulEmitter::new(b, region, product, (&bare.0, &bare.1), arguments)
    }
}

impl Emitter for Chain {
    fn name(&self) -> &'static str {
        "chain"
    }

    fn of_stages(&self) -> bool {
        true
    }

    fn content(&self) -> KernelKind {
        // Between the products there are sweeps over rows.
        KernelKind::Vectors
    }

    fn emit<'c>(
        &self,
        cx: &EmitContext<'_, 'c>,
        fusion: Op<'c>,
        name: &str,
    ) -> Result<Kernel, Declined> {
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
        if stages
            .iter()
            .any(|stage| stage.fusion.attribute(SCHEDULE).is_some())
        {
            return Err(Declined::new("a stage has a schedule of its own"));
        }
        let [own_inputs, own_roots] = region::ports(fusion)?;
        let (sizes, size_arguments) = region::run_time_sizes(&own_inputs, &own_roots);
        let stated = stated(fusion)?;
        let ready = ready(&stages, cx.options, &sizes, stated.as_ref())?;
        let module = cx.module;
        module.set_location(fusion.location());
        let (inputs, outputs) = (own_inputs.len(), own_roots.len());
        let mut types = Vec::new();
        for port in own_inputs.iter().chain(&own_roots) {
            types.push(buffer_type(module, &port.ty)?);
        }
        let of_sizes = (&sizes, size_arguments);
        let with_sizes = ready.works_with_sizes();
        let known = if with_sizes {
            0
        } else {
            ready.first.1.workspace + ready.second.1.workspace
        };
        if with_sizes || known > 0 {
            types.push(module.memref(&[known.max(1)], module.int(8)));
        }
        let buffers = types.len();
        types.extend(vec![module.index(); size_arguments + 2]);
        let bares = [&ready.first, &ready.second].map(|(problem, plan)| {
            let analysis = Analysis::bare(problem.ranges.clone());
            (analysis, bare(plan))
        });
        let mut made: Vec<Op<'c>> = Vec::new();
        // Arguments of a function: tensors, the memory of the launch, the tiles.
        let mut function = |name: &str, body: &mut Body<'_, 'c>| -> EmitResult<()> {
            let func = module.try_func(name, &types, &[], true, |b: &Builder<'c>, arguments| {
                sizes.name(b, &arguments[buffers..]);
                let memory = (buffers > inputs + outputs).then(|| arguments[buffers - 1]);
                let memory = memory.map(|memory| {
                    if with_sizes {
                        crate::general::flatten(b, memory, ready.workspace(b))
                    } else {
                        memory
                    }
                });
                let tiles = [arguments[types.len() - 2], arguments[types.len() - 1]];
                body(b, (&arguments[..inputs + outputs], memory), tiles)?;
                b.ret(&[]);
                Ok::<(), Declined>(())
            })?;
            crate::general::attach(func, module, buffers, inputs, &[]);
            made.push(func);
            Ok(())
        };

        let mut phases = Vec::new();
        let mut counts = Vec::new();
        let mut result = Ok(());
        let products = [(0, &ready.first, &bares[0]), (2, &ready.second, &bares[1])];
        for (k, (stage, product, bare)) in products.into_iter().enumerate() {
            for pack in &product.1.packs {
                let symbol = format!("{name}_pack{}", phases.len());
                result = result.and_then(|()| {
                    function(&symbol, &mut |b, (all, memory), [begin, end]| {
                        let Some(memory) = memory else {
                            return Err(Declined::new("no workspace"));
                        };
                        // Packing reads none of the rows and writes no result.
                        let region = &ready.regions[stage];
                        let results = vec![memory; region.roots.len()];
                        let arguments = arguments(&stages[stage], all, memory, &results);
                        let own = workspaces(b, &ready, memory)[k];
                        make(b, region, product, bare, &arguments, Some(own)).pack(pack, begin, end)
                    })
                });
                let (phase, count) = phase(module, of_sizes, (pack, None), symbol);
                phases.push(phase);
                counts.extend(count);
            }
        }
        let result = result.and_then(|()| {
            function(name, &mut |b, tensors, tiles| {
                emit_blocks(b, &stages, &ready, &bares, inputs, tensors, tiles)
            })
        });
        if let Err(why) = result {
            for func in made.into_iter().chain(counts) {
                edit::erase_unused(func);
            }
            return Err(why);
        }
        if with_sizes {
            number(module, of_sizes, name, "scratch", &|b| {
                ready.workspace(b).value(b)
            });
        }
        let expected = ready.expected_tiles();
        let tiles = match size_arguments {
            0 => Tiles::Static(expected),
            _ => {
                number(module, of_sizes, name, "tiles", &|b| {
                    ready.tiles(b).value(b)
                });
                Tiles::Dynamic
            }
        };
        let of_tile = ready.cost / expected.max(1) as f64;
        Ok(Kernel {
            emitter: self.name(),
            tiles,
            grain: ((TASK / of_tile.max(1.0)) as i64).clamp(1, expected.max(1)),
            cost: ready.cost,
            scratch_bytes: if with_sizes {
                Kernel::SCRATCH_OF_SIZES
            } else {
                known
            },
            prepacked_bytes: 0,
            phases,
            in_place: Vec::new(),
            updates: None,
            weighed: false,
            inner_sizes: Vec::new(),
            schedule: print_schedule(&ready, &sizes),
        })
    }
}

/// Returns the memory that each product packs into.
fn workspaces<'c>(b: &Builder<'c>, ready: &ChainPlan<'_>, memory: Val<'c>) -> [Val<'c>; 2] {
    let [first, second] = ready.packed(b);
    [(Ix::Known(0), first), (first, second)].map(|place| part(b, memory, place))
}

/// Returns the memory of the rows of a block: of the scores, and of the rows that the second
/// product reads. `tile`: the first one that is run here.
fn places<'c>(
    b: &Builder<'c>,
    ready: &ChainPlan<'_>,
    memory: Option<Val<'c>>,
    tile: Val<'c>,
) -> EmitResult<[Val<'c>; 2]> {
    let roots = [&ready.regions[0].roots[0], &ready.regions[1].roots[0]];
    let elements = [0, 1].map(|i| storage_type(b, &roots[i].ty.element));
    let [one, two] = elements;
    let elements = [one?, two?];
    if !ready.has_places() {
        let elements_of_block = known(ready.most * ready.pitch)?;
        let place = |i: usize| b.alloca(b.memref(&[elements_of_block], elements[i]));
        let scores = place(0);
        return Ok(if ready.in_place {
            [scores, scores]
        } else {
            [scores, place(1)]
        });
    }
    let Some(memory) = memory else {
        return Err(Declined::new("no workspace"));
    };
    let [scores, outcome] = ready.places(b);
    let [first, second] = ready.packed(b);
    let packed = first.add(b, second);
    let own = Ix::Value(tile).mul(b, scores.add(b, outcome));
    let at = packed.add(b, own);
    let view = |i: usize, at: Ix<'c>| {
        let [rows, pitch] = [ready.rows.1, ready.pitch].map(|n| index(b, n));
        let ty = b.memref(&[DYNAMIC], elements[i]);
        let operands = [memory, at.value(b), rows.mul(b, pitch).value(b)];
        b.op1("memref.view", &operands, ty, &[])
    };
    let place = view(0, at);
    Ok(if ready.in_place {
        [place, place]
    } else {
        [place, view(1, at.add(b, scores))]
    })
}

/// The kernel itself: block by block, all stages.
fn emit_blocks<'c>(
    b: &Builder<'c>,
    stages: &[Stage<'c>; 3],
    ready: &ChainPlan<'c>,
    bares: &[(Analysis<'c>, tiled::plan::Plan); 2],
    inputs: usize,
    (all, memory): (&[Val<'c>], Option<Val<'c>>),
    [begin, end]: [Val<'c>; 2],
) -> EmitResult<()> {
    let [r0, r1, r2] = &ready.regions;
    let workspaces = memory.map(|memory| workspaces(b, ready, memory));
    let [scores, outcome] = places(b, ready, memory, begin)?;
    let results = &all[inputs..];
    let of_first = arguments(&stages[0], all, scores, &[scores]);
    let own = workspaces.map(|w| w[0]);
    let mut first = make(b, r0, &ready.first, &bares[0], &of_first, own);
    let of_middle = arguments(&stages[1], all, scores, &[outcome]);
    let (analysis, plan) = &ready.middle;
    let mut middle = LoopEmitter::new(b, r1, analysis, plan, &of_middle, element::of_value);
    middle.scratch_buffers()?;
    let of_second = arguments(&stages[2], all, outcome, results);
    let own = workspaces.map(|w| w[1]);
    let mut second = make(b, r2, &ready.second, &bares[1], &of_second, own);

    // A tile has as many blocks as another one, or one more.
    let (blocks, tiles) = (ready.blocks(b), ready.tiles(b).max(b, Ix::Known(1)));
    let block_of = |tile: Val<'c>| {
        if ready.has_places() {
            Ix::Value(tile).mul(b, blocks).div(b, tiles).value(b)
        } else {
            tile
        }
    };
    let [rows, block, pitch] =
        [ready.rows.0, ready.rows.1, ready.pitch].map(|n| index(b, n).value(b));
    let images = index(b, ready.images);
    let of_image = ready.blocks_of_image(b);
    let mut result = Ok(());
    b.for_loop(
        block_of(begin),
        block_of(end),
        b.cidx(1),
        &[],
        |_, tile, _| {
            let next = b.addi(tile, b.cidx(1));
            let at = first.split_counts(tile, &[images, of_image]);
            let lo = b.muli(at[1], block);
            let hi = b.minsi(b.addi(lo, block), rows);
            let image = b.muli(at[0], rows);
            let (lo, hi) = (b.addi(image, lo), b.addi(image, hi));
            let base = b.muli(lo, pitch);
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
