//! Brings programs into the form that everything downstream reads: StableHLO alone.
//!
//! - [`chlo`]: every CHLO operation becomes StableHLO operations;
//! - [`mhlo`]: MHLO becomes StableHLO, and back;
//! - [`shapes`]: unknown dimensions are filled in from those of the arguments.
//!
//! Each is a function over a module (or function) operation; the passes that wrap them are registered with all others.

pub mod chlo;
pub mod hlo;
pub mod mhlo;
pub mod rewrite;
pub mod shapes;
