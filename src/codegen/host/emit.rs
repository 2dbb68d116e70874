//! The host function: buffers, launches, control flow.

use super::{
    Entry, Kernels,
    code::{Code, Frame},
    constant_symbol, control,
    launch::Preparation,
    library,
    plan::{self, Finished},
    tensors,
    values::{Kind, bytes, is_alias, is_end, is_while, tensor},
    views::Views,
};
use crate::{emitter::Options, error::Located};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Blk, Builder, Op, Val, ValueType, op};
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

/// A size of a tensor at run time.
#[derive(Clone, Copy)]
pub(crate) enum Size<'c> {
    Known(i64),
    /// Where an `i64` is stored.
    Slot(Val<'c>),
}

/// A pointer in an array of pointers.
#[derive(Clone, Copy)]
pub(super) struct Slot<'c> {
    array: Val<'c>,
    bytes: i64,
}

impl<'c> Slot<'c> {
    fn new(array: Val<'c>, number: i64) -> Self {
        Self {
            array,
            bytes: number * 8,
        }
    }

    pub(super) fn load(self, f: &Frame<'_, 'c>) -> Val<'c> {
        f.load_ptr(f.offset(self.array, self.bytes))
    }
}

/// State of emitting one function.
pub(crate) struct Host<'a, 'c> {
    pub f: &'a Frame<'a, 'c>,
    pub kernels: &'a Kernels<'a, 'c>,
    pub context: Val<'c>,
    /// Where to go on failure; the context holds the reason.
    pub exit: Blk<'c>,
    pub(super) plan: &'a Finished<'c>,
    pub(super) views: &'a Views<'c>,
    /// Where it is stored how many bytes views are behind their bases, by the keys of the values.
    pub(super) offsets: RefCell<HashMap<usize, Val<'c>>>,
    /// Where the entry point is given the address of each argument's memory; `None` for tokens. An address is
    /// loaded where it is used: a program may have thousands of arguments, which no register file holds.
    pub(super) arguments: Vec<Option<Slot<'c>>>,
    /// Likewise of each result's memory.
    pub(super) results: Vec<Option<Slot<'c>>>,
    pub(super) arena: Option<Val<'c>>,
    /// Sizes of values with run-time sizes, by key.
    pub(super) sizes: RefCell<HashMap<usize, Vec<Size<'c>>>>,
    /// Pointer and bytes of storages that are allocated during the call.
    pub(super) allocated: RefCell<HashMap<usize, (Val<'c>, Val<'c>)>>,
    pub(super) threads: usize,
    /// Constant data made while emitting, after the planned ones.
    extra: RefCell<Vec<Vec<u8>>>,
    first_extra: usize,
    /// Where the bytes are counted that were copied, and whether any are.
    pub(super) copied: Option<Val<'c>>,
    pub(super) copies: Cell<bool>,
    /// Where the addresses of storages are that change.
    pub(super) moving: RefCell<HashMap<usize, Val<'c>>>,
    /// Storages on the stack.
    pub(super) stack: RefCell<HashMap<usize, Val<'c>>>,
    /// Work on constants that may be done before the first call.
    pub(super) preparations: RefCell<Vec<Preparation>>,
}

/// The fast path that puts other values into the memory of results.
const RESULT_MEMORY: &str = "result-memory";

/// The fast path of regions that make views.
const VIEWS: &str = "views";

/// From so many sizes known at compile time on, one copy takes the place of the stores.
const COPIED_SIZES: usize = 16;

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
    // Kernels first: which of them work in place decides where tensors live.
    super::stages::unfold(kernels, function);
    kernels.find_light_loops(block);
    let views = match kernels.is_disabled(VIEWS) {
        false => Views::of(function),
        true => Views::default(),
    };
    let mut failure = None;
    for op in function.descendants() {
        if op.name() == "indexing.fusion"
            && !super::stages::is_stage(op)
            && views.made_by(op).is_none()
            && let Err(error) = kernels.get(op)
        {
            failure.get_or_insert(error);
        }
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
                &finished,
                &views,
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
                (&finished, &views),
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

/// Appends `llvm.func @name` that does `op` by calls of the runtime library, in what its function `context` gives: the arguments are the
/// addresses of the operands and of the results, then the run-time sizes of the operands. A failure ends the process with its message.
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
        let mut host = Host::new(f, kernels, context, exit, (&finished, &views), 1);
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
    super::donate::donations(function)
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
    finished: &Finished<'c>,
    views: &Views<'c>,
    threads: usize,
    first_extra: usize,
    extra: &mut Vec<Vec<u8>>,
    preparations: &mut Vec<Preparation>,
) -> Result<(), Located<'c>> {
    let [context, arguments, argument_sizes, results, result_sizes] = args else {
        return Ok(());
    };
    let exit = f.block();
    let mut host = Host::new(f, kernels, *context, exit, (finished, views), threads);
    host.first_extra = first_extra;
    let arena_slot = f.alloca(8);
    f.store(f.null(), arena_slot);
    let copied = f.alloca(8);
    f.store(f.i64(0), copied);
    host.copied = Some(copied);
    // Slots of storages that are allocated later, empty at first.
    for (id, storage) in finished.storages.iter().enumerate() {
        if storage.kind == Kind::Allocated {
            let (pointer, size) = (f.alloca(8), f.alloca(8));
            f.store(f.null(), pointer);
            host.allocated.borrow_mut().insert(id, (pointer, size));
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
            && let Some(address) = host.planned_address(id)
        {
            let slot = f.alloca(8);
            f.store(address, slot);
            host.moving.borrow_mut().insert(id, slot);
        }
    }
    host.block(block)?;
    host.return_values(end, *results, *result_sizes)?;
    *extra = host.extra.take();
    *preparations = host.preparations.take();
    f.jump(exit);
    f.b.set_block(exit);
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
    let mut slots: Vec<_> = host
        .allocated
        .borrow()
        .iter()
        .map(|(id, slots)| (*id, *slots))
        .collect();
    slots.sort_by_key(|(id, _)| *id);
    for (_, (pointer, size)) in slots {
        let pointer = f.load_ptr(pointer);
        let skip = f.block();
        let free = f.block();
        f.jump_if(f.is_null(pointer), skip, free);
        f.b.set_block(free);
        f.call("mw_free", &[*context, pointer, f.load_i64(size)], "void");
        f.jump(skip);
        f.b.set_block(skip);
    }
    let status = f.call("mw_error_status", &[*context], "i32");
    f.ret(status);
    Ok(())
}

impl<'a, 'c> Host<'a, 'c> {
    fn new(
        f: &'a Frame<'a, 'c>,
        kernels: &'a Kernels<'a, 'c>,
        context: Val<'c>,
        exit: Blk<'c>,
        (plan, views): (&'a Finished<'c>, &'a Views<'c>),
        threads: usize,
    ) -> Self {
        Host {
            f,
            kernels,
            context,
            exit,
            plan,
            views,
            offsets: RefCell::default(),
            arguments: Vec::new(),
            results: Vec::new(),
            arena: None,
            sizes: RefCell::default(),
            allocated: RefCell::default(),
            threads,
            extra: RefCell::default(),
            first_extra: 0,
            copied: None,
            copies: Cell::new(false),
            moving: RefCell::default(),
            stack: RefCell::default(),
            preparations: RefCell::default(),
        }
    }

    pub(crate) fn b(&self) -> &Builder<'c> {
        &self.f.b
    }

    /// Emits the operations of a block, its terminator not included.
    pub(crate) fn block(&self, block: Blk<'c>) -> Result<(), Located<'c>> {
        for op in op::ops(block) {
            self.b().set_location(op.location());
            if is_end(op) || op.is_hlo("constant") {
                continue;
            }
            if is_alias(op) {
                for (result, operand) in op.results().into_iter().zip(op.operands()) {
                    self.alias_sizes(result, operand);
                }
                continue;
            }
            if let Some(view) = self.views.made_by(op) {
                self.view(op, view)?;
                continue;
            }
            let nested = is_while(op) || op.is_hlo("if") || op.is_hlo("case");
            let start = match self.kernels.options.profile && !nested {
                true => self.f.call("mw_profile_now", &[], "i64"),
                false => None,
            };
            match op.name() {
                "indexing.fusion" => self.fusion(op)?,
                _ if is_while(op) => control::while_loop(self, op)?,
                _ if op.is_hlo("if") || op.is_hlo("case") => control::branches(self, op)?,
                _ => library::operation(self, op)?,
            }
            if let Some(start) = start {
                let mut parts = self.kernels.parts.borrow_mut();
                let number = self.f.i64(parts.len() as i64);
                parts.push(super::parts::part(self.kernels, op));
                let ended = [self.context, number, start, self.moved(op)];
                self.f.try_call("mw_profile_add", &ended, self.exit);
            }
        }
        Ok(())
    }

    /// Fails the call with a message if `condition` holds.
    pub(crate) fn fail_if(&self, condition: Val<'c>, status: i64, message: &str) {
        let f = self.f;
        let (bad, next) = (f.block(), f.block());
        f.jump_if(condition, bad, next);
        f.b.set_block(bad);
        let text = f.text(message);
        f.call("mw_set_error", &[self.context, f.i32(status), text], "i32");
        f.jump(self.exit);
        f.b.set_block(next);
    }

    /// A number for an operation: its position among those of its function that exchange data.
    pub(crate) fn number_of(&self, op: Op<'c>) -> usize {
        let mut function = op;
        while let Some(parent) = function.parent() {
            if function.name() == "func.func" {
                break;
            }
            function = parent;
        }
        let all = function.descendants();
        all.iter()
            .filter(|o| super::collective::is_known(**o))
            .position(|o| *o == op)
            .unwrap_or(0)
    }

    /// Numbers of arguments and results (tokens included) of a function.
    pub(crate) fn arity(&self, name: &str) -> Option<(usize, usize)> {
        let block = self.kernels.functions.get(name)?.body(0)?;
        let end = op::ops(block).last().copied()?;
        Some((op::arguments(block).len(), end.num_operands()))
    }

    /// Bytes of the only result of a function.
    pub(crate) fn result_bytes(&self, name: &str) -> Option<i64> {
        let end = op::ops(self.kernels.functions.get(name)?.body(0)?)
            .last()
            .copied()?;
        match end.num_operands() {
            1 => tensor(end.operand(0))
                .filter(|t| t.static_shape().is_some())
                .and_then(|t| bytes(&t)),
            _ => None,
        }
    }

    /// The address of constant data that is not a value of the program.
    pub(crate) fn constant(&self, data: Vec<u8>) -> Val<'c> {
        let mut extra = self.extra.borrow_mut();
        let name = constant_symbol(self.first_extra + extra.len());
        let address = self.f.data(&name, data.len().max(1));
        extra.push(data);
        address
    }

    /// Hands over the sizes of the results: those known at compile time in runs, the others one by one.
    fn return_sizes(&self, end: Op<'c>, result_sizes: Val<'c>) {
        let f = self.f;
        let dims: Vec<(Option<i64>, Val<'c>)> = end
            .operands()
            .into_iter()
            .filter_map(|value| Some((value, tensor(value)?)))
            .flat_map(|(value, tensor)| {
                let fixed = tensor.dims.into_iter().map(|dim| dim.fixed());
                fixed.zip(self.sizes_i64(value))
            })
            .collect();
        let mut at = 0usize;
        for run in dims.chunk_by(|(a, _), (b, _)| a.is_some() == b.is_some()) {
            let place = |k: usize| f.offset(result_sizes, ((at + k) * 8) as i64);
            let known: Vec<u8> = run
                .iter()
                .filter_map(|(size, _)| *size)
                .flat_map(i64::to_ne_bytes)
                .collect();
            if known.len() >= COPIED_SIZES * size_of::<i64>() {
                let bytes = f.i64(known.len() as i64);
                f.copy(place(0), self.constant(known), bytes);
            } else {
                for (k, (_, size)) in run.iter().enumerate() {
                    f.store(*size, place(k));
                }
            }
            at += run.len();
        }
    }

    /// Where the pointer to the memory of a returned value is kept, if it was allocated during the call, for nothing else.
    fn own_memory(&self, end: Op<'c>, value: Val<'c>) -> Option<(Val<'c>, Val<'c>)> {
        let id = self.storage(value)?;
        let storage = &self.plan.storages[id];
        let returned = end
            .operands()
            .into_iter()
            .filter(|v| self.storage(*v) == Some(id))
            .count();
        let own = storage.kind == Kind::Allocated && returned == 1;
        self.allocated.borrow().get(&id).copied().filter(|_| own)
    }

    /// Hands the results over.
    fn return_values(
        &self,
        end: Op<'c>,
        results: Val<'c>,
        result_sizes: Val<'c>,
    ) -> Result<(), Located<'c>> {
        let f = self.f;
        self.return_sizes(end, result_sizes);
        let mut number = 0i64;
        for (i, value) in end.operands().into_iter().enumerate() {
            let Some(tensor) = tensor(value) else {
                continue;
            };
            let source = self.address(end, value)?;
            if tensor.static_shape().is_some() {
                let own = self.storage(value).map(|id| &self.plan.storages[id]);
                let there = own.is_some_and(|own| own.kind == Kind::Result(i));
                let moves = own.is_some_and(|own| own.moves);
                if (!there || moves)
                    && let Some(target) = self.results.get(i).copied().flatten()
                {
                    let target = target.load(f);
                    let bytes = f.i64(bytes(&tensor).unwrap_or(0));
                    match moves {
                        // It may be there already.
                        true => {
                            let copied = [self.context, target, source, bytes];
                            f.try_call("mw_copy", &copied, self.exit);
                        }
                        false => f.copy(target, source, bytes),
                    }
                }
            } else if let Some((pointer, _)) = self.own_memory(end, value) {
                // The memory that was allocated for it is the caller's from here on.
                f.store(source, f.offset(results, number * 8));
                f.store(f.null(), pointer);
            } else {
                let bytes = self.bytes(value);
                if let Some(target) = f.call("mw_alloc", &[self.context, bytes], "ptr") {
                    f.leave_if(f.is_null(target), self.exit);
                    f.copy(target, source, bytes);
                    f.store(target, f.offset(results, number * 8));
                }
            }
            number += 1;
        }
        Ok(())
    }
}
