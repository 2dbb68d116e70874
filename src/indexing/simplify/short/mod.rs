//! The short way: maps of few variables and small numbers whose expressions are sums of variables, of digits of variables, and of
//! quotients and remainders that stay as they are or fall into such sums at once. What the rules would make of them is known beforehand,
//! so they are written as they will stand: nothing is interned that is not in the result, and no number is looked at twice.
//!
//! `(m * x + r) floordiv m -> x` and `(m * x + r) mod m -> r` for r in one period of m; a digit of a variable stays a digit where the
//! variable has more values than fit into a period; `c * (v, a, m) + c * (m / a) * (v, m, b) -> c * (v, a, b)`; numerals are divided at
//! the factor at which they split. Everything else takes the long way, which gives the same result where both lead (`tests/short.rs`
//! compares them).
//!
//! `sum.rs` is what a sum is, `digits.rs` what becomes of digits, `quotients.rs` and `remainders.rs` which quotients and remainders stay,
//! `split.rs` at which factors of a divisor sums split, `read.rs` and `write.rs` the ways from expressions and back, `one.rs` a shorter one
//! where there is one variable only, `constraints.rs` what constraints say (with `decompose.rs`, and `parts.rs` where there are digits and
//! quotients in them), `window.rs` what one remainder in an interval is, and `windows.rs` what follows from it.

mod constraints;
mod decompose;
mod digits;
mod one;
mod parts;
mod quotients;
mod read;
mod remainders;
mod split;
mod sum;
mod window;
mod windows;
mod write;

use super::arena::{Arena, Class, Node, NodeId};
use super::driver::ConstraintList;
use super::known::{Empty, Known, Outcome};
use crate::expr::Op;
use crate::interval::Interval;
use constraints::{Again, Round};
use parts::RangeOfParts;
use read::Reading;
pub(super) use read::Scratch;
use sum::{Bits, Few, MOST_VARIABLES, SMALL, VARIABLES, Values, small, value};

/// Constraints beyond which a map takes the long way.
const FEW: usize = 8;

/// The working memory of the short way.
#[derive(Clone, Debug)]
pub(super) struct Short {
    /// What was known of the variables when the round began, and what is known now.
    values: Values,
    known: Values,
    /// Another one for each time that sums of variables may become others.
    generation: u64,
    /// A variable that was given is `scale * v + offset` of the one that is counted now.
    rescaled: [(i64, i64); VARIABLES],
    is_rescaled: bool,
    count: usize,
    dims: usize,
    ranges: usize,
    /// The constraints of this round and of the last one; in the end what is left of them.
    round: Round,
    last: Round,
    /// The factors of quotients whose signs are open: with the other sign they are the negations of these, and as long if no number is
    /// one.
    open: Few<i64, 4>,
    /// Digits may go the short way.
    shortens: bool,
    /// Constraints say something of sums; and all that they say but of remainders is in the round.
    bounded: bool,
    sums_are_known: bool,
}

/// How constraints were settled.
pub(super) enum Settled {
    Empty,
    Short,
    /// Not on this way.
    Not,
}

const NOTHING: Known = Known {
    interval: Interval { lower: 0, upper: 0 },
    stride: 1,
    offset: 0,
};

impl Default for Short {
    fn default() -> Self {
        Short {
            values: [NOTHING; VARIABLES],
            known: [NOTHING; VARIABLES],
            generation: 0,
            rescaled: [(1, 0); VARIABLES],
            is_rescaled: false,
            count: 0,
            dims: 0,
            ranges: 0,
            round: Round::default(),
            last: Round::default(),
            open: Few::default(),
            shortens: true,
            bounded: false,
            sums_are_known: false,
        }
    }
}

impl Short {
    /// Starts with what is known of the variables: dimensions, ranges, runtime; false if they are too many or too large.
    pub(super) fn start(
        &mut self,
        known: impl ExactSizeIterator<Item = Known>,
        dims: usize,
        ranges: usize,
    ) -> bool {
        self.count = known.len();
        if self.count > MOST_VARIABLES {
            return false;
        }
        for (i, known) in known.enumerate() {
            let Interval { lower, upper } = known.interval;
            if value(lower).is_none() || value(upper).is_none() || known.stride > SMALL {
                return false;
            }
            self.known[i] = known;
            self.rescaled[i] = (1, 0);
        }
        self.values[..self.count].copy_from_slice(&self.known[..self.count]);
        self.generation += 1;
        self.is_rescaled = false;
        (self.dims, self.ranges) = (dims, ranges);
        self.round.clear();
        self.open.clear();
        (self.shortens, self.bounded, self.sums_are_known) = (true, false, false);
        true
    }

    /// What is known of the variables.
    pub(super) fn known(&self) -> &[Known] {
        &self.known[..self.count]
    }

    /// What is known of the variables now is what the next round starts with.
    fn begin_round(&mut self) {
        let mut points = false;
        for (value, known) in self.values[..self.count].iter_mut().zip(&self.known) {
            let is_point = |k: &Known| k.interval.lower == k.interval.upper;
            points |= is_point(value) != is_point(known);
            *value = *known;
        }
        // What a sum of variables is depends on which of them have a single value.
        self.generation += u64::from(points);
    }

    /// Whether range variables were rescaled.
    pub(super) fn is_rescaled(&self) -> bool {
        self.is_rescaled
    }

    /// The range variables that were rescaled: variable, scale, offset.
    pub(super) fn rescaled(&self) -> impl Iterator<Item = (usize, i64, i64)> {
        let count = if self.is_rescaled { self.count } else { 0 };
        let all = self.rescaled[..count].iter().enumerate();
        all.filter(|(_, r)| **r != (1, 0))
            .map(|(i, r)| (i, r.0, r.1))
    }

    /// What constraints that took the long way say: of the digits of variables, and of sums.
    pub(super) fn assume(&mut self, of_digits: bool, of_sums: bool) {
        self.shortens = !of_digits;
        self.bounded = of_sums;
    }

    /// Whether a quotient may be shorter with the other sign.
    pub(super) fn may_be_shorter(&self, arena: &Arena) -> bool {
        self.open.iter().any(|c| arena.has_constant(-c))
    }

    /// The place of a variable among all.
    #[inline(always)]
    fn place(&self, class: Class, i: u32) -> Option<usize> {
        let first = match class {
            Class::Dim => 0,
            Class::Range => self.dims,
            Class::Runtime => self.dims + self.ranges,
        };
        let place = first + i as usize;
        (place < self.count).then_some(place)
    }

    fn is_strided(&self) -> bool {
        self.values[..self.count].iter().any(|k| k.stride > 1)
    }

    /// As [`Simplifier::settle`](super::Simplifier::settle), and range variables of a fixed stride are rescaled.
    pub(super) fn settle(
        &mut self,
        arena: &Arena,
        constraints: &[(NodeId, Interval)],
        scratch: &mut Scratch,
    ) -> Settled {
        if constraints.is_empty() {
            return Settled::Short;
        }
        match self.settle_all(arena, constraints, scratch) {
            None => Settled::Not,
            Some(Err(Empty)) => Settled::Empty,
            Some(Ok(())) => Settled::Short,
        }
    }

    fn settle_all(
        &mut self,
        arena: &Arena,
        constraints: &[(NodeId, Interval)],
        scratch: &mut Scratch,
    ) -> Option<Outcome> {
        if constraints.len() > FEW {
            return None;
        }
        // What constraints say of the remainders of single variables is known from the start.
        let mut rest = 0;
        for (i, constraint) in constraints.iter().enumerate() {
            match self.congruence_of(arena, constraint) {
                None => rest |= 1 << i,
                Some((v, m, r)) => {
                    if let Err(Empty) = self.add_congruence(v, m, r)? {
                        return Some(Err(Empty));
                    }
                }
            }
        }
        if rest + 1 != 1 << constraints.len() {
            self.begin_round();
        }
        for i in Bits(rest) {
            let (node, interval) = &constraints[i];
            // More than any sum can be.
            let end = |v: i64| v.clamp(-sum::FAR, sum::FAR);
            let ends = (end(interval.lower), end(interval.upper));
            self.shortens = true;
            if let Err(Empty) = self.read_constraint(arena, *node, ends, scratch)? {
                return Some(Err(Empty));
            }
        }
        loop {
            if let Err(Empty) = self.rounds()? {
                return Some(Err(Empty));
            }
            if !self.rescale()? {
                break;
            }
            if let Err(Empty) = self.add_again(Again::OfOtherVariables)? {
                return Some(Err(Empty));
            }
        }
        let Round {
            ranges,
            windows,
            sums,
            ..
        } = &mut self.round;
        if ranges.len() > 1 {
            ranges.sort_by(|x, y| x.sum.order(&y.sum));
        }
        if windows.len() > 1 {
            windows.sort_by(|x, y| x.sum.order(&y.sum));
        }
        if sums.len() > 1 {
            sums.sort_by(RangeOfParts::order);
        }
        // What they say of sums, and of digits of sums, is nothing about a digit of one variable.
        self.shortens = self.round.windows.iter().all(|w| w.variable().is_none());
        self.bounded = !self.round.is_empty();
        self.sums_are_known = true;
        Some(Ok(()))
    }

    /// The constraint as a congruence of one variable: variable, modulus, remainder.
    fn congruence_of(
        &self,
        arena: &Arena,
        (node, interval): &(NodeId, Interval),
    ) -> Option<(usize, i64, i64)> {
        let Node::Binary(Op::Mod, x, m) = arena.node(*node) else {
            return None;
        };
        let Node::Variable(class, i) = arena.node(x) else {
            return None;
        };
        let m = self.divisor(arena, m)?;
        let r = interval.as_point().filter(|r| (0..m).contains(r))?;
        Some((self.place(class, i)?, m, r))
    }

    /// Reads a constraint and adds what it says.
    fn read_constraint(
        &mut self,
        arena: &Arena,
        node: NodeId,
        ends: (i64, i64),
        scratch: &mut Scratch,
    ) -> Option<Outcome> {
        if let Node::Binary(op @ (Op::FloorDiv | Op::CeilDiv | Op::Mod), x, m) = arena.node(node) {
            let m = self.divisor(arena, m)?;
            if !self.is_read(&scratch.inner, x)
                && let Some(one) = self.read_one(arena, x)
            {
                return self.add_divided_of_one(op, one, m, ends);
            }
            let reading = &mut Reading::of(x);
            let read = self.read_terms(arena, x, &mut scratch.inner, reading);
            if read.is_some() && scratch.inner.is_linear() {
                return self.add_divided(op, &scratch.inner.linear, m, ends);
            }
            if read.is_some()
                && op == Op::Mod
                && let Some((sum, modulus)) = self.dividend_of_quotient(&scratch.inner, 0, m)?
            {
                return self.add_remainder_of_quotient((&sum, modulus), modulus / m, ends);
            }
        } else if let Node::Variable(class, i) = arena.node(node)
            && !self.is_rescaled
        {
            return Some(self.intersect(self.place(class, i)?, ends));
        } else if self.is_read(&scratch.inner, node) {
            // Often the sum of a window that stands before it.
            let sum = scratch.inner.linear;
            return self.add_range(&sum, ends);
        } else if let Some(one) = self.read_one(arena, node) {
            return Some(self.add_range_of_one(one, ends));
        }
        self.read(arena, scratch, &mut Reading::of(node))?;
        self.add_constraint(&scratch.sum, ends)
    }

    /// `s mod m in [r, r]` for range variables: `s = m * s' + r`. True if there was one: what is left has to be read again.
    fn rescale(&mut self) -> Option<bool> {
        let of_ranges = self.dims..self.dims + self.ranges;
        if self.known[of_ranges.clone()].iter().all(|k| k.stride <= 1) {
            return Some(false);
        }
        for v in of_ranges {
            let Known {
                interval,
                stride,
                offset,
            } = self.known[v];
            if stride <= 1 {
                continue;
            }
            let count = |end: i64| (end - offset).div_euclid(stride);
            let interval = Interval::new(count(interval.lower), count(interval.upper));
            self.known[v] = Known::new(interval);
            let (scale, moved) = self.rescaled[v];
            self.rescaled[v] = (small(scale * stride)?, small(scale * offset + moved)?);
            let windows = self.round.windows.iter_mut().map(|w| &mut w.sum);
            let ranges = self.round.ranges.iter_mut().map(|r| &mut r.sum);
            for sum in ranges.chain(windows) {
                let coef = sum.coef(v);
                sum.add_constant(coef * offset)?;
                sum.set(v, small(coef * stride)?);
            }
        }
        self.is_rescaled = true;
        self.begin_round();
        self.generation += 1;
        Some(true)
    }

    /// Adds what is left of the constraints, in canonical order.
    pub(super) fn write_constraints(&self, arena: &mut Arena, constraints: &mut ConstraintList) {
        let mut sums = self.round.sums.iter().peekable();
        for r in &self.round.ranges {
            while let Some(s) = sums.next_if(|s| s.order_with(&r.sum, &self.values).is_lt()) {
                constraints.push((self.write_parts(arena, &s.parts), s.interval()));
            }
            let node = self.write_linear(arena, &r.sum);
            constraints.push((node, Interval::new(r.lower, r.upper)));
        }
        for s in sums {
            constraints.push((self.write_parts(arena, &s.parts), s.interval()));
        }
        for w in &self.round.windows {
            let negated = w.negated(&self.values);
            let w = negated.as_ref().unwrap_or(w);
            let (shift, values) = w.unwrapped();
            // There is often a range of the same sum.
            let alone = self.round.sums.is_empty();
            let ranges = self.round.ranges.iter().filter(|_| alone);
            let mut ranges = ranges.zip(constraints.iter());
            let node = match ranges.find(|(r, _)| shift == 0 && r.sum.has_terms_of(&w.sum)) {
                Some((_, constraint)) => constraint.0,
                None => {
                    let mut sum = w.sum;
                    sum.k = shift;
                    self.write_linear(arena, &sum)
                }
            };
            let m = arena.constant(w.m);
            constraints.push((arena.binary(Op::Mod, node, m), values));
        }
        for (v, known) in self.known[..self.count].iter().enumerate() {
            if known.stride > 1 {
                let x = self.variable(arena, v);
                let m = arena.constant(known.stride);
                let node = arena.binary(Op::Mod, x, m);
                constraints.push((node, Interval::point(known.offset)));
            }
        }
    }

    /// A result as it is written in canonical form, if the short way leads there.
    pub(super) fn result(
        &mut self,
        arena: &mut Arena,
        root: NodeId,
        scratch: &mut Scratch,
    ) -> Option<NodeId> {
        if let Some(node) = self.result_of_one(arena, root, &scratch.inner) {
            return Some(node);
        }
        self.read(arena, scratch, &mut Reading::of(root))?;
        self.write(arena, &mut scratch.sum)
    }
}
