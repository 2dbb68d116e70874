//! How to compile, and what a program takes and gives.

use crate::{Reuse, llvm::Target};
use mapwright_codegen::Options;
use mapwright_mlir::TensorType;
pub use mapwright_normalize::scatter_windows::ScatterWindows;

/// Options of a compilation.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// Functions that can be called; empty: `main` if there is one, otherwise every public
    /// function.
    pub entries: Vec<String>,
    /// Threads that will run the code; 0: one a hardware thread.
    pub threads: usize,
    /// `native`, or a name that LLVM knows.
    pub cpu: String,
    /// Prefix of the names of the entry points of a file, before `_` and the function's name; an
    /// identifier of C.
    pub prefix: String,
    /// Target triple; empty: this machine's.
    pub triple: String,
    /// Emitters and fast paths that must not be used, by their names
    /// (`mapwright_codegen::FAST_PATHS`).
    pub disabled: Vec<String>,
    /// Time every launch and library call ([`crate::Bound::take_times`]).
    pub profile: bool,
    /// Check every generated load and store.
    pub bounds_checks: bool,
    /// Most operations that a program may have when the functions that it calls are put in the
    /// place of the calls.
    pub most_operations: usize,
    /// Cache of code of equal programs.
    pub reuse: Reuse,
    /// Treatment of windows of updates that are partly outside of the operand of a scatter.
    pub scatter_windows: ScatterWindows,
}

impl CompileOptions {
    /// Default of [`CompileOptions::most_operations`].
    pub const MOST_OPERATIONS: usize = mapwright_normalize::inline::MOST;
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            threads: 0,
            cpu: "native".into(),
            prefix: "mw_entry".into(),
            triple: String::new(),
            disabled: Vec::new(),
            profile: false,
            bounds_checks: false,
            most_operations: Self::MOST_OPERATIONS,
            reuse: Reuse::Never,
            scatter_windows: ScatterWindows::default(),
        }
    }
}

/// Tensors that a function takes and gives; tokens do not count.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// Arguments in order.
    pub inputs: Vec<TensorType>,
    /// Results in order.
    pub outputs: Vec<TensorType>,
}

/// Sizes of caches for the emitters; what cannot be found out is assumed to be small.
fn cache(name: &str, otherwise: usize) -> usize {
    let path = format!("/sys/devices/system/cpu/cpu0/cache/{name}/size");
    let Ok(text) = std::fs::read_to_string(path) else {
        return otherwise;
    };
    let text = text.trim();
    let (number, unit) = match text.strip_suffix('K') {
        Some(number) => (number, 1 << 10),
        None => match text.strip_suffix('M') {
            Some(number) => (number, 1 << 20),
            None => (text, 1),
        },
    };
    number.parse::<usize>().map_or(otherwise, |n| n * unit)
}

/// Returns the options of emitters, from the target and the options of a compilation.
pub(crate) fn code_options(options: &CompileOptions, target: &Target) -> Options {
    let threads = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    };
    Options {
        vector_bits: target.vector_bits(),
        // Other machines have the instruction, but multiply and add single numbers at twice its
        // rate.
        dot_bf16: target.has("+avx512bf16") && target.cpu.starts_with("znver"),
        dot_i8: target.has("+avx512vnni"),
        dot_i16: target.vector_bits() == 256 || target.has("+avx512bw"),
        scales_lanes: target.scales_lanes(),
        permutes_lanes: target.vector_bits() == 256,
        zeros_above: false,
        extended: target.extended(),
        threads,
        l1_bytes: cache("index0", 32 << 10),
        l2_bytes: cache("index2", 1 << 20),
        l3_bytes: cache("index3", 0),
        disabled: options.disabled.clone(),
        profile: options.profile,
        bounds_checks: options.bounds_checks,
    }
}
