//! Tests of indexing maps. One program, as each takes its time to link; a file is a module:
//! `--test all rules::` runs those of `rules`.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic is how a test fails.

#[path = "../benches/maps/adversaries.rs"]
mod adversaries;
mod algebra;
mod algebra_random;
mod chains;
mod common;
mod compare;
mod corpus;
mod crossing;
#[path = "../benches/maps/families.rs"]
mod families;
mod growth;
mod large;
mod mutations;
mod order;
mod overflow;
mod padded;
mod proofs;
mod property;
mod rules;
#[path = "../../../tests/support/shared.rs"]
mod shared;
mod stable;
mod text;
