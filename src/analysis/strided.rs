//! A tensor as shape, strides and offset over one buffer (in elements), and the transforms on it
//! that move no data.
//!
//! Every transform is also an indexing map (from the new logical index to the old one), and both
//! mean the same thing: the linear index of the result is the linear index of the operand after the
//! map.

use mapwright_indexing::{Expr, IndexingMap, c, d};

/// Shape, strides and offset; strides may be zero (broadcast) or negative (reverse).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strided {
    /// Sizes of the dimensions.
    pub shape: Vec<i64>,
    /// Distance in elements of neighbours in each dimension.
    pub strides: Vec<i64>,
    /// Place of the element with index zero, in elements.
    pub offset: i64,
}

/// Why a transform cannot be done by metadata alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StridedError {
    /// The list is no permutation of the dimensions.
    #[error("{0:?} is not a permutation of {1} dimensions")]
    Permutation(Vec<usize>, usize),
    /// There is no such dimension.
    #[error("there is no dimension {0} in a tensor of rank {1}")]
    Dimension(usize, usize),
    /// A list does not have an entry for every dimension.
    #[error("{0} entries for a tensor of rank {1}")]
    Length(usize, usize),
    /// An index outside of the dimension.
    #[error("index {index} is outside of dimension {dim} of size {size}")]
    Index {
        /// The dimension.
        dim: usize,
        /// The index.
        index: i64,
        /// The size of the dimension.
        size: i64,
    },
    /// A tile that does not divide its dimension.
    #[error("a tile of {tile} does not divide dimension {dim} of size {size}")]
    Tile {
        /// The dimension.
        dim: usize,
        /// The tile size asked for.
        tile: i64,
        /// The size of the dimension.
        size: i64,
    },
    /// Two dimensions that do not lie one within the other.
    #[error(
        "dimensions {outer} and {inner} cannot be merged without a copy: stride {outer_stride} is not {inner_size} * {inner_stride}"
    )]
    Copy {
        /// The outer dimension.
        outer: usize,
        /// The inner one, next to it.
        inner: usize,
        /// Stride of the outer dimension.
        outer_stride: i64,
        /// Size of the inner dimension.
        inner_size: i64,
        /// Stride of the inner dimension.
        inner_stride: i64,
    },
    /// Beyond 64 bits.
    #[error("a size, stride or offset is beyond 64 bits")]
    Overflow,
}

use StridedError as E;

/// A transformed tensor, and the map from its index to the index of the tensor it came from.
pub type Transformed = (Strided, IndexingMap);

impl Strided {
    /// A tensor that fills its buffer in row-major order: strides of `[n0, n1, n2]` are
    /// `[n1 * n2, n2, 1]`.
    ///
    /// # Errors
    /// [`StridedError::Overflow`].
    pub fn row_major(shape: &[i64]) -> Result<Self, StridedError> {
        let mut strides = vec![1i64; shape.len()];
        for k in (1..shape.len()).rev() {
            strides[k - 1] = strides[k].checked_mul(shape[k].max(1)).ok_or(E::Overflow)?;
        }
        Ok(Self {
            shape: shape.to_vec(),
            strides,
            offset: 0,
        })
    }

    /// Tells whether the elements follow each other in row-major order, with none left out. The
    /// stride of a dimension of one element does not matter.
    pub fn is_contiguous(&self) -> bool {
        if self.shape.contains(&0) {
            return true;
        }
        let dims = self.shape.iter().zip(&self.strides).rev();
        let mut counted = dims.filter(|(size, _)| **size != 1);
        let end = counted.try_fold(1i64, |expected, (size, stride)| {
            (*stride == expected).then(|| expected.checked_mul(*size))?
        });
        end.is_some()
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// `offset + sum(stride_k * d_k)` over the index space.
    pub fn linear(&self) -> IndexingMap {
        let mut sum = c(self.offset);
        for (k, stride) in self.strides.iter().enumerate() {
            sum = sum + d(k) * *stride;
        }
        IndexingMap::from_dims(&self.shape, [sum])
    }

    fn check(&self, dim: usize) -> Result<(), StridedError> {
        if dim < self.rank() {
            Ok(())
        } else {
            Err(E::Dimension(dim, self.rank()))
        }
    }

    fn mapped(self, index: Vec<Expr>) -> Transformed {
        let map = IndexingMap::from_dims(&self.shape, index);
        (self, map)
    }

    /// Result dimension `i` is dimension `permutation[i]`: shape and strides are permuted.
    ///
    /// # Errors
    /// [`StridedError::Permutation`].
    pub fn transpose(&self, permutation: &[usize]) -> Result<Transformed, StridedError> {
        let mut sorted = permutation.to_vec();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..self.rank()) {
            return Err(E::Permutation(permutation.to_vec(), self.rank()));
        }
        let mut index = vec![c(0); self.rank()];
        for (i, k) in permutation.iter().enumerate() {
            index[*k] = d(i);
        }
        let result = Self {
            shape: permutation.iter().map(|k| self.shape[*k]).collect(),
            strides: permutation.iter().map(|k| self.strides[*k]).collect(),
            offset: self.offset,
        };
        Ok(result.mapped(index))
    }

    /// In every dimension `count` elements from `start` on, `step` apart; steps may be negative.
    ///
    /// # Errors
    /// [`StridedError::Length`], [`StridedError::Index`] for a first or last element outside,
    /// [`StridedError::Overflow`].
    pub fn slice(
        &self,
        start: &[i64],
        step: &[i64],
        count: &[i64],
    ) -> Result<Transformed, StridedError> {
        for list in [start, step, count] {
            if list.len() != self.rank() {
                return Err(E::Length(list.len(), self.rank()));
            }
        }
        let mut result = self.clone();
        let mut index = Vec::new();
        for k in 0..self.rank() {
            if count[k] < 0 {
                return Err(E::Index {
                    dim: k,
                    index: count[k],
                    size: self.shape[k],
                });
            }
            if count[k] > 0 {
                let reach = step[k].checked_mul(count[k] - 1).ok_or(E::Overflow)?;
                let last = start[k].checked_add(reach).ok_or(E::Overflow)?;
                for at in [start[k], last] {
                    if at < 0 || at >= self.shape[k] {
                        return Err(E::Index {
                            dim: k,
                            index: at,
                            size: self.shape[k],
                        });
                    }
                }
            }
            let skipped = self.strides[k].checked_mul(start[k]).ok_or(E::Overflow)?;
            result.offset = result.offset.checked_add(skipped).ok_or(E::Overflow)?;
            result.strides[k] = self.strides[k].checked_mul(step[k]).ok_or(E::Overflow)?;
            result.shape[k] = count[k];
            index.push(d(k) * step[k] + start[k]);
        }
        Ok(result.mapped(index))
    }

    /// Splits a dimension of `n` elements into `[n / inner, inner]`, with strides
    /// `[stride * inner, stride]`.
    ///
    /// # Errors
    /// [`StridedError::Tile`] if `inner` does not divide `n`, [`StridedError::Dimension`].
    pub fn tile(&self, dim: usize, inner: i64) -> Result<Transformed, StridedError> {
        self.check(dim)?;
        let (size, stride) = (self.shape[dim], self.strides[dim]);
        if inner <= 0 || size % inner != 0 {
            return Err(E::Tile {
                dim,
                tile: inner,
                size,
            });
        }
        let mut result = self.clone();
        result.shape.splice(dim..=dim, [size / inner, inner]);
        result.strides.splice(
            dim..=dim,
            [stride.checked_mul(inner).ok_or(E::Overflow)?, stride],
        );
        let index = (0..self.rank())
            .map(|k| match k {
                k if k < dim => d(k),
                k if k == dim => d(k) * inner + d(k + 1),
                k => d(k + 1),
            })
            .collect();
        Ok(result.mapped(index))
    }

    /// Merges dimensions `first` to `last` (inclusive) into one: possible where each stride is the
    /// size times the stride of the next. Dimensions of one element merge with anything.
    ///
    /// # Errors
    /// [`StridedError::Copy`] with the pair of dimensions that forces a copy,
    /// [`StridedError::Dimension`], [`StridedError::Overflow`].
    pub fn merge(&self, first: usize, last: usize) -> Result<Transformed, StridedError> {
        self.check(first)?;
        self.check(last)?;
        if first > last {
            return Err(E::Dimension(first, last + 1));
        }
        let size = self.shape[first..=last]
            .iter()
            .try_fold(1i64, |n, size| n.checked_mul(*size))
            .ok_or(E::Overflow)?;
        let counted: Vec<usize> = (first..=last).filter(|k| self.shape[*k] != 1).collect();
        if size != 0 {
            for pair in counted.windows(2) {
                let (outer, inner) = (pair[0], pair[1]);
                let expected = self.shape[inner]
                    .checked_mul(self.strides[inner])
                    .ok_or(E::Overflow)?;
                if self.strides[outer] != expected {
                    return Err(E::Copy {
                        outer,
                        inner,
                        outer_stride: self.strides[outer],
                        inner_size: self.shape[inner],
                        inner_stride: self.strides[inner],
                    });
                }
            }
        }
        let stride = counted
            .last()
            .map_or(self.strides[last], |k| self.strides[*k]);
        let mut result = self.clone();
        result.shape.splice(first..=last, [size]);
        result.strides.splice(first..=last, [stride]);
        let mut index: Vec<Expr> = (0..first).map(d).collect();
        let mut inner = size;
        for k in first..=last {
            // The place in this dimension: what is left of the merged index after the dimensions
            // before, over those behind.
            inner = if self.shape[k] == 0 {
                0
            } else {
                inner / self.shape[k]
            };
            let quotient = if inner == 0 {
                c(0)
            } else {
                d(first).floor_div(inner)
            };
            index.push(if k == first || self.shape[k] == 0 {
                quotient
            } else {
                quotient.modulo(self.shape[k])
            });
        }
        index.extend((last + 1..self.rank()).map(|k| d(k - (last - first))));
        Ok(result.mapped(index))
    }

    /// The slice at one place of a dimension, without that dimension.
    ///
    /// # Errors
    /// [`StridedError::Index`], [`StridedError::Dimension`], [`StridedError::Overflow`].
    pub fn index(&self, dim: usize, at: i64) -> Result<Transformed, StridedError> {
        self.check(dim)?;
        if at < 0 || at >= self.shape[dim] {
            return Err(E::Index {
                dim,
                index: at,
                size: self.shape[dim],
            });
        }
        let mut result = self.clone();
        let skipped = self.strides[dim].checked_mul(at).ok_or(E::Overflow)?;
        result.offset = result.offset.checked_add(skipped).ok_or(E::Overflow)?;
        result.shape.remove(dim);
        result.strides.remove(dim);
        let index = (0..self.rank())
            .map(|k| match k {
                k if k < dim => d(k),
                k if k == dim => c(at),
                k => d(k - 1),
            })
            .collect();
        Ok(result.mapped(index))
    }

    /// Repeats the tensor along a new dimension of `size` elements in front: stride 0.
    pub fn broadcast(&self, size: i64) -> Transformed {
        let mut result = self.clone();
        result.shape.insert(0, size);
        result.strides.insert(0, 0);
        let index = (1..=self.rank()).map(d).collect();
        result.mapped(index)
    }

    /// Runs a dimension backwards: a negative stride, from the last element.
    ///
    /// # Errors
    /// [`StridedError::Dimension`], [`StridedError::Overflow`].
    pub fn reverse(&self, dim: usize) -> Result<Transformed, StridedError> {
        self.check(dim)?;
        let mut start = vec![0; self.rank()];
        let mut step = vec![1; self.rank()];
        start[dim] = (self.shape[dim] - 1).max(0);
        step[dim] = -1;
        self.slice(&start, &step, &self.shape.clone())
    }

    /// MLIR's spelling: `strided<[4, 1], offset: 2>`.
    pub fn layout(&self) -> String {
        let strides: Vec<String> = self.strides.iter().map(ToString::to_string).collect();
        match self.offset {
            0 => format!("strided<[{}]>", strides.join(", ")),
            offset => format!("strided<[{}], offset: {offset}>", strides.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(tensor: &Strided) -> Vec<i64> {
        tensor
            .linear()
            .points()
            .into_iter()
            .map(|(_, at)| at[0])
            .collect()
    }

    /// The transform on metadata and the map are the same thing: at every index.
    fn same(before: &Strided, (after, map): &Transformed) {
        let through: Vec<i64> = map
            .points()
            .into_iter()
            .map(|(_, index)| {
                before.offset
                    + index
                        .iter()
                        .zip(&before.strides)
                        .map(|(i, s)| i * s)
                        .sum::<i64>()
            })
            .collect();
        assert_eq!(places(after), through, "{before:?} {after:?} {map}");
        assert_eq!(
            map.points().len() as i64,
            after.shape.iter().product::<i64>()
        );
    }

    #[test]
    fn transforms_are_their_maps() {
        let mut seed = 1u64;
        let mut next = |n: i64| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            ((seed >> 33) % n as u64) as i64
        };
        let mut merged = 0;
        for _ in 0..600 {
            let rank = 1 + next(3) as usize;
            let shape: Vec<i64> = (0..rank).map(|_| 1 + next(5)).collect();
            let mut tensor = Strided::row_major(&shape).unwrap();
            for _ in 0..4 {
                let r = tensor.rank();
                let answer = match next(7) {
                    0 => {
                        let mut order: Vec<usize> = (0..r).collect();
                        for i in (1..r).rev() {
                            order.swap(i, next(i as i64 + 1) as usize);
                        }
                        tensor.transpose(&order)
                    }
                    1 => {
                        let start: Vec<i64> =
                            tensor.shape.iter().map(|n| next(n.max(&1) + 1)).collect();
                        let step: Vec<i64> = (0..r).map(|_| next(5) - 2).collect();
                        let count: Vec<i64> = (0..r).map(|_| next(4)).collect();
                        tensor.slice(&start, &step, &count)
                    }
                    2 if r > 0 => tensor.tile(next(r as i64) as usize, 1 + next(3)),
                    3 if r > 1 => {
                        let first = next(r as i64 - 1) as usize;
                        let answer = tensor.merge(first, first + 1);
                        merged += usize::from(answer.is_ok());
                        answer
                    }
                    4 if r > 0 => tensor.index(next(r as i64) as usize, next(4)),
                    5 if r > 0 => tensor.reverse(next(r as i64) as usize),
                    _ => Ok(tensor.broadcast(2)),
                };
                if let Ok(answer) = answer {
                    same(&tensor, &answer);
                    tensor = answer.0;
                }
            }
        }
        assert!(merged > 20);
    }

    #[test]
    fn strides_and_errors() {
        let t = Strided::row_major(&[2, 3, 4]).unwrap();
        assert_eq!(t.strides, [12, 4, 1]);
        let part = |start: &[i64], count: &[i64]| t.slice(start, &[1, 1, 1], count).unwrap().0;
        assert!(part(&[1, 0, 0], &[1, 3, 4]).is_contiguous());
        assert!(part(&[1, 1, 0], &[1, 2, 4]).is_contiguous());
        assert!(part(&[1, 1, 1], &[1, 1, 2]).is_contiguous());
        assert!(!part(&[0, 1, 0], &[2, 2, 4]).is_contiguous());
        assert!(!part(&[1, 0, 1], &[1, 3, 3]).is_contiguous());
        assert!(!t.reverse(0).unwrap().0.is_contiguous());
        assert_eq!(Strided::row_major(&[3, 4]).unwrap().strides, [4, 1]);
        // A transposed matrix costs a swap, and merging it back would copy.
        let (transposed, _) = Strided::row_major(&[4096, 4096])
            .unwrap()
            .transpose(&[1, 0])
            .unwrap();
        assert_eq!(transposed.strides, [1, 4096]);
        let error = transposed.merge(0, 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "dimensions 0 and 1 cannot be merged without a copy: stride 1 is not 4096 * 4096"
        );
        assert_eq!(
            t.tile(1, 2).unwrap_err().to_string(),
            "a tile of 2 does not divide dimension 1 of size 3"
        );
        assert!(
            t.index(0, 2).is_err()
                && t.transpose(&[0, 0, 1]).is_err()
                && t.slice(&[0], &[1], &[1]).is_err()
        );
        assert_eq!(t.merge(0, 2).unwrap().0.strides, [1]);
        assert_eq!(
            t.slice(&[1, 0, 3], &[1, 2, -1], &[1, 2, 4])
                .unwrap()
                .0
                .layout(),
            "strided<[12, 8, -1], offset: 15>"
        );
    }
}
