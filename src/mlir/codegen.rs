//! What LLVM's C API cannot say to code generation.

use crate::shim;
use melior::StringRef;
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

/// Does LLVM know a CPU of this name for this triple, whose target is initialised?
pub fn knows_cpu(triple: &str, cpu: &str) -> bool {
    let [triple, cpu] = [triple, cpu].map(StringRef::new);
    // SAFETY: both texts live until the call returns.
    unsafe { shim::mapwrightLlvmKnowsCpu(triple.to_raw(), cpu.to_raw()) }
}
