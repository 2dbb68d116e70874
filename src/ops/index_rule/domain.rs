//! What an index may be, and index rules run with it.

use super::{Arithmetic, Found, Index, IndexQuery, IndexRule, Indices, Place, Read, Reads, Tensor};
use mapwright_indexing::Interval;
use mapwright_mlir::Op;

/// An abstract domain of indices. Methods are those of [`Indices`], on indices of the domain.
pub trait IndexDomain {
    /// An index.
    type Index: Clone;

    /// A number.
    fn constant(&mut self, n: i64) -> Self::Index;

    /// The number, where it is known.
    fn known(&self, index: &Self::Index) -> Option<i64>;

    /// See [`Indices::size`].
    ///
    /// # Errors
    /// A size that is not known.
    fn size(&mut self, of: Tensor, k: usize) -> Found<Self::Index>;

    /// See [`Indices::element`].
    ///
    /// # Errors
    /// An operand of which no element is known here.
    fn element(
        &mut self,
        operand: usize,
        at: Vec<Self::Index>,
        within: Interval,
    ) -> Found<Self::Index>;

    /// See [`Indices::clamped`].
    ///
    /// # Errors
    /// As of [`IndexDomain::element`].
    fn clamped(
        &mut self,
        operand: usize,
        at: Vec<Self::Index>,
        last: Self::Index,
    ) -> Found<Self::Index>;

    /// See [`Indices::stretched`].
    ///
    /// # Errors
    /// A size that is not known.
    fn stretched(&mut self, operand: usize, k: usize, index: Self::Index) -> Found<Self::Index>;

    /// See [`Indices::arithmetic`].
    ///
    /// # Errors
    /// A number that the domain cannot hold.
    fn arithmetic(
        &mut self,
        what: Arithmetic,
        a: Self::Index,
        b: Self::Index,
    ) -> Found<Self::Index>;
}

/// What the element of a result of `op` at `index` is, by the rule.
///
/// # Errors
/// Attributes that cannot be read, and what the domain does not know.
pub fn evaluate<D: IndexDomain>(
    domain: &mut D,
    op: Op<'_>,
    rule: IndexRule,
    index: Vec<D::Index>,
) -> Found<Reads<D::Index>> {
    let mut evaluation = Evaluation {
        domain,
        values: Vec::new(),
    };
    let index: Vec<Index> = index
        .into_iter()
        .map(|index| evaluation.number(index))
        .collect();
    let reads = rule(&mut IndexQuery::new(&mut evaluation, op), &index)?;
    let mut read = |read: Read<Index>| Read {
        operand: read.operand,
        at: (read.at.into_iter())
            .map(|place| Place {
                number: evaluation.read(place.number),
                step: evaluation.read(place.step),
            })
            .collect(),
    };
    Ok(Reads {
        pieces: reads.pieces.into_iter().map(&mut read).collect(),
        elsewhere: reads.elsewhere.map(&mut read),
    })
}

/// Indices of a domain behind the numbers that rules know them by.
struct Evaluation<'a, D: IndexDomain> {
    domain: &'a mut D,
    values: Vec<D::Index>,
}

impl<D: IndexDomain> Evaluation<'_, D> {
    fn read(&mut self, index: Index) -> D::Index {
        match index {
            Index::Known(n) => self.domain.constant(n),
            Index::Value(at) => self.values[at].clone(),
        }
    }

    fn read_all(&mut self, index: &[Index]) -> Vec<D::Index> {
        index.iter().map(|i| self.read(*i)).collect()
    }

    fn number(&mut self, index: D::Index) -> Index {
        match self.domain.known(&index) {
            Some(n) => Index::Known(n),
            None => {
                self.values.push(index);
                Index::Value(self.values.len() - 1)
            }
        }
    }
}

impl<D: IndexDomain> Indices for Evaluation<'_, D> {
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

    fn stretched(&mut self, operand: usize, k: usize, index: Index) -> Found<Index> {
        let index = self.read(index);
        let found = self.domain.stretched(operand, k, index)?;
        Ok(self.number(found))
    }

    fn arithmetic(&mut self, what: Arithmetic, a: Index, b: Index) -> Found<Index> {
        let (a, b) = (self.read(a), self.read(b));
        let found = self.domain.arithmetic(what, a, b)?;
        Ok(self.number(found))
    }
}
