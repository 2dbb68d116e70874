//! A tensor placed by a layout: shapes, ranges, shard sizes.

use crate::error::LayoutError;
use crate::layout::Layout;
use mapwright_indexing::Interval;

/// A box of global indices: one closed interval for each dimension.
pub type IndexBox = Vec<Interval>;

/// A layout together with the shape of the tensor that it places. Every dimension is split evenly.
///
/// ```
/// use mapwright_sharding::DeviceMatrix;
/// let layout = DeviceMatrix::new(&[2, 4], &["x", "y"])?.layout(&["y", "None"])?;
/// let tensor = layout.of_shape(&[8, 3])?;
/// assert_eq!(tensor.shard_shape(), [2, 3]);
/// assert_eq!(tensor.range_of(5)?[0].to_string(), "[2, 3]");
/// # Ok::<(), mapwright_sharding::LayoutError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShardedTensor {
    layout: Layout,
    shape: Vec<i64>,
    shard_shape: Vec<i64>,
}

impl Layout {
    /// The layout of a tensor of this shape (elements).
    ///
    /// # Errors
    /// A tensor map of another length, a dimension that cannot be split evenly, more elements than
    /// `i64`.
    pub fn of_shape(&self, shape: &[i64]) -> Result<ShardedTensor, LayoutError> {
        if shape.len() != self.rank() {
            return Err(LayoutError::RankMismatch {
                tensor_map: self.rank(),
                shape: shape.len(),
                sizes: shape.to_vec(),
            });
        }
        let mut shard_shape = Vec::with_capacity(shape.len());
        let mut elements = 1i64;
        for (dim, (&size, parts)) in shape.iter().zip(self.parts()).enumerate() {
            if size < 0 {
                return Err(LayoutError::NegativeSize { dim, size });
            }
            if size % parts != 0 {
                return Err(LayoutError::NotDivisible {
                    dim,
                    size,
                    parts,
                    axes: self.names_of(&self.tensor_map()[dim]),
                });
            }
            shard_shape.push(size / parts);
            elements =
                elements
                    .checked_mul(size.max(1))
                    .ok_or_else(|| LayoutError::SizeOverflow {
                        sizes: shape.to_vec(),
                    })?;
        }
        Ok(ShardedTensor {
            layout: self.clone(),
            shape: shape.to_vec(),
            shard_shape,
        })
    }
}

impl ShardedTensor {
    /// The layout.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The shape of the whole tensor.
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// The shape of the slice of each rank.
    pub fn shard_shape(&self) -> &[i64] {
        &self.shard_shape
    }

    /// The number of elements of each slice.
    pub fn shard_elements(&self) -> i64 {
        self.shard_shape.iter().product()
    }

    /// The global indices that a rank holds, one closed interval for each dimension.
    ///
    /// # Errors
    /// A rank that does not exist.
    pub fn range_of(&self, rank: i64) -> Result<IndexBox, LayoutError> {
        let parts = self.layout.part_of(rank)?;
        Ok(parts
            .iter()
            .zip(&self.shard_shape)
            .map(|(p, n)| Interval::new(p * n, p * n + n - 1))
            .collect())
    }

    /// The ranges of all ranks, ranks ascending.
    pub fn ranges(&self) -> Vec<IndexBox> {
        self.layout
            .ranks()
            .into_iter()
            .filter_map(|r| self.range_of(r).ok())
            .collect()
    }
}
