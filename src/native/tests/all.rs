//! Tests of native code. One program, as each takes its time to link; a file is a module:
//! `--test all random::` runs those of `random.rs`.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic is how a test fails.

mod accuracy;
mod agreement;
mod attention_of_sizes;
mod bounds;
mod chains;
mod complex_lanes;
mod conformance;
mod constant_quotients;
mod contractions;
mod control;
mod differentiate;
mod dilated;
mod distributions;
mod donation;
mod emitters;
#[path = "../../../tests/support/files.rs"]
mod files;
mod ill_formed;
mod inner_dimensions;
mod interpreted;
mod loops_of_sizes;
mod models;
mod moves;
mod orders;
mod pieces_of_sizes;
mod prepacked_constants;
mod products_in_place;
mod random;
mod rewritings;
mod rounds;
mod run_time_sizes;
mod scatters;
mod schedules;
#[path = "../../../tests/support/shared.rs"]
mod shared;
mod small_loops;
mod sorts;
mod states;
mod states_of_sizes;
mod switches;
mod tarray;
mod tiny;
mod views;
mod ways;
mod windows_of_sizes;
