//! A compiled program before it is linked: plain data, which can be kept and read again in another
//! process.

use crate::{
    CompileOptions, Error, Result, factory,
    jit::Jit,
    llvm::{LlvmModule, Target},
    options::code_options,
    pipeline::{self, Parts, Stages},
};
use mapwright_codegen::{
    Emitter,
    host::{Called, Entry, Part, Report},
};
use mapwright_fusion::composed;
use mapwright_mlir::Op;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// Machine code and data of a program, and what a caller has to know of it.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Code {
    /// The machine that it runs on.
    pub target: Target,
    /// Object files.
    pub objects: Vec<ByteBuf>,
    /// Constant data; number `i` is the symbol `constant_symbol(i)`.
    pub constants: Vec<ByteBuf>,
    /// Bytes of memory that is kept from call to call; number `i` is the symbol
    /// `prepacked_symbol(i)`.
    pub prepacked: Vec<i64>,
    /// Functions that are called by name when it runs.
    pub called: Vec<Called>,
    /// The functions that can be called.
    pub entries: Vec<Entry>,
    /// One a distinct region.
    pub reports: Vec<Report>,
    /// Parts that are timed.
    pub parts: Vec<Part>,
    /// Indexing maps on the way to loops.
    pub maps: composed::Counts,
    /// Threads that it was planned for.
    pub threads: usize,
    /// Whether it checks its loads and stores.
    pub bounds_checks: bool,
}

impl Code {
    /// Compiles `module`, and makes a linker meanwhile.
    ///
    /// # Errors
    /// What cannot be compiled is diagnosed at its operation.
    pub(crate) fn new(
        module: Op<'_>,
        options: &CompileOptions,
        target: Target,
        emitters: &[&dyn Emitter],
        stages: &mut Stages,
    ) -> Result<(Self, Jit)> {
        let before = composed::counts();
        let code = code_options(options, &target);
        // Programs that only run beside others are not called from outside.
        let callable = pipeline::entries(module, options)?;
        let ((mut lowered, jit), objects) = factory::work(&target, |factory| {
            let lowered = pipeline::lower(module, options, &code, emitters, stages)?;
            let parts = Parts::new(&lowered);
            factory.expect(parts.functions());
            for i in parts.by_size() {
                let part = stages.time("convert", || parts.convert(i))?;
                let module = stages.time("translate", || LlvmModule::translate(part))?;
                factory.add(i, module);
            }
            // Others are at work on what was added.
            let jit = stages.time("link", Jit::new)?;
            stages.time("optimise", || factory.finish());
            Ok((lowered, jit))
        })?;
        lowered
            .entries
            .retain(|entry| callable.contains(&entry.name));
        let made = Self {
            target,
            objects: objects.into_iter().map(ByteBuf::from).collect(),
            constants: lowered.constants.into_iter().map(ByteBuf::from).collect(),
            prepacked: lowered.prepacked,
            called: lowered.called,
            entries: lowered.entries,
            reports: lowered.reports,
            parts: lowered.parts,
            maps: composed::counts().since(before),
            threads: code.threads,
            bounds_checks: options.bounds_checks,
        };
        Ok((made, jit))
    }

    /// Checks that the code is for this machine.
    ///
    /// # Errors
    /// It was made for another one, which is named.
    pub(crate) fn check_machine(&self) -> Result<()> {
        let here = Target::new(&CompileOptions::default());
        if self.target == here {
            return Ok(());
        }
        Err(Error::Input(format!(
            "the program was compiled for {} ({}), this machine is {} ({}), or has other features",
            self.target.cpu, self.target.triple, here.cpu, here.triple
        )))
    }
}

/// First bytes of a file or a blob of code; the number changes with the form.
const MAGIC: &[u8; 8] = b"MWCODE01";

/// Bytes of the checksum behind it.
const CHECKSUM: usize = blake3::OUT_LEN;

/// The bytes that [`from_bytes`] reads.
///
/// # Errors
/// Data that has no serialized form: none of ours.
pub(crate) fn to_bytes(code: &Code) -> Result<Vec<u8>> {
    let mut bytes = Vec::from(MAGIC);
    bytes.resize(MAGIC.len() + CHECKSUM, 0);
    let mut bytes =
        postcard::to_extend(code, bytes).map_err(|error| Error::Native(error.to_string()))?;
    let (head, payload) = bytes.split_at_mut(MAGIC.len() + CHECKSUM);
    head[MAGIC.len()..].copy_from_slice(checksum(payload).as_bytes());
    Ok(bytes)
}

/// Reads what [`to_bytes`] wrote.
///
/// # Errors
/// Bytes that are no code, of another version, or damaged.
pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Code> {
    let refuse = |why: &str| Err(Error::Input(format!("no compiled program: {why}")));
    let Some((head, payload)) = bytes.split_at_checked(MAGIC.len() + CHECKSUM) else {
        return refuse("it is too short");
    };
    if head[..MAGIC.len()] != MAGIC[..] {
        return refuse("it does not begin as one of this version");
    }
    if head[MAGIC.len()..] != checksum(payload).as_bytes()[..] {
        return refuse("it is damaged, or was made by another version of the compiler");
    }
    match postcard::from_bytes(payload) {
        Ok(code) => Ok(code),
        Err(error) => refuse(&error.to_string()),
    }
}

/// Covers the payload and the compiler that wrote it.
fn checksum(payload: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(crate::reuse::build_identity().as_bytes());
    hasher.update(payload);
    hasher.finalize()
}
