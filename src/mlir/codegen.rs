//! What LLVM's C API cannot say to code generation.

use crate::shim;
use melior::StringRef;
use std::ffi::c_void;

/// Code generation for modules of an `LLVMContext` takes addresses in loops as they stand, and
/// leaves it to the hardware to schedule what registers were allocated for. Our loops step through
/// memory in the way that their emitter chose: the search for better addresses (LLVM's loop
/// strength reduction) took up to half of the time of compilation and found none.
///
/// # Safety
///
/// `context` must be a valid `LLVMContextRef`.
pub unsafe fn leave_addresses(context: *mut c_void) {
    // SAFETY: promised by the caller.
    unsafe { shim::mapwrightLlvmContextLeaveAddresses(context) }
}

/// Checks that LLVM can make code for a CPU and a feature (`avx2`) of this triple, whose target is
/// initialised. Either may be empty.
///
/// # Errors
/// What there is not.
pub fn check_machine(triple: &str, cpu: &str, feature: &str) -> Result<(), String> {
    let texts = [triple, cpu, feature].map(StringRef::new);
    let [of, name, wanted] = texts.map(|text| text.to_raw());
    // SAFETY: the texts live until the call returns.
    match unsafe { shim::mapwrightLlvmCheckMachine(of, name, wanted) } {
        0 => Ok(()),
        1 => Err(format!("LLVM knows no CPU '{cpu}' for '{triple}'")),
        2 => Err(format!("LLVM knows no feature '{feature}' for '{triple}'")),
        _ => Err(format!(
            "the CPU '{cpu}' has no 64-bit code, which '{triple}' asks for"
        )),
    }
}
