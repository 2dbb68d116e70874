//! The emitter that handles every operation: element by element.
//!
//! The elements of a result are computed one at a time from the elements of its operands,
//! recursively through the region (`body`). What an operation's element is made of stands in one
//! function each, which `element` chooses, and for all that only move elements in their index rules
//! (`apply_map`); updates in place (`scatter`, `select_and_scatter`) are kernels of their own
//! (`scatter`).

mod again;
mod apply_map;
mod body;
mod contraction;
mod cost;
mod element;
mod loops;
mod reduce;
mod region;
mod scatter;
mod shape;
mod slabs;

use crate::{
    emitter::{Declined, EmitContext, Emitter, Kernel, Options, Tiles},
    error::{Result, unsupported},
    index::{Ix, delinear, product},
    kernel_kind::KernelKind,
    shape_arithmetic::computes_numbers,
    storage::buffer_type,
};
pub(crate) use again::made_again;
pub(crate) use body::flatten;
use body::{Body, run_time_sizes};
use loops::nest;
use mapwright_mlir::{Builder, Op, TensorType, edit, op};
use mapwright_schedule::Schedule;
use slabs::Slabs;
use std::{cell::Cell, rc::Rc};

/// The general emitter.
pub struct General;

/// Elements of a tile that make a loop worth its set-up, roughly.
const TILE_COST: f64 = 8192.0;

impl Emitter for General {
    fn name(&self) -> &'static str {
        "general"
    }

    fn content(&self) -> KernelKind {
        KernelKind::Loops
    }

    fn emit<'c>(
        &self,
        cx: &EmitContext<'_, 'c>,
        fusion: Op<'c>,
        name: &str,
    ) -> std::result::Result<Kernel, Declined> {
        // Bodies are emitted into a region that is dropped when something is not supported.
        let blamed = Rc::new(Cell::new(None));
        emit(cx, fusion, name, &blamed).map_err(|why| Declined {
            member: blamed.get(),
            ..why.into()
        })
    }
}

/// [`Kernel::updates`] of `fusion`.
fn updated_tiles(fusion: Op<'_>, options: &Options) -> Option<i64> {
    let members = fusion.body(0).map(op::ops)?;
    let yielded = members.last().copied()?;
    match scatter::root(&members) {
        Some(root) => (scatter::in_place(root, fusion).len() == fusion.num_results())
            .then(|| Slabs::for_scatter(root, options).map_or(1, |slabs| slabs.tiles())),
        None => scatter::update_root(fusion, yielded).map(|(root, _)| scatter::window_tiles(root)),
    }
}

/// The tensors of a fusion: inputs, then outputs.
pub(crate) fn interface(fusion: Op<'_>) -> Result<(Vec<TensorType>, Vec<TensorType>)> {
    let tensor = |ty: mapwright_mlir::ValueType| match ty {
        mapwright_mlir::ValueType::Tensor(tensor) => Ok(tensor),
        other => unsupported(format!("a value of type {other} in a fusion")),
    };
    let inputs = (0..fusion.num_operands()).map(|i| tensor(fusion.operand_type(i)));
    let outputs = (0..fusion.num_results()).map(|i| tensor(fusion.result_type(i)));
    Ok((
        inputs.collect::<Result<_>>()?,
        outputs.collect::<Result<_>>()?,
    ))
}

/// Outputs of one shape, computed together.
struct Group<'c> {
    outputs: Vec<usize>,
    sizes: Vec<Ix<'c>>,
    /// Dimensions in front of this one are counted by the tile number; this one is cut into chunks.
    split: usize,
    chunk: i64,
    tiles: Ix<'c>,
}

impl<'c> Group<'c> {
    fn with_output(
        b: &Builder<'c>,
        number: usize,
        output: &TensorType,
        sizes: Vec<Ix<'c>>,
        per_element: f64,
    ) -> Self {
        let (split, chunk) = cut(output, per_element);
        let mut group = Self {
            outputs: vec![number],
            tiles: product(b, &sizes[..split]),
            sizes,
            split,
            chunk,
        };
        if split < group.sizes.len() {
            group.tiles = group.tiles.mul(b, group.chunks(b));
        }
        group
    }

    /// Chunks along the dimension that is cut.
    fn chunks(&self, b: &Builder<'c>) -> Ix<'c> {
        self.sizes[self.split]
            .add(b, Ix::Known(self.chunk - 1))
            .div(b, Ix::Known(self.chunk))
    }
}

fn emit<'c>(
    cx: &EmitContext<'_, 'c>,
    fusion: Op<'c>,
    name: &str,
    blamed: &Rc<Cell<Option<usize>>>,
) -> Result<Kernel> {
    let (inputs, outputs) = interface(fusion)?;
    let Some(block) = fusion.body(0) else {
        return unsupported("a fusion without a body");
    };
    let members = op::ops(block);
    let Some(yielded) = members.last().copied() else {
        return unsupported("a fusion without a terminator");
    };
    body::check(&members, blamed)?;
    let module = cx.module;
    module.set_location(fusion.location());

    let mut types = Vec::new();
    for tensor in inputs.iter().chain(&outputs) {
        types.push(buffer_type(module, tensor)?);
    }
    let buffers = types.len();
    let dynamic: usize = inputs
        .iter()
        .chain(&outputs)
        .map(|tensor| tensor.dims.iter().filter(|d| d.fixed().is_none()).count())
        .sum();
    types.extend(std::iter::repeat_n(module.index(), dynamic + 2));

    let in_place_root = scatter::root(&members);
    let slabs = in_place_root.and_then(|root| Slabs::for_scatter(root, cx.options));
    let update = scatter::update_root(fusion, yielded);
    let per_element = cost::of_outputs(&yielded.operands());
    let static_count: f64 = outputs
        .iter()
        .map(|tensor| tensor.num_elements().unwrap_or(1 << 20) as f64)
        .sum();
    let updates = updated_tiles(fusion, cx.options);
    let updating = in_place_root.or(update.map(|(root, _)| root));
    let cost = match updating.filter(|_| updates.is_some()) {
        Some(root) => cost::of_updates(root),
        None => cost::total(&yielded.operands()),
    };

    let is_straight = in_place_root.is_none() && update.is_none() && computes_numbers(fusion);
    let mut failure = None;
    let mut tiles = Tiles::Dynamic;
    let mut tile_sizes: Option<Vec<i64>> = None;
    let func = module.func(name, &types, &[], true, |b, arguments| {
        let result = (|| -> Result<()> {
            b.set_location(fusion.location());
            let mut body = Body::new(
                b,
                fusion,
                &inputs,
                &outputs,
                arguments,
                blamed.clone(),
                element::of_operation,
            )?;
            let (begin, end) = (
                arguments[arguments.len() - 2],
                arguments[arguments.len() - 1],
            );
            if let Some(root) = in_place_root {
                tiles = Tiles::Static(slabs.map_or(1, |slabs| slabs.tiles()));
                let prefetches = !cx.options.is_off("prefetches");
                return scatter::kernel(b, &mut body, root, slabs, prefetches, (begin, end));
            }
            let groups = groups(b, &body, &outputs, per_element)?;
            tile_sizes = groups.iter().map(|g| g.tiles.known()).collect();
            if is_straight {
                tile_sizes = Some(vec![1]);
                return groups
                    .iter()
                    .try_for_each(|group| straight(b, &mut body, group, yielded));
            }
            if let Some((root, input)) = update {
                // The result is the operand's memory: only the window is written.
                let same = body.same_memory(b, arguments[input], 0);
                let mut inner = Ok(());
                b.if_then(same, |b| {
                    inner = body.scoped(|body| scatter::update_window(b, body, root, (begin, end)));
                });
                inner?;
                let other = b.xori(same, b.cbool(true));
                let mut inner = Ok(());
                b.if_then(other, |b| {
                    b.for_loop(begin, end, b.cidx(1), &[], |b, tile, _| {
                        inner = tile_loop(b, &mut body, &groups[0], yielded, Ix::Value(tile));
                        Vec::new()
                    });
                });
                return inner;
            }
            let mut offset = Ix::Known(0);
            let alone = groups.len() == 1;
            for group in &groups {
                let next = offset.add(b, group.tiles);
                let (lo, hi) = if alone {
                    (begin, end)
                } else {
                    (
                        Ix::Value(begin).max(b, offset).sub(b, offset).value(b),
                        Ix::Value(end).min(b, next).sub(b, offset).value(b),
                    )
                };
                let mut inner = Ok(());
                b.for_loop(lo, hi, b.cidx(1), &[], |b, tile, _| {
                    inner = tile_loop(b, &mut body, group, yielded, Ix::Value(tile));
                    Vec::new()
                });
                inner?;
                offset = next;
            }
            Ok(())
        })();
        if let Err(error) = result {
            failure = Some(error);
        }
        b.ret(&[]);
    });
    if let Some(error) = failure {
        edit::erase_unused(func);
        return Err(error);
    }
    let in_place = match in_place_root {
        Some(root) => scatter::in_place(root, fusion),
        None => match update {
            Some((_, input)) => vec![(0, input)],
            None => body::in_place(fusion, yielded, &inputs, &outputs),
        },
    };
    attach(func, module, buffers, inputs.len(), &in_place);
    if in_place_root.is_none() {
        match tile_sizes {
            Some(sizes) => tiles = Tiles::Static(sizes.iter().sum()),
            None => count_function(module, &inputs, &outputs, name, per_element)?,
        }
    }
    let count = match &tiles {
        _ if update.is_some() => updates.unwrap_or(1) as f64,
        Tiles::Static(n) => *n as f64,
        Tiles::Dynamic => (static_count * per_element / TILE_COST).max(1.0),
    };
    let per_tile = (cost / count.max(1.0)).max(1.0);
    let mut grain = (cost::THREAD_COST / per_tile).ceil() as i64;
    if slabs.is_some_and(|slabs| slabs.shares_indices) {
        // Each piece of the work reads all indices.
        grain = grain.max((count / cx.options.threads.max(1) as f64).ceil() as i64);
    }
    Ok(Kernel {
        emitter: "general",
        tiles,
        grain,
        cost,
        scratch_bytes: 0,
        prepacked_bytes: 0,
        phases: Vec::new(),
        in_place,
        updates,
        weighed: update.is_some_and(|(root, _)| scatter::window_size(root).is_none()),
        inner_sizes: Vec::new(),
        schedule: Schedule::bare("general"),
    })
}

/// Says that buffers do not alias (except pairs that may share memory) and how they are aligned.
pub(crate) fn attach<'c>(
    func: Op<'c>,
    b: &Builder<'c>,
    buffers: usize,
    inputs: usize,
    in_place: &[(usize, usize)],
) {
    let shared = |i: usize| {
        in_place
            .iter()
            .any(|(output, input)| i == *input || i == inputs + *output)
    };
    let arguments: usize =
        mapwright_mlir::op::arguments(func.body(0).unwrap_or_else(|| b.block())).len();
    let attributes: Vec<_> = (0..arguments)
        .map(|i| {
            let text = match (i < buffers, shared(i)) {
                (true, false) => "{llvm.noalias, llvm.align = 64 : i64}",
                (true, true) => "{llvm.align = 64 : i64}",
                _ => "{}",
            };
            b.parse_attr(text)
        })
        .collect();
    func.set_attribute("arg_attrs", b.array_attr(&attributes));
}

/// Outputs by shape, and how each group is cut into tiles.
fn groups<'c>(
    b: &Builder<'c>,
    body: &Body<'c>,
    outputs: &[TensorType],
    per_element: f64,
) -> Result<Vec<Group<'c>>> {
    let mut groups: Vec<Group<'c>> = Vec::new();
    for (i, output) in outputs.iter().enumerate() {
        let sizes = body.output_sizes(i);
        let same = groups.iter_mut().find(|group| {
            group.sizes.len() == sizes.len()
                && group
                    .sizes
                    .iter()
                    .zip(&sizes)
                    .all(|(x, y)| x.key() == y.key())
        });
        if let Some(group) = same {
            group.outputs.push(i);
            continue;
        }
        groups.push(Group::with_output(b, i, output, sizes, per_element));
    }
    Ok(groups)
}

/// Returns the dimension at which the tile number ends and loops begin, and the chunk of that
/// dimension: tiles cost about [`TILE_COST`] at least.
fn cut(output: &TensorType, per_element: f64) -> (usize, i64) {
    let rank = output.rank();
    if rank == 0 {
        return (0, 1);
    }
    let target = (TILE_COST / per_element.max(1.0)).max(1.0);
    let mut inner = 1.0;
    for d in (0..rank).rev() {
        let size = output.dims[d].bound().unwrap_or(64) as f64;
        if inner * size >= target || d == 0 {
            let chunk = (target / inner).ceil().clamp(1.0, size.max(1.0)) as i64;
            return (d, chunk);
        }
        inner *= size;
    }
    (0, 1)
}

/// The loops of one tile, and the stores.
fn tile_loop<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    group: &Group<'c>,
    yielded: Op<'c>,
    tile: Ix<'c>,
) -> Result<()> {
    let rank = group.sizes.len();
    if rank == 0 {
        return body.scoped(|body| store(b, body, group, yielded, &[]));
    }
    let d = group.split;
    let chunk = Ix::Known(group.chunk);
    let chunks = group.chunks(b);
    let outer = match chunks.known() {
        Some(1) => tile,
        _ => tile.div(b, chunks),
    };
    let piece = match d {
        0 => tile,
        _ => tile.rem(b, chunks),
    };
    let mut index = delinear(b, outer, &group.sizes[..d]);
    if d == 0 {
        index.clear();
    }
    let lo = piece.mul(b, chunk);
    let hi = lo.add(b, chunk).min(b, group.sizes[d]);
    let mut ranges = vec![(lo, hi)];
    ranges.extend(
        group.sizes[d + 1..]
            .iter()
            .map(|size| (Ix::Known(0), *size)),
    );
    nest(b, body, &ranges, index, &mut |body, index| {
        store(b, body, group, yielded, index)
    })
}

/// The elements of one shape, all of which is known, one after the other.
fn straight<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    group: &Group<'c>,
    yielded: Op<'c>,
) -> Result<()> {
    let sizes: Vec<i64> = group.sizes.iter().filter_map(|size| size.known()).collect();
    for i in 0..sizes.iter().product() {
        let index = delinear(b, Ix::Known(i), &group.sizes);
        store(b, body, group, yielded, &index)?;
    }
    Ok(())
}

fn store<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    group: &Group<'c>,
    yielded: Op<'c>,
    index: &[Ix<'c>],
) -> Result<()> {
    // All values first: an output may share memory with an input.
    let mut values = Vec::new();
    for output in &group.outputs {
        values.push(body.element(b, yielded.operand(*output), index)?);
    }
    for (output, value) in group.outputs.iter().zip(values) {
        body.store(b, *output, index, value)?;
    }
    Ok(())
}

/// `@name_tiles(sizes…) -> index` for a region with run-time sizes.
fn count_function<'c>(
    b: &Builder<'c>,
    inputs: &[TensorType],
    outputs: &[TensorType],
    name: &str,
    per_element: f64,
) -> Result<()> {
    let count = |tensors: &[TensorType]| -> usize {
        tensors
            .iter()
            .map(|tensor| tensor.dims.iter().filter(|d| d.fixed().is_none()).count())
            .sum()
    };
    let before = count(inputs);
    let types = vec![b.index(); before + count(outputs)];
    b.func(
        &format!("{name}_tiles"),
        &types,
        &[b.index()],
        false,
        |b, arguments| {
            let mut next = before;
            let mut total = Ix::Known(0);
            let mut seen: Vec<Vec<(bool, i64)>> = Vec::new();
            for (i, output) in outputs.iter().enumerate() {
                let sizes = run_time_sizes(output, arguments, &mut next);
                // Outputs are grouped by the same test in `groups`.
                let key: Vec<_> = sizes.iter().map(|size| size.key()).collect();
                if seen.contains(&key) {
                    continue;
                }
                seen.push(key);
                let group = Group::with_output(b, i, output, sizes, per_element);
                total = total.add(b, group.tiles);
            }
            b.ret(&[total.value(b)]);
        },
    );
    Ok(())
}
