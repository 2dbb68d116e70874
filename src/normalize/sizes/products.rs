//! Products of sizes none of which is known: the rows that `[b, t, d]` has as `[b * t, d]`; and the
//! smaller or the larger one of two. Sums have none; what stands for one is a symbol.

use super::{Sizes, least, named::primitive};
use mapwright_indexing::linear::{Atom, FAR, Sum};
use mapwright_ops::shape_function::Arithmetic;

impl Sizes {
    /// The product of two sums.
    pub(super) fn product(&mut self, a: &Sum, b: &Sum) -> Sum {
        let ((of_a, a), (of_b, b)) = (primitive(a), primitive(b));
        let Some(factor) = of_a.checked_mul(of_b) else {
            return Sum::beyond();
        };
        let mut both = [a, b];
        both.sort_unstable();
        let known = self.products.iter().find(|(_, other)| *other == both);
        if let Some((symbol, _)) = known {
            return Sum::atom(Atom::value(*symbol)).scaled(factor);
        }
        let positive = |own: &Sum| least(own, &self.facts).is_some_and(|n| n >= 0);
        let from = if both.iter().all(positive) { 0 } else { -FAR };
        self.products.push((self.equal.len(), both));
        self.symbol((from, FAR)).scaled(factor)
    }

    /// The smaller or the larger one of two sums of which nothing says which it is.
    pub(super) fn extreme(&mut self, what: Arithmetic, a: Sum, b: Sum) -> Sum {
        let both = if a <= b { [a, b] } else { [b, a] };
        let mut known = self.extremes.iter();
        if let Some((symbol, ..)) = known.find(|(_, own, other)| *own == what && *other == both) {
            return Sum::atom(Atom::value(*symbol));
        }
        let bounds = both.each_ref().map(|own| least(own, &self.facts));
        let from = match (what, bounds) {
            (Arithmetic::Max, [a, b]) => a.max(b),
            (_, [Some(a), Some(b)]) => Some(a.min(b)),
            _ => None,
        };
        self.extremes.push((self.equal.len(), what, both));
        self.symbol((from.unwrap_or(-FAR), FAR))
    }

    /// Returns the operation and the two sums that a symbol, which stands alone, is made of: a
    /// product, or the smaller or the larger one.
    pub(crate) fn made_of(&self, size: &Sum) -> Option<(Arithmetic, [Sum; 2])> {
        let ([(atom, 1)], 0) = (size.terms.as_slice(), size.constant) else {
            return None;
        };
        let symbol = atom.as_value()?;
        let products = (self.products.iter()).map(|(own, both)| (*own, Arithmetic::Mul, both));
        let extremes = self
            .extremes
            .iter()
            .map(|(own, what, both)| (*own, *what, both));
        let (_, what, both) = products.chain(extremes).find(|(own, ..)| *own == symbol)?;
        Some((what, both.clone()))
    }

    /// The two sums that a symbol, which stands alone, is the product of.
    pub(super) fn as_product(&self, size: &Sum) -> Option<[Sum; 2]> {
        let (what, both) = self.made_of(size)?;
        (what == Arithmetic::Mul).then_some(both)
    }
}
