//! From fused regions to upstream dialects.
//!
//! - [`emitter`]: the interface that all emitters implement;
//! - [`storage`]: how elements live in memory and in SSA values;
//! - [`scalar`]: what each element-wise operation does to scalars and vectors, used by every emitter;
//! - [`math`]: elementary and special functions;
//! - [`general`]: the emitter that handles every operation, element by element;
//! - [`error`]: why something could not be compiled.

pub mod emitter;
pub mod error;
pub mod math;
pub mod scalar;
pub mod storage;

pub use emitter::{Cx, Declined, Emitter, Kernel, Options, Tiles};
pub use error::{Result, Unsupported};
pub use storage::Elem;
