//! The state of emitting a host function: where its values are, and what it has made so far.

use super::{
    Kernels,
    code::Frame,
    constant_symbol,
    overlap::Overlaps,
    plan::Finished,
    values::{bytes, tensor},
    views::Views,
};
use crate::{emitter::Kernel, sizes::launched::place};
use mapwright_mlir::{Blk, Builder, Op, Val, builder::CmpI, op};
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

/// A size of a tensor at run time.
#[derive(Clone, Copy)]
pub(crate) enum Size<'c> {
    Known(i64),
    /// Address at which the size is stored as an `i64`.
    Slot(Val<'c>),
}

/// A pointer in an array of pointers.
#[derive(Clone, Copy)]
pub(super) struct Slot<'c> {
    array: Val<'c>,
    bytes: i64,
}

impl<'c> Slot<'c> {
    pub(super) fn new(array: Val<'c>, number: i64) -> Self {
        Self {
            array,
            bytes: number * 8,
        }
    }

    pub(super) fn load(self, f: &Frame<'_, 'c>) -> Val<'c> {
        f.load_ptr(f.offset(self.array, self.bytes))
    }
}

/// Launch of a kernel on constants, whose outcome is kept: it is to be made before the kernel's
/// first launch.
pub(super) struct Preparation {
    pub(super) kernel: Kernel,
    /// The memory that is kept: symbol and bytes.
    pub(super) memory: (String, usize),
    /// Of operands and results the constants: symbol and bytes.
    pub(super) constants: Vec<Option<(String, usize)>>,
}

/// State of emitting one function.
pub(crate) struct Host<'a, 'c> {
    pub f: &'a Frame<'a, 'c>,
    pub kernels: &'a Kernels<'a, 'c>,
    pub context: Val<'c>,
    /// Block to go to on failure; the context holds the reason.
    pub exit: Blk<'c>,
    pub(super) plan: &'a Finished<'c>,
    pub(super) views: &'a Views<'c>,
    pub(super) overlaps: &'a Overlaps<'c>,
    /// Addresses at which it is stored how many bytes views are behind their bases, by the keys of
    /// the values.
    pub(super) offsets: RefCell<HashMap<usize, Val<'c>>>,
    /// Slots of the entry point that hold the address of each argument's memory; `None` for tokens.
    /// An address is loaded where it is used: a program may have thousands of arguments, which no
    /// register file holds.
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
    pub(super) extra: RefCell<Vec<Vec<u8>>>,
    pub(super) first_extra: usize,
    /// Counter of the bytes that are copied, and whether any are.
    pub(super) copied: Option<Val<'c>>,
    pub(super) copies: Cell<bool>,
    /// Slots that hold the addresses of storages that move.
    pub(super) moving: RefCell<HashMap<usize, Val<'c>>>,
    /// Storages on the stack.
    pub(super) stack: RefCell<HashMap<usize, Val<'c>>>,
    /// Work on constants that may be done before the first call.
    pub(super) preparations: RefCell<Vec<Preparation>>,
}

impl<'a, 'c> Host<'a, 'c> {
    pub(super) fn new(
        f: &'a Frame<'a, 'c>,
        kernels: &'a Kernels<'a, 'c>,
        context: Val<'c>,
        exit: Blk<'c>,
        (plan, views, overlaps): (&'a Finished<'c>, &'a Views<'c>, &'a Overlaps<'c>),
        threads: usize,
    ) -> Self {
        Host {
            f,
            kernels,
            context,
            exit,
            plan,
            views,
            overlaps,
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

    /// Calls a function of the runtime for `op`; where it fails, the program does, with a message
    /// that names the operation and its place.
    pub(crate) fn attempt(&self, op: Op<'c>, name: &str, args: &[Val<'c>]) {
        let f = self.f;
        let Some(status) = f.call(name, args, "i32") else {
            return;
        };
        let failed = f.b.cmpi(CmpI::Ne, status, f.i32(0));
        let (bad, next) = (f.block(), f.block());
        f.jump_if(failed, bad, next);
        f.b.set_block(bad);
        f.call("mw_failed_at", &[self.context, f.text(&place(op))], "i32");
        f.jump(self.exit);
        f.b.set_block(next);
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
}
