//! Code that is there already: of an equal program in this process, or in a folder on disk that
//! processes share.
//!
//! Programs are told by their structure: the bytecode of the module without locations and without
//! the module's name, what it is compiled with and for, and which build of the compiler it is.

mod disk;

pub use disk::DiskCache;

use crate::{
    CompileOptions, Executable, Result, code::Code, executable::Linked, jit::Jit, llvm::Target,
    options::code_options, pipeline::Stages,
};
use mapwright_mlir::{Op, edit, melior::ir::operation::OperationLike as _, pass};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak},
    time::Instant,
};

/// Cache in which a compilation looks for code that was made before.
#[derive(Clone, Debug, Default)]
pub enum Reuse {
    /// Nowhere: every program is compiled.
    #[default]
    Never,
    /// Among the programs of this process that are alive.
    Process,
    /// There, and in a folder.
    Disk(DiskCache),
}

impl Reuse {
    /// Reads the environment (`MAPWRIGHT_CACHE`, see [`DiskCache::from_environment`]): a folder, or
    /// programs of this process alone.
    pub fn from_environment() -> Self {
        DiskCache::from_environment().map_or(Self::Process, Self::Disk)
    }
}

/// Tells equal compilations of equal programs.
pub(crate) type Key = blake3::Hash;

/// Code in use, and a lock that is held while it is made: who asks for the same meanwhile waits.
type Slot = Arc<Mutex<Weak<Linked>>>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn slot(key: Key) -> Slot {
    static SLOTS: Mutex<Option<HashMap<[u8; 32], Slot>>> = Mutex::new(None);
    let mut slots = lock(&SLOTS);
    let slots = slots.get_or_insert_default();
    // Those that nobody holds, and whose code is gone, go as well.
    slots.retain(|_, slot| {
        Arc::strong_count(slot) > 1 || slot.try_lock().is_ok_and(|held| held.strong_count() > 0)
    });
    Arc::clone(slots.entry(*key.as_bytes()).or_default())
}

/// The executable of `module`, compiled if nobody has its code.
///
/// # Errors
/// Those of a compilation.
pub(crate) fn executable(module: Op<'_>, options: &CompileOptions) -> Result<Executable> {
    let mut stages = Stages::default();
    let target = stages.time("target", || Target::new(options));
    let key = stages.time("look up", || key(module, options, &target))?;
    let slot = slot(key);
    let mut held = lock(&slot);
    if let Some(linked) = held.upgrade() {
        return Ok(Executable::new(linked, stages));
    }
    let disk = match &options.reuse {
        Reuse::Disk(disk) => Some(disk),
        Reuse::Never | Reuse::Process => None,
    };
    let found = stages.time("look up", || disk.and_then(|disk| disk.read(key)));
    let (code, jit) = match found {
        Some(code) => (code, stages.time("link", Jit::new)?),
        None => {
            let start = Instant::now();
            let emitters = mapwright_codegen::emitters();
            let made = Code::new(module, options, target, &emitters, &mut stages)?;
            if let Some(disk) = disk.filter(|disk| start.elapsed() >= disk.worth_keeping) {
                stages.time("keep", || disk.write(key, &made.0));
            }
            made
        }
    };
    let linked = Arc::new(Linked::new(code, jit, &mut stages)?);
    *held = Arc::downgrade(&linked);
    Ok(Executable::new(linked, stages))
}

fn key(module: Op<'_>, options: &CompileOptions, target: &Target) -> Result<Key> {
    let copy = edit::clone_module(module);
    let root = Op::new(copy.as_operation());
    root.remove_attribute("sym_name");
    pass::Conversions::new(&copy, "builtin.module(strip-debuginfo)")?.run_unverified(root)?;
    let mut hasher = blake3::Hasher::new();
    // Where code is looked for makes no other code.
    let options = CompileOptions {
        reuse: Reuse::Never,
        ..options.clone()
    };
    let settings = format!(
        "{} {options:?} {target:?} {:?}",
        build_identity(),
        code_options(&options, target),
    );
    hasher.update(settings.as_bytes());
    hasher.update(&copy.as_operation().write_bytecode());
    Ok(hasher.finalize())
}

/// Tells this build of the compiler from others: its version, and the size and time of the file
/// that it was loaded from.
pub(crate) fn build_identity() -> &'static str {
    static IDENTITY: OnceLock<String> = OnceLock::new();
    IDENTITY.get_or_init(|| {
        let file = own_file().and_then(|file| std::fs::metadata(file).ok());
        let state = file.map(|file| (file.len(), file.modified().ok()));
        format!("{} {state:?}", env!("CARGO_PKG_VERSION"))
    })
}

/// The program or the library that has this function.
fn own_file() -> Option<std::path::PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;
    // SAFETY: the address is that of a function, and `info` is written before it is read; the name
    // in it lives as long as the library.
    let name = unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        let address = build_identity as *const std::ffi::c_void;
        if libc::dladdr(address, &mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        std::ffi::CStr::from_ptr(info.dli_fname)
    };
    let named = std::path::Path::new(std::ffi::OsStr::from_bytes(name.to_bytes()));
    if named.is_file() {
        Some(named.to_path_buf())
    } else {
        std::env::current_exe().ok()
    }
}
