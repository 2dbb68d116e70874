//! What users already write: HLO sharding strings, Shardy, upstream's `shard` dialect. Each is read
//! and printed as text, and converts to a [`Layout`] and back. What a notation cannot express is
//! refused with the reason.

mod checks;
mod collectives;
pub(crate) mod cursor;
mod edges;
mod grid;
mod hlo;
mod rule;
mod shardy;

pub use checks::{Violation, axis_lists};
pub use collectives::{AxesMove, ShardyCollective, axes_moves};
pub use edges::{Edge, EdgeEnd, PropagationEdges};
pub use grid::{Grid, GridSharding};
pub use hlo::{Devices, HloSharding, Subgroup};
pub use rule::{Mapping, ShardingRule};
pub use shardy::{AxisRef, DimensionSharding, Mesh, MeshRef, ShardySharding, per_value};

use crate::digits::{self, Digit};
use crate::layout::Layout;

/// Error of a text, or the reason why it has no counterpart.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotationError {
    /// The text does not follow the grammar.
    #[error("column {column}: expected {expected}, found {found}")]
    Syntax {
        /// The column, in characters from one.
        column: usize,
        /// Text that could stand there.
        expected: String,
        /// Text that stands there.
        found: String,
    },
    /// The text follows the grammar but contradicts itself.
    #[error("column {column}: {reason}")]
    Wrong {
        /// The column, in characters from one.
        column: usize,
        /// Sentence that says what is wrong.
        reason: String,
    },
    /// One side says what the other cannot.
    #[error("`{what}` is refused: {reason}")]
    Refused {
        /// Sharding that was to be converted.
        what: String,
        /// Why it cannot be.
        reason: String,
    },
}

impl NotationError {
    pub(crate) fn refused(what: &impl ToString, reason: &str) -> NotationError {
        NotationError::Refused {
            what: what.to_string(),
            reason: reason.to_owned(),
        }
    }
}

/// A part of an axis of a given device matrix: the axis is reshaped to `(before, size, rest)`, this
/// is the middle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AxisPart {
    pub(crate) axis: usize,
    pub(crate) before: i64,
    pub(crate) size: i64,
}

/// A layout in terms of the axes of another device matrix over the same ranks.
pub(crate) struct Onto {
    /// The parts of axes that split each dimension, major first.
    pub(crate) dims: Vec<Vec<AxisPart>>,
    /// The parts of axes that hold partial results.
    pub(crate) partial: Vec<AxisPart>,
}

/// Expresses a layout by the axes of a device matrix of `sizes`, whose positions hold the devices
/// `ids`.
pub(crate) fn onto(layout: &Layout, sizes: &[i64], ids: Option<&[i64]>) -> Result<Onto, String> {
    let count: i64 = sizes.iter().product();
    if layout.device_count() != count {
        return Err(format!(
            "the layout has {} devices, the axes {sizes:?} have {count}",
            layout.device_count()
        ));
    }
    // The axes as digits of what the layout's digits are digits of: the rank, or the position in
    // one and the same list.
    let axes: Vec<Vec<Digit>> = match (ids, layout.device_ids()) {
        (a, b) if a == b => digits::of_sizes(sizes)
            .into_iter()
            .map(|d| vec![d])
            .collect(),
        (Some(ids), None) => digits::of_order(ids)
            .and_then(|order| digits::axes_of_order(sizes, &order))
            .ok_or_else(|| {
                "the device ids of the axes are no permutation of digits of the rank".to_owned()
            })?,
        _ => {
            return Err(
                "the layout lists its devices in an order that the axes do not have".to_owned(),
            );
        }
    };
    let own: Vec<Vec<Digit>> = layout.dimension_digits();
    let partial: Vec<Digit> = digits::merge(
        &layout
            .partial()
            .iter()
            .map(|p| layout.axis_digit(p.0))
            .collect::<Vec<_>>(),
    );
    let cuts = digits::common_cuts(
        axes.iter()
            .flatten()
            .chain(own.iter().flatten())
            .chain(&partial),
        count,
    )
    .ok_or_else(|| format!("the digits of the layout cut across the axes {sizes:?}"))?;
    // The pieces of every axis, with what stands before them in the axis.
    let mut pieces: Vec<(Digit, AxisPart)> = Vec::new();
    for (axis, list) in axes.iter().enumerate() {
        let mut before = 1;
        for piece in list.iter().flat_map(|d| digits::split_at_cuts(*d, &cuts)) {
            pieces.push((
                piece,
                AxisPart {
                    axis,
                    before,
                    size: piece.size,
                },
            ));
            before *= piece.size;
        }
    }
    let find = |digits: &[Digit]| -> Vec<AxisPart> {
        let mut out: Vec<AxisPart> = Vec::new();
        for piece in digits.iter().flat_map(|d| digits::split_at_cuts(*d, &cuts)) {
            let Some((_, part)) = pieces.iter().find(|p| p.0 == piece) else {
                continue;
            };
            match out.last_mut() {
                Some(last) if last.axis == part.axis && last.before * last.size == part.before => {
                    last.size *= part.size
                }
                _ => out.push(*part),
            }
        }
        out
    };
    Ok(Onto {
        dims: own.iter().map(|d| find(d)).collect(),
        partial: find(&partial),
    })
}
