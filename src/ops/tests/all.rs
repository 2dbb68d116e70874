//! Tests of the rules of operations. One program, as each takes its time to link; a file is a
//! module: `--test all oracle::` runs those of `oracle`.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic is how a test fails.

mod composition;
mod conformance;
mod docs;
mod examples;
mod executed;
#[path = "../../../tests/support/files.rs"]
mod files;
mod oracle;
mod shapes;
#[path = "../../../tests/support/shared.rs"]
mod shared;
mod table;
