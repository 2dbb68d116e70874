//! What the dialects of artifacts have: a table for each.

pub(crate) mod builtin;
pub mod operations;
pub(crate) mod sdy;
pub(crate) mod stablehlo;
pub(crate) mod vhlo;
