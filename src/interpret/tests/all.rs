//! Tests of the interpreter. One program, as each takes its time to link; a file is a module:
//! `--test all folding::` runs those of `folding`.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic is how a test fails.

mod conformance;
#[path = "../../../tests/support/files.rs"]
mod files;
mod folding;
#[path = "../../../tests/support/shared.rs"]
mod shared;
