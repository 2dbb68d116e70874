//! Maps composed over programs: from any value to any value, along all paths.
//!
//! A block is walked once, backward or forward: when an operation is reached, the maps of all paths
//! to its results (operands) are there, merged. Equal maps are kept once, so a program with
//! exponentially many paths costs as much as it has *different* maps; beyond [`LIMIT`] different
//! maps to one value, they are replaced by one that says "anything, perhaps" (`exact = false`).

pub(crate) mod inverse;
mod paths;
mod reached;
mod replicas;
mod set;
mod single;

pub use inverse::inverse;
pub use paths::leaves;
pub use reached::Reached;
pub(crate) use reached::value_sizes;
pub use set::{LIMIT, MapSet};
pub use single::Composer;
