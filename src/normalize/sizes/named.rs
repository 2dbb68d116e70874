//! Sizes as they are written beside operations: names, and products of them.

use super::Sizes;
use crate::size_annotations::SLICE_FROM;
use mapwright_indexing::linear::{Sum, gcd};
use mapwright_mlir::{
    Builder, Op,
    sizes::{ARGUMENTS, MOST_NAMES, Product, SIZES},
};
use std::collections::{HashMap, HashSet};

impl Sizes {
    /// A sum as it is written: a name, or what several are multiplied to. `None` where there are too many names.
    pub(super) fn written(&mut self, size: &Sum) -> Option<i64> {
        let (factor, size) = primitive(size);
        let mut factors = Vec::new();
        if let Some(number) = self.factors(&size, &mut factors).filter(|n| *n > 0)
            && factors.len() > 1
            && let Some(factor) = factor.checked_mul(number)
        {
            let mut names: Vec<usize> = factors.into_iter().map(|own| self.name(own)).collect();
            names.sort_unstable();
            if let Some(written) = (Product { names, factor }).written() {
                return Some(written);
            }
        }
        let names = vec![self.name(size.clone())];
        // A number that is too large to be written beside a name is a part of what has one.
        (Product { names, factor }.written())
            .or_else(|| Product::name(self.name(size.scaled(factor))).written())
    }

    /// Adds the sums that a size is the product of, and gives the number that they are multiplied with. `None` where that is none, or too large.
    fn factors(&self, size: &Sum, into: &mut Vec<Sum>) -> Option<i64> {
        let (factor, size) = primitive(&self.resolve(size));
        match self.as_product(&size) {
            Some([a, b]) => {
                let product = self
                    .factors(&a, into)?
                    .checked_mul(self.factors(&b, into)?)?;
                product.checked_mul(factor)
            }
            None if size.terms.is_empty() || into.len() == MOST_NAMES => None,
            None => {
                into.push(size);
                Some(factor)
            }
        }
    }

    /// The name of a sum.
    fn name(&mut self, size: Sum) -> usize {
        let known = self.names.iter().position(|name| *name == size);
        known.unwrap_or_else(|| {
            self.names.push(size);
            self.names.len() - 1
        })
    }
}

/// The greatest number that a sum is a multiple of, and what it is multiplied with.
pub(super) fn primitive(size: &Sum) -> (i64, Sum) {
    let factors = size.terms.iter().map(|(_, factor)| *factor);
    let factor = factors.fold(size.constant, gcd);
    if factor <= 1 {
        return (1, size.clone());
    }
    let mut rest = size.clone();
    rest.terms.iter_mut().for_each(|(_, k)| *k /= factor);
    rest.constant /= factor;
    (factor, rest)
}

/// Gives the names in a region that was formed the numbers from zero on, so that regions that do the same are the same. A product of which a
/// factor is no size of a tensor that goes in or comes out (nor is a multiple of it) gets a name of its own: nothing would say what the factor is.
pub fn renumber<'c>(b: &Builder<'c>, fusion: Op<'c>) {
    let outside: HashSet<usize> = [ARGUMENTS, SIZES]
        .into_iter()
        .filter_map(|list| fusion.ints(list))
        .flatten()
        .filter_map(Product::read)
        .filter_map(|size| size.single())
        .collect();
    let mut numbers: HashMap<Vec<usize>, usize> = HashMap::new();
    let mut number = |names: Vec<usize>| {
        let next = numbers.len();
        *numbers.entry(names).or_insert(next)
    };
    rewrite(b, fusion, &mut |size| {
        let known = size.names.iter().all(|name| outside.contains(name));
        let mut names: Vec<usize> = match known {
            true => size
                .names
                .into_iter()
                .map(|name| number(vec![name]))
                .collect(),
            false => vec![number(size.names)],
        };
        names.sort_unstable();
        Product {
            names,
            factor: size.factor,
        }
    });
}

/// Changes the sizes that are written in a region.
fn rewrite<'c>(b: &Builder<'c>, fusion: Op<'c>, f: &mut dyn FnMut(Product) -> Product) {
    let mut ops = vec![fusion];
    ops.extend(fusion.descendants());
    let mut done = HashSet::new();
    for op in ops {
        if !done.insert(op) {
            continue;
        }
        for attribute in [ARGUMENTS, SIZES, SLICE_FROM] {
            if let Some(sizes) = op.ints(attribute) {
                let other =
                    |size: i64| Product::read(size).map_or(Some(size), |own| f(own).written());
                let sizes: Option<Vec<i64>> = sizes.into_iter().map(other).collect();
                let Some(sizes) = sizes else { continue };
                op.set_attribute(attribute, b.i64_array(&sizes));
            }
        }
    }
}
