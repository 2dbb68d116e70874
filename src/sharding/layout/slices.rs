//! Which slice of a tensor each rank holds, and who holds a slice.

use super::Layout;
use crate::digits::{self, Digit};
use crate::error::LayoutError;

impl Layout {
    /// Step one of the document: the digits of a rank, one for each axis of the device matrix.
    ///
    /// # Errors
    /// A rank that does not exist.
    pub fn digits_of(&self, rank: i64) -> Result<Vec<i64>, LayoutError> {
        let p = self.position(rank)?;
        Ok(self.digits.iter().map(|d| d.value_of(p)).collect())
    }

    /// The number of parts of each dimension.
    pub fn parts(&self) -> Vec<i64> {
        self.dims
            .iter()
            .map(|axes| axes.iter().map(|a| self.matrix.sizes[*a]).product())
            .collect()
    }

    /// Step three of the document: the stride of each named axis in the slice number, in the order
    /// of the tensor map.
    pub fn strides(&self) -> Vec<(&str, i64)> {
        let named: Vec<usize> = self.dims.iter().flatten().copied().collect();
        let mut stride = 1;
        let mut out: Vec<(&str, i64)> = named
            .iter()
            .rev()
            .map(|a| {
                let entry = (self.matrix.names[*a].as_str(), stride);
                stride *= self.matrix.sizes[*a];
                entry
            })
            .collect();
        out.reverse();
        out
    }

    /// The number of slices.
    pub fn slice_count(&self) -> i64 {
        self.dims
            .iter()
            .flatten()
            .map(|a| self.matrix.sizes[*a])
            .product()
    }

    /// Part of each dimension that a rank holds.
    ///
    /// # Errors
    /// A rank that does not exist.
    pub fn part_of(&self, rank: i64) -> Result<Vec<i64>, LayoutError> {
        let p = self.position(rank)?;
        Ok(self.dims.iter().map(|axes| self.part_at(axes, p)).collect())
    }

    fn part_at(&self, axes: &[usize], position: i64) -> i64 {
        axes.iter().fold(0, |part, a| {
            part * self.matrix.sizes[*a] + self.digits[*a].value_of(position)
        })
    }

    /// The number of the slice that a rank holds; slices are counted over the tensor in row-major
    /// order.
    ///
    /// # Errors
    /// A rank that does not exist.
    pub fn slice_of(&self, rank: i64) -> Result<i64, LayoutError> {
        Ok(self.slice_at(self.position(rank)?))
    }

    pub(crate) fn slice_at(&self, position: i64) -> i64 {
        self.dims.iter().flatten().fold(0, |slice, a| {
            slice * self.matrix.sizes[*a] + self.digits[*a].value_of(position)
        })
    }

    /// The slice number of each rank, ranks ascending.
    pub fn slices(&self) -> Vec<i64> {
        match &self.order {
            None => (0..self.matrix.count).map(|p| self.slice_at(p)).collect(),
            Some(order) => self
                .ranks()
                .iter()
                .filter_map(|r| order.positions.get(r))
                .map(|p| self.slice_at(*p))
                .collect(),
        }
    }

    /// The ranks that hold each slice, ascending, by slice number. Linear in the number of devices.
    pub fn replicas(&self) -> Vec<Vec<i64>> {
        let mut groups = vec![Vec::new(); self.slice_count() as usize];
        for (rank, slice) in self.ranks().into_iter().zip(self.slices()) {
            groups[slice as usize].push(rank);
        }
        groups
    }

    /// The ranks that hold one slice, ascending. Linear in their number.
    ///
    /// # Errors
    /// A slice number that does not exist.
    pub fn holders(&self, slice: i64) -> Result<Vec<i64>, LayoutError> {
        let slices = self.slice_count();
        if !(0..slices).contains(&slice) {
            return Err(LayoutError::NoLayout(format!(
                "slice {slice} does not exist, there are {slices}"
            )));
        }
        let mut base = 0;
        let mut rest = slice;
        for a in self.dims.iter().flatten().rev() {
            base += rest % self.matrix.sizes[*a] * self.digits[*a].stride;
            rest /= self.matrix.sizes[*a];
        }
        let mut positions = vec![base];
        for a in self.unnamed_axes() {
            let d = self.digits[a];
            positions = positions
                .iter()
                .flat_map(|p| (0..d.size).map(move |k| p + k * d.stride))
                .collect();
        }
        let mut ranks: Vec<i64> = positions.into_iter().map(|p| self.rank_at(p)).collect();
        ranks.sort_unstable();
        Ok(ranks)
    }

    /// For each dimension the digits of the position that split it, major first, neighbours joined.
    pub fn dimension_digits(&self) -> Vec<Vec<Digit>> {
        self.dims
            .iter()
            .map(|axes| digits::merge(&axes.iter().map(|a| self.digits[*a]).collect::<Vec<_>>()))
            .collect()
    }
}
