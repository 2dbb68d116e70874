//! Updates cut for threads: every tile has a slab of the operand, and all updates of it in their
//! order.
//!
//! A dimension that can be cut is one along which an update lands where it stands: a batching
//! dimension, or a dimension of windows that no index shifts.

use crate::emitter::Options;
use mapwright_mlir::{Op, ValueType};
use mapwright_ops::attrs::ScatterDimensions;

/// A cut of a `scatter` of static shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slabs {
    /// Dimension of the operand.
    pub operand: usize,
    /// The dimension of the updates that goes with it.
    pub update: usize,
    /// Size of the operand there.
    pub size: i64,
    /// Elements of it in a tile.
    pub chunk: i64,
    /// Every slab goes through all indices.
    pub shares_indices: bool,
}

/// Tiles, at most.
const TILES: i64 = 64;
/// Elements that a line of the cache holds, of most types.
const LINE: i64 = 16;

impl Slabs {
    /// The cut with the most tiles; none where there would be one only.
    pub fn for_scatter(root: Op<'_>, options: &Options) -> Option<Self> {
        if root.short_name() != "scatter" || options.is_off("slabs") {
            return None;
        }
        let sizes = shape(root, 0)?;
        let updates = shape(root, root.num_results() + 1)?;
        let dims = ScatterDimensions::decode(root).ok()?;
        let counting: Vec<usize> = (0..updates.len())
            .filter(|d| !dims.update_window_dims.contains(&(*d as i64)))
            .collect();
        let batches = dims.input_batching_dims.iter().enumerate().map(|(k, d)| {
            let own = dims.scatter_indices_batching_dims[k];
            let place = own - i64::from(own > dims.index_vector_dim);
            (*d, counting.get(place as usize).copied(), false)
        });
        let windowed = (0..sizes.len() as i64).filter(|d| {
            !dims.inserted_window_dims.contains(d) && !dims.input_batching_dims.contains(d)
        });
        let windows = windowed
            .zip(&dims.update_window_dims)
            .filter(|(d, _)| !dims.scatter_dims_to_operand_dims.contains(d))
            .map(|(d, w)| (d, Some(*w as usize), true));
        batches
            .chain(windows)
            .filter_map(|(d, update, shares_indices)| {
                let (operand, update) = (usize::try_from(d).ok()?, update?);
                let size = *sizes.get(operand)?;
                let inner: i64 = sizes[operand + 1..].iter().product();
                let least = LINE.div_euclid(inner.max(1)).max(1);
                let chunk = (size + TILES - 1).div_euclid(TILES);
                // Whole lines, so that two threads do not write to one.
                let chunk = (chunk + least - 1).div_euclid(least) * least;
                (chunk < size).then_some(Self {
                    operand,
                    update,
                    size,
                    chunk,
                    shares_indices,
                })
            })
            .max_by_key(|slabs| (!slabs.shares_indices, slabs.tiles()))
    }

    /// Number of tiles.
    pub fn tiles(&self) -> i64 {
        (self.size + self.chunk - 1).div_euclid(self.chunk)
    }
}

fn shape(root: Op<'_>, operand: usize) -> Option<Vec<i64>> {
    match root.operand_type(operand) {
        ValueType::Tensor(tensor) => tensor.static_shape(),
        _ => None,
    }
}
