//! Sizes that are known at run time only, as values of type `index`.

use super::{Builder, CmpI};
use crate::{Op, Val, op};
use mapwright_indexing::{Extent, Factor};

impl<'c> Builder<'c> {
    /// From here on `value` is this size. What follows from sizes is computed once, in front of the
    /// operation that is made next.
    pub fn set_size(&self, size: Extent, value: Val<'c>) {
        self.note_size(value);
        self.sizes.borrow_mut().insert(size, value);
    }

    /// A number or a size, of type `index`.
    pub fn cidx(&self, size: impl Into<Extent>) -> Val<'c> {
        let size = size.into();
        if let Some(number) = size.as_constant() {
            return self.cint(number, self.index());
        }
        if let Some(known) = self.sizes.borrow().get(&size) {
            return *known;
        }
        let outside = (self.block.get(), self.before.get());
        self.block.set(self.entry);
        self.before.set(self.behind_sizes());
        let value = self.computed_size(size);
        self.block.set(outside.0);
        self.before.set(outside.1);
        self.sizes.borrow_mut().insert(size, value);
        self.note_size(value);
        value
    }

    /// Sizes are computed behind what makes `value` from here on, if that is in the entry block.
    fn note_size(&self, value: Val<'c>) {
        let made = op::defining_op(value).map(|(made, _)| made);
        let Some(made) = made.filter(|made| made.block() == Some(self.entry)) else {
            return;
        };
        let is_last = (self.last_size.get()).is_none_or(|last| op::is_before(last, made));
        if is_last && made.name() != "arith.constant" {
            self.last_size.set(Some(made));
        }
    }

    /// The first operation of the entry block behind constants and memory, which come to its front,
    /// and behind what sizes are made of.
    fn behind_sizes(&self) -> Option<Op<'c>> {
        let mut at = match self.last_size.get() {
            Some(last) => op::next(last),
            None => op::first(self.entry),
        };
        let is_in_front = |op: &Op<'c>| matches!(op.name(), "arith.constant" | "memref.alloca");
        while let Some(op) = at.filter(is_in_front) {
            at = op::next(op);
        }
        at
    }

    fn computed_size(&self, size: Extent) -> Val<'c> {
        let (parts, constant) = size.parts();
        let product = |(factors, times): (&[Factor], i64)| {
            let all = factors.iter().map(|factor| self.factor(*factor));
            let all = all.reduce(|a, b| self.muli(a, b));
            match (all, times) {
                (Some(all), 1) => all,
                (Some(all), times) => self.muli(all, self.cidx(times)),
                (None, times) => self.cidx(times),
            }
        };
        let sum = parts.into_iter().map(product);
        match (sum.reduce(|a, b| self.addi(a, b)), constant) {
            (Some(sum), 0) => sum,
            (Some(sum), constant) => self.addi(sum, self.cidx(constant)),
            (None, constant) => self.cidx(constant),
        }
    }

    fn factor(&self, factor: Factor) -> Val<'c> {
        let known = Extent::from(factor);
        if let Some(known) = self.sizes.borrow().get(&known) {
            return *known;
        }
        let value = match factor {
            // A name without a value is a fault of whoever asks. It must not become a number: this
            // operation has no translation, so that an error says it.
            Factor::Name(_) | Factor::Integer(_) => {
                self.op1("builtin.unrealized_conversion_cast", &[], self.index(), &[])
            }
            Factor::Quotient(a, b) => {
                let is_positive = b.as_constant().is_some_and(|n| n > 0);
                let is_plain = a.is_at_least(0);
                let (a, mut b) = (self.cidx(a), self.cidx(b));
                if !is_positive {
                    // Where there are no elements nothing is divided, but the quotient is computed.
                    b = self.maxsi(b, self.cidx(1));
                }
                if is_plain {
                    self.divui(a, b)
                } else {
                    let (quotient, rest) = (self.divsi(a, b), self.remsi(a, b));
                    let below = self.cmpi(CmpI::Slt, rest, self.cidx(0));
                    let less = self.subi(quotient, self.cidx(1));
                    self.select(below, less, quotient)
                }
            }
            Factor::Least(a, b) => self.minsi(self.cidx(a), self.cidx(b)),
            Factor::Greatest(a, b) => self.maxsi(self.cidx(a), self.cidx(b)),
        };
        self.sizes.borrow_mut().insert(known, value);
        self.note_size(value);
        value
    }
}
