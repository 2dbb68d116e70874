//! Portable artifacts of StableHLO as plain data: what `jax.export` and PJRT hand over, and what
//! readers of other versions are given.
//!
//! An artifact is MLIR bytecode, in which the operations are those of `vhlo`, the versioned form of
//! StableHLO, perhaps with some of other dialects between them. [`read`] makes an
//! [`Artifact`](tree::Artifact) of bytes, [`write`] bytes of one; neither knows MLIR or what
//! operations mean. Which attributes, types and operations there are, of which parts, and since
//! when, stands in the tables of [`dialects`], a row each. Nothing of the bytes is trusted: what is
//! not as the tables say is an [`Error`] with its place.
//!
//! How an artifact becomes a program in MLIR is another crate's business
//! (`mapwright_mlir::artifact`).

#![forbid(unsafe_code)]

mod container;
pub mod dialects;
mod error;
pub mod kinds;
pub mod tree;
mod version;

pub use container::{is_artifact, read, version_of, write};
pub use error::{Error, Result};
pub use version::Version;
