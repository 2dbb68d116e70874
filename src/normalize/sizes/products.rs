//! Products of sizes none of which is known: the rows that `[b, t, d]` has as `[b * t, d]`; and the
//! smaller or the larger one of two. Sums have none; what stands for one is a symbol.

use super::{Sizes, described::symbol, least, named::primitive};
use mapwright_indexing::linear::{Atom, FAR, Sum};
use mapwright_ops::shape_function::Arithmetic;

impl Sizes {
    /// The product of two sums.
    pub(super) fn product(&mut self, a: &Sum, b: &Sum) -> Sum {
        let ((of_a, a), (of_b, b)) = (primitive(a), primitive(b));
        let Some(factor) = of_a.checked_mul(of_b) else {
            return Sum::beyond();
        };
        let positive = |[a, b]: [Option<i64>; 2]| (a? >= 0 && b? >= 0).then_some(0);
        let product = self.symbol_of(Arithmetic::Mul, [a, b], positive);
        product.scaled(factor)
    }

    /// The smaller or the larger one of two sums of which nothing says which it is.
    pub(super) fn extreme(&mut self, what: Arithmetic, a: Sum, b: Sum) -> Sum {
        self.symbol_of(what, [a, b], |bounds| match (what, bounds) {
            (Arithmetic::Max, [a, b]) => a.max(b),
            (_, [Some(a), Some(b)]) => Some(a.min(b)),
            _ => None,
        })
    }

    /// The symbol that stands for this of two sums, in whichever order; `from` finds what it is not
    /// below, if anything says so, from what they are not below.
    fn symbol_of(
        &mut self,
        what: Arithmetic,
        mut both: [Sum; 2],
        from: impl Fn([Option<i64>; 2]) -> Option<i64>,
    ) -> Sum {
        both.sort_unstable();
        let mut known = self.made.iter();
        if let Some((symbol, ..)) = known.find(|(_, own, other)| *own == what && *other == both) {
            return Sum::atom(Atom::value(*symbol));
        }
        let from = from(both.each_ref().map(|own| least(own, &self.facts)));
        self.made.push((self.equal.len(), what, both));
        self.symbol((from.unwrap_or(-FAR), FAR))
    }

    /// Returns the operation and the two sums that a symbol, which stands alone, is made of: a
    /// product, or the smaller or the larger one.
    pub(crate) fn made_of(&self, size: &Sum) -> Option<(Arithmetic, [Sum; 2])> {
        let symbol = symbol(size)?;
        let (_, what, both) = self.made.iter().find(|(own, ..)| *own == symbol)?;
        Some((*what, both.clone()))
    }

    /// The two sums that a symbol, which stands alone, is the product of.
    pub(super) fn as_product(&self, size: &Sum) -> Option<[Sum; 2]> {
        let (what, both) = self.made_of(size)?;
        (what == Arithmetic::Mul).then_some(both)
    }
}
