//! Conditions under which a piece of a map applies, as bounds on an expression.

use mapwright_indexing::linear::{Atom, FAR, Facts, Sum, VarId};
use mapwright_mlir::stand_ins::{self, NEAR};

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
    /// Does a piece end where a size says that is known at run time only? The numbers of the condition do not tell whether it holds.
    pub run_time: bool,
    /// Is it about an element of a window? The element may be left out where the condition does not hold, each by itself.
    pub window: bool,
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
            run_time: false,
            window: false,
        }
    }

    /// `lo <= lin mod m <= hi`. The remainder is not simplified, also where the ranges say more: it stays a pattern.
    pub fn remainder(lin: Sum, m: i64, lo: i64, hi: i64) -> Self {
        Self {
            lin: lin.pattern(m),
            lo,
            hi,
            mask: true,
            run_time: false,
            window: false,
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

    /// The condition, of a piece that ends where a run-time size says, if `run_time` is set.
    #[must_use]
    pub fn at_run_time(mut self, run_time: bool) -> Self {
        self.run_time |= run_time;
        self
    }

    /// The condition, of an element of a window.
    #[must_use]
    pub fn of_window(mut self) -> Self {
        self.window = true;
        self
    }

    /// As [`Condition::decide`], with an answer only where it is the same whatever run-time sizes are.
    pub fn decide_for_every_size(&self, ranges: &Facts) -> Option<bool> {
        let mut vars = Vec::new();
        self.lin.variables(&mut vars);
        let sized = |var: &VarId| stand_ins::is_stand_in(ranges.vars[*var].1 + 1);
        match vars.iter().any(sized) {
            _ if self.run_time => None,
            true => self.holds_for_every_size(ranges).then_some(true),
            false => self.decide(ranges),
        }
    }

    /// The variable over a dimension of run-time size that it bounds by itself, the least value, and the one behind the greatest.
    pub fn bounds_at_run_time(&self, ranges: &Facts) -> Option<(VarId, (i64, i64))> {
        let [(atom, 1)] = self.lin.terms.as_slice() else {
            return None;
        };
        let var = atom.as_var()?;
        let c = self.lin.constant;
        let bounds = (self.lo - c, self.hi.saturating_add(1) - c);
        stand_ins::is_stand_in(ranges.vars[var].1 + 1).then_some((var, bounds))
    }

    /// Of the condition of an element of a window that is not about a place in a loop alone, but about multiples of it, or about what is read at run
    /// time: `k`, the variable of the loop, and the bounds of what is added to `k` times it. Where in the loop it holds cannot be told by numbers.
    pub fn over_steps(&self, ranges: &Facts) -> Option<(i64, VarId, (i64, i64))> {
        if !self.window {
            return None;
        }
        let mut found = None;
        let mut rest = Sum::constant(self.lin.constant);
        for (atom, k) in &self.lin.terms {
            match (atom.as_var(), found) {
                (Some(var), None) if *k > 0 => found = Some((*k, var)),
                _ if atom.as_value().is_some() => {
                    rest = rest.plus_scaled(&Sum::atom(atom.clone()), *k);
                }
                _ => return None,
            }
        }
        let (k, var) = found?;
        let plain = k == 1 && rest.terms.is_empty();
        let sized = stand_ins::is_stand_in(ranges.vars[var].1 + 1);
        let (lo, hi) = rest.range(ranges);
        let told = plain || rest.terms.is_empty() && !sized;
        (!told && -FAR < lo && hi < FAR).then_some((k, var, (lo, hi)))
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

/// Where a loop over a dimension of run-time size is cut, ascending, for pieces each of which goes from one number to another. `None` where nothing
/// says which of two ends comes first: the sizes of pieces are not negative, and what stands for different sizes tells no more than that.
pub fn cuts_of_pieces(pieces: &[(i64, i64)]) -> Option<Vec<i64>> {
    let mut cuts: Vec<i64> = pieces.iter().flat_map(|(from, to)| [*from, *to]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    cuts.retain(|cut| !(-stand_ins::LEAST / 2..=0).contains(cut));
    let small = |n: i64| n < stand_ins::LEAST / 2;
    let follows = |a: i64, b: i64| {
        // Two numbers that come from one size.
        let close = b - a < stand_ins::APART / 2;
        small(b) || close || pieces.contains(&(a, b))
    };
    let known = cuts.windows(2).all(|pair| follows(pair[0], pair[1]));
    (known && cuts.first().is_none_or(|cut| *cut > 0)).then_some(cuts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapwright_mlir::stand_ins::stand_in;

    #[test]
    fn pieces_say_in_which_order_they_come() {
        let (n, m) = (stand_in(0).unwrap(), stand_in(1).unwrap());
        assert_eq!(cuts_of_pieces(&[(0, n)]), Some(vec![n]));
        assert_eq!(cuts_of_pieces(&[(0, n), (n, n + m)]), Some(vec![n, n + m]));
        assert_eq!(cuts_of_pieces(&[(1, n + 1)]), Some(vec![1, n + 1]));
        assert_eq!(cuts_of_pieces(&[(-2, n - 2), (0, 3)]), None);
        assert_eq!(cuts_of_pieces(&[(0, n), (0, m)]), None);
        assert_eq!(cuts_of_pieces(&[(0, 2 * n), (0, m)]), None);
        assert_eq!(cuts_of_pieces(&[(-n, 0)]), None);
    }
}
