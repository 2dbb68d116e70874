//! Tests of what users have: commands, libraries, plugins and pages. One program, as each takes its
//! time to link; a file is a module: `--test all tidy::` runs those of `tidy`.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic is how a test fails.

mod capi;
mod cmake;
mod command;
mod compile;
mod dialects;
mod examples;
mod exported;
mod fusion_bytes;
mod growth;
mod hostile;
mod in_place;
mod pages;
mod pjrt;
mod plugin;
mod programs;
mod support;
mod tensor_arrays;
mod tidy;
mod transformer;
