//! LLVM through inkwell: translation, optimisation, machine code.

use crate::{CompileOptions, Error, Result, aligned_stack, huge_functions, machines, single_lanes};
use inkwell::{
    context::Context,
    memory_buffer::MemoryBuffer,
    module::{Linkage, Module},
    passes::PassBuilderOptions,
    targets::{self, FileType, InitializationConfig, TargetMachine},
    types::AnyTypeEnum,
    values::{AsValueRef, BasicValue, InstructionOpcode, Operand},
};
use mapwright_codegen::KernelKind;
use mapwright_mlir::{Op, codegen, mlir_sys};
use std::{collections::HashMap, ffi::CStr, mem::ManuallyDrop, sync::Once};

/// Machine that code is made for.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Target {
    pub triple: String,
    pub cpu: String,
    pub features: String,
}

/// Levels of what code generation asks of x86 CPUs; each includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Avx2,
    /// AVX-512 with its instructions on bytes and on parts of floating-point lanes.
    Wide,
    /// Products of bytes.
    Vnni,
    /// Products of bf16.
    Bf16,
}

/// Levels of the features.
const FEATURES: &[(&str, Level)] = &[
    ("+avx2", Level::Avx2),
    ("+avx512f", Level::Wide),
    ("+avx512bw", Level::Wide),
    ("+avx512dq", Level::Wide),
    ("+avx512vnni", Level::Vnni),
    ("+avx512bf16", Level::Bf16),
];

/// Highest levels of CPUs, by the names that LLVM has for them.
const NAMED: &[(Level, &[&str])] = &[
    (
        Level::Avx2,
        &[
            "x86-64-v3",
            "haswell",
            "broadwell",
            "skylake",
            "alderlake",
            "raptorlake",
            "meteorlake",
            "znver1",
            "znver2",
            "znver3",
        ],
    ),
    (Level::Wide, &["x86-64-v4", "skylake-avx512"]),
    (
        Level::Vnni,
        &[
            "cascadelake",
            "icelake-client",
            "icelake-server",
            "tigerlake",
            "rocketlake",
        ],
    ),
    (
        Level::Bf16,
        &[
            "cooperlake",
            "sapphirerapids",
            "emeraldrapids",
            "graniterapids",
            "znver4",
            "znver5",
        ],
    ),
];

fn initialise() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let config = InitializationConfig::default();
        targets::Target::initialize_x86(&config);
        targets::Target::initialize_aarch64(&config);
    });
}

/// LLVM's passes. Register blocks have their shape already: what is left is to clean up addresses
/// and to move what does not change out of loops, and rare cases out of the way. Between vectors a
/// few scalars remain to be packed, and short loops to be unrolled. Loops of which it is not known
/// how long they are stay as they are: those that gain by it are unrolled when they are emitted.
/// Copies of the others, with code for what is left over, take long to compile. The whole of `O3`
/// takes two to three times as long and finds no more there.
fn passes(content: KernelKind) -> &'static str {
    match content {
        KernelKind::Host | KernelKind::Blocks => {
            "always-inline,function(lower-expect,sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),gvn,\
             instcombine<no-verify-fixpoint>,simplifycfg)"
        }
        KernelKind::Vectors => {
            "function(lower-expect,sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(loop-rotate,licm),gvn,\
             instcombine<no-verify-fixpoint>,slp-vectorizer,loop-unroll<O3;no-runtime>,instcombine<no-verify-fixpoint>,loop-mssa(licm),\
             simplifycfg)"
        }
        KernelKind::Loops => "default<O3>",
    }
}

fn native(message: impl ToString) -> Error {
    Error::Native(message.to_string())
}

impl Target {
    /// The target that the options ask for.
    pub(crate) fn new(options: &CompileOptions) -> Self {
        initialise();
        let host = TargetMachine::get_default_triple()
            .as_str()
            .to_string_lossy()
            .into_owned();
        let triple = if options.triple.is_empty() {
            host.clone()
        } else {
            options.triple.clone()
        };
        match options.cpu.as_str() {
            "native" if triple == host => Self {
                triple,
                cpu: TargetMachine::get_host_cpu_name().to_string(),
                features: TargetMachine::get_host_cpu_features().to_string(),
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

    /// Features beside those of the CPU.
    pub(crate) fn add(&mut self, features: &[&str]) {
        if features.is_empty() {
            return;
        }
        // What is listed counts alone.
        let mut all: Vec<String> = if self.features.is_empty() {
            let known = FEATURES.iter().filter(|(feature, _)| self.has(feature));
            known.map(|(feature, _)| (*feature).to_string()).collect()
        } else {
            self.features.split(',').map(String::from).collect()
        };
        for feature in features {
            all.retain(|known| known.get(1..) != feature.get(1..));
            all.push((*feature).to_string());
        }
        self.features = all.join(",");
    }

    /// Checks that LLVM knows the machine.
    ///
    /// # Errors
    /// The triple or the CPU that it does not know.
    pub(crate) fn check(&self) -> std::result::Result<(), String> {
        self.machine().map_err(|error| match error {
            Error::Native(message) => message,
            _ => format!("LLVM knows no machine {} for {}", self.cpu, self.triple),
        })?;
        Ok(())
    }

    /// Tells whether an x86 machine has a feature (`+name`). The listed features say so, and
    /// [`NAMED`] for a CPU that is given by name alone. A virtual machine may keep features from a
    /// CPU whose name would have them.
    pub(crate) fn has(&self, feature: &str) -> bool {
        let listed = || self.features.split(',').any(|f| f == feature);
        let named = || {
            let level = NAMED.iter().find(|(_, cpus)| cpus.contains(&&*self.cpu));
            let least = FEATURES.iter().find(|(f, _)| *f == feature);
            (least.zip(level)).is_some_and(|((_, least), (level, _))| level >= least)
        };
        let has = if self.features.is_empty() {
            named()
        } else {
            listed()
        };
        self.triple.starts_with("x86_64") && has
    }

    /// Widest vector register in bits.
    pub(crate) fn vector_bits(&self) -> u32 {
        if self.has("+avx512f") {
            512
        } else if self.has("+avx2") {
            256
        } else {
            128
        }
    }

    /// Tells whether there are AVX-512's instructions on the parts of floating-point lanes.
    pub(crate) fn scales_lanes(&self) -> bool {
        self.vector_bits() == 512 && self.has("+avx512dq")
    }

    /// MLIR's type for `long double`, if it is wider than 64 bits: 80 bits in hardware, or 128 bits
    /// in software, where correct is better than fast.
    pub(crate) fn extended(&self) -> Option<&'static str> {
        let is = |names: &[&str]| names.iter().any(|name| self.triple.starts_with(name));
        if !self.triple.contains("linux") {
            None
        } else if is(&["x86_64", "i386", "i586", "i686"]) {
            Some("f80")
        } else if is(&["aarch64"]) {
            Some("f128")
        } else {
            None
        }
    }

    /// LLVM's description of the machine. Takes a millisecond to make: once a thread, not once a
    /// module.
    pub(crate) fn machine(&self) -> Result<TargetMachine> {
        initialise();
        machines::machine(&self.triple, &self.cpu, &self.features).map_err(Error::Native)
    }
}

/// An LLVM module in a context of its own, so that several can be worked on at once.
pub(crate) struct LlvmModule {
    /// Borrows from `context`, whose address does not change; dropped before it.
    module: ManuallyDrop<Module<'static>>,
    context: Box<Context>,
    content: KernelKind,
}

// SAFETY: the context belongs to this module alone, so whoever has the value has everything that is
// touched.
unsafe impl Send for LlvmModule {}

impl Drop for LlvmModule {
    fn drop(&mut self) {
        // SAFETY: dropped once, and before the context that it borrows from.
        unsafe { ManuallyDrop::drop(&mut self.module) }
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
        let context = Box::new(Context::create());
        // SAFETY: the operation and the context are valid; the module is owned by the result,
        // beside its context.
        unsafe {
            let module = mlir_sys::mlirTranslateModuleToLLVMIR(op.to_raw(), context.raw().cast());
            if module.is_null() {
                return Err(native(
                    "the lowered program cannot be translated to LLVM IR (an internal error)",
                ));
            }
            Ok(Self {
                module: ManuallyDrop::new(Module::new(module.cast())),
                context,
                content: KernelKind::from_module_name(&op.string("sym_name").unwrap_or_default()),
            })
        }
    }

    /// Parses LLVM IR, with the same passes as a module of [`KernelKind::Vectors`].
    pub(crate) fn parse(text: &CStr) -> Result<Self> {
        let context = Box::new(Context::create());
        // The zero byte that LLVM's reader wants behind the text is there.
        let buffer = MemoryBuffer::create_from_memory_range(text.to_bytes(), "text");
        let module = context.create_module_from_ir(buffer).map_err(native)?;
        // SAFETY: the module is owned by the result, beside its context.
        let module: Module<'static> = unsafe { std::mem::transmute(module) };
        Ok(Self {
            module: ManuallyDrop::new(module),
            context,
            content: KernelKind::Vectors,
        })
    }

    /// Tells whether some value is reached over so many paths (`x1 = x0 + x0, x2 = x1 + x1, …`)
    /// that the loop vectoriser, which walks all of them (LLVM 22: `isSingleScalar`), would not
    /// come to an end. Paths are counted up to each instruction, those of a loop once.
    fn is_tangled(&self) -> bool {
        const MOST: u64 = 1 << 21;
        for function in self.module.get_functions() {
            let mut paths: HashMap<usize, u64> = HashMap::new();
            for block in function.get_basic_blocks() {
                for instruction in block.get_instructions() {
                    let of = |operand: Option<Operand<'_>>| {
                        let value = operand.and_then(|o| o.value());
                        let inner = value.and_then(|v| v.as_instruction_value());
                        inner
                            .and_then(|i| paths.get(&(i.as_value_ref() as usize)).copied())
                            .unwrap_or(1)
                    };
                    let count = match instruction.get_opcode() {
                        InstructionOpcode::Phi => 1,
                        _ => (0..instruction.get_num_operands())
                            .map(|i| of(instruction.get_operand(i)))
                            .fold(0u64, u64::saturating_add),
                    };
                    if count > MOST {
                        return true;
                    }
                    paths.insert(instruction.as_value_ref() as usize, count.max(1));
                }
            }
        }
        false
    }

    /// Runs the passes that code of this kind gets.
    fn run_passes(&self, content: KernelKind, machine: &TargetMachine) -> Result<()> {
        let options = PassBuilderOptions::create();
        options.set_loop_vectorization(content == KernelKind::Loops && !self.is_tangled());
        options.set_loop_slp_vectorization(true);
        options.set_loop_unrolling(true);
        self.module
            .run_passes(passes(content), machine, options)
            .map_err(native)
    }

    /// Runs the optimiser as far as the contents of the module need it. Code that it gets wrong is
    /// optimised again, with less: LLVM 22 merges parts of vectors that are stored one by one on
    /// the stack, and does so before the last of them is there (`SROA`).
    pub(crate) fn optimise(&mut self, machine: &TargetMachine) -> Result<()> {
        self.module.set_triple(&machine.get_triple());
        self.module
            .set_data_layout(&machine.get_target_data().get_data_layout());
        let before = (self.content == KernelKind::Loops).then(|| Module::clone(&self.module));
        self.run_passes(self.content, machine)?;
        if let Some(before) = before
            && self.module.verify().is_err()
        {
            *self.module = before;
            self.run_passes(KernelKind::Vectors, machine)?;
        }
        single_lanes::replace(&self.module).map_err(native)?;
        aligned_stack::align(&self.module, &self.context, &machine.get_target_data());
        if self.content == KernelKind::Host {
            huge_functions::leave(&self.module, &self.context);
        }
        Ok(())
    }

    /// Removes functions that nobody calls.
    pub(crate) fn remove_unused(&self, machine: &TargetMachine) -> Result<()> {
        self.module
            .run_passes("globaldce", machine, PassBuilderOptions::create())
            .map_err(native)
    }

    /// Machine code or assembly.
    pub(crate) fn emit(&self, machine: &TargetMachine, kind: FileKind) -> Result<Vec<u8>> {
        let kind = match kind {
            FileKind::Object => FileType::Object,
            FileKind::Assembly => FileType::Assembly,
        };
        // SAFETY: the context is valid, it is the module's own.
        unsafe { codegen::leave_addresses(self.context.raw().cast()) };
        let buffer = machine
            .write_to_memory_buffer(&self.module, kind)
            .map_err(native)?;
        Ok(buffer.as_slice().to_vec())
    }

    /// LLVM IR as text.
    pub(crate) fn print(&self) -> String {
        self.module.print_to_string().to_string()
    }

    /// Defines the external global `name` (an array of bytes) as constant data, 64-byte aligned.
    pub(crate) fn define_data(&self, name: &str, data: &[u8]) -> Result<()> {
        if let Some(global) = self.module.get_global(name) {
            let bytes = if data.is_empty() { &[0u8][..] } else { data };
            global.set_initializer(&self.context.const_string(bytes, false));
            global.set_linkage(Linkage::Private);
            global.set_constant(true);
            global.set_alignment(64);
        }
        Ok(())
    }

    /// Defines memory that starts as zeros, as large as it was declared.
    pub(crate) fn define_memory(&self, name: &str) {
        if let Some(global) = self.module.get_global(name) {
            if let AnyTypeEnum::ArrayType(ty) = global.get_value_type() {
                global.set_initializer(&ty.const_zero());
            }
            global.set_linkage(Linkage::Private);
            global.set_alignment(64);
        }
    }

    /// Defines a text, which ends with a zero byte, for whoever links or loads the module.
    pub(crate) fn add_text(&self, name: &str, text: &str) {
        let text = (self.module.get_context()).const_string(text.as_bytes(), true);
        let global = self.module.add_global(text.get_type(), None, name);
        global.set_initializer(&text);
        global.set_constant(true);
    }

    /// Gives the function `name` another name.
    ///
    /// # Errors
    /// Where something of the module has it already: a function of the runtime or the C library.
    pub(crate) fn rename(&self, name: &str, to: &str) -> Result<()> {
        if name == to {
            return Ok(());
        }
        if self.module.get_function(to).is_some() || self.module.get_global(to).is_some() {
            return Err(native(format!(
                "the entry point {to} has the name of a function that the program calls; take another prefix"
            )));
        }
        if let Some(function) = self.module.get_function(name) {
            function.as_global_value().set_name(to);
        }
        Ok(())
    }

    /// Gives every defined function but `keep` internal linkage.
    pub(crate) fn internalise(&self, keep: &[&str]) {
        for function in self.module.get_functions() {
            let name = function.get_name().to_string_lossy();
            if !keep.contains(&name.as_ref()) && function.count_basic_blocks() > 0 {
                function.set_linkage(Linkage::Internal);
            }
        }
    }

    /// Moves everything of `other` into this module, through bitcode (the two have contexts of
    /// their own).
    pub(crate) fn link(&self, other: &LlvmModule) -> Result<()> {
        let bitcode = other.module.write_bitcode_to_memory();
        let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode.as_slice(), "part");
        let parsed = Module::parse_bitcode_from_buffer(&buffer, &*self.context).map_err(native)?;
        // SAFETY: the module lives in this module's context, as long as this module does.
        let parsed: Module<'static> = unsafe { std::mem::transmute(parsed) };
        self.module.link_in_module(parsed).map_err(native)
    }
}

#[cfg(test)]
mod tests {
    use super::{FileKind, LlvmModule, Target};

    /// Bits of vectors, and whether there are AVX-512's instructions on lanes.
    fn vectors(cpu: &str, features: &str) -> (u32, bool) {
        let target = Target {
            triple: "x86_64-unknown-linux-gnu".into(),
            cpu: cpu.into(),
            features: features.into(),
        };
        (target.vector_bits(), target.scales_lanes())
    }

    #[test]
    fn features_go_before_names() {
        for (cpu, features, bits, lanes) in [
            ("znver4", "", 512, true),
            ("znver3", "", 256, false),
            ("generic", "", 128, false),
            ("znver4", "+avx2,+avx512f,+avx512dq", 512, true),
            ("znver4", "+avx2,-avx512f,-avx512dq", 256, false),
            ("knl", "+avx2,+avx512f,-avx512dq", 512, false),
            ("znver4", "+sse2,-avx2,-avx512f", 128, false),
            ("broadwell", "", 256, false),
            ("icelake-server", "", 512, true),
        ] {
            assert_eq!(vectors(cpu, features), (bits, lanes), "{cpu} {features}");
        }
    }

    #[test]
    fn addresses_in_loops_stand() {
        // Strength reduction would turn `%i * %n` into a sum.
        let text = cr#"
define float @sum(ptr %from, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %new, %loop ]
  %at = mul i64 %i, %n
  %address = getelementptr float, ptr %from, i64 %at
  %value = load float, ptr %address
  %new = fadd float %sum, %value
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 1000
  br i1 %more, label %loop, label %exit
exit:
  ret float %new
}
"#;
        let target = Target {
            triple: "x86_64-unknown-linux-gnu".into(),
            cpu: "x86-64-v3".into(),
            features: String::new(),
        };
        super::initialise();
        let machine = target.machine().unwrap();
        let mut module = LlvmModule::parse(text).unwrap();
        module.optimise(&machine).unwrap();
        let assembly = module.emit(&machine, FileKind::Assembly).unwrap();
        let assembly = String::from_utf8(assembly).unwrap();
        assert!(assembly.contains("imul"), "{assembly}");
    }
}
