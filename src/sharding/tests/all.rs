//! Tests of sharding layouts. One program, as each takes its time to link; a file is a module:
//! `--test all reshard::` runs those of `reshard`.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic is how a test fails.

mod command;
mod common;
mod jax;
mod layouts;
mod notations;
mod proofs;
mod propagation;
mod propagation_random;
mod reshard;
