//! Building operations of upstream dialects, tersely.
//!
//! A [`Builder`] appends to a block. Nested regions are closures:
//! `b.for_loop(lo, hi, step, &[init], |b, i, acc| …)`. Constants are made once for each function,
//! at the start of its entry block. Builders never fail for well-typed input; a mistake in code
//! generation shows in the verifier that runs after each pass.

use crate::{Attr, Blk, Loc, Op, Ty, Val, op, raw};
use mapwright_indexing::Extent;
use melior::{
    Context,
    ir::{Block, BlockLike, Region, RegionLike, ValueLike, attribute::AttributeLike},
};
use mlir_sys as sys;
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

mod arith;
mod attributes;
mod control;
mod memory;
mod sizes;
mod types;

pub use arith::{CmpF, CmpI};

/// Dynamic size in a memref or tensor shape.
pub const DYNAMIC: i64 = i64::MIN;

/// Appends operations to a block.
pub struct Builder<'c> {
    context: &'c Context,
    location: Cell<Loc<'c>>,
    block: Cell<Blk<'c>>,
    /// Operation of `block` that new ones go before; at its end where there is none.
    before: Cell<Option<Op<'c>>>,
    /// Entry block of the function being built; constants go to its front.
    entry: Blk<'c>,
    constants: RefCell<HashMap<(usize, usize), Val<'c>>>,
    /// See [`Builder::scales_lanes`].
    scales_lanes: Cell<bool>,
    /// See [`Builder::permutes_lanes`].
    permutes_lanes: Cell<bool>,
    /// See [`Builder::zeros_above`].
    zeros_above: Cell<bool>,
    /// See [`Builder::set_size`].
    sizes: RefCell<HashMap<Extent, Val<'c>>>,
    /// The last operation of the entry block that a size was computed by.
    last_size: Cell<Option<Op<'c>>>,
}

impl<'c> Builder<'c> {
    /// Appends to `block`, the entry block of a function or the body of a module.
    pub fn new(context: &'c Context, block: Blk<'c>, location: Loc<'c>) -> Self {
        Self {
            context,
            location: Cell::new(location),
            block: Cell::new(block),
            before: Cell::new(None),
            entry: block,
            constants: RefCell::default(),
            scales_lanes: Cell::new(false),
            permutes_lanes: Cell::new(false),
            zeros_above: Cell::new(false),
            sizes: RefCell::default(),
            last_size: Cell::new(None),
        }
    }

    /// Inserts before `op`, with its location; constants go to the start of its block.
    ///
    /// For rewriting existing functions.
    pub fn before(context: &'c Context, op: Op<'c>) -> Option<Self> {
        let builder = Self::new(context, op.block()?, op.location());
        builder.before.set(Some(op));
        Some(builder)
    }

    /// Whether the target has AVX-512's instructions that take floating-point lanes apart and scale
    /// them by powers of two. Builders of functions inside of a module inherit it.
    pub fn scales_lanes(&self) -> bool {
        self.scales_lanes.get()
    }

    /// Says whether the target has the instructions of [`Builder::scales_lanes`].
    pub fn set_scales_lanes(&self, scales: bool) {
        self.scales_lanes.set(scales);
    }

    /// Whether the target has AVX2's instruction that looks up lanes of 32 bits in a register, and
    /// no wider registers. Builders of functions inside of a module inherit it.
    pub fn permutes_lanes(&self) -> bool {
        self.permutes_lanes.get()
    }

    /// Says whether the target has the instruction of [`Builder::permutes_lanes`].
    pub fn set_permutes_lanes(&self, permutes: bool) {
        self.permutes_lanes.set(permutes);
    }

    /// Whether the bits above a stored number of less than a byte are zeros, as LLVM has them, also
    /// of signed ones. Builders of functions inside of a module inherit it.
    pub fn zeros_above(&self) -> bool {
        self.zeros_above.get()
    }

    /// Says how numbers of less than a byte are stored ([`Builder::zeros_above`]).
    pub fn set_zeros_above(&self, zeros: bool) {
        self.zeros_above.set(zeros);
    }

    /// The context.
    pub fn context(&self) -> &'c Context {
        self.context
    }

    /// The block that is appended to.
    pub fn block(&self) -> Blk<'c> {
        self.block.get()
    }

    /// Location given to the operations from here on.
    pub fn set_location(&self, location: Loc<'c>) {
        self.location.set(location);
    }

    /// The current location.
    pub fn location(&self) -> Loc<'c> {
        self.location.get()
    }

    /// Appends any operation.
    pub fn op(
        &self,
        name: &str,
        operands: &[Val<'c>],
        results: &[Ty<'c>],
        attributes: &[(&str, Attr<'c>)],
    ) -> Op<'c> {
        self.op_with_regions(name, operands, results, attributes, Vec::new())
    }

    /// Appends any operation with regions.
    pub fn op_with_regions(
        &self,
        name: &str,
        operands: &[Val<'c>],
        results: &[Ty<'c>],
        attributes: &[(&str, Attr<'c>)],
        regions: Vec<Region<'c>>,
    ) -> Op<'c> {
        let op = self.detached(name, operands, results, attributes, regions);
        match self.before.get() {
            Some(anchor) => crate::edit::insert_before(anchor, op),
            None => crate::edit::append(self.block.get(), op),
        }
        op
    }

    /// From here on operations go before `anchor`; `None`: to the end of the block again.
    pub fn insert_before(&self, anchor: Option<Op<'c>>) {
        self.before.set(anchor);
    }

    /// From here on operations go to the end of `block`.
    pub fn set_block(&self, block: Blk<'c>) {
        self.before.set(None);
        self.block.set(block);
    }

    /// Makes an operation that is in no block yet.
    pub fn detached(
        &self,
        name: &str,
        operands: &[Val<'c>],
        results: &[Ty<'c>],
        attributes: &[(&str, Attr<'c>)],
        regions: Vec<Region<'c>>,
    ) -> Op<'c> {
        self.make(name, operands, Some(results), attributes, regions, &[])
            .unwrap_or_else(|| unreachable!("result types are given"))
    }

    /// Appends an operation whose result types follow from its operands, attributes and bodies.
    /// `None` where they do not, after a diagnostic.
    pub fn inferred(
        &self,
        name: &str,
        operands: &[Val<'c>],
        attributes: &[(&str, Attr<'c>)],
        regions: Vec<Region<'c>>,
    ) -> Option<Op<'c>> {
        let op = self.make(name, operands, None, attributes, regions, &[])?;
        match self.before.get() {
            Some(anchor) => crate::edit::insert_before(anchor, op),
            None => crate::edit::append(self.block.get(), op),
        }
        Some(op)
    }

    /// Without result types they are asked for.
    fn make(
        &self,
        name: &str,
        operands: &[Val<'c>],
        results: Option<&[Ty<'c>]>,
        attributes: &[(&str, Attr<'c>)],
        regions: Vec<Region<'c>>,
        successors: &[Blk<'c>],
    ) -> Option<Op<'c>> {
        // SAFETY: `Val`, `Ty` are transparent over their raw counterparts (melior relies on it as
        // well); all lists are copied by the calls; the regions' ownership goes to the operation;
        // successors are blocks of the region that is being built.
        unsafe {
            let mut state =
                sys::mlirOperationStateGet(raw::string_ref(name), self.location.get().to_raw());
            sys::mlirOperationStateAddOperands(
                &mut state,
                operands.len() as isize,
                operands.as_ptr().cast(),
            );
            match results {
                Some(results) => sys::mlirOperationStateAddResults(
                    &mut state,
                    results.len() as isize,
                    results.as_ptr().cast(),
                ),
                None => sys::mlirOperationStateEnableResultTypeInference(&mut state),
            }
            let named: Vec<sys::MlirNamedAttribute> = attributes
                .iter()
                .map(|(name, attribute)| {
                    sys::mlirNamedAttributeGet(
                        sys::mlirIdentifierGet(self.context.to_raw(), raw::string_ref(name)),
                        attribute.to_raw(),
                    )
                })
                .collect();
            sys::mlirOperationStateAddAttributes(&mut state, named.len() as isize, named.as_ptr());
            let owned: Vec<sys::MlirRegion> = regions.into_iter().map(Region::into_raw).collect();
            sys::mlirOperationStateAddOwnedRegions(
                &mut state,
                owned.len() as isize,
                owned.as_ptr(),
            );
            let blocks: Vec<sys::MlirBlock> = successors.iter().map(|b| b.to_raw()).collect();
            sys::mlirOperationStateAddSuccessors(
                &mut state,
                blocks.len() as isize,
                blocks.as_ptr(),
            );
            let raw = sys::mlirOperationCreate(&mut state);
            if raw.ptr.is_null() {
                return None;
            }
            let op = Op::from_raw(raw);
            crate::made::note(op);
            Some(op)
        }
    }

    /// Appends a terminator with successor blocks (which take no arguments), such as `llvm.br` or
    /// `llvm.cond_br`.
    pub fn branch(
        &self,
        name: &str,
        operands: &[Val<'c>],
        successors: &[Blk<'c>],
        attributes: &[(&str, Attr<'c>)],
    ) -> Op<'c> {
        let op = self
            .make(name, operands, Some(&[]), attributes, vec![], successors)
            .unwrap_or_else(|| unreachable!("a terminator has no results"));
        crate::edit::append(self.block.get(), op);
        op
    }

    /// Appends an operation with one result.
    pub fn op1(
        &self,
        name: &str,
        operands: &[Val<'c>],
        result: Ty<'c>,
        attributes: &[(&str, Attr<'c>)],
    ) -> Val<'c> {
        self.op(name, operands, &[result], attributes).result(0)
    }

    /// Appends an operation whose one result has the type of its first operand.
    pub fn same(&self, name: &str, operands: &[Val<'c>]) -> Val<'c> {
        self.op1(name, operands, operands[0].r#type(), &[])
    }

    /// A region of one block with arguments of `types`, filled by `fill` (which must append the
    /// terminator).
    pub fn region(&self, types: &[Ty<'c>], fill: impl FnOnce(&Self, &[Val<'c>])) -> Region<'c> {
        let region = Region::new();
        let arguments: Vec<_> = types.iter().map(|ty| (*ty, self.location.get())).collect();
        let block = crate::block(&region.append_block(Block::new(&arguments)));
        self.within(block, |b| fill(b, &op::arguments(block)));
        region
    }

    /// Runs `fill` with `block` as the place to append to.
    pub fn within<T>(&self, block: Blk<'c>, fill: impl FnOnce(&Self) -> T) -> T {
        let outer = (self.block.replace(block), self.before.replace(None));
        let value = fill(self);
        self.block.set(outer.0);
        self.before.set(outer.1);
        value
    }
}

#[cfg(test)]
mod tests;
