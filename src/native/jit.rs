//! Running object code in memory: LLVM's ORC JIT, used as a linker.

use crate::{Error, Result};
use llvm_sys::{
    core::LLVMCreateMemoryBufferWithMemoryRangeCopy,
    error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage},
    orc2::{lljit::*, *},
};
use std::ffi::{CStr, CString};

/// Linked code. Freed when dropped.
pub(crate) struct Jit {
    raw: LLVMOrcLLJITRef,
}

// SAFETY: after `new` the code is only looked up and run; LLJIT locks its own state.
unsafe impl Send for Jit {}
// SAFETY: as above.
unsafe impl Sync for Jit {}

fn check(error: LLVMErrorRef) -> Result<()> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: the message is owned by us and freed.
    unsafe {
        let message = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(Error::Native(text))
    }
}

impl Jit {
    /// A linker of code that may refer to whatever the process has.
    pub(crate) fn new() -> Result<Self> {
        // SAFETY: each object is created, checked and handed over as the C API says.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(LLVMOrcCreateLLJIT(&mut raw, std::ptr::null_mut()))?;
            let jit = Self { raw };
            let mut generator = std::ptr::null_mut();
            check(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
                &mut generator,
                LLVMOrcLLJITGetGlobalPrefix(raw),
                None,
                std::ptr::null_mut(),
            ))?;
            LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(raw), generator);
            Ok(jit)
        }
    }

    /// Adds `objects`; `symbols` are absolute addresses that they may refer to besides. Once.
    pub(crate) fn link(
        &self,
        objects: &[impl AsRef<[u8]>],
        symbols: &[(String, usize)],
    ) -> Result<()> {
        let raw = self.raw;
        // SAFETY: as in `new`.
        unsafe {
            let library = LLVMOrcLLJITGetMainJITDylib(raw);
            let mut pairs: Vec<LLVMOrcCSymbolMapPair> = Vec::with_capacity(symbols.len());
            for (name, address) in symbols {
                let name = CString::new(name.as_str())
                    .map_err(|_| Error::Native("a symbol with a zero byte".into()))?;
                pairs.push(LLVMOrcCSymbolMapPair {
                    Name: LLVMOrcLLJITMangleAndIntern(raw, name.as_ptr()),
                    Sym: LLVMJITEvaluatedSymbol {
                        Address: *address as u64,
                        Flags: LLVMJITSymbolFlags {
                            GenericFlags:
                                LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsExported as u8,
                            TargetFlags: 0,
                        },
                    },
                });
            }
            if !pairs.is_empty() {
                let unit = LLVMOrcAbsoluteSymbols(pairs.as_mut_ptr(), pairs.len());
                check(LLVMOrcJITDylibDefine(library, unit))?;
            }
            for object in objects.iter().map(AsRef::as_ref) {
                let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                    object.as_ptr().cast(),
                    object.len(),
                    c"mapwright".as_ptr(),
                );
                check(LLVMOrcLLJITAddObjectFile(raw, library, buffer))?;
            }
        }
        Ok(())
    }

    /// Address of a function.
    pub(crate) fn address(&self, name: &str) -> Result<usize> {
        let name =
            CString::new(name).map_err(|_| Error::Native("a symbol with a zero byte".into()))?;
        let mut address = 0;
        // SAFETY: the name lives through the call.
        check(unsafe { LLVMOrcLLJITLookup(self.raw, &mut address, name.as_ptr()) })?;
        Ok(address as usize)
    }
}

impl Drop for Jit {
    fn drop(&mut self) {
        // SAFETY: made by `new`; nobody runs the code any more.
        let error = unsafe { LLVMOrcDisposeLLJIT(self.raw) };
        // Nothing can be done about a failure to unmap.
        let _ = check(error);
    }
}
