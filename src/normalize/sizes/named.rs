//! Sizes as they are written beside operations: names, and products of them.

use super::Sizes;
use crate::size_annotations::SLICE;
use mapwright_indexing::{Extent, Factor};
use mapwright_mlir::{
    Op,
    sizes::{self, ARGUMENTS, SIZES},
};
use std::collections::{HashMap, HashSet};

impl Sizes {
    /// A size as it is written: a name, or what several are multiplied to, times a number.
    pub(super) fn written(&mut self, size: Extent) -> Extent {
        let (times, factors) = self.factors(size);
        let names = factors.into_iter().map(|own| self.name(own));
        names.product::<Extent>() * times
    }

    /// The number and the sizes that a size is the product of: what divides all of its terms, and
    /// sums that have a name already.
    fn factors(&self, size: Extent) -> (i64, Vec<Extent>) {
        let (times, _) = size.content();
        let (times, primitive) = match size.divided_by(times.into()) {
            Some(primitive) => (times, primitive),
            None => (1, size),
        };
        let (mut rest, mut found) = (primitive, Vec::new());
        let first = primitive.parts().0.first().map_or(&[][..], |term| term.0);
        let first = first.iter().map(|factor| Extent::from(*factor));
        // What has a name is the size of something.
        let sums = self.names.iter().copied();
        let sums = sums.filter(|name| name.multiple().is_none());
        for by in first.filter(|x| x.is_at_least(0)).chain(sums) {
            while let Some(other) = rest.divided_by(by) {
                found.push(by);
                rest = other;
            }
        }
        match rest.as_constant() {
            Some(1) => (times, found),
            None if self.is_at_least(rest, 0) => {
                found.push(rest);
                (times, found)
            }
            // With what may be below zero there is no product of sizes.
            _ => (times, vec![primitive]),
        }
    }

    /// The name of a size.
    fn name(&mut self, size: Extent) -> Extent {
        let known = self.names.iter().position(|name| *name == size);
        Extent::name(known.unwrap_or_else(|| {
            self.names.push(size);
            self.names.len() - 1
        }))
    }
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
                size.substitute(&|factor| match factor {
                    Factor::Name(name) => Some(new[&name]),
                    _ => None,
                })
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
