//! What LLVM's C API cannot say to code generation.

use crate::shim;
use std::ffi::c_void;

/// Code generation for modules of an `LLVMContext` takes addresses in loops as they stand, and leaves it to the hardware to schedule
/// what registers were allocated for. Our loops step through memory in the way that their emitter chose: the search for better addresses
/// (LLVM's loop strength reduction) took up to half of the time of compilation and found none.
///
/// # Safety
///
/// `context` must be a valid `LLVMContextRef`.
pub unsafe fn leave_addresses(context: *mut c_void) {
    // SAFETY: promised by the caller.
    unsafe { shim::mapwrightLlvmContextLeaveAddresses(context) }
}
