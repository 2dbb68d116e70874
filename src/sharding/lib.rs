//! Sharding layouts: which slice of a tensor lives on which device.
//!
//! A [`Layout`] arranges devices in a matrix with named axes and says, for every tensor dimension,
//! along which axes it is split. From it follow the slice of every rank ([`Layout::slices`]), the
//! global index ranges ([`ShardedTensor::range_of`]), and the same thing as an indexing map
//! `(rank, local index) -> global index` ([`ShardedTensor::map`]), on which everything else rests:
//! that every element is held and how often ([`ShardedTensor::prove`]), whether two layouts place a
//! tensor alike ([`place_alike`]), which global box comes from which rank when a tensor changes its
//! layout ([`Reshard`]), and which layouts of an operation's operands and results go together
//! without communication ([`propagate`]).
//!
//! [`notation`] reads and writes what users already have: HLO sharding strings, Shardy, upstream's
//! `shard` dialect. [`command`] is `mapwright shards`.
//!
//! Everything here is plain data: no IR, no IO, no global state.

#![forbid(unsafe_code)]

pub mod command;
mod error;
mod layout;
mod maps;
pub mod notation;
pub mod propagate;
mod reshard;
mod sample;
mod tensor;

pub use error::LayoutError;
pub use layout::{DeviceMatrix, IntoSplit, Layout, Reduction, Repeat, Split};
pub use maps::{Claim, layout_of_map, place_alike};
pub use mapwright_indexing::linear::radix::{self as digits, Digit};
pub use reshard::{Collective, Plan, Reshard, Step, Transfer};
pub use tensor::{IndexBox, ShardedTensor};
