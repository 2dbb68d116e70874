//! Composed maps, simplified.
//!
//! An index that is carried inwards through a region is a map from the region's loops, composed
//! operation by operation. Digits of single variables have a normal form in
//! [`mapwright_indexing::linear`]; where a sum is divided, the map goes through the simplifier with
//! the loops' ranges. What is still longer than the budget is declined, and the region ends there.

use crate::node::Reason;
use mapwright_indexing::linear::{Atom, Base, Facts, Sum, is_near};
use mapwright_indexing::{
    Expr, ExprKind, Extent, IndexingMap, Interval, Simplifier, Variable, c, d,
};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};

/// The name of the simplification among the fast paths.
pub const NAME: &str = "simplified-maps";

/// Operations of an index, at most, while regions are planned.
const PLANNED: usize = 128;
/// Operations of an index, at most, where loops are made: they may run over several dimensions at
/// once, which says the same in more digits.
const COMPILED: usize = 1024;
/// Maps that are remembered.
const MOST_CACHED: usize = 1 << 12;

/// Choices of how indices are composed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Composing {
    /// The simplifier gets what the local rules leave.
    simplifies: bool,
    /// Operations of an index, at most.
    budget: usize,
}

impl Composing {
    /// Choices where loops are made, with the simplifier if it is switched on ([`NAME`]).
    pub fn compiled(simplifies: bool) -> Self {
        let budget = COMPILED;
        Self { simplifies, budget }
    }

    /// Choices where regions are planned.
    pub(crate) fn planned(simplifies: bool) -> Self {
        let budget = PLANNED;
        Self { simplifies, budget }
    }

    /// Facts about loops of these sizes, which count from zero.
    pub fn over_sizes(self, sizes: &[Extent]) -> LoopFacts {
        LoopFacts {
            facts: Facts::of_sizes(sizes),
            composing: self,
        }
    }
}

/// Facts about loops, and how indices over them are composed.
#[derive(Clone, Debug)]
pub struct LoopFacts {
    facts: Facts,
    /// Choices of how indices over the loops are composed.
    pub composing: Composing,
}

impl Deref for LoopFacts {
    type Target = Facts;

    fn deref(&self) -> &Facts {
        &self.facts
    }
}

impl DerefMut for LoopFacts {
    fn deref_mut(&mut self) -> &mut Facts {
        &mut self.facts
    }
}

/// Counts of maps by the way they went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Maps that were composed.
    pub composed: u64,
    /// Maps that went through the simplifier.
    pub simplified: u64,
    /// Operations of these before it.
    pub operations_before: u64,
    /// Operations of these after it.
    pub operations_after: u64,
}

impl Counts {
    /// Counts since `before`.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            composed: self.composed - before.composed,
            simplified: self.simplified - before.simplified,
            operations_before: self.operations_before - before.operations_before,
            operations_after: self.operations_after - before.operations_after,
        }
    }
}

/// An index and the ranges of what occurs in it.
type Key = (Vec<Sum>, Vec<(i64, i64)>);

/// Simplifier with which this thread composes, and its answers, which save time and decide nothing.
/// Regions of one program read in the same ways again and again.
struct SimplifierCache {
    simplifier: Simplifier,
    known: HashMap<Key, Vec<Sum>>,
    counts: Counts,
}

thread_local! {
    static CACHE: RefCell<SimplifierCache> = RefCell::new(SimplifierCache {
        simplifier: Simplifier::new(),
        known: HashMap::new(),
        counts: Counts::default(),
    });
}

/// The counts of this thread.
pub fn counts() -> Counts {
    CACHE.with_borrow(|workshop| workshop.counts)
}

fn operations(index: &[Sum], limit: usize) -> usize {
    index
        .iter()
        .fold(0, |count, x| {
            count + x.operation_count(limit - count.min(limit))
        })
        .min(limit)
}

/// The index as short as the simplifier makes it.
///
/// # Errors
/// It leaves 64 bits, or has more operations than the budget.
pub fn simplified(index: Vec<Sum>, loops: &LoopFacts) -> Result<Vec<Sum>, Reason> {
    if index.iter().any(Sum::is_beyond) {
        return Err(Reason::new("an index beyond 64 bits"));
    }
    CACHE.with_borrow_mut(|workshop| {
        workshop.counts.composed += 1;
        if !index.iter().any(Sum::has_compound) {
            return Ok(index);
        }
        let Composing { simplifies, budget } = loops.composing;
        let index = if simplifies {
            workshop.shorter(index, loops)
        } else {
            index
        };
        if operations(&index, budget) >= budget {
            return Err(Reason::new(format!(
                "the composed map has {budget} operations or more"
            )));
        }
        Ok(index)
    })
}

impl SimplifierCache {
    fn shorter(&mut self, index: Vec<Sum>, loops: &Facts) -> Vec<Sum> {
        let before = operations(&index, 8 * COMPILED);
        if before >= 8 * COMPILED {
            return index;
        }
        let Some(named) = Named::new(&index, loops) else {
            return index;
        };
        self.counts.simplified += 1;
        self.counts.operations_before += before as u64;
        let key = (index, named.ranges.clone());
        if let Some(known) = self.known.get(&key) {
            self.counts.operations_after += operations(known, 8 * COMPILED) as u64;
            return known.clone();
        }
        let found = named.simplified(&key.0, loops, &mut self.simplifier);
        let after = found.as_ref().map(|found| operations(found, 8 * COMPILED));
        let shorter = match (found, after) {
            (Some(found), Some(after)) if after <= before => {
                self.counts.operations_after += after as u64;
                found
            }
            _ => {
                self.counts.operations_after += before as u64;
                key.0.clone()
            }
        };
        if self.known.len() >= MOST_CACHED {
            self.known.clear();
        }
        self.known.insert(key, shorter.clone());
        shorter
    }
}

/// The variables and values that an index depends on, as dimensions of a map.
struct Named {
    vars: Vec<usize>,
    values: Vec<usize>,
    ranges: Vec<(i64, i64)>,
}

impl Named {
    /// `None` where the range of one says nothing.
    fn new(index: &[Sum], loops: &Facts) -> Option<Self> {
        let (mut vars, mut values) = (Vec::new(), Vec::new());
        for x in index {
            x.variables(&mut vars);
            x.values(&mut values);
        }
        vars.sort_unstable();
        values.sort_unstable();
        let of_vars = vars.iter().map(|v| loops.vars.get(*v));
        let of_values = values.iter().map(|v| loops.values.get(*v));
        // The simplifier computes with numbers.
        let number = |end: Extent| end.as_constant().filter(|n| is_near(*n));
        let ranges = of_vars.chain(of_values).map(|range| {
            let (lo, hi) = range.copied()?;
            number(lo).zip(number(hi)).filter(|(lo, hi)| lo <= hi)
        });
        let ranges = ranges.collect::<Option<_>>()?;
        Some(Self {
            vars,
            values,
            ranges,
        })
    }

    fn dim(&self, base: &Base) -> Expr {
        let position = match base {
            Base::Var(v) => self.vars.binary_search(v).ok(),
            Base::Value(v) => self
                .values
                .binary_search(v)
                .ok()
                .map(|i| self.vars.len() + i),
            _ => None,
        };
        position.map_or_else(|| c(0), d)
    }

    fn sum(&self, kind: &ExprKind) -> Option<Sum> {
        let ExprKind::Dim(k) = kind else {
            return None;
        };
        let value = k.checked_sub(self.vars.len());
        match value.map(|i| self.values.get(i)) {
            None => self.vars.get(*k).map(|v| Sum::var(*v)),
            Some(value) => value.map(|v| Sum::atom(Atom::value(*v))),
        }
    }

    fn simplified(
        &self,
        index: &[Sum],
        loops: &Facts,
        simplifier: &mut Simplifier,
    ) -> Option<Vec<Sum>> {
        let dims = self
            .ranges
            .iter()
            .map(|(lo, hi)| Variable::new(Interval::new(*lo, *hi)));
        let results: Option<Vec<Expr>> = index
            .iter()
            .map(|x| x.to_expr(&|base| self.dim(base)))
            .collect();
        let map = IndexingMap::new(dims.collect(), results?);
        let map = map.simplify_with(simplifier, false).map;
        // The loops are not empty, so that the domain is not.
        if !map.is_known() || map.is_known_empty() {
            return None;
        }
        let read = |expr| Sum::of_expr(expr, loops, &|kind| self.sum(kind));
        let found: Option<Vec<Sum>> = map.results().iter().map(read).collect();
        found.filter(|found| found.len() == index.len() && !found.iter().any(Sum::is_beyond))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digits of a sum whose other digits are elsewhere: what the local rules leave is the
    /// simplifier's.
    #[test]
    fn the_simplifier_shortens_what_is_left() {
        let facts = Composing::compiled(true).over_sizes(&[4, 5, 7].map(Extent::from));
        // Row-major in 4x5x7, taken apart as 20x7 and put together again.
        let place = Sum::var(0)
            .scaled(35)
            .plus(&Sum::var(1).scaled(7))
            .plus(&Sum::var(2));
        let parts = [place.floor_div(10, &facts), place.modulo(10, &facts)];
        assert!(parts.iter().all(Sum::has_compound));
        let before = counts();
        let made = simplified(parts.to_vec(), &facts).unwrap();
        let counted = counts().since(before);
        assert_eq!((counted.composed, counted.simplified), (1, 1));
        assert!(counted.operations_after <= counted.operations_before);
        for (i, j, k) in (0..140).map(|n| (n / 35, n / 7 % 5, n % 7)) {
            for (x, y) in parts.iter().zip(&made) {
                assert_eq!(x.eval(&[i, j, k], &[]), y.eval(&[i, j, k], &[]));
            }
        }
        // Once more from memory, and without.
        assert_eq!(simplified(parts.to_vec(), &facts).unwrap(), made);
        let off = Composing::compiled(false).over_sizes(&[4, 5, 7].map(Extent::from));
        assert_eq!(simplified(parts.to_vec(), &off).unwrap(), parts);
    }

    #[test]
    fn what_grows_beyond_the_budget_is_declined() {
        let sizes = [1 << 20, 1 << 20].map(Extent::from);
        let facts = Composing::planned(true).over_sizes(&sizes);
        let mut x = Sum::var(0);
        for m in 0..200 {
            x = x
                .scaled(3 + 2 * m % 5)
                .plus(&Sum::var(1))
                .floor_div(7 + m, &facts)
                .plus(&x.modulo(11 + m, &facts));
            if x.operation_count(300) == 300 {
                break;
            }
        }
        assert_eq!(
            simplified(vec![x.clone()], &facts),
            Err(Reason::new("the composed map has 128 operations or more"))
        );
        assert_eq!(
            simplified(vec![Sum::beyond()], &facts),
            Err(Reason::new("an index beyond 64 bits"))
        );
    }
}
