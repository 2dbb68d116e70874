//! What can be wrong with a layout. Every message names the culprit and the numbers.

use crate::notation::NotationError;
use mapwright_indexing::counted;

/// Why a layout, or an answer about one, does not exist.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LayoutError {
    /// The device matrix and the list of names have different lengths.
    #[error("the device matrix has {axes} axes, but there are {names} names")]
    AliasCount {
        /// Axes of the device matrix.
        axes: usize,
        /// Names given.
        names: usize,
    },
    /// Two axes have the same name.
    #[error("axis name `{name}` is given twice, to axes {first} and {second} of the device matrix")]
    DuplicateAlias {
        /// The name.
        name: String,
        /// Position of the first axis.
        first: usize,
        /// Position of the second axis.
        second: usize,
    },
    /// A name that the tensor map could not refer to.
    #[error(
        "axis {axis} of the device matrix has the name `{name}`, which a tensor map cannot refer to"
    )]
    AliasReserved {
        /// The name.
        name: String,
        /// Position of the axis.
        axis: usize,
    },
    /// An axis has no device.
    #[error("axis `{name}` of the device matrix has size {size}, it must be at least 1")]
    AxisSize {
        /// The axis.
        name: String,
        /// Its size.
        size: i64,
    },
    /// The product of the device matrix does not fit into 64 bits.
    #[error("the device matrix {sizes:?} has more devices than fit into 64 bits")]
    DeviceOverflow {
        /// The device matrix.
        sizes: Vec<i64>,
    },
    /// The tensor map names an axis that does not exist.
    #[error(
        "dimension {dim} is split along `{name}`, which is no axis of the device matrix (there is {known})"
    )]
    UnknownAxis {
        /// The tensor dimension.
        dim: usize,
        /// The name.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// The tensor map uses an axis twice.
    #[error("axis `{name}` is used twice, by dimension {first} and dimension {second}")]
    AxisUsedTwice {
        /// The axis.
        name: String,
        /// The first dimension.
        first: usize,
        /// The second dimension.
        second: usize,
    },
    /// The tensor map and the shape have different lengths.
    #[error(
        "the tensor map is of length {tensor_map}, but the tensor has {} (shape {sizes:?})",
        counted(*shape, "dimension")
    )]
    RankMismatch {
        /// Entries of the tensor map.
        tensor_map: usize,
        /// Dimensions of the tensor.
        shape: usize,
        /// The shape.
        sizes: Vec<i64>,
    },
    /// A dimension is negative.
    #[error("dimension {dim} has size {size}")]
    NegativeSize {
        /// The dimension.
        dim: usize,
        /// Its size.
        size: i64,
    },
    /// The tensor has more elements than fit into 64 bits.
    #[error("a tensor of shape {sizes:?} has more elements than fit into 64 bits")]
    SizeOverflow {
        /// The shape.
        sizes: Vec<i64>,
    },
    /// A dimension cannot be split evenly.
    #[error(
        "dimension {dim} of size {size} cannot be split evenly into {parts} parts (axes {axes})"
    )]
    NotDivisible {
        /// The dimension.
        dim: usize,
        /// Its size.
        size: i64,
        /// The number of parts.
        parts: i64,
        /// The axes that split it.
        axes: String,
    },
    /// A strategy does not fit the number of devices.
    #[error(
        "the strategy {strategy:?} uses {needed} devices, which does not divide the {devices} devices that there are"
    )]
    StrategyDevices {
        /// The strategy.
        strategy: Vec<i64>,
        /// Its product.
        needed: i64,
        /// Devices.
        devices: i64,
    },
    /// Two things that must agree on the number of devices do not.
    #[error("{what} has {left} devices, {other} has {right}")]
    DeviceCount {
        /// The first thing.
        what: String,
        /// Its devices.
        left: i64,
        /// The second thing.
        other: String,
        /// Its devices.
        right: i64,
    },
    /// A list of device ids is not one.
    #[error("{0}")]
    DeviceIds(String),
    /// A rank that is not in the layout.
    #[error("rank {rank} does not exist, there are {devices} devices{hint}")]
    NoSuchRank {
        /// The rank.
        rank: i64,
        /// Devices.
        devices: i64,
        /// More about the ids, if they do not count from zero.
        hint: &'static str,
    },
    /// Two shapes that must be the same are not.
    #[error("the shapes differ: {left:?} and {right:?}")]
    ShapeMismatch {
        /// One shape.
        left: Vec<i64>,
        /// The other.
        right: Vec<i64>,
    },
    /// An axis of partial sums that cannot be one.
    #[error("axis `{name}` holds partial results and also splits dimension {dim}")]
    PartialAxisSplits {
        /// The axis.
        name: String,
        /// The dimension.
        dim: usize,
    },
    /// A text in one of the notations is wrong or says what a layout cannot.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// A map is not that of a layout.
    #[error("no layout has this map: {0}")]
    NoLayout(String),
    /// Request of a command that is wrong.
    #[error("{0}")]
    Request(String),
}
