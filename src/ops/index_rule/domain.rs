//! What an index may be, and index rules run with it.

use super::{Found, Index, IndexQuery, Indices, Place, Read, Reads, Tensor};
use crate::number::{NumberDomain, Numbered};
use mapwright_indexing::Interval;
use mapwright_mlir::Op;

/// An abstract domain of indices. Methods are those of [`Indices`], on indices of the domain.
pub trait IndexDomain: NumberDomain<Error = String> {
    /// See [`Indices::size`].
    ///
    /// # Errors
    /// A size that is not known.
    fn size(&mut self, of: Tensor, k: usize) -> Found<Self::Value>;

    /// See [`Indices::element`].
    ///
    /// # Errors
    /// An operand of which no element is known here.
    fn element(
        &mut self,
        operand: usize,
        at: Vec<Self::Value>,
        within: Interval,
    ) -> Found<Self::Value>;

    /// See [`Indices::clamped`].
    ///
    /// # Errors
    /// As of [`IndexDomain::element`].
    fn clamped(
        &mut self,
        operand: usize,
        at: Vec<Self::Value>,
        last: Self::Value,
    ) -> Found<Self::Value>;

    /// See [`Indices::stretched`].
    ///
    /// # Errors
    /// A size that is not known.
    fn stretched(
        &mut self,
        operand: usize,
        dimensions: (usize, usize),
        index: Self::Value,
        stated: Option<bool>,
    ) -> Found<Self::Value>;

    /// See [`Indices::within`].
    ///
    /// # Errors
    /// A size that is not known.
    fn within(&mut self, operand: usize, k: usize, index: Self::Value) -> Found<Self::Value>;
}

/// Evaluates the rule: the element of a result of `op` at `index`.
///
/// # Errors
/// Attributes that cannot be read, and what the domain does not know.
pub fn evaluate<D: IndexDomain>(
    domain: &mut D,
    op: Op<'_>,
    rule: impl FnOnce(&mut IndexQuery<'_, '_>, &[Index]) -> Found<Reads>,
    index: Vec<D::Value>,
) -> Found<Reads<D::Value>> {
    let mut numbered = Numbered::new(domain);
    let index = numbered.number_all(index);
    let reads = rule(&mut IndexQuery::new(&mut numbered, op), &index)?;
    let mut read = |read: Read<Index>| Read {
        operand: read.operand,
        at: (read.at.into_iter())
            .map(|place| Place {
                number: numbered.read(place.number),
                step: numbered.read(place.step),
            })
            .collect(),
    };
    Ok(Reads {
        pieces: reads.pieces.into_iter().map(&mut read).collect(),
        elsewhere: reads.elsewhere.map(&mut read),
    })
}

impl<D: IndexDomain> Indices for Numbered<'_, D> {
    fn size(&mut self, of: Tensor, k: usize) -> Found<Index> {
        let size = self.domain.size(of, k)?;
        Ok(self.number(size))
    }

    fn element(&mut self, operand: usize, at: &[Index], within: Interval) -> Found<Index> {
        let at = self.read_all(at);
        let element = self.domain.element(operand, at, within)?;
        Ok(self.number(element))
    }

    fn clamped(&mut self, operand: usize, at: &[Index], last: Index) -> Found<Index> {
        let (at, last) = (self.read_all(at), self.read(last));
        let element = self.domain.clamped(operand, at, last)?;
        Ok(self.number(element))
    }

    fn stretched(
        &mut self,
        operand: usize,
        dimensions: (usize, usize),
        index: Index,
        stated: Option<bool>,
    ) -> Found<Index> {
        let index = self.read(index);
        let found = self.domain.stretched(operand, dimensions, index, stated)?;
        Ok(self.number(found))
    }

    fn within(&mut self, operand: usize, k: usize, index: Index) -> Found<Index> {
        let index = self.read(index);
        let found = self.domain.within(operand, k, index)?;
        Ok(self.number(found))
    }
}
