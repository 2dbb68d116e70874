//! The run-time sizes of a region: what stands for them in its shapes, and where they are when its code runs.

use crate::index::Ix;
use mapwright_mlir::stand_ins::{self, Numerals};
use mapwright_mlir::{Builder, Val};
use std::{cell::RefCell, rc::Rc};

/// A size that follows from others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Derived {
    /// A size and a number.
    Plus(i64, i64),
    /// A size divided by a number, rounded up.
    Parts(i64, i64),
}

/// The run-time sizes of a region; copies share what is derived.
#[derive(Clone, Default)]
pub(crate) struct RunTime {
    /// What stands for each of them, and its place among the kernel's arguments that are sizes.
    named: Vec<(i64, usize)>,
    /// What stands for those that follow from others, in the order in which they do.
    derived: Rc<RefCell<Vec<(i64, Derived)>>>,
}

impl RunTime {
    /// Of these sizes of tensors, in the order of the kernel's arguments; those that stand for nothing are known to be what they are.
    pub fn new(sizes: impl Iterator<Item = i64>) -> Self {
        let mut named: Vec<(i64, usize)> = Vec::new();
        for (place, size) in sizes.enumerate() {
            if stand_ins::is_stand_in(size) && named.iter().all(|(other, _)| *other != size) {
                named.push((size, place));
            }
        }
        Self {
            named,
            derived: Rc::default(),
        }
    }

    /// Is everything known at compile time?
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// May a number be greater than its value here, because a size stands for one that is?
    pub fn may_exceed(&self, number: i64) -> bool {
        !self.is_empty() && number.unsigned_abs() > stand_ins::LEAST.unsigned_abs()
    }

    /// Is the number a multiple of a run-time size?
    pub fn contain(&self, size: i64) -> bool {
        !self.is_empty()
            && size > stand_ins::LEAST
            && (self.named.iter().any(|(stand_in, _)| size % stand_in == 0)
                || self
                    .derived
                    .borrow()
                    .iter()
                    .any(|(stand_in, _)| size % stand_in == 0))
    }

    /// A size that decisions depend on: of those that are known at run time only, what may be expected.
    pub fn expected(&self, size: i64) -> i64 {
        if self.is_empty() || size <= stand_ins::LEAST {
            return size;
        }
        let derived = self.derived.borrow();
        let all = self
            .named
            .iter()
            .map(|(n, _)| n)
            .chain(derived.iter().map(|(n, _)| n));
        all.fold(size, |mut size, stand_in| {
            while size >= *stand_in && size % stand_in == 0 {
                size = size / stand_in * stand_ins::typical(*stand_in);
            }
            size
        })
    }

    /// What stands for a size that follows from others; where it is known at compile time, itself.
    pub fn derive(&self, how: Derived) -> i64 {
        let (of, value) = match how {
            Derived::Plus(of, by) => (of, of + by),
            Derived::Parts(of, by) => (of, (of + by - 1) / by),
        };
        if !self.contain(of) || how == Derived::Plus(of, 0) {
            return value;
        }
        let mut derived = self.derived.borrow_mut();
        if let Some((known, _)) = derived.iter().find(|(_, other)| *other == how) {
            return *known;
        }
        // The last names of the set, which no tensor of a region has.
        let first = self.named.first().map_or(0, |(stand_in, _)| *stand_in);
        let second = (0..stand_ins::NAMES).all(|k| stand_ins::stand_in(k) != Some(first));
        let last = stand_ins::NAMES * (1 + usize::from(second)) - 1;
        let Some(stand_in) = stand_ins::stand_in(last - derived.len()) else {
            return value;
        };
        derived.push((stand_in, how));
        stand_in
    }

    /// Makes the sizes known to the builder of a function, whose `arguments` these are.
    pub fn name<'c>(&self, b: &Builder<'c>, arguments: &[Val<'c>]) {
        if self.is_empty() {
            return;
        }
        let mut sizes: Vec<(i64, Val<'c>)> = (self.named.iter())
            .map(|(stand_in, at)| (*stand_in, arguments[*at]))
            .collect();
        let known = |sizes: &[(i64, Val<'c>)]| {
            b.set_numerals(Numerals {
                sizes: sizes.to_vec(),
            });
        };
        known(&sizes);
        for (stand_in, how) in self.derived.borrow().iter() {
            let value = match how {
                Derived::Plus(of, by) => b.addi(b.cidx(*of), b.cidx(*by)),
                Derived::Parts(of, by) => self.parts(b, *of, *by).value(b),
            };
            sizes.push((*stand_in, value));
            known(&sizes);
        }
    }

    /// All that tensors have, in code.
    pub fn all<'c>(&self, b: &Builder<'c>) -> Vec<Val<'c>> {
        self.named.iter().map(|(size, _)| b.cidx(*size)).collect()
    }

    /// A size as a number, or as what it is at run time.
    pub fn size<'c>(&self, b: &Builder<'c>, size: i64) -> Ix<'c> {
        match self.contain(size) {
            true => Ix::Value(b.cidx(size)),
            false => Ix::Known(size),
        }
    }

    /// In how many parts of `by` elements `size` elements are cut.
    pub fn parts<'c>(&self, b: &Builder<'c>, size: i64, by: i64) -> Ix<'c> {
        match (self.contain(size), by) {
            (false, _) => Ix::Known((size + by - 1) / by),
            (true, 1) => self.size(b, size),
            (true, _) => {
                let up = b.addi(b.cidx(size), b.cidx(by - 1));
                Ix::Value(b.divui(up, b.cidx(by)))
            }
        }
    }
}
