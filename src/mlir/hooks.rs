//! What the C++ dialects ask Rust: is this operation well-formed, and what is the canonical text of
//! this map?
//!
//! The dialects parse and print; what their operations and maps mean is written once, in Rust. The
//! C declarations are in `cmake/include/mapwright-mlir/Dialects.h`.

use crate::{Attr, Loc, Op, Ty, ValueType, pass::guard, raw};
use melior::ir::TypeLike;
use mlir_sys::{
    self as sys, MlirAttribute, MlirContext, MlirLocation, MlirOperation, MlirRegion,
    MlirStringRef, MlirType, MlirValue,
};
use std::{ffi::c_void, sync::OnceLock};

/// Answers for the dialects. Both may be asked from several threads at once.
#[derive(Clone, Copy)]
pub struct Hooks {
    /// Checks the constraints of the specification that ODS cannot state. If not, it emits the
    /// diagnostics.
    pub verify: fn(Op<'_>) -> bool,
    /// Checks the constraints of an attribute that a dialect adds to an operation. If not, it emits
    /// the diagnostics.
    pub verify_attribute: fn(Op<'_>, &str, Attr<'_>, Place) -> bool,
    /// The result types that follow from the operands, attributes and regions of an operation,
    /// which has no results yet and is in no block. `None` where they do not follow, or the
    /// operation is wrong; then it has emitted the diagnostics.
    pub infer: fn(Op<'_>) -> Option<Vec<ValueType>>,
    /// The canonical text of a map. The error has the column, counted from 0, and what is wrong
    /// there.
    pub map_text: fn(&str) -> Result<String, (usize, String)>,
}

/// Place of an attribute that a dialect adds to operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// At the operation.
    Operation,
    /// At an argument of a function.
    Argument(usize),
    /// At a result of a function.
    Result(usize),
}

static HOOKS: OnceLock<Hooks> = OnceLock::new();

/// Gives the dialects of this process their answers; the first call counts. Before it, operations
/// are verified as far as ODS goes.
pub fn install(hooks: Hooks) {
    HOOKS.get_or_init(|| hooks);
    let operations = OpHooks {
        verify: Some(verify),
        infer: Some(infer),
        verify_attribute: Some(verify_attribute),
    };
    // SAFETY: the struct is copied; both functions stay valid and do not unwind.
    unsafe {
        mapwrightSetOpHooks(&operations);
        mapwrightSetMapTextHook(Some(map_text));
    }
}

/// The attribute `#indexing.map<…>`; `None`, and a diagnostic at `location`, if `text` is not a
/// map.
pub fn map_attribute<'c>(location: Loc<'c>, text: &str) -> Option<Attr<'c>> {
    // SAFETY: the location is valid, the text lives through the call; null means failure.
    unsafe {
        Attr::from_option_raw(mapwrightIndexingMapGet(
            location.to_raw(),
            raw::string_ref(text),
        ))
    }
}

/// The text of a map attribute; `None` for other attributes.
pub fn map_attribute_text(attribute: Attr<'_>) -> Option<String> {
    use melior::ir::AttributeLike;
    let attribute = attribute.to_raw();
    // SAFETY: the attribute is valid; the accessor is called only on a map.
    unsafe {
        mapwrightAttributeIsIndexingMap(attribute)
            .then(|| raw::string(mapwrightIndexingMapGetText(attribute)))
    }
}

#[repr(C)]
struct OpHooks {
    verify: Option<unsafe extern "C" fn(MlirOperation) -> bool>,
    infer: Option<Infer>,
    verify_attribute: Option<VerifyAttribute>,
}

type VerifyAttribute =
    unsafe extern "C" fn(MlirOperation, MlirStringRef, MlirAttribute, isize, isize) -> bool;

type Infer = unsafe extern "C" fn(
    MlirContext,
    MlirLocation,
    MlirStringRef,
    isize,
    *const MlirValue,
    MlirAttribute,
    *mut c_void,
    isize,
    *const MlirRegion,
    unsafe extern "C" fn(MlirType, *mut c_void),
    *mut c_void,
) -> bool;
type Emit = unsafe extern "C" fn(MlirStringRef, *mut c_void);
type EmitError = unsafe extern "C" fn(isize, MlirStringRef, *mut c_void);
type MapText =
    unsafe extern "C" fn(MlirStringRef, Emit, *mut c_void, EmitError, *mut c_void) -> bool;

unsafe extern "C" {
    fn mapwrightSetOpHooks(hooks: *const OpHooks);
    fn mapwrightSetMapTextHook(hook: Option<MapText>);
    fn mapwrightAttributeIsIndexingMap(attribute: MlirAttribute) -> bool;
    fn mapwrightIndexingMapGetText(attribute: MlirAttribute) -> MlirStringRef;
    fn mapwrightIndexingMapGet(location: MlirLocation, text: MlirStringRef) -> MlirAttribute;
}

/// # Safety
///
/// The operation is valid.
unsafe extern "C" fn verify(operation: MlirOperation) -> bool {
    let Some(hooks) = HOOKS.get() else {
        return true;
    };
    // SAFETY: promised by the caller.
    let op = unsafe { Op::from_raw(operation) };
    guard(|| (hooks.verify)(op)).unwrap_or_else(|message| {
        op.emit_error(&format!("internal error in its verifier: {message}"));
        false
    })
}

/// # Safety
///
/// The operation and the attribute are valid.
unsafe extern "C" fn verify_attribute(
    operation: MlirOperation,
    name: MlirStringRef,
    value: MlirAttribute,
    argument: isize,
    result: isize,
) -> bool {
    let Some(hooks) = HOOKS.get() else {
        return true;
    };
    // SAFETY: promised by the caller.
    let (op, name, value) = unsafe {
        (
            Op::from_raw(operation),
            raw::string(name),
            Attr::from_raw(value),
        )
    };
    let place = match (usize::try_from(argument), usize::try_from(result)) {
        (Ok(argument), _) => Place::Argument(argument),
        (_, Ok(result)) => Place::Result(result),
        _ => Place::Operation,
    };
    guard(|| (hooks.verify_attribute)(op, &name, value, place)).unwrap_or_else(|message| {
        op.emit_error(&format!("internal error in its verifier: {message}"));
        false
    })
}

/// # Safety
///
/// All handles are valid, and so many operands and regions are there; `add_result` is called with
/// its own data.
unsafe extern "C" fn infer(
    _context: MlirContext,
    location: MlirLocation,
    name: MlirStringRef,
    operand_count: isize,
    operands: *const MlirValue,
    attributes: MlirAttribute,
    _properties: *mut c_void,
    region_count: isize,
    regions: *const MlirRegion,
    add_result: unsafe extern "C" fn(MlirType, *mut c_void),
    data: *mut c_void,
) -> bool {
    let Some(hooks) = HOOKS.get() else {
        return false;
    };
    // SAFETY: promised by the caller. The operation is in no block, and lends the bodies of the
    // regions while it is looked at; the lists are copied.
    unsafe {
        let mut state = sys::mlirOperationStateGet(name, location);
        sys::mlirOperationStateAddOperands(&mut state, operand_count, operands);
        if sys::mlirAttributeIsADictionary(attributes) {
            for i in 0..sys::mlirDictionaryAttrGetNumElements(attributes) {
                let entry = sys::mlirDictionaryAttrGetElement(attributes, i);
                sys::mlirOperationStateAddAttributes(&mut state, 1, &entry);
            }
        }
        for _ in 0..region_count {
            let region = sys::mlirRegionCreate();
            sys::mlirOperationStateAddOwnedRegions(&mut state, 1, &region);
        }
        let raw = sys::mlirOperationCreate(&mut state);
        for i in 0..region_count {
            sys::mlirRegionTakeBody(sys::mlirOperationGetRegion(raw, i), *regions.offset(i));
        }
        let op = Op::from_raw(raw);
        let inferred = guard(|| (hooks.infer)(op)).unwrap_or_else(|message| {
            op.emit_error(&format!("internal error in its types: {message}"));
            None
        });
        for i in 0..region_count {
            sys::mlirRegionTakeBody(*regions.offset(i), sys::mlirOperationGetRegion(raw, i));
        }
        let context = op.context();
        sys::mlirOperationDestroy(raw);
        let Some(inferred) = inferred else {
            return false;
        };
        for ty in inferred {
            let Some(ty) = Ty::parse(context, &ty.to_string()) else {
                return false;
            };
            add_result(ty.to_raw(), data);
        }
    }
    true
}

/// # Safety
///
/// `text` refers to readable bytes; the callbacks are called with their own data.
unsafe extern "C" fn map_text(
    text: MlirStringRef,
    emit: Emit,
    emit_data: *mut c_void,
    error: EmitError,
    error_data: *mut c_void,
) -> bool {
    // SAFETY: promised by the caller.
    let text = unsafe { raw::string(text) };
    let canonical = match HOOKS.get() {
        Some(hooks) => guard(|| (hooks.map_text)(&text))
            .unwrap_or_else(|message| Err((0, format!("internal error: {message}")))),
        None => Ok(text),
    };
    // SAFETY: promised by the caller; the texts live through the calls.
    unsafe {
        match canonical {
            Ok(canonical) => emit(raw::string_ref(&canonical), emit_data),
            Err((column, message)) => {
                error(column as isize, raw::string_ref(&message), error_data);
                return false;
            }
        }
    }
    true
}
