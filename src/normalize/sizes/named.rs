//! Sizes as they are written beside operations: names, and products of them.

use super::Sizes;
use crate::size_annotations::SLICE;
use mapwright_indexing::{
    Extent,
    linear::{Sum, gcd},
};
use mapwright_mlir::{
    Op,
    sizes::{self, ARGUMENTS, SIZES},
};
use std::collections::{HashMap, HashSet};

impl Sizes {
    /// A sum as it is written: a name, or what several are multiplied to, times a number.
    pub(super) fn written(&mut self, size: &Sum) -> Extent {
        let (factor, size) = primitive(size);
        let mut factors = Vec::new();
        if let Some(number) = self.factors(&size, &mut factors).filter(|n| *n > 0)
            && factors.len() > 1
            && let Some(factor) = factor.checked_mul(number)
        {
            let names = factors.into_iter().map(|own| self.name(own));
            return names.product::<Extent>() * factor;
        }
        self.name(size) * factor
    }

    /// Adds the sums that a size is the product of, and gives the number that they are multiplied
    /// with. `None` where that is none, or too large.
    fn factors(&self, size: &Sum, into: &mut Vec<Sum>) -> Option<i64> {
        let (factor, size) = primitive(&self.resolve(size));
        match self.as_product(&size) {
            Some([a, b]) => {
                let product = self
                    .factors(&a, into)?
                    .checked_mul(self.factors(&b, into)?)?;
                product.checked_mul(factor)
            }
            None if size.terms.is_empty() => None,
            None => {
                into.push(size);
                Some(factor)
            }
        }
    }

    /// The name of a sum.
    fn name(&mut self, size: Sum) -> Extent {
        let known = self.names.iter().position(|name| *name == size);
        Extent::name(known.unwrap_or_else(|| {
            self.names.push(size);
            self.names.len() - 1
        }))
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

/// Gives the names in a region that was formed the numbers from zero on, so that regions that do
/// the same are the same. A product of which a factor is no size of a tensor that goes in or comes
/// out (nor is a multiple of it) gets a name of its own: nothing would say what the factor is.
pub fn renumber(fusion: Op<'_>) {
    let outside: HashSet<usize> = [ARGUMENTS, SIZES]
        .into_iter()
        .filter_map(|list| sizes::list(fusion, list))
        .flatten()
        .filter_map(|size| Some(size.multiple_of_name()?.0))
        .collect();
    let mut numbers: HashMap<Extent, Extent> = HashMap::new();
    let mut number = |size: Extent| {
        let next = numbers.len();
        *numbers.entry(size).or_insert_with(|| Extent::name(next))
    };
    rewrite(fusion, &mut |size| {
        let (_, more) = size.parts();
        let size = size - more;
        let (mut names, mut known) = (Vec::new(), true);
        size.for_each_name(&mut |name| {
            known &= outside.contains(&name);
            names.push(name);
        });
        let product = size.multiple().filter(|_| !known);
        let new = match product.and_then(|(_, times)| Some((size.divided_by(times.into())?, times)))
        {
            Some((product, times)) => number(product) * times,
            None => {
                let new: HashMap<usize, Extent> = (names.into_iter())
                    .map(|name| (name, number(Extent::name(name))))
                    .collect();
                size.substitute(&|name| new[&name])
            }
        };
        new + more
    });
}

/// Changes the sizes that are written in a region.
fn rewrite(fusion: Op<'_>, f: &mut dyn FnMut(Extent) -> Extent) {
    let mut ops = vec![fusion];
    ops.extend(fusion.descendants());
    let mut done = HashSet::new();
    for op in ops {
        if !done.insert(op) {
            continue;
        }
        for attribute in [ARGUMENTS, SIZES, SLICE] {
            if let Some(all) = sizes::list(op, attribute) {
                let all: Vec<Extent> = all.into_iter().map(&mut *f).collect();
                sizes::write(op, attribute, &all);
            }
        }
    }
}
