//! Attributes of operations decoded into plain data, shared by maps, verification, code generation
//! and the interpreter.
//!
//! Every decoder reads what current StableHLO prints (`array<i64: …>`, `#stablehlo.dot<…>`), what
//! older programs and mhlo hold (`dense<…> : tensor<Nxi64>`, `#mhlo.dot<…>`), and fills in the
//! defaults of the specification. Structured attributes are read from their text, because a host
//! may have registered classes of its own for them. Values come out as they were written (`i64`,
//! unchecked); whether they fit the operands is the verifier's business, so [`axis`] and [`axes`]
//! are there for whoever wants to index with them.

mod called;
mod collective;
mod contraction;
mod enums;
mod gather;
mod shapes;
mod window;

pub use called::{
    AssertionMessage, COMPUTATION, UNREAD, called_function, computation, name, window_inputs,
    window_of_operands,
};
pub(crate) use collective::axes_are_there;
pub use collective::{
    Channel, Groups, channel, exchanges_tensors, has_dynamic_root, is_paired, last_member, members,
    replica_groups, rows, source_target_pairs, written_groups,
};
pub use contraction::{
    ConvDimensions, Convolution, DotDimensions, RaggedDotDimensions, RaggedMode,
};
pub use enums::{
    ComparisonDirection, ComparisonType, FftType, Order, Pool, Precision, Transpose, Update,
    comparison_direction, comparison_type, enumeration, enumerator, fft_type, is_xy, order, pool,
    precision_config, transpose_a, update,
};
pub use gather::{GatherDimensions, ScatterDimensions, dynamic_slice_sizes};
pub use shapes::{Pad, Slice, broadcast_dimensions, dimensions, fft_length, permutation};
pub use window::{Window, repeated_strides};

use mapwright_mlir::{Op, attr};

/// Error of an attribute.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("attribute `{attribute}`: {problem}")]
pub struct AttrError {
    /// Name of the attribute.
    pub attribute: String,
    /// Problem, as a phrase.
    pub problem: String,
}

impl AttrError {
    /// An error about `attribute`.
    pub fn new(attribute: &str, problem: impl Into<String>) -> Self {
        Self {
            attribute: attribute.into(),
            problem: problem.into(),
        }
    }
}

impl From<AttrError> for String {
    fn from(error: AttrError) -> String {
        error.to_string()
    }
}

/// The result of a decoder.
pub type Decoded<T> = Result<T, AttrError>;

/// A required integer.
pub fn int(op: Op<'_>, name: &str) -> Decoded<i64> {
    int_or_none(op, name)?.ok_or_else(|| AttrError::new(name, "is missing"))
}

/// An integer, or `default` where the attribute is absent.
pub fn int_or(op: Op<'_>, name: &str, default: i64) -> Decoded<i64> {
    Ok(int_or_none(op, name)?.unwrap_or(default))
}

fn int_or_none(op: Op<'_>, name: &str) -> Decoded<Option<i64>> {
    match op.attribute(name) {
        None => Ok(None),
        Some(attribute) => match attr::ints(attribute).as_deref() {
            Some([value]) => Ok(Some(*value)),
            _ => Err(AttrError::new(name, "is not an integer")),
        },
    }
}

/// A flag: a boolean, a unit attribute, or absent (`default`).
pub fn flag(op: Op<'_>, name: &str, default: bool) -> Decoded<bool> {
    match op.attribute(name) {
        None => Ok(default),
        Some(attribute) => match attr::boolean(attribute) {
            Some(value) => Ok(value),
            None if attribute.to_string() == "unit" => Ok(true),
            None => match attr::ints(attribute).as_deref() {
                Some([value]) => Ok(*value != 0),
                _ => Err(AttrError::new(name, "is not a boolean")),
            },
        },
    }
}

/// A required list of integers.
pub fn ints(op: Op<'_>, name: &str) -> Decoded<Vec<i64>> {
    ints_or_none(op, name)?.ok_or_else(|| AttrError::new(name, "is missing"))
}

/// A list of integers where it is there.
pub fn ints_or_none(op: Op<'_>, name: &str) -> Decoded<Option<Vec<i64>>> {
    match op.attribute(name) {
        None => Ok(None),
        Some(attribute) => attr::ints(attribute)
            .map(Some)
            .ok_or_else(|| AttrError::new(name, "is not a list of integers")),
    }
}

/// A list of `length` integers, all of them `default` where the attribute is absent.
pub fn ints_or(op: Op<'_>, name: &str, length: usize, default: i64) -> Decoded<Vec<i64>> {
    match ints_or_none(op, name)? {
        None => Ok(vec![default; length]),
        Some(values) => sized(name, values, length),
    }
}

/// Checks the length of a list.
fn sized(name: &str, values: Vec<i64>, length: usize) -> Decoded<Vec<i64>> {
    if values.len() == length {
        return Ok(values);
    }
    Err(AttrError::new(
        name,
        format!("has {} elements, expected {length}", values.len()),
    ))
}

/// Pairs of integers (`padding`): an Nx2 tensor or a flat list; (0, 0) where the attribute is
/// absent.
pub fn pairs_or_zero(op: Op<'_>, name: &str, length: usize) -> Decoded<Vec<(i64, i64)>> {
    let Some(values) = ints_or_none(op, name)? else {
        return Ok(vec![(0, 0); length]);
    };
    let values = match values.as_slice() {
        // `dense<0> : tensor<2x2xi64>` is expanded already; a single integer attribute is not.
        [one] if length > 0 => vec![*one; 2 * length],
        _ => sized(name, values, 2 * length)?,
    };
    Ok(values.chunks_exact(2).map(|p| (p[0], p[1])).collect())
}

/// `value` as an axis of a tensor of rank `rank`.
pub fn axis(name: &str, value: i64, rank: usize) -> Decoded<usize> {
    usize::try_from(value)
        .ok()
        .filter(|axis| *axis < rank)
        .ok_or_else(|| {
            AttrError::new(
                name,
                format!("{value} is not a dimension of a tensor of rank {rank}"),
            )
        })
}

/// `values` as distinct axes of a tensor of rank `rank`.
pub fn axes(name: &str, values: &[i64], rank: usize) -> Decoded<Vec<usize>> {
    let mut found: Vec<usize> = Vec::with_capacity(values.len());
    for &value in values {
        let axis = axis(name, value, rank)?;
        if found.contains(&axis) {
            return Err(AttrError::new(name, format!("{axis} occurs twice")));
        }
        found.push(axis);
    }
    Ok(found)
}

/// The text of a structured attribute.
fn structured(op: Op<'_>, name: &str) -> Decoded<String> {
    op.text(name)
        .ok_or_else(|| AttrError::new(name, "is missing"))
}
