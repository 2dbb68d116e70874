//! The run-time sizes of a region: what stands for them in its shapes, and where they are when its code runs.

use crate::index::{Ix, Truth, product};
use mapwright_mlir::stand_ins::{self, Numeral, Numerals};
use mapwright_mlir::{Builder, CmpI, Val};
use std::{cell::RefCell, rc::Rc};

/// A size that follows from others. Either number may be known at run time only; what is divided by is not zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Derived {
    /// A size and a number.
    Plus(i64, i64),
    /// Two sizes.
    Sum(i64, i64),
    /// A size divided by a number, rounded up.
    Parts(i64, i64),
    /// A number divided by another one, rounded down.
    Quotient(i64, i64),
    /// The smaller one.
    Min(i64, i64),
    /// The larger one.
    Max(i64, i64),
    /// A size, and the second number more where it is a multiple of the third.
    Unlike(i64, i64, i64),
}

impl Derived {
    /// The value for known numbers.
    fn value(self) -> i64 {
        match self {
            Self::Plus(x, y) | Self::Sum(x, y) => x + y,
            Self::Parts(x, y) => (x + y - 1) / y.max(1),
            Self::Quotient(x, y) => x / y.max(1),
            Self::Min(x, y) => x.min(y),
            Self::Max(x, y) => x.max(y),
            Self::Unlike(x, more, of) if x % of.max(1) == 0 => x + more,
            Self::Unlike(x, ..) => x,
        }
    }

    /// The same of other numbers.
    fn with(self, f: &dyn Fn(i64) -> i64) -> Self {
        match self {
            Self::Plus(x, y) => Self::Plus(f(x), y),
            Self::Sum(x, y) => Self::Sum(f(x), f(y)),
            Self::Parts(x, y) => Self::Parts(f(x), f(y)),
            Self::Quotient(x, y) => Self::Quotient(f(x), f(y)),
            Self::Min(x, y) => Self::Min(f(x), f(y)),
            Self::Max(x, y) => Self::Max(f(x), f(y)),
            Self::Unlike(x, more, of) => Self::Unlike(f(x), more, of),
        }
    }

    /// The numbers that may be known at run time only.
    fn numbers(self) -> [i64; 2] {
        match self {
            Self::Plus(x, _) | Self::Unlike(x, ..) => [x, 0],
            Self::Sum(x, y)
            | Self::Parts(x, y)
            | Self::Quotient(x, y)
            | Self::Min(x, y)
            | Self::Max(x, y) => [x, y],
        }
    }

    /// The value in code; `b` knows the sizes that it follows from.
    fn code<'c>(self, b: &Builder<'c>) -> Val<'c> {
        let [x, y] = self.numbers().map(|n| Ix::Value(b.cidx(n)));
        let up = |by: i64| b.addi(x.value(b), b.cidx(by - 1));
        match self {
            Self::Plus(_, by) => b.addi(x.value(b), b.cidx(by)),
            Self::Sum(..) => x.add(b, y).value(b),
            Self::Parts(_, 1) => x.value(b),
            Self::Parts(_, by) => b.divui(up(by), y.value(b)),
            Self::Quotient(..) => x.div(b, y).value(b),
            Self::Min(..) => x.min(b, y).value(b),
            Self::Max(..) => x.max(b, y).value(b),
            Self::Unlike(_, more, of) => {
                let alike = x.rem(b, Ix::Known(of)).compare(b, CmpI::Eq, Ix::Known(0));
                let larger = b.addi(x.value(b), b.cidx(more));
                match alike {
                    Truth::Value(alike) => b.select(alike, larger, x.value(b)),
                    Truth::Known(alike) => [x.value(b), larger][usize::from(alike)],
                }
            }
        }
    }
}

/// A number of elements as factors, each of which is known or a multiple of run-time sizes, and how many more there are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Amount {
    pub factors: Vec<i64>,
    pub more: i64,
}

impl Amount {
    /// As a number, where it is known at compile time and not too large.
    pub fn known(&self, sizes: &RunTime) -> Option<i64> {
        if self.factors.iter().any(|n| sizes.contain(*n)) {
            return None;
        }
        let product = self.factors.iter().try_fold(1i64, |n, m| n.checked_mul(*m));
        product?.checked_add(self.more)
    }

    /// As many as may be expected.
    pub fn expected(&self, sizes: &RunTime) -> f64 {
        let factors = self.factors.iter().map(|n| sizes.expected(*n) as f64);
        factors.product::<f64>() + self.more as f64
    }

    /// In code.
    pub fn value<'c>(&self, b: &Builder<'c>, sizes: &RunTime) -> Ix<'c> {
        let factors: Vec<Ix<'c>> = self.factors.iter().map(|n| sizes.size(b, *n)).collect();
        product(b, &factors).add(b, Ix::Known(self.more))
    }
}

/// Where the value of a size is found: among the kernel's arguments that are sizes, of which one is `times` the size.
#[derive(Clone, Copy, Debug)]
struct Place {
    argument: usize,
    times: i64,
}

/// The run-time sizes of a region; copies share what is derived.
#[derive(Clone, Default)]
pub(crate) struct RunTime {
    /// What stands for each of them, and where it is.
    named: Vec<(i64, Place)>,
    /// What stands for those that follow from others, in the order in which they do.
    derived: Rc<RefCell<Vec<(i64, Derived)>>>,
}

impl RunTime {
    /// Of these sizes of tensors, in the order of the kernel's arguments; those that stand for nothing are known to be what they are.
    pub fn new(sizes: impl Iterator<Item = i64>) -> Self {
        let mut found = Self::default();
        for (argument, size) in sizes.enumerate() {
            if let (&[stand_in], times) = (&*stand_ins::factors(size).0, stand_ins::factors(size).1)
            {
                found.add(stand_in, times, argument);
            }
        }
        found
    }

    /// Notes that `times` the size that `stand_in` stands for is the kernel's argument of this number among those that are sizes.
    pub fn add(&mut self, stand_in: i64, times: i64, argument: usize) {
        let place = Place { argument, times };
        let mut known = self.named.iter_mut();
        match known.find(|(other, _)| *other == stand_in) {
            Some((_, known)) if known.times > times => *known = place,
            Some(_) => {}
            None => self.named.push((stand_in, place)),
        }
    }

    /// Is everything known at compile time?
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// May a number be greater than its value here, because it is a size that stands for one that is, or a little less than one?
    pub fn may_exceed(&self, number: i64) -> bool {
        let least = stand_ins::LEAST - stand_ins::NEAR;
        !self.is_empty() && number.unsigned_abs() > least.unsigned_abs()
    }

    /// Are all sizes that a number stands for known? True for one that stands for none.
    pub fn know(&self, size: i64) -> bool {
        let derived = self.derived.borrow();
        let known = |n: &i64| {
            let mut all = self.stand_ins().chain(derived.iter().map(|(n, _)| *n));
            all.any(|other| other == *n)
        };
        stand_ins::factors(size).0.iter().all(known) || known(&size)
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

    /// Is the number a multiple of a size that a tensor has and that is known at run time only?
    pub fn divide(&self, number: i64) -> bool {
        number != 0 && self.stand_ins().any(|size| number % size == 0)
    }

    /// A size that decisions depend on: of those that are known at run time only, what may be expected.
    pub fn expected(&self, size: i64) -> i64 {
        if self.is_empty() || size <= stand_ins::LEAST {
            return size;
        }
        let derived = self.derived.borrow();
        let mut size = size;
        for (stand_in, how) in derived.iter() {
            if size % stand_in == 0 {
                let by = how.with(&|n| self.expected(n)).value();
                while size >= *stand_in && size % stand_in == 0 {
                    size = size / stand_in * by;
                }
            }
        }
        (self.named.iter()).fold(size, |mut size, (stand_in, _)| {
            while size >= *stand_in && size % stand_in == 0 {
                size = size / stand_in * stand_ins::typical(*stand_in);
            }
            size
        })
    }

    /// What stands for a size that follows from others; where it is known at compile time, itself.
    pub fn derive(&self, how: Derived) -> i64 {
        let numbers = how.numbers();
        if !numbers.iter().any(|n| self.contain(*n)) {
            return how.value();
        }
        match how {
            Derived::Plus(of, 0) | Derived::Parts(of, 1) | Derived::Quotient(of, 1) => return of,
            Derived::Min(x, y) | Derived::Max(x, y) if x == y => return x,
            _ => {}
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
            return how.value();
        };
        derived.push((stand_in, how));
        stand_in
    }

    /// Notes that the size that `stand_in` stands for is that of the parts together, and so many more; not if a part is none that is known.
    pub fn follows(&self, stand_in: i64, parts: &[i64], more: i64) {
        let Some((first, rest)) = parts.split_first() else {
            return;
        };
        if !parts.iter().all(|part| self.reads(*part)) {
            return;
        }
        let mut whole = *first;
        for part in rest {
            if !self.names_sum(whole + part, Some(whole)) {
                return;
            }
            whole += part;
        }
        self.derived
            .borrow_mut()
            .push((stand_in, Derived::Plus(whole, more)));
    }

    /// Can the number be emitted? The sum of two that can, of which `from` is the first, is made to be one more that stands for itself.
    pub fn names_sum(&self, number: i64, from: Option<i64>) -> bool {
        let two = from.map(|from| (from, number - from));
        let large = |n: i64| n.abs() >= stand_ins::LEAST / 2;
        match two.filter(|(a, b)| large(*a) && large(*b)) {
            // It may be near a multiple of another size by chance.
            Some((a, b))
                if self
                    .numeral(number)
                    .is_none_or(|read| read.constant != 0 || read.more.is_some()) =>
            {
                let known = self.reads(a) && self.reads(b);
                if known {
                    self.derived.borrow_mut().push((number, Derived::Sum(a, b)));
                }
                known
            }
            _ => self.reads(number),
        }
    }

    /// Is the number one that is known, or that is read back as an expression of sizes?
    fn reads(&self, number: i64) -> bool {
        number.abs() < stand_ins::LEAST / 2 || self.numeral(number).is_some()
    }

    /// A number that follows from sizes, as one that is known or a multiple of such a size. `None` if it is not read back.
    pub fn named(&self, number: i64) -> Option<i64> {
        if !self.may_exceed(number) || self.contain(number) {
            return Some(number);
        }
        let read = self.numeral(number)?;
        let whole = read.more.is_none().then(|| number - read.constant)?;
        Some(self.derive(Derived::Plus(whole, read.constant)))
    }

    fn numeral(&self, number: i64) -> Option<Numeral<()>> {
        let derived = self.derived.borrow();
        let all = self.stand_ins().chain(derived.iter().map(|(n, _)| *n));
        let numerals = Numerals {
            sizes: all.map(|n| (n, ())).collect(),
        };
        numerals.read(number)
    }

    /// Makes the sizes known to the builder of a function, whose `arguments` these are.
    pub fn name<'c>(&self, b: &Builder<'c>, arguments: &[Val<'c>]) {
        if self.is_empty() {
            return;
        }
        let size = |at: &Place| match at.times {
            1 => arguments[at.argument],
            times => b.divui(arguments[at.argument], b.cidx(times)),
        };
        let mut sizes: Vec<(i64, Val<'c>)> = (self.named.iter())
            .map(|(stand_in, at)| (*stand_in, size(at)))
            .collect();
        let known = |sizes: &[(i64, Val<'c>)]| {
            b.set_numerals(Numerals {
                sizes: sizes.to_vec(),
            });
        };
        known(&sizes);
        for (stand_in, how) in self.derived.borrow().iter() {
            sizes.push((*stand_in, how.code(b)));
            known(&sizes);
        }
    }

    /// What stands for those that tensors have.
    pub fn stand_ins(&self) -> impl Iterator<Item = i64> {
        self.named.iter().map(|(stand_in, _)| *stand_in)
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
        let how = Derived::Parts(size, by);
        match how.numbers().iter().any(|n| self.contain(*n)) {
            true => Ix::Value(how.code(b)),
            false => Ix::Known(how.value()),
        }
    }
}
