//! LLVM: translation, optimisation, machine code. Everything unsafe here is the C API of LLVM.

use crate::{CompileOptions, Error, Result};
use llvm_sys::{
    core::*,
    error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage},
    prelude::*,
    target::*,
    target_machine::*,
    transforms::pass_builder::*,
};
use mapwright_mlir::{Op, mlir_sys};
use std::{
    ffi::{CStr, CString, c_char},
    sync::Once,
};

/// What code is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub triple: String,
    pub cpu: String,
    pub features: String,
}

fn text(raw: *mut c_char) -> String {
    if raw.is_null() {
        return String::new();
    }
    // SAFETY: LLVM gives a C string that we own and free.
    unsafe {
        let text = CStr::from_ptr(raw).to_string_lossy().into_owned();
        LLVMDisposeMessage(raw);
        text
    }
}

fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::Native(format!("{text:?} has a zero byte")))
}

fn initialise() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: registration is made once.
        unsafe {
            LLVMInitializeX86TargetInfo();
            LLVMInitializeX86Target();
            LLVMInitializeX86TargetMC();
            LLVMInitializeX86AsmPrinter();
            LLVMInitializeX86AsmParser();
            LLVMInitializeAArch64TargetInfo();
            LLVMInitializeAArch64Target();
            LLVMInitializeAArch64TargetMC();
            LLVMInitializeAArch64AsmPrinter();
            LLVMInitializeAArch64AsmParser();
        }
    });
}

impl Target {
    /// The target that the options ask for.
    pub(crate) fn new(options: &CompileOptions) -> Self {
        initialise();
        // SAFETY: these functions return strings that we own.
        let host = unsafe { text(LLVMGetDefaultTargetTriple()) };
        let triple = match options.triple.is_empty() {
            true => host.clone(),
            false => options.triple.clone(),
        };
        match options.cpu.as_str() {
            // SAFETY: as above.
            "native" if triple == host => unsafe {
                Self {
                    triple,
                    cpu: text(LLVMGetHostCPUName()),
                    features: text(LLVMGetHostCPUFeatures()),
                }
            },
            "native" | "" => Self {
                triple,
                cpu: "generic".into(),
                features: String::new(),
            },
            cpu => Self {
                triple,
                cpu: cpu.into(),
                features: String::new(),
            },
        }
    }

    /// Widest vector register in bits, judged by the features and the name of the CPU.
    pub(crate) fn vector_bits(&self) -> u32 {
        let has = |feature: &str| self.features.split(',').any(|f| f == feature);
        if !self.triple.starts_with("x86_64") {
            return 128;
        }
        if has("+avx512f")
            || [
                "x86-64-v4",
                "skylake-avx512",
                "znver4",
                "znver5",
                "sapphirerapids",
            ]
            .contains(&self.cpu.as_str())
        {
            512
        } else if has("+avx2")
            || ["x86-64-v3", "haswell", "znver2", "znver3"].contains(&self.cpu.as_str())
        {
            256
        } else {
            128
        }
    }

    fn machine(&self) -> Result<Machine> {
        initialise();
        let (triple, cpu, features) = (
            c_string(&self.triple)?,
            c_string(&self.cpu)?,
            c_string(&self.features)?,
        );
        // SAFETY: all strings live through the calls; the machine is freed on drop.
        unsafe {
            let mut target = std::ptr::null_mut();
            let mut message = std::ptr::null_mut();
            if LLVMGetTargetFromTriple(triple.as_ptr(), &mut target, &mut message) != 0 {
                return Err(Error::Native(text(message)));
            }
            let machine = LLVMCreateTargetMachine(
                target,
                triple.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
                LLVMRelocMode::LLVMRelocPIC,
                LLVMCodeModel::LLVMCodeModelDefault,
            );
            match machine.is_null() {
                true => Err(Error::Native(format!(
                    "LLVM knows no machine {} for {}",
                    self.cpu, self.triple
                ))),
                false => Ok(Machine(machine)),
            }
        }
    }
}

struct Machine(LLVMTargetMachineRef);

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: made by `machine`, freed once.
        unsafe { LLVMDisposeTargetMachine(self.0) }
    }
}

/// An LLVM module in a context of its own, so that several can be worked on at once.
pub(crate) struct LlvmModule {
    context: LLVMContextRef,
    module: LLVMModuleRef,
}

// SAFETY: the context belongs to this module alone, so whoever has the value has everything that is touched.
unsafe impl Send for LlvmModule {}

impl Drop for LlvmModule {
    fn drop(&mut self) {
        // SAFETY: both were made by `translate` and are freed once, the module first.
        unsafe {
            LLVMDisposeModule(self.module);
            LLVMContextDispose(self.context);
        }
    }
}

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    Object,
    Assembly,
}

impl LlvmModule {
    /// Translates a module of the LLVM dialect.
    pub(crate) fn translate(op: Op<'_>) -> Result<Self> {
        // SAFETY: the operation is valid; the new context is owned by the result.
        unsafe {
            let context = LLVMContextCreate();
            let module = mlir_sys::mlirTranslateModuleToLLVMIR(op.to_raw(), context.cast());
            if module.is_null() {
                LLVMContextDispose(context);
                return Err(Error::Native(
                    "the lowered program cannot be translated to LLVM IR (an internal error)"
                        .into(),
                ));
            }
            Ok(Self {
                context,
                module: module.cast(),
            })
        }
    }

    /// Runs LLVM's optimiser.
    pub(crate) fn optimise(&self, target: &Target, passes: &str) -> Result<()> {
        let machine = target.machine()?;
        let (passes, triple) = (c_string(passes)?, c_string(&target.triple)?);
        // SAFETY: module and machine are valid; the strings live through the calls.
        unsafe {
            LLVMSetTarget(self.module, triple.as_ptr());
            let layout = LLVMCreateTargetDataLayout(machine.0);
            let layout_text = LLVMCopyStringRepOfTargetData(layout);
            LLVMSetDataLayout(self.module, layout_text);
            LLVMDisposeMessage(layout_text);
            LLVMDisposeTargetData(layout);
            let options = LLVMCreatePassBuilderOptions();
            LLVMPassBuilderOptionsSetLoopVectorization(options, 1);
            LLVMPassBuilderOptionsSetSLPVectorization(options, 1);
            LLVMPassBuilderOptionsSetLoopUnrolling(options, 1);
            let error = LLVMRunPasses(self.module, passes.as_ptr(), machine.0, options);
            LLVMDisposePassBuilderOptions(options);
            if !error.is_null() {
                let message = LLVMGetErrorMessage(error);
                let owned = CStr::from_ptr(message).to_string_lossy().into_owned();
                LLVMDisposeErrorMessage(message);
                return Err(Error::Native(owned));
            }
        }
        Ok(())
    }

    /// Machine code or assembly.
    pub(crate) fn emit(&self, target: &Target, kind: FileKind) -> Result<Vec<u8>> {
        let machine = target.machine()?;
        let kind = match kind {
            FileKind::Object => LLVMCodeGenFileType::LLVMObjectFile,
            FileKind::Assembly => LLVMCodeGenFileType::LLVMAssemblyFile,
        };
        // SAFETY: module and machine are valid; the buffer is copied and freed.
        unsafe {
            let mut message = std::ptr::null_mut();
            let mut buffer = std::ptr::null_mut();
            if LLVMTargetMachineEmitToMemoryBuffer(
                machine.0,
                self.module,
                kind,
                &mut message,
                &mut buffer,
            ) != 0
            {
                return Err(Error::Native(text(message)));
            }
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            Ok(bytes)
        }
    }

    /// LLVM IR as text.
    pub(crate) fn print(&self) -> String {
        // SAFETY: the module is valid.
        unsafe { text(LLVMPrintModuleToString(self.module)) }
    }

    /// Defines the external global `name` (an array of bytes) as constant data, 64-byte aligned.
    pub(crate) fn define_data(&self, name: &str, data: &[u8]) -> Result<()> {
        let name = c_string(name)?;
        // SAFETY: the module is valid; the data is copied.
        unsafe {
            let global = LLVMGetNamedGlobal(self.module, name.as_ptr());
            if !global.is_null() {
                let bytes = match data.is_empty() {
                    true => &[0u8][..],
                    false => data,
                };
                let value =
                    LLVMConstStringInContext2(self.context, bytes.as_ptr().cast(), bytes.len(), 1);
                LLVMSetInitializer(global, value);
                LLVMSetLinkage(global, llvm_sys::LLVMLinkage::LLVMPrivateLinkage);
                LLVMSetGlobalConstant(global, 1);
                LLVMSetAlignment(global, 64);
            }
        }
        Ok(())
    }

    /// Gives every defined function but `keep` internal linkage.
    pub(crate) fn internalise(&self, keep: &[&str]) {
        // SAFETY: the module is valid; names are read while the value lives.
        unsafe {
            let mut function = LLVMGetFirstFunction(self.module);
            while !function.is_null() {
                let mut length = 0;
                let name = LLVMGetValueName2(function, &mut length);
                let name = std::slice::from_raw_parts(name.cast::<u8>(), length);
                let kept = keep.iter().any(|k| k.as_bytes() == name);
                if !kept && LLVMIsDeclaration(function) == 0 {
                    LLVMSetLinkage(function, llvm_sys::LLVMLinkage::LLVMInternalLinkage);
                }
                function = LLVMGetNextFunction(function);
            }
        }
    }

    /// Moves everything of `other` into this module, through bitcode (the two have contexts of their own).
    pub(crate) fn link(&self, other: &LlvmModule) -> Result<()> {
        // SAFETY: the buffer is freed; the parsed module is consumed by the linker.
        unsafe {
            let buffer = llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer(other.module);
            let mut parsed = std::ptr::null_mut();
            let failed =
                llvm_sys::bit_reader::LLVMParseBitcodeInContext2(self.context, buffer, &mut parsed);
            LLVMDisposeMemoryBuffer(buffer);
            if failed != 0 || llvm_sys::linker::LLVMLinkModules2(self.module, parsed) != 0 {
                return Err(Error::Native(
                    "LLVM cannot link the modules of the program".into(),
                ));
            }
        }
        Ok(())
    }
}
