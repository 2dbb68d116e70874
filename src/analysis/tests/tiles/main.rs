//! Tiles by enumeration: for every tile of a result, what is read is what the tiles of the operand hold.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod chains;
mod check;
mod programs;
mod single;
