//! How to compile, and what a program takes and gives.

use mapwright_mlir::TensorType;

/// Options of a compilation.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// Functions that can be called; empty: `main` if there is one, otherwise every public function.
    pub entries: Vec<String>,
    /// Threads that will run the code; 0: one a hardware thread.
    pub threads: usize,
    /// `native`, or a name that LLVM knows.
    pub cpu: String,
    /// What the names of the entry points of a file begin with, before `_` and the function's name; an identifier of C.
    pub prefix: String,
    /// Target triple; empty: this machine's.
    pub triple: String,
    /// Emitters and fast paths that must not be used, by their names (`mapwright_codegen::FAST_PATHS`).
    pub disabled: Vec<String>,
    /// Time every launch and library call ([`crate::Bound::take_times`]).
    pub profile: bool,
    /// Check every generated load and store.
    pub bounds_checks: bool,
    /// Most operations that a program may have when the functions that it calls are put in the place of the calls.
    pub most_operations: usize,
}

impl CompileOptions {
    /// What [`CompileOptions::most_operations`] is unless something else is asked for.
    pub const MOST_OPERATIONS: usize = 1_000_000;
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
