//! Conditions under which a piece of a map applies, as bounds on an expression.

use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Atom, FAR, Facts, Sum, VarId, is_near};

/// `lo <= lin <= hi`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// The number.
    pub lin: Sum,
    /// Least value.
    pub lo: Extent,
    /// Greatest value.
    pub hi: Extent,
    /// Whether it can be a mask: elements that are read where it does not hold are elements of the
    /// operand too, as long as the other conditions hold.
    pub mask: bool,
    /// Whether a piece ends where a size says that is known at run time only. The numbers of the
    /// condition do not tell whether it holds.
    pub run_time: bool,
    /// Whether it is about an element of a window. The element may be left out where the condition
    /// does not hold, each by itself.
    pub window: bool,
}

impl Condition {
    /// `lo <= lin <= hi`, of the dividend where `lin` is a quotient. Said of the distance from
    /// `lo`, so that equal conditions look alike.
    pub fn between(lin: &Sum, lo: impl Into<Extent>, hi: impl Into<Extent>) -> Self {
        let (lo, hi) = (lo.into(), hi.into());
        if let [(atom, k)] = lin.terms.as_slice()
            && *k == 1
            && !atom.is_whole()
            && atom.high.is_none()
        {
            let scaled = |x: Extent| (x - lin.constant).checked_mul(atom.low);
            let last = scaled(hi).and_then(|hi| hi.checked_add(atom.low - 1));
            if let (Some(lo), Some(hi)) = (scaled(lo), last) {
                return Self::between(&atom.base_sum(), lo, hi);
            }
        }
        let (lo, hi) = (near(lo), near(hi));
        Self {
            lin: lin.offset(-lo),
            lo: Extent::ZERO,
            hi: hi - lo,
            mask: false,
            run_time: false,
            window: false,
        }
    }

    /// `lo <= lin mod m <= hi`. The remainder is not simplified, also where the ranges say more: it
    /// stays a pattern.
    pub fn remainder(lin: Sum, m: Extent, lo: i64, hi: i64) -> Self {
        Self {
            lin: lin.pattern(m),
            lo: lo.into(),
            hi: hi.into(),
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

    /// Whether it holds at some values of one loop variable, in a pattern that repeats itself (a
    /// remainder), and can be a mask.
    pub fn is_periodic(&self) -> bool {
        let (mut vars, mut values) = (Vec::new(), Vec::new());
        self.lin.variables(&mut vars);
        self.lin.values(&mut values);
        vars.dedup();
        let digit = |(atom, _): &(Atom, Extent)| !atom.is_whole();
        self.mask && vars.len() == 1 && values.is_empty() && self.lin.terms.iter().any(digit)
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

    /// As [`Condition::decide`]; `None` where a piece ends where a size says that is known at run
    /// time only.
    pub fn decide_statically(&self, ranges: &Facts) -> Option<bool> {
        self.decide(ranges).filter(|_| !self.run_time)
    }

    /// The variable over a dimension of run-time size that it bounds by itself, the least value,
    /// and the one behind the greatest.
    pub fn bounds_at_run_time(&self, ranges: &Facts) -> Option<(VarId, (Extent, Extent))> {
        let [(atom, k)] = self.lin.terms.as_slice() else {
            return None;
        };
        let var = atom.as_var().filter(|_| *k == 1)?;
        let c = self.lin.constant;
        let bounds = (self.lo - c, self.hi + 1 - c);
        ranges.vars[var].1.is_run_time().then_some((var, bounds))
    }

    /// Of the condition of an element of a window that is not about a place in a loop alone, but
    /// about multiples of it, or about what is read at run time: `k`, the variable of the loop, and
    /// the bounds of what is added to `k` times it. Where in the loop it holds cannot be told by
    /// numbers.
    pub fn over_steps(&self, ranges: &Facts) -> Option<(i64, VarId, (Extent, Extent))> {
        if !self.window {
            return None;
        }
        let mut found = None;
        let mut rest = Sum::constant(self.lin.constant);
        for (atom, k) in &self.lin.terms {
            match (atom.as_var(), found) {
                (Some(var), None) if k.as_constant().is_some_and(|k| k > 0) => {
                    found = Some((k.as_constant()?, var));
                }
                _ if atom.as_value().is_some() => {
                    rest = rest.plus_scaled(&Sum::atom(atom.clone()), *k);
                }
                _ => return None,
            }
        }
        let (k, var) = found?;
        let plain = k == 1 && rest.terms.is_empty();
        let sized = ranges.vars[var].1.is_run_time();
        let (lo, hi) = rest.range(ranges);
        let told = plain || rest.terms.is_empty() && !sized;
        (!told && is_near(lo) && is_near(hi)).then_some((k, var, (lo, hi)))
    }

    /// Decided by the ranges, whatever run-time sizes are: always true, never true, or `None`.
    pub fn decide(&self, ranges: &Facts) -> Option<bool> {
        let (lo, hi) = self.lin.range(ranges);
        let unbounded = self.hi.as_constant().is_some_and(|end| end >= FAR / 2);
        let above = is_near(lo) && lo.is_at_least(self.lo);
        if above && (unbounded || is_near(hi) && self.hi.is_at_least(hi)) {
            return Some(true);
        }
        let below = is_near(hi) && self.lo.is_at_least(hi + 1);
        let beyond = is_near(lo) && lo.is_at_least(self.hi + 1);
        (below || beyond).then_some(false)
    }
}

/// The end, no further away than what says nothing.
fn near(end: Extent) -> Extent {
    end.as_constant().map_or(end, |n| n.clamp(-FAR, FAR).into())
}

/// Conjunction of the conditions; `None` if the ranges do not tell.
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

/// Cuts of a loop over a dimension of run-time size, ascending, for pieces each of which goes from
/// one number to another. `None` where nothing says which of two ends comes first: the sizes of
/// pieces are not negative.
pub fn cuts_of_pieces(pieces: &[(Extent, Extent)]) -> Option<Vec<Extent>> {
    let mut cuts: Vec<Extent> = pieces.iter().flat_map(|(from, to)| [*from, *to]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    cuts.retain(|cut| cut.as_constant().is_none_or(|n| n > 0));
    let follows = |a: Extent, b: Extent| b.is_at_least(a) || pieces.contains(&(a, b));
    let known = cuts.windows(2).all(|pair| follows(pair[0], pair[1]));
    let first = cuts.first().is_none_or(|cut| cut.is_at_least(0));
    (known && first).then_some(cuts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_say_in_which_order_they_come() {
        let (n, m, zero) = (Extent::name(0), Extent::name(1), Extent::ZERO);
        let (one, three) = (Extent::ONE, Extent::from(3));
        assert_eq!(cuts_of_pieces(&[(zero, n)]), Some(vec![n]));
        assert_eq!(
            cuts_of_pieces(&[(zero, n), (n, n + m)]),
            Some(vec![n, n + m])
        );
        assert_eq!(cuts_of_pieces(&[(one, n + 1)]), Some(vec![one, n + 1]));
        assert_eq!(cuts_of_pieces(&[(zero - 2, n - 2), (zero, three)]), None);
        assert_eq!(cuts_of_pieces(&[(zero, n), (zero, m)]), None);
        assert_eq!(cuts_of_pieces(&[(zero, n * 2), (zero, m)]), None);
        assert_eq!(cuts_of_pieces(&[(-n, zero)]), None);
        // Halves of a size, in the order in which they come.
        let half = n.floor_div(2.into());
        assert_eq!(
            cuts_of_pieces(&[(zero, half), (half, n)]),
            Some(vec![half, n])
        );
    }
}
