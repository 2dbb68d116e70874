//! Tests of the analysis of whole functions. One program, as each takes its time to link; a file is
//! a module: `--test all tiles::` runs those of `tiles`.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic is how a test fails.

#[path = "../../../tests/support/browser.rs"]
mod browser;
mod brute_force;
mod docs;
mod generated;
mod picture;
mod tiles;
