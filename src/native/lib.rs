//! From a module to machine code, and running it.
//!
//! - [`Executable`]: a compiled program: signature, running it in memory, many calls at once;
//! - [`Model`]: a program that is called with arguments of different sizes, compiled for them and
//!   kept;
//! - [`Reuse`]: code that is there already, in this process or in a folder on disk;
//! - [`Tensor`]: dense data with a type, 64-byte aligned;
//! - [`Ragged`]: nested arrays at the border of a program;
//! - [`specialize`]: programs with run-time sizes, made static for the shapes of arguments;
//! - [`CompileOptions`], [`pipeline`]: the passes between a StableHLO module and the LLVM dialect;
//! - [`artifact`]: object files, shared libraries, LLVM IR, assembly and C headers.

mod aligned_stack;
pub mod artifact;
mod bound;
mod code;
mod constants;
mod entry_table;
mod error;
mod executable;
mod factory;
mod header;
mod huge_functions;
mod jit;
mod llvm;
mod machines;
mod model;
mod options;
mod partitions;
mod perf;
pub mod pipeline;
pub mod progress;
pub mod ragged;
mod reuse;
mod single_lanes;
mod sizes;
mod specialize;
mod symbols;
mod target_options;
mod tensor;

pub use bound::{Bound, CallMemory};
pub use error::{Error, Result};
pub use executable::{Executable, ExecuteOptions, Statistics};
pub use mapwright_codegen::host::{Called, Part, PartOperation, Report};
pub use model::{CodeKind, Model, ModelOptions, Prepared};
pub use options::{CompileOptions, ScatterWindows, Signature};
pub use partitions::{box_rows, joined};
pub use ragged::Ragged;
pub use reuse::{DiskCache, Reuse};
pub use specialize::{run_time_inputs, specialize};
pub use symbols::identifier;
pub use target_options::TargetOptions;
pub use tensor::{Tensor, View};
