//! To come.
pub mod simple;
