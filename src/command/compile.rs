//! `mapwright compile`: ahead of time, to an object, a library, LLVM IR or assembly.

use super::{
    archive,
    failure::reported,
    input::{Source, public_functions},
    output::{Files, different},
    progress::Progress,
};
use crate::{
    mlir::Op,
    native::{
        CompileOptions,
        artifact::{self, Artifact, Format},
        identifier,
    },
};
use anyhow::{Context as _, bail, ensure};
use clap::Args;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// Compiles a program to an object file (.o), a shared library (.so), a static one with the runtime
/// in it (.a), LLVM IR (.ll) or assembly (.s).
#[derive(Args)]
pub(crate) struct Compile {
    /// The program, or `-` for standard input
    file: String,
    /// The file to write; its ending says what
    #[arg(short, long, value_name = "OUT", value_parser = target)]
    output: Target,
    /// Also write a C header that declares one function for each public function
    #[arg(long, value_name = "OUT.h")]
    header: Option<PathBuf>,
    /// Prefix of the names of the functions, before `_` and the name in the program; the output's
    /// name without it
    #[arg(long, value_name = "NAME", value_parser = prefix)]
    prefix: Option<String>,
    /// A name that LLVM knows, or this machine's
    #[arg(long, value_name = "NAME", default_value = "native")]
    target_cpu: String,
    /// A target triple, as in `aarch64-unknown-linux-gnu`; this machine's without it
    #[arg(
        long,
        value_name = "TRIPLE",
        default_value = "",
        hide_default_value = true
    )]
    target: String,
    /// Most operations of a program whose calls are inlined
    #[arg(long, value_name = "N", default_value_t = CompileOptions::MOST_OPERATIONS)]
    most_operations: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File(Format),
    SharedLibrary,
    StaticLibrary,
}

#[derive(Clone)]
struct Target {
    path: PathBuf,
    kind: Kind,
}

fn target(text: &str) -> Result<Target, String> {
    let path = PathBuf::from(text);
    let kind = match path.extension().and_then(|ending| ending.to_str()) {
        Some("o") => Kind::File(Format::Object),
        Some("ll") => Kind::File(Format::LlvmIr),
        Some("s") => Kind::File(Format::Assembly),
        Some("so") => Kind::SharedLibrary,
        Some("a") => Kind::StaticLibrary,
        _ => return Err("the name must end in .o, .so, .a, .ll or .s".into()),
    };
    Ok(Target { path, kind })
}

fn prefix(text: &str) -> Result<String, String> {
    if identifier(text) == text {
        Ok(text.into())
    } else {
        Err("it must be an identifier of C".into())
    }
}

impl Target {
    /// The name of the file without folder and ending, and without the `lib` of a library.
    fn prefix(&self) -> String {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let stem = match self.kind {
            Kind::File(_) => None,
            _ => stem.strip_prefix("lib").filter(|rest| !rest.is_empty()),
        }
        .unwrap_or(&stem);
        identifier(stem)
    }
}

impl Compile {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let progress = Progress::new("reading");
        let mut paths: Vec<&Path> = vec![Path::new(&self.file), &self.output.path];
        paths.extend(self.header.as_deref());
        different(&paths)?;
        let source = Source::read(&self.file)?;
        source.parse(|_, module| {
            let module = Op::new(module.as_operation());
            let entries = public_functions(module);
            ensure!(
                !entries.is_empty(),
                "{}: there is no public function",
                source.name
            );
            ensure!(
                self.target.is_empty() || matches!(self.output.kind, Kind::File(_)),
                "a library can be made for this machine alone; take an object (.o) for another one"
            );
            progress.stage("compiling");
            let options = CompileOptions {
                entries,
                cpu: self.target_cpu.clone(),
                prefix: self.prefix.clone().unwrap_or_else(|| self.output.prefix()),
                triple: self.target.clone(),
                most_operations: self.most_operations,
                ..CompileOptions::default()
            };
            let format = match self.output.kind {
                Kind::File(format) => format,
                _ => Format::Object,
            };
            let artifact = artifact::compile(module, &options, format).map_err(reported)?;
            let mut files = Files::default();
            let path = &self.output.path;
            match self.output.kind {
                Kind::File(_) => files.write(path, &artifact.bytes)?,
                Kind::SharedLibrary => {
                    progress.stage("linking");
                    let library = files.temporary(path)?;
                    link(&artifact, &library, &mut files)?;
                }
                Kind::StaticLibrary => files.write(path, &static_library(&artifact)?)?,
            }
            if let Some(header) = &self.header {
                files.write(header, artifact.header.as_bytes())?;
            }
            files.commit()?;
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// Functions of the runtime that a caller of the library needs, besides those that the program
/// itself calls (`include/mapwright-c/runtime.h`).
const FOR_CALLERS: [&str; 7] = [
    "mw_context_create",
    "mw_context_destroy",
    "mw_error_status",
    "mw_error_message",
    "mw_clear_error",
    "mw_alloc",
    "mw_free",
];

/// Prefix of the names of the runtime's functions that call a function by its name.
const CUSTOM_CALL: &[u8] = b"mw_custom_call";

/// Other functions of the runtime that a library exports where it has them.
const FOR_SOME_CALLERS: &str =
    "mw_context_*; mw_error_*; mw_host_*; mw_memory_*; mw_run_world; mw_set_*; mw_world_*;";

/// Exported where the object calls functions by their names: they bring all of those that the
/// runtime has, which is most of it.
const FOR_CUSTOM_CALLS: &str = "mw_*;";

/// Makes a shared library of an object and the runtime that it calls. It exports the entry points
/// and what callers need of the runtime: what is exported stays in the library.
fn link(artifact: &Artifact, library: &Path, files: &mut Files) -> anyhow::Result<()> {
    let runtime = runtime_archive()?;
    let object_file = files.scratch(&library.with_extension("o.tmp"));
    Files::overwrite(&object_file, &artifact.bytes)?;
    let exports = files.scratch(&library.with_extension("map.tmp"));
    let symbols: String = artifact.symbols.iter().map(|s| format!(" {s};")).collect();
    let calls_by_name = (artifact.bytes)
        .windows(CUSTOM_CALL.len())
        .any(|part| part == CUSTOM_CALL);
    let more = if calls_by_name {
        FOR_CUSTOM_CALLS
    } else {
        FOR_SOME_CALLERS
    };
    let callers = FOR_CALLERS.join("; ");
    let text = format!("{{ global: {callers}; {more}{symbols} local: *; }};\n");
    Files::overwrite(&exports, text.as_bytes())?;
    let mut driver = Command::new(std::env::var_os("CC").unwrap_or("cc".into()));
    driver
        .args(["-shared", "-o"])
        .arg(library)
        .arg(&object_file)
        .args(FOR_CALLERS.map(|symbol| format!("-Wl,--undefined={symbol}")))
        .arg(&runtime)
        // What of the runtime nobody calls stays out.
        .args(["-Wl,--gc-sections", "-lm", "-lpthread", "-ldl"])
        // The object has no lines of the source, and nobody looks for those of the runtime here.
        .arg("-Wl,--strip-debug")
        .arg(format!("-Wl,--version-script={}", exports.display()));
    let linked = driver
        .output()
        .context("cannot run the linker driver `cc` (or $CC)")?;
    if !linked.status.success() {
        bail!(
            "linking failed:\n{}",
            String::from_utf8_lossy(&linked.stderr)
        );
    }
    Ok(())
}

/// A static library of an object and the runtime, of which a linker takes what is called. Of
/// several such libraries in one program it takes the runtime of the first.
fn static_library(artifact: &Artifact) -> anyhow::Result<Vec<u8>> {
    let runtime = runtime_archive()?;
    let bytes = fs::read(&runtime).with_context(|| format!("cannot read {}", runtime.display()))?;
    archive::with_object(&bytes, &artifact.bytes)
        .with_context(|| format!("cannot add to {}", runtime.display()))
}

/// `libmapwright_runtime.a`: beside the program where cargo puts it, in `lib` beside `bin` where it
/// is installed.
fn runtime_archive() -> anyhow::Result<PathBuf> {
    const NAME: &str = "libmapwright_runtime.a";
    let program = std::env::current_exe().context("cannot find this program's folder")?;
    let folder = program.parent().context("this program has no folder")?;
    let places = [
        folder.join("deps").join(NAME),
        folder.join(NAME),
        folder.join("../lib").join(NAME),
    ];
    places
        .into_iter()
        .find(|place| place.exists())
        .with_context(|| {
            format!(
                "{NAME} is neither beside {} nor in ../lib",
                program.display()
            )
        })
}
