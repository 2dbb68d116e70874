//! Shardings in a module: where they stand, in which notation, and how they are written.
//!
//! | notation | on arguments and results of functions | on operations | in between |
//! |---|---|---|---|
//! | `layout` | `indexing.sharding` | `indexing.sharding` | `stablehlo.custom_call @Sharding` |
//! | `hlo` | `mhlo.sharding` | `mhlo.sharding` | `stablehlo.custom_call @Sharding` |
//! | `shardy` | `sdy.sharding` | `sdy.sharding` | `sdy.sharding_constraint` |
//! | `shard` | `shard.shard` | `shard.shard` | `shard.shard` |
//!
//! `indexing.sharding` is a dictionary:
//! `{alias = ["x", "y"], device_matrix = array<i64: 2, 4>, tensor_map = [["x"], []]}`, with
//! `partial = {y = "sum"}` and `device_ids` where there are any; of an operation with several
//! results, an array of them.

pub(super) mod convert;
pub(super) mod partition;
pub(super) mod propagate;
mod texts;
mod write;

use mapwright_mlir::{Attr, Loc, Op, diagnostic::Failure};
use mapwright_normalize::partition::{program, read, sites};
use sites::{Devices, HLO, LAYOUT, Place, SHARDY, Site, fail, functions, shape};

/// The attribute that says, in our notation, of which layout the slice is that an argument or a
/// result of the program of one device is.
const SLICE: &str = "indexing.slice";

/// The notations, as options of passes name them.
pub(super) const NOTATIONS: [&str; 4] = ["layout", "hlo", "shardy", "shard"];

/// An attribute from its text; an error if the context does not know its dialect.
pub(super) fn parse<'c>(op: Op<'c>, text: &str) -> Result<Attr<'c>, Failure> {
    let location: Loc<'c> = op.location();
    Attr::parse(op.context(), text)
        .ok_or_else(|| Failure::at(location, &format!("cannot make the attribute {text}")))
}

/// The text of an attribute, as MLIR prints it.
pub(super) fn text(attribute: Attr<'_>) -> String {
    attribute.to_string()
}
