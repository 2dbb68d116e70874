//! Sorting along a dimension.
//!
//! Plain orders (ascending or descending, by one key or several) go through unsigned words:
//! elements become keys in which the order is that of the integers, and the keys are sorted with
//! their positions in the low bits, which makes the result stable and unique, whatever the
//! algorithm and the number of threads. Any other comparator goes through a merge sort.

mod gather;
mod key;
mod merge;
mod permutation;
mod plain;
#[cfg(test)]
mod tests;
mod top_k;
mod two;
mod vector;
mod words;

pub use key::Order;
pub use merge::{Comparator, sort_by};
pub use plain::{Operand, argsort, sort};
pub use top_k::top_k;
pub(crate) use words::Pieces;

use crate::error::{Error, Result};

/// A shape seen from one of its dimensions: `outer` × `length` × `inner` elements, row-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    pub outer: usize,
    pub length: usize,
    pub inner: usize,
}

impl Lines {
    /// # Errors
    /// `InvalidArgument` when the dimension is not one of the shape's, a size is negative, or the
    /// number of elements overflows.
    pub fn new(shape: &[i64], dimension: usize) -> Result<Lines> {
        if dimension >= shape.len() {
            return Err(Error::invalid(format!(
                "dimension {dimension} of a shape of rank {}",
                shape.len()
            )));
        }
        let product = |sizes: &[i64]| {
            sizes
                .iter()
                .try_fold(1usize, |p, s| p.checked_mul(usize::try_from(*s).ok()?))
                .ok_or_else(|| {
                    Error::invalid(format!(
                        "the shape {shape:?} has a negative size or too many elements"
                    ))
                })
        };
        product(shape)?;
        Ok(Lines {
            outer: product(&shape[..dimension])?,
            length: product(&shape[dimension..=dimension])?,
            inner: product(&shape[dimension + 1..])?,
        })
    }

    pub fn elements(&self) -> usize {
        self.outer * self.length * self.inner
    }
}
