//! Sizes as they are written beside operations: names, and products of them.

use super::Sizes;
use crate::noted::SLICE_FROM;
use mapwright_indexing::linear::{Sum, gcd};
use mapwright_mlir::{
    Builder, Op,
    sizes::{ARGUMENTS, Product, SIZES},
};
use std::collections::{HashMap, HashSet};

impl Sizes {
    /// A sum as it is written: a name, or what a name or two are multiplied to. `None` where there are too many names.
    pub(super) fn written(&mut self, size: &Sum) -> Option<i64> {
        let (factor, size) = primitive(size);
        if let Some([a, b]) = self.as_product(&size) {
            let (of_a, a) = primitive(&self.resolve(&a));
            let (of_b, b) = primitive(&self.resolve(&b));
            let factor = factor.checked_mul(of_a).and_then(|n| n.checked_mul(of_b));
            let whole = [&a, &b].map(|own| self.as_product(own).is_none() && !own.terms.is_empty());
            if let (Some(factor @ 1..), [true, true]) = (factor, whole) {
                let mut names = [self.name(a), self.name(b)];
                names.sort_unstable();
                let names = (names[0], Some(names[1]));
                if let Some(written) = (Product { names, factor }).written() {
                    return Some(written);
                }
            }
        }
        let names = (self.name(size.clone()), None);
        // A number that is too large to be written beside a name is a part of what has one.
        (Product { names, factor }.written())
            .or_else(|| Product::name(self.name(size.scaled(factor))).written())
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
        .filter(|size| size.names.1.is_none())
        .map(|size| size.names.0)
        .collect();
    let mut numbers: HashMap<(usize, Option<usize>), usize> = HashMap::new();
    let mut number = |names: (usize, Option<usize>)| {
        let next = numbers.len();
        *numbers.entry(names).or_insert(next)
    };
    rewrite(b, fusion, &mut |size| match size.names {
        (first, Some(second)) if outside.contains(&first) && outside.contains(&second) => {
            let names = [number((first, None)), number((second, None))];
            Product {
                names: (names[0].min(names[1]), Some(names[0].max(names[1]))),
                factor: size.factor,
            }
        }
        names => Product {
            names: (number(names), None),
            factor: size.factor,
        },
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
