//! The sizes of a region that are known at run time only: where each is when its code runs.

use crate::{Declined, index::Ix};
use mapwright_indexing::Extent;
use mapwright_mlir::{Builder, Val};
use std::{cell::RefCell, rc::Rc};

/// Argument of the kernel that gives the value of a size: it is `times` the size.
#[derive(Clone, Copy, Debug)]
struct Place {
    argument: usize,
    times: i64,
}

/// The names of the sizes of a region; copies share what follows from others.
#[derive(Clone, Default)]
pub(crate) struct RunTime {
    named: Vec<(usize, Place)>,
    /// Names of sizes that no argument has, and what each is.
    follow: Rc<RefCell<Vec<(usize, Extent)>>>,
}

impl RunTime {
    /// Of these sizes of tensors, in the order of the kernel's arguments.
    pub fn new(sizes: impl Iterator<Item = Extent>) -> Self {
        let mut found = Self::default();
        for (argument, size) in sizes.enumerate() {
            if let Some((name, times)) = size.multiple_of_name() {
                found.add(name, times, argument);
            }
        }
        found
    }

    /// Notes that `times` the size with this name is the kernel's argument of this number among
    /// those that are sizes.
    pub fn add(&mut self, name: usize, times: i64, argument: usize) {
        let place = Place { argument, times };
        let mut known = self.named.iter_mut();
        match known.find(|(other, _)| *other == name) {
            Some((_, known)) if known.times > times => *known = place,
            Some(_) => {}
            None => self.named.push((name, place)),
        }
    }

    /// Whether all sizes are known at compile time.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// Whether all names in it are sizes that an argument has, or that follow from those.
    pub fn know(&self, size: Extent) -> bool {
        let follow = self.follow.borrow();
        let mut all = true;
        size.for_each_name(&mut |name| {
            let mut known = self.names().chain(follow.iter().map(|(name, _)| *name));
            all &= known.any(|other| other == name);
        });
        all
    }

    /// Notes what the size with this name is; not if that is not known.
    pub fn follows(&self, name: usize, size: Extent) {
        if self.know(size) && !self.know(Extent::name(name)) {
            self.follow.borrow_mut().push((name, size));
        }
    }

    /// Makes the sizes known to the builder of a function, whose `arguments` these are.
    pub fn name<'c>(&self, b: &Builder<'c>, arguments: &[Val<'c>]) {
        for (name, at) in &self.named {
            let value = match at.times {
                1 => arguments[at.argument],
                times => b.divui(arguments[at.argument], b.cidx(times)),
            };
            b.set_size(Extent::name(*name), value);
        }
        for (name, size) in self.follow.borrow().iter() {
            b.set_size(Extent::name(*name), b.cidx(*size));
        }
    }

    /// The names of those that arguments have.
    pub fn names(&self) -> impl Iterator<Item = usize> {
        self.named.iter().map(|(name, _)| *name)
    }

    /// All that arguments have, in code.
    pub fn all<'c>(&self, b: &Builder<'c>) -> Vec<Val<'c>> {
        self.names()
            .map(|name| b.cidx(Extent::name(name)))
            .collect()
    }
}

/// A size as a number, for code that is made for one size only.
///
/// # Errors
/// It is known at run time only.
pub(crate) fn known(size: Extent) -> Result<i64, Declined> {
    let words = || Declined::new(format!("code for one size only, and not for {size}"));
    size.as_constant().ok_or_else(words)
}

/// A size as a number, or as what it is at run time.
pub(crate) fn index<'c>(b: &Builder<'c>, size: Extent) -> Ix<'c> {
    match size.as_constant() {
        Some(n) => Ix::Known(n),
        None => Ix::Value(b.cidx(size)),
    }
}
