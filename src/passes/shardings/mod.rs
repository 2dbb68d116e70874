//! Shardings in a module: where they stand, in which notation, and how they are written.
//!
//! | notation | on arguments and results of functions | on operations | in between |
//! |---|---|---|---|
//! | `layout` | `indexing.sharding` | `indexing.sharding` | `stablehlo.custom_call @Sharding` |
//! | `hlo` | `mhlo.sharding` | `mhlo.sharding` | `stablehlo.custom_call @Sharding` |
//! | `shardy` | `sdy.sharding` | `sdy.sharding` | `sdy.sharding_constraint` |
//! | `shard` | `shard.shard` | `shard.shard` | `shard.shard` |
//!
//! `indexing.sharding` is a dictionary: `{alias = ["x", "y"], device_matrix = array<i64: 2, 4>, tensor_map = [["x"], []]}`, with
//! `partial = {y = "sum"}` and `device_ids` where there are any; of an operation with several results, an array of them.

pub(super) mod convert;
pub(super) mod propagate;
mod read;
mod texts;
mod write;

use mapwright_mlir::{Attr, Loc, Op, TensorType, Val, diagnostic::Failure, melior::ir::ValueLike};
use mapwright_sharding::{Layout, notation::Grid, notation::Mesh};

/// The attribute of a layout in our own notation.
pub(super) const LAYOUT: &str = "indexing.sharding";
/// The attribute of an HLO sharding string.
pub(super) const HLO: &str = "mhlo.sharding";
/// The attribute of Shardy.
pub(super) const SHARDY: &str = "sdy.sharding";

/// The notations, as options of passes name them.
pub(super) const NOTATIONS: [&str; 4] = ["layout", "hlo", "shardy", "shard"];

/// Where a sharding stands.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Place<'c> {
    /// On an argument of a function.
    Argument(Op<'c>, usize),
    /// On a result of a function.
    Returned(Op<'c>, usize),
    /// On a result of an operation.
    Result(Op<'c>, usize),
    /// An operation that only says how its operand is split.
    Constraint(Op<'c>),
}

/// A sharding that stands somewhere.
pub(super) struct Site<'c> {
    pub(super) place: Place<'c>,
    pub(super) layout: Layout,
}

/// What a module says once for all shardings.
#[derive(Default)]
pub(super) struct Devices {
    pub(super) meshes: Vec<Mesh>,
    pub(super) grids: Vec<Grid>,
    /// The number of devices, if the module or an option says it.
    pub(super) count: Option<i64>,
}

impl<'c> Place<'c> {
    /// The operation that messages point at.
    pub(super) fn op(self) -> Op<'c> {
        match self {
            Place::Argument(op, _)
            | Place::Returned(op, _)
            | Place::Result(op, _)
            | Place::Constraint(op) => op,
        }
    }

    /// What to call the place in messages.
    pub(super) fn what(self) -> String {
        match self {
            Place::Argument(_, i) => format!("argument {i}"),
            Place::Returned(_, i) => format!("result {i}"),
            Place::Result(op, i) => format!("result {i} of {}", op.name()),
            Place::Constraint(op) => op.name().to_owned(),
        }
    }

    /// The value, where the place is one.
    pub(super) fn value(self) -> Option<Val<'c>> {
        match self {
            Place::Argument(function, i) => mapwright_mlir::op::arguments(function.body(0)?)
                .get(i)
                .copied(),
            Place::Returned(function, i) => {
                let ret = mapwright_mlir::op::ops(function.body(0)?).pop()?;
                (i < ret.num_operands()).then(|| ret.operand(i))
            }
            Place::Result(op, i) => (i < op.num_results()).then(|| op.result(i)),
            Place::Constraint(op) => (op.num_results() > 0).then(|| op.result(0)),
        }
    }
}

/// The shape of a value whose sizes are all known.
pub(super) fn shape(value: Val<'_>) -> Result<Vec<i64>, String> {
    let ty = value.r#type();
    let tensor = TensorType::from_mlir(ty).ok_or_else(|| format!("{ty} is not a ranked tensor"))?;
    let sizes: Option<Vec<i64>> = tensor.dims.iter().map(|dim| dim.fixed()).collect();
    sizes.ok_or_else(|| format!("a dimension of {ty} is known at run time only"))
}

/// An error at a place.
pub(super) fn fail(place: Place<'_>, reason: impl std::fmt::Display) -> Failure {
    let op = place.op();
    Failure::at(
        op.location(),
        &format!("'{}' op sharding of {}: {reason}", op.name(), place.what()),
    )
}

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

/// The functions of a module that have a body.
pub(super) fn functions<'c>(module: Op<'c>) -> Vec<Op<'c>> {
    module
        .descendants()
        .into_iter()
        .filter(|op| op.name() == "func.func" && op.body(0).is_some())
        .collect()
}
