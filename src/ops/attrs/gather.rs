//! Dimension numbers of `gather` and `scatter`.

use super::{AttrError, Decoded, int, int_or, ints, ints_or_none, structured};
use mapwright_mlir::{Op, text};
use std::fmt;

/// Dimension numbers of a `gather`, named as in the specification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct GatherDimensions {
    pub offset_dims: Vec<i64>,
    pub collapsed_slice_dims: Vec<i64>,
    pub operand_batching_dims: Vec<i64>,
    pub start_indices_batching_dims: Vec<i64>,
    pub start_index_map: Vec<i64>,
    pub index_vector_dim: i64,
    /// Sizes of a slice in every operand dimension; `None` for `dynamic_gather`, which has them in
    /// an operand.
    pub slice_sizes: Option<Vec<i64>>,
}

impl GatherDimensions {
    /// Decodes `dimension_numbers` and `slice_sizes`; all lists are empty and `index_vector_dim` is
    /// 0 by default.
    pub fn decode(op: Op<'_>) -> Decoded<Self> {
        let name = "dimension_numbers";
        let text = structured(op, name)?;
        let list = |field| text::integer_list(&text, field);
        let dims = Self {
            offset_dims: list("offset_dims"),
            collapsed_slice_dims: list("collapsed_slice_dims"),
            operand_batching_dims: list("operand_batching_dims"),
            start_indices_batching_dims: list("start_indices_batching_dims"),
            start_index_map: list("start_index_map"),
            index_vector_dim: list("index_vector_dim").first().copied().unwrap_or(0),
            // An attribute of that name on another operation is none of the operation's.
            slice_sizes: match op.short_name() {
                "gather" => ints_or_none(op, "slice_sizes")?,
                _ => None,
            },
        };
        if dims.operand_batching_dims.len() != dims.start_indices_batching_dims.len() {
            return Err(AttrError::new(
                name,
                "operand and start_indices have different numbers of batching dimensions",
            ));
        }
        if dims.slice_sizes.is_none() && op.short_name() == "gather" {
            return Err(AttrError::new("slice_sizes", "is missing"));
        }
        Ok(dims)
    }

    /// A `torch_index_select` (`dim`, `batch_dims`) of an operand of shape `operand` by indices of
    /// rank `index_rank`, said as a gather.
    pub fn torch_index_select(op: Op<'_>, operand: &[i64], index_rank: usize) -> Decoded<Self> {
        let dim = super::axis("dim", int(op, "dim")?, operand.len())?;
        let batch = int_or(op, "batch_dims", 0)?;
        let batch = usize::try_from(batch)
            .ok()
            .filter(|b| *b <= dim && *b <= index_rank)
            .ok_or_else(|| AttrError::new("batch_dims", format!("{batch} is out of range")))?;
        // result = operand[..dim] x indices[batch..] x operand[dim + 1..]
        let indices = index_rank - batch;
        let offset: Vec<i64> = (batch..dim)
            .chain(dim + indices..dim + indices + operand.len() - dim - 1)
            .map(|i| i as i64)
            .collect();
        let batching: Vec<i64> = (0..batch as i64).collect();
        let slice_sizes = operand
            .iter()
            .enumerate()
            .map(|(i, n)| if i == dim || i < batch { 1 } else { *n })
            .collect();
        Ok(Self {
            offset_dims: offset,
            collapsed_slice_dims: vec![dim as i64],
            operand_batching_dims: batching.clone(),
            start_indices_batching_dims: batching,
            start_index_map: vec![dim as i64],
            index_vector_dim: index_rank as i64,
            slice_sizes: Some(slice_sizes),
        })
    }
}

/// The attribute `dimension_numbers` as text, as [`GatherDimensions::decode`] reads it;
/// `slice_sizes` is an attribute of its own.
impl fmt::Display for GatherDimensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "#stablehlo.gather<offset_dims = {:?}, collapsed_slice_dims = {:?}, operand_batching_dims = {:?}, \
             start_indices_batching_dims = {:?}, start_index_map = {:?}, index_vector_dim = {}>",
            self.offset_dims,
            self.collapsed_slice_dims,
            self.operand_batching_dims,
            self.start_indices_batching_dims,
            self.start_index_map,
            self.index_vector_dim
        )
    }
}

/// Dimension numbers of a `scatter`, named as in the specification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ScatterDimensions {
    pub update_window_dims: Vec<i64>,
    pub inserted_window_dims: Vec<i64>,
    pub input_batching_dims: Vec<i64>,
    pub scatter_indices_batching_dims: Vec<i64>,
    pub scatter_dims_to_operand_dims: Vec<i64>,
    pub index_vector_dim: i64,
}

impl ScatterDimensions {
    /// Decodes `scatter_dimension_numbers`; all lists are empty and `index_vector_dim` is 0 by
    /// default.
    pub fn decode(op: Op<'_>) -> Decoded<Self> {
        let name = "scatter_dimension_numbers";
        let text = structured(op, name)?;
        let list = |field| text::integer_list(&text, field);
        let dims = Self {
            update_window_dims: list("update_window_dims"),
            inserted_window_dims: list("inserted_window_dims"),
            input_batching_dims: list("input_batching_dims"),
            scatter_indices_batching_dims: list("scatter_indices_batching_dims"),
            scatter_dims_to_operand_dims: list("scatter_dims_to_operand_dims"),
            index_vector_dim: list("index_vector_dim").first().copied().unwrap_or(0),
        };
        if dims.input_batching_dims.len() != dims.scatter_indices_batching_dims.len() {
            return Err(AttrError::new(
                name,
                "inputs and scatter_indices have different numbers of batching dimensions",
            ));
        }
        Ok(dims)
    }
}

/// The attribute `scatter_dimension_numbers` as text, as [`ScatterDimensions::decode`] reads it.
impl fmt::Display for ScatterDimensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "#stablehlo.scatter<update_window_dims = {:?}, inserted_window_dims = {:?}, input_batching_dims = {:?}, \
             scatter_indices_batching_dims = {:?}, scatter_dims_to_operand_dims = {:?}, index_vector_dim = {}>",
            self.update_window_dims,
            self.inserted_window_dims,
            self.input_batching_dims,
            self.scatter_indices_batching_dims,
            self.scatter_dims_to_operand_dims,
            self.index_vector_dim
        )
    }
}

impl ScatterDimensions {
    /// The gather that reads where the scatter of these dimension numbers writes, in an operand of
    /// this rank by updates of this shape.
    pub fn gather(&self, rank: usize, updates: &[i64]) -> GatherDimensions {
        // Windows have all dimensions of the operand but those of size 1 that are left out.
        let mut windows = self.update_window_dims.iter();
        let size = |d: i64| {
            if self.inserted_window_dims.contains(&d) || self.input_batching_dims.contains(&d) {
                1
            } else {
                windows.next().map_or(1, |w| updates[*w as usize])
            }
        };
        GatherDimensions {
            slice_sizes: Some((0..rank as i64).map(size).collect()),
            offset_dims: self.update_window_dims.clone(),
            collapsed_slice_dims: self.inserted_window_dims.clone(),
            operand_batching_dims: self.input_batching_dims.clone(),
            start_indices_batching_dims: self.scatter_indices_batching_dims.clone(),
            start_index_map: self.scatter_dims_to_operand_dims.clone(),
            index_vector_dim: self.index_vector_dim,
        }
    }
}

/// The scatter that writes where the gather of these dimension numbers reads.
impl From<&GatherDimensions> for ScatterDimensions {
    fn from(gather: &GatherDimensions) -> Self {
        Self {
            update_window_dims: gather.offset_dims.clone(),
            inserted_window_dims: gather.collapsed_slice_dims.clone(),
            input_batching_dims: gather.operand_batching_dims.clone(),
            scatter_indices_batching_dims: gather.start_indices_batching_dims.clone(),
            scatter_dims_to_operand_dims: gather.start_index_map.clone(),
            index_vector_dim: gather.index_vector_dim,
        }
    }
}

/// `slice_sizes` of a `dynamic_slice`, one a dimension.
pub fn dynamic_slice_sizes(op: Op<'_>, rank: usize) -> Decoded<Vec<i64>> {
    super::sized("slice_sizes", ints(op, "slice_sizes")?, rank)
}
