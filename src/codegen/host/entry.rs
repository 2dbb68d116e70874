//! The functions that are called: entry points of programs, and operations of the runtime library
//! by themselves.

use super::{
    Entry, Kernels,
    arguments::Given,
    block::operations,
    code::{Code, Frame},
    donate,
    emit::{Host, Preparation, Size, Slot},
    library,
    overlap::Overlaps,
    plan::{self, Finished},
    stages, tensors,
    values::{Kind, is_end, tensor},
    views::Views,
};
use crate::{emitter::Options, error::Located};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Blk, Op, Val, ValueType, op};
use mapwright_normalize::overlap::hoist;

/// The fast path that puts other values into the memory of results.
const RESULT_MEMORY: &str = "result-memory";

/// The fast path of collectives that run beside what follows them.
const OVERLAP: &str = "overlap";

/// The fast path of regions that make views.
const VIEWS: &str = "views";

/// Emits the entry point of `function`.
pub(crate) fn function<'c>(
    code: &Code<'c>,
    kernels: &Kernels<'_, 'c>,
    function: Op<'c>,
    name: &str,
    options: &Options,
    constants: &mut Vec<Vec<u8>>,
) -> Result<Entry, Located<'c>> {
    let Some(block) = function.body(0) else {
        return Err(Located::new(function, "has no body"));
    };
    let types = |values: &[Val<'c>]| -> Vec<ValueType> {
        values
            .iter()
            .map(|v| ValueType::from_mlir(v.r#type()))
            .collect()
    };
    let Some(end) = op::ops(block).last().copied().filter(|op| is_end(*op)) else {
        return Err(Located::new(function, "has no return"));
    };
    let inputs = tensors(function, types(&op::arguments(block)).into_iter())?;
    let outputs = tensors(function, types(&end.operands()).into_iter())?;
    // Before stages, which depend on the machine: collectives have one order on all of them.
    let is_overlapped = !(kernels.options.profile || kernels.is_disabled(OVERLAP));
    if is_overlapped {
        hoist(function);
    }
    // Kernels first: which of them work in place decides where tensors live.
    stages::unfold(kernels, function)?;
    let overlaps = if is_overlapped {
        Overlaps::separate(function)
    } else {
        Overlaps::default()
    };
    kernels.find_light_loops(block);
    let find_views = || {
        if kernels.is_disabled(VIEWS) {
            Views::default()
        } else {
            Views::for_function(function, options.composing())
        }
    };
    let mut views = find_views();
    let (mut failure, mut is_cut) = (None, false);
    // What is in a region is gone when it is cut.
    let mut regions = function.descendants();
    regions.retain(|op| op.name() == "indexing.fusion" && !stages::is_stage(*op));
    regions.retain(|op| views.made_by(*op).is_none());
    for op in regions {
        let parts = kernels.parts(op);
        is_cut |= parts.len() > 1;
        for part in parts {
            if let Err(error) = kernels.get(part) {
                failure.get_or_insert(error);
            }
        }
    }
    if is_cut {
        views = find_views();
    }
    if let Some(error) = failure {
        return Err(error);
    }
    let of = |op: Op<'c>| {
        let has_kernel = views.made_by(op).is_none();
        let found = has_kernel.then(|| kernels.get(op).ok()).flatten();
        found.map(|(_, kernel)| kernel)
    };
    let mut finished = plan::plan(
        function,
        &of,
        &kernels.light.borrow(),
        &views,
        constants.len(),
        !kernels.is_disabled(RESULT_MEMORY),
    )?;
    constants.append(&mut finished.constants);
    let first_extra = constants.len();
    let mut extra = Vec::new();
    let mut preparations = Vec::new();
    let symbol = format!("mw_entry_{name}");
    let mut outcome = Ok(());
    code.function(
        &symbol,
        &["ptr", "ptr", "ptr", "ptr", "ptr"],
        "i32",
        |f, args| {
            outcome = body(
                f,
                args,
                kernels,
                block,
                end,
                (&finished, &views, &overlaps),
                options.threads,
                first_extra,
                &mut extra,
                &mut preparations,
            );
        },
    );
    outcome?;
    let prepare = (!preparations.is_empty()).then(|| format!("mw_prepare_{name}"));
    if let Some(symbol) = &prepare {
        code.function(symbol, &["ptr"], "i32", |f, args| {
            let exit = f.block();
            let host = Host::new(
                f,
                kernels,
                args[0],
                exit,
                (&finished, &views, &overlaps),
                options.threads,
            );
            host.prepare(&preparations);
            f.jump(exit);
            f.b.set_block(exit);
            f.ret(f.call("mw_error_status", &[args[0]], "i32"));
        });
    }
    constants.append(&mut extra);
    Ok(Entry {
        name: name.to_string(),
        symbol,
        prepare,
        inputs,
        donated: donated_tensors(function, block, end),
        outputs,
        arena_bytes: finished.arena_bytes,
    })
}

/// Appends `llvm.func @name` that does `op` by calls of the runtime library, in what its function
/// `context` gives: the arguments are the addresses of the operands and of the results, then the
/// run-time sizes of the operands. A failure ends the process with its message.
///
/// # Errors
/// What the library has no function for; nothing is left behind then.
pub(crate) fn library_function<'c>(
    code: &Code<'c>,
    kernels: &Kernels<'_, 'c>,
    op: Op<'c>,
    name: &str,
    context: &str,
) -> Result<(), Located<'c>> {
    let (finished, views) = (plan::of_operation(op), Views::default());
    let overlaps = Overlaps::default();
    let (operands, results) = (op.operands(), op.results());
    let dynamic = |value: &Val<'c>| -> usize {
        tensor(*value).map_or(0, |ty| {
            ty.dims.iter().filter(|dim| dim.fixed().is_none()).count()
        })
    };
    let mut inputs = vec!["ptr"; operands.len() + results.len()];
    inputs.extend(vec!["i64"; operands.iter().map(dynamic).sum()]);
    let mut outcome = Ok(());
    code.function(name, &inputs, "void", |f, args| {
        let Some(context) = f.call(context, &[], "ptr") else {
            return;
        };
        let exit = f.block();
        let planned = (&finished, &views, &overlaps);
        let mut host = Host::new(f, kernels, context, exit, planned, 1);
        // Addresses are kept where entry points are given them.
        let count = operands.len() + results.len();
        let addresses = f.alloca(count as i64 * 8);
        for (i, address) in args.iter().take(count).enumerate() {
            f.store(*address, f.offset(addresses, i as i64 * 8));
        }
        let slot = |i: usize| Some(Slot::new(addresses, i as i64));
        host.arguments = (0..operands.len()).map(slot).collect();
        host.results = (operands.len()..count).map(slot).collect();
        let mut next = args[count..].iter();
        for operand in &operands {
            let dims = tensor(*operand).map(|ty| ty.dims).unwrap_or_default();
            let sizes = dims.iter().map(|dim| match dim.fixed() {
                Some(n) => Size::Known(n),
                None => {
                    let slot = f.alloca(8);
                    if let Some(size) = next.next() {
                        f.store(*size, slot);
                    }
                    Size::Slot(slot)
                }
            });
            host.sizes
                .borrow_mut()
                .insert(op::key(*operand), sizes.collect());
        }
        outcome = library::operation(&host, op);
        f.jump(exit);
        f.b.set_block(exit);
        f.call("mw_stop_on_error", &[context], "void");
        f.ret(None);
    });
    if outcome.is_err() {
        code.remove(name);
    }
    outcome
}

/// The donations of a function, counted among its tensors.
fn donated_tensors<'c>(function: Op<'c>, block: Blk<'c>, end: Op<'c>) -> Vec<(usize, usize)> {
    let before = |values: &[Val<'c>], n: usize| {
        let tensors = values[..n].iter().filter(|v| tensor(**v).is_some());
        tensors.count()
    };
    donate::donations(function)
        .into_iter()
        .map(|(i, k)| (before(&op::arguments(block), i), before(&end.operands(), k)))
        .collect()
}

#[allow(clippy::too_many_arguments)]
fn body<'c>(
    f: &Frame<'_, 'c>,
    args: &[Val<'c>],
    kernels: &Kernels<'_, 'c>,
    block: Blk<'c>,
    end: Op<'c>,
    planned: (&Finished<'c>, &Views<'c>, &Overlaps<'c>),
    threads: usize,
    first_extra: usize,
    extra: &mut Vec<Vec<u8>>,
    preparations: &mut Vec<Preparation>,
) -> Result<(), Located<'c>> {
    let [context, arguments, argument_sizes, results, result_sizes] = args else {
        return Ok(());
    };
    let exit = f.block();
    let (finished, _, overlaps) = planned;
    let mut host = Host::new(f, kernels, *context, exit, planned, threads);
    host.first_extra = first_extra;
    let arena_slot = f.alloca(8);
    f.store(f.null(), arena_slot);
    let copied = f.alloca(8);
    f.store(f.i64(0), copied);
    host.copied = Some(copied);
    // Address and bytes of what is allocated later, empty at first. They lie in one piece of memory
    // whose address `mw_free_all` takes: as variables each of them would be merged at the exit with
    // a value from each of its predecessors, and their product is what LLVM copies, and joins
    // again, before it assigns registers.
    let later: Vec<usize> = (0..finished.storages.len())
        .filter(|id| finished.storages[*id].kind == Kind::Allocated)
        .collect();
    let blocks = (!later.is_empty()).then(|| f.alloca(16 * later.len() as i64));
    for (id, block) in later.iter().zip(0..) {
        if let Some(blocks) = blocks {
            let pointer = f.offset(blocks, 16 * block);
            let size = f.offset(pointer, 8);
            f.store(f.null(), pointer);
            host.allocated.borrow_mut().insert(*id, (pointer, size));
        }
    }
    let (mut number, mut dim) = (0i64, 0i64);
    for argument in op::arguments(block) {
        let Some(tensor) = tensor(argument) else {
            host.arguments.push(None);
            continue;
        };
        host.arguments.push(Some(Slot::new(*arguments, number)));
        number += 1;
        let sizes: Vec<Size<'c>> = tensor
            .dims
            .iter()
            .enumerate()
            .map(|(d, size)| match size.fixed() {
                Some(n) => Size::Known(n),
                None => Size::Slot(f.offset(*argument_sizes, (dim + d as i64) * 8)),
            })
            .collect();
        dim += tensor.rank() as i64;
        host.sizes.borrow_mut().insert(op::key(argument), sizes);
    }
    let mut number = 0i64;
    for value in end.operands() {
        host.results.push(match tensor(value) {
            Some(_) => {
                number += 1;
                Some(Slot::new(*results, number - 1))
            }
            None => None,
        });
    }
    host.check_argument_sizes(block, *argument_sizes);
    host.check_memory(
        Given::Arguments,
        op::arguments(block),
        *argument_sizes,
        *arguments,
    );
    host.check_memory(Given::Results, end.operands(), *result_sizes, *results);
    if finished.arena_bytes > 0 {
        let bytes = f.i64(finished.arena_bytes);
        if let Some(arena) = f.call("mw_alloc", &[*context, bytes], "ptr") {
            f.leave_if(f.is_null(arena), exit);
            f.store(arena, arena_slot);
            host.arena = Some(arena);
        }
    }
    for (id, storage) in finished.storages.iter().enumerate() {
        if storage.moves
            && storage.kind != Kind::Allocated
            && let Some(address) = host.planned_address(id)
        {
            let slot = f.alloca(8);
            f.store(address, slot);
            host.moving.borrow_mut().insert(id, slot);
        }
    }
    operations(&host, block)?;
    host.return_values(end, *results, *result_sizes)?;
    *extra = host.extra.take();
    *preparations = host.preparations.take();
    f.jump(exit);
    f.b.set_block(exit);
    if !overlaps.is_empty() {
        // Where the function failed, memory that a collective reads or writes is still in use.
        f.call("mw_collective_wait", &[*context, f.i64(0)], "i32");
    }
    if host.copies.get() {
        let counted = [*context, f.load_i64(copied)];
        f.call("mw_count_copied", &counted, "void");
    }
    if finished.arena_bytes > 0 {
        let arena = f.load_ptr(arena_slot);
        f.call(
            "mw_free",
            &[*context, arena, f.i64(finished.arena_bytes)],
            "void",
        );
    }
    if let Some(blocks) = blocks {
        let count = f.i64(later.len() as i64);
        f.call("mw_free_all", &[*context, blocks, count], "void");
    }
    let status = f.call("mw_error_status", &[*context], "i32");
    f.ret(status);
    Ok(())
}
