//! The host function: buffers, launches, control flow.

use super::{
    Entry, Kernels,
    code::{Code, Frame},
    constant_symbol, control, library,
    plan::{self, Finished, Kind, bytes, is_alias, is_end, is_while, tensor},
    tensors,
};
use crate::{
    emitter::{Options, Tiles},
    error::{Result as Answer, unsupported},
    index::{Ix, product},
    inline::Located,
    sizes::{self, Question},
};
use mapwright_mlir::builder::CmpI;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Blk, Builder, Dim, Op, TensorType, Val, ValueType, attr::Dense, op};
use std::{cell::RefCell, collections::HashMap};

/// A size of a tensor at run time.
#[derive(Clone, Copy)]
pub(crate) enum Size<'c> {
    Known(i64),
    /// Where an `i64` is stored.
    Slot(Val<'c>),
}

/// State of emitting one function.
pub(crate) struct Host<'a, 'c> {
    pub f: &'a Frame<'a, 'c>,
    pub kernels: &'a Kernels<'a, 'c>,
    pub context: Val<'c>,
    /// Where to go on failure; the context holds the reason.
    pub exit: Blk<'c>,
    plan: &'a Finished,
    arguments: Vec<Option<Val<'c>>>,
    results: Vec<Option<Val<'c>>>,
    arena: Option<Val<'c>>,
    /// Sizes of values with run-time sizes, by key.
    sizes: RefCell<HashMap<usize, Vec<Size<'c>>>>,
    /// Pointer and bytes of storages that are allocated during the call.
    allocated: RefCell<HashMap<usize, (Val<'c>, Val<'c>)>>,
    threads: usize,
    /// Constant data made while emitting, after the planned ones.
    extra: RefCell<Vec<Vec<u8>>>,
    first_extra: usize,
}

/// A function to be run over tiles.
struct Launch<'n> {
    name: &'n str,
    /// Pointers among its arguments.
    buffers: usize,
    cost: f64,
    /// Tiles, where known at compile time.
    known: Option<i64>,
    grain: i64,
}

/// Cost in scalar operations below which a launch stays on the calling thread.
const INLINE_COST: f64 = 60_000.0;

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
    let mut failure = None;
    for op in function.descendants() {
        if op.name() == "indexing.fusion"
            && let Err(error) = kernels.get(op)
        {
            failure.get_or_insert(error);
        }
    }
    if let Some(error) = failure {
        return Err(error);
    }
    let of = |op: Op<'c>| kernels.get(op).ok().map(|(_, kernel)| kernel);
    let mut finished = plan::plan(function, &of, constants.len())?;
    constants.append(&mut finished.constants);
    let first_extra = constants.len();
    let mut extra = Vec::new();
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
                options.threads,
                first_extra,
                &mut extra,
            );
        },
    );
    outcome?;
    constants.append(&mut extra);
    Ok(Entry {
        name: name.to_string(),
        symbol,
        inputs,
        donated: donated_tensors(function, block, end),
        outputs,
        arena_bytes: finished.arena_bytes,
    })
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
    finished: &Finished,
    threads: usize,
    first_extra: usize,
    extra: &mut Vec<Vec<u8>>,
) -> Result<(), Located<'c>> {
    let [context, arguments, argument_sizes, results, result_sizes] = args else {
        return Ok(());
    };
    let exit = f.block();
    let mut host = Host {
        f,
        kernels,
        context: *context,
        exit,
        plan: finished,
        arguments: Vec::new(),
        results: Vec::new(),
        arena: None,
        sizes: RefCell::default(),
        allocated: RefCell::default(),
        threads,
        extra: RefCell::default(),
        first_extra,
    };
    let arena_slot = f.alloca(8);
    f.store(f.null(), arena_slot);
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
        host.arguments
            .push(Some(f.load_ptr(f.offset(*arguments, number * 8))));
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
                Some(f.load_ptr(f.offset(*results, (number - 1) * 8)))
            }
            None => None,
        });
    }
    if finished.arena_bytes > 0 {
        let bytes = f.i64(finished.arena_bytes);
        if let Some(arena) = f.call("mw_alloc", &[*context, bytes], "ptr") {
            f.leave_if(f.is_null(arena), exit);
            f.store(arena, arena_slot);
            host.arena = Some(arena);
        }
    }
    host.block(block)?;
    host.return_values(end, *results, *result_sizes)?;
    *extra = host.extra.take();
    f.jump(exit);
    f.b.set_block(exit);
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
                let ended = [self.context, number, start];
                self.f.try_call("mw_profile_add", &ended, self.exit);
            }
        }
        Ok(())
    }

    fn storage(&self, value: Val<'c>) -> Option<usize> {
        self.plan.of.get(&op::key(value)).copied()
    }

    /// Do both values live in the same memory?
    pub(crate) fn same_storage(&self, a: Val<'c>, b: Val<'c>) -> bool {
        self.storage(a).is_some() && self.storage(a) == self.storage(b)
    }

    /// The address of a value's data; `None` for tokens.
    pub(crate) fn pointer(&self, value: Val<'c>) -> Option<Val<'c>> {
        let f = self.f;
        let id = self.storage(value)?;
        let storage = &self.plan.storages[id];
        match storage.kind {
            Kind::Arena(offset) => self.arena.map(|arena| f.offset(arena, offset)),
            Kind::Argument(i) => self.arguments.get(i).copied().flatten(),
            Kind::Result(i) => self.results.get(i).copied().flatten(),
            Kind::Constant(i) => Some(f.data(&constant_symbol(i), storage.bytes.max(1) as usize)),
            Kind::Allocated => {
                let slot = self
                    .allocated
                    .borrow()
                    .get(&id)
                    .map(|(pointer, _)| *pointer);
                slot.map(|slot| f.load_ptr(slot))
            }
        }
    }

    /// The address of a value that must have one.
    pub(crate) fn address(&self, op: Op<'c>, value: Val<'c>) -> Result<Val<'c>, Located<'c>> {
        self.pointer(value)
            .ok_or_else(|| Located::new(op, "has an operand without memory"))
    }

    /// The sizes of a value, those known at run time as `i64`.
    pub(crate) fn sizes_i64(&self, value: Val<'c>) -> Vec<Val<'c>> {
        let tensor = tensor(value);
        let slots = self.sizes.borrow().get(&op::key(value)).cloned();
        let dims = tensor.map(|t| t.dims).unwrap_or_default();
        dims.iter()
            .enumerate()
            .map(|(d, dim)| match (dim.fixed(), &slots) {
                (Some(n), _) => self.f.i64(n),
                (None, Some(slots)) => match slots[d] {
                    Size::Known(n) => self.f.i64(n),
                    Size::Slot(slot) => self.f.load_i64(slot),
                },
                (None, None) => self.f.i64(dim.bound().unwrap_or(0)),
            })
            .collect()
    }

    /// The sizes of a value for index arithmetic.
    pub(crate) fn sizes(&self, value: Val<'c>) -> Vec<Ix<'c>> {
        let Some(tensor) = tensor(value) else {
            return Vec::new();
        };
        if let Some(shape) = tensor.static_shape() {
            return shape.into_iter().map(Ix::Known).collect();
        }
        let b = self.b();
        self.sizes_i64(value)
            .into_iter()
            .zip(&tensor.dims)
            .map(|(size, dim)| match dim.fixed() {
                Some(n) => Ix::Known(n),
                None => Ix::Value(b.index_cast(size, b.index())),
            })
            .collect()
    }

    /// Bytes of a value's data as `i64`.
    pub(crate) fn bytes(&self, value: Val<'c>) -> Val<'c> {
        let b = self.b();
        let width = tensor(value)
            .and_then(|t| t.element.byte_width())
            .unwrap_or(1) as i64;
        let total = product(b, &self.sizes(value)).mul(b, Ix::Known(width));
        match total {
            Ix::Known(n) => self.f.i64(n),
            Ix::Value(v) => b.index_cast(v, b.i64()),
        }
    }

    /// Records the sizes of a result, checks them against its bounds, and allocates it if its memory is not planned.
    pub(crate) fn define(&self, value: Val<'c>, sizes: &[Ix<'c>]) {
        let Some(tensor) = tensor(value) else {
            return;
        };
        if tensor.static_shape().is_some() {
            return;
        }
        let (f, b) = (self.f, self.b());
        let known = self.sizes.borrow().get(&op::key(value)).cloned();
        let mut slots = Vec::new();
        for (d, (dim, size)) in tensor.dims.iter().zip(sizes).enumerate() {
            if let Some(n) = dim.fixed() {
                slots.push(Size::Known(n));
                continue;
            }
            let size = b.index_cast(size.value(b), b.i64());
            let negative = b.cmpi(CmpI::Slt, size, f.i64(0));
            let bad = match dim {
                Dim::Bounded(bound) => b.ori(negative, b.cmpi(CmpI::Sgt, size, f.i64(*bound))),
                _ => negative,
            };
            self.fail_if(bad, 7, &format!("a size of a tensor of type {tensor} is negative or beyond its bound (dimension {d})"));
            // A value that is defined again (in a loop) keeps its slots.
            let slot = match known.as_ref().map(|k| k[d]) {
                Some(Size::Slot(slot)) => slot,
                _ => f.alloca(8),
            };
            f.store(size, slot);
            slots.push(Size::Slot(slot));
        }
        self.sizes.borrow_mut().insert(op::key(value), slots);
        let slots = self
            .storage(value)
            .and_then(|id| self.allocated.borrow().get(&id).copied());
        if let Some((pointer, size)) = slots {
            let old = f.load_ptr(pointer);
            let (free, next) = (f.block(), f.block());
            f.jump_if(f.is_null(old), next, free);
            f.b.set_block(free);
            f.call("mw_free", &[self.context, old, f.load_i64(size)], "void");
            f.store(f.null(), pointer);
            f.jump(next);
            f.b.set_block(next);
            let bytes = self.bytes(value);
            if let Some(new) = f.call("mw_alloc", &[self.context, bytes], "ptr") {
                f.leave_if(f.is_null(new), self.exit);
                f.store(new, pointer);
                f.store(bytes, size);
            }
        }
    }

    /// Fails the call where an index or size is beyond what it may be.
    fn require_at_most(&self, x: Ix<'c>, y: Ix<'c>) {
        let b = self.b();
        if let (Some(x), Some(y)) = (x.known(), y.known())
            && x <= y
        {
            return;
        }
        let beyond = b.cmpi(CmpI::Sgt, x.value(b), y.value(b));
        self.fail_if(
            beyond,
            7,
            "a slice with run-time bounds reaches outside of its operand",
        );
    }

    /// Fails the call where sizes that must be equal are not.
    fn require_equal(&self, x: &[Ix<'c>], y: &[Ix<'c>]) {
        let b = self.b();
        for (x, y) in x.iter().zip(y) {
            if x.key() == y.key() {
                continue;
            }
            let differ = b.cmpi(CmpI::Ne, x.value(b), y.value(b));
            self.fail_if(
                differ,
                8,
                "operands of an element-wise operation differ in their sizes",
            );
        }
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

    /// Copies the data (and the sizes) of `from` to the memory of `to`.
    pub(crate) fn transfer(&self, from: Val<'c>, to: Val<'c>) {
        if self.same_storage(from, to) {
            return;
        }
        self.define(to, &self.sizes(from));
        if let (Some(source), Some(target)) = (self.pointer(from), self.pointer(to)) {
            self.f.copy(target, source, self.bytes(from));
        }
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

    /// `value` has the sizes of `other`, also when those change.
    pub(crate) fn alias_sizes(&self, value: Val<'c>, other: Val<'c>) {
        let sizes = self.sizes.borrow().get(&op::key(other)).cloned();
        if let Some(sizes) = sizes {
            self.sizes.borrow_mut().insert(op::key(value), sizes);
        }
    }

    /// An element of an integer tensor in memory as an index; constants are looked into.
    pub(crate) fn element(&self, value: Val<'c>, index: &[Ix<'c>]) -> Answer<Ix<'c>> {
        let Some(tensor) = tensor(value) else {
            return unsupported("a shape that is no tensor");
        };
        let at = index
            .iter()
            .zip(&tensor.dims)
            .try_fold(0i64, |at, (i, dim)| Some(at * dim.fixed()? + i.known()?));
        let Some(at) = at else {
            return unsupported("a shape tensor whose own shape is not known");
        };
        if let Some((op, _)) = op::defining_op(value)
            && op.is_hlo("constant")
            && let Some(values) = op.attribute("value").and_then(mapwright_mlir::attr::ints)
        {
            let splat = op
                .attribute("value")
                .and_then(Dense::from_mlir)
                .is_some_and(|d| d.splat);
            let value = values
                .get(if splat { 0 } else { at as usize })
                .or(values.first());
            return Ok(Ix::Known(value.copied().unwrap_or(0)));
        }
        let Some(pointer) = self.pointer(value) else {
            return unsupported("a shape that is computed inside of a fusion");
        };
        let b = self.b();
        let width = tensor.element.byte_width().unwrap_or(8) as i64;
        let ty = crate::storage::storage_type(b, &tensor.element)?;
        let stored = self.f.load(self.f.offset(pointer, at * width), ty);
        Ok(Ix::Value(sizes::to_index(b, stored, &tensor.element)))
    }

    /// Sizes of a value inside of a fusion, whose arguments are the operands of `fusion`.
    fn sizes_inside(&self, fusion: Op<'c>, value: Val<'c>) -> Answer<Vec<Ix<'c>>> {
        let Some(own) = tensor(value) else {
            return Ok(Vec::new());
        };
        if let Some(shape) = own.static_shape() {
            return Ok(shape.into_iter().map(Ix::Known).collect());
        }
        if let Some((_, number)) = op::block_argument(value) {
            return Ok(self.sizes(fusion.operand(number)));
        }
        let Some((op, result)) = op::defining_op(value) else {
            return unsupported("a value without a definition");
        };
        sizes::of_result(self.b(), op, result, &mut |_, question| match question {
            Question::Sizes(value) => self.sizes_inside(fusion, value),
            Question::Equal(x, y) => {
                self.require_equal(&x, &y);
                Ok(Vec::new())
            }
            Question::AtMost(x, y) => {
                self.require_at_most(x, y);
                Ok(Vec::new())
            }
            Question::Element(value, index) => {
                let outside = match op::block_argument(value) {
                    Some((_, number)) => fusion.operand(number),
                    None => value,
                };
                Ok(vec![self.element(outside, &index)?])
            }
        })
    }

    /// Sizes of a result of a function-level operation by its shape function.
    pub(crate) fn infer(&self, op: Op<'c>) -> Result<(), Located<'c>> {
        for (i, result) in op.results().into_iter().enumerate() {
            let Some(tensor) = tensor(result) else {
                continue;
            };
            if tensor.static_shape().is_some() {
                continue;
            }
            let sizes = sizes::of_result(self.b(), op, i, &mut |_, question| match question {
                Question::Sizes(value) => Ok(self.sizes(value)),
                Question::Equal(x, y) => {
                    self.require_equal(&x, &y);
                    Ok(Vec::new())
                }
                Question::AtMost(x, y) => {
                    self.require_at_most(x, y);
                    Ok(Vec::new())
                }
                Question::Element(value, index) => Ok(vec![self.element(value, &index)?]),
            });
            let sizes = sizes.map_err(|why| Located { op, why })?;
            self.define(result, &sizes);
        }
        Ok(())
    }

    /// Launches the kernel of a fusion.
    fn fusion(&self, fusion: Op<'c>) -> Result<(), Located<'c>> {
        let (name, kernel) = self.kernels.get(fusion)?;
        let f = self.f;
        let end = fusion
            .body(0)
            .and_then(|block| op::ops(block).last().copied())
            .ok_or_else(|| Located::new(fusion, "has no body"))?;
        for (result, inner) in fusion.results().into_iter().zip(end.operands()) {
            if tensor(result).is_some_and(|t| t.static_shape().is_none()) {
                let sizes = self
                    .sizes_inside(fusion, inner)
                    .map_err(|why| Located { op: fusion, why })?;
                self.define(result, &sizes);
            }
        }
        let mut pointers = Vec::new();
        let mut sizes = Vec::new();
        for value in fusion.operands().into_iter().chain(fusion.results()) {
            pointers.push(self.address(fusion, value)?);
            let own: Option<TensorType> = tensor(value);
            let dims = own.map(|t| t.dims).unwrap_or_default();
            let values = self.sizes_i64(value);
            sizes.extend(
                values
                    .into_iter()
                    .zip(dims)
                    .filter(|(_, dim)| dim.fixed().is_none())
                    .map(|(size, _)| size),
            );
        }
        if kernel.scratch_bytes > 0 {
            pointers.push(self.workspace(fusion)?);
        }
        let tiles = match kernel.tiles {
            Tiles::Static(n) => f.i64(n),
            Tiles::Dynamic => f
                .call(&format!("{name}_tiles"), &sizes, "i64")
                .unwrap_or_else(|| f.i64(0)),
        };
        let mut args = pointers;
        let buffers = args.len();
        args.extend(&sizes);
        if kernel.emitter == "general" && crate::general::updates_in_place(fusion) {
            // The operand is copied first; the kernel finds it where its result is, and writes what is updated.
            for (output, input) in &kernel.in_place {
                let (operand, result) = (fusion.operand(*input), fusion.result(*output));
                let target = args[fusion.num_operands() + output];
                if !self.same_storage(operand, result) {
                    let copied = [self.context, target, args[*input], self.bytes(result)];
                    f.try_call("mw_copy", &copied, self.exit);
                }
                args[*input] = target;
            }
            args.extend([f.i64(0), f.i64(1)]);
            f.call(&name, &args, "void");
            return Ok(());
        }
        let mut packed = None;
        for phase in &kernel.phases {
            let launch = Launch {
                name: &phase.name,
                buffers,
                cost: phase.cost,
                known: Some(phase.tiles),
                grain: phase.grain,
            };
            self.launch(&launch, &args, f.i64(phase.tiles), &mut packed);
        }
        let launch = Launch {
            name: &name,
            buffers,
            cost: kernel.cost,
            known: match kernel.tiles {
                Tiles::Static(n) => Some(n),
                Tiles::Dynamic => None,
            },
            grain: kernel.grain,
        };
        self.launch(&launch, &args, tiles, &mut packed);
        Ok(())
    }

    /// The memory of a launch besides its tensors.
    fn workspace(&self, fusion: Op<'c>) -> Result<Val<'c>, Located<'c>> {
        let id = fusion
            .results()
            .first()
            .and_then(|v| self.plan.workspaces.get(&op::key(*v)).copied());
        match (id.map(|id| self.plan.storages[id].kind), self.arena) {
            (Some(Kind::Arena(offset)), Some(arena)) => Ok(self.f.offset(arena, offset)),
            _ => Err(Located::new(fusion, "has no memory to work in")),
        }
    }

    /// Runs all tiles of a function, on this thread where others would not help. `packed` holds the arguments once they were needed in memory.
    fn launch(
        &self,
        launch: &Launch<'_>,
        args: &[Val<'c>],
        tiles: Val<'c>,
        packed: &mut Option<Val<'c>>,
    ) {
        let f = self.f;
        let alone = launch.cost < INLINE_COST
            || self.threads == 1
            || launch.known.is_some_and(|n| n < 2 * launch.grain.max(1));
        if alone && launch.known.is_some() {
            let mut args = args.to_vec();
            args.extend([f.i64(0), tiles]);
            f.call(launch.name, &args, "void");
            return;
        }
        // Pack the arguments where all threads find them.
        let packed = *packed.get_or_insert_with(|| {
            let packed = f.alloca(args.len() as i64 * 8);
            for (i, arg) in args.iter().enumerate() {
                f.store(*arg, f.offset(packed, i as i64 * 8));
            }
            packed
        });
        let task = self.task(launch.name, launch.buffers, args.len() - launch.buffers);
        let task = f.address(&task);
        let grain = f.i64(launch.grain.max(1));
        f.call(
            "mw_parallel_for_grain",
            &[self.context, task, packed, tiles, grain],
            "i32",
        );
    }

    /// The function that unpacks the arguments of a kernel; made once a kernel.
    fn task(&self, kernel: &str, buffers: usize, sizes: usize) -> String {
        let name = format!("{kernel}_task");
        if self.f.code.is_defined(&name) {
            return name;
        }
        self.f
            .code
            .function(&name, &["ptr", "i64", "i64"], "void", |f, args| {
                let mut unpacked = Vec::new();
                for i in 0..buffers + sizes {
                    let place = f.offset(args[0], i as i64 * 8);
                    unpacked.push(match i < buffers {
                        true => f.load_ptr(place),
                        false => f.load_i64(place),
                    });
                }
                unpacked.extend([args[1], args[2]]);
                f.call(kernel, &unpacked, "void");
                f.ret(None);
            });
        name
    }

    /// Hands the results over.
    fn return_values(
        &self,
        end: Op<'c>,
        results: Val<'c>,
        result_sizes: Val<'c>,
    ) -> Result<(), Located<'c>> {
        let f = self.f;
        let (mut number, mut dim) = (0i64, 0i64);
        for (i, value) in end.operands().into_iter().enumerate() {
            let Some(tensor) = tensor(value) else {
                continue;
            };
            for (d, size) in self.sizes_i64(value).into_iter().enumerate() {
                f.store(size, f.offset(result_sizes, (dim + d as i64) * 8));
            }
            dim += tensor.rank() as i64;
            let source = self.address(end, value)?;
            if tensor.static_shape().is_some() {
                let own = self.storage(value).map(|id| self.plan.storages[id].kind);
                if own != Some(Kind::Result(i))
                    && let Some(target) = self.results.get(i).copied().flatten()
                {
                    f.copy(target, source, f.i64(bytes(&tensor).unwrap_or(0)));
                }
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
