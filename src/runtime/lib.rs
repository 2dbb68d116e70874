//! What generated native code calls: a thread pool, memory, and the operations that are not loop
//! nests (sort, FFT, random bits, dense factorisations, collectives).
//!
//! The crate is used in two ways: as a Rust library by the rest of Mapwright, and as the small
//! static library `libmapwright_runtime.a` that ahead-of-time compiled objects are linked with. It
//! knows nothing of MLIR or LLVM. The C side lives in [`ffi`] (functions `mw_*`, declared in
//! `include/mapwright-c/runtime.h`); the algorithms beside it are Rust functions over slices.
//!
//! Conventions: tensors are dense and row-major; sizes are `i64` at the C border; element types are
//! [`ElementKind`] codes. No entry point unwinds: a failure is a status code and a message in the
//! [`Context`].

#![deny(unsafe_op_in_unsafe_fn)]
// Its interface is the C header; what is public in Rust is for the crates of this workspace.
#![allow(missing_docs)]

pub mod check;
pub mod collective;
pub mod complex;
mod context;
pub mod convert;
pub mod copy;
pub mod custom_call;
mod element_kind;
mod error;
pub mod ffi;
pub mod fft;
pub mod floating_point;
pub mod lapack;
pub mod linalg;
mod memory;
mod multiversion;
mod pool;
pub mod profile;
pub mod random;
pub mod scratch;
pub mod sort;
#[cfg(test)]
mod test_support;

pub use context::Context;
pub use element_kind::ElementKind;
pub use error::{Error, Result, Status};
pub use memory::{ALIGNMENT, Buffer, MemoryPool, MemoryStatistics};
pub use pool::Pool;
