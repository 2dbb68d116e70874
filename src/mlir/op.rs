//! Operations looked at by name: the one view that passes, maps, verification, code generation and
//! the interpreter share.
//!
//! Nothing here depends on the C++ class of an operation, so everything works as well in a host
//! that registered its own StableHLO dialect.

pub use crate::labels::{label, labels};
use crate::{Attr, Blk, Loc, OpRef, Reg, Val, ValueType, attr, raw};
use melior::Context;
use melior::ir::{
    BlockLike, RegionLike, ValueLike, attribute::AttributeLike, operation::OperationLike,
};
use mlir_sys as sys;

/// An operation with accessors by name. Cheap to copy.
///
/// The operation must not be erased while a view of it is used; passes erase only what they no
/// longer look at.
#[derive(Clone, Copy, Debug)]
pub struct Op<'c> {
    raw: sys::MlirOperation,
    context: std::marker::PhantomData<&'c ()>,
}

impl PartialEq for Op<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw.ptr == other.raw.ptr
    }
}

impl Eq for Op<'_> {}

impl std::hash::Hash for Op<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.raw.ptr.hash(state);
    }
}

impl<'c> Op<'c> {
    /// A view of `operation`.
    pub fn new<'a>(operation: impl OperationLike<'c, 'a>) -> Self
    where
        'c: 'a,
    {
        Self {
            raw: operation.to_raw(),
            context: std::marker::PhantomData,
        }
    }

    /// # Safety
    ///
    /// `raw` must be a valid operation of a context that outlives `'c`.
    pub unsafe fn from_raw(raw: sys::MlirOperation) -> Self {
        Self {
            raw,
            context: std::marker::PhantomData,
        }
    }

    /// The raw operation.
    pub fn to_raw(self) -> sys::MlirOperation {
        self.raw
    }

    /// As melior's reference, for everything that melior already does.
    pub fn melior(self) -> OpRef<'c> {
        // SAFETY: `raw` is valid (see `from_raw`).
        unsafe { OpRef::from_raw(self.raw) }
    }

    /// Full name, `stablehlo.add`.
    pub fn name(self) -> &'c str {
        // SAFETY: identifiers live as long as the context.
        unsafe { raw::identifier(sys::mlirOperationGetName(self.raw)) }
    }

    /// Name without its dialect, `add`.
    pub fn short_name(self) -> &'c str {
        let name = self.name();
        name.split_once('.').map_or(name, |(_, short)| short)
    }

    /// Dialect prefix of the name, `stablehlo`.
    pub fn dialect(self) -> &'c str {
        self.name()
            .split_once('.')
            .map_or("", |(dialect, _)| dialect)
    }

    /// Whether it is the StableHLO operation `short`, or the mhlo one of the same name.
    pub fn is_hlo(self, short: &str) -> bool {
        matches!(self.dialect(), "stablehlo" | "mhlo") && self.short_name() == short
    }

    /// The context it is in.
    pub fn context(self) -> &'c Context {
        crate::context::outlive(self.melior().context())
    }

    /// Location in the source.
    pub fn location(self) -> Loc<'c> {
        self.melior().location()
    }

    /// Number of operands.
    pub fn num_operands(self) -> usize {
        self.melior().operand_count()
    }

    /// Operand `i`; panics where there is none, as slices do.
    pub fn operand(self, i: usize) -> Val<'c> {
        assert!(i < self.num_operands(), "operand {i} of {}", self.name());
        // SAFETY: the index was checked.
        unsafe { Val::from_raw(sys::mlirOperationGetOperand(self.raw, i as isize)) }
    }

    /// All operands in order.
    pub fn operands(self) -> Vec<Val<'c>> {
        (0..self.num_operands()).map(|i| self.operand(i)).collect()
    }

    /// Type of operand `i`.
    pub fn operand_type(self, i: usize) -> ValueType {
        ValueType::from_mlir(self.operand(i).r#type())
    }

    /// Number of results.
    pub fn num_results(self) -> usize {
        self.melior().result_count()
    }

    /// Result `i`; panics where there is none, as slices do.
    pub fn result(self, i: usize) -> Val<'c> {
        assert!(i < self.num_results(), "result {i} of {}", self.name());
        // SAFETY: the index was checked.
        unsafe { Val::from_raw(sys::mlirOperationGetResult(self.raw, i as isize)) }
    }

    /// All results in order.
    pub fn results(self) -> Vec<Val<'c>> {
        (0..self.num_results()).map(|i| self.result(i)).collect()
    }

    /// Type of result `i`.
    pub fn result_type(self, i: usize) -> ValueType {
        ValueType::from_mlir(self.result(i).r#type())
    }

    /// Whether it reads its operands at the index of its results, as upstream's trait
    /// `ElementwiseMappable` says.
    pub fn is_elementwise_mappable(self) -> bool {
        // SAFETY: any operation may be asked.
        unsafe { crate::shim::mapwrightOperationIsElementwise(self.raw) }
    }

    /// The attribute `name`, inherent (property) or discardable.
    pub fn attribute(self, name: &str) -> Option<Attr<'c>> {
        // SAFETY: the operation is valid; a missing attribute comes back as null.
        unsafe {
            Attr::from_option_raw(sys::mlirOperationGetAttributeByName(
                self.raw,
                raw::string_ref(name),
            ))
        }
    }

    /// The first of `names` that is there (spellings differ between dialect versions).
    pub fn attribute_of(self, names: &[&str]) -> Option<Attr<'c>> {
        names.iter().find_map(|name| self.attribute(name))
    }

    /// Integer attribute.
    pub fn int(self, name: &str) -> Option<i64> {
        self.attribute(name).and_then(attr::int)
    }

    /// Boolean attribute.
    pub fn boolean(self, name: &str) -> Option<bool> {
        self.attribute(name).and_then(attr::boolean)
    }

    /// List of integers in any of its forms (see [`attr::ints`]).
    pub fn ints(self, name: &str) -> Option<Vec<i64>> {
        self.attribute(name).and_then(attr::ints)
    }

    /// String attribute.
    pub fn string(self, name: &str) -> Option<String> {
        self.attribute(name).and_then(attr::string)
    }

    /// Name of a referenced symbol.
    pub fn symbol(self, name: &str) -> Option<String> {
        self.attribute(name).and_then(attr::symbol)
    }

    /// The attribute as MLIR prints it, for structured attributes (see [`crate::text`]).
    pub fn text(self, name: &str) -> Option<String> {
        self.attribute(name).map(|attribute| attribute.to_string())
    }

    /// All attributes with their names, inherent ones included.
    pub fn attributes(self) -> Vec<(&'c str, Attr<'c>)> {
        // SAFETY: the operation is valid, the index in range; names live as long as the context.
        unsafe {
            (0..sys::mlirOperationGetNumAttributes(self.raw))
                .map(|i| {
                    let named = sys::mlirOperationGetAttribute(self.raw, i);
                    (raw::identifier(named.name), Attr::from_raw(named.attribute))
                })
                .collect()
        }
    }

    /// Sets the attribute `name`.
    pub fn set_attribute(self, name: &str, attribute: Attr<'c>) {
        // SAFETY: both belong to the same context, which `'c` ties together.
        unsafe {
            sys::mlirOperationSetAttributeByName(
                self.raw,
                raw::string_ref(name),
                attribute.to_raw(),
            )
        }
    }

    /// Removes the attribute `name`. Returns whether it was there.
    pub fn remove_attribute(self, name: &str) -> bool {
        // SAFETY: the operation is valid.
        unsafe { sys::mlirOperationRemoveAttributeByName(self.raw, raw::string_ref(name)) }
    }

    /// Whether the symbols that operations in its region refer to are looked for there.
    pub fn is_symbol_table(self) -> bool {
        // SAFETY: the operation is valid; the table is destroyed where one was made.
        unsafe {
            let table = sys::mlirSymbolTableCreate(self.raw);
            let is_one = !table.ptr.is_null();
            if is_one {
                sys::mlirSymbolTableDestroy(table);
            }
            is_one
        }
    }

    /// Number of regions.
    pub fn num_regions(self) -> usize {
        self.melior().region_count()
    }

    /// Region `i`; panics where there is none, as slices do.
    pub fn region(self, i: usize) -> Reg<'c> {
        assert!(i < self.num_regions(), "region {i} of {}", self.name());
        // SAFETY: the index was checked.
        unsafe { Reg::from_raw(sys::mlirOperationGetRegion(self.raw, i as isize)) }
    }

    /// First block of region `i`, if both are there.
    pub fn body(self, i: usize) -> Option<Blk<'c>> {
        if i >= self.num_regions() {
            return None;
        }
        self.region(i)
            .first_block()
            .map(|block| crate::block(&block))
    }

    /// The operation that this one is in.
    pub fn parent(self) -> Option<Op<'c>> {
        self.melior().parent_operation().map(Op::new)
    }

    /// The block that this one is in.
    pub fn block(self) -> Option<Blk<'c>> {
        self.melior().block().map(|block| crate::block(&block))
    }

    /// Verifies it: no unregistered operation, all invariants hold. Emits diagnostics if not.
    pub fn verify(self) -> bool {
        // SAFETY: the operation is valid.
        unsafe { sys::mlirOperationVerify(self.raw) }
    }

    /// Emits an error at this operation, prefixed with its name as upstream does.
    pub fn emit_error(self, message: &str) {
        emit_error(self.location(), &format!("'{}' op {message}", self.name()));
    }

    /// All operations inside, in pre-order, this one not included.
    pub fn descendants(self) -> Vec<Op<'c>> {
        let mut found = Vec::new();
        for i in 0..self.num_regions() {
            for block in blocks(self.region(i)) {
                for op in ops(block) {
                    found.push(op);
                    found.extend(op.descendants());
                }
            }
        }
        found
    }

    /// Removes it from its block and destroys it. Its results must have no uses.
    ///
    /// # Safety
    ///
    /// No view of it or of anything inside may be used afterwards.
    pub unsafe fn erase(self) {
        // SAFETY: promised by the caller.
        unsafe { sys::mlirOperationDestroy(self.raw) }
    }

    /// Moves it before `other`, possibly in another block.
    pub fn move_before(self, other: Op<'c>) {
        // SAFETY: both are valid operations in blocks of the same context.
        unsafe { sys::mlirOperationMoveBefore(self.raw, other.raw) }
    }
}

impl std::fmt::Display for Op<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.melior())
    }
}

/// Emits an error diagnostic at `location`.
pub fn emit_error(location: Loc<'_>, message: &str) {
    if let Ok(text) = std::ffi::CString::new(message.replace('\0', "\u{fffd}")) {
        // SAFETY: the text lives through the call.
        unsafe { sys::mlirEmitError(location.to_raw(), text.as_ptr()) }
    }
}

/// Blocks of a region in order.
pub fn blocks<'c>(region: Reg<'c>) -> Vec<Blk<'c>> {
    let mut found = Vec::new();
    let mut next = region.first_block().map(|block| crate::block(&block));
    while let Some(block) = next {
        found.push(block);
        next = block.next_in_region().map(|block| crate::block(&block));
    }
    found
}

/// Operations of a block in order, the terminator last.
pub fn ops<'c>(block: Blk<'c>) -> Vec<Op<'c>> {
    let mut found = Vec::new();
    let mut next = block.first_operation().map(Op::new);
    while let Some(op) = next {
        found.push(op);
        // SAFETY: `op` is valid; a null operation ends the list.
        let raw = unsafe { sys::mlirOperationGetNextInBlock(op.raw) };
        next = (!raw.ptr.is_null()).then_some(Op {
            raw,
            context: std::marker::PhantomData,
        });
    }
    found
}

/// Arguments of a block in order.
pub fn arguments<'c>(block: Blk<'c>) -> Vec<Val<'c>> {
    let n = block.argument_count();
    (0..n as isize)
        // SAFETY: within the number of arguments.
        .map(|i| unsafe { Val::from_raw(sys::mlirBlockGetArgument(block.to_raw(), i)) })
        .collect()
}

/// The operation that defines `value` and the number of the result; `None` for block arguments.
pub fn defining_op<'c>(value: Val<'c>) -> Option<(Op<'c>, usize)> {
    let raw = value.to_raw();
    // SAFETY: the accessors are called only on an operation's result.
    unsafe {
        sys::mlirValueIsAOpResult(raw).then(|| {
            (
                Op::from_raw(sys::mlirOpResultGetOwner(raw)),
                sys::mlirOpResultGetResultNumber(raw) as usize,
            )
        })
    }
}

/// Whether it is the result of a `constant` of StableHLO or mhlo.
pub fn is_constant(value: Val<'_>) -> bool {
    defining_op(value).is_some_and(|(op, _)| op.is_hlo("constant"))
}

/// The block and position of a block argument; `None` for results of operations.
pub fn block_argument<'c>(value: Val<'c>) -> Option<(Blk<'c>, usize)> {
    let raw = value.to_raw();
    // SAFETY: the accessors are called only on a block argument.
    unsafe {
        sys::mlirValueIsABlockArgument(raw).then(|| {
            (
                Blk::from_raw(sys::mlirBlockArgumentGetOwner(raw)),
                sys::mlirBlockArgumentGetArgNumber(raw) as usize,
            )
        })
    }
}

/// The operation in whose region a block is.
pub fn parent_of_block<'c>(block: Blk<'c>) -> Option<Op<'c>> {
    // SAFETY: the block is valid; a null operation is sorted out.
    unsafe {
        let raw = sys::mlirBlockGetParentOperation(block.to_raw());
        (!raw.ptr.is_null()).then(|| Op::from_raw(raw))
    }
}

/// The sizes of a ranked tensor, memref or vector; `None` for a size that is not static, and for
/// one that is multiplied by the machine's vector length.
pub fn static_shape(value: Val<'_>) -> Option<Vec<Option<i64>>> {
    // SAFETY: sizes are read only from a ranked shaped type and within its rank.
    unsafe {
        let ty = sys::mlirValueGetType(value.to_raw());
        if !sys::mlirTypeIsAShaped(ty) || !sys::mlirShapedTypeHasRank(ty) {
            return None;
        }
        let size = |i| {
            let scalable = sys::mlirTypeIsAVector(ty) && sys::mlirVectorTypeIsDimScalable(ty, i);
            let known = !sys::mlirShapedTypeIsDynamicDim(ty, i) && !scalable;
            known.then(|| sys::mlirShapedTypeGetDimSize(ty, i))
        };
        let rank = isize::try_from(sys::mlirShapedTypeGetRank(ty)).ok()?;
        Some((0..rank).map(size).collect())
    }
}

/// Uses of `value`: the operation and the operand number. The order is MLIR's use list, last use
/// first.
pub fn uses<'c>(value: Val<'c>) -> Vec<(Op<'c>, usize)> {
    let mut found = Vec::new();
    // SAFETY: the use list is walked while nothing changes it.
    unsafe {
        let mut operand = sys::mlirValueGetFirstUse(value.to_raw());
        while !sys::mlirOpOperandIsNull(operand) {
            found.push((
                Op::from_raw(sys::mlirOpOperandGetOwner(operand)),
                sys::mlirOpOperandGetOperandNumber(operand) as usize,
            ));
            operand = sys::mlirOpOperandGetNextUse(operand);
        }
    }
    found
}

/// Replaces every use of `of` by `with`. Operations that stand in no order may use their own
/// results, and upstream's loop over the uses of a value that replaces itself has no end.
pub fn replace_all_uses<'c>(of: Val<'c>, with: Val<'c>) {
    if of == with {
        return;
    }
    crate::made::note_users(of, with);
    // SAFETY: both are valid values of the same context.
    unsafe { sys::mlirValueReplaceAllUsesOfWith(of.to_raw(), with.to_raw()) }
}

/// Makes `with` operand `i` of `op`; panics where there is none, as slices do.
pub fn set_operand<'c>(op: Op<'c>, i: usize, with: Val<'c>) {
    if op.operand(i).r#type() != with.r#type() {
        crate::made::note(op);
    }
    // SAFETY: the index was checked; both are valid in the same context.
    unsafe { sys::mlirOperationSetOperand(op.to_raw(), i as isize, with.to_raw()) }
}

/// Identity of a value, for use as a key.
pub fn key(value: Val<'_>) -> usize {
    value.to_raw().ptr as usize
}

/// Whether `operation` stands before `other` of the same block.
pub fn is_before(operation: Op<'_>, other: Op<'_>) -> bool {
    operation.block() == other.block()
        // SAFETY: both are operations of the same block.
        && unsafe { sys::mlirOperationIsBeforeInBlock(operation.raw, other.raw) }
}

/// The operation behind `operation` in its block.
pub fn next<'c>(operation: Op<'c>) -> Option<Op<'c>> {
    // SAFETY: the operation is valid; a null operation ends the list.
    let raw = unsafe { sys::mlirOperationGetNextInBlock(operation.raw) };
    (!raw.ptr.is_null()).then_some(Op {
        raw,
        context: std::marker::PhantomData,
    })
}

/// The first operation of a block.
pub fn first<'c>(block: Blk<'c>) -> Option<Op<'c>> {
    block.first_operation().map(Op::new)
}
