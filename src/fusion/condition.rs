//! Conditions under which a piece of a map applies, as bounds on an expression.

use mapwright_indexing::linear::{Atom, FAR, Facts, Sum};

/// So far from each other are numbers, at most, that come from one run-time size.
const NEAR: i64 = 512;

/// `lo <= lin <= hi`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// The number.
    pub lin: Sum,
    /// Least value.
    pub lo: i64,
    /// Greatest value.
    pub hi: i64,
    /// Can it be a mask? What is read where it does not hold is an element of the operand too, as long as the other conditions hold.
    pub mask: bool,
}

impl Condition {
    /// `lo <= lin <= hi`, of the dividend where `lin` is a quotient. Said of the distance from `lo`, so that equal conditions look alike.
    pub fn between(lin: &Sum, lo: i64, hi: i64) -> Self {
        if let ([(atom, 1)], None) = (lin.terms.as_slice(), lin.as_var())
            && atom.high.is_none()
        {
            let scaled = |x: i64| x.checked_sub(lin.constant)?.checked_mul(atom.low);
            let last = scaled(hi).and_then(|hi| hi.checked_add(atom.low - 1));
            if let (Some(lo), Some(hi), false) = (scaled(lo), last, atom.is_whole()) {
                return Self::between(&atom.base_sum(), lo, hi);
            }
        }
        let (lo, hi) = (lo.max(-FAR), hi.min(FAR));
        Self {
            lin: lin.offset(-lo),
            lo: 0,
            hi: hi - lo,
            mask: false,
        }
    }

    /// `lo <= lin mod m <= hi`. The remainder is not simplified, also where the ranges say more: it stays a pattern.
    pub fn remainder(lin: Sum, m: i64, lo: i64, hi: i64) -> Self {
        Self {
            lin: lin.pattern(m),
            lo,
            hi,
            mask: true,
        }
    }

    /// The condition as one that can be a mask, if `mask` is set.
    #[must_use]
    pub fn masking(mut self, mask: bool) -> Self {
        self.mask |= mask;
        self
    }

    /// Does it hold at some values of one loop variable, in a pattern that repeats itself (a remainder), and can be a mask?
    pub fn is_periodic(&self) -> bool {
        let (mut vars, mut values) = (Vec::new(), Vec::new());
        self.lin.variables(&mut vars);
        self.lin.values(&mut values);
        vars.dedup();
        let digit = |(atom, _): &(Atom, i64)| !atom.is_whole();
        self.mask && vars.len() == 1 && values.is_empty() && self.lin.terms.iter().any(digit)
    }

    /// Do the ranges tell that it holds, whatever run-time sizes are? They tell it where both ends are those of the same size; of different ones one
    /// may be greater than the other.
    pub fn holds_for_every_size(&self, ranges: &Facts) -> bool {
        let (lo, hi) = self.lin.range(ranges);
        let close = |distance: i64| (0..=NEAR).contains(&distance);
        close(lo.saturating_sub(self.lo))
            && (close(self.hi.saturating_sub(hi)) || self.hi >= FAR / 2)
    }

    /// Decided by the ranges: always true, never true, or `None`.
    pub fn decide(&self, ranges: &Facts) -> Option<bool> {
        let (lo, hi) = self.lin.range(ranges);
        if self.lo <= lo && hi <= self.hi {
            return Some(true);
        }
        (hi < self.lo || self.hi < lo).then_some(false)
    }
}

/// Are all conditions true? `None` if the ranges do not tell.
pub fn all(conditions: &[Condition], ranges: &Facts) -> Option<bool> {
    let mut known = Some(true);
    for condition in conditions {
        match condition.decide(ranges) {
            Some(false) => return Some(false),
            Some(true) => {}
            None => known = None,
        }
    }
    known
}
