//! The only home of `unsafe` towards MLIR: what melior lacks, as safe functions.
//!
//! - [`types`]: types of values decoded into plain data ([`TensorType`], [`ElementType`]);
//! - [`affine`]: affine maps as plain data;
//! - [`attr`], [`text`]: attributes decoded, whatever form they were written in;
//! - [`op`]: operations looked at by name ([`Op`]); [`labels`]: the names of values;
//! - [`computation`]: regions of scalar code;
//! - [`builder`]: building upstream dialects' operations ([`Builder`]);
//! - [`edit`]: cloning, inserting, erasing; [`made`]: which operations a rewriting made;
//! - [`context`](mod@context): contexts that know every dialect;
//! - [`artifact`]: programs from portable artifacts;
//! - [`diagnostic`]: diagnostics with notes, and their printing; reading sources; [`nesting`]: how
//!   deep those may be;
//! - [`pass`]: passes written in Rust; [`drivers`]: upstream's tools with our dialects;
//! - [`codegen`]: what LLVM's code generation is to leave out;
//! - [`hooks`]: what the dialects ask Rust;
//! - [`host`]: is the process we were loaded into one of our MLIR's version?
//!
//! Handles carry the lifetime of their context only. They stay valid until the IR they point at is
//! erased; erasing is `unsafe` and happens in passes alone.

pub use melior;
pub use mlir_sys;

pub mod affine;
pub mod artifact;
pub mod attr;
pub mod builder;
pub mod codegen;
pub mod computation;
pub mod context;
pub mod diagnostic;
pub mod drivers;
pub mod edit;
#[cfg(test)]
#[path = "build/headers.rs"]
mod headers;
pub mod hooks;
pub mod host;
pub mod labels;
pub mod made;
pub mod nesting;
pub mod op;
pub mod pass;
mod raw;
mod shim;
pub mod sizes;
pub mod steps;
pub mod text;
pub mod tiling;
pub mod types;

pub use builder::{Builder, CmpF, CmpI};
pub use context::context;
pub use op::Op;
pub use steps::Steps;
pub use types::{Dim, ElementType, FloatKind, Quantization, TensorType, UNBOUNDED, ValueType};

/// A value; valid while its defining operation or block is.
pub type Val<'c> = melior::ir::Value<'c, 'c>;
/// A type.
pub type Ty<'c> = melior::ir::Type<'c>;
/// An attribute.
pub type Attr<'c> = melior::ir::Attribute<'c>;
/// A block.
pub type Blk<'c> = melior::ir::BlockRef<'c, 'c>;
/// A region.
pub type Reg<'c> = melior::ir::RegionRef<'c, 'c>;
/// A location.
pub type Loc<'c> = melior::ir::Location<'c>;
/// melior's reference to an operation.
pub type OpRef<'c> = melior::ir::OperationRef<'c, 'c>;

/// A block reference without the borrow of the place it was read from.
pub fn block<'c>(block: &melior::ir::Block<'c>) -> Blk<'c> {
    // SAFETY: the block lives in IR of the context `'c`; see the crate's note on handles.
    unsafe { Blk::from_raw(block.to_raw()) }
}

/// A region reference without the borrow of the place it was read from.
pub fn region<'c>(region: &melior::ir::Region<'c>) -> Reg<'c> {
    use melior::ir::RegionLike;
    // SAFETY: the region lives in IR of the context `'c`; see the crate's note on handles.
    unsafe { Reg::from_raw(region.to_raw()) }
}
