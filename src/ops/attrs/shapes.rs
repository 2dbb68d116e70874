//! Attributes of shape operations.

use super::{AttrError, Decoded, axes, axis, ints, ints_or, ints_or_none};
use mapwright_mlir::Op;

/// Start, limit and stride of every dimension of a `slice`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// First index.
    pub start: Vec<i64>,
    /// One past the last index.
    pub limit: Vec<i64>,
    /// Step, 1 where not given.
    pub stride: Vec<i64>,
}

impl Slice {
    /// Decodes `start_indices`, `limit_indices` and `strides` for an operand of rank `rank`.
    /// Strides must be positive.
    pub fn decode(op: Op<'_>, rank: usize) -> Decoded<Self> {
        let stride = ints_or(op, "strides", rank, 1)?;
        if let Some(bad) = stride.iter().find(|s| **s <= 0) {
            return Err(AttrError::new("strides", format!("{bad} is not positive")));
        }
        Ok(Self {
            start: super::sized("start_indices", ints(op, "start_indices")?, rank)?,
            limit: super::sized("limit_indices", ints(op, "limit_indices")?, rank)?,
            stride,
        })
    }
}

/// Padding of every dimension of a `pad`; the edges may be negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pad {
    /// Elements before the first.
    pub low: Vec<i64>,
    /// Elements after the last.
    pub high: Vec<i64>,
    /// Elements between two neighbours, not negative.
    pub interior: Vec<i64>,
}

impl Pad {
    /// Decodes `edge_padding_low`, `edge_padding_high` and `interior_padding` for an operand of
    /// rank `rank`.
    pub fn decode(op: Op<'_>, rank: usize) -> Decoded<Self> {
        let interior = ints_or(op, "interior_padding", rank, 0)?;
        if let Some(bad) = interior.iter().find(|s| **s < 0) {
            return Err(AttrError::new(
                "interior_padding",
                format!("{bad} is negative"),
            ));
        }
        Ok(Self {
            low: super::sized("edge_padding_low", ints(op, "edge_padding_low")?, rank)?,
            high: super::sized("edge_padding_high", ints(op, "edge_padding_high")?, rank)?,
            interior,
        })
    }
}

/// `permutation` of a transpose of rank `rank`: result dimension `i` is operand dimension
/// `permutation[i]`.
pub fn permutation(op: Op<'_>, rank: usize) -> Decoded<Vec<usize>> {
    let name = "permutation";
    let values = super::sized(name, ints(op, name)?, rank)?;
    axes(name, &values, rank)
}

/// `broadcast_dimensions`: the result dimension of every operand dimension.
pub fn broadcast_dimensions(
    op: Op<'_>,
    operand_rank: usize,
    result_rank: usize,
) -> Decoded<Vec<usize>> {
    let name = "broadcast_dimensions";
    let values = super::sized(name, ints(op, name)?, operand_rank)?;
    axes(name, &values, result_rank)
}

/// `dimensions` (of `reduce`, `reverse`, `map`): distinct axes of a tensor of rank `rank`.
pub fn dimensions(op: Op<'_>, rank: usize) -> Decoded<Vec<usize>> {
    axes("dimensions", &ints(op, "dimensions")?, rank)
}

/// `fft_length` of an operand of rank `rank`: one to three sizes, of the last dimensions.
pub fn fft_length(op: Op<'_>, rank: usize) -> Decoded<Vec<i64>> {
    let name = "fft_length";
    let values = ints_or_none(op, name)?.ok_or_else(|| AttrError::new(name, "is missing"))?;
    if values.is_empty() || values.len() > 3 || values.len() > rank {
        return Err(AttrError::new(
            name,
            format!(
                "has {} elements, expected 1 to {}",
                values.len(),
                rank.min(3)
            ),
        ));
    }
    axis(name, values.len() as i64 - 1, rank)?;
    Ok(values)
}
