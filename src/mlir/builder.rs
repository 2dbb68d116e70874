//! Building operations of upstream dialects, tersely.
//!
//! A [`Builder`] appends to a block. Nested regions are closures: `b.for_loop(lo, hi, step, &[init], |b, i, acc| …)`.
//! Constants are made once for each function, at the start of its entry block. Builders never fail for well-typed input; a
//! mistake in code generation shows in the verifier that runs after each pass.

use crate::{Attr, Blk, FloatKind, Loc, Op, Ty, Val, op, raw};
use melior::{
    Context,
    ir::{Block, BlockLike, Region, RegionLike, TypeLike, ValueLike, attribute::AttributeLike},
};
use mlir_sys as sys;
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

/// Dynamic size in a memref or tensor shape.
pub const DYNAMIC: i64 = i64::MIN;

/// Comparison predicates of `arith.cmpi`, with the numbers of that operation's attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
#[allow(missing_docs)]
pub enum CmpI {
    Eq = 0,
    Ne = 1,
    Slt = 2,
    Sle = 3,
    Sgt = 4,
    Sge = 5,
    Ult = 6,
    Ule = 7,
    Ugt = 8,
    Uge = 9,
}

/// Comparison predicates of `arith.cmpf`, with the numbers of that operation's attribute: ordered (`O…`, false on NaN),
/// unordered (`U…`, true on NaN).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
#[allow(missing_docs)]
pub enum CmpF {
    Oeq = 1,
    Ogt = 2,
    Oge = 3,
    Olt = 4,
    Ole = 5,
    One = 6,
    Ord = 7,
    Ueq = 8,
    Ugt = 9,
    Uge = 10,
    Ult = 11,
    Ule = 12,
    Une = 13,
    Uno = 14,
}

/// Appends operations to a block.
pub struct Builder<'c> {
    context: &'c Context,
    location: Cell<Loc<'c>>,
    block: Cell<Blk<'c>>,
    /// Operation of `block` that new ones go before; at its end where there is none.
    before: Cell<Option<Op<'c>>>,
    /// Entry block of the function being built; constants go to its front.
    entry: Cell<Blk<'c>>,
    constants: RefCell<HashMap<(usize, usize), Val<'c>>>,
    /// See [`Builder::scales_lanes`].
    scales_lanes: Cell<bool>,
}

impl<'c> Builder<'c> {
    /// Appends to `block`, the entry block of a function or the body of a module.
    pub fn new(context: &'c Context, block: Blk<'c>, location: Loc<'c>) -> Self {
        Self {
            context,
            location: Cell::new(location),
            block: Cell::new(block),
            before: Cell::new(None),
            entry: Cell::new(block),
            constants: RefCell::default(),
            scales_lanes: Cell::new(false),
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

    /// Has the target an instruction that multiplies the lanes of a vector by powers of two ([`Builder::ldexp`])? Otherwise that is a call
    /// for each lane. Builders of functions inside of a module inherit it.
    pub fn scales_lanes(&self) -> bool {
        self.scales_lanes.get()
    }

    /// Says whether the target has the instruction of [`Builder::scales_lanes`].
    pub fn set_scales_lanes(&self, scales: bool) {
        self.scales_lanes.set(scales);
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

    // ---- any operation -----------------------------------------------------------------------------------------------

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
        // SAFETY: `Val`, `Ty` are transparent over their raw counterparts (melior relies on it as well); all lists are copied
        // by the calls; the regions' ownership goes to the operation.
        unsafe {
            let mut state =
                sys::mlirOperationStateGet(raw::string_ref(name), self.location.get().to_raw());
            sys::mlirOperationStateAddOperands(
                &mut state,
                operands.len() as isize,
                operands.as_ptr().cast(),
            );
            sys::mlirOperationStateAddResults(
                &mut state,
                results.len() as isize,
                results.as_ptr().cast(),
            );
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
            Op::from_raw(sys::mlirOperationCreate(&mut state))
        }
    }

    /// Appends a terminator with successor blocks (which take no arguments), such as `llvm.br` or `llvm.cond_br`.
    pub fn branch(
        &self,
        name: &str,
        operands: &[Val<'c>],
        successors: &[Blk<'c>],
        attributes: &[(&str, Attr<'c>)],
    ) -> Op<'c> {
        // SAFETY: as in `detached`; successors are blocks of the region that is being built.
        let op = unsafe {
            let mut state =
                sys::mlirOperationStateGet(raw::string_ref(name), self.location.get().to_raw());
            sys::mlirOperationStateAddOperands(
                &mut state,
                operands.len() as isize,
                operands.as_ptr().cast(),
            );
            let blocks: Vec<sys::MlirBlock> = successors.iter().map(|b| b.to_raw()).collect();
            sys::mlirOperationStateAddSuccessors(
                &mut state,
                blocks.len() as isize,
                blocks.as_ptr(),
            );
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
            Op::from_raw(sys::mlirOperationCreate(&mut state))
        };
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

    /// A region of one block with arguments of `types`, filled by `fill` (which must append the terminator).
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

    // ---- types ---------------------------------------------------------------------------------------------------------

    /// `index`.
    pub fn index(&self) -> Ty<'c> {
        Ty::index(self.context)
    }

    /// Signless integer type.
    pub fn int(&self, width: u32) -> Ty<'c> {
        melior::ir::r#type::IntegerType::new(self.context, width).into()
    }

    /// `i1`.
    pub fn i1(&self) -> Ty<'c> {
        self.int(1)
    }

    /// `i64`.
    pub fn i64(&self) -> Ty<'c> {
        self.int(64)
    }

    /// `f32`.
    pub fn f32(&self) -> Ty<'c> {
        Ty::float32(self.context)
    }

    /// `f64`.
    pub fn f64(&self) -> Ty<'c> {
        Ty::float64(self.context)
    }

    /// A floating-point type.
    pub fn float(&self, kind: FloatKind) -> Ty<'c> {
        self.parse_type(kind.name())
    }

    /// `complex<element>`.
    pub fn complex(&self, element: Ty<'c>) -> Ty<'c> {
        // SAFETY: the element type is valid.
        unsafe { Ty::from_raw(sys::mlirComplexTypeGet(element.to_raw())) }
    }

    /// `vector<shape x element>`.
    pub fn vector(&self, shape: &[i64], element: Ty<'c>) -> Ty<'c> {
        // SAFETY: the shape is copied; the element type is valid.
        unsafe {
            Ty::from_raw(sys::mlirVectorTypeGet(
                shape.len() as isize,
                shape.as_ptr(),
                element.to_raw(),
            ))
        }
    }

    /// `memref<shape x element>`, row-major and contiguous; [`DYNAMIC`] for sizes known at run time.
    pub fn memref(&self, shape: &[i64], element: Ty<'c>) -> Ty<'c> {
        // SAFETY: the shape is copied; null layout and memory space are the defaults.
        unsafe {
            Ty::from_raw(sys::mlirMemRefTypeContiguousGet(
                element.to_raw(),
                shape.len() as isize,
                shape.as_ptr(),
                sys::MlirAttribute {
                    ptr: std::ptr::null(),
                },
            ))
        }
    }

    /// `memref<shape x element, strided<strides, offset: offset>>`, in elements.
    pub fn strided_memref(
        &self,
        shape: &[i64],
        element: Ty<'c>,
        strides: &[i64],
        offset: i64,
    ) -> Ty<'c> {
        // SAFETY: as `memref`; the strides are copied.
        unsafe {
            let layout = sys::mlirStridedLayoutAttrGet(
                self.context.to_raw(),
                offset,
                strides.len() as isize,
                strides.as_ptr(),
            );
            Ty::from_raw(sys::mlirMemRefTypeGet(
                element.to_raw(),
                shape.len() as isize,
                shape.as_ptr(),
                layout,
                sys::MlirAttribute {
                    ptr: std::ptr::null(),
                },
            ))
        }
    }

    /// `!llvm.ptr`.
    pub fn ptr(&self) -> Ty<'c> {
        // SAFETY: the context is valid.
        unsafe { Ty::from_raw(sys::mlirLLVMPointerTypeGet(self.context.to_raw(), 0)) }
    }

    /// A function type.
    pub fn function_type(&self, inputs: &[Ty<'c>], results: &[Ty<'c>]) -> Ty<'c> {
        melior::ir::r#type::FunctionType::new(self.context, inputs, results).into()
    }

    /// Parses a type; an unreadable one is a bug of the caller and gives `none`.
    pub fn parse_type(&self, text: &str) -> Ty<'c> {
        Ty::parse(self.context, text).unwrap_or_else(|| Ty::none(self.context))
    }

    /// Element type of a vector or memref type, the type itself otherwise.
    pub fn element_of(&self, ty: Ty<'c>) -> Ty<'c> {
        // SAFETY: the element type is read from shaped types only.
        unsafe {
            match sys::mlirTypeIsAShaped(ty.to_raw()) {
                true => Ty::from_raw(sys::mlirShapedTypeGetElementType(ty.to_raw())),
                false => ty,
            }
        }
    }

    /// Sizes of a shaped type; empty for others.
    pub fn shape_of(&self, ty: Ty<'c>) -> Vec<i64> {
        let raw = ty.to_raw();
        // SAFETY: sizes are read from ranked shaped types only, within the rank.
        unsafe {
            if !sys::mlirTypeIsAShaped(raw) || !sys::mlirShapedTypeHasRank(raw) {
                return Vec::new();
            }
            (0..sys::mlirShapedTypeGetRank(raw) as isize)
                .map(|i| sys::mlirShapedTypeGetDimSize(raw, i))
                .collect()
        }
    }

    /// The vector type of the shape of `like` (a vector) with another element, or the element where `like` is a scalar.
    pub fn like(&self, like: Ty<'c>, element: Ty<'c>) -> Ty<'c> {
        // SAFETY: only asks for the kind of a valid type.
        match unsafe { sys::mlirTypeIsAVector(like.to_raw()) } {
            true => self.vector(&self.shape_of(like), element),
            false => element,
        }
    }

    // ---- attributes ----------------------------------------------------------------------------------------------------

    /// Integer attribute of type `ty`.
    pub fn int_attr(&self, value: i64, ty: Ty<'c>) -> Attr<'c> {
        melior::ir::attribute::IntegerAttribute::new(ty, value).into()
    }

    /// `i64` attribute.
    pub fn i64_attr(&self, value: i64) -> Attr<'c> {
        self.int_attr(value, self.i64())
    }

    /// String attribute.
    pub fn str_attr(&self, text: &str) -> Attr<'c> {
        melior::ir::attribute::StringAttribute::new(self.context, text).into()
    }

    /// Boolean attribute.
    pub fn bool_attr(&self, value: bool) -> Attr<'c> {
        // SAFETY: the context is valid.
        unsafe {
            Attr::from_raw(sys::mlirBoolAttrGet(
                self.context.to_raw(),
                i32::from(value),
            ))
        }
    }

    /// `unit`.
    pub fn unit_attr(&self) -> Attr<'c> {
        // SAFETY: the context is valid.
        unsafe { Attr::from_raw(sys::mlirUnitAttrGet(self.context.to_raw())) }
    }

    /// `array<i64: …>`.
    pub fn i64_array(&self, values: &[i64]) -> Attr<'c> {
        melior::ir::attribute::DenseI64ArrayAttribute::new(self.context, values).into()
    }

    /// `array<i32: …>`.
    pub fn i32_array(&self, values: &[i32]) -> Attr<'c> {
        melior::ir::attribute::DenseI32ArrayAttribute::new(self.context, values).into()
    }

    /// `[…]`.
    pub fn array_attr(&self, values: &[Attr<'c>]) -> Attr<'c> {
        melior::ir::attribute::ArrayAttribute::new(self.context, values).into()
    }

    /// `@name`.
    pub fn symbol_attr(&self, name: &str) -> Attr<'c> {
        melior::ir::attribute::FlatSymbolRefAttribute::new(self.context, name).into()
    }

    /// A type as an attribute.
    pub fn type_attr(&self, ty: Ty<'c>) -> Attr<'c> {
        melior::ir::attribute::TypeAttribute::new(ty).into()
    }

    /// Parses an attribute; an unreadable one is a bug of the caller and gives `unit`.
    pub fn parse_attr(&self, text: &str) -> Attr<'c> {
        Attr::parse(self.context, text).unwrap_or_else(|| self.unit_attr())
    }

    /// `affine_map<(d0, …) -> (…)>` that is the identity on the last `results` of `dims` dimensions.
    pub fn minor_identity(&self, dims: usize, results: usize) -> Attr<'c> {
        // SAFETY: `results <= dims` is the caller's duty and checked here.
        assert!(results <= dims);
        unsafe {
            let map = sys::mlirAffineMapMinorIdentityGet(
                self.context.to_raw(),
                dims as isize,
                results as isize,
            );
            Attr::from_raw(sys::mlirAffineMapAttrGet(map))
        }
    }

    // ---- constants -----------------------------------------------------------------------------------------------------

    fn constant(&self, value: Attr<'c>, ty: Ty<'c>) -> Val<'c> {
        let key = (value.to_raw().ptr as usize, ty.to_raw().ptr as usize);
        if let Some(value) = self.constants.borrow().get(&key) {
            return *value;
        }
        let op = self.detached(
            "arith.constant",
            &[],
            &[ty],
            &[("value", value)],
            Vec::new(),
        );
        // SAFETY: the entry block takes ownership of an operation without a parent.
        unsafe {
            sys::mlirBlockInsertOwnedOperation(self.entry.get().to_raw(), 0, op.to_raw());
        }
        let value = op.result(0);
        self.constants.borrow_mut().insert(key, value);
        value
    }

    /// Constant of type `index`.
    pub fn cidx(&self, value: i64) -> Val<'c> {
        self.cint(value, self.index())
    }

    /// Integer constant of type `ty`, splat where `ty` is a vector. The value is cut to the width.
    pub fn cint(&self, value: i64, ty: Ty<'c>) -> Val<'c> {
        let scalar = self.int_attr(value, self.element_of(ty));
        self.constant(self.splat_attr(scalar, ty), ty)
    }

    /// Floating-point constant of type `ty` (rounded to it), splat where `ty` is a vector.
    pub fn cfloat(&self, value: f64, ty: Ty<'c>) -> Val<'c> {
        // SAFETY: the element type is a float type, which is the caller's duty; the location is valid.
        let scalar = unsafe {
            Attr::from_raw(sys::mlirFloatAttrDoubleGet(
                self.context.to_raw(),
                self.element_of(ty).to_raw(),
                value,
            ))
        };
        self.constant(self.splat_attr(scalar, ty), ty)
    }

    /// `true` or `false`.
    pub fn cbool(&self, value: bool) -> Val<'c> {
        self.cint(i64::from(value), self.i1())
    }

    /// A constant from its attribute (for instance `dense<…> : vector<…>`).
    pub fn cattr(&self, value: Attr<'c>, ty: Ty<'c>) -> Val<'c> {
        self.constant(value, ty)
    }

    /// Forgets the constants made so far, for a builder that goes on in another function whose entry block is `entry`.
    pub fn enter(&self, entry: Blk<'c>) {
        self.constants.borrow_mut().clear();
        self.entry.set(entry);
        self.set_block(entry);
    }

    fn splat_attr(&self, scalar: Attr<'c>, ty: Ty<'c>) -> Attr<'c> {
        // SAFETY: a splat is made for shaped types only.
        unsafe {
            match sys::mlirTypeIsAShaped(ty.to_raw()) {
                true => Attr::from_raw(sys::mlirDenseElementsAttrSplatGet(
                    ty.to_raw(),
                    scalar.to_raw(),
                )),
                false => scalar,
            }
        }
    }

    // ---- arith: integers and index -------------------------------------------------------------------------------------

    /// `arith.addi`.
    pub fn addi(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.addi", &[a, b])
    }
    /// `arith.subi`.
    pub fn subi(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.subi", &[a, b])
    }
    /// `arith.muli`.
    pub fn muli(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.muli", &[a, b])
    }
    /// `arith.divsi`: rounds toward zero; undefined for a zero divisor and for the least value by -1.
    pub fn divsi(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.divsi", &[a, b])
    }
    /// `arith.divui`.
    pub fn divui(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.divui", &[a, b])
    }
    /// `arith.remsi`: sign of the dividend.
    pub fn remsi(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.remsi", &[a, b])
    }
    /// `arith.remui`.
    pub fn remui(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.remui", &[a, b])
    }
    /// `arith.minsi`.
    pub fn minsi(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.minsi", &[a, b])
    }
    /// `arith.maxsi`.
    pub fn maxsi(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.maxsi", &[a, b])
    }
    /// `arith.andi`.
    pub fn andi(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.andi", &[a, b])
    }
    /// `arith.ori`.
    pub fn ori(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.ori", &[a, b])
    }
    /// `arith.xori`.
    pub fn xori(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.xori", &[a, b])
    }
    /// `arith.shli`; the amount must be below the width.
    pub fn shli(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.shli", &[a, b])
    }
    /// `arith.shrui`; the amount must be below the width.
    pub fn shrui(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.shrui", &[a, b])
    }
    /// `arith.shrsi`; the amount must be below the width.
    pub fn shrsi(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.shrsi", &[a, b])
    }

    /// `arith.cmpi`: `i1`, or a vector of them.
    pub fn cmpi(&self, predicate: CmpI, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let ty = self.like(a.r#type(), self.i1());
        let predicate = self.i64_attr(predicate as i64);
        self.op1("arith.cmpi", &[a, b], ty, &[("predicate", predicate)])
    }

    /// `arith.select`; the condition is `i1` or a vector of them.
    pub fn select(&self, condition: Val<'c>, yes: Val<'c>, no: Val<'c>) -> Val<'c> {
        self.op1("arith.select", &[condition, yes, no], yes.r#type(), &[])
    }

    /// A conversion operation such as `arith.extsi` to `ty`.
    pub fn cast(&self, name: &str, value: Val<'c>, ty: Ty<'c>) -> Val<'c> {
        self.op1(name, &[value], ty, &[])
    }

    /// `arith.index_cast`; the value itself if it has the type already.
    pub fn index_cast(&self, value: Val<'c>, ty: Ty<'c>) -> Val<'c> {
        match value.r#type() == ty {
            true => value,
            false => self.cast("arith.index_cast", value, ty),
        }
    }

    // ---- arith: floating point -----------------------------------------------------------------------------------------

    /// `arith.addf`.
    pub fn addf(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.addf", &[a, b])
    }
    /// `arith.subf`.
    pub fn subf(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.subf", &[a, b])
    }
    /// `arith.mulf`.
    pub fn mulf(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.mulf", &[a, b])
    }
    /// `arith.divf`.
    pub fn divf(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.divf", &[a, b])
    }
    /// `arith.negf`.
    pub fn negf(&self, a: Val<'c>) -> Val<'c> {
        self.same("arith.negf", &[a])
    }
    /// `arith.maximumf`: NaN if either is NaN, +0 above -0, as StableHLO's `maximum`.
    pub fn maximumf(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.maximumf", &[a, b])
    }
    /// `arith.minimumf`: NaN if either is NaN, -0 below +0, as StableHLO's `minimum`.
    pub fn minimumf(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.same("arith.minimumf", &[a, b])
    }

    /// `arith.cmpf`: `i1`, or a vector of them.
    pub fn cmpf(&self, predicate: CmpF, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let ty = self.like(a.r#type(), self.i1());
        let predicate = self.i64_attr(predicate as i64);
        self.op1("arith.cmpf", &[a, b], ty, &[("predicate", predicate)])
    }

    /// `math.<name>` on one or more operands, all of one type.
    pub fn math(&self, name: &str, operands: &[Val<'c>]) -> Val<'c> {
        self.same(&format!("math.{name}"), operands)
    }

    /// `math.fma`: `a * b + c`, rounded once.
    pub fn fma(&self, a: Val<'c>, b: Val<'c>, c: Val<'c>) -> Val<'c> {
        self.same("math.fma", &[a, b, c])
    }

    // ---- scf -----------------------------------------------------------------------------------------------------------

    /// `scf.for` from `lo` up to, not including, `hi`. The body gets the induction variable and the carried values and
    /// returns their next values.
    pub fn for_loop(
        &self,
        lo: Val<'c>,
        hi: Val<'c>,
        step: Val<'c>,
        inits: &[Val<'c>],
        body: impl FnOnce(&Self, Val<'c>, &[Val<'c>]) -> Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        let types: Vec<Ty<'c>> = inits.iter().map(|value| value.r#type()).collect();
        let mut arguments = vec![lo.r#type()];
        arguments.extend(&types);
        let region = self.region(&arguments, |b, arguments| {
            let next = body(b, arguments[0], &arguments[1..]);
            b.op("scf.yield", &next, &[], &[]);
        });
        let mut operands = vec![lo, hi, step];
        operands.extend(inits);
        self.op_with_regions("scf.for", &operands, &types, &[], vec![region])
            .results()
    }

    /// `scf.if` with results: both branches return values of `types`.
    pub fn if_else(
        &self,
        condition: Val<'c>,
        types: &[Ty<'c>],
        yes: impl FnOnce(&Self) -> Vec<Val<'c>>,
        no: impl FnOnce(&Self) -> Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        let branch = |fill: &mut dyn FnMut(&Self) -> Vec<Val<'c>>| {
            self.region(&[], |b, _| {
                let values = fill(b);
                b.op("scf.yield", &values, &[], &[]);
            })
        };
        let (mut yes, mut no) = (Some(yes), Some(no));
        let regions = vec![
            branch(&mut |b| yes.take().map(|f| f(b)).unwrap_or_default()),
            branch(&mut |b| no.take().map(|f| f(b)).unwrap_or_default()),
        ];
        self.op_with_regions("scf.if", &[condition], types, &[], regions)
            .results()
    }

    /// `scf.if` without results or an else branch.
    pub fn if_then(&self, condition: Val<'c>, yes: impl FnOnce(&Self)) {
        let then = self.region(&[], |b, _| {
            yes(b);
            b.op("scf.yield", &[], &[], &[]);
        });
        self.op_with_regions("scf.if", &[condition], &[], &[], vec![then, Region::new()]);
    }

    /// `scf.while`: `before` gets the carried values and returns the condition and the values for `after`, which returns the
    /// next carried values. `after_types` are the types of the values that `before` passes on (and of the results).
    pub fn while_loop(
        &self,
        inits: &[Val<'c>],
        after_types: &[Ty<'c>],
        before: impl FnOnce(&Self, &[Val<'c>]) -> (Val<'c>, Vec<Val<'c>>),
        after: impl FnOnce(&Self, &[Val<'c>]) -> Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        let types: Vec<Ty<'c>> = inits.iter().map(|value| value.r#type()).collect();
        let condition = self.region(&types, |b, arguments| {
            let (condition, values) = before(b, arguments);
            let mut operands = vec![condition];
            operands.extend(values);
            b.op("scf.condition", &operands, &[], &[]);
        });
        let body = self.region(after_types, |b, arguments| {
            let next = after(b, arguments);
            b.op("scf.yield", &next, &[], &[]);
        });
        self.op_with_regions("scf.while", inits, after_types, &[], vec![condition, body])
            .results()
    }

    // ---- memref --------------------------------------------------------------------------------------------------------

    /// `memref.load`.
    pub fn load(&self, memref: Val<'c>, indices: &[Val<'c>]) -> Val<'c> {
        let mut operands = vec![memref];
        operands.extend(indices);
        self.op1(
            "memref.load",
            &operands,
            self.element_of(memref.r#type()),
            &[],
        )
    }

    /// `memref.store`.
    pub fn store(&self, value: Val<'c>, memref: Val<'c>, indices: &[Val<'c>]) {
        let mut operands = vec![value, memref];
        operands.extend(indices);
        self.op("memref.store", &operands, &[], &[]);
    }

    /// `memref.alloca` of static shape in the function's frame, aligned to 64 bytes. It is placed in the entry block, so that
    /// it is allocated once, wherever it is asked for.
    pub fn alloca(&self, ty: Ty<'c>) -> Val<'c> {
        let segments = self.i32_array(&[0, 0]);
        let attributes = [
            ("operandSegmentSizes", segments),
            ("alignment", self.i64_attr(64)),
        ];
        let op = self.detached("memref.alloca", &[], &[ty], &attributes, Vec::new());
        // SAFETY: the entry block takes ownership of an operation without a parent.
        unsafe {
            sys::mlirBlockInsertOwnedOperation(self.entry.get().to_raw(), 0, op.to_raw());
        }
        op.result(0)
    }

    /// `memref.view`: `bytes` (`memref<?xi8>` or of static size) from `offset` bytes on, as a memref of static type `ty`.
    pub fn view(&self, bytes: Val<'c>, offset: Val<'c>, ty: Ty<'c>) -> Val<'c> {
        self.op1("memref.view", &[bytes, offset], ty, &[])
    }

    /// `memref.reinterpret_cast` with everything static (the result type says sizes, strides and offset, all of them static).
    pub fn reinterpret(
        &self,
        memref: Val<'c>,
        ty: Ty<'c>,
        offset: i64,
        sizes: &[i64],
        strides: &[i64],
    ) -> Val<'c> {
        let attributes = [
            ("static_offsets", self.i64_array(&[offset])),
            ("static_sizes", self.i64_array(sizes)),
            ("static_strides", self.i64_array(strides)),
            ("operandSegmentSizes", self.i32_array(&[1, 0, 0, 0])),
        ];
        self.op1("memref.reinterpret_cast", &[memref], ty, &attributes)
    }

    // ---- vector --------------------------------------------------------------------------------------------------------

    /// `vector.load` of the contiguous elements from `indices` on; all must be in bounds.
    pub fn vload(&self, memref: Val<'c>, indices: &[Val<'c>], ty: Ty<'c>) -> Val<'c> {
        let mut operands = vec![memref];
        operands.extend(indices);
        self.op1("vector.load", &operands, ty, &[])
    }

    /// `vector.store`.
    pub fn vstore(&self, value: Val<'c>, memref: Val<'c>, indices: &[Val<'c>]) {
        let mut operands = vec![value, memref];
        operands.extend(indices);
        self.op("vector.store", &operands, &[], &[]);
    }

    /// `vector.store` past the caches, to an address that is a multiple of `alignment` bytes.
    pub fn vstore_streaming(
        &self,
        value: Val<'c>,
        memref: Val<'c>,
        indices: &[Val<'c>],
        alignment: i64,
    ) {
        let mut operands = vec![value, memref];
        operands.extend(indices);
        let attributes = [
            ("nontemporal", self.bool_attr(true)),
            ("alignment", self.i64_attr(alignment)),
        ];
        self.op("vector.store", &operands, &[], &attributes);
    }

    /// `value` times two to the power of `exponent`, rounded once. As the intrinsic, as MLIR's operation takes no vector of exponents.
    pub fn ldexp(&self, value: Val<'c>, exponent: Val<'c>) -> Val<'c> {
        let attributes = [
            ("intrin", self.str_attr("llvm.ldexp")),
            ("op_bundle_sizes", self.parse_attr("array<i32>")),
            ("operandSegmentSizes", self.parse_attr("array<i32: 2, 0>")),
        ];
        self.op1(
            "llvm.call_intrinsic",
            &[value, exponent],
            value.r#type(),
            &attributes,
        )
    }

    /// `llvm.fence`: everything stored before is seen before everything stored after, streaming stores included.
    pub fn fence(&self) {
        // Sequentially consistent.
        let ordering = self.i64_attr(7);
        self.op("llvm.fence", &[], &[], &[("ordering", ordering)]);
    }

    /// `vector.maskedload`: lanes that are off take `pass_through` and touch no memory.
    pub fn masked_load(
        &self,
        memref: Val<'c>,
        indices: &[Val<'c>],
        mask: Val<'c>,
        pass_through: Val<'c>,
    ) -> Val<'c> {
        let mut operands = vec![memref];
        operands.extend(indices);
        operands.extend([mask, pass_through]);
        self.op1("vector.maskedload", &operands, pass_through.r#type(), &[])
    }

    /// `vector.maskedstore`: lanes that are off touch no memory.
    pub fn masked_store(
        &self,
        memref: Val<'c>,
        indices: &[Val<'c>],
        mask: Val<'c>,
        value: Val<'c>,
    ) {
        let mut operands = vec![memref];
        operands.extend(indices);
        operands.extend([mask, value]);
        self.op("vector.maskedstore", &operands, &[], &[]);
    }

    /// `vector.create_mask` of a 1-D mask whose first `count` lanes are on.
    pub fn mask(&self, count: Val<'c>, lanes: i64) -> Val<'c> {
        let ty = self.vector(&[lanes], self.i1());
        self.op1("vector.create_mask", &[count], ty, &[])
    }

    /// `vector.broadcast` of a scalar or smaller vector.
    pub fn broadcast(&self, value: Val<'c>, ty: Ty<'c>) -> Val<'c> {
        match value.r#type() == ty {
            true => value,
            false => self.op1("vector.broadcast", &[value], ty, &[]),
        }
    }

    /// `vector.reduction <kind>` of a 1-D vector (`add`, `mul`, `minsi`, `maximumf`, …), without an accumulator.
    pub fn reduction(&self, kind: &str, value: Val<'c>) -> Val<'c> {
        let element = self.element_of(value.r#type());
        let kind = self.parse_attr(&format!("#vector.kind<{kind}>"));
        self.op1("vector.reduction", &[value], element, &[("kind", kind)])
    }

    /// `vector.extract` at static positions: a scalar where they are as many as the rank, a sub-vector otherwise.
    pub fn extract(&self, value: Val<'c>, positions: &[i64]) -> Val<'c> {
        let shape = self.shape_of(value.r#type());
        let element = self.element_of(value.r#type());
        let rest = &shape[positions.len().min(shape.len())..];
        let ty = match rest.is_empty() {
            true => element,
            false => self.vector(rest, element),
        };
        let positions = self.i64_array(positions);
        self.op1(
            "vector.extract",
            &[value],
            ty,
            &[("static_position", positions)],
        )
    }

    /// `vector.insert` at static positions.
    pub fn insert(&self, value: Val<'c>, into: Val<'c>, positions: &[i64]) -> Val<'c> {
        let positions = self.i64_array(positions);
        let ty = into.r#type();
        self.op1(
            "vector.insert",
            &[value, into],
            ty,
            &[("static_position", positions)],
        )
    }

    /// `vector.shuffle` of two 1-D vectors; lane `i` of the result is lane `lanes[i]` of their concatenation.
    pub fn shuffle(&self, a: Val<'c>, b: Val<'c>, lanes: &[i64]) -> Val<'c> {
        let ty = self.vector(&[lanes.len() as i64], self.element_of(a.r#type()));
        self.op1(
            "vector.shuffle",
            &[a, b],
            ty,
            &[("mask", self.i64_array(lanes))],
        )
    }

    // ---- func ----------------------------------------------------------------------------------------------------------

    /// Appends `func.func @name` with a body; `body` must append `func.return` (see [`Builder::ret`]).
    pub fn func(
        &self,
        name: &str,
        inputs: &[Ty<'c>],
        results: &[Ty<'c>],
        private: bool,
        body: impl FnOnce(&Self, &[Val<'c>]),
    ) -> Op<'c> {
        let region = Region::new();
        let arguments: Vec<_> = inputs.iter().map(|ty| (*ty, self.location.get())).collect();
        let block = crate::block(&region.append_block(Block::new(&arguments)));
        let inner = Builder::new(self.context, block, self.location.get());
        inner.set_scales_lanes(self.scales_lanes());
        body(&inner, &op::arguments(block));
        self.function(name, inputs, results, private, region)
    }

    /// As [`Builder::func`], with a body that may fail: then nothing is appended.
    ///
    /// # Errors
    /// The error of `body`.
    pub fn try_func<E>(
        &self,
        name: &str,
        inputs: &[Ty<'c>],
        results: &[Ty<'c>],
        private: bool,
        body: impl FnOnce(&Self, &[Val<'c>]) -> Result<(), E>,
    ) -> Result<Op<'c>, E> {
        let region = Region::new();
        let arguments: Vec<_> = inputs.iter().map(|ty| (*ty, self.location.get())).collect();
        let block = crate::block(&*region.append_block(Block::new(&arguments)));
        let inner = Builder::new(self.context, block, self.location.get());
        inner.set_scales_lanes(self.scales_lanes());
        body(&inner, &op::arguments(block))?;
        Ok(self.function(name, inputs, results, private, region))
    }

    /// Appends the declaration of an external function.
    pub fn declare(&self, name: &str, inputs: &[Ty<'c>], results: &[Ty<'c>]) -> Op<'c> {
        self.function(name, inputs, results, true, Region::new())
    }

    fn function(
        &self,
        name: &str,
        inputs: &[Ty<'c>],
        results: &[Ty<'c>],
        private: bool,
        body: Region<'c>,
    ) -> Op<'c> {
        let ty = self.type_attr(self.function_type(inputs, results));
        let mut attributes = vec![("sym_name", self.str_attr(name)), ("function_type", ty)];
        if private {
            attributes.push(("sym_visibility", self.str_attr("private")));
        }
        self.op_with_regions("func.func", &[], &[], &attributes, vec![body])
    }

    /// `func.return`.
    pub fn ret(&self, values: &[Val<'c>]) {
        self.op("func.return", values, &[], &[]);
    }

    /// `func.call`.
    pub fn call(&self, name: &str, operands: &[Val<'c>], results: &[Ty<'c>]) -> Vec<Val<'c>> {
        let callee = self.symbol_attr(name);
        self.op("func.call", operands, results, &[("callee", callee)])
            .results()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use melior::{
        dialect::DialectRegistry,
        ir::{Location, Module, operation::OperationLike},
        utility::register_all_dialects,
    };

    #[test]
    fn builds_a_vector_loop_that_verifies() {
        let registry = DialectRegistry::new();
        register_all_dialects(&registry);
        let context = Context::new();
        context.append_dialect_registry(&registry);
        context.load_all_available_dialects();
        let location = Location::unknown(&context);
        let module = Module::new(location);
        let b = Builder::new(&context, crate::block(&module.body()), location);
        let buffer = b.memref(&[64], b.f32());
        b.func("f", &[buffer], &[b.f32()], false, |b, arguments| {
            let v = b.vector(&[16], b.f32());
            let zero = b.cfloat(0.0, v);
            let (lo, hi, step) = (b.cidx(0), b.cidx(64), b.cidx(16));
            let sum = b.for_loop(lo, hi, step, &[zero], |b, i, acc| {
                let x = b.vload(arguments[0], &[i], v);
                let scratch = b.alloca(b.memref(&[16], b.f32()));
                b.vstore(x, scratch, &[b.cidx(0)]);
                vec![b.fma(x, x, acc[0])]
            });
            let total = b.reduction("add", sum[0]);
            let positive = b.cmpf(CmpF::Ogt, total, b.cfloat(0.0, b.f32()));
            let chosen = b.if_else(
                positive,
                &[b.f32()],
                |_| vec![total],
                |b| vec![b.negf(total)],
            );
            b.if_then(positive, |b| b.store(total, arguments[0], &[b.cidx(3)]));
            b.ret(&chosen);
        });
        assert!(module.as_operation().verify(), "{}", module.as_operation());
    }
}
