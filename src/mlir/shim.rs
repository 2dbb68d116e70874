//! The C functions of `cmake/shim/Shim.h`; what each does is said there.

use crate::raw;
use mlir_sys::{
    MlirAttribute, MlirContext, MlirDialectRegistry, MlirLocation, MlirModule, MlirOperation,
    MlirPass, MlirStringRef,
};
use std::ffi::{c_char, c_int, c_void};

pub(crate) type StringCallback = unsafe extern "C" fn(MlirStringRef, *mut c_void);

#[repr(C)]
pub(crate) struct PassOption {
    pub(crate) name: MlirStringRef,
    pub(crate) description: MlirStringRef,
    pub(crate) initial: MlirStringRef,
    pub(crate) kind: i32,
}

#[repr(C)]
pub(crate) struct PassInstance {
    _opaque: [u8; 0],
}

#[repr(C)]
pub(crate) struct PassDescription {
    pub(crate) pass: *const c_void,
    pub(crate) name: MlirStringRef,
    pub(crate) argument: MlirStringRef,
    pub(crate) description: MlirStringRef,
    pub(crate) anchor: MlirStringRef,
    pub(crate) options: *const PassOption,
    pub(crate) option_count: isize,
    pub(crate) dialects: *const MlirStringRef,
    pub(crate) dialect_count: isize,
    pub(crate) initialize:
        unsafe extern "C" fn(*const c_void, MlirContext, *const PassInstance) -> bool,
    pub(crate) run: unsafe extern "C" fn(*const c_void, MlirOperation, *mut PassInstance) -> bool,
}

#[repr(C)]
pub(crate) struct Artifacts {
    pub(crate) is_artifact: unsafe extern "C" fn(MlirStringRef) -> bool,
    pub(crate) read:
        unsafe extern "C" fn(MlirStringRef, MlirStringRef, StringCallback, *mut c_void) -> bool,
    pub(crate) write:
        unsafe extern "C" fn(MlirStringRef, MlirStringRef, StringCallback, *mut c_void) -> bool,
}

#[repr(C)]
pub(crate) struct Diagnostics {
    _opaque: [u8; 0],
}

unsafe extern "C" {
    pub(crate) fn mapwrightPassRegister(description: *const PassDescription);
    pub(crate) fn mapwrightPassCreate(
        description: *const PassDescription,
        options: MlirStringRef,
        check: unsafe extern "C" fn(*const c_void, *const PassInstance, *mut c_void) -> bool,
        error: StringCallback,
        data: *mut c_void,
    ) -> MlirPass;
    pub(crate) fn mapwrightPipelineRegister(
        name: MlirStringRef,
        description: MlirStringRef,
        text: MlirStringRef,
    );
    pub(crate) fn mapwrightOperationVerifyAlone(operation: MlirOperation) -> bool;
    pub(crate) fn mapwrightOperationIsElementwise(operation: MlirOperation) -> bool;
    pub(crate) fn mapwrightPassIsRegistered(argument: MlirStringRef) -> bool;
    pub(crate) fn mapwrightOptionString(
        instance: *const PassInstance,
        index: isize,
    ) -> MlirStringRef;
    pub(crate) fn mapwrightOptionBool(instance: *const PassInstance, index: isize) -> bool;
    pub(crate) fn mapwrightOptionInt(instance: *const PassInstance, index: isize) -> i64;
    pub(crate) fn mapwrightOptionIntList(
        instance: *const PassInstance,
        index: isize,
        count: *mut isize,
    ) -> *const i64;
    pub(crate) fn mapwrightPassRunPipeline(
        instance: *mut PassInstance,
        pipeline: MlirStringRef,
        operation: MlirOperation,
    ) -> bool;

    pub(crate) fn mapwrightDeepestNesting() -> i32;
    pub(crate) fn mapwrightDeepestNestingStack() -> i64;
    pub(crate) fn mapwrightDeepestNestingSet(levels: i32) -> bool;
    pub(crate) fn mapwrightTextRefused(text: MlirStringRef) -> bool;

    pub(crate) fn mapwrightLlvmContextLeaveAddresses(context: *mut c_void);
    pub(crate) fn mapwrightLlvmCheckMachine(
        triple: MlirStringRef,
        cpu: MlirStringRef,
        feature: MlirStringRef,
    ) -> u32;

    pub(crate) fn mapwrightDialectsInsert(registry: MlirDialectRegistry);
    pub(crate) fn mapwrightDialectsInsertAll(registry: MlirDialectRegistry);
    pub(crate) fn mapwrightDialectsLoad(context: MlirContext);

    pub(crate) fn mapwrightDiagnosticEmit(
        location: MlirLocation,
        severity: i32,
        message: MlirStringRef,
        note_count: isize,
        note_locations: *const MlirLocation,
        notes: *const MlirStringRef,
    );
    pub(crate) fn mapwrightDiagnosticsCreate(
        context: MlirContext,
        to_stderr: bool,
    ) -> *mut Diagnostics;
    pub(crate) fn mapwrightDiagnosticsDestroy(diagnostics: *mut Diagnostics);
    pub(crate) fn mapwrightDiagnosticsErrorCount(diagnostics: *const Diagnostics) -> isize;
    pub(crate) fn mapwrightDiagnosticsTake(
        diagnostics: *mut Diagnostics,
        callback: StringCallback,
        data: *mut c_void,
    );
    pub(crate) fn mapwrightSourceParse(
        diagnostics: *mut Diagnostics,
        name: MlirStringRef,
        text: MlirStringRef,
    ) -> MlirModule;

    pub(crate) fn mapwrightResourceData(attribute: MlirAttribute) -> MlirStringRef;

    pub(crate) fn mapwrightOptMain(
        count: c_int,
        arguments: *mut *mut c_char,
        artifacts: *const Artifacts,
    ) -> c_int;
    pub(crate) fn mapwrightLspServerMain(count: c_int, arguments: *mut *mut c_char) -> c_int;
}

/// Appends to the `String` that `data` points to.
///
/// # Safety
///
/// `data` must point to a `String` that nothing else refers to, `piece` to readable bytes.
pub(crate) unsafe extern "C" fn append(piece: MlirStringRef, data: *mut c_void) {
    // SAFETY: promised by the caller.
    unsafe { (*data.cast::<String>()).push_str(&raw::string(piece)) }
}
