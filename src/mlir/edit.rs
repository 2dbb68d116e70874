//! Changing IR: cloning, inserting, erasing, printing for comparison.

use crate::{Blk, Loc, Op, Reg, Ty, Val, op, raw};
use melior::ir::{Block, BlockLike, RegionLike, TypeLike, ValueLike};
use mlir_sys as sys;
use std::collections::HashMap;

/// A copy of `op` that is in no block yet. Operands of it and of everything inside are replaced by
/// `map` (by [`op::key`]); results and block arguments inside the copy refer to the copy.
pub fn clone<'c>(op: Op<'c>, map: &HashMap<usize, Val<'c>>) -> Op<'c> {
    // SAFETY: the operation is valid; the clone belongs to nobody until it is inserted.
    let copy = unsafe { Op::from_raw(sys::mlirOperationClone(op.to_raw())) };
    remap(copy, map);
    copy
}

/// As [`clone`], of one operation of several that are copied: `map` has its results afterwards.
pub fn copy<'c>(op: Op<'c>, map: &mut HashMap<usize, Val<'c>>) -> Op<'c> {
    let copy = clone(op, map);
    map.extend(op.results().into_iter().map(op::key).zip(copy.results()));
    copy
}

/// Replaces operands of `op` and of everything inside by `map`.
pub fn remap<'c>(op: Op<'c>, map: &HashMap<usize, Val<'c>>) {
    if map.is_empty() {
        return;
    }
    for i in 0..op.num_operands() {
        if let Some(value) = map.get(&op::key(op.operand(i))) {
            set_operand(op, i, *value);
        }
    }
    for i in 0..op.num_regions() {
        for block in op::blocks(op.region(i)) {
            for inner in op::ops(block) {
                remap(inner, map);
            }
        }
    }
}

/// Sets operand `i`; panics where there is none, as slices do.
pub fn set_operand<'c>(op: Op<'c>, i: usize, value: Val<'c>) {
    op::set_operand(op, i, value);
}

/// Inserts an argument of type `ty` into `block`, at place `i` (at the end beyond the last).
pub fn insert_argument<'c>(block: Blk<'c>, i: usize, ty: Ty<'c>, location: Loc<'c>) -> Val<'c> {
    let i = i.min(block.argument_count());
    // SAFETY: the block is valid and the place within its arguments.
    unsafe {
        Val::from_raw(sys::mlirBlockInsertArgument(
            block.to_raw(),
            i as isize,
            ty.to_raw(),
            location.to_raw(),
        ))
    }
}

/// Puts into the region of one of linalg's named operations, which is empty, what upstream defines
/// for it.
pub fn fill_linalg_body(op: Op<'_>) {
    // SAFETY: the operation is a named one of linalg, whose dialect is loaded.
    unsafe { sys::mlirLinalgFillBuiltinNamedOpRegion(op.to_raw()) }
}

/// Erases argument `i` of `block`, which nothing uses any more; panics where there is none, as
/// slices do.
pub fn erase_argument(block: Blk<'_>, i: usize) {
    assert!(i < block.argument_count(), "argument {i} of a block");
    // SAFETY: within the number of arguments.
    unsafe { sys::mlirBlockEraseArgument(block.to_raw(), i as u32) }
}

/// Appends a detached operation to `block`.
pub fn append<'c>(block: Blk<'c>, op: Op<'c>) {
    // SAFETY: the block takes ownership of an operation that has no parent.
    unsafe { sys::mlirBlockAppendOwnedOperation(block.to_raw(), op.to_raw()) }
}

/// Inserts a detached operation before `anchor`, which must be in a block.
pub fn insert_before<'c>(anchor: Op<'c>, op: Op<'c>) {
    if let Some(block) = anchor.block() {
        // SAFETY: the anchor is in this block, which takes ownership.
        unsafe {
            sys::mlirBlockInsertOwnedOperationBefore(block.to_raw(), anchor.to_raw(), op.to_raw());
        }
    }
}

/// Appends an empty block to `region`.
pub fn append_block<'c>(region: Reg<'c>) -> Blk<'c> {
    crate::block(&region.append_block(Block::new(&[])))
}

/// The operation in generic form without locations, its operands unnamed: equal texts mean equal
/// computations.
pub fn canonical_text(op: Op<'_>) -> String {
    unsafe extern "C" fn collect(text: sys::MlirStringRef, data: *mut std::ffi::c_void) {
        // SAFETY: `data` is the string below; the text is readable for the call.
        unsafe { (*data.cast::<String>()).push_str(&raw::string(text)) }
    }
    let mut text = String::new();
    // SAFETY: the flags are freed after the print; the callback gets the string it expects.
    unsafe {
        let flags = sys::mlirOpPrintingFlagsCreate();
        sys::mlirOpPrintingFlagsPrintGenericOpForm(flags);
        sys::mlirOpPrintingFlagsUseLocalScope(flags);
        sys::mlirOpPrintingFlagsAssumeVerified(flags);
        sys::mlirOperationPrintWithFlags(op.to_raw(), flags, Some(collect), (&raw mut text).cast());
        sys::mlirOpPrintingFlagsDestroy(flags);
    }
    text
}

/// Whether `value` has any use.
pub fn is_used(value: Val<'_>) -> bool {
    // SAFETY: a null operand ends the list.
    unsafe { !sys::mlirOpOperandIsNull(sys::mlirValueGetFirstUse(value.to_raw())) }
}

/// A clone of the top-level operation (a module), to be transformed without touching the original.
/// The caller destroys it.
pub fn clone_module<'c>(module: Op<'c>) -> melior::ir::Module<'c> {
    // SAFETY: the clone of a module is a module that nobody else owns.
    unsafe {
        melior::ir::Module::from_raw(sys::mlirModuleFromOperation(sys::mlirOperationClone(
            module.to_raw(),
        )))
    }
}

/// Erases everything in the body of `module` and moves the operations of `with` there.
///
/// No view of the old contents may be used afterwards; the caller forgets them.
pub fn replace_contents<'c>(module: Op<'c>, with: &melior::ir::Module<'c>) {
    let (Some(body), Some(new)) = (module.body(0), Op::new(with.as_operation()).body(0)) else {
        return;
    };
    // They may use each other's results in a circle, so they go together, with a block of their
    // own.
    let erased = melior::ir::Block::new(&[]);
    for old in crate::op::ops(body) {
        // SAFETY: both are valid; the operation leaves its block before it enters the other, and
        // the caller looks at it no more.
        unsafe {
            sys::mlirOperationRemoveFromParent(old.to_raw());
            sys::mlirBlockAppendOwnedOperation(erased.to_raw(), old.to_raw());
        }
    }
    drop(erased);
    for op in crate::op::ops(new) {
        // SAFETY: both are valid; the operation leaves its block before it enters the other.
        unsafe {
            sys::mlirOperationRemoveFromParent(op.to_raw());
            sys::mlirBlockAppendOwnedOperation(body.to_raw(), op.to_raw());
        }
    }
}

/// A clone of `op` at the end of `block`.
pub fn append_clone<'c>(block: Blk<'c>, op: Op<'c>) -> Op<'c> {
    // SAFETY: the clone has no parent; the block takes it.
    unsafe {
        let raw = sys::mlirOperationClone(op.to_raw());
        sys::mlirBlockAppendOwnedOperation(block.to_raw(), raw);
        Op::from_raw(raw)
    }
}

/// The contents of the regions of `op`, which are empty afterwards.
pub fn take_regions<'c>(op: Op<'c>) -> Vec<melior::ir::Region<'c>> {
    (0..op.num_regions())
        .map(|i| {
            let region = melior::ir::Region::new();
            // SAFETY: both regions are valid; the blocks change their owner.
            unsafe { sys::mlirRegionTakeBody(region.to_raw(), op.region(i).to_raw()) };
            region
        })
        .collect()
}

/// Destroys `op` unless one of its results is used.
///
/// No view of it or of anything inside may be used afterwards; the caller forgets it.
pub fn erase_unused(op: Op<'_>) {
    if op.results().into_iter().any(is_used) {
        return;
    }
    // SAFETY: nothing uses its results, and the caller looks at it no more.
    unsafe { op.erase() }
}
