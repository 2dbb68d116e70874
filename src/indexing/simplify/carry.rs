//! Constraints that a round over all of them would read as the round before did.
//!
//! A long list settles in several rounds, as what one constraint says of a variable sharpens others. A sum of variables that came
//! out of a round as it went in says the same again as long as nothing more is known of its variables: it is taken over. And
//! before the next round what became known of variables is followed from constraint to constraint.

use super::arena::NodeId;
use super::driver::Simplifier;
use super::known::{Empty, Known, Outcome};
use super::linear::{Forms, Sum, Term};
use super::rules::constraint::window::Window;
use super::rules::constraint::{Constraints, RangeOf};
use crate::interval::Interval;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Constraints below which all are read in each round.
const FEW: usize = 32;

#[derive(Clone, Copy)]
enum Entry {
    /// With the constant of the form.
    Range(RangeOf, i64),
    Window(Window),
}

/// What was made of a constraint on a sum of variables.
struct Plain {
    /// Where its terms are.
    terms: Range<usize>,
    entry: Entry,
    /// It came out as it went in.
    same: bool,
}

/// What a round leaves to the next one.
#[derive(Default)]
pub(super) struct Carried {
    /// For each constraint that was written, if it is one of a sum of variables: what was made of it.
    entries: Vec<Option<Plain>>,
    terms: Vec<Term>,
    /// The variables of which more is known than before the round.
    sharper: Vec<bool>,
}

impl Carried {
    /// Keeps what came out of a round as it went in. The forms of the constraints are still there.
    pub(super) fn keep(
        &mut self,
        constraints: &Constraints,
        forms: &Forms,
        given: &[(NodeId, Interval)],
        written: &[(NodeId, Interval)],
    ) {
        self.entries.clear();
        self.terms.clear();
        let count = constraints.ranges.len() + constraints.windows.len();
        if given.len() < FEW || written.len() != count {
            return;
        }
        let before: FxHashMap<NodeId, Interval> = given.iter().copied().collect();
        let ranges = constraints.ranges.iter().map(|r| {
            let k = forms.lin(r.lin).k;
            (r.lin, Entry::Range(*r, k))
        });
        let windows = constraints.windows.iter();
        let all = ranges.chain(windows.map(|w| (w.lin, Entry::Window(*w))));
        for ((lin, entry), (node, interval)) in all.zip(written) {
            let terms = forms.terms(lin);
            // One variable alone becomes a range or a congruence.
            let plain = terms.len() > 1 && !forms.has_digits(lin);
            let same = before.get(node) == Some(interval);
            self.entries.push(plain.then(|| {
                let first = self.terms.len();
                self.terms.extend_from_slice(terms);
                Plain {
                    terms: first..self.terms.len(),
                    entry,
                    same,
                }
            }));
        }
    }

    /// Compares what is known now with what was known when the round began.
    pub(super) fn compare(&mut self, before: &[Known], now: &[Known]) {
        self.sharper.clear();
        if !self.entries.is_empty() {
            self.sharper
                .extend(before.iter().zip(now).map(|(b, n)| b != n));
        }
    }

    /// Takes over a constraint, by its place in the list; false if it has to be read.
    pub(super) fn take(
        &self,
        at: usize,
        forms: &mut Forms,
        into: &mut Constraints,
    ) -> Result<bool, Empty> {
        let Some(Some(plain)) = self.entries.get(at) else {
            return Ok(false);
        };
        let terms = &self.terms[plain.terms.clone()];
        if !plain.same || terms.iter().any(|t| self.sharper[t.atom as usize]) {
            return Ok(false);
        }
        match plain.entry {
            Entry::Range(r, k) => {
                let lin = forms.intern(terms, k);
                into.add_range(forms, RangeOf { lin, ..r })?;
            }
            Entry::Window(w) => {
                let lin = forms.intern(terms, 0);
                into.windows.push(Window { lin, ..w });
            }
        }
        Ok(true)
    }

    /// The constraints in which each of the variables stands.
    fn places(&self, variables: usize) -> Vec<Vec<usize>> {
        let mut places = vec![Vec::new(); variables];
        for (at, entry) in self.entries.iter().enumerate() {
            for t in entry.iter().flat_map(|e| &self.terms[e.terms.clone()]) {
                places[t.atom as usize].push(at);
            }
        }
        places
    }

    /// What a constraint says with what is known now, for the bounds of its variables. What does not fit says nothing.
    fn say(&self, at: usize, forms: &mut Forms, into: &mut Constraints) -> Outcome {
        let Some(plain) = &self.entries[at] else {
            return Ok(());
        };
        let mut sum = Sum::default();
        for t in &self.terms[plain.terms.clone()] {
            match forms.atom(t.atom).bounds.as_point() {
                None => sum.terms.push(*t),
                Some(v) if sum.add_constant(v, t.coef).is_some() => {}
                Some(_) => return Ok(()),
            }
        }
        match plain.entry {
            Entry::Range(r, k) if sum.add_constant(k, 1).is_some() => {
                let lin = forms.intern(&sum.terms, sum.k);
                into.add(forms, lin, r.lower, r.upper)
            }
            Entry::Range(..) => Ok(()),
            Entry::Window(w) => {
                let lin = forms.intern(&sum.terms, sum.k);
                into.add_window(forms, lin, w.m, w.lower, w.extra)
            }
        }
    }
}

impl Simplifier {
    /// Looks again at the constraints of the variables of which more is known than before the last round, and so on. Only what
    /// is known of variables changes. `nodes` are in the arena.
    pub(super) fn follow(
        &mut self,
        nodes: usize,
        carried: &Carried,
        before: &[Known],
        units: u64,
    ) -> Outcome {
        if carried.entries.is_empty() {
            return Ok(());
        }
        let places = carried.places(before.len());
        let mut before = before.to_vec();
        let mut left = carried.entries.len();
        loop {
            let known = before.iter().zip(&self.constraints.known);
            let sharper = known.zip(&places).filter(|((b, n), _)| b != n);
            let mut affected: Vec<usize> = sharper.flat_map(|(_, p)| p).copied().collect();
            affected.sort_unstable();
            affected.dedup();
            // Bounds can creep toward each other; whether they do is decided by the rounds.
            if affected.is_empty() || affected.len() > left {
                return Ok(());
            }
            left -= affected.len();
            before.clone_from(&self.constraints.known);
            self.restart(nodes, units);
            self.constraints.clear();
            for at in affected {
                carried.say(at, &mut self.forms, &mut self.constraints)?;
            }
            self.constraints.combine(&mut self.forms)?;
            self.constraints.propagate(&mut self.forms)?;
        }
    }
}
