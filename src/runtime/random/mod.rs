//! Random bits (`rng_bit_generator`) and numbers (`rng`).
//!
//! The generators are the counter-based ones of Salmon, Moraes, Dror and Shaw, "Parallel random
//! numbers: as easy as 1, 2, 3" (2011). How the elements of a tensor are numbered, and how the
//! state moves on, follows XLA, whose results these reproduce bit by bit.

mod bits;
mod distribution;
mod generator;
mod philox;
mod threefry;

pub use bits::{Algorithm, random_bits};
pub use distribution::{Distribution, random_numbers};
pub use generator::Generator;
