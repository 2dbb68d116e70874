//! Places in a module where shardings stand, and what the module says once for all of them.

use mapwright_mlir::{Op, TensorType, Val, diagnostic::Failure, melior::ir::ValueLike};
use mapwright_sharding::{
    Layout,
    notation::{Grid, Mesh, ShardySharding},
};

/// The attribute of a layout in our own notation.
pub const LAYOUT: &str = "indexing.sharding";
/// The attribute of an HLO sharding string.
pub const HLO: &str = "mhlo.sharding";
/// The attribute of Shardy.
pub const SHARDY: &str = "sdy.sharding";

/// Place of a sharding.
#[derive(Clone, Copy, PartialEq)]
pub enum Place<'c> {
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
pub struct Site<'c> {
    /// Where.
    pub place: Place<'c>,
    /// Layout that it says.
    pub layout: Layout,
}

/// Meshes and grids: what a module says once for all shardings.
#[derive(Default)]
pub struct Devices {
    /// Shardy's meshes.
    pub meshes: Vec<Mesh>,
    /// Grids of the `shard` dialect.
    pub grids: Vec<Grid>,
    /// The number of devices, if the module or an option says it.
    pub count: Option<i64>,
}

impl<'c> Place<'c> {
    /// The operation that messages point at.
    pub fn op(self) -> Op<'c> {
        match self {
            Place::Argument(op, _)
            | Place::Returned(op, _)
            | Place::Result(op, _)
            | Place::Constraint(op) => op,
        }
    }

    /// The name of the place in messages.
    pub fn what(self) -> String {
        match self {
            Place::Argument(_, i) => format!("argument {i}"),
            Place::Returned(_, i) => format!("result {i}"),
            Place::Result(op, i) => format!("result {i} of {}", op.name()),
            Place::Constraint(op) => op.name().to_owned(),
        }
    }

    /// The value, where the place is one.
    pub fn value(self) -> Option<Val<'c>> {
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

/// Tells whether an operation is the program of one device along some axes.
pub(super) fn is_by_hand(op: Op<'_>) -> bool {
    op.dialect() == "sdy" && op.attribute("manual_axes").is_some()
}

/// Tells whether an operation is in the region of a computation by hand.
pub(super) fn is_within_one_by_hand(op: Op<'_>) -> bool {
    let around = std::iter::successors(op.parent(), |outer| outer.parent());
    around.into_iter().any(is_by_hand)
}

/// The dimensions of a value that may be split further than the program says: those that a
/// constraint leaves open, and those of what a computation by hand gives.
pub(super) fn open_dimensions(value: Val<'_>) -> Vec<usize> {
    let made = mapwright_mlir::op::defining_op(value);
    if made.is_some_and(|(op, _)| is_by_hand(op)) {
        // Along the axes that it is not written for.
        return (0..shape(value).map_or(0, |shape| shape.len())).collect();
    }
    let constraint = made.filter(|(op, _)| op.name() == "sdy.sharding_constraint");
    let said = constraint.and_then(|(op, _)| op.text("sharding"));
    let sharding = said.and_then(|said| said.parse::<ShardySharding>().ok());
    let dims = sharding.into_iter().flat_map(|sharding| sharding.dims);
    let open = dims.enumerate().filter(|(_, dim)| dim.open);
    open.map(|(d, _)| d).collect()
}

/// The shape of a value whose sizes are all known.
///
/// # Errors
/// Another value.
pub fn shape(value: Val<'_>) -> Result<Vec<i64>, String> {
    let ty = value.r#type();
    let tensor = TensorType::from_mlir(ty).ok_or_else(|| format!("{ty} is not a ranked tensor"))?;
    let sizes: Option<Vec<i64>> = tensor.dims.iter().map(|dim| dim.fixed()).collect();
    sizes.ok_or_else(|| format!("a dimension of {ty} is known at run time only"))
}

/// Reports an error at a place.
pub fn fail(place: Place<'_>, reason: impl std::fmt::Display) -> Failure {
    let op = place.op();
    Failure::at(
        op.location(),
        &format!("'{}' op sharding of {}: {reason}", op.name(), place.what()),
    )
}

/// The functions of a module that have a body.
pub fn functions<'c>(module: Op<'c>) -> Vec<Op<'c>> {
    module
        .descendants()
        .into_iter()
        .filter(|op| op.name() == "func.func" && op.body(0).is_some())
        .collect()
}
